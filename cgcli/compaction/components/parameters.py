"""The checks that components make on their parameters: a wrong one is refused, never mended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeGuard

from cgcli.compaction.component import MarkerMode
from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_whole(given: object) -> TypeGuard[int]:
    """True for whole numbers from 0 up; True and False are none."""
    return isinstance(given, int) and not isinstance(given, bool) and given >= 0


def is_positive(given: object) -> TypeGuard[int]:
    """True for whole numbers from 1 up; True is none."""
    return is_whole(given) and given > 0


def is_fraction(given: object) -> TypeGuard[float]:
    """True for numbers from 0 to 1; True and False are none."""
    return isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 1


def check_whole(component: str, parameter: str, given: object) -> None:
    """Refuse all but whole numbers from 0 up; True and False are none.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if not is_whole(given):
        raise _wrong(component, parameter, given, "a whole number, 0 or more")


def check_fraction(component: str, parameter: str, given: object) -> None:
    """Refuse all but numbers from 0 to 1.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if not is_fraction(given):
        raise _wrong(component, parameter, given, "a number from 0 to 1")


def check_flag(component: str, parameter: str, given: object) -> None:
    """Refuse all but True and False.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if not isinstance(given, bool):
        raise _wrong(component, parameter, given, "true or false")


def check_count(component: str, parameter: str, given: object) -> None:
    """Refuse all but whole numbers from 0 up, and none at all.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if given is not None:
        check_whole(component, parameter, given)


def check_text(component: str, parameter: str, given: object) -> None:
    """Refuse all but a text that is not empty, and none at all.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if given is not None and not (isinstance(given, str) and given.strip()):
        raise _wrong(component, parameter, given, "a text")


def check_marker_mode(component: str, given: object) -> None:
    """Refuse all but a `MarkerMode`: an unknown word must not turn into a mode that was not asked for.

    Raises:
        UsageError: names the component, what was given and what is allowed.
    """
    if not isinstance(given, MarkerMode):
        raise wrong_marker_mode(component, given)


def wrong_marker_mode(component: str, given: object) -> UsageError:
    """The error for a marker mode that does not exist."""
    return _wrong(component, "marker_mode", given, f"one of {', '.join(MarkerMode)}")


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
    if not is_positive(given):
        raise _wrong(component, parameter, given, "a whole number, 1 or more")


def check_budgets(component: str, parameter: str, given: object) -> None:
    """Refuse all but a table of whole numbers from 1 up, by tool.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) and is_positive(tokens) for name, tokens in given.items()
    ):
        raise _wrong(component, parameter, given, "a table of whole numbers, 1 or more, by tool: {Bash = 2000}")


def check_texts(component: str, parameter: str, given: object) -> None:
    """Refuse all but a list of texts, none of them blank.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    listed = isinstance(given, list | tuple)
    if not listed or not all(isinstance(one, str) and one.strip() for one in given):  # type: ignore[attr-defined]
        raise _wrong(component, parameter, given, "a list of texts, none of them blank")


def _wrong(component: str, parameter: str, given: object, allowed: str) -> UsageError:
    return UsageError(
        f"{component}: {parameter} is {given!r}, but must be {allowed}",
        hint=f"see docs/reference/components.md for the parameters of {component}",
    )
