"""`cg filters` as it is typed."""

from __future__ import annotations

import gzip
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.cli.filters import app
from cgcli.cli.run import report_error
from cgcli.errors import CgError
from tests.compaction.filters.writing import MINE

if TYPE_CHECKING:
    from pathlib import Path

WGET = (
    "--2026-11-30 07:12:01--  http://files.example/git\n"
    "Saving to: 'git'\n"
    + "".join(f"{i * 50:6}K .......... .......... {i}% 86.4M 0s\n" for i in range(12))
    + "2026-11-30 07:12:01 ERROR 404: File not found.\n"
)
WGET_LEFT = (
    "--2026-11-30 07:12:01--  http://files.example/git\n"
    "Saving to: 'git'\n"
    "     0K .......... .......... 0% 86.4M 0s\n"
    "... (10 more like this)\n"
    "   550K .......... .......... 11% 86.4M 0s\n"
    "2026-11-30 07:12:01 ERROR 404: File not found.\n"
)
BROKEN = MINE.replace("      out\n      error", "      out\n      eror")


class Filters:
    """`cg filters` in an empty folder; `out` and `err` are what the last call printed."""

    def __init__(self, folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
        """Run in *folder*, the working directory."""
        self.folder = folder
        self._captured = capsysbinary
        self.out = b""
        self.err = ""

    def __call__(self, *words: str) -> int:
        """The exit code of `cg filters` with *words*."""
        try:
            code = app(list(words), standalone_mode=False) or 0
        except CgError as error:
            report_error(error, as_json=False)
            code = int(error.exit_code)
        sys.stdout.flush()
        self.out, err = self._captured.readouterr()
        self.err = err.decode()
        return int(code)

    def document(self, *words: str) -> dict[str, Any]:
        """The JSON document that a call with *words* prints."""
        self(*words, "--json")
        document: dict[str, Any] = json.loads(self.out)
        return document

    def write(self, name: str, content: str | bytes) -> str:
        """A file in the folder; its name."""
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name


@pytest.fixture
def filters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Filters:
    """`cg filters` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Filters(tmp_path, capsysbinary)


def test_ls_lists_the_built_in_filters(filters: Filters) -> None:
    """A line each, under a head."""
    assert filters("ls") == 0
    lines = filters.out.decode().splitlines()
    assert lines[0].split() == ["name", "family", "loss", "agent", "set", "sample", "stages", "does"]
    assert lines[1].split()[:4] == ["cargo-build", "builds", "whole", "real"]
    assert len(lines) == 46
    assert filters.err == "45 filters\n"


def test_ls_lists_ones_own_first(filters: Filters) -> None:
    """As JSON with every field."""
    document = filters.document("ls", filters.write("mine.yaml", MINE))
    assert document["schema"] == "cgcli/filters-ls/v1"
    assert len(document["filters"]) == 46
    assert document["filters"][0] == {
        "name": "mine",
        "family": "own",
        "description": "drops the dots",
        "loss": "whole",
        "agent": None,
        "sample": "real",
        "priority": 0,
        "stages": ["strip_ansi", "drop_lines"],
        "n_tests": 1,
        "where": "mine.yaml:1",
    }


def test_the_built_in_filters_pass_their_tests(filters: Filters) -> None:
    """All of them, and the talk counts them."""
    assert filters("test") == 0
    assert filters.out == b""
    assert filters.err == "52 tests of 45 filters: 0 failed\n"
    assert filters.document("test")["failures"] == []


def test_a_test_that_fails_is_exit_3(filters: Filters) -> None:
    """Both texts are shown; the other files are run, too."""
    good = filters.write("good.yaml", MINE.replace("name: mine", "name: good"))
    bad = filters.write("bad.yaml", BROKEN)
    assert filters("test", good, bad) == 3
    assert filters.out.decode() == (
        "bad.yaml:1: mine: test 1 fails: line 2: expected 'eror: no', found 'error: no'\n"
        "  expected:\n    | out\n    | eror: no\n    | \n"
        "  found:\n    | out\n    | error: no\n    | \n"
    )
    assert filters.err == "2 tests of 2 filters: 1 failed\n"

    assert filters("test", bad, "--json") == 3
    assert json.loads(filters.out) == {
        "schema": "cgcli/filters-test/v1",
        "n_filters": 1,
        "n_tests": 1,
        "failures": [
            {
                "filter": "mine",
                "where": "bad.yaml:1",
                "test": 1,
                "message": "line 2: expected 'eror: no', found 'error: no'",
                "expected": "out\neror: no\n",
                "found": "out\nerror: no\n",
            }
        ],
    }


@pytest.mark.parametrize("words", [("ls", "bad.yaml"), ("try", "log", "--filter", "bad.yaml")])
def test_a_filter_whose_test_fails_does_not_act(filters: Filters, words: tuple[str, ...]) -> None:
    """Exit 2, with the line of the test."""
    filters.write("bad.yaml", BROKEN)
    filters.write("log", "out\n")
    assert filters(*words) == 2
    assert filters.err == (
        "cg: bad.yaml:11: mine: test 1 fails: line 2: expected 'eror: no', found 'error: no'\n"
        "  try: cg filters test FILE shows both texts\n"
    )
    assert filters.out == b""


@pytest.mark.parametrize("words", [(), ("--filter", "wget"), ("--agent-filters", "lossy")])
def test_try_prints_what_is_left(filters: Filters, words: tuple[str, ...]) -> None:
    """On stdout nothing else; on stderr which filter acted, and the bytes."""
    assert filters("try", filters.write("log", WGET), *words) == 0
    assert filters.out.decode() == WGET_LEFT
    assert filters.err == f"wget: {len(WGET)} bytes before, {len(WGET_LEFT)} after (loss: whole)\n"


def test_try_reads_stdin(filters: Filters, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file is `-`."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(WGET.encode()))))
    assert filters("try", "-") == 0
    assert filters.out.decode() == WGET_LEFT


@pytest.mark.parametrize(
    ("content", "words", "said"),
    [
        ("words\n" * 90, (), "no filter: 540 bytes before, 540 after; cmdfilter leaves it alone: no_filter"),
        (WGET, ("--filter", "ping"), "no filter: 620 bytes before, 620 after; cmdfilter leaves it alone: no_filter"),
        (
            WGET,
            ("--command", "cat log"),
            "no filter: 620 bytes before, 620 after; cmdfilter leaves it alone: no_filter",
        ),
        (
            "words\n" * 90,
            ("--command", "wget x"),
            "no filter: 540 bytes before, 540 after; cmdfilter leaves it alone: nothing_filtered",
        ),
        (
            WGET + "<<cg:0123456789abcdef>>",
            (),
            "no filter: 643 bytes before, 643 after; cmdfilter leaves it alone: already_marked",
        ),
        (
            "a/b\n" * 9,
            ("--command", "go build -v"),
            "go-build: 36 bytes before, 31 after (loss: whole); cmdfilter leaves it alone: below_min_size",
        ),
        (
            b"PING 192.0.2.7 (x)\n\xff\xfe\n",
            (),
            "no filter: 22 bytes before, 22 after; cmdfilter leaves it alone: below_min_size",
        ),
    ],
)
def test_try_says_why_nothing_would_be_done(
    filters: Filters, content: str | bytes, words: tuple[str, ...], said: str
) -> None:
    """The component's own reason; what is not UTF-8 comes out as it went in."""
    data = content if isinstance(content, bytes) else content.encode()
    assert filters("try", filters.write("log", data), *words) == 0
    assert filters.err == f"{said}\n"
    if "(loss" not in said:
        assert filters.out == data


def test_try_as_json(filters: Filters) -> None:
    """One document, the text in it."""
    document = filters.document("try", filters.write("log", WGET), "--command", "wget -q x")
    assert document == {
        "schema": "cgcli/filters-try/v1",
        "file": "log",
        "command": "wget -q x",
        "before_bytes": len(WGET),
        "after_bytes": len(WGET_LEFT),
        "asked": ["wget"],
        "fired": ["wget"],
        "loss": "whole",
        "reason": None,
        "text": WGET_LEFT,
    }


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("try", "log", "--filter", "wgte"), 2, "cg: there is no filter 'wgte'\n  try: did you mean 'wget'?\n"),
        (("try", "none"), 4, "cg: none: "),
        (("ls", "none.yaml"), 2, "cg: none.yaml: the filters cannot be read: No such file or directory\n"),
        (("test", "none.yaml"), 2, "cg: none.yaml: the filters cannot be read: No such file or directory\n"),
    ],
)
def test_a_wrong_name_says_what_to_try(filters: Filters, words: tuple[str, ...], code: int, said: str) -> None:
    """Of a filter or of a file."""
    filters.write("log", WGET)
    assert filters(*words) == code
    assert filters.err.startswith(said)


def test_one_test_of_one_filter_is_counted_as_one(filters: Filters) -> None:
    """As a person would say it."""
    assert filters("test", filters.write("good.yaml", MINE)) == 0
    assert filters.err == "1 test of 1 filter: 0 failed\n"


def test_a_cut_packed_output_is_unreadable(filters: Filters, tmp_path: Path) -> None:
    """Exit 4, as any input that cannot be read to its end."""
    (tmp_path / "cut.gz").write_bytes(gzip.compress(WGET.encode() * 50)[:-20])
    assert filters("try", "cut.gz") == 4
    assert filters.err.startswith("cg: cut.gz: the packed file is damaged: ")


def test_hostile_names_are_shown_escaped(filters: Filters) -> None:
    """A description cannot move the cursor."""
    hostile = MINE.replace("drops the dots", '"drops \\e[2J dots"')
    assert filters("ls", filters.write("mine.yaml", hostile)) == 0
    assert b"\x1b" not in filters.out
    assert b"drops \\x1b[2J dots" in filters.out
