"""Every way to ask for a summary: what is called, what is sent, and what is refused with its reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.calls.call import CallMode
from cgcli.compaction.component import MarkerMode
from cgcli.compaction.summaries.settings import Summarize
from cgcli.compaction.summaries.state import What
from cgcli.errors import UsageError
from cgcli.model import Basis
from cgcli.pricing.table import default_prices
from cgcli.summarisers.protocol import Summary
from tests.compaction.stepping import Drop
from tests.compaction.summaries.lane import BUDGET, HEADER, Lane, counted, history, of, said
from tests.lanes.placing import turn, user

if TYPE_CHECKING:
    from tests.lanes.placing import Json

NATIVE_MODEL = "claude-opus-4-8"
FACTOR = 1.6
"""Of that model: its tokens for one counted."""
BLOCK = b'{"type":"compaction","content":"What was done.","signature":"c2lnbmVk"}'


def _native(**settings: Any) -> Lane:
    """A lane of a model with compaction of its own, its budget in that model's tokens, answered by the provider."""
    answer = Summary(text="What was done.", basis=Basis.MEASURED, block=BLOCK)
    return Lane(**{"answer": answer, "budget_tokens": round(BUDGET * FACTOR), **settings})


def _grow(lane: Lane, n_turns: int, **fields: Any) -> list[Json]:
    return [lane.send(history(n, **{"model": NATIVE_MODEL, **fields})) for n in range(n_turns + 1)]


@pytest.mark.parametrize("name", ["standalone", "inline"])
def test_standalone_asks_with_a_request_of_its_own(name: str) -> None:
    """Two prompts and nothing of the parent's head; `inline` is the same."""
    lane = Lane(call=name)
    lane.grow(8)
    assert lane.told[:3] == ["asked", "answered", "applied"]
    call = lane.tasks[0].call
    assert (call.mode, call.n_prefix_messages) == (CallMode.STANDALONE, 0)
    asked = json.loads(call.body)
    assert "tools" not in asked
    assert len(asked["messages"]) == 1
    (event, *_) = [event for event in lane.events if event.what is What.ASKED]
    assert event.stats is not None
    assert (event.stats.mode_requested, event.stats.mode_used, event.stats.reason) == ("standalone", "standalone", None)


def test_a_fork_says_so_in_its_stats() -> None:
    """All fields of the last call: nothing fell back, nothing was declined."""
    lane = Lane(call="fork")
    lane.grow(8)
    (event, *_) = [event for event in lane.events if event.what is What.ASKED]
    stats = event.stats
    assert stats is not None
    assert (stats.mode_requested, stats.mode_used, stats.reason, stats.prefix_source) == (
        "fork",
        "fork",
        None,
        "wire_record",
    )
    assert stats.prefix_messages == len(json.loads(lane.tasks[0].call.body)["messages"]) - 1
    assert (stats.fork_fallbacks, stats.fork_declines, stats.prefix_views_since_send) == (0, 0, 0)


@pytest.mark.parametrize(
    ("facts", "fields", "reason"),
    [
        ({"tools_recorded": False}, {}, "tools_not_recorded"),
        ({}, {"tool_choice": {"type": "any"}}, "forced_tool_choice"),
    ],
)
def test_a_fork_that_cannot_be_is_standalone(facts: Json, fields: Json, reason: str) -> None:
    """Counted for every call, warned of once a lane, and the summary is made all the same."""
    lane = Lane(call="fork")
    lane.facts = facts
    for n in range(20):
        lane.send(history(n, **fields))
    asked = [event for event in lane.events if event.what is What.ASKED]
    assert len(asked) >= 2
    assert {event.mode for event in asked} == {CallMode.STANDALONE}
    assert [event.stats.fork_fallbacks for event in asked if event.stats is not None] == [*range(1, len(asked) + 1)]
    assert {event.stats.reason for event in asked if event.stats is not None} == {reason}
    assert [event.warning is not None for event in asked] == [True, *[False] * (len(asked) - 1)]
    assert "applied" in lane.told


def test_another_model_for_summaries_makes_no_fork() -> None:
    """It shares no cache with the lane's."""
    lane = Lane(call="fork", model="claude-haiku-4-5")
    lane.grow(6)
    (event, *_) = [event for event in lane.events if event.what is What.ASKED]
    assert event.stats is not None
    assert event.stats.reason == "other_model"
    assert json.loads(lane.tasks[0].call.body)["model"] == "claude-haiku-4-5"


