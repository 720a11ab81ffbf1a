"""Steps that replace messages over whole files: lanes, restarts, who answers, and that everything comes back."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from hashlib import sha256
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cgcli.checks.base import Verdict
from cgcli.checks.gates.shape import Shape as ShapeGate
from cgcli.checks.gates.thinking import Thinking
from cgcli.checks.gates.tool_pairs import ToolPairs
from cgcli.checks.run import Allowed, check
from cgcli.compaction.policy import Policy, named, pipeline
from cgcli.compaction.state import HeldRule
from cgcli.compaction.summaries.state import What
from cgcli.errors import CgError, InputError, StashMiss
from cgcli.model import Basis
from cgcli.readers import open_bytes, read
from cgcli.replay.expand import expand
from cgcli.replay.output import Output
from cgcli.replay.run import Run
from cgcli.report.summaries import lines as report_lines
from cgcli.report.summaries import summaries
from cgcli.stash.store import Stash
from cgcli.summarisers.extractive.summariser import Extractive
from cgcli.summarisers.protocol import Summary
from cgcli.summarisers.recorded import Recorded, write_answer
from tests import oracle
from tests.captures import Container, Dialect, capture
from tests.lanes.placing import Json, body, lines, turn, user
from tests.running import CORPUS_CAPTURES, FIXTURE_CAPTURES, FIXTURES, compact, expand_all

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.summarisers.protocol import Task

MODEL = "local"
BLOCK = {"type": "compaction", "content": "What was done.", "signature": "c2lnbmVk"}
GATES = (ToolPairs(), ShapeGate(), Thinking())
MIXED = ("format", "dedup", "mask", "summarize")
PEERS = ("codex-local", "pi-keep-recent")


class Counting:
    """Says how many messages it was asked about, and how often it was asked."""

    name: ClassVar[str] = "counting"

    def __init__(self) -> None:
        """Nobody asked yet."""
        self.tasks: list[Task] = []

    def summarise(self, task: Task) -> Summary:
        """The number."""
        self.tasks.append(task)
        return Summary(text=f"{task.selection.n_messages} messages.", basis=Basis.SIMULATED)


class Faulty:
    """Has a fault."""

    name: ClassVar[str] = "faulty"

    def summarise(self, task: Task) -> Summary:
        """Never answers."""
        raise ZeroDivisionError(task.selection.n_messages)


def _long(name: str) -> str:
    return " ".join(f"{name}{i}" for i in range(120))


def _body(*names: str, go: str = "go", **fields: Any) -> Json:
    """The request after calls with these outputs, each of about 300 tokens."""
    messages = [message for n, name in enumerate(names) for message in turn(n, _long(name))]
    return body(user(go), *messages, **{"model": MODEL, **fields})


def _lane(n_turns: int, name: str = "a", **fields: Any) -> list[Json]:
    return [_body(*(f"{name}{k}x" for k in range(n)), **fields) for n in range(n_turns + 1)]


def _policy(*steps: str, budget: int = 2500, **parameters: Any) -> Policy:
    given = {"budget_tokens": budget, "keep_last": 2, **parameters}
    return pipeline(steps or ("summarize",), {"summarize": given})


def _peer(*steps: str, budget: int = 2500, **parameters: Any) -> Policy:
    """A policy that ends in a peer's step, which keeps a fifth of its budget."""
    keeps = {"codex-local": "user_tokens", "pi-keep-recent": "keep_recent_tokens"}[steps[-1]]
    return pipeline(steps, {steps[-1]: {"budget_tokens": budget, keeps: budget // 5, **parameters}})


def _run(bodies: list[Json], policy: Policy | None = None, summariser: Any = None) -> tuple[Run, list[Json]]:
    """The run over a file of these, and the bodies that are sent."""
    run = Run(
        read(BytesIO(lines(bodies)), file="made.jsonl"),
        policy or _policy(),
        rule=HeldRule.RESPECT,
        summariser=summariser or Counting(),
    )
    sent = []
    for one in run:
        assert one.outcome is not None
        raw = one.entry.raw
        for start, stop, decision in reversed(one.outcome.edits):
            raw = raw[: one.entry.body_at + start] + decision.literal + raw[one.entry.body_at + stop :]
        sent.append(json.loads(raw))
    return run, sent


def _summarised(sent: Json) -> int:
    """How many summaries a request has."""
    return sum(map(_is_summary, sent["messages"]))


def _is_summary(message: Json) -> bool:
    return "=== History Summary ===" in json.dumps(message)


def _told(run: Run) -> dict[str, Any]:
    told = summaries(run)
    assert told is not None
    _adds_up(told)
    return told


def _adds_up(told: dict[str, Any]) -> None:
    """Each call has one fate, and the events are what the figures say."""
    ends = told["applied"] + sum(told["dropped"].values()) + told["refused_answers"] + told["waiting"]
    assert told["asked"] == ends == sum(told["by_mode"].values())
    what = Counter(event["what"] for event in told["events"])
    assert (what["asked"], what["applied"], what["set_up"]) == (told["asked"], told["swaps"], told["set_up"])
    assert what["refused"] == sum(told["refused"].values())
    assert told["call_tokens"] == sum(event["call_tokens"] or 0 for event in told["events"])


def test_interleaved_lanes_have_summaries_of_their_own() -> None:
    """Each lane's requests are those of the lane alone, whatever stands between them in the file."""
    one, other = _lane(10, "a", go="first"), _lane(10, "b", go="second")
    _, alone = _run(one)
    _, other_alone = _run(other)
    run, sent = _run([request for both in zip(one, other, strict=True) for request in both])
    assert _summarised(alone[-1]) >= 1
    assert sent[::2] == alone
    assert sent[1::2] == other_alone
    assert "a0x" not in json.dumps([one["messages"][:2] for one in sent[1::2]])
    assert _told(run)["asked"] == 2 * _told(_run(one)[0])["asked"]


def test_a_restart_drops_what_the_lane_was_waiting_for() -> None:
    """The history begins anew under the same head: nobody takes the old answer, and that is counted."""
    before = _lane(5, "a")
    run, _ = _run(before)
    assert _told(run)["waiting"] == 1
    run, sent = _run([*before, *_lane(9, "b", go="something else")])
    told = _told(run)
    assert len(run.lanes[0].epochs) == 2
    assert told["dropped"] == {"lane_edited": 0, "lane_restarted": 1}
    assert "a0x" not in json.dumps(sent[6:])
    assert _summarised(sent[-1]) >= 1


def test_a_branch_has_the_summary_of_its_trunk() -> None:
    """Two continuations of one history have the same bytes in the span's place; one call was made for both."""
    trunk = _lane(7, "a")
    names = [f"a{k}x" for k in range(7)]
    left, right = _body(*names, "left"), _body(*names, "right")
    counting = Counting()
    run, sent = _run(
        [*trunk, left, right, _body(*names, "left", "more"), _body(*names, "right", "more")], None, counting
    )
    assert sum(lane.epochs[0].thread.branch is not None for lane in run.lanes) == 1
    summary = sent[-1]["messages"][1]
    assert "messages." in summary["content"][0]["text"]
    assert [one["messages"][1] for one in sent[8:]] == [summary] * 4
    told = _told(run)
    assert len(counting.tasks) == told["asked"]


def test_a_call_in_flight_is_applied_in_both_branches_and_counted_once() -> None:
    """The branch begins with a copy of what was asked: two swaps, one call."""
    names = [f"a{k}x" for k in range(5)]
    before = _told(_run(_lane(5))[0])
    assert before["waiting"] == 1
    small = []
    for way in ("left", "right"):
        made = _body(*names)
        made["messages"] += turn(9, way)
        small.append(made)
    large = [{**made, "messages": [*made["messages"], *turn(10, _long("b") * 3)]} for made in small]
    run, sent = _run([*_lane(5), *small, *large])
    told = _told(run)
    assert [_summarised(one) for one in sent[-5:]] == [
        *[before["swaps"]] * 3,
        *[before["swaps"] + 1] * 2,
    ]
    (left, right) = [[message for message in one["messages"] if _is_summary(message)] for one in sent[-2:]]
    assert left == right
    assert (told["applied"], told["swaps"]) == (before["applied"] + 1, before["swaps"] + 2)


def test_a_request_under_another_head_drops_nothing() -> None:
    """A side call with other tools on the same history: the main line's summary is still to come."""
    main = _lane(9, "a")
    side = {**main[5], "tools": [], "messages": [main[5]["messages"][0], user("Another question.")]}
    run, sent = _run([*main[:6], side, *main[6:]])
    told = _told(run)
    assert told["dropped"] == {"lane_edited": 0, "lane_restarted": 0}
    _, control = _run(main)
    assert [*sent[:6], *sent[7:]] == control


def test_a_history_that_is_edited_inside_the_span_drops_the_call() -> None:
    """The old answer is not used, and the count says why."""
    names = [f"a{k}x" for k in range(5)]
    edited = ["other", *names[1:]]
    run, sent = _run([*[_body(*names[:n]) for n in range(6)], _body(*edited, "b"), _body(*edited, "b", "c", "d")])
    told = _told(run)
    assert told["dropped"] == {"lane_edited": 1, "lane_restarted": 0}
    assert any(event["what"] == "asked" and event["line"] > 6 for event in told["events"])
    assert "other0 " in json.dumps(sent[6])


def test_the_same_call_is_asked_once() -> None:
    """Two lanes with the same history ask the same; one answer serves both."""
    counting = Counting()
    twice = [request for request in _lane(9, "a", go="go") for _ in range(2)]
    run, _ = _run(twice, None, counting)
    bodies = [task.call.body for task in counting.tasks]
    assert len(bodies) == len(set(bodies))
    assert _told(run)["applied"] >= 1


def test_a_summariser_with_a_fault_costs_only_its_summaries() -> None:
    """Every request goes on as it came, and the fault is named."""
    bodies = _lane(9)
    run, sent = _run(bodies, None, Faulty())
    assert sent == bodies
    told = _told(run)
    assert set(told["refused"]) == {"raised"}
    assert told["asked"] == told["refused_answers"] + told["waiting"] >= 1
    assert any(str(event["detail"]).startswith("ZeroDivisionError(") for event in told["events"])


def test_without_a_summariser_the_file_stays_as_it_is(tmp_path: Path) -> None:
    """`none`: the reason is counted, no call is built, no stash is opened."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_lane(9)))
    done = compact(source, tmp_path, _policy())
    assert done.output.read_bytes() == source.read_bytes()
    told = done.report["summaries"]
    assert (told["summarizer"], told["asked"], set(told["refused"])) == ("none", 0, {"no_model"})
    assert not done.stash.exists()


def _record(folder: Path, bodies: list[Json], policy: Policy, answer: Any) -> Run:
    """Answer each call of a run over *bodies*, by the file that `recorded` looks for, until none is open."""
    for _ in range(12):
        run, _ = _run(bodies, policy, _Recording(folder, answer))
        if "not_recorded" not in _told(run)["refused"]:
            return run
    raise AssertionError("each run answers one call more")


class _Recording:
    """Records an answer for whatever is asked, then reads it as `recorded` does."""

    name: ClassVar[str] = "recorded"

    def __init__(self, folder: Path, answer: Any) -> None:
        self._folder, self._answer = folder, answer

    def summarise(self, task: Task) -> Any:
        """The answer from the folder."""
        write_answer(self._folder, task.call.body, json.dumps(self._answer).encode())
        return Recorded(folder=self._folder).summarise(task)


def test_recorded_answers_are_found_by_the_calls_bytes(tmp_path: Path) -> None:
    """One file for each call, named after its digest; without it the reason is `not_recorded`."""
    answer = {"type": "message", "content": [{"type": "text", "text": "All was built."}], "stop_reason": "end_turn"}
    bodies = _lane(9)
    run = _record(tmp_path, bodies, _policy(call="fork"), answer)
    assert _told(run)["applied"] >= 1
    again, sent = _run(bodies, _policy(call="fork"), Recorded(folder=tmp_path))
    assert _told(again) == _told(run)
    assert "All was built." in json.dumps(sent[-1])
    for path in tmp_path.glob("*.json"):
        path.unlink()
    run, sent = _run(bodies, _policy(call="fork"), Recorded(folder=tmp_path))
    assert sent == bodies
    assert set(_told(run)["refused"]) == {"not_recorded"}


def test_a_recorded_answer_that_is_none_is_an_error_of_the_input(tmp_path: Path) -> None:
    """It names the file; a fault of the recording is not a fault of the summariser."""
    bodies = _lane(9)
    counting = Counting()
    _run(bodies, None, counting)
    digest = sha256(counting.tasks[0].call.body).hexdigest()
    (tmp_path / f"{digest}.json").write_bytes(b"[]")
    with pytest.raises(InputError) as error:
        _run(bodies, None, Recorded(folder=tmp_path))
    assert error.value.where == str(tmp_path / f"{digest}.json")


def test_a_recorded_compaction_block_stands_first(tmp_path: Path) -> None:
    """Claude on demand: the block in the place of all it stands for, as it was answered; irreversible."""
    answer = {"type": "message", "content": [BLOCK], "stop_reason": "compaction"}
    bodies = _lane(14, model="claude-opus-4-8")
    policy = _policy(call="native-on-demand", budget=4000)
    run = _record(tmp_path, bodies, policy, answer)
    told = _told(run)
    assert told["swaps"] >= 2
    assert told["irreversible"] == told["swaps"]
    _, sent = _run(bodies, policy, Recorded(folder=tmp_path))
    swap = next(i for i, one in enumerate(sent) if one != bodies[i])
    for came, one in zip(bodies[swap:], sent[swap:], strict=True):
        assert one["messages"][0] == {"role": "assistant", "content": [BLOCK]}
        n_kept = len(one["messages"]) - 1
        assert one["messages"][1:] == came["messages"][-n_kept:]
        assert oracle.check_tool_pairs(one) == []


def test_what_the_provider_compacts_is_told_to_be_irreversible(tmp_path: Path) -> None:
    """`--all` refuses: in the undo record it says that nothing can bring it back."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_lane(3, model="claude-opus-4-8")))
    done = compact(source, tmp_path, _policy(call="native-threshold", budget=100_000))
    assert done.report["irreversible_edits"] == 1
    assert done.report["summaries"]["set_up"] == 1
    (component,) = done.report["components"]
    assert (component["saved_unique_tokens"], component["saved_gross_tokens"]) == (None, None)
    with pytest.raises(StashMiss, match="4 edits were irreversible"):
        expand_all(done, tmp_path / "back.jsonl")


def test_all_lanes_that_fall_back_are_added_up() -> None:
    """Fallbacks and declines, each over all lanes, and one warning for each reason."""
    forced = {"tool_choice": {"type": "any"}}
    bodies = [*_lane(9, "a", go="first", **forced), *_lane(9, "b", go="second", **forced)]
    run, _ = _run(bodies, _policy(call="fork"))
    told = _told(run)
    assert told["fork_fallbacks"] == told["asked"] >= 2
    assert told["fork_declines"] == 0
    (warning,) = told["warnings"]
    assert warning.startswith("fork: the request forces a tool call")
    assert told["last_summary_call_stats"]["fork_fallbacks"] < told["fork_fallbacks"]


def test_auto_goes_by_what_the_cache_of_the_lanes_model_holds() -> None:
    """Claude Sonnet 4.5 reads for a tenth of what fresh input costs, and reads what a mark made it keep.

    With marks a fork pays from a tenth and its instruction on; without, from no span on. For a model that nobody
    knows, 0.22.
    """
    marked = _lane(9, model="claude-sonnet-4-5", cache_control={"type": "ephemeral"})
    told = _told(_run(marked, _policy(call="auto"))[0])
    assert told["by_mode"] == {"fork": told["asked"]}
    measure = told["last_summary_call_stats"]["span_measure"]
    assert 0.1 < measure["min_span_ratio"] < 0.4
    assert measure["span_ratio"] == pytest.approx(measure["span_tokens"] / measure["prefix_tokens"])
    told = _told(_run(_lane(9, model="claude-sonnet-4-5"), _policy(call="auto"))[0])
    assert told["by_mode"] == {"standalone": told["asked"]}
    assert told["fork_declines"] == told["asked"] > 0
    assert told["last_summary_call_stats"]["span_measure"]["min_span_ratio"] > 1
    told = _told(_run(_lane(9), _policy(call="auto"))[0])
    assert told["last_summary_call_stats"]["span_measure"]["min_span_ratio"] == 0.22


def test_auto_declines_what_would_not_pay() -> None:
    """A decline is a standalone call, and is no fallback."""
    run, _ = _run(_lane(9), _policy(call="auto", min_span_ratio=1))
    told = _told(run)
    assert (told["fork_declines"], told["fork_fallbacks"]) == (told["asked"], 0)
    assert told["by_mode"] == {"standalone": told["asked"]}
    assert told["last_summary_call_stats"]["reason"] == "below_min_span_ratio"


def test_all_fields_of_the_last_calls_stats_are_there() -> None:
    """Amplifier's nine, in its words."""
    run, _ = _run(_lane(9), _policy(call="auto"))
    assert set(_told(run)["last_summary_call_stats"]) == {
        "mode_requested",
        "mode_used",
        "reason",
        "prefix_messages",
        "prefix_source",
        "prefix_views_since_send",
        "fork_fallbacks",
        "fork_declines",
        "span_measure",
    }


def test_the_report_has_what_the_requests_have(tmp_path: Path) -> None:
    """Saved once: the tokens of each summary's span less its own; saved in all: again in each request with it."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_lane(20)))
    done = compact(source, tmp_path, _policy(), summariser=Counting())
    report = done.report
    (component,) = report["components"]
    applied = [event for event in report["summaries"]["events"] if event["what"] == "applied"]
    assert component["fired"] == len(applied) >= 2
    assert component["saved_unique_tokens"] == sum(one["span_tokens"] - one["summary_tokens"] for one in applied)
    rows = done.run.ledger.rows
    assert component["saved_gross_tokens"] == sum(row.before_tokens - row.after_tokens for row in rows)
    again = compact(done.output, tmp_path, named("off"), name="counted")
    assert [row.after_tokens for row in rows] == [row.before_tokens for row in again.run.ledger.rows]


shapes = st.fixed_dictionaries(
    {
        "dialect": st.sampled_from(["anthropic", "chat", "responses"]),
        "container": st.sampled_from(
            ["bodies", "ascii-bodies", "context-guru", "envelope", "string-envelope", "array"]
        ),
        "turns": st.integers(min_value=4, max_value=14),
        "seed": st.integers(min_value=0, max_value=999),
        "parallel": st.integers(min_value=1, max_value=3),
        "thinking": st.booleans(),
        "moving_marks": st.booleans(),
        "side_lanes": st.integers(min_value=0, max_value=2),
        "elide": st.sampled_from([None, None, 2]),
        "tools_last": st.booleans(),
    }
)


@given(
    shape=shapes,
    steps=st.sampled_from([("summarize",), ("collapse", "summarize"), MIXED]),
    held=st.sampled_from(["respect", "ignore"]),
    call=st.sampled_from(["standalone", "fork", "auto"]),
    budget=st.integers(min_value=2000, max_value=12_000),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_capture_comes_back_and_no_request_is_torn(
    shape: Any,
    steps: tuple[str, ...],
    held: str,
    call: str,
    budget: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Any dialect, container and mix of steps: nothing is lost, and no provider would refuse what is sent."""
    folder = tmp_path_factory.mktemp("round")
    source = folder / "in.jsonl"
    source.write_bytes(capture(**shape))
    policy = _policy(*steps, budget=budget, call=call, keep_last=None)
    _keeps_every_promise(source, folder, policy, held)


@given(
    shape=shapes,
    peer=st.sampled_from(PEERS),
    before=st.sampled_from([(), ("collapse",), ("format", "dedup", "mask")]),
    held=st.sampled_from(["respect", "ignore"]),
    call=st.sampled_from(["standalone", "fork", "auto"]),
    budget=st.integers(min_value=2000, max_value=12_000),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_capture_comes_back_from_a_peers_step(
    shape: Any,
    peer: str,
    before: tuple[str, ...],
    held: str,
    call: str,
    budget: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Several messages in the place of a span, made anew each time: the same must hold."""
    folder = tmp_path_factory.mktemp("round")
    source = folder / "in.jsonl"
    source.write_bytes(capture(**shape))
    _keeps_every_promise(source, folder, _peer(*before, peer, budget=budget, call=call), held)


def _keeps_every_promise(source: Path, folder: Path, policy: Policy, held: str) -> int:
    """All that must hold of one file; how many summaries took their place."""
    done = compact(source, folder, policy, held, summariser=Extractive())
    before, after = _plain(source), done.output.read_bytes()
    told = done.report["summaries"]
    _adds_up(told)
    wrong = _wrong(before)
    assert _wrong(after) <= wrong
    for (_, came), (_, sent) in zip(oracle.bodies(before), oracle.bodies(after), strict=True):
        if not oracle.check_tool_pairs(came):
            assert oracle.check_tool_pairs(sent) == []
    for row in done.run.ledger.rows:
        assert row.after_tokens <= row.before_tokens
    again = compact(source, folder, policy, held, name="again", summariser=Extractive())
    assert again.output.read_bytes() == after
    assert expand_all(done, folder / "back.jsonl") == before
    swaps: int = told["swaps"]
    return swaps


def _plain(source: Path) -> bytes:
    data = source.read_bytes()
    return gzip.decompress(data) if source.suffix == ".gz" else data


def _wrong(data: bytes) -> set[str]:
    """The gates that fail on a file."""
    checked = check(read(BytesIO(data), file="made.jsonl"), GATES, Allowed(), {})
    return {result.gate for result in checked.results if result.verdict is Verdict.FAIL}


@pytest.mark.parametrize("container", ["bodies", "ascii-bodies", "context-guru", "envelope", "string-envelope"])
@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
def test_a_changed_file_gets_its_messages_back(dialect: Dialect, container: Container, tmp_path: Path) -> None:
    """Where the output is not as it was written, each summary's message gives way to the messages, byte for byte."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(capture(dialect=dialect, container=container, turns=14, seed=8))
    done = compact(source, tmp_path, _policy("collapse", "summarize", budget=6000), summariser=Extractive())
    assert done.report["summaries"]["swaps"] >= 2
    back = expand_all(done, tmp_path / "back.jsonl", change=lambda data: data + b"\n")
    assert back == source.read_bytes() + b"\n"


@pytest.mark.parametrize("container", ["bodies", "context-guru", "string-envelope"])
@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
@pytest.mark.parametrize("peer", PEERS)
def test_a_changed_file_gets_several_messages_for_several(
    peer: str, dialect: Dialect, container: Container, tmp_path: Path
) -> None:
    """What stands before the summary goes with it; also where the summaries were made twice."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(capture(dialect=dialect, container=container, turns=14, seed=8))
    done = compact(source, tmp_path, _peer("collapse", peer, budget=6000), summariser=Extractive())
    assert done.report["summaries"]["swaps"] >= 2
    back = expand_all(done, tmp_path / "back.jsonl", change=lambda data: data + b"\n")
    assert back == source.read_bytes() + b"\n"


def test_a_summary_stays_where_what_stood_beside_it_was_changed(tmp_path: Path) -> None:
    """A kept message that reads differently: nothing tells what to do with it, so the summary and it are left."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_lane(9, go="go on with it")))
    done = compact(source, tmp_path, _peer("codex-local"), summariser=Counting())
    after = done.output.read_bytes()
    back = expand_all(done, tmp_path / "back.jsonl", change=lambda data: data.replace(b"go on with it", b"go"))
    assert back == after.replace(b"go on with it", b"go")
    assert b"History Summary" in back
    again = compact(source, tmp_path, _peer("pi-keep-recent"), name="pi", summariser=Counting())
    back = expand_all(again, tmp_path / "pi-back.jsonl", change=lambda data: data + b"\n")
    assert back == source.read_bytes() + b"\n"


@pytest.mark.parametrize("peer", PEERS)
def test_the_report_names_a_peers_step(peer: str, tmp_path: Path) -> None:
    """Each swap counts, and what is saved once is what the newest one of a lane saves."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_lane(20)))
    done = compact(source, tmp_path, _peer(peer), summariser=Counting())
    report = done.report
    told = report["summaries"]
    assert (told["step"], told["call"], told["still_above"]) == (peer, "standalone", 0)
    assert next(report_lines(told)).startswith(f"summaries ({peer}, counting): {told['asked']} calls ")
    (component,) = report["components"]
    assert (component["name"], component["fired"]) == (peer, told["swaps"])
    assert told["swaps"] >= 2
    rows = done.run.ledger.rows
    assert component["saved_gross_tokens"] == sum(row.before_tokens - row.after_tokens for row in rows)
    assert component["saved_unique_tokens"] == rows[-1].before_tokens - rows[-1].after_tokens
    again = compact(done.output, tmp_path, named("off"), name="counted")
    assert [row.after_tokens for row in rows] == [row.before_tokens for row in again.run.ledger.rows]


@pytest.mark.parametrize("peer", PEERS)
def test_a_peers_step_in_branches_and_side_lanes(peer: str) -> None:
    """Two continuations have the same bytes in the span's place; other tools on the same history drop nothing."""
    trunk = _lane(8, "a")
    names = [f"a{k}x" for k in range(8)]
    side = {**trunk[5], "tools": [], "messages": [trunk[5]["messages"][0], user("Another question.")]}
    ways = [[_body(*names, way), _body(*names, way, "more")] for way in ("left", "right")]
    run, sent = _run([*trunk[:6], side, *trunk[6:], *ways[0], *ways[1]], _peer(peer))
    assert _told(run)["dropped"]["lane_edited"] == 0
    assert _summarised(sent[-1]) == 1
    assert [one["messages"][:1] for one in sent[-4:]] == [sent[-1]["messages"][:1]] * 4
    _, control = _run([*trunk, *ways[0], *ways[1]], _peer(peer))
    assert [*sent[:6], *sent[7:]] == control


@pytest.mark.parametrize("peer", PEERS)
def test_an_output_of_a_peers_step_may_be_compacted_again(peer: str, tmp_path: Path) -> None:
    """A lower budget over it: the summaries in it are summarised, as the peers do, and each run comes back."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_lane(20)))
    done = compact(source, tmp_path, _peer(peer), summariser=Counting())
    tighter = compact(done.output, tmp_path, _peer(peer, budget=1500), name="twice", summariser=Counting())
    assert tighter.report["summaries"]["swaps"] >= 2
    sent = [found for _, found in oracle.bodies(tighter.output.read_bytes())]
    assert {_summarised(one) for one in sent} == {0, 1}
    assert expand_all(tighter, tmp_path / "once.jsonl") == done.output.read_bytes()
    assert expand_all(done, tmp_path / "back.jsonl") == source.read_bytes()


def test_marks_that_move_inside_the_span_come_back(tmp_path: Path) -> None:
    """The input spells the same messages in another way on each turn; the undo record has each of them."""
    names = [f"a{k}x" for k in range(12)]
    bodies = []
    for n in range(13):
        made = _body(*names[:n])
        for i, message in enumerate(made["messages"]):
            if isinstance(message["content"], list) and (i + n) % 5 == 0:
                message["content"][-1]["cache_control"] = {"type": "ephemeral"}
        bodies.append(made)
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(bodies))
    done = compact(source, tmp_path, _policy(), summariser=Counting())
    sent = [found for _, found in oracle.bodies(done.output.read_bytes())]
    assert _summarised(sent[-1]) >= 2
    firsts = [one["messages"][1] for one in sent if _summarised(one)]
    assert all(one == after for one, after in pairwise(firsts))
    assert expand_all(done, tmp_path / "back.jsonl") == source.read_bytes()


def test_a_marker_gives_the_whole_span(tmp_path: Path) -> None:
    """The messages as the input has them, from the first byte of the first to the last of the last."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_lane(9)))
    done = compact(source, tmp_path, _policy(), summariser=Counting())
    sent = oracle.bodies(done.output.read_bytes())[-1][1]
    key = sent["messages"][1]["content"][0]["text"].split("<<cg:")[1][:16]
    (first, *_) = [event for event in done.report["summaries"]["events"] if event["what"] == "applied"]
    start, stop = first["messages"]
    stash = Stash.open(done.stash, create=False)
    original = stash.get(stash.resolve(key))
    assert json.loads(b"[" + original + b"]") == _lane(9)[-1]["messages"][start:stop]
    assert original in source.read_bytes()


def test_the_output_is_left_alone_once_it_is_small(tmp_path: Path) -> None:
    """Compacting it again asks for nothing in a request that is below the threshold, and changes none of its bytes."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_lane(20)))
    done = compact(source, tmp_path, _policy(), summariser=Counting())
    twice = compact(done.output, tmp_path, _policy(), name="twice", summariser=Counting())
    assert twice.output.read_bytes() == done.output.read_bytes()
    assert expand_all(done, tmp_path / "back.jsonl") == source.read_bytes()


def test_a_summary_is_never_summarised_in_a_later_run(tmp_path: Path) -> None:
    """A lower budget over the output: the summaries in it stay, byte for byte, and more messages go."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_lane(20)))
    done = compact(source, tmp_path, _policy(), summariser=Counting())
    tighter = compact(done.output, tmp_path, _policy(budget=1600), name="twice", summariser=Counting())
    assert tighter.report["summaries"]["swaps"] >= 1
    first, second = (oracle.bodies(one.output.read_bytes())[-1][1]["messages"] for one in (done, tighter))
    kept = [message for message in first if _is_summary(message)]
    assert [message for message in second if message in kept] == kept
    with Output(str(tmp_path / "back.jsonl")) as sink:
        expand(str(tighter.output), Stash.open(tighter.stash, create=False), sink)
        sink.finish()
    assert (tmp_path / "back.jsonl").read_bytes() == done.output.read_bytes()


def _usable(path: Path) -> bool:
    """True for a file with requests, of a size that takes no minutes."""
    if path.stat().st_size > 3_000_000:
        return False
    try:
        with open_bytes(str(path)) as stream:
            return any(entry.exchange is not None for entry in read(stream, file=str(path)))
    except CgError:
        return False


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.name[-40:]}"


FILES = [path for path in (*FIXTURE_CAPTURES, *CORPUS_CAPTURES) if _usable(path)]


@pytest.mark.parametrize("source", FILES, ids=_name)
def test_files_keep_every_promise(source: Path, tmp_path: Path) -> None:
    """Round trip, determinism, tool pairs and figures over saved files, with a budget that most of them exceed."""
    _keeps_every_promise(source, tmp_path, _policy("format", "dedup", "summarize", budget=1500, call="fork"), "respect")


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("source", FILES, ids=_name)
def test_files_keep_every_promise_under_a_peers_step(source: Path, peer: str, tmp_path: Path) -> None:
    """The same over saved files, with a budget that most of them exceed."""
    _keeps_every_promise(source, tmp_path, _peer("format", "dedup", peer, budget=1500, call="fork"), "respect")


@pytest.mark.parametrize("step", ["summarize", *PEERS])
def test_some_of_the_files_are_summarised(step: str, tmp_path: Path) -> None:
    """The shipped ones alone: a budget that nothing reaches would show nothing."""
    policy = _policy(budget=1500) if step == "summarize" else _peer(step, budget=1500)
    shipped = [path for path in FILES if path.is_relative_to(FIXTURES)]
    done = [compact(path, tmp_path, policy, name=path.name, summariser=Extractive()) for path in shipped]
    assert sum(one.report["summaries"]["swaps"] > 0 for one in done) >= 5


def test_events_carry_the_line_of_their_request() -> None:
    """And that of the request that the call was asked from."""
    run, _ = _run(_lane(9))
    for one in run.ledger.summaries:
        assert one.line == one.i_exchange + 1
        if one.event.what is What.ASKED:
            assert one.event.ticket is not None
            assert one.event.ticket.line == one.line
    told = _told(run)
    applied = next(event for event in told["events"] if event["what"] == "applied")
    assert applied["asked_at_line"] < applied["line"]
