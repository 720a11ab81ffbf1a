"""The checks that components make on their parameters: a wrong one is refused, never mended."""

from __future__ import annotations

from cgcli.compaction.component import MarkerMode
from cgcli.errors import UsageError


def check_whole(component: str, parameter: str, given: object) -> None:
    """Refuse all but whole numbers from 0 up; True and False are none.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise _wrong(component, parameter, given, "a whole number, 0 or more")


def check_fraction(component: str, parameter: str, given: object) -> None:
    """Refuse all but numbers from 0 to 1.

    Raises:
        UsageError: names the component, the parameter, what was given and what is allowed.
    """
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
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


def _wrong(component: str, parameter: str, given: object, allowed: str) -> UsageError:
    return UsageError(
        f"{component}: {parameter} is {given!r}, but must be {allowed}",
        hint=f"see docs/reference/components.md for the parameters of {component}",
    )