def test_a_fork_must_fit_into_the_window_whatever_the_budget() -> None:
    """200,000 tokens with the reserve of 8,000: a budget above it does not make the window larger."""
    lane = Lane(call="fork", budget_tokens=1_000_000)
    lane.send(of("x" * 600_000))
    assert lane.told == ["refused nothing_to_select"]
    lane = Lane(call="fork", budget_tokens=1_000_000, keep_last=1)
    lane.send(of(*["x" * 100_000] * 7))
    (event,) = lane.events
    assert event.stats is not None
    assert (event.stats.mode_used, event.stats.reason) == ("standalone", "window")


@pytest.mark.parametrize(
    ("ratio", "mode", "declines"),
    [(None, "fork", 0), (0.9, "standalone", 1), (0, "fork", 0)],
)
def test_auto_forks_where_it_pays(ratio: float | None, mode: str, declines: int) -> None:
    """By the settings, else from 0.22 on, for no price is known; a decline is no fallback. The span is about half."""
    lane = Lane(call="auto", min_span_ratio=ratio)
    lane.facts = {"fork_prices": default_prices()}
    lane.grow(5)
    (event, *_) = [event for event in lane.events if event.what is What.ASKED]
    stats = event.stats
    assert stats is not None
    assert (stats.mode_requested, stats.mode_used) == ("auto", mode)
    assert (stats.fork_fallbacks, stats.fork_declines) == (0, declines)
    assert stats.reason == ("below_min_span_ratio" if declines else None)
    if ratio == 0:
        assert stats.span_measure is None
    else:
        assert stats.span_measure is not None
        assert stats.span_measure.min_span_ratio == (0.22 if ratio is None else ratio)
        assert 0.3 < (stats.span_measure.span_ratio or 0) < 0.8


def test_plain_fork_never_declines() -> None:
    """However small the span is."""
    lane = Lane(call="fork", min_span_ratio=1)
    lane.grow(5)
    assert {event.mode for event in lane.events if event.what is What.ASKED} == {CallMode.FORK}


def test_at_a_threshold_every_request_has_the_setting() -> None:
    """One member behind the others, every other byte as it came; set up is said once, and no call is made."""
    lane = Lane(call="native-threshold", budget_tokens=100_000)
    _grow(lane, 8)
    setting = (
        b',"context_management":{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":92000}}]}'
    )
    for n, sent in enumerate(lane.sent):
        came = json.dumps(history(n, model=NATIVE_MODEL)).encode()
        assert sent == came[:-1] + setting + b"}"
    assert lane.told == ["set_up"]
    assert not lane.events[0].is_reversible
    assert lane.tasks == []
    assert {outcome.before_tokens - outcome.after_tokens for outcome in lane.outcomes} == {0}


def test_a_pause_is_part_of_the_setting() -> None:
    """Off unless it is asked for."""
    lane = Lane(call="native-threshold", budget_tokens=100_000, pause=True)
    (edit,) = lane.send(history(1, model=NATIVE_MODEL))["context_management"]["edits"]
    assert edit["pause_after_compaction"] is True


@pytest.mark.parametrize(
    ("settings", "fields", "reason"),
    [
        ({}, {"model": "claude-sonnet-4-5"}, "model_unsupported"),
        ({}, {"model": "nobody-knows-it"}, "model_unknown"),
        ({"budget_tokens": 54_000}, {}, "trigger_too_low"),
        ({"platform": "elsewhere"}, {}, "platform_unsupported"),
        ({"require_reversible": True}, {}, "require_reversible"),
        ({}, {"context_management": {"edits": []}}, "context_management"),
    ],
)
def test_a_threshold_that_cannot_be_set_up_is_said_once_a_lane(settings: Json, fields: Json, reason: str) -> None:
    """Nothing takes its place, and every request is as it came."""
    lane = Lane(**{"call": "native-threshold", "budget_tokens": 100_000, **settings})
    _grow(lane, 5, **fields)
    assert lane.told == [f"refused {reason}"]
    assert lane.events[0].warning is not None
    assert lane.sent == [json.dumps(history(n, **{"model": NATIVE_MODEL, **fields})).encode() for n in range(6)]


def test_what_else_takes_content_out_keeps_the_provider_out() -> None:
    """Two editors of one history would each work on what the other left."""
    for call in ("native-threshold", "native-on-demand"):
        lane = Lane(Drop(), call=call, budget_tokens=100_000 if call == "native-threshold" else 1000)
        lane.facts = {"other_editor": "drop"}
        _grow(lane, 10)
        assert lane.told[0] == "refused other_editor"
        assert lane.tasks == []


