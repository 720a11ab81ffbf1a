"""`cg replay`: what a person sees, what a program reads, many files, and where it ends."""

from __future__ import annotations

import gzip
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.running import cg as run_cg
from tests.docs.keys import documented, printed
from tests.docs.pages import DOCS
from tests.running import FIXTURES
from tests.snapshots import as_file

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from tests.cli.calling import Cg

AGENT = "context-guru/agent.jsonl"


def errors(cg: Cg) -> list[str]:
    """What was said on stderr, line by line."""
    return cg.err.decode().splitlines()


def rows(cg: Cg) -> dict[str, str]:
    """The lines of the first table, by policy."""
    told = cg.out.decode().split("\n\n")[1].splitlines()[1:]
    return {line.split()[0]: line for line in told if not line.startswith(("*", "not "))}


def sums(report: dict[str, Any], i_file: int = 0) -> dict[str, dict[str, Any]]:
    """The totals of each policy over one file."""
    return {arm["policy"]: arm["totals"] for arm in report["files"][i_file]["arms"]}


def test_the_report_reads_like_this(cg: Cg, snapshot: SnapshotAssertion) -> None:
    """What a person sees, byte for byte; nothing is written, nothing is said besides."""
    file = cg.fixture(AGENT)

    assert cg("replay", file) == 0
    assert cg.out == as_file(snapshot, "txt")
    assert (cg.err, cg.names()) == (b"", [file])


def test_turns_read_like_this(cg: Cg, snapshot: SnapshotAssertion) -> None:
    """A bar for each request of each policy, a call of the policy's own beside the request that it was asked from."""
    file = cg.fixture(AGENT)

    assert cg("replay", file, "--policy", "mask@ignore,standalone", "--budget", "9000", "--turns") == 0
    assert cg.out == as_file(snapshot, "txt")


def test_the_document_has_the_documented_keys(cg: Cg) -> None:
    """No key that docs/reference/json-output.md does not name; stdout has the one document and nothing else."""
    report = cg.report("replay", cg.fixture(AGENT), "--policy", "mask@ignore,fork", "--budget", "9000")

    assert report["schema"] == "cgcli/replay/v1"
    assert report["policies"] == ["off", "mask@ignore", "fork"]
    told = documented((DOCS / "reference" / "json-output.md").read_text(encoding="utf-8"))["cgcli/replay/v1"]
    assert set(printed(report, told)) <= told
    assert cg.err == b""


def test_the_document_is_the_same_whenever_and_however_it_is_made(cg: Cg) -> None:
    """Byte for byte: on a second run, and with one process or two."""
    files = [cg.fixture(AGENT), cg.fixture("context-guru/openai.jsonl")]
    made = []
    for jobs in ("1", "1", "2"):
        assert cg("replay", *files, "--policy", "codesafe,standalone", "--budget", "9000", "--json", "-j", jobs) == 0
        made.append(cg.out)

    assert made[0] == made[1] == made[2]
    assert [file["file"] for file in json.loads(made[0])["files"]] == files


def test_of_one_file_there_is_no_sum_and_of_two_there_is(cg: Cg) -> None:
    """Every count and every dollar of it is the two files' together."""
    agent, openai = cg.fixture(AGENT), cg.fixture("context-guru/openai.jsonl")

    assert cg.report("replay", agent)["total"] is None
    report = cg.report("replay", agent, openai)
    for policy, total in report["total"].items():
        one, other = sums(report)[policy], sums(report, 1)[policy]
        for name in ("requests", "fired", "read_tokens", "write_tokens", "fresh_tokens", "removed_gross_tokens"):
            assert total[name] == one[name] + other[name]
        assert f"{float(total['usd']):.6f}" == f"{float(one['usd']) + float(other['usd']):.6f}"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_files_that_cannot_be_read_do_not_stop_the_others(cg: Cg, jobs: str) -> None:
    """The others are told in their order; exit 4, and for each bad one a line with its name and what to try."""
    agent, openai, empty = cg.fixture(AGENT), cg.fixture("context-guru/openai.jsonl"), cg.write("empty.jsonl", b"")

    assert cg("replay", agent, empty, openai, "nope.jsonl", "--policy", "codesafe", "-j", jobs) == 4
    heads = [line.split(":")[0] for line in cg.out.decode().splitlines() if " in 1 lane" in line or " lanes" in line]
    assert heads == [agent, openai]
    assert errors(cg) == [
        "cg: empty.jsonl: the file is empty",
        "  try: record a capture first",
        "cg: nope.jsonl: no such file",
        "  try: check the path; `-` reads stdin",
    ]


