"""`cg stash`."""

import gzip
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cgcli.cli.stash import app
from cgcli.errors import CgError, ExitCode, InputError, StashMiss, UsageError
from cgcli.stash.slots import SlotRecord
from cgcli.stash.store import Stash

HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
HOSTILE = "\x1b[2J[/red]\u202e\n"
HOSTILE_DIGEST = hashlib.sha256(HOSTILE.encode()).hexdigest()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stash with two objects, which the working directory does not lead to."""
    monkeypatch.delenv("CG_STASH", raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    with Stash.open(tmp_path / "s", create=True) as stash:
        stash.add_slot(
            SlotRecord(original=stash.put(b"hello"), replacement="0" * 64, style="go", raw=None, component="format")
        )
        stash.put(HOSTILE.encode())
        stash.commit()
    return tmp_path / "s"


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def _json(*arguments: str | Path) -> dict[str, Any]:
    result = _run(*arguments, "--json")
    assert result.exception is None
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_ls_lists_every_object(root: Path) -> None:
    """One line for each object on stdout, the sum on stderr."""
    result = _run("ls", "--stash", root)
    lines = [line.split()[:2] for line in result.stdout.splitlines()]
    assert lines == sorted([["2cf24dba5fb0a30e", "5"], [HOSTILE_DIGEST[:16], "14"]])
    assert result.stderr == f"2 objects (19 bytes) in {root} (option)\n"


def test_ls_as_json_names_the_stash_and_why(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document says which stash was looked in and how it was found."""
    monkeypatch.setenv("CG_STASH", str(root))
    document = _json("ls")
    assert document["schema"] == "cgcli/stash-ls/v1"
    assert document["stash"] == {"path": str(root), "how": "environment"}
    assert (document["n_objects"], document["bytes"]) == (2, 19)
    assert {(one["digest"], one["bytes"]) for one in document["objects"]} == {
        (HELLO, 5),
        (HOSTILE_DIGEST, 14),
    }


def test_without_a_stash_there_is_a_miss(root: Path) -> None:
    """Where no stash is found none is made."""
    result = _run("ls")
    assert isinstance(result.exception, StashMiss)
    assert result.exception.exit_code is ExitCode.STASH
    assert list((root.parent / "work").iterdir()) == []


def test_show_tells_what_an_object_is(root: Path) -> None:
    """Size, lines and what replaced it, by marker or by key."""
    document = _json("show", "<<cg:2cf24dba5fb0a30e>>", "--stash", root)
    assert document["schema"] == "cgcli/stash-show/v1"
    assert (document["digest"], document["bytes"], document["lines"]) == (HELLO, 5, 1)
    assert document["replaced"] == [{"component": "format", "style": "go", "replacement": "0" * 64}]
    assert (document["excerpt"], document["excerpt_is_all"]) == ("hello", True)
    result = _run("show", "2cf2", "--stash", root)
    assert result.stdout == (
        f"digest: {HELLO}\nbytes: 5\nlines: 1\nreplaced by: format (spelled go, now 0000000000000000)\nbegins: hello\n"
    )


def test_show_never_prints_control_characters(root: Path) -> None:
    """What a transcript holds cannot drive the terminal."""
    result = _run("show", HOSTILE_DIGEST, "--stash", root)
    assert "begins: \\x1b[2J[/red]\\u202e\\n\n" in result.stdout
    assert "\x1b" not in result.stdout


def test_show_is_bounded(root: Path) -> None:
    """Of a long object only the beginning is printed, and that is said."""
    with Stash.open(root, create=False) as stash:
        digest = stash.put(b"x" * 100_000)
        stash.commit()
    document = _json("show", digest, "--stash", root)
    assert (document["excerpt"], document["excerpt_is_all"]) == ("x" * 400, False)
    assert _run("show", digest, "--stash", root).stdout.endswith("x …\n")


@pytest.mark.parametrize("short", ["ffff", "2c", "<<cg:HASH>>"])
def test_show_misses_are_exit_5(root: Path, short: str) -> None:
    """What is not there, or no key, is a stash miss."""
    result = _run("show", short, "--stash", root)
    assert isinstance(result.exception, StashMiss)
    assert result.exception.exit_code == 5


def test_verify_is_exit_5_where_something_is_wrong(root: Path) -> None:
    """A sound stash is exit 0; damage is named on stdout and is exit 5, with --json too."""
    assert _run("verify", "--stash", root).exit_code == 0
    assert _json("verify", "--stash", root)["problems"] == []
    (root / "objects" / HELLO[:2] / HELLO[2:]).write_bytes(b"jello")
    result = _run("verify", "--stash", root)
    assert result.exit_code == 5
    assert result.stdout.startswith(f"corrupt: objects/2c/{HELLO[2:]}: ")
    result = _run("verify", "--stash", root, "--json")
    assert result.exit_code == 5
    (problem,) = json.loads(result.stdout)["problems"]
    assert (problem["trouble"], problem["digest"]) == ("corrupt", HELLO)


