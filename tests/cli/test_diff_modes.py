"""`cg diff-modes`: the ways to ask for a summary, as a person and as a program reads them."""

from __future__ import annotations

import gzip
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.calls.instruction import PROMPT
from tests.calls.asking import SESSION, assistant, behind_last, claude, compact, text, user
from tests.running import FIXTURES
from tests.snapshots import as_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from syrupy.assertion import SnapshotAssertion

    from tests.cli.calling import Cg

AGENT = "context-guru/agent.jsonl"
CHAT = [user("Begin."), assistant("An answer of several words. " * 40), user("And then?"), assistant("Then this.")]
HOSTILE = "\x1b[2J\u202e\x9b</script>"


def shapes(report: dict[str, Any]) -> dict[str, Any]:
    """The shapes of the only comparison, by mode."""
    (one,) = report["comparisons"]
    return {shape["mode"]: shape for shape in one["shapes"]}


def errors(cg: Cg) -> list[str]:
    """What was said on stderr, line by line."""
    return cg.err.decode().splitlines()


def test_the_report_reads_like_this(cg: Cg, snapshot: SnapshotAssertion) -> None:
    """What a person sees, byte for byte; nothing is written, nothing is said besides."""
    file = cg.fixture(AGENT)

    assert cg("diff-modes", file) == 0
    assert cg.out == as_file(snapshot, "txt")
    assert (cg.err, cg.names()) == (b"", [file])


def test_the_next_steps_work_as_they_are_shown(cg: Cg) -> None:
    """Each command at the end can be typed."""
    assert cg("diff-modes", cg.fixture(AGENT)) == 0
    steps = [line.split()[2:] for line in cg.out.decode().splitlines() if line.startswith("next     cg ")]

    assert [step[0] for step in steps] == ["diff-modes", "diff-modes"]
    for step in steps:
        assert cg(*step) == 0
    assert cg("diff-modes", "agent.jsonl", "--every") == 0
    assert cg(*cg.out.decode().splitlines()[-1].split()[2:]) == 0


def test_json_is_alone_on_stdout(cg: Cg) -> None:
    """One document; warnings and what was written are told on stderr."""
    file = cg.fixture(AGENT)
    assert cg("diff-modes", file, "--call", "auto", "--span-messages", "2", "--json", "--emit", "out") == 0
    report = json.loads(cg.out)

    assert report["schema"] == "cgcli/diff-modes/v1"
    assert [line.split()[0] for line in errors(cg)] == ["cg:", *["wrote"] * 5]
    assert "too small a part of the parent" in errors(cg)[0]


def test_what_was_not_asked_for_is_not_warned_of(cg: Cg) -> None:
    """That `auto` declines is told in the report, and on stderr only where it is wanted."""
    file = cg.fixture(AGENT)

    assert cg("diff-modes", file, "--span-messages", "2") == 0
    assert cg.err == b""
    assert b"auto comes to standalone: below_min_span_ratio" in cg.out


def test_each_reason_is_warned_of_once(cg: Cg) -> None:
    """Six declines of one kind are one line, and six in the account."""
    file = cg.fixture(AGENT)
    report = cg.report("diff-modes", file, "--every", "--call", "auto", "--span-messages", "1")
    last = report["comparisons"][-1]["last_summary_call_stats"]

    assert len(errors(cg)) == 1
    assert (last["fork_declines"], last["fork_fallbacks"]) == (6, 0)


@pytest.mark.parametrize(
    ("said", "modes"),
    [
        (["--call", "fork"], ["fork"]),
        (["--call", "inline"], ["standalone"]),
        (["--call", "auto"], ["fork", "standalone"]),
        (["--call", "native"], ["native-on-demand", "native-threshold"]),
        (["--call", "standalone,fork"], ["standalone", "fork"]),
        (["--call", "fork", "--call", "native-threshold", "--call", "fork"], ["fork", "native-threshold"]),
        ([], ["standalone", "fork", "native-threshold", "native-on-demand"]),
    ],
)
def test_the_shapes_are_those_that_are_named(said: list[str], modes: list[str], cg: Cg) -> None:
    """In the order in which they are named, each once; all that the dialect has where none is."""
    report = cg.report("diff-modes", cg.fixture(AGENT), *said)

    assert list(shapes(report)) == modes


