"""`cg convert`: a history or a log becomes requests, one a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.readers.derived import Derived
from cgcli.readers.requests import Speller
from tests.snapshots import as_file

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from tests.cli.calling import Cg

BODY = b'{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"go"}]}'
REBUILT = bytes(Speller(format_name="some-history", reconstructed=True).line(Derived(body=BODY, line=1)))


def test_the_report_reads_like_this(cg: Cg, snapshot: SnapshotAssertion) -> None:
    """What a person sees, byte for byte."""
    assert cg("convert", cg.fixture("claude-trace/seven-lanes.jsonl"), "-o", "requests.jsonl") == 0
    assert cg.out == as_file(snapshot, "txt")


def test_the_json_report_is_this_document(cg: Cg, snapshot: SnapshotAssertion) -> None:
    """What a program sees; the product goes to its file."""
    assert cg("convert", cg.fixture("claude-trace/odd.jsonl"), "-o", "requests.jsonl", "--json") == 0
    assert cg.out == as_file(snapshot, "json")


def test_what_is_no_request_is_told_on_one_line(cg: Cg) -> None:
    """Each reason with how often it was met."""
    assert cg("convert", cg.fixture("pi/v1.jsonl"), "--dry-run") == 0
    told = [line for line in cg.out.decode().splitlines() if "not requests" in line]
    assert told == ["not requests: 1 aborted_turn, 1 failed_turn"]


def test_without_an_output_the_product_is_stdout(cg: Cg) -> None:
    """And the report is talk."""
    assert cg("convert", cg.fixture("bodies/anthropic.jsonl"), "--to", "capture") == 0
    assert [json.loads(line)["model"] for line in cg.out.splitlines()] == ["claude-sonnet-4-5-20250929"] * 4
    assert b"4 requests" in cg.err


def test_a_dry_run_writes_nothing(cg: Cg) -> None:
    """Only the report, on stdout."""
    file = cg.fixture("bodies/anthropic.jsonl")
    assert cg("convert", file, "--dry-run") == 0
    assert (b"4 requests" in cg.out, cg.names()) == (True, [file])


def test_every_command_reads_the_product(cg: Cg) -> None:
    """The same lanes, and the same verdicts, as of the file itself."""
    file = cg.fixture("claude-trace/seven-lanes.jsonl")
    assert cg("convert", file, "-o", "requests.jsonl", "-q") == 0
    told = []
    for name in (file, "requests.jsonl"):
        cg("inspect", name, "--json")
        seen = json.loads(cg.out)
        cg("check", name, "--json")
        gates = json.loads(cg.out)["files"][0]["gates"]
        lanes = [(lane["label"], lane["requests"], lane["most_messages"]) for lane in seen["lanes"]]
        told.append(
            (lanes, seen["tokens"]["sent"], [(gate["gate"], gate["verdict"], gate["checked"]) for gate in gates])
        )
    assert told[0] == told[1]


def test_gates_do_not_judge_what_was_rebuilt(cg: Cg) -> None:
    """The prefix gates are `unknown`, with the reason; what a history does record is checked; alone, exit 6."""
    (cg.folder / "rebuilt.jsonl").write_bytes(REBUILT * 2)
    cg("check", "rebuilt.jsonl", "--json")
    gates = {gate["gate"]: gate for gate in json.loads(cg.out)["files"][0]["gates"]}
    unknown = [name for name, gate in gates.items() if gate["verdict"] == "unknown"]
    assert len(unknown) == 14
    assert {"G-MARKERS", "G-TOOL-PAIRS"} & set(unknown) == set()
    assert gates["G-APPEND"]["reason"] == "the requests were rebuilt from a history: what was sent is not recorded"
    assert cg("check", "rebuilt.jsonl", "--gate", "G-APPEND") == 6
    assert b"basis: requests rebuilt from a history, not as they were sent" in cg.out


def test_rebuilt_requests_compact_and_say_so(cg: Cg) -> None:
    """The basis stands in the report's second line, and in its document."""
    (cg.folder / "rebuilt.jsonl").write_bytes(REBUILT)
    assert cg("compact", "rebuilt.jsonl", "--dry-run") == 0
    assert cg.out.splitlines()[1].startswith(b"basis: requests rebuilt from a history")
    assert cg("compact", "rebuilt.jsonl", "--dry-run", "--json") == 0
    assert json.loads(cg.out)["basis"] == {"reconstructed": True, "not_recorded": []}


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("rebuilt.jsonl", "--to", "capture"), 4, b"a history, in which no request stands as it was sent"),
        (("rebuilt.jsonl", "--to", "captur"), 2, b"did you mean 'capture'?"),
        (("rebuilt.jsonl", "--json"), 2, b"--json puts the report on stdout"),
        (("rebuilt.jsonl", "-o", "rebuilt.jsonl"), 2, b"the output is the input"),
        (("none.jsonl",), 4, b"no such file"),
        (("*.har",), 4, b"no file fits the pattern"),
        (("empty",), 4, b"no file in the folder"),
    ],
)
def test_what_cannot_be_done_is_one_line(args: tuple[str, ...], code: int, says: bytes, cg: Cg) -> None:
    """With the right exit code, and nothing written."""
    (cg.folder / "rebuilt.jsonl").write_bytes(REBUILT)
    (cg.folder / "empty").mkdir()
    before = cg.names()
    assert cg("convert", *args) == code
    assert says in cg.err
    assert cg.err.count(b"\n") <= 2
    assert cg.names() == before


def test_a_folder_is_one_capture(cg: Cg) -> None:
    """For every command that reads one."""
    (cg.folder / "logs").mkdir()
    for i in range(3):
        (cg.folder / "logs" / f"{i}.json").write_bytes(BODY)
    (cg.folder / "logs" / "notes.txt").write_text("nothing\n")
    assert cg("inspect", "logs", "--json") == 0
    told = json.loads(cg.out)
    assert (told["requests"], told["layout"], told["passed_records"]) == (3, "several files", {"not_a_capture": 1})
    assert cg("convert", "logs/*.json", "-o", "all.jsonl") == 0
    assert (cg.folder / "all.jsonl").read_bytes().count(BODY) == 3
    assert cg("compact", "logs", "-o", "out.jsonl") == 0
    assert cg("check", "logs", "--gate", "G-TOOL-PAIRS") in (0, 6)
    assert cg("diff-modes", "logs") == 0