def test_on_demand_the_block_takes_the_place_of_all_up_to_the_spans_end() -> None:
    """First of all, in a message of the assistant's, as it was answered; the head is in it."""
    lane = _native(call="native-on-demand")
    sent = _grow(lane, 8)
    assert lane.told[:3] == ["asked", "answered", "applied"]
    assert json.loads(lane.tasks[0].call.body)["compaction"] == {"type": "summarize"}
    swap = next(i for i, turn in enumerate(lane.turns) if "applied" in turn)
    (applied, *_) = [event for event in lane.events if event.what is What.APPLIED]
    assert (applied.start, applied.is_reversible) == (0, False)
    assert applied.stop is not None
    assert sent[swap]["messages"][0] == {"role": "assistant", "content": [json.loads(BLOCK)]}
    assert sent[swap]["messages"][1:] == history(swap, model=NATIVE_MODEL)["messages"][applied.stop :]
    assert BLOCK in lane.sent[swap]


def test_the_providers_second_block_stands_for_the_first_one_too() -> None:
    """One block is in a request, never two, and what the first one saved is not counted twice."""
    lane = _native(call="native-on-demand")
    for n in range(24):
        record = history(n, model=NATIVE_MODEL)
        sent = lane.send(record)
        blocks = [i for i, message in enumerate(sent["messages"]) if "compaction" in json.dumps(message)]
        assert blocks in ([], [0])
        assert sum(lane.state.saved.values()) == counted(record) - counted(sent)
        assert lane.outcomes[-1].after_tokens == counted(sent)
    applied = [event for event in lane.events if event.what is What.APPLIED]
    assert len(applied) >= 2
    assert {event.start for event in applied} == {0}
    assert len(lane.state.summaries.applied) == 1


def test_no_block_no_compaction() -> None:
    """Nobody but the provider can answer that call: a text is refused, and the request is as it was."""
    lane = _native(call="native-on-demand", answer=Summary(text="Short.", basis=Basis.SIMULATED))
    _grow(lane, 7)
    assert set(lane.told) == {"asked", "refused no_block"}
    assert lane.sent == [json.dumps(history(n, model=NATIVE_MODEL)).encode() for n in range(8)]


def test_a_block_that_is_no_smaller_is_refused() -> None:
    """The provider's too: a request never grows."""
    long = BLOCK.replace(b"What was done.", b"x" * 9000)
    lane = _native(call="native-on-demand", answer=Summary(text="", basis=Basis.MEASURED, block=long))
    _grow(lane, 7)
    assert "refused not_smaller" in lane.told
    assert lane.sent == [json.dumps(history(n, model=NATIVE_MODEL)).encode() for n in range(8)]


def test_native_is_whichever_the_model_has() -> None:
    """On demand first; on a platform that has only the threshold, that."""
    lane = _native(call="native")
    _grow(lane, 8)
    assert {event.mode for event in lane.events} == {CallMode.NATIVE_ON_DEMAND}
    lane = Lane(call="native", platform="bedrock", budget_tokens=100_000)
    _grow(lane, 3)
    assert [event.mode for event in lane.events] == [CallMode.NATIVE_THRESHOLD]


def test_native_needs_no_summariser() -> None:
    """`none` writes no summaries, and the provider's own compaction is set up all the same."""
    lane = Lane(call="native-threshold", budget_tokens=100_000)
    lane.facts = {"can_answer": False}
    _grow(lane, 2)
    assert lane.told == ["set_up"]


def test_thinking_that_is_kept_forbids_the_swap_before_it() -> None:
    """A model that binds thinking to its prefix: refused before any call is made; another model has the summary."""
    thought = {"type": "thinking", "thinking": "So.", "signature": "c2lnbmVk"}

    def thinking(n_turns: int, model: str) -> Json:
        record = history(n_turns, model=model)
        for message in record["messages"]:
            if message["role"] == "assistant":
                message["content"] = [thought, *message["content"]]
        return record

    bound, free = (Lane(budget_tokens=round(BUDGET * FACTOR)) for _ in range(2))
    for n in range(8):
        bound.send(thinking(n, "claude-opus-5-5"))
        free.send(thinking(n, "claude-opus-4-8"))
    assert set(bound.told) == {"refused thinking_bound"}
    assert bound.tasks == []
    assert bound.sent == [json.dumps(thinking(n, "claude-opus-5-5")).encode() for n in range(8)]
    assert "applied" in free.told


