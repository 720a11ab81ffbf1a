"""`codex-local` and `pi-keep-recent`: which messages give way, when, and what stands in their place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.calls.call import CallMode
from cgcli.compaction.component import MarkerMode
from cgcli.compaction.components.dedup import Dedup
from cgcli.compaction.state import HeldRule
from cgcli.compaction.summaries.codex_local import CodexLocal
from cgcli.compaction.summaries.pi_keep_recent import PiKeepRecent
from cgcli.compaction.summaries.state import Applied, SummaryState, What
from cgcli.errors import UsageError
from cgcli.model import Basis, Refusal
from cgcli.summarisers.protocol import Summary
from tests import oracle
from tests.compaction.stepping import Drop
from tests.compaction.summaries.lane import HEADER, Lane, counted, history, of, said
from tests.lanes.placing import Json, turn, user

if TYPE_CHECKING:
    from cgcli.compaction.summaries.span_step import SpanStep

BUDGET = 3000
CODEX = CodexLocal(budget_tokens=BUDGET, user_tokens=40)
PI = PiKeepRecent(budget_tokens=BUDGET, keep_recent_tokens=700)
BOTH = pytest.mark.parametrize("step", [CODEX, PI], ids=lambda step: step.name)
RULES = "# AGENTS.md instructions for /src\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"


def _block(text: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _written(messages: list[Json]) -> str:
    """The bytes that they have in a body of `json.dumps`, without the brackets."""
    return json.dumps(messages)[1:-1]


def _summary(covered: list[Json], text: str = "Short.") -> Json:
    key = oracle.marker_key(_written(covered))
    return _block(f"{HEADER}\n{text}\n<<cg:{key}>> [full earlier trajectory: call context_guru_expand]")


def _talk(*parts: str | int) -> Json:
    """The request after what the user said (a text), and turns of the agent (a number)."""
    messages = [one for part in parts for one in ([user(part)] if isinstance(part, str) else turn(part, said(part)))]
    return {**of(), "messages": messages}


def _n_summaries(sent: Json) -> int:
    return sum(HEADER in json.dumps(message) for message in sent["messages"])


def _asked(lane: Lane) -> list[tuple[int | None, int | None]]:
    return [(event.start, event.stop) for event in lane.events if event.what is What.ASKED]


def test_codex_compacts_at_nine_tenths_of_its_budget() -> None:
    """The first request of 2,700 characters asks and is sent as it came; the next one has the summary."""
    lane = Lane(span_step=CODEX)
    sent = lane.grow(9)
    sizes = [counted(history(n)) for n in range(9)]
    asking = next(n for n, size in enumerate(sizes) if size >= 2700)
    assert lane.turns == [*[[]] * asking, ["asked"], ["answered", "applied"], *[[]] * (8 - asking)]
    assert sent[: asking + 1] == [history(n) for n in range(asking + 1)]
    assert _asked(lane) == [(0, 2 * asking + 1)]


def test_pi_compacts_above_its_budget() -> None:
    """A request that has just as much asks nothing; one character more does."""
    size = counted(history(5))
    for budget, told in ((size, []), (size - 1, ["asked"])):
        lane = Lane(span_step=PiKeepRecent(budget_tokens=budget, keep_recent_tokens=700))
        lane.send(history(5))
        assert lane.told == told


@pytest.mark.parametrize(
    ("step", "model", "asks_from"),
    [
        (CodexLocal(), "claude-sonnet-4-5", 180_000),
        (CodexLocal(), "nobody-knows", 180_000),
        (CodexLocal(budget_tokens=100_000), "claude-sonnet-4-5", 90_000),
        (CodexLocal(budget_tokens=900_000), "claude-sonnet-4-5", 180_000),
        (CodexLocal(budget_tokens=900_000), "nobody-knows", 810_000),
        (CodexLocal(apply_at=0.5), "claude-sonnet-4-5", 100_000),
        (PiKeepRecent(), "claude-sonnet-4-5", 183_617),
        (PiKeepRecent(reserve_tokens=0), "claude-sonnet-4-5", 200_001),
        (PiKeepRecent(reserve_tokens=300_000), "claude-sonnet-4-5", 2),
        (PiKeepRecent(budget_tokens=50_000), "claude-sonnet-4-5", 50_001),
    ],
)
def test_the_limits_of_the_peers(step: SpanStep, model: str, asks_from: int) -> None:
    """Codex: 90 % of the window, which a setting only lowers. Pi: above the window less its reserve."""
    when = step.when(model)
    assert (when.ask_tokens, when.apply_tokens) == (asks_from, 0)


def test_codex_leaves_context_user_messages_and_a_summary() -> None:
    """The head as it came; the newest 40 characters of the user's, the oldest of them cut; then the summary."""
    lane = Lane(span_step=CODEX)
    words = ["Build the parser of the whole thing now.", "Use no library.", "Faster."]
    first = _talk(RULES, words[0], 1, 2, 3, words[1], 4, 5, 6, words[2], 7)
    assert counted(first) >= 2700
    second = {**first, "messages": [*first["messages"], *turn(8, said(8))]}
    assert lane.send(first) == first
    sent = lane.send(second)
    covered = first["messages"][1:]
    mark = f"<<cg:{oracle.marker_key(_written(covered))}>>"
    assert sent["messages"] == [
        user(RULES),
        _block(f"Build the…22 tokens truncated {mark}…hing now."),
        _block("Use no library."),
        _block("Faster."),
        _summary(covered),
        *turn(8, said(8)),
    ]