@pytest.mark.parametrize(
    ("said", "message", "hint"),
    [
        (["--lane", "L7"], "there is no lane 'L7'", "known: L1, L2"),
        (["--at", "99"], "lane L1 has turns 1 to 14, not 99", "--at 14"),
        (["--call", "forks"], "no call mode 'forks'", "did you mean 'fork'?"),
        (["--call", ","], "--call names no mode", "--call fork, or --call standalone,fork"),
        (["--at", "2", "--every"], "--at and --every exclude each other", "--every compares all turns of the lane"),
        (["--summarizer", "x"], "no summarizer is called 'x'", "known: extractive, recorded:DIR, modelled:RATIO, none"),
        (["--ask-at", "0.9", "--apply-at", "0.8"], "ask_at (0.9) is above apply_at (0.8)", "ask before you apply"),
        (["--span-tokens", "9", "--span-messages", "9"], "tokens and messages: give one amount", "what is reached"),
    ],
)
def test_a_wrong_word_is_exit_2(said: list[str], message: str, hint: str, cg: Cg) -> None:
    """With what was meant, in two lines, and nothing on stdout."""
    assert cg("diff-modes", cg.fixture(AGENT), *said) == 2
    assert cg.out == b""
    assert errors(cg)[0] == f"cg: {message}"
    assert errors(cg)[1].startswith(f"  try: {hint}")


def test_json_and_show_exclude_each_other(cg: Cg) -> None:
    """Stdout is one document or a page, never both."""
    assert cg("diff-modes", cg.fixture(AGENT), "--json", "--show") == 2
    assert json.loads(cg.err)["hint"] == "--emit DIR writes the bodies"


@pytest.mark.parametrize("name", ["ugly/empty.jsonl", "ugly/dataset.jsonl", "ugly/change-log.jsonl"])
def test_a_file_without_requests_is_exit_4(name: str, cg: Cg) -> None:
    """By name, and nothing on stdout."""
    file = cg.fixture(name)

    assert cg("diff-modes", file) == 4
    assert cg.out == b""
    assert errors(cg)[0].startswith(f"cg: {file}: ")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (["--call", "fork"], 0),
        (["--call", "fork", "--every"], 0),  # turns without a span say nothing of the shapes
        (["--call", "fork", "--at", "1"], 3),  # where there is no other
        (["--call", "fork", "--model", "claude-haiku-4-5"], 3),
        (["--call", "standalone", "--model", "claude-haiku-4-5"], 0),
        ([], 3),  # the model has no compaction of its own
    ],
)
def test_exit_code_tells_whether_all_may_be_used(said: list[str], code: int, cg: Cg) -> None:
    """3 where a shape is refused, and the report is printed all the same."""
    assert cg("diff-modes", cg.fixture(AGENT), "--exit-code", *said) == code
    assert cg.out


def test_bodies_are_written_byte_for_byte(cg: Cg) -> None:
    """One JSON body a file, named after its shape; a fork is the parent's bytes and one message."""
    file = cg.fixture(AGENT)
    assert cg("diff-modes", file, "--at", "12", "--emit", "out/bodies") == 0
    names = sorted(path.name for path in (cg.folder / "out" / "bodies").iterdir())
    parent, fork = (cg.read(f"out/bodies/{name}.json") for name in ("parent", "fork"))
    line = cg.read(file).splitlines()[16]
    at = behind_last(parent)

    assert names == ["fork.json", "fork.next.json", "parent.json", "standalone.json", "standalone.next.json"]
    assert parent in line
    assert json.loads(parent) == json.loads(line)["body"]
    assert (fork[:at], fork[at - len(parent) :]) == (parent[:at], parent[at:])
    assert json.loads(fork)["messages"][-1]["content"].startswith(PROMPT)
    assert json.loads(cg.read("out/bodies/standalone.json"))["system"] == PROMPT


def test_bodies_of_every_turn_are_named_after_it(cg: Cg) -> None:
    """Lane and turn stand before the shape; a native call that follows is a stand-in and not written."""
    assert cg("diff-modes", cg.fixture("bodies/responses.jsonl"), "--every", "--emit", "out") == 0

    assert sorted(path.name for path in (cg.folder / "out").iterdir() if path.name.startswith("L1-3")) == [
        "L1-3-fork.json",
        "L1-3-fork.next.json",
        "L1-3-native-endpoint.json",
        "L1-3-native-on-demand.json",
        "L1-3-native-threshold.json",
        "L1-3-parent.json",
        "L1-3-standalone.json",
        "L1-3-standalone.next.json",
    ]


