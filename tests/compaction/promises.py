"""What `cg compact` promises of every policy, told of one file: the names of the promises that are broken."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from typing import TYPE_CHECKING

from cgcli.checks.base import Verdict
from cgcli.compaction.policy import names
from cgcli.providers.thinking import binds
from cgcli.stash.store import Stash
from tests import oracle
from tests.checks.gated import checked
from tests.running import compact, expand_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cgcli.compaction.policy import Policy
    from cgcli.summarisers.protocol import Summariser
    from tests.oracle import Json
    from tests.running import Compacted

GATES = ("G-SHAPE", "G-TOOL-PAIRS", "G-THINKING", "G-MARKERS")
ADDS_BYTES = frozenset({"cacheinject", "cachesplit"})
"""What they put in makes a request longer; it has no tokens."""
BY_BUDGET = frozenset({"ladder", "summarize", "codex-local", "pi-keep-recent"})
"""They act at a threshold of their own, whatever is held, and see another size where the output comes in again."""
REWRITING = BY_BUDGET | {"toolfilter"}
"""What was sent may read otherwise later: `toolfilter` gives a tool back once it was called."""


class Watch:
    """One file under one policy."""

    def __init__(
        self, source: Path, folder: Path, policy: Policy, *, held: str = "respect", summariser: Summariser | None = None
    ) -> None:
        """Compact *source* once."""
        self.source, self.folder, self.policy, self.held, self.summariser = source, folder, policy, held, summariser
        self.before = plain(source)
        self.done = self._compact(source, "out")
        self.after = self.done.output.read_bytes()
        self.steps = set(names(policy))

    def _compact(self, source: Path, name: str) -> Compacted:
        return compact(source, self.folder, self.policy, self.held, name=name, summariser=self.summariser)

    @property
    def fired(self) -> dict[str, int]:
        """How often each step changed something."""
        return dict(self.done.run.ledger.distinct.fired)

    def broken(self) -> list[str]:
        """Every promise that is broken, in words."""
        found = [*self._faults(), *self._grown(), *self._invalid(), *self._rewritten()]
        if self._compact(self.source, "again").output.read_bytes() != self.after:
            found.append("a second run gives other bytes")
        twice = self._compact(self.done.output, "twice")
        if not self.steps & BY_BUDGET and twice.output.read_bytes() != self.after:
            found.append("compacting the output changes more")
        # Tokens of the output, counted afresh.
        counted = [row.before_tokens for row in twice.run.ledger.rows]
        if counted != [row.after_tokens for row in self.done.run.ledger.rows]:
            found.append("the output has not as many tokens as the account says")
        if expand_all(self.done, self.folder / "back") != self.before:
            found.append("expand --all does not give the input back")
        return found

    def _faults(self) -> Iterator[str]:
        for (name, reason), n in self.done.run.ledger.distinct.reverted.items():
            if reason not in ("more_bytes", "grew"):
                yield f"{name}: {reason}, {n} times"

    def _grown(self) -> Iterator[str]:
        for i, row in enumerate(self.done.run.ledger.rows):
            if row.after_tokens > row.before_tokens:
                yield f"request {i} has {row.after_tokens - row.before_tokens} tokens more"
        if not self.steps & ADDS_BYTES:
            old, new = self.before.split(b"\n"), self.after.split(b"\n")
            if len(old) != len(new):  # a record over several lines lost some: the lines are not those of the input
                old, new = [self.before], [self.after]
            for i, (was, now) in enumerate(zip(old, new, strict=True)):
                if len(now) > len(was):
                    yield f"line {i} has {len(now) - len(was)} bytes more"

    def _invalid(self) -> Iterator[str]:
        stash = Stash.open(self.done.stash, create=False) if self.done.stash.exists() else None
        options = {"stash": stash} if stash is not None else {}
        # A marker of the input's own leads nowhere, here or there.
        was = {one.gate: one.verdict for one in checked(self.source, *GATES, options=options).results}
        for one in checked(self.done.output, *GATES, options=options).results:
            if was[one.gate] in (Verdict.PASS, Verdict.VACUOUS) and one.verdict is Verdict.FAIL:
                yield f"{one.gate}: {next(finding.message for finding in one.findings if not finding.is_note)}"

    def _rewritten(self) -> Iterator[str]:
        """Requests that break with the one before where the input does not, while the cache is warm."""
        rows = self.done.run.ledger.rows
        old = [body for _, body in oracle.bodies(self.before)]
        new = [body for _, body in oracle.bodies(self.after)]
        # `stale_at_depth` asks for it: a read that is out of date goes out of the held prefix.
        at_depth = any(getattr(component, "stale_at_depth", False) for component in self.policy.components)
        may_break = self.held != "respect" or self.steps & REWRITING or at_depth
        for lane in oracle.lanes_by_first_message(list(enumerate(old))):
            for i, k in pairwise(lane):
                if not oracle.is_append(old[i], old[k]):
                    continue
                if binds(old[k].get("model")) and _n_kept(new[i], new[k]) < _n_bound(new[i], new[k]):
                    yield f"request {k} changes what thinking is bound to"
                if rows[k].is_cold or oracle.is_append(new[i], new[k]):
                    continue
                if not may_break:
                    yield f"request {k} is no append to request {i}"
                if rows[k].output_break is None:
                    yield f"the account does not say that request {k} is no append to request {i}"


def _n_kept(earlier: Json, later: Json) -> int:
    """How many leading messages of Claude's are the same; -1 where tools or system prompt are not.

    Thinking is left out: it may be dropped from the start, which G-THINKING judges.
    """
    if not oracle.is_append({**earlier, "messages": []}, {**later, "messages": []}):
        return -1
    plain = [{**body, "messages": [*map(_without_thinking, body["messages"])]} for body in (earlier, later)]
    pairs = zip(*map(oracle.rendered_messages, plain), strict=False)
    return next((i for i, (one, other) in enumerate(pairs) if one != other), len(earlier["messages"]))


def _without_thinking(message: Json) -> Json:
    if isinstance(message["content"], str):
        return message
    return {**message, "content": [block for block in message["content"] if "thinking" not in str(block["type"])]}


def _n_bound(earlier: Json, later: Json) -> int:
    """How many leading messages of both may not change for the signed thinking that stands behind them in *later*."""
    signed = [
        i
        for i, message in enumerate(later["messages"])
        if isinstance(message["content"], list) and any("signature" in block for block in message["content"])
    ]
    return min(max(signed, default=-1), len(earlier["messages"]))


def plain(source: Path) -> bytes:
    """The bytes of a file, unpacked."""
    data = source.read_bytes()
    return gzip.decompress(data) if source.suffix == ".gz" else data


def written(bodies: list[Json]) -> bytes:
    """A capture of *bodies*, one a line."""
    return "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in bodies).encode()
