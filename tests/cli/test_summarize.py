"""`cg compact --policy summarize`: its options, what it says, and what it refuses."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from tests import oracle
from tests.lanes.placing import body, lines, turn, user

if TYPE_CHECKING:
    from tests.cli.calling import Cg
    from tests.lanes.placing import Json

SUMMARIZE = ("--policy", "summarize", "--budget", "2500")


def _long(name: str) -> str:
    return " ".join(f"{name}{i}" for i in range(120))


def _lane(n_turns: int = 14, **fields: Any) -> list[Json]:
    """Requests of one conversation, each one turn of about 300 tokens longer."""
    turns = [message for n in range(n_turns) for message in turn(n, _long(f"a{n}x"))]
    return [body(user("go"), *turns[: 2 * n], **{"model": "local", **fields}) for n in range(n_turns + 1)]


@pytest.fixture(name="lane")
def _cg(cg: Cg) -> Cg:
    cg.write("in.jsonl", lines(_lane()))
    return cg


@pytest.mark.parametrize("call", ["standalone", "inline", "fork"])
def test_a_capture_is_summarised_and_comes_back(call: str, lane: Cg) -> None:
    """By the commands that the report shows: the span of one summary, and the file."""
    assert lane("compact", "in.jsonl", *SUMMARIZE, "--call", call, "-o", "out.jsonl") == 0
    assert lane.err == b""
    shown = lane.out.decode().splitlines()
    mode = "standalone" if call == "inline" else call
    assert any(line.startswith("summaries (summarize, extractive): ") and f" {mode})" in line for line in shown)
    single, whole = [line.split()[1:] for line in shown if line.startswith("next")]
    last = oracle.bodies(lane.read("out.jsonl"))[-1][1]["messages"]
    assert last[1]["content"][0]["text"].startswith("=== History Summary ===\n")
    assert lane(*single[1:]) == 0
    span = json.loads(b"[" + lane.out + b"]")
    assert span == _lane()[-1]["messages"][1 : 1 + len(span)]
    assert lane(*whole[1:]) == 0
    assert lane.read("BACK.jsonl") == lane.read("in.jsonl")


def test_the_options_are_in_the_command_to_run_next(lane: Cg) -> None:
    """After a dry run, each as it was given."""
    given = ("--call", "fork", "--summarizer", "extractive", "--ask-at", "0.5", "--apply-at", "0.8")
    assert lane("compact", "in.jsonl", *SUMMARIZE, *given, "--dry-run") == 0
    (line,) = [line for line in lane.out.decode().splitlines() if line.startswith("next")]
    words = shlex.split(line.removeprefix("next").strip().removeprefix("nothing was written: "))
    assert lane(*words[1:], "--json") == 0
    report = json.loads(lane.out)
    assert report["options"] == [
        *("--policy", "summarize", "--call", "fork", "--summarizer", "extractive", "--budget", "2500"),
        *("--ask-at", "0.5", "--apply-at", "0.8"),
    ]
    assert report["summaries"]["applied"] >= 1


def test_thresholds_from_the_command_line(lane: Cg) -> None:
    """Asked later and applied later: fewer requests have a summary."""
    early = lane.report("compact", "in.jsonl", *SUMMARIZE, "--ask-at", "0.3", "--apply-at", "0.6", "--dry-run")
    late = lane.report("compact", "in.jsonl", *SUMMARIZE, "--ask-at", "0.9", "--apply-at", "1", "--dry-run")
    first = [next(e["line"] for e in one["summaries"]["events"] if e["what"] == "asked") for one in (early, late)]
    assert first[0] < first[1]
    assert early["tokens"]["after"] < late["tokens"]["after"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((*SUMMARIZE, "--call", "forc"), b"cg: no call mode 'forc'\n  try: did you mean 'fork'?\n"),
        ((*SUMMARIZE, "--ask-at", "1.5"), b"cg: summarize: ask_at is 1.5, but must be a number from 0 to 1\n"),
        ((*SUMMARIZE, "--apply-at", "0.5"), b"cg: ask_at (0.6) is above apply_at (0.5)\n"),
        ((*SUMMARIZE, "--summarizer", "recorded"), b"cg: recorded: the folder is missing\n"),
        (("--policy", "codesafe", "--call", "fork"), b"cg: policy codesafe summarises nothing\n"),
        (("--policy", "off", "--summarizer", "none"), b"cg: policy off summarises nothing\n"),
    ],
)
def test_wrong_options_are_exit_2_and_write_nothing(options: tuple[str, ...], said: bytes, lane: Cg) -> None:
    """With what would be right."""
    assert lane("compact", "in.jsonl", *options, "-o", "out.jsonl") == 2
    assert lane.err.startswith(said)
    assert (lane.out, lane.names()) == (b"", ["in.jsonl"])


@pytest.mark.parametrize(
    ("options", "reached"),
    [
        (("--policy", "codex-local", "--budget", "2500"), True),
        (("--policy", "codex-local"), False),
        (("--pipeline", "format,codex-local", "--budget", "2500", "--apply-at", "0.8"), True),
        (("--policy", "pi-keep-recent", "--budget", "25000"), False),
    ],
)
def test_options_go_to_the_step_that_the_policy_has(options: tuple[str, ...], *, reached: bool, lane: Cg) -> None:
    """The budget and the call mode are those of `codex-local` and `pi-keep-recent` too."""
    report = lane.report("compact", "in.jsonl", *options, "--call", "fork", "--dry-run")
    told = report["summaries"]
    assert (told["step"], told["call"]) == (options[1].removeprefix("format,"), "fork")
    assert (told["asked"] > 0) is reached


def test_an_option_that_the_step_does_not_have_is_refused(lane: Cg) -> None:
    """Pi has one limit, which is no share."""
    assert lane("compact", "in.jsonl", "--policy", "pi-keep-recent", "--ask-at", "0.5", "--dry-run") == 2
    assert lane.err.startswith(b"cg: pi-keep-recent: there is no parameter 'ask_at'\n")


def test_an_unknown_call_mode_in_a_file_is_a_warning(lane: Cg) -> None:
    """In the configuration and in a policy: `standalone` is used, and the run goes on."""
    lane.write("cg.toml", '[components.summarize]\ncall = "forc"\nbudget_tokens = 2500\n')
    lane.write("p.toml", '[[steps]]\ncomponent = "summarize"\ncall = "forc"\nbudget_tokens = 2500\n')
    said = b"no call mode 'forc': standalone is used; did you mean 'fork'?\n"
    runs = ((b"cg.toml:2", ("--policy", "summarize", "--config", "cg.toml")), (b"p.toml:3", ("--policy", "p.toml")))
    for where, options in runs:
        assert lane("compact", "in.jsonl", *options, "-o", "out.jsonl", "--json") == 0
        assert lane.err == b"cg: " + where + b": " + said
        told = json.loads(lane.out)["summaries"]
        assert (told["call"], set(told["by_mode"])) == ("standalone", {"standalone"})


def test_the_command_line_wins_over_a_wrong_mode_in_a_file(lane: Cg) -> None:
    """Nothing is left to warn of."""
    lane.write("cg.toml", '[components.summarize]\ncall = "forc"\nbudget_tokens = 2500\n')
    report = lane.report(
        "compact", "in.jsonl", "--policy", "summarize", "--config", "cg.toml", "--call", "fork", "--dry-run"
    )
    assert lane.err == b""
    assert set(report["summaries"]["by_mode"]) == {"fork"}


def test_a_fallback_is_warned_of_once(cg: Cg) -> None:
    """Once for its reason, however many lanes and calls meet it; the count has all of them."""
    forced: dict[str, Any] = {"tool_choice": {"type": "any"}}
    other = [{**one, "messages": [user("other"), *one["messages"][1:]]} for one in _lane(**forced)]
    cg.write("in.jsonl", lines([*_lane(**forced), *other]))
    assert cg("compact", "in.jsonl", *SUMMARIZE, "--call", "fork", "-o", "out.jsonl") == 0
    assert cg.err.count(b"\n") == 1
    assert cg.err.startswith(b"cg: fork: the request forces a tool call")
    assert b"  forks that became standalone calls: " in cg.out
    assert b", 0 declines\n" in cg.out


def test_a_decline_is_no_fallback(lane: Cg) -> None:
    """The two are told apart in the report."""
    lane.write(
        "p.toml", '[[steps]]\ncomponent = "summarize"\ncall = "auto"\nbudget_tokens = 2500\nmin_span_ratio = 1\n'
    )
    assert lane("compact", "in.jsonl", "--policy", "p.toml", "-o", "out.jsonl") == 0
    assert lane.err.count(b"\n") == 1
    assert lane.err.startswith(b"cg: auto: the span is too small a part of the parent for a fork to pay (a decline): ")
    assert b"  forks that became standalone calls: 0 fallbacks, " in lane.out
    assert b", 0 declines\n" not in lane.out


def test_without_a_summariser_the_product_is_the_input(lane: Cg) -> None:
    """`--summarizer none`: the reason is in the report."""
    assert lane("compact", "in.jsonl", *SUMMARIZE, "--summarizer", "none", "-o", "out.jsonl") == 0
    assert lane.read("out.jsonl") == lane.read("in.jsonl")
    assert b": no_model (a call that is not native needs a summariser, and there is none)\n" in lane.out
    assert b"out.jsonl: the same bytes as the input\n" in lane.out


def test_native_is_conspicuous(cg: Cg) -> None:
    """IRREVERSIBLE; its savings are n/a; no way back is offered, and `--all` refuses."""
    cg.write("in.jsonl", lines(_lane(3, model="claude-opus-4-8")))
    options = ("--policy", "summarize", "--call", "native", "--budget", "100000", "--stash", "s")
    cg.write("p.toml", '[[steps]]\ncomponent = "summarize"\nplatform = "bedrock"\n')
    assert cg("compact", "in.jsonl", "--policy", "p.toml", *options[2:], "-o", "out.jsonl") == 0
    shown = cg.out.decode().splitlines()
    assert "IRREVERSIBLE: in 1 lane the provider compacts by itself; nothing of ours brings back what it drops" in shown
    assert next(line for line in shown if line.startswith("summarize ")).split() == ["summarize", "0", "n/a", "n/a"]
    assert not any(line.startswith("next") for line in shown)
    assert all(b'"compact_20260112"' in line for line in cg.read("out.jsonl").splitlines())
    assert cg("expand", "--all", "out.jsonl", "-o", "back.jsonl", "--stash", "s") == 5
    assert b"4 edits were irreversible" in cg.err
    assert "back.jsonl" not in cg.names()


def test_native_on_a_model_without_it_changes_nothing(lane: Cg) -> None:
    """It never falls back to another way; the reason is said once on stderr and in the report."""
    for call in ("native", "native-threshold", "native-on-demand"):
        assert lane("compact", "in.jsonl", *SUMMARIZE, "--call", call, "-o", "out.jsonl") == 0
        assert lane.err == f"cg: {call}: no table says whether the model has compaction of its own: local\n".encode()
        assert lane.read("out.jsonl") == lane.read("in.jsonl")
        assert b": model_unknown (" in lane.out


def test_native_beside_a_component_that_drops_is_refused(cg: Cg) -> None:
    """Two editors of one history; with a lossless one beside it, it is set up."""
    cg.write("in.jsonl", lines(_lane(3, model="claude-opus-4-8")))
    native = ("--call", "native-threshold", "--budget", "100000", "--dry-run")
    refused = cg.report("compact", "in.jsonl", "--pipeline", "format,collapse,summarize", *native)["summaries"]
    assert (refused["set_up"], refused["refused"]) == (0, {"other_editor": 1})
    (warning,) = refused["warnings"]
    assert warning.endswith(": collapse")
    done = cg.report("compact", "in.jsonl", "--pipeline", "format,summarize", *native)["summaries"]
    assert (done["set_up"], done["refused"]) == (1, {})


def test_a_span_without_a_marker_is_announced(lane: Cg) -> None:
    """`marker_mode` takes the way back; the words are about spans, not tool outputs."""
    lane.write("p.toml", '[[steps]]\ncomponent = "summarize"\nbudget_tokens = 2500\nmarker_mode = "off"\n')
    assert lane("compact", "in.jsonl", "--policy", "p.toml", "-o", "out.jsonl") == 0
    found = [line for line in lane.out.decode().splitlines() if line.startswith("IRREVERSIBLE")]
    assert len(found) == 1
    assert found[0].endswith(" without an original in the stash (marker_mode)")
    assert " span" in found[0]
    assert b"next" not in lane.out
    assert lane("expand", "--all", "out.jsonl", "-o", "back.jsonl") == 5


def test_recorded_answers_are_read_from_their_folder(lane: Cg) -> None:
    """An answer that is not there is refused by name, and the request stays as it is."""
    (lane.folder / "answers").mkdir()
    report = lane.report("compact", "in.jsonl", *SUMMARIZE, "--summarizer", "recorded:answers", "--dry-run")
    assert report["summaries"]["summarizer"] == "recorded"
    assert set(report["summaries"]["refused"]) == {"not_recorded"}
    assert report["tokens"]["before"] == report["tokens"]["after"]


def test_auto_is_judged_as_diff_modes_judges_it(cg: Cg) -> None:
    """The same parent and span: the same share from which on a fork pays, and the same choice."""
    name = cg.fixture("context-guru/agent.jsonl")
    told = cg.report("compact", name, "--policy", "summarize", "--budget", "20000", "--call", "auto", "--dry-run")
    (asked,) = [event for event in told["summaries"]["events"] if event["what"] == "asked"]
    assert (asked["line"], asked["messages"]) == (17, [1, 15])
    compared = cg.report("diff-modes", name, "--at", "12", "--span-messages", "14", "--call", "auto")
    (one,) = compared["comparisons"]
    assert (one["line"], one["span"]["messages"]) == (17, [1, 15])
    stats = told["summaries"]["last_summary_call_stats"]
    assert stats["span_measure"] == one["last_summary_call_stats"]["span_measure"]
    assert stats["span_measure"]["min_span_ratio"] == one["min_span_ratio"] != 0.1
    assert stats["mode_used"] == one["last_summary_call_stats"]["mode_used"] == "fork"


def test_auto_forks_nothing_that_no_cache_holds(cg: Cg) -> None:
    """No request of the file has a mark, so a fork would read nothing of its parent: every one is declined."""
    name = cg.fixture("lanes/fork-summary.jsonl")
    told = cg.report("compact", name, "--policy", "summarize", "--budget", "2500", "--call", "auto", "--dry-run")
    assert told["summaries"]["by_mode"] == {"standalone": told["summaries"]["asked"]}
    assert told["summaries"]["fork_declines"] == told["summaries"]["asked"] > 0


def test_without_a_call_it_says_how_near_the_file_came(cg: Cg) -> None:
    """12,983 tokens in the last request, where a summary is asked for from 60 % of 163,904 on."""
    name = cg.fixture("context-guru/agent.jsonl")
    told = cg.report("compact", name, "--policy", "summarize", "--dry-run")["summaries"]
    assert (told["asked"], told["refused"]) == (0, {})
    assert told["nearest"] == {
        "model": "claude-sonnet-4-5-20250929",
        "tokens": 12_983,
        "basis": "estimated: o200k_base x 1.24",
        "ask_tokens": 98_342,
    }
    assert cg("compact", name, "--policy", "summarize", "--dry-run") == 0
    assert b"\n  none was asked for: that is from 98,342 tokens on, and " in cg.out
    asked = cg.report("compact", name, "--policy", "summarize", "--budget", "20000", "--dry-run")["summaries"]
    assert (asked["asked"], asked["nearest"]) == (1, None)
    refused = cg.report("compact", name, *SUMMARIZE, "--summarizer", "none", "--dry-run")["summaries"]
    assert (refused["asked"], refused["nearest"]) == (0, None)
