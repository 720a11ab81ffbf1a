"""What the options about operating modes come to: what they may stand beside, and the policies that come of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cgcli.errors import UsageError, did_you_mean
from cgcli.model import changed, value
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.latency import Latency, latency
from cgcli.replay.modes.options import Mode, ModeOptions
from cgcli.replay.modes.tail import Protect
from cgcli.replay.paired.sweep import gap_s, sweep
from cgcli.report.replay.modes_sweep import sweep_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cgcli.cli.mode_options import Given
    from cgcli.readers import Capture
    from cgcli.replay.paired.replay import Planned, Replayed, Wanted

DEFAULT = ("codesafe",)
"""The policies where none is named: each has a row for every mode."""

_OF_THE_QUEUE = frozenset({"--max-queue", "--workers", "--stop"})
_OF_ASYNC = frozenset(
    {
        *("--barren", "--max-lanes", "--protect", "--strip-caller-breakpoints"),
        *("--cache-uncompacted-tail", "--cache-mode", "--sweep"),
    }
)


@value
class Wished:
    """What the options come to."""

    modes: tuple[Mode, ...]
    """In the order of `Mode`; empty: no mode was asked for."""
    options: ModeOptions
    protects: tuple[Protect, ...]
    """`async` runs once for each."""

    def each(self, name: str, one: Planned) -> Iterator[tuple[str, Planned]]:
        """The policy *one*, called *name*, in each mode; each with what it is called there."""
        if not self.modes:
            yield name, one
        for mode in self.modes:
            for i, protect in enumerate(self.protects if mode is Mode.ASYNC else (None,)):
                end = f" ({protect.value})" if i and protect else ""
                yield f"{name} {mode.value}{end}", changed(one, mode=mode, protect=protect)


def wished(given: Given) -> Wished:
    """What was *given*, checked.

    Raises:
        UsageError: an option is wrong, or means nothing beside the others.
    """
    modes = _modes(given.mode)
    _refuse_idle(given, modes)
    _refuse_contrary(given)
    defaults = ModeOptions()
    told = {
        "step_s": _finite("--step-time", given.step_s),
        "max_queue": given.max_queue,
        "workers": given.workers,
        "barren": given.barren,
        "max_lanes": given.max_lanes,
        "stop_s": _finite("--stop", given.stop_s),
    }
    options = changed(
        defaults,
        latency=latency(given.latency, seed=given.seed or 0) if given.latency is not None else Latency(),
        strip_caller_breakpoints=given.strip,
        cache_uncompacted_tail=given.cache_tail,
        is_cache_aware=_cache_mode(given.cache_mode),
        **{name: said for name, said in told.items() if said is not None},
    )
    is_protecting = options.is_cache_aware and not options.cache_uncompacted_tail
    named = _protect(given.protect)
    # Where nothing is protected both would come to the same by construction.
    protects = (named,) if named is not None else tuple(Protect) if is_protecting else (Protect.PENDING,)
    return Wished(modes=modes, options=options, protects=protects)


def swept(done: Replayed, wanted: Wanted, anew: Callable[[], Capture], labels: Sequence[str]) -> dict[str, Any]:
    """The sweep over what was *done*, whose arms are called *labels*."""
    gap = gap_s(done)
    names = [label for label, arm in zip(labels, done.arms, strict=True) if isinstance(arm, AsyncArm)]
    return sweep_document(gap, sweep(anew, wanted, gap) if gap else (), names)


def _modes(told: str | None) -> tuple[Mode, ...]:
    if told is None:
        return ()
    names = [name.strip() for name in told.split(",")]
    for name in names:
        if name not in {mode.value for mode in Mode}:
            raise UsageError(f"there is no mode {name!r}", hint=did_you_mean(name, [mode.value for mode in Mode]))
    return tuple(mode for mode in Mode if mode.value in names)


def _refuse_idle(given: Given, modes: tuple[Mode, ...]) -> None:
    """Options that no mode of the run goes by."""
    for word, said in given.options().items():
        if said is None:
            continue
        if not modes:
            raise UsageError(f"{word} is for operating modes", hint=f"--mode sync,observe,async {word} …")
        if word in _OF_ASYNC and Mode.ASYNC not in modes:
            raise UsageError(f"{word} is for async", hint=f"--mode {','.join((*modes, Mode.ASYNC))}")
        if word in _OF_THE_QUEUE and not {Mode.ASYNC, Mode.OBSERVE} & {*modes}:
            raise UsageError(f"{word} is for what runs beside the requests", hint="--mode sync,observe,async")


def _refuse_contrary(given: Given) -> None:
    """Options that say nothing beside one another."""
    if given.seed is not None and not (given.latency or "").startswith("lognormal"):
        raise UsageError("--seed is for times that are drawn", hint="--latency lognormal:12s,0.5")
    idle = "--cache-uncompacted-tail" if given.cache_tail else "--cache-mode off" if given.cache_mode == "off" else None
    for word, is_given in (("--protect", given.protect is not None), ("--strip-caller-breakpoints", given.strip)):
        if idle is not None and is_given:
            raise UsageError(f"{word} says what is protected, and {idle} that nothing is", hint="leave one of them out")


def _finite(word: str, told: float | None) -> float | None:
    if told is not None and not math.isfinite(told):
        raise UsageError(f"{word} is {told}", hint="write seconds, as 0.5")
    return told


def _protect(told: str | None) -> Protect | None:
    if told is None:
        return None
    try:
        return Protect(told)
    except ValueError:
        hint = did_you_mean(told, [one.value for one in Protect])
        raise UsageError(f"--protect is {told!r}", hint=hint) from None


def _cache_mode(told: str | None) -> bool:
    if told not in (None, "on", "off"):
        raise UsageError(f"--cache-mode is {told!r}", hint=did_you_mean(str(told), ["on", "off"]))
    return told != "off"
