"""G-BREAKPOINTS."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.checks.base import Verdict
from tests.checks.gated import BASH, Json, body, failures, fixture, forgotten, lines, notes, result

GATE = "G-BREAKPOINTS"
LONG = "".join(f"Berth {n} takes ships up to {90 + n} metres. " for n in range(1, 401))
"""About 16,000 characters: clearly above 1,024 tokens."""


def mark(ttl: str | None = None) -> Json:
    """A cache mark."""
    return {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}


def text(words: str, ttl: str | None = None, *, marked: bool = False) -> Json:
    """A text block, marked where it is said so or a lifetime is given."""
    return {"type": "text", "text": words, **({"cache_control": mark(ttl)} if marked or ttl else {})}


def says(role: str, *blocks: Json) -> Json:
    """A message."""
    return {"role": role, "content": list(blocks)}


def marked(*ttls: str | None, **fields: Any) -> Json:
    """A request of one message with a mark of each lifetime on a block of its own."""
    blocks = [text(f"{LONG} {n}", ttl, marked=True) for n, ttl in enumerate(ttls)]
    return body(says("user", *blocks), **fields)


def kinds(*bodies: Json) -> list[tuple[int, str | None, str | None]]:
    """(line, kind, path) of each failure."""
    return [(one.line, one.kind, one.path) for one in failures(result(lines(bodies), GATE))]


def test_the_failing_fixture() -> None:
    """38 positions from the entry to the mark; five marks; the 1h mark among them comes last."""
    data = fixture(GATE, "failing")
    got = result(data, GATE)
    assert (got.verdict, got.checked, got.unit) == (Verdict.FAIL, 3, "requests with marks")
    assert [(one.line, one.kind, one.path) for one in got.findings] == [
        (2, "look_back", "messages.25.content.0"),
        (3, "too_many_marks", "messages.0.content.4"),
        (3, "ttl_order", "messages.0.content.4"),
    ]
    assert got.findings[0].message == (
        "the last mark of the request before stands at position 3, the nearest mark behind it at 40: "
        "20 positions are looked at, 38 would be needed"
    )
    _, second, third = data.read_bytes().splitlines()
    fifth = third.index(b'{"type":"text","text":"note 4"')
    assert [one.byte for one in got.findings] == [second.index(b'{"type":"text","text":"Go on."'), fifth, fifth]


def test_the_passing_and_the_vacuous_fixture() -> None:
    """A mark in the middle of the fan-out mends it; without marks there is a note on the lane that grew."""
    passing, vacuous = (result(fixture(GATE, name), GATE) for name in ("passing", "vacuous"))
    assert (passing.verdict, passing.checked, passing.findings) == (Verdict.PASS, 2, ())
    assert (vacuous.verdict, vacuous.checked, vacuous.reason) == (Verdict.VACUOUS, 0, "no request sets a cache mark")
    assert [(one.line, one.kind, one.is_note) for one in vacuous.findings] == [(2, "no_marks", True)]


def test_four_marks_over_tools_system_and_messages() -> None:
    """One on a tool, one on the system prompt, two on messages are four; one more is refused."""
    tools = [{**BASH, "cache_control": mark()}]
    system = [text(LONG, marked=True)]
    assert kinds(marked(None, None, tools=tools, system=system)) == []
    assert kinds(marked(None, None, None, tools=tools, system=system)) == [
        (1, "too_many_marks", "messages.0.content.2")
    ]


def test_the_automatic_mark_takes_a_slot() -> None:
    """`cache_control` at the top is one of the four, unless the last block has the same mark; another is refused."""
    three = [*([None] * 3)]
    plain = says("user", text("and this"))
    four = marked(*three, None)
    assert kinds({**marked(*three), "cache_control": mark()}) == []
    assert kinds({**four, "cache_control": mark()}) == []
    assert kinds({**four, "messages": [*four["messages"], plain], "cache_control": mark()}) == [
        (1, "too_many_marks", "messages.1")
    ]
    assert kinds({**marked(None), "cache_control": mark("1h")}) == [(1, "automatic_ttl", "messages.0.content.0")]
    assert kinds({**body(plain), "system": [text(LONG, "5m")], "cache_control": mark("1h")}) == [
        (1, "ttl_order", "messages.0")
    ]


@pytest.mark.parametrize(
    ("ttls", "expected"),
    [
        (["1h", "5m"], []),
        (["1h", None], []),
        (["1h", "1h", "5m", "5m"], []),
        (["5m", "1h"], [(1, "ttl_order", "messages.0.content.1")]),
        ([None, "1h"], [(1, "ttl_order", "messages.0.content.1")]),
        (["2h"], [(1, "ttl_unknown", "messages.0.content.0")]),
    ],
)
def test_the_longest_lifetime_comes_first(ttls: list[str | None], expected: list[tuple[int, str, str]]) -> None:
    """A 1h mark behind a 5m one, which a mark without a lifetime is too, is refused; so is a lifetime of its own."""
    assert kinds(marked(*ttls)) == expected


def test_the_order_runs_from_tools_over_the_system_prompt_to_messages() -> None:
    """A 5m mark on a tool and a 1h one on the system prompt stand in the wrong order."""
    tools = [{**BASH, "cache_control": mark("5m")}]
    assert kinds(marked(tools=tools, system=[text(LONG, "1h")])) == [(1, "ttl_order", "system.0")]
    assert kinds(marked(tools=[{**BASH, "cache_control": mark("1h")}], system=[text(LONG, "5m")])) == []


@pytest.mark.parametrize(
    ("message", "path", "says_what"),
    [
        (
            says("assistant", {"type": "thinking", "thinking": "a", "signature": "s", "cache_control": mark()}),
            "messages.1.content.0",
            "a thinking block cannot be marked",
        ),
        (says("user", text("", marked=True)), "messages.1.content.0", "an empty text cannot be marked"),
        (
            {"role": "user", "content": "a", "cache_control": mark()},
            "messages.1",
            "a message cannot be marked, only its blocks",
        ),
    ],
)
def test_what_cannot_be_marked(message: Json, path: str, says_what: str) -> None:
    """Thinking, an empty text and a message as a whole take no mark."""
    found = failures(result(lines([body(says("user", text(LONG)), message)]), GATE))
    assert [(one.kind, one.path, one.message) for one in found] == [("unmarkable", path, says_what)]


def grown(n_blocks: int, *, as_calls: bool = False) -> list[Json]:
    """Two requests; the second adds so many blocks, as texts or as parallel calls, and marks only the last."""
    first = says("user", text(LONG, marked=True))
    again = says("user", text(LONG))
    if as_calls:
        calls = [{"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {}} for n in range(n_blocks)]
        results: list[Json] = [
            {"type": "tool_result", "tool_use_id": f"t{n}", "content": "ok"} for n in range(n_blocks)
        ]
        results[-1]["cache_control"] = mark()
        return [body(first), body(again, says("assistant", *calls), says("user", *results))]
    blocks = [text(f"block {n}") for n in range(n_blocks - 1)]
    return [body(first), body(again, says("assistant", *blocks), says("user", text("go on", marked=True)))]


@pytest.mark.parametrize(("n_blocks", "is_found"), [(1, True), (19, True), (20, False), (21, False)])
def test_twenty_positions_are_looked_at(n_blocks: int, is_found: bool) -> None:  # noqa: FBT001 - parametrised
    """The mark's own position counts as one: an entry 19 positions before it is found, one 20 before is not."""
    assert [kind for _, kind, _ in kinds(*grown(n_blocks))] == ([] if is_found else ["look_back"])