def test_bad_files_are_told_as_documents_too(cg: Cg) -> None:
    """With --json each is an object on stderr, and a member of `failed` on stdout."""
    assert cg("replay", cg.fixture(AGENT), "nope.jsonl", "--json") == 4
    (failed,) = json.loads(cg.out)["failed"]
    assert (failed["file"], failed["error"]) == ("nope.jsonl", "no such file")
    assert {key: json.loads(cg.err)[key] for key in ("schema", "where", "exit_code")} == {
        "schema": "cgcli/error/v1",
        "where": "nope.jsonl",
        "exit_code": 4,
    }


@pytest.mark.parametrize("name", ["ugly/empty.jsonl", "ugly/dataset.jsonl", "refused/gemini.json"])
def test_a_file_without_requests_is_exit_4(cg: Cg, name: str) -> None:
    """By name, with what to try, and nothing on stdout."""
    file = cg.fixture(name)

    assert cg("replay", file) == 4
    assert cg.out == b""
    assert errors(cg)[0].startswith(f"cg: {file}: ")
    assert errors(cg)[1].startswith("  try: ")


def test_stdin_is_read_once_and_has_no_next_command(cg: Cg, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures are those of the file; what was piped cannot be named again."""
    content = (FIXTURES / AGENT).read_bytes()
    assert cg("replay", cg.fixture(AGENT)) == 0
    from_file = rows(cg)

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Pipe(content))))

    assert cg("replay", "-") == 0
    assert rows(cg) == from_file
    assert b"\nnext " not in cg.out
    assert cg("replay", "-", "-") == 2
    assert errors(cg) == ["cg: stdin can be read once", "  try: give `-` once"]


def test_a_folder_and_a_pattern_are_one_capture_each(cg: Cg) -> None:
    """The requests of all files in it meet one cache, in the order of their names, packed ones too."""
    (cg.folder / "runs").mkdir()
    (cg.folder / "runs" / "b.jsonl.gz").write_bytes(gzip.compress((FIXTURES / AGENT).read_bytes()))
    (cg.folder / "runs" / "a.jsonl").write_bytes((FIXTURES / "context-guru" / "openai.jsonl").read_bytes())

    for name in ("runs", "runs/*"):
        report = cg.report("replay", name, "--policy", "codesafe")
        assert [file["file"] for file in report["files"]] == [name]
        assert report["files"][0]["arms"][0]["turns"][0]["model"] == "gpt-4.1"
        assert report["files"][0]["requests"] == 24
    assert cg("replay", "runs/*.json") == 4
    assert errors(cg)[0] == "cg: runs/*.json: no file fits the pattern"


def test_strict_makes_an_unusable_record_an_error(cg: Cg) -> None:
    """The report is printed all the same; the line of the record, and how to go on, are on stderr."""
    file = cg.fixture("ugly/half-line.jsonl")

    assert cg("replay", file) == 0
    told = cg.out
    assert b"unusable records: 1\n  line 3: half_written" in told
    assert cg("replay", file, "--strict") == 4
    assert cg.out == told
    assert errors(cg)[0].startswith("cg: half-line.jsonl:3: half_written")
    assert errors(cg)[1] == "  try: leave --strict away: unusable records are then left out"


def test_quiet_says_nothing_and_writes_the_page(cg: Cg) -> None:
    """Neither on stdout nor on stderr."""
    file = cg.fixture(AGENT)

    assert cg("replay", file, "--html", "page.html", "-q") == 0
    assert (cg.out, cg.err) == (b"", b"")
    assert cg.read("page.html").startswith(b"<!DOCTYPE html>")
    assert cg.names() == [file, "page.html"]


def test_a_page_on_stdout_is_alone_there(cg: Cg) -> None:
    """The report goes to stderr then, and a document cannot be had too."""
    file = cg.fixture(AGENT)

    assert cg("replay", file, "--html", "-", "--policy", "codesafe") == 0
    assert cg.out.startswith(b"<!DOCTYPE html>")
    assert errors(cg)[0] == "agent.jsonl: context-guru, 17 requests in 2 lanes"
    assert cg("replay", file, "--html", "-", "--json") == 2
    assert json.loads(cg.err)["hint"] == "give a file in place of -"


def test_no_half_page_is_written(cg: Cg) -> None:
    """Into a folder that is not there, or in the place of the input: nothing is written, the input stays."""
    file = cg.fixture(AGENT)
    before = cg.read(file)

    assert cg("replay", file, "--html", "no/such/page.html") == 1
    assert errors(cg)[0].startswith("cg: no/such/page.html: cannot write")
    assert errors(cg)[1].startswith("  try: ")
    assert cg("replay", file, "--html", file) == 2
    assert errors(cg)[0].startswith(f"cg: {file}: ")
    assert (cg.read(file), cg.names()) == (before, [file])


def test_a_page_is_written_though_a_file_is_bad(cg: Cg) -> None:
    """It has the files that were read; the exit code tells of the other."""
    assert cg("replay", cg.fixture(AGENT), "nope.jsonl", "--html", "page.html", "-q") == 4
    assert b"nope.jsonl" in cg.read("page.html")
    assert [name for name in cg.names() if name.endswith(".part")] == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (["--policy", "codesafe", "--budget", "9000"], ["compact", "agent.jsonl", "--policy", "codesafe", "-o"]),
        (
            ["--policy", "cmdfilter+dedup", "--clock", "400"],
            ["compact", "agent.jsonl", "--pipeline", "cmdfilter,dedup"],
        ),
        (
            ["--policy", "mask@ignore", "--clock", "400"],
            ["compact", "agent.jsonl", "--pipeline", "mask", "--held", "ignore"],
        ),
        (
            ["--policy", "standalone", "--budget", "9000", "--clock", "400"],
            ["compact", "agent.jsonl", "--policy", "summarize", "--call", "standalone", "--budget", "9000"],
        ),
        (
            ["--policy", "mask@ignore", "--inject-expand", "never"],
            ["replay", "agent.jsonl", "--policy", "mask@ignore", "--inject-expand", "never", "--turns", "--html"],
        ),
    ],
)
def test_the_next_command_is_for_the_cheapest_and_works(cg: Cg, said: list[str], words: list[str]) -> None:
    """With the options that led there; where nothing is cheaper than `off`, a closer look."""
    assert cg("replay", cg.fixture(AGENT), *said) == 0
    (step,) = [line.split()[2:] for line in cg.out.decode().splitlines() if line.startswith("next    cg ")]

    assert step[: len(words)] == words
    assert cg(*step) == 0
    assert step[-1] in cg.names()


def test_two_processes_leave_nothing_on_stderr(tmp_path: Path) -> None:
    """As a command of its own, with a process for each file: the document comes, and stderr is silent."""
    for name in ("agent", "openai"):
        (tmp_path / f"{name}.jsonl").write_bytes((FIXTURES / "context-guru" / f"{name}.jsonl").read_bytes())
    ran = run_cg(tmp_path, "replay", "agent.jsonl", "openai.jsonl", "--policy", "codesafe", "--json", "-j", "2")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["failed"] == []