def test_a_users_words_beside_an_output_stay_without_it() -> None:
    """The result goes with its call, so that none is orphaned."""
    lane = Lane(span_step=CODEX)
    first = history(7)
    first["messages"][-1]["content"].append({"type": "text", "text": "And hurry."})
    lane.send(first)
    sent = lane.send({**first, "messages": [*first["messages"], *turn(8, said(8))]})
    assert sent["messages"][:2] == [_block("go"), _block("And hurry.")]
    assert oracle.check_tool_pairs(sent) == []


def test_pi_leaves_a_summary_and_the_newest_groups() -> None:
    """Nothing of the head stays, the task neither; the group whose result reaches 700 goes, what is newer stays."""
    lane = Lane(span_step=PI)
    lane.grow(8)
    came = history(9)
    sent = lane.send(came)
    (span,) = _asked(lane)
    assert span == (0, 15)
    assert sent["messages"] == [_summary(history(8)["messages"][:15]), *came["messages"][15:]]
    empty = counted({**of(), "messages": []})
    reached, kept = (counted({**of(), "messages": history(8)["messages"][start:]}) - empty for start in (14, 15))
    assert reached >= 700 > kept


def test_pi_keeps_the_newest_group_however_large() -> None:
    """A group is not cut, though it alone has more than is to be kept."""
    lane = Lane(span_step=PI)
    lane.send(of(*(said(n) for n in range(4)), "y" * 2000))
    assert _asked(lane) == [(0, 9)]


def test_pi_has_nothing_to_summarise_below_what_it_keeps() -> None:
    """One group above the budget: refused, and not asked about on every turn."""
    lane = Lane(span_step=PI)
    for n in range(6):
        lane.send({**of("y" * 3000), "messages": [*turn(1, "y" * (3000 + n))]}, shared=0)
    assert lane.told == ["refused nothing_to_select"]