@pytest.mark.parametrize(("mode", "end"), [(MarkerMode.SUMMARY, "\n\u27eacg\u27eb"), (MarkerMode.OFF, "")])
def test_without_a_marker_a_summary_is_irreversible(mode: MarkerMode, end: str) -> None:
    """It says so, and stands under its heading all the same, so that it is not summarised again."""
    lane = Lane(marker_mode=mode)
    sent = lane.grow(20)[-1]
    applied = [event for event in lane.events if event.what is What.APPLIED]
    assert len(applied) >= 2
    assert not any(event.is_reversible for event in applied)
    assert sent["messages"][1]["content"][0]["text"] == f"{HEADER}\nShort.{end}"


def test_the_thresholds_are_in_the_models_tokens() -> None:
    """1.6 of them for one that is counted: 1,800 of 3,000 are reached at 1,125 characters."""
    lane = Lane()
    for n in range(5):
        lane.send(history(n, model=NATIVE_MODEL))
    asking = next(i for i, turn in enumerate(lane.turns) if "asked" in turn)
    sizes = [counted(history(n)) for n in range(5)]
    assert asking == next(i for i, size in enumerate(sizes) if round(size * FACTOR) >= 1800)
    assert sizes[asking] < 1800


@pytest.mark.parametrize(
    ("settings", "said_of_it"),
    [
        ({"call": "forc"}, "no call mode 'forc'"),
        ({"call": 5}, "summarize: call is 5, but must be a text"),
        ({"ask_at": "early"}, "summarize: ask_at is 'early', but must be a number from 0 to 1"),
        ({"ask_at": 0}, "ask_at is 0, but must be above 0 and at most 1"),
        ({"budget_tokens": "all"}, "summarize: budget_tokens is 'all', but must be a whole number, 0 or more"),
        ({"keep_first": -1}, "summarize: keep_first is -1, but must be a whole number, 0 or more"),
        ({"protect_recent": 2}, "summarize: protect_recent is 2, but must be a number from 0 to 1"),
        ({"pause": "yes"}, "summarize: pause is 'yes', but must be true or false"),
        ({"require_reversible": 1}, "summarize: require_reversible is 1, but must be true or false"),
        ({"platform": ""}, "summarize: platform is '', but must be a text"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: Json, said_of_it: str) -> None:
    """With the parameter's name and what is allowed."""
    with pytest.raises(UsageError) as error:
        Summarize(**settings)
    assert error.value.message == said_of_it


def test_a_system_message_in_the_list_stays_where_it_is() -> None:
    """Chat Completions: the summary comes behind it and the task, as a user's message with a string."""
    lane = Lane()
    calls = [
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{n}", "type": "function", "function": {"name": "Bash", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": f"c{n}", "content": said(n)},
        ]
        for n in range(9)
    ]
    head = [{"role": "system", "content": "You are an agent."}, user("go")]
    tool = {"type": "function", "function": {"name": "Bash", "parameters": {}}}
    sent: Json = {}
    for n in range(10):
        record = {"model": "local", "tools": [tool], "messages": [*head, *(one for turn in calls[:n] for one in turn)]}
        sent = lane.send(record)
        ids = {call["id"] for message in sent["messages"] for call in message.get("tool_calls", [])}
        assert ids == {message["tool_call_id"] for message in sent["messages"] if message["role"] == "tool"}
    assert "applied" in lane.told
    assert sent["messages"][:2] == head
    assert sent["messages"][2]["role"] == "user"
    assert sent["messages"][2]["content"].startswith(HEADER)


def test_responses_with_a_string_as_input_are_left_alone() -> None:
    """One message, which is the task: there is nothing to summarise, however long it is."""
    lane = Lane(keep_last=0)
    record = {"model": "gpt-5.6-sol", "instructions": "Be brief.", "input": "x" * 5000}
    assert lane.send(record) == record
    assert lane.told == ["refused nothing_to_select"]


def test_parallel_calls_stay_whole() -> None:
    """A group with several calls goes as a whole or stays as a whole, however the cut falls."""
    for n_parallel in (2, 3):
        lane = Lane(call="fork")
        for n in range(9):
            record = of()
            for k in range(n):
                ids = [k * 10 + j for j in range(n_parallel)]
                calls = [turn(i, said(i)[:150]) for i in ids]
                record["messages"] += [
                    {"role": "assistant", "content": [call["content"][0] for call, _ in calls]},
                    {"role": "user", "content": [result["content"][0] for _, result in calls]},
                ]
            sent = lane.send(record)
            blocks = [
                block
                for message in sent["messages"]
                if isinstance(message["content"], list)
                for block in message["content"]
            ]
            made = [block["id"] for block in blocks if block["type"] == "tool_use"]
            assert made == [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert "applied" in lane.told
