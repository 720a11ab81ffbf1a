"""One policy in one mode over a small file, by the arm that a test names: the engine's, or a faulty variant."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from cgcli.cachesim.options import CacheOptions
from cgcli.lanes import Threads
from cgcli.lanes.meeting import meet
from cgcli.model import Basis, Refusal, changed, value
from cgcli.pricing.table import default_prices
from cgcli.readers import read
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.base import ModeArm
from cgcli.replay.modes.latency import Latency
from cgcli.replay.modes.observe_arm import ObserveArm
from cgcli.replay.modes.options import Mode, ModeOptions
from cgcli.replay.modes.sync_arm import SyncArm
from cgcli.replay.paired.clock import Clock
from cgcli.replay.paired.expand_tool import Inject
from cgcli.replay.paired.shared import Shared
from cgcli.replay.run import Common, Run
from cgcli.summarisers.protocol import Summary
from tests.replay.paired.lanes import SYSTEM, body, planned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.replay.modes.counters import Counters, Queue
    from cgcli.replay.paired.replay import Planned
    from cgcli.summarisers.protocol import Task

Json = dict[str, Any]
A = TypeVar("A", bound=ModeArm)

ON_SIZE: Json = {"fire_on": "size", "min_tokens": 100, "economic_gate": False, "allow_on_caching_backend": True}
"""`extract_llm` asks about every output of some size, whatever it costs."""
FAST = Latency(median_s=1.0)
"""Well below the gap of 20 s that the files of these tests have."""
SLOW = Latency(median_s=30.0)
"""Above it, and below two."""


def extracting(*before: str, rule: str = "respect", **params: Json) -> Planned:
    """`extract_llm` behind the steps *before*."""
    return planned("+".join((*before, "extract_llm")), rule, extract_llm=ON_SIZE, **params)


def options(latency: Latency = FAST, **more: Any) -> ModeOptions:
    """The defaults, with *latency* and *more*."""
    return changed(ModeOptions(), latency=latency, **more)


class Driven(Generic[A]):
    """An arm after its file."""

    def __init__(self, arm: A, sent: list[bytes]) -> None:
        """*sent* are the bodies, in order."""
        self.arm = arm
        self.sent = sent

    @property
    def counters(self) -> Counters:
        """What was counted."""
        return self.arm.counters

    @property
    def queue(self) -> Queue:
        """The jobs of async."""
        return self.arm.counters.async_queue

    @property
    def bodies(self) -> list[Json]:
        """What was sent, parsed."""
        return [json.loads(body) for body in self.sent]


@value
class Around:
    """What a drive goes by beside the policy."""

    inject: Inject = Inject.NEVER
    clock: Clock = Clock()
    cache: CacheOptions = CacheOptions()
    run: type[Run] = Run


PACED = Around(clock=Clock(gap_s=20))
"""A request every 20 s, whatever the file records."""


def drive(
    content: bytes,
    plan: Planned,
    make: Callable[..., A],
    told: ModeOptions | None = None,
    around: Around | None = None,
) -> Driven[A]:
    """Send the requests of *content* through the arm that *make* makes; the jobs of async are fast by default."""
    around = around if around is not None else Around()
    capture = read(BytesIO(content), file="test.jsonl")
    shared = Shared(default_prices(), around.cache, {})
    threads = Threads()
    run = around.run(
        capture,
        plan.policy,
        rule=plan.rule,
        summariser=plan.summariser,
        prices=shared.prices,
        common=Common(threads=threads, meter=shared.meter, cache=shared.cache),
    )
    arm = make(run, shared, inject=around.inject, options=told if told is not None else options())
    sent = []
    for met in meet(capture, threads):
        arm.turn(around.clock.timed(met), around.clock.moment(met), None)
        sent.append(bytes(arm.sent.raw))
    arm.finish()
    return Driven(arm, sent)


def sync(run: Run, shared: Shared, *, inject: Inject, options: ModeOptions) -> SyncArm:
    """The engine's arm of `sync`, made as the other two are."""
    return SyncArm(run, shared, inject=inject, mode=Mode.SYNC, options=options)


ARMS: dict[Mode, Callable[..., ModeArm]] = {Mode.SYNC: sync, Mode.OBSERVE: ObserveArm, Mode.ASYNC: AsyncArm}


class Saying:
    """Answers every question with the same few words, and counts the questions."""

    name: ClassVar[str] = "saying"

    def __init__(self, text: str = "pier 4 is free") -> None:
        """Nobody asked yet."""
        self.text = text
        self.n_asked = 0

    def summarise(self, task: Task) -> Summary:
        """The words."""
        del task
        self.n_asked += 1
        return Summary(text=self.text, basis=Basis.SIMULATED)


class Failing:
    """Has a fault, or refuses, at every question, and counts them."""

    name: ClassVar[str] = "failing"

    def __init__(self, what: Refusal | Exception) -> None:
        """With this."""
        self.what = what
        self.n_asked = 0

    def summarise(self, task: Task) -> Refusal:
        """Never an answer."""
        del task
        self.n_asked += 1
        if isinstance(self.what, Exception):
            raise self.what
        return self.what


def asking(plan: Planned, who: Any) -> Planned:
    """The same *plan*, its calls answered by *who*."""
    return changed(plan, summariser=who)


def marked(body: Json) -> list[int]:
    """The messages of *body* that a breakpoint stands in."""
    found = []
    for i, message in enumerate(body["messages"]):
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        inner = [sub for block in blocks for sub in (block.get("content") or ()) if isinstance(sub, dict)]
        found += [i for block in (*blocks, *inner) if "cache_control" in block]
    return found


def tail_marked(messages: list[Json]) -> Json:
    """A request whose caller marks the last block and nothing else, as agents do that set their own breakpoint."""
    made = body(messages)
    made["system"] = [{"type": "text", "text": SYSTEM}]
    return made


def unmarked(messages: list[Json], **more: Any) -> Json:
    """A request without any mark."""
    made = tail_marked(messages)
    made["messages"] = messages
    return {**made, **more}


def timed(bodies: Sequence[Json], sent_s: Sequence[float]) -> bytes:
    """The file in which each of *bodies* was sent at its second, and answered five later."""
    out = []
    for i, (one, at_s) in enumerate(zip(bodies, sent_s, strict=True)):
        told = {"cg": "requests/1", "from": "test", "line": i + 1, "sent_s": 1_000_000 + at_s}
        out.append(json.dumps({**told, "answered_s": 1_000_005 + at_s, "body": one}).encode() + b"\n")
    return b"".join(out)


def read_tokens(driven: Driven[A]) -> list[int]:
    """Per request, what the simulated provider reads of it from its cache."""
    return [turn.simulated.read_tokens for turn in driven.arm.turns if not isinstance(turn.simulated, Refusal)]


def written_tokens(driven: Driven[A]) -> list[int]:
    """Per request, what it writes."""
    return [turn.simulated.written_tokens for turn in driven.arm.turns if not isinstance(turn.simulated, Refusal)]