@BOTH
def test_a_new_summary_takes_the_place_of_the_last_one(step: SpanStep) -> None:
    """It covers the input from the same message on, and its call has the earlier summary in it."""
    lane = Lane(span_step=step)
    sent = lane.grow(24)
    spans = _asked(lane)
    assert len(spans) >= 2
    assert {start for start, _ in spans} == {0}
    assert {_n_summaries(one) for one in sent} == {0, 1}
    for task, (_, stop) in zip(lane.tasks[1:], spans[1:], strict=True):
        told = json.loads(bytes(task.request.raw))["messages"][task.selection.start : task.selection.stop]
        assert HEADER in json.dumps(told[:2])
        assert stop is not None
        assert told[-1] == history(24)["messages"][stop - 1]
    applied = [event for event in lane.events if event.what is What.APPLIED]
    last = applied[-1]
    assert last.stop is not None
    assert _summary(history(24)["messages"][: last.stop]) in sent[-1]["messages"]


def test_codex_goes_back_to_the_users_messages_as_they_came() -> None:
    """A later swap cuts what the user said, not what an earlier one left of it; newer words take older ones' room."""
    lane = Lane(span_step=CODEX)
    long = "abcdefghijklmnopqrstuvwxyz" * 3
    first = _talk(long, *range(1, 8))
    lane.send(first)
    parts = [long, *range(1, 16), "Twenty characters ..", 16]
    lane.send(_talk(*parts[:9]))
    lane.send(_talk(*parts))
    sent = lane.send(_talk(*parts, 17))
    covered = _talk(*parts)["messages"]
    mark = f"<<cg:{oracle.marker_key(_written(covered))}>>"
    assert lane.told == ["asked", "answered", "applied", "asked", "answered", "applied"]
    assert sent["messages"][:3] == [
        _block(f"abcdefghij…58 tokens truncated {mark}…qrstuvwxyz"),
        _block("Twenty characters .."),
        _summary(covered),
    ]


def test_codex_leaves_the_oldest_out_of_a_call_that_would_not_fit() -> None:
    """Whole groups, until the rest fits beside an answer; what is left out gives way all the same."""
    lane = Lane(span_step=CodexLocal())
    first = of(*["x" * 50_000] * 5)
    lane.send(first)
    (event,) = lane.events
    assert (event.start, event.stop, event.n_left_out) == (0, 11, 5)
    assert (lane.tasks[0].selection.start, lane.tasks[0].selection.stop) == (5, 11)
    assert lane.tasks[0].call.body.count(b"[tool_result for") == 3
    sent = lane.send({**first, "messages": [*first["messages"], *turn(8)]})
    assert sent["messages"] == [_block("go"), _summary(first["messages"]), *turn(8)]


@BOTH
def test_a_request_that_stays_at_its_limit_is_told_once(step: SpanStep) -> None:
    """Too much stands outside the history: the swap is made, said to be no help, and not repeated on every turn."""
    lane = Lane(span_step=step)
    tools = [{"name": "Bash", "description": "x" * 3000, "input_schema": {"type": "object"}}]
    for n in range(60):
        lane.send(of(*(said(k)[:50] for k in range(n)), tools=tools))
    swaps = [i for i, told in enumerate(lane.turns) if "applied" in told]
    assert len(swaps) >= 2
    assert lane.told.count("still_above still_above") == 1
    (event,) = [event for event in lane.events if event.what is What.STILL_ABOVE]
    assert event.warning == f"{step.name}: {event.detail}, and its threshold is {step.when(None).ask_tokens:,}"
    sizes = [outcome.after_tokens for outcome in lane.outcomes]
    asking = [i for i, told in enumerate(lane.turns) if "asked" in told]
    for swap in swaps[:-1]:
        again = next(i for i in asking if i > swap)
        assert sizes[again] >= sizes[swap] + 150 > sizes[again - 1]


@BOTH
def test_between_swaps_a_lane_is_append_only(step: SpanStep) -> None:
    """Up to the last message's end each request begins with the bytes of the one before."""
    lane = Lane(span_step=step)
    lane.grow(24)
    for i, told in enumerate(lane.turns[1:], 1):
        before = lane.sent[i - 1]
        assert lane.sent[i].startswith(before[: before.rindex(b"]}")]) is ("applied" not in told)
    rewritten = [outcome.rewritten_from for outcome in lane.outcomes]
    assert [one for one in rewritten if one is not None] == [0] * lane.told.count("applied")


