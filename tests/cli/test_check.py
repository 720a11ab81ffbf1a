"""`cg check` as it is typed: exit codes, what goes to which stream, and what it leaves behind."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from cgcli.cli.run import main
from tests.cli.running import Ran, cg, script
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

PASSES = str(FIXTURES / "lanes" / "retries.jsonl")
FAILS = str(FIXTURES / "lanes" / "eliding.jsonl")
BATCH = str(FIXTURES / "anthropic-batch" / "input.jsonl")
HALF = str(FIXTURES / "ugly" / "half-line.jsonl")
ONE = ["--gate", "append"]


@pytest.fixture(name="here")
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own to run in, without a stash or a job summary from outside."""
    monkeypatch.chdir(tmp_path)
    for name in ("CG_STASH", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def _cg(capsys: pytest.CaptureFixture[str], *words: str) -> Ran:
    code = main(["check", *words])
    printed = capsys.readouterr()
    return Ran(code=code, out=printed.out.encode(), err=printed.err)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([PASSES], 0),
        ([PASSES, "--strict"], 0),
        ([PASSES, BATCH], 0),
        ([PASSES, BATCH, "--strict"], 6),
        ([BATCH], 6),
        ([BATCH, "--exit-zero"], 0),
        ([FAILS], 3),
        ([PASSES, FAILS, BATCH, "--strict"], 3),
        ([FAILS, "--exit-zero"], 0),
        (["gone.jsonl"], 4),
        ([FAILS, "gone.jsonl"], 4),
        (["gone.jsonl", "--exit-zero"], 4),
        ([HALF], 0),
        ([HALF, "--strict"], 4),
        ([FAILS, "--allow-epoch", "4", "--allow-epoch", "5", "--allow-epoch", "6", "--allow-epoch", "7"], 0),
        ([FAILS, "--allow-epoch", "4", "--allow-epoch", "after-compaction"], 3),
    ],
)
@pytest.mark.usefixtures("here")
def test_the_exit_code(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """4 before 3 before 6, else 0; --exit-zero forgives 3 and 6."""
    ran = _cg(capsys, *words, *ONE)

    assert ran.code == code
    assert ran.text.splitlines()[-1].endswith(f"; exit {code}")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--gate", "nosuch"], "cg: no gate is called 'nosuch'"),
        ([*ONE, "--skip", "append"], "cg: no gate is left"),
        (["--allow-epoch", "0"], "cg: --allow-epoch takes a turn or after-compaction, not '0'"),
        (["--allow-epoch", "x"], "cg: --allow-epoch takes a turn or after-compaction, not 'x'"),
        (["--junit", "-", "--sarif", "-"], "cg: --junit - and --sarif - exclude each other: stdout takes one"),
        (["--github", "--sarif", "-"], "cg: --github and --sarif - exclude each other: stdout takes one"),
        (["--format", "nosuch"], "cg: "),
        ([PASSES, "--write-baseline", "cg.lock"], "cg: --write-baseline takes one FILE"),
        (["--junit", PASSES], f"cg: {PASSES}: the output is the input"),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_wrong_command_line_is_exit_2(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what is wrong and what to try, and prints no report."""
    ran = _cg(capsys, PASSES, *words)

    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(said)
    assert "  try: " in ran.err


@pytest.mark.usefixtures("here")
def test_one_file_that_cannot_be_read_does_not_keep_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    """They are checked; stderr says what is wrong with it."""
    ran = _cg(capsys, "gone.jsonl", FAILS, *ONE)

    assert ran.err == "cg: gone.jsonl: no such file\n  try: check the path; `-` reads stdin\n"
    assert ran.text.splitlines()[-1] == "FAIL: 1 fail in 2 files; failed: G-APPEND; 1 file not checked; exit 4"


def test_a_file_without_a_usable_request_is_unreadable(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is never taken for one in which nothing broke."""
    (here / "a.jsonl").write_text('{"model": "m", "messages": [], "tools": 7}\n{"model": "m", "messages": 7}\n')
    ran = _cg(capsys, "a.jsonl", "--json")

    assert ran.code == 4
    assert json.loads(ran.out)["files"] == []
    assert json.loads(ran.err)["where"] == "a.jsonl:1"


@pytest.mark.usefixtures("here")
def test_json_is_one_document_with_the_exit_code_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Stdout has nothing else."""
    ran = _cg(capsys, PASSES, FAILS, "--json", *ONE)
    document = json.loads(ran.out)

    assert (document["schema"], document["exit_code"], ran.code, ran.err) == ("cgcli/check/v1", 3, 3, "")
    assert [file["verdict"] for file in document["files"]] == ["pass", "fail"]


def test_files_are_written_beside_the_report(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JUnit and SARIF go to their files, the text to stdout; -q leaves the text away."""
    loud = _cg(capsys, FAILS, "--junit", "a.xml", "--sarif", "a.sarif", *ONE)
    quiet = _cg(capsys, FAILS, "-q", "--junit", "b.xml", "--sarif", "b.sarif", *ONE)

    assert (loud.code, quiet.code, quiet.out, quiet.err) == (3, 3, b"", "")
    assert loud.text.startswith(FAILS)
    assert [(here / name).read_bytes() for name in ("a.xml", "a.sarif")] == [
        (here / name).read_bytes() for name in ("b.xml", "b.sarif")
    ]
    assert ET.parse(here / "a.xml").getroot().get("failures") == "1"  # noqa: S314 - written by the line above
    assert json.loads((here / "a.sarif").read_bytes())["runs"][0]["tool"]["driver"]["rules"][0]["id"] == "G-APPEND"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("option", "begins"), [("--junit", "<?xml"), ("--sarif", "{\n")])
def test_a_format_can_take_stdout(option: str, begins: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """In place of the text."""
    code = main(["check", FAILS, option, "-", *ONE])
    printed = capsysbinary.readouterr().out.decode()

    assert code == 3
    assert printed.startswith(begins)
    assert "FAIL: 1 fail in 1 file" not in printed


def test_github_gets_annotations_and_the_summary(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The summary is appended, so that other steps keep theirs; outside of GitHub there is none."""
    summary = here / "summary.md"
    summary.write_text("before\n")
    without = _cg(capsys, FAILS, "--github", *ONE)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    within = _cg(capsys, FAILS, "--github", *ONE)

    assert without == within
    assert [line[:8] for line in within.text.splitlines()] == ["::error ", "FAIL: 1 "]
    assert summary.read_text().startswith("before\n## cg check\n\nFAIL: 1 fail in 1 file;")


@pytest.mark.usefixtures("here")
def test_a_summary_that_cannot_be_written_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the output, not of the input."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/folder")
    ran = _cg(capsys, PASSES, "--github", *ONE)

    assert ran.code == 1
    assert ran.err.startswith("cg: no/such/folder: cannot write: No such file or directory")


@pytest.mark.usefixtures("here")
def test_a_baseline_is_written_and_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """The same file passes, another one does not; what is no baseline is unreadable."""
    written = _cg(capsys, PASSES, "--write-baseline", "cg.lock", *ONE)
    same = _cg(capsys, PASSES, "--baseline", "cg.lock", "--gate", "baseline")
    other = _cg(capsys, FAILS, "--baseline", "cg.lock", "--gate", "baseline")
    none = _cg(capsys, PASSES, "--baseline", PASSES, "--gate", "baseline")

    assert [ran.code for ran in (written, same, other, none)] == [0, 0, 3, 4]


@pytest.mark.usefixtures("here")
def test_a_baseline_of_an_unreadable_file_is_not_written(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    """There is nothing to record."""
    assert _cg(capsys, "gone.jsonl", "--write-baseline", "cg.lock").code == 4
    assert not (here / "cg.lock").exists()


@pytest.mark.usefixtures("here")
def test_gates_are_told_what_the_options_say(capsys: pytest.CaptureFixture[str]) -> None:
    """A paired run: without it its gate says what it lacks, with it the reason is gone."""
    forks = str(FIXTURES / "lanes" / "fork-summary.jsonl")

    def reason(gate: str, *words: str) -> str | None:
        ran = _cg(capsys, forks, "--gate", gate, "--json", *words)
        said: str | None = json.loads(ran.out)["files"][0]["gates"][0]["reason"]
        return said

    assert "--against FILE" in (reason("G-FORK-NOBOUNDARY") or "")
    assert reason("G-FORK-NOBOUNDARY", "--against", PASSES) is None


def test_breaks_have_a_price(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the table, or of a file that comes before it; a model that neither has is unpriced, and not free.

    711 tokens at $3.75 - $0.30, and at $4 - $1, per million.
    """
    (here / "rates.json").write_text('{"claude-sonnet-4-5": {"fresh": 3, "read": 1, "write": 4, "output": 15}}')
    unknown = (FIXTURES / "lanes" / "eliding.jsonl").read_bytes().replace(b"claude-sonnet-4-5", b"claude-sonnet-9-1")
    (here / "unknown.jsonl").write_bytes(unknown)

    def report(*words: str) -> tuple[object, ...]:
        told = json.loads(_cg(capsys, *words, "--json", *ONE).out)
        prices = told["prices"]
        first = told["files"][0]["gates"][0]["findings"][0]
        return first["usd"], prices["as_of"], [one["model"] for one in prices["unpriced"]]

    assert report(FAILS) == ("0.00245295", "2026-11-30", [])
    assert report(FAILS, "--rates", "rates.json") == ("0.002133", None, [])
    assert report("unknown.jsonl") == (None, "2026-11-30", ["claude-sonnet-9-1-20250929"])
    assert "x 1.60), unpriced" in _cg(capsys, "unknown.jsonl", *ONE).text


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "code"), [(["--rates", "gone"], 2), (["--against", "gone"], 4), (["--stash", "gone"], 5)]
)
def test_what_an_option_names_must_be_there(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """An option that was given is never taken for one that was not."""
    ran = _cg(capsys, PASSES, *words)

    assert (ran.code, ran.out) == (code, b"")


def test_stdin_is_a_file(tmp_path: Path) -> None:
    """`-` reads it, and the report calls it so."""
    with open(FAILS, "rb") as stream:  # noqa: PTH123 - a stream for the process
        ran = cg(tmp_path, "check", "-", *ONE, stdin=stream)

    assert ran.code == 3
    assert ran.text.startswith("-: bodies, 7 requests in 1 lane: FAIL\n")


def test_nothing_heavy_is_imported_where_nothing_breaks(tmp_path: Path) -> None:
    """Neither vocabularies nor what only other commands need: no break, no count."""
    code = (
        "import sys; from cgcli.cli.run import main; "
        "code = main(['check', sys.argv[1]]); "
        "print(code, [name for name in ('pydantic', 'rich', 'tiktoken', 'splintr', 'httpx', 'xml.etree') "
        "if name in sys.modules], file=sys.stderr)"
    )

    assert script(tmp_path, code, PASSES).err.strip() == "0 []"


@pytest.mark.usefixtures("here")
def test_every_line_of_a_table_is_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    """With all gates, the columns begin at the same place in every row."""
    rows = [line for line in _cg(capsys, PASSES).text.splitlines() if re.match(r"gate |G-", line)]
    starts = {line.index(verdict) for line in rows[1:] for verdict in ("pass", "vacuous", "unknown") if verdict in line}

    assert rows[0].split() == ["gate", "verdict", "checked", "what"]
    assert starts == {rows[0].index("verdict")}