def test_nothing_is_left_half_written(cg: Cg) -> None:
    """Where the folder is a file nothing is printed, and what stood there stays."""
    file = cg.fixture(AGENT)
    before = cg.read(file)

    assert cg("diff-modes", file, "--emit", file) != 0
    assert cg.out == b""
    assert errors(cg)[0].startswith(f"cg: {file}: cannot write")
    assert (cg.names(), cg.read(file)) == ([file], before)


def test_bodies_of_an_earlier_run_are_replaced(cg: Cg) -> None:
    """A shape that is refused now leaves no file; what was removed is told."""
    file = cg.fixture(AGENT)
    assert cg("diff-modes", file, "--emit", "out") == 0
    assert cg("diff-modes", file, "--emit", "out", "--model", "claude-haiku-4-5") == 0
    names = sorted(path.name for path in (cg.folder / "out").iterdir())

    assert names == ["parent.json", "standalone.json", "standalone.next.json"]
    assert json.loads(cg.read("out/standalone.json"))["model"] == "claude-haiku-4-5"
    assert errors(cg)[-1] == "removed 2 files of an earlier run from out"


@pytest.mark.parametrize(
    ("name", "is_folder", "told"),
    [
        ("fork.json", False, "cannot write: it is there already, and not in a folder of such files alone"),
        ("fork.json", True, "cannot write: it is a folder"),
        ("standalone.next.json", True, "cannot write: it is a folder"),
    ],
)
def test_what_may_be_somebodys_is_not_replaced(name: str, is_folder: bool, told: str, cg: Cg) -> None:  # noqa: FBT001 - a parameter of the test
    """Beside other files, or where a folder stands; then nothing is written at all."""
    file = cg.fixture(AGENT)
    out = cg.folder / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    if is_folder:
        (out / name).mkdir()
    else:
        (out / name).write_text("mine")

    assert cg("diff-modes", file, "--emit", "out") == 1
    assert cg.out == b""
    assert errors(cg) == [f"cg: out/{name}: {told}", "  try: give --emit a folder of its own"]
    assert sorted(path.name for path in out.iterdir()) == sorted(["notes.txt", name])


def test_the_file_that_is_read_is_not_replaced(cg: Cg) -> None:
    """Also where it is a body that was written before."""
    assert cg("diff-modes", cg.fixture(AGENT), "--emit", "out") == 0
    before = cg.read("out/fork.next.json")

    assert cg("diff-modes", "out/fork.next.json", "--emit", "out") == 1
    assert cg.read("out/fork.next.json") == before


def test_bodies_may_stand_beside_other_files(cg: Cg) -> None:
    """Where none of them is in the way."""
    file = cg.fixture(AGENT)

    assert cg("diff-modes", file, "--emit", ".") == 0
    assert len(cg.names()) == 6


@pytest.mark.parametrize("tokens", ["0", "1000001", "99999999999999999999"])
def test_a_summary_of_any_size_is_not_made_up(tokens: str, cg: Cg) -> None:
    """A size that no summary has is a wrong word."""
    assert cg("diff-modes", cg.fixture(AGENT), "--summary-tokens", tokens) == 2
    assert f"{tokens} is not in the range" in errors(cg)[0]


def test_the_next_steps_have_the_span_that_was_given(cg: Cg) -> None:
    """As they are shown they compare the same messages."""
    file = cg.fixture(AGENT)
    assert cg("diff-modes", file, "--span-messages", "2", "--keep-first", "3") == 0
    shown = next(line for line in cg.out.decode().splitlines() if line.startswith("span "))
    steps = [line.split()[2:] for line in cg.out.decode().splitlines() if line.startswith("next     cg ")]

    assert len(steps) == 2
    assert cg(*steps[1]) == 0
    assert shown in cg.out.decode().splitlines()


def test_a_fork_is_shown_as_its_difference(cg: Cg) -> None:
    """One hunk with one message; a standalone call is shown whole."""
    assert cg("diff-modes", cg.fixture(AGENT), "--show") == 0
    lines = cg.out.decode().splitlines()
    at = lines.index("--- L1 turn 13: fork, POST /v1/messages")

    assert lines[at + 1 : at + 3] == ["--- parent", "+++ fork"]
    assert [line[:12] for line in lines[at + 3 :] if line[0] in "+-"] == [
        "+  },",
        "+  {",
        '+   "role": ',
        '+   "content',
    ]
    whole = lines[lines.index("--- L1 turn 13: standalone, POST /v1/messages") + 1 : at - 1]
    assert list(json.loads("\n".join(whole))) == ["model", "max_tokens", "system", "messages"]