@BOTH
def test_the_tokens_saved_are_those_of_the_bytes(step: SpanStep) -> None:
    """On every turn: what came in less what goes out, beside other components, and the step is credited by its name."""
    lane = Lane(Drop(), Dedup(min_tokens=50), rule=HeldRule.IGNORE, span_step=step)
    outputs = [f"{n}: short" if n % 3 else said(n % 7) for n in range(120)]
    for n in range(0, 121, 3):
        record = of(*outputs[:n])
        sent = lane.send(record)
        assert lane.outcomes[-1].after_tokens == counted(sent)
        assert sum(lane.state.saved.values()) == counted(record) - counted(sent)
        assert oracle.check_tool_pairs(sent) == []
    assert lane.told.count("applied") >= 2
    assert lane.state.saved[step.name] > 0


@BOTH
def test_one_call_is_in_flight_and_an_edit_inside_its_span_drops_it(step: SpanStep) -> None:
    """However long the answer takes; an edited history asks anew."""
    lane = Lane(span_step=step, answer=None)
    lane.grow(14)
    assert lane.told == ["asked"]
    lane.send(of(said(0, "y"), *(said(n) for n in range(1, 12))), shared=1)
    assert lane.told == ["asked", "dropped lane_edited", "asked"]


@BOTH
def test_a_refused_answer_leaves_the_requests_as_they_are(step: SpanStep) -> None:
    """And a summary that would not be smaller, with all that stands beside it, is refused."""
    for answer in (Refusal(reason="timeout", detail="late"), Summary(text="x" * 5000, basis=Basis.SIMULATED)):
        lane = Lane(span_step=step, answer=answer)
        lane.grow(9)
        assert lane.sent == [json.dumps(history(n)).encode() for n in range(10)]
        assert any(told.startswith("refused ") for told in lane.told)


@BOTH
def test_a_fork_is_the_request_and_one_message(step: SpanStep) -> None:
    """The peers ask without the tools; with `fork` their spans are asked about as any other."""
    given: dict[str, Any] = {"call": "fork", "budget_tokens": BUDGET}
    made = CodexLocal(**given, user_tokens=40) if step is CODEX else PiKeepRecent(**given, keep_recent_tokens=700)
    lane = Lane(span_step=made)
    lane.grow(20)
    assert len(lane.tasks) >= 2
    for task in lane.tasks:
        assert task.call.mode is CallMode.FORK
        assert any(task.call.body.startswith(one[: one.rindex(b"]}")]) for one in lane.sent)


