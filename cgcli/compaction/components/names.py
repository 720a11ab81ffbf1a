"""Checks on parameters that are words of a list, names of tools, or numbers from 1 up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.view import Output


def check_names(component: str, parameter: str, given: object) -> None:
    """Refuse all but a list of texts that are not empty.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if not isinstance(given, list | tuple) or not all(isinstance(name, str) and name for name in given):
        raise _wrong(component, parameter, given, 'a list of names of tools, as ["Read", "Bash"]')


def check_word(component: str, parameter: str, given: object, words: Sequence[str]) -> None:
    """Refuse all but one of *words*.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if not isinstance(given, str) or given not in words:
        raise _wrong(component, parameter, given, f"one of {', '.join(words)}")


def check_positive(component: str, parameter: str, given: object) -> None:
    """Refuse all but whole numbers from 1 up; True is none.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if not _is_positive(given):
        raise _wrong(component, parameter, given, "a whole number, 1 or more")


def check_budgets(component: str, parameter: str, given: object) -> None:
    """Refuse all but a table of whole numbers from 1 up, by tool.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) and _is_positive(tokens) for name, tokens in given.items()
    ):
        raise _wrong(component, parameter, given, "a table of whole numbers, 1 or more, by tool: {Bash = 2000}")


def is_of(output: Output, names: Sequence[str]) -> bool:
    """True where *output* answers a call of one of the tools *names*."""
    return output.call is not None and output.call.name in names


def _is_positive(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and given > 0


def _wrong(component: str, parameter: str, given: object, allowed: str) -> UsageError:
    return UsageError(
        f"{component}: {parameter} is {given!r}, but must be {allowed}",
        hint=f"see docs/reference/components.md for the parameters of {component}",
    )
