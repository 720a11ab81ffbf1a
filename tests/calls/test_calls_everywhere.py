"""Every call over generated captures of all dialects and over the public files: what must hold for each one built."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.calls.build import build, modes_for
from cgcli.calls.call import NATIVE, Asking, Call, CallMode, CallOptions, Parent, PrefixSource
from cgcli.calls.following import Followed, follow
from cgcli.checks.gates.fork_prefix import ForkPrefix
from cgcli.checks.gates.shape import Shape
from cgcli.checks.gates.tool_pairs import ToolPairs
from cgcli.checks.run import Allowed, check
from cgcli.errors import CgError
from cgcli.model import Refusal
from cgcli.prefix.keys import full_key, key_at
from cgcli.readers import open_bytes, read
from cgcli.readers.single import BodyParser
from cgcli.select.choosing import select
from cgcli.select.selection import Selection
from tests.captures import Dialect, capture
from tests.running import CORPUS, CORPUS_CAPTURES, NO_CORPUS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.checks.base import Gate
    from cgcli.model import Exchange, Request
    from cgcli.readers import Capture

SUMMARY = b'{"role":"user","content":"What was done so far."}'
BLOCKS = {
    "anthropic": b'{"type":"compaction","content":"What was done so far.","signature":"c2ln"}',
    "openai-responses": b'{"type":"compaction","encrypted_content":"b3BhcXVl"}',
}
MODELS = {"anthropic": b"claude-opus-4-8", "chat": b"gpt-4.1", "responses": b"gpt-5"}


class Built:
    """What was built over one file."""

    def __init__(self, capture: Capture) -> None:
        """Build every call for every request with an answer in its history, and what follows each."""
        self.n: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.forked: list[bytes] = []
        """Each parent and its fork, in turn."""
        self.bodies: list[bytes] = []
        """Each call and each following request."""
        self.parser = BodyParser()
        self.tools_recorded = capture.known.tools
        for entry in capture:
            messages = entry.exchange.request.messages if entry.exchange is not None else ()
            if entry.exchange is not None and any(item.role == "assistant" for item in messages):
                self._all(entry.exchange)

    def _all(self, exchange: Exchange) -> None:
        request = exchange.request
        parent = Parent(
            request=request,
            source=exchange.source,
            tools_recorded=self.tools_recorded,
            prefix_source=PrefixSource.MODULE_VIEW if exchange.source.reconstructed else PrefixSource.WIRE_RECORD,
        )
        found = select(request, [10] * len(request.messages))
        selection = Selection(start=0, stop=1, tokens=10, n_pinned=0) if isinstance(found, Refusal) else found
        asking = Asking(parent=parent, selection=selection, options=CallOptions())
        for mode in modes_for(request.dialect):
            made = build(mode, asking)
            if isinstance(made, Refusal):
                self.refused[f"{mode.value}: {made.reason}"] += 1
                continue
            self.n[mode.value] += 1
            self._one(request, made)
            if not isinstance(found, Refusal):
                self._follow(request, mode, selection)

    def _one(self, request: Request, made: Call) -> None:
        if made.mode is CallMode.FORK:
            fork = self.parser.parse(made.body)
            assert key_at(fork, len(fork.messages) - 1) == full_key(request)
            assert len(fork.messages) == len(request.messages) + 1
            self.forked += [bytes(request.raw), made.body]
        if made.mode is not CallMode.NATIVE_ENDPOINT:
            self.bodies.append(made.body)

    def _follow(self, request: Request, mode: CallMode, selection: Selection) -> None:
        new = BLOCKS[request.dialect] if mode in NATIVE else SUMMARY
        after = follow(mode, request, selection, new, CallOptions())
        if isinstance(after, Followed):
            self.n[f"after {mode.value}"] += 1
            self.bodies.append(after.body)
        else:
            self.refused[f"after {mode.value}: {after.reason}"] += 1


def judged(bodies: Iterable[bytes], *gates: Gate) -> list[tuple[str, int]]:
    """What the gates say of a file of *bodies*, as an array, in which a body may have line ends."""
    data = b"[" + b",".join(bodies) + b"]"
    results = check(read(io.BytesIO(data), file="t.json"), gates, Allowed(), {}).results
    assert [one.message for result in results for one in result.findings if not one.is_note] == []
    return [(result.verdict.value, result.checked) for result in results]


@settings(max_examples=40, deadline=None)
@given(
    dialect=st.sampled_from(["anthropic", "chat", "responses"]),
    turns=st.integers(1, 4),
    seed=st.integers(0, 999),
    parallel=st.integers(1, 3),
    thinking=st.booleans(),
    moving_marks=st.booleans(),
    tools_last=st.booleans(),
)
def test_calls_over_generated_captures(
    dialect: Dialect, turns: int, seed: int, parallel: int, *, thinking: bool, moving_marks: bool, tools_last: bool
) -> None:
    """Each request but a lane's first is forked, and every call and following request has a shape that is taken."""
    data = capture(
        dialect=dialect,
        turns=turns,
        seed=seed,
        parallel=parallel,
        thinking=thinking,
        moving_marks=moving_marks,
        tools_last=tools_last,
    ).replace(b"claude-sonnet-4-5-20250929", MODELS[dialect])
    built = Built(read(io.BytesIO(data), file="t.jsonl"))
    assert (built.n["fork"], built.n["standalone"], built.refused["fork: build_failed"]) == (turns, turns, 0)
    assert judged(built.forked, ForkPrefix()) == [("pass", turns)]
    verdicts = judged(built.bodies, Shape(), ToolPairs())
    assert verdicts[1][0] == "pass"
    assert verdicts[0][0] == ("vacuous" if dialect == "responses" else "pass")


