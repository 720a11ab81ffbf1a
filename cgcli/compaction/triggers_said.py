"""Triggers as a policy file says them: checked, with the line of each; context-guru's spellings are taken too."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from msgspec import field

from cgcli.compaction.components.parameters import is_fraction, is_positive, is_whole
from cgcli.compaction.triggers import ALWAYS, MOST_PRE_EXPIRY_S, Batch, CacheState, Triggers
from cgcli.errors import UsageError, did_you_mean
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.compaction.toml_file import TomlFile

STEP_KEYS = ("min_request_tokens", "min_messages", "min_request_fraction", "cache_state", "pre_expiry_s")
"""Those that a single step may have. A batch is the whole policy's: its decisions enter together."""
KEYS = (*STEP_KEYS, "every")
ALIASES: Mapping[str, str] = MappingProxyType(
    {"min_request_frac": "min_request_fraction", "pre_expiry_seconds": "pre_expiry_s"}
)
"""context-guru's spellings (`components/trigger.go`)."""
_OF_OUTPUTS = frozenset({"min_output_tokens", "min_output_frac", "huge_output_frac"})
_HINT = "see docs/reference/policies.md for the triggers"
_EVERY = 'every = "turn", { turns = 5 } or { tokens = 20000 }'


@value
class SaidTriggers:
    """Triggers, and where they stand."""

    triggers: Triggers = ALWAYS
    places: Mapping[str, str] = field(default_factory=dict)
    """`FILE:LINE` by key, of those that are said."""
    warnings: Mapping[str, str] = field(default_factory=dict)
    """By a spelling that is taken for another: the line that says so."""


def said_triggers(table: object, file: TomlFile, *at: str | int, keys: tuple[str, ...] = KEYS) -> SaidTriggers:
    """The triggers that the *table* which stands *at* those keys of *file* says; only *keys* are allowed.

    Raises:
        UsageError: a key is unknown, its value is not allowed, or two of them contradict each other; with the line.
    """
    if not isinstance(table, dict):
        raise UsageError(f"`{at[-1]}` is no table", where=file.where(*at), hint=_HINT)
    given: dict[str, Any] = {}
    places: dict[str, str] = {}
    warnings: dict[str, str] = {}
    for written, said in table.items():
        key, where = ALIASES.get(written, written), file.where(*at, written)
        if key not in keys:
            raise _unknown(written, where, keys)
        if key in given:
            raise UsageError(f"`{key}` is said twice", where=where, hint=f"leave out `{_other_spelling(key)}`")
        if key != written:
            warnings[written] = f"{where}: `{written}` is taken as `{key}`"
        given[key], places[key] = _checked(key, said, where), where
    _refuse_contradictions(given, places)
    return SaidTriggers(triggers=Triggers(**given), places=places, warnings=warnings)


def _unknown(key: str, where: str, keys: tuple[str, ...]) -> UsageError:
    if key in _OF_OUTPUTS:
        hint = "triggers look at requests; what an output must have is a step's own parameter, as `min_tokens`"
    elif key in KEYS:
        hint = "new decisions of all steps enter together: write it under [triggers]"
    else:
        hint = did_you_mean(key, keys)
    return UsageError(f"there is no trigger {key!r}" + (" for one step" if key in KEYS else ""), where=where, hint=hint)


def _other_spelling(key: str) -> str:
    return next(alias for alias, name in ALIASES.items() if name == key)


def _checked(key: str, said: object, where: str) -> object:
    """The value of *key* as triggers have it."""
    try:
        return _CHECKS[key](said)
    except ValueError as error:
        raise UsageError(f"{key} is {said!r}, but must be {error}", where=where, hint=_HINT) from error


def _whole(said: object) -> int:
    if not is_whole(said):
        raise ValueError("a whole number, 0 or more")
    return said


def _fraction(said: object) -> float:
    if not is_fraction(said):
        raise ValueError("a number from 0 to 1")
    return float(said)


def _seconds(said: object) -> float:
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 < said < MOST_PRE_EXPIRY_S:
        raise ValueError(f"above 0 and below {MOST_PRE_EXPIRY_S}, the shortest life of a cache")
    return float(said)


def _state(said: object) -> CacheState:
    if said not in list(CacheState):
        raise ValueError(f"one of {', '.join(CacheState)}")
    return CacheState(cast("str", said))


def _every(said: object) -> Batch | None:
    """None for every turn."""
    if said == "turn":
        return None
    if isinstance(said, Mapping) and len(said) == 1:
        (unit, n), *_ = said.items()
        if unit in ("turns", "tokens") and is_positive(n):
            return Batch(**{unit: n})
    raise ValueError(f"{_EVERY.removeprefix('every = ')}, with a number of 1 or more")


_CHECKS: Mapping[str, Callable[[object], object]] = MappingProxyType(
    {
        "min_request_tokens": _whole,
        "min_messages": _whole,
        "min_request_fraction": _fraction,
        "cache_state": _state,
        "pre_expiry_s": _seconds,
        "every": _every,
    }
)


def _refuse_contradictions(given: Mapping[str, Any], places: Mapping[str, str]) -> None:
    state = given.get("cache_state", CacheState.ANY)
    if "pre_expiry_s" in given and state is not CacheState.PRE_EXPIRY:
        raise UsageError(
            '`pre_expiry_s` says nothing without cache_state = "pre_expiry"',
            where=places["pre_expiry_s"],
            hint='add cache_state = "pre_expiry", or leave it out',
        )
    every = given.get("every")
    if every is not None and every.turns is not None and state is not CacheState.ANY:
        raise UsageError(
            f'`every` counts turns, and cache_state = "{state}" waits for some of them: both are rarely met together',
            where=places["every"],
            hint="leave out one of them: decisions that wait for a state of the cache enter together anyhow",
        )