@BOTH
def test_thinking_that_binds_is_seen_before_any_call(step: SpanStep) -> None:
    """What will be answered stands behind the summary, and is signed over what the summary replaces."""

    def thinking(n_turns: int, model: str) -> Json:
        record = history(n_turns, model=model)
        for message in record["messages"]:
            if message["role"] == "assistant":
                message["content"].insert(0, {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
        return record

    bound, free = Lane(span_step=step), Lane(span_step=step)
    for n in range(12):
        bound.send(thinking(n, "claude-opus-5-5"))
        free.send(thinking(n, "claude-opus-4-8"))
    assert set(bound.told) == {"refused thinking_bound"}
    assert bound.tasks == []
    assert "applied" in free.told


@BOTH
def test_what_the_provider_compacted_stays(step: SpanStep) -> None:
    """Its block stands first, and only it knows what is in it: the span begins behind it."""
    lane = Lane(span_step=step)
    block = {"type": "compaction", "content": "What was done.", "signature": "c2lnbmVk"}
    records = [history(n) for n in range(7, 10)]
    for record in records:
        record["messages"][:1] = [{"role": "assistant", "content": [block]}]
    *_, sent = [lane.send(record) for record in records]
    assert {start for start, _ in _asked(lane)} == {1}
    assert sent["messages"][0]["content"] == [block]
    assert "applied" in lane.told


@BOTH
def test_a_history_that_is_a_string_is_left_alone(step: SpanStep) -> None:
    """There is one message, which no list holds."""
    lane = Lane(span_step=step)
    record = {"model": "gpt-5.6-sol", "instructions": "Be brief.", "input": "x" * 5000}
    assert lane.send(record) == record
    assert lane.told == ["refused nothing_to_select"]


@pytest.mark.parametrize(("mode", "end"), [(MarkerMode.SUMMARY, "\n\u27eacg\u27eb"), (MarkerMode.OFF, "")])
def test_without_a_marker_nothing_points_back(mode: MarkerMode, end: str) -> None:
    """Neither under the summary nor in a message that was cut; and it is said to be irreversible."""
    lane = Lane(span_step=CodexLocal(budget_tokens=BUDGET, user_tokens=10, marker_mode=mode))
    lane.send(_talk("Build the whole thing.", *range(1, 8)))
    sent = lane.send(_talk("Build the whole thing.", *range(1, 9)))
    assert sent["messages"][:2] == [_block("Build…12 tokens truncated…hing."), _block(f"{HEADER}\nShort.{end}")]
    assert [event.is_reversible for event in lane.events if event.what is What.APPLIED] == [False]


def test_indices_know_how_many_messages_stand_in_a_place() -> None:
    """Messages 2 to 9 became three, 12 to 14 one: both ways, and a place inside what stands there is none."""
    decision: Any = None
    state = SummaryState(
        applied=(
            Applied(start=2, stop=10, decision=decision, tokens=1, n_messages=3),
            Applied(start=12, stop=15, decision=decision, tokens=1),
        )
    )
    assert [state.sent_index(i) for i in (0, 1, 10, 11, 15, 16)] == [0, 1, 5, 6, 8, 9]
    assert [state.input_index(i) for i in (0, 1, 2, 5, 6, 7, 8, 9)] == [0, 1, 2, 10, 11, 12, 15, 16]
    for i in (3, 4):
        with pytest.raises(ValueError, match=f"message {i} stands inside a summary"):
            state.input_index(i)


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (CodexLocal, {"call": "forc"}, "no call mode 'forc'"),
        (CodexLocal, {"call": 5}, "codex-local: call is 5, but must be a text"),
        (
            CodexLocal,
            {"call": "native"},
            "codex-local: call is 'native', but must be one of standalone, fork, auto",
        ),
        (CodexLocal, {"apply_at": 0}, "codex-local: apply_at is 0, but must be above 0 and at most 1"),
        (CodexLocal, {"apply_at": 1.5}, "codex-local: apply_at is 1.5, but must be a number from 0 to 1"),
        (CodexLocal, {"budget_tokens": 0}, "codex-local: budget_tokens is 0, but must be 1 or more"),
        (CodexLocal, {"user_tokens": -1}, "codex-local: user_tokens is -1, but must be a whole number, 0 or more"),
        (CodexLocal, {"model": ""}, "codex-local: model is '', but must be a text"),
        (
            PiKeepRecent,
            {"call": "native-on-demand"},
            "pi-keep-recent: call is 'native-on-demand', but must be one of standalone, fork, auto",
        ),
        (
            PiKeepRecent,
            {"reserve_tokens": "some"},
            "pi-keep-recent: reserve_tokens is 'some', but must be a whole number, 0 or more",
        ),
        (
            PiKeepRecent,
            {"budget_tokens": 8000},
            "pi-keep-recent: keep_recent_tokens (20000) is not below budget_tokens (8000)",
        ),
        (PiKeepRecent, {"budget_tokens": 0}, "pi-keep-recent: budget_tokens is 0, but must be 1 or more"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(kind: type[SpanStep], parameters: Json, message: str) -> None:
    """With the parameter's name and what is allowed."""
    with pytest.raises(UsageError) as error:
        kind(**parameters)
    assert error.value.message == message
