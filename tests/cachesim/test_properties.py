"""What holds for any conversation: nothing appears or vanishes, looking changes nothing, an append-only lane reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.model import Refusal
from tests.cachesim.caching import BOUNDLESS, SOL, Json, Sent, mark, message, request, simulator, text, told, words

if TYPE_CHECKING:
    from cgcli.cachesim.simulated import Simulated
    from cgcli.cachesim.simulator import Simulator

POINT: Json = {"prompt_cache_breakpoint": {"mode": "explicit"}}
Drawn = list[tuple[list[tuple[int, int]], set[int], float]]
"""Per request: (tokens, variant) of each block, the marked ones, seconds since the last request."""

_BLOCKS = st.lists(st.tuples(st.integers(1, 900), st.integers(0, 1)), min_size=1, max_size=30)
_MARKS = st.sets(st.integers(0, 29), max_size=4)


@st.composite
def conversations(draw: st.DrawFn) -> Drawn:
    """Requests that share beginnings of one another: growing, cut, edited."""
    blocks = draw(_BLOCKS)
    found: Drawn = []
    for _ in range(draw(st.integers(1, 6))):
        kept = blocks[: draw(st.integers(0, len(blocks)))]
        blocks = [*kept, *draw(_BLOCKS)]
        found.append((blocks, draw(_MARKS), draw(st.sampled_from([0.0, 1.0, 200.0, 400.0]))))
    return found


def _claude(blocks: list[tuple[int, int]], marks: set[int]) -> Json:
    """Two blocks a message."""
    made = [text(n, f"v{variant}", **(mark() if i in marks else {})) for i, (n, variant) in enumerate(blocks)]
    pairs = [made[i : i + 2] for i in range(0, len(made), 2)]
    roles = ("user", "assistant")
    return {
        "model": BOUNDLESS,
        "system": words(5),
        "messages": [message(roles[i % 2], *pair) for i, pair in enumerate(pairs)],
    }


def _openai(blocks: list[tuple[int, int]], marks: set[int]) -> Json:
    """One block a message."""
    roles = ("user", "assistant", "developer")
    messages = [
        {"role": roles[i % 3], "content": [text(n, f"v{variant}", **(POINT if i in marks else {}))]}
        for i, (n, variant) in enumerate(blocks)
    ]
    return {"model": SOL, "messages": messages}


def _run(cache: Simulator, drawn: Drawn) -> list[tuple[int, dict[int, int], int, str | None]]:
    """What each request of both families would do to what *cache* holds, without sending it."""
    made = [body(blocks, marks) for blocks, marks, _ in drawn for body in (_claude, _openai)]
    found = [cache.what_if(request(body), sent_s=10_000.0) for body in made]
    return [told(one) for one in found if not isinstance(one, Refusal)]


@given(conversations())
@settings(max_examples=60, deadline=None)
def test_read_written_and_fresh_are_the_input(drawn: Drawn) -> None:
    """Of each request, in both families; `Sent` asserts that looking before sending foresees it."""
    claude, openai, now_s = Sent(), Sent(), 0.0
    for blocks, marks, pause_s in drawn:
        now_s += pause_s
        size = sum(n for n, _ in blocks)
        for sent, body, overhead in (
            (claude, _claude(blocks, marks), 5 + 3 * ((len(blocks) + 1) // 2)),
            (openai, _openai(blocks, marks), 3 * len(blocks)),
        ):
            found = sent.send(body, now_s, readable_s=now_s + 2)
            assert found.input_tokens == size + overhead
            assert found.read_tokens >= 0
            assert found.fresh_tokens >= 0
            assert all(tokens > 0 for tokens in found.write_by_ttl_s.values())
            assert (found.read_from is None) == (found.read_tokens == 0)


@given(conversations(), conversations())
@settings(max_examples=25, deadline=None)
def test_a_branch_never_changes_its_parent(before: Drawn, after: Drawn) -> None:
    """Whatever is sent to the branch, the parent answers as it did."""
    parent = Sent(simulator())
    for i, (blocks, marks, _) in enumerate(before):
        parent.send(_claude(blocks, marks), float(i))
        parent.send(_openai(blocks, marks), float(i))
    first = _run(parent.simulator, [*before, *after])
    child = Sent(parent.simulator.branch())
    assert _run(child.simulator, [*before, *after]) == first
    for i, (blocks, marks, _) in enumerate(after):
        child.send(_claude(blocks, marks), 100.0 + i)
        child.send(_openai(blocks, marks), 100.0 + i)
    assert _run(parent.simulator, [*before, *after]) == first


@given(st.lists(st.lists(st.integers(1, 900), min_size=1, max_size=19), min_size=2, max_size=8))
@settings(max_examples=60, deadline=None)
def test_an_append_only_lane_reads_all_up_to_its_last_mark(grown: list[list[int]]) -> None:
    """One mark at the end of each request, at most 19 new blocks a turn: nothing is ever written twice."""
    sent, size = Sent(), 0
    messages: list[Json] = []
    before: Simulated | None = None
    for i, sizes in enumerate(grown):
        blocks = [text(n, f"t{i}") for n in sizes]
        size += sum(sizes) + 3
        marked = message("user", *blocks[:-1], {**blocks[-1], **mark()})
        found = sent.send({"model": BOUNDLESS, "messages": [*messages, marked]})
        read = before.input_tokens if before is not None else 0
        assert (found.read_tokens, found.fresh_tokens, found.input_tokens) == (read, 0, size)
        assert found.why == (None if i else "first_request")
        messages.append(message("user", *blocks))
        before = found
