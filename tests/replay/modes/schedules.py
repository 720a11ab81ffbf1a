"""Many lanes at once, at any pace: the files for pressure, and what must hold of them whatever becomes of the jobs."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from cgcli.replay.modes.async_arm import AsyncArm
from tests import oracle
from tests.replay.modes.driving import timed
from tests.replay.paired.lanes import conversation, growing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.replay.modes.counters import Counters
    from cgcli.replay.modes.deferring import Found
    from cgcli.replay.modes.options import ModeOptions
    from cgcli.replay.modes.tracker import Generation
    from cgcli.replay.paired.expand_tool import Inject
    from cgcli.replay.paired.shared import Shared
    from cgcli.replay.run import Run

Json = dict[str, Any]


def text(lane: int, turn: int) -> str:
    """An output of some 250 tokens that no other turn has; every fifth is a word, about which nothing can be asked."""
    if (lane + turn) % 5 == 0:
        return "ok"
    return "\n".join(f"{lane}/{turn}/{j} the boat lies at pier {(lane * 31 + turn * 7 + j) % 97}" for j in range(16))


def interleaved(n_lanes: int, n_turns: int, gaps_s: Sequence[float], *, repeats: bool = False) -> bytes:
    """The file of *n_lanes* conversations, request by request in turn, each *gaps_s* (over and over) after the last.

    With *repeats* neighbouring lanes have the same outputs, and ask the same.
    """
    lanes = []
    for lane in range(n_lanes):
        outputs = [text(lane // 2 if repeats else lane, turn) for turn in range(n_turns)]
        lanes.append(growing(conversation(n_turns, outputs, first=f"count the boats of harbour {lane}")))
    bodies = [body for together in zip(*lanes, strict=True) for body in together]
    sent_s, now_s = [], 0.0
    for i in range(len(bodies)):
        sent_s.append(now_s)
        now_s += gaps_s[i % len(gaps_s)]
    return timed(bodies, sent_s)


def bodies(content: bytes) -> list[Json]:
    """The requests of a file of these."""
    return [json.loads(line)["body"] for line in content.splitlines()]


class Watched(AsyncArm):
    """The engine's arm, with a note of every commit."""

    def __init__(self, run: Run, shared: Shared, *, inject: Inject, options: ModeOptions) -> None:
        """Nothing was committed yet."""
        super().__init__(run, shared, inject=inject, options=options)
        self.commits: list[tuple[Generation, bool]] = []
        """Each with whether its lane was on that generation."""

    def _finished(self, found: Found) -> None:
        n, is_current = self.counters.async_queue.committed, self._tracker.is_current(found.inline.generation)
        super()._finished(found)
        if self.counters.async_queue.committed > n:
            self.commits.append((found.inline.generation, is_current))


def broken(counters: Counters, n_requests: int) -> list[str]:
    """What does not add up in *counters*, in words."""
    queue = counters.async_queue
    ended = queue.processed + queue.stale_discarded + queue.errors
    facts = {
        "offered": queue.offered == queue.queued + queue.dropped + queue.deduplicated + queue.suppressed_barren,
        "queued": queue.queued == ended + queue.abandoned + queue.pending,
        "processed": queue.processed == queue.committed + queue.barren + queue.measured,
        "runs": counters.async_deferred_runs == ended,
        "turns": queue.offered + counters.async_tail_unprotected_turns == n_requests,
        "sent": counters.requests == counters.async_enforced == n_requests,
        "saved": counters.saved_tokens == counters.tokens_before - counters.tokens_after,
        "realised": 0 <= counters.async_realized_saved_tokens <= max(0, counters.saved_tokens),
        "landed": queue.committed > 0 or counters.async_realized_saved_tokens == 0,
        "over": queue.pending == 0,
    }
    return [name for name, holds in facts.items() if not holds] + queue.broken_laws()


def lost(before: Sequence[Json], sent: Sequence[Json]) -> list[str]:
    """Outputs that were sent otherwise than they came and whose marker is not that of the original."""
    found = []
    for i, (one, other) in enumerate(zip(before, sent, strict=True)):
        given, out = oracle.tool_outputs(one), oracle.tool_outputs(other)
        if [path for path, _ in given] != [path for path, _ in out]:
            found.append(f"request {i}: other outputs")
        found += [
            f"request {i}: {path}"
            for (path, original), (_, now) in zip(given, out, strict=True)
            if now != original and f"<<cg:{oracle.marker_key(original)}>>" not in now
        ]
    return found


def originals(before: Sequence[Json]) -> set[str]:
    """sha256 of every output of a file."""
    return {sha256(found.encode()).hexdigest() for body in before for _, found in oracle.tool_outputs(body)}
