"""Replay a file: each request through every policy, side by side, and once as it was, against what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from cgcli.compaction.policy import named
from cgcli.compaction.state import HeldRule
from cgcli.lanes import Threads, group
from cgcli.lanes.meeting import meet
from cgcli.model import changed, unique, value
from cgcli.pricing.table import default_prices
from cgcli.replay.holding import Holding
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.observe_arm import ObserveArm
from cgcli.replay.modes.options import Mode, ModeOptions
from cgcli.replay.modes.sync_arm import SyncArm
from cgcli.replay.paired.arm import Arm
from cgcli.replay.paired.clock import Clock
from cgcli.replay.paired.expand_tool import Inject
from cgcli.replay.paired.output import output_tokens
from cgcli.replay.paired.self_check import SelfCheck
from cgcli.replay.paired.shared import Shared
from cgcli.replay.run import Common, Run
from cgcli.replay.survey import survey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.cachesim.options import CacheOptions
    from cgcli.compaction.policy import Policy
    from cgcli.lanes import Lane
    from cgcli.model import Exchange
    from cgcli.pricing.table import Prices
    from cgcli.readers import Capture, Entry
    from cgcli.replay.modes.tail import Protect
    from cgcli.replay.paired.self_check import Checked
    from cgcli.summarisers.protocol import Summariser
    from cgcli.tokens.ruler import Ruler

OFF = "off"
ASSUMED_TTL = "5m"
"""Of the marks that a history does not record: agents set them, at the end of each request."""


@value
class Planned:
    """A policy that is to be replayed."""

    policy: Policy
    rule: HeldRule
    summariser: Summariser | None
    """Who answers its calls; None: nobody."""
    mode: Mode | None = None
    """The operating mode; None: it runs before each request is sent, and nothing of a mode is counted."""
    protect: Protect | None = None
    """The span that async protects; None: the options say."""


@unique
class Wanted:
    """What is to be replayed, and how."""

    planned: tuple[Planned, ...]
    """Beside doing nothing, which always comes first."""
    cache: CacheOptions
    clock: Clock = Clock()
    inject: Inject = Inject.AUTO
    prices: Prices | None = None
    """None: the table's."""
    modes: ModeOptions = ModeOptions()


class Passing:
    """The records of a file that are no requests."""

    def __init__(self) -> None:
        """None so far."""
        self.reasons: Counter[str] = Counter()
        """Of those that need not be any."""
        self.unusable: list[tuple[int, str, str]] = []
        """(line, reason, detail) of those that should have been one."""

    def entry(self, entry: Entry) -> None:
        """Take note of one."""
        if entry.passed is None:
            return
        if entry.passed.usable:
            self.reasons[entry.passed.reason] += 1
        else:
            self.unusable.append((entry.line, entry.passed.reason, entry.passed.detail))


Watch = Callable[[int, "Exchange"], None]
"""Told of one request as a policy sends it, and of the policy's number: doing nothing is 0."""


@unique
class Replayed:
    """What came of one file."""

    capture: Capture
    lanes: tuple[Lane, ...]
    shared: Shared
    arms: tuple[Arm, ...]
    """Doing nothing first, then as they were planned."""
    checked: Checked
    n_without_time: int
    """Requests whose time is not recorded."""
    passed: Passing


def replay(anew: Callable[[], Capture], wanted: Wanted, *, watch: Watch | None = None) -> Replayed:
    """Replay what *anew* opens; it is read twice where there is recorded usage to fit a ruler to.

    *watch* is told of every request that a policy sends.

    Raises:
        InputError: the file cannot be read.
    """
    capture = anew()
    rulers: Mapping[str | None, Ruler] = {}
    if capture.known.usage and capture.known.tools and capture.known.system:
        rulers = survey(capture).rulers
        capture = anew()
    cache = changed(wanted.cache, assumed_ttl=ASSUMED_TTL) if capture.is_reconstructed else wanted.cache
    shared = Shared(wanted.prices or default_prices(), cache, rulers)
    threads = Threads()
    off = Planned(policy=named(OFF), rule=HeldRule.RESPECT, summariser=None)
    common = Common(threads=threads, meter=shared.meter, cache=cache)
    arms = tuple(_arm(capture, planned, shared, common, wanted) for planned in (off, *wanted.planned))
    check = SelfCheck(shared, is_reconstructed=capture.is_reconstructed)
    passed = Passing()
    n_without_time = 0
    for met in meet(capture, threads, passed=passed.entry):
        timed, moment = wanted.clock.timed(met), wanted.clock.moment(met)
        n_without_time += met.exchange.sent_s is None
        output = output_tokens(met.exchange, shared.ruler(met.exchange.request.model))
        check.turn(met)
        for i, arm in enumerate(arms):
            arm.turn(timed, moment, output)
            if watch is not None:
                watch(i, changed(met.exchange, request=arm.sent))
    for arm in arms:
        arm.finish()
    return Replayed(
        capture=capture,
        lanes=group(threads.threads, independent=capture.is_independent),
        shared=shared,
        arms=arms,
        checked=check.checked(),
        n_without_time=n_without_time,
        passed=passed,
    )


def _arm(capture: Capture, planned: Planned, shared: Shared, common: Common, wanted: Wanted) -> Arm:
    run = Run(
        capture,
        planned.policy,
        rule=planned.rule,
        summariser=planned.summariser,
        prices=shared.prices,
        # A mode may ask about a request when later ones are sent already.
        common=common if planned.mode is None else changed(common, holding=Holding()),
    )
    options = wanted.modes if planned.protect is None else changed(wanted.modes, protect=planned.protect)
    if planned.mode is Mode.OBSERVE:
        return ObserveArm(run, shared, inject=wanted.inject, options=options)
    if planned.mode is Mode.ASYNC:
        return AsyncArm(run, shared, inject=wanted.inject, options=options)
    if planned.mode is Mode.SYNC:
        return SyncArm(run, shared, inject=wanted.inject, mode=Mode.SYNC, options=options)
    return Arm(run, shared, inject=wanted.inject)