def test_a_run_of_calls_is_one_position_and_so_is_a_run_of_results() -> None:
    """21 parallel calls and their results are two positions; 21 texts are 21."""
    assert kinds(*grown(21, as_calls=True)) == []
    assert [kind for _, kind, _ in kinds(*grown(21))] == ["look_back"]


def test_a_providers_own_calls_are_no_run() -> None:
    """21 server calls in a row are 21 positions."""
    calls = [{"type": "server_tool_use", "id": f"s{n}", "name": "web_search", "input": {}} for n in range(21)]
    first, second = grown(2)
    second["messages"][1]["content"] = calls
    assert [kind for _, kind, _ in kinds(first, second)] == ["look_back"]


def test_a_mark_that_stays_is_found() -> None:
    """With the old mark left in place, the entry is found there, however much is added."""
    first, second = grown(30)
    second["messages"][0] = first["messages"][0]
    assert kinds(first, second) == []


def test_a_broken_prefix_is_not_told_a_second_time() -> None:
    """Where the request breaks with the one before, that is G-APPEND's."""
    first, second = grown(30)
    second["system"] = "You are another agent."
    assert kinds(first, second) == []


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_look_back_follows_arithmetic(appended: list[int]) -> None:
    """With one mark on the last block of each request, exactly the turns that add 20 blocks or more are named."""
    said = [says("user", text(LONG)), *(says("user", text(f"block {n}")) for n in range(sum(appended)))]
    bodies = []
    for n_turns in range(len(appended) + 1):
        n_blocks = 1 + sum(appended[:n_turns])
        newest = says("user", {**said[n_blocks - 1]["content"][0], "cache_control": mark()})
        bodies.append(body(*said[: n_blocks - 1], newest))
    assert [line for line, _, _ in kinds(*bodies)] == [i + 2 for i, n in enumerate(appended) if n >= 20]