@pytest.mark.parametrize(
    ("dialect", "n"),
    [
        (
            "anthropic",
            {
                "standalone": 6,
                "fork": 6,
                "native-threshold": 6,
                "native-on-demand": 6,
                "after standalone": 5,
                "after fork": 5,
                "after native-threshold": 5,
                "after native-on-demand": 5,
            },
        ),
        ("chat", {"standalone": 6, "fork": 6, "after standalone": 5, "after fork": 5}),
        (
            "responses",
            {
                "standalone": 6,
                "fork": 6,
                "native-threshold": 6,
                "native-on-demand": 6,
                "native-endpoint": 6,
                "after standalone": 5,
                "after fork": 5,
                "after native-threshold": 5,
                "after native-on-demand": 5,
                "after native-endpoint": 5,
            },
        ),
    ],
)
def test_the_number_built_over_one_capture(dialect: Dialect, n: dict[str, int]) -> None:
    """Seven requests, the first without an answer; on the second there is nothing to select yet."""
    data = capture(dialect=dialect, parallel=2).replace(b"claude-sonnet-4-5-20250929", MODELS[dialect])
    built = Built(read(io.BytesIO(data), file="t.jsonl"))
    assert (dict(built.n), dict(built.refused)) == (n, {})


def _of_corpus() -> list[Built]:
    found = []
    for path in CORPUS_CAPTURES:
        try:
            with open_bytes(str(path)) as stream:
                built = Built(read(stream, file=str(path)))
        except CgError:
            continue
        found.append(built)
    return found


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_calls_over_the_public_files() -> None:
    """27 requests with an answer, in 13 files: 24 are forked, each one exactly its parent and a message.

    The other three end on a system message, behind which Claude takes no user's message.
    """
    found = _of_corpus()
    n: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for built in found:
        n.update(built.n)
        refused.update(built.refused)
        if built.forked:
            assert judged(built.forked, ForkPrefix()) == [("pass", len(built.forked) // 2)]
    assert sum(bool(built.n) for built in found) == 13
    assert (n["fork"], n["standalone"], n["after fork"]) == (24, 27, 19)
    assert [n[mode.value] for mode in CallMode if mode in NATIVE] == [3, 3, 1]
    assert {name: count for name, count in refused.items() if name.startswith("fork")} == {"fork: system_misplaced": 3}


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_no_call_over_the_public_files_has_a_shape_that_is_refused() -> None:
    """Nor has any request that follows one, beyond what the file's own requests have already."""
    for built in _of_corpus():
        parents = [bytes(body) for body in built.forked[::2]]
        known = _faults(parents)
        assert _faults(built.bodies) - known == set()


def _faults(bodies: list[bytes]) -> set[tuple[str | None, str]]:
    """The kinds of faults in those bodies, each looked at on its own."""
    found = set()
    for body in bodies:
        run = check(read(io.BytesIO(b"[" + body + b"]"), file="t.json"), (Shape(), ToolPairs()), Allowed(), {})
        found |= {(one.kind, one.message) for result in run.results for one in result.findings if not one.is_note}
    return found


def test_a_fork_that_is_broken_is_seen() -> None:
    """The check itself: with another tool the same gate fails."""
    data = capture(turns=2)
    built = Built(read(io.BytesIO(data), file="t.jsonl"))
    broken = json.loads(built.forked[-1])
    broken["tools"][0]["description"] = "another"
    with pytest.raises(AssertionError):
        judged([*built.forked[:-1], json.dumps(broken).encode()], ForkPrefix())