def test_hostile_text_is_shown_escaped(cg: Cg) -> None:
    """No control or bidirectional character of a transcript reaches the terminal, in no part of the page."""
    body = claude(user(text(HOSTILE)), *SESSION[1:], model=f"claude-{HOSTILE}")
    file = cg.write("c.jsonl", json.dumps(body, ensure_ascii=False))

    assert cg("diff-modes", file, "--show") == 0
    shown = cg.out.decode()
    assert not {sign for sign in shown if (ord(sign) < 0x20 and sign != "\n") or sign in "\x9b\u202e"}
    assert "\\u202e\\x9b</script>" in shown


def _piped(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give *content* to stdin, as a stream that cannot be read twice."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Pipe(content))))


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_stdin_is_read_as_a_file_is(packed: bool, cg: Cg, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001 - a parameter of the test
    """Both readings of it see all, packed or not; no command is shown that would read it again."""
    content = (FIXTURES / AGENT).read_bytes()
    file = cg.report("diff-modes", cg.fixture(AGENT))
    _piped(gzip.compress(content) if packed else content, monkeypatch)
    report = cg.report("diff-modes", "-")

    assert report["comparisons"] == file["comparisons"]
    _piped(content, monkeypatch)
    assert cg("diff-modes", "-") == 0
    assert b"\nnext     cg " not in cg.out


def test_a_packed_file_is_read_as_it_is(cg: Cg) -> None:
    """Twice, like any other."""
    report = cg.report("diff-modes", cg.fixture("ugly/agent.jsonl.gz"))

    assert shapes(report)["fork"]["g_fork_prefix"] == "exact"


def test_a_lane_is_chosen_by_name(cg: Cg) -> None:
    """And its turns counted from 1; a side call of one message has no span."""
    report = cg.report("diff-modes", cg.fixture(AGENT), "--lane", "l2", "--at", "3")
    (one,) = report["comparisons"]

    assert (one["lane"], one["turn"], one["line"], one["model"]) == ("L2", 3, 14, "claude-haiku-4-5-20251001")
    assert (one["span"]["messages"], one["span"]["reason"]) == (None, "nothing_to_select")


def test_a_file_with_one_request(cg: Cg) -> None:
    """The parent stands in for what would follow, and that is told."""
    report = cg.report("diff-modes", cg.fixture("bodies/single.json"))
    fork = shapes(report)["fork"]

    assert (fork["next"]["recorded"], fork["next"]["reason"]) == (False, None)
    assert cg("diff-modes", "single.json") == 0
    assert b"\nnext: the parent again\n" in cg.out


def test_a_batch_is_compared_line_by_line(cg: Cg) -> None:
    """Its requests are independent: each is a lane of one turn."""
    report = cg.report("diff-modes", cg.fixture("anthropic-batch/input.jsonl"), "--every", "--lane", "L3")

    assert [(lane["lane"], lane["turns"]) for lane in report["lanes"]] == [("L1", 1), ("L2", 1), ("L3", 1), ("L4", 1)]
    assert [(one["lane"], one["turn"]) for one in report["comparisons"]] == [("L3", 1)]


@pytest.mark.parametrize(
    ("said", "messages"),
    [
        (["--span-messages", "3"], [1, 5]),  # a call and its result stay together
        (["--span-messages", "4"], [1, 5]),
        (["--span-fraction", "0.01"], [1, 3]),
        (["--span-tokens", "1"], [1, 3]),
        (["--keep-first", "3", "--span-messages", "2"], [3, 5]),
        (["--keep-last", "0", "--span-fraction", "1"], [1, 25]),
    ],
)
def test_the_span_is_the_one_that_is_asked_for(said: list[str], messages: list[int], cg: Cg) -> None:
    """By messages, tokens or share; what stays at the head and at the tail is an option."""
    report = cg.report("diff-modes", cg.fixture(AGENT), *said)

    assert report["comparisons"][0]["span"]["messages"] == messages


def test_prices_of_a_file_come_first(cg: Cg) -> None:
    """Named in the place of a day, and break-even by its prices."""
    rates = {"claude-sonnet-4-5": {"fresh": 1, "read": 1, "write": 1, "output": 1}}
    file, own = cg.fixture(AGENT), cg.write("rates.json", json.dumps(rates))
    code = cg("diff-modes", file, "--rates", own, "--json")
    assert code == 0, cg.err
    report = json.loads(cg.out)
    one = report["comparisons"][0]
    fork, standalone = (shapes(report)[mode]["predicted"] for mode in ("fork", "standalone"))
    cost = {mode["mode"]: float(mode["predicted"]["usd"]) for mode in one["shapes"] if mode["predicted"]}

    assert (one["rate"]["as_of"], "from rates.json" in one["rate"]["rule"]) == (None, True)
    assert cost["fork"] == pytest.approx((fork["read_tokens"] + fork["fresh_tokens"] + fork["output_tokens"]) / 1e6)
    assert cost["standalone"] == pytest.approx((standalone["fresh_tokens"] + standalone["output_tokens"]) / 1e6)
    assert one["min_span_ratio"] > 1  # reading a million for a dollar, a fork of all costs more than any part


def test_the_platform_decides_what_it_has(cg: Cg) -> None:
    """Compaction on demand is not on Bedrock."""
    file = cg.write("c.jsonl", compact(claude(*SESSION, model="claude-opus-5-5")))
    reasons = {}
    for platform in ("anthropic", "bedrock"):
        told = shapes(cg.report("diff-modes", file, "--platform", platform, "--call", "native"))
        reasons[platform] = [shape["reason"] for shape in told.values()]

    assert reasons == {"anthropic": [None, None], "bedrock": ["platform_unsupported", None]}


def test_a_trigger_below_the_least_is_refused(cg: Cg) -> None:
    """It follows `--budget` (0.92 of 54,348 is 50,000), and is never raised to what the provider takes."""
    file = cg.write("c.jsonl", compact(claude(*SESSION, model="claude-opus-5-5")))
    said = ("diff-modes", file, "--call", "native-threshold", "--budget")
    told = [_of(cg.report(*said, budget)) for budget in ("100000", "54348", "54347")]

    assert [one["reason"] for one in told] == [None, None, "trigger_too_low"]


def _of(report: dict[str, Any]) -> dict[str, Any]:
    found: Sequence[dict[str, Any]] = report["comparisons"][0]["shapes"]
    return found[0]


def test_help_has_examples(cg: Cg) -> None:
    """The first of them needs nothing but a file."""
    assert cg("diff-modes", "--help") == 0
    assert b"Example: cg diff-modes capture.jsonl" in cg.out


def test_a_lane_says_why_its_costs_are_not_known(cg: Cg) -> None:
    """With `--every` too: that there is no price, no simulated cache, and what follows where nothing goes on."""
    records = [claude(*SESSION[: 2 * n + 1], model="local-model") for n in range(4)]
    cg.write("in.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    assert cg("diff-modes", "in.jsonl", "--every") == 0
    shown = cg.out.decode().splitlines()
    assert "prices   local-model is unpriced: no table has it; --rates FILE takes prices" in shown
    assert any(line.startswith("no cache standalone, fork: the cache of local-model") for line in shown)
    assert "no request goes on from 1 turn (4): there the parent again is what follows" in shown
    assert "cheapest: none in 4 turns" in shown


def test_costs_that_are_not_known_are_not_called_unpriced(cg: Cg) -> None:
    """The model has a price; it is its cache that is not simulated."""
    cg.write("in.jsonl", json.dumps({"model": "grok-4.7", "messages": [*CHAT, user("Go on.")]}) + "\n")
    assert cg("diff-modes", "in.jsonl", "--call", "auto") == 0
    shown = cg.out.decode()
    assert "prices   grok-4.7 of " in shown
    assert "what a fork costs is not known: one is made from 0.22" in " ".join(shown.split())
    assert "without prices" not in shown


def test_a_wrong_share_says_what_to_try(cg: Cg) -> None:
    """Two lines, exit 2."""
    assert cg("diff-modes", cg.fixture(AGENT), "--span-fraction", "2") == 2
    assert errors(cg) == [
        "cg: fraction is 2: a share of the tokens above 0 and up to 1 is meant",
        "  try: 0.5 is half of them",
    ]