def lane_of(words: str, model: str, n_requests: int = 2) -> list[Json]:
    """Requests that each mark their whole prefix of about *words*."""
    talk = [says("user", text(words))]
    bodies = []
    for n in range(n_requests):
        talk = [*talk, says("assistant", text(f"answer {n}")), says("user", text(f"question {n}"))]
        last = says("user", {**talk[-1]["content"][0], "cache_control": mark()})
        bodies.append(body(*talk[:-1], last, model=model))
    return bodies


@pytest.mark.parametrize(
    ("words", "model", "expected"),
    [
        ("short", "claude-sonnet-4-5", ["below_minimum"]),
        (LONG, "claude-sonnet-4-5", []),
        (LONG[:8000], "claude-opus-4-5", ["below_minimum"]),
        (LONG[:8000], "claude-opus-4-1", []),
        (LONG, "claude-opus-5", []),
    ],
)
def test_a_lane_below_the_minimum(words: str, model: str, expected: list[str]) -> None:
    """Marks of a lane that stays below the model's minimum write nothing; the minimum is the model's own."""
    assert [kind for _, kind, _ in kinds(*lane_of(words, model))] == expected


def test_a_lane_that_reaches_the_minimum_in_the_end_passes() -> None:
    """The first requests of a conversation may be small."""
    small = lane_of("short", "claude-sonnet-4-5")
    more = says("user", text(LONG, marked=True))
    assert kinds(*small, body(*small[-1]["messages"], says("assistant", text("so")), more)) == []


def test_single_small_requests_are_one_note() -> None:
    """What is sent once has nothing to read later: ten of them are one note."""
    singles = [body(says("user", text(f"word {n}", marked=True)), system=f"You are agent {n}.") for n in range(10)]
    got = result(lines(singles), GATE)
    assert (got.verdict, [(one.kind, one.is_note) for one in got.findings]) == (
        Verdict.PASS,
        [("below_minimum", True)],
    )
    assert got.findings[0].message.endswith("(and 9 more single requests)")


def test_a_model_without_a_known_minimum_is_a_note() -> None:
    """What a new model caches at least is said to be unknown, once."""
    got = result(lines(lane_of("short", "claude-opus-9")), GATE)
    assert [(one.kind, one.is_note) for one in got.findings] == [("minimum_unknown", True)]


def test_without_tools_and_system_it_is_unknown() -> None:
    """Marks in them would not be seen, so there is no pass; a failure stays one."""
    kept = forgotten(lines(lane_of(LONG, "claude-sonnet-4-5")), GATE, forgets=("tools", "system"))
    assert (kept.verdict, kept.reason) == (
        Verdict.UNKNOWN,
        "the file records no tools or no system prompt: a change in them would not be seen",
    )
    broken = forgotten(lines([marked("5m", "1h")]), GATE, forgets=("tools", "system"))
    assert broken.verdict is Verdict.FAIL


def test_the_same_fault_in_every_request_is_told_once() -> None:
    """Five marks in each of 30 requests of a lane are one finding."""
    first = marked(*[None] * 5)
    bodies = [body(*first["messages"], *[says("user", text(str(i))) for i in range(n)]) for n in range(30)]
    assert kinds(*bodies) == [(1, "too_many_marks", "messages.0.content.4")]


def openai(n_marks: int, ttl: str | None = None, **fields: Any) -> Json:
    """A Responses request with so many explicit breakpoints."""
    point = {"mode": "explicit", **({"ttl": ttl} if ttl else {})}
    parts = [{"type": "input_text", "text": f"{n}", "prompt_cache_breakpoint": point} for n in range(n_marks)]
    return {"model": "gpt-5.6-sol", "input": [{"role": "user", "content": parts}], **fields}


def test_openai_writes_the_last_few() -> None:
    """Three beside the implicit one, four in explicit mode; more are a note. A lifetime that does not exist fails."""
    explicit: Json = {"prompt_cache_options": {"mode": "explicit"}}
    for request, expected in ((openai(3), []), (openai(4), ["unwritten_marks"]), (openai(4, **explicit), [])):
        assert [one.kind for one in notes(result(lines([request]), GATE))] == expected
    assert kinds(openai(1, "30m"), openai(1, "12h")) == []
    assert kinds(openai(1, "5m")) == [(1, "ttl_unknown", "messages.0.content.0")]