def test_gc_without_files_is_exit_2(root: Path) -> None:
    """Nothing is removed by a bare `cg stash gc`."""
    result = _run("gc", "--stash", root)
    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2
    assert len(list(Stash.open(root, create=False).ls())) == 2


@pytest.mark.parametrize(
    "line",
    [
        b'{"content":"<<cg:2cf24dba5fb0a30e>>"}\n',
        rb'{"content":"\u003c\u003ccg:2CF24DBA5FB0A30E\u003e\u003e"}',
        gzip.compress(b'{"content":"<<cg:2cf24dba5fb0a30e>>"}\n'),
    ],
    ids=["plain", "escaped", "packed"],
)
def test_gc_keeps_what_a_file_refers_to(root: Path, tmp_path: Path, line: bytes) -> None:
    """Markers are found in both spellings and in packed files; the rest goes, as a dry run told."""
    (tmp_path / "out.jsonl").write_bytes(line)
    (tmp_path / "other.jsonl").write_bytes(b"{}\n")
    files = (tmp_path / "out.jsonl", tmp_path / "other.jsonl")
    said = _json("gc", *files, "--stash", root, "--dry-run")
    assert (said["dry_run"], said["n_keys_in_files"], said["n_kept"], said["n_removed"]) == (True, 1, 1, 1)
    assert len(list(Stash.open(root, create=False).ls())) == 2
    done = _json("gc", *files, "--stash", root)
    assert done == said | {"dry_run": False}
    assert [one.digest for one in Stash.open(root, create=False).ls()] == [HELLO]


def test_gc_reads_stdin(root: Path) -> None:
    """`-` is stdin."""
    done = subprocess.run(
        [sys.executable, "-c", "from cgcli.cli.stash import app; app()", "gc", "-", "--stash", str(root)],
        input=b"<<cg:2cf24dba5fb0a30e>>",
        capture_output=True,
        check=True,
    )
    assert b"kept 1 object (5 bytes)" in done.stderr


@pytest.mark.parametrize(
    "content", [None, gzip.compress(b"<<cg:2cf24dba5fb0a30e>>" * 99)[:-12]], ids=["missing", "cut"]
)
def test_gc_removes_nothing_where_a_file_cannot_be_read(root: Path, tmp_path: Path, content: bytes | None) -> None:
    """A missing or a cut file is exit 4, and every object stays."""
    file = tmp_path / "out.jsonl.gz"
    if content is not None:
        file.write_bytes(content)
    result = _run("gc", file, "--stash", root)
    assert isinstance(result.exception, InputError)
    assert result.exception.exit_code == 4
    assert len(list(Stash.open(root, create=False).ls())) == 2


def test_export_and_import_carry_a_stash(root: Path, tmp_path: Path) -> None:
    """What is exported here is imported there, where a new stash is begun."""
    document = _json("export", tmp_path / "a.tar", "--stash", root)
    assert (document["schema"], document["n_objects"], document["n_journals"]) == (
        "cgcli/stash-export/v1",
        2,
        1,
    )
    document = _json("import", tmp_path / "a.tar")
    assert document["stash"] == {"path": str(tmp_path / "work/.cg"), "how": "new"}
    assert (document["n_new"], document["n_known"]) == (2, 0)
    result = _run("import", tmp_path / "a.tar")
    assert result.stdout == ""
    assert result.stderr.startswith("0 new objects (0 bytes), 2 known, from ")
    assert {one["digest"] for one in _json("ls")["objects"]} == {HELLO, HOSTILE_DIGEST}


@pytest.mark.parametrize("command", ["ls", "show 2cf2", "verify", "gc FILE", "export ARCHIVE", "import ARCHIVE"])
def test_every_command_prints_one_document(root: Path, tmp_path: Path, command: str) -> None:
    """With --json each command prints one JSON document with its schema, and nothing else on stdout."""
    (tmp_path / "file").write_bytes(b"{}")
    _run("export", tmp_path / "archive", "--stash", root)
    words = command.replace("FILE", str(tmp_path / "file")).replace("ARCHIVE", str(tmp_path / "archive")).split()
    result = _run(*words, "--stash", root, "--json")
    assert not isinstance(result.exception, CgError)
    assert json.loads(result.stdout)["schema"] == f"cgcli/stash-{words[0]}/v1"
    assert result.stderr == ""
