"""The checks on parameters that are a list of texts, or one word out of a few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def check_texts(component: str, parameter: str, given: object) -> None:
    """Refuse all but a list of texts, none of them blank.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    listed = isinstance(given, list | tuple)
    if not listed or not all(isinstance(one, str) and one.strip() for one in given):  # type: ignore[attr-defined]
        raise _wrong(component, parameter, given, "a list of texts, none of them blank")


def check_word(component: str, parameter: str, given: object, words: Sequence[str]) -> None:
    """Refuse all but one of *words*.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if not isinstance(given, str) or given not in words:
        raise _wrong(component, parameter, given, f"one of {', '.join(words)}")


def _wrong(component: str, parameter: str, given: object, allowed: str) -> UsageError:
    return UsageError(
        f"{component}: {parameter} is {given!r}, but must be {allowed}",
        hint=f"see docs/reference/components.md for the parameters of {component}",
    )
