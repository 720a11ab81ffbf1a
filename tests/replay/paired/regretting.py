"""Conversations in all dialects, cuts made in them by hand, and what is regretted of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal

from cgcli.compaction.component import Loss
from cgcli.compaction.state import Decision, Fired, HeldRule
from cgcli.lanes import Threads
from cgcli.lanes.summary_call import asks_for_summary
from cgcli.model import Digest
from cgcli.readers import read
from cgcli.replay.paired.regret import Fragments, Regrets
from cgcli.replay.run import Common, Run
from tests.captures import HEADS, TOOLS, TURNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cgcli.compaction.policy import Policy
    from cgcli.compaction.splicing import Placed
    from cgcli.lanes import Placement
    from cgcli.model import Exchange
    from cgcli.replay.paired.regret import Regret
    from cgcli.summarisers.protocol import Summariser
    from tests.captures import Dialect

Json = dict[str, Any]
DIALECTS: tuple[Dialect, ...] = ("anthropic", "chat", "responses")
LOSING = frozenset({"mask", "summarize"})
SAVED_TOKENS = 1000


@dataclass(frozen=True)
class Turn:
    """What the assistant says and calls, and what the tool answers."""

    says: str
    command: str
    output: str


@dataclass(frozen=True)
class Cut:
    """From request *since* on *new* stands in the place of *old*."""

    since: int
    old: str
    """A string as it stands in the bodies, where it stands first."""
    new: str = "[gone]"
    component: str = "mask"
    until: int = 999
    saved_tokens: int = SAVED_TOKENS


@dataclass(frozen=True)
class Summed:
    """From request *since* on messages *start* to *stop* (exclusive) are *new*."""

    since: int
    start: int
    stop: int
    new: str
    component: str = "summarize"


def messages(dialect: Dialect, *turns: Turn, task: str = "Do the task.") -> list[Json]:
    """A history; the calls are numbered by their turn."""
    history: list[Json] = [{"role": "user", "content": task}]
    for i, one in enumerate(turns):
        history += TURNS[dialect](one.says, "", [(f"call_{i}", one.command, one.output)])
    return history


def body(dialect: Dialect, history: Sequence[Json], **fields: Any) -> Json:
    """A request with that history."""
    key = "input" if dialect == "responses" else "messages"
    return {**HEADS[dialect], "tools": [TOOLS[dialect]], **fields, key: list(history)}


def grown(dialect: Dialect, *turns: Turn, task: str = "Do the task.") -> list[Json]:
    """One request for the task, and one after each turn."""
    return [body(dialect, messages(dialect, *turns[:n], task=task)) for n in range(len(turns) + 1)]


def regrets(
    bodies: Iterable[Json], *cuts: Cut | Summed, losing: frozenset[str] = LOSING, fragments: Fragments | None = None
) -> list[Regret]:
    """What is regretted where these cuts are made in a file of these bodies; a token is a word."""
    made = {cut: _decision(cut) for cut in cuts}
    arm = Regrets(fragments or Fragments(), losing=losing, count=lambda text: len(text.split()))
    found: list[Regret] = []
    for placement, exchange in placed(bodies):
        found += arm.turn(placement, exchange, edits(exchange, made))
    return found


def placed(bodies: Iterable[Json]) -> Iterator[tuple[Placement, Exchange]]:
    """Each request of a file of these bodies, and its place."""
    data = "".join(json.dumps(one) + "\n" for one in bodies).encode()
    yield from placed_of(data)


def placed_of(data: bytes) -> Iterator[tuple[Placement, Exchange]]:
    """Each request of a file, and its place."""
    capture, threads = read(BytesIO(data), file="made.jsonl"), Threads()
    number = 0
    for entry in capture:
        if (exchange := entry.exchange) is not None:
            asks = asks_for_summary(exchange.request)
            yield threads.place(exchange, number, alone=capture.is_independent, is_summary_call=asks), exchange
            number += 1


def edits(exchange: Exchange, made: dict[Cut | Summed, Decision]) -> tuple[Placed, ...]:
    """The cuts that are due in a request, and stand in it."""
    request, line = exchange.request, exchange.source.line
    found = []
    for cut, decision in made.items():
        if isinstance(cut, Summed):
            if line >= cut.since:
                last = cut.stop - 1
                end = request.starts[last] + request.messages[last].size_bytes
                found.append((request.starts[cut.start], end, decision))
            continue
        literal = json.dumps(cut.old).encode()
        start = bytes(request.raw).find(literal)
        if start >= 0 and cut.since <= line < cut.until:
            found.append((start, start + len(literal), decision))
    return tuple(sorted(found, key=lambda edit: edit[0]))


def _decision(cut: Cut | Summed) -> Decision:
    literal = json.dumps({"role": "user", "content": cut.new} if isinstance(cut, Summed) else cut.new).encode()
    saved = SAVED_TOKENS if isinstance(cut, Summed) else cut.saved_tokens
    return decision(literal, cut.component, saved)


def decision(literal: bytes, component: str, saved_tokens: int = SAVED_TOKENS) -> Decision:
    """That *literal* is to stand somewhere."""
    return Decision(
        literal=literal,
        original=Digest(bytes(32)),
        replacement=Digest(sha256(literal).digest()),
        fired=(Fired(component=component, saved_tokens=saved_tokens),),
        saved_tokens=saved_tokens,
        is_reversible=True,
        style=None,
    )


@dataclass(frozen=True)
class Sent:
    """A request as it came, as it was sent, and what it shows to be regretted."""

    line: int
    came: bytes
    sent: bytes
    regrets: tuple[Regret, ...]


def by_policy(
    data: bytes,
    policy: Policy,
    *,
    rule: Literal["respect", "ignore"] = "ignore",
    summariser: Summariser | None = None,
    fragments: Fragments | None = None,
) -> list[Sent]:
    """A file through a policy."""
    threads = Threads()
    capture = read(BytesIO(data), file="made.jsonl")
    run = Run(capture, policy, rule=HeldRule(rule), summariser=summariser, common=Common(threads=threads))
    arm = Regrets(fragments or Fragments(), losing=losing(policy))
    found: list[Sent] = []
    for number, entry in enumerate(one for one in capture if one.exchange is not None):
        exchange = entry.exchange
        assert exchange is not None
        asks = asks_for_summary(exchange.request)
        placement = threads.place(exchange, number, alone=capture.is_independent, is_summary_call=asks)
        outcome = run.turn(exchange, placement)
        regretted = arm.turn(placement, exchange, outcome.edits)
        came = bytes(exchange.request.raw)
        found.append(Sent(exchange.source.line, came, _spliced(came, outcome.edits), regretted))
    return found


def losing(policy: Policy) -> frozenset[str]:
    """The steps of *policy* that take content out."""
    steps = [*policy.components, *policy.bodies, *((policy.span_step,) if policy.span_step is not None else ())]
    return frozenset(one.name for one in steps if one.loss is not Loss.NONE)


def _spliced(raw: bytes, placed_edits: Iterable[Placed]) -> bytes:
    out, at = b"", 0
    for start, stop, one in placed_edits:
        out += raw[at:start] + one.literal
        at = stop
    return out + raw[at:]


def strings(written: bytes) -> str:
    """Every string of a JSON text, those in strings that hold JSON too."""
    return "\n".join(_strings(json.loads(written)))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        try:
            inner = json.loads(value)
        except ValueError:
            return
        if isinstance(inner, dict | list):
            yield from _strings(inner)
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)
