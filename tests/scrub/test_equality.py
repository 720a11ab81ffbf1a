"""A capture says the same of its prefixes, lanes and records before and after."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.cli.run import main
from tests.running import CORPUS, CORPUS_FILES, FIXTURE_FILES, NO_CORPUS
from tests.scrub.scrubbed import KEY, run

if TYPE_CHECKING:
    from pathlib import Path

FIXTURES = [path for path in FIXTURE_FILES if path.suffix != ".gz"]
LARGE_BYTES = 200_000
REAL = [
    pytest.param(path, marks=pytest.mark.slow) if path.stat().st_size > LARGE_BYTES else path for path in CORPUS_FILES
]
SIZES = ("tokens", "bytes", "usd", "predicted", "counted", "cost", "basis", "factor")
TEXTS = {"file", "byte", "was", "now", "detail", "culprit"}
"""Figures that change with the length of a text have one of the first in their names; the others tell of the text."""
PLANTED = f"Skipper, use {KEY} and mail anna@harbour.io about /home/skipper/berth, PASSWORD=hunter22-abc. "


def told(folder: Path, capsysbinary: pytest.CaptureFixture[bytes], data: bytes, *command: str) -> Any:
    """The document that *command* prints of a file with *data*, or its exit code where it prints none."""
    (folder / "in").write_bytes(data)
    code = main([command[0], str(folder / "in"), *command[1:], "--json"])
    out, _ = capsysbinary.readouterr()
    return (code, without(json.loads(out))) if out.strip() else code


def without(document: Any) -> Any:
    """*document* without what depends on the length of a text."""
    if isinstance(document, dict):
        kept = {key: inner for key, inner in document.items() if key not in TEXTS}
        return {key: without(inner) for key, inner in kept.items() if not any(size in key for size in SIZES)}
    return [without(inner) for inner in document] if isinstance(document, list) else document


def planted(data: bytes) -> bytes:
    """*data* with secrets at the beginning of every text."""
    secrets = PLANTED.encode()
    return data.replace(b'"text":"', b'"text":"' + secrets).replace(b'"content":"', b'"content":"' + secrets)


def hold(folder: Path, capsysbinary: pytest.CaptureFixture[bytes], data: bytes) -> list[Any]:
    """Compare what `cg inspect` and the gate of appended prefixes say of *data* before and after; gives that.

    Where nothing is replaced there is nothing to compare.
    """
    made = [one for keep_length in (False, True) if (one := run(data, keep_length=keep_length)[0]) != data]
    said = []
    for command in (("inspect",), ("check", "--gate", "G-APPEND")) if made else ():
        before = told(folder, capsysbinary, data, *command)
        said.append(before)
        for one in made:
            assert told(folder, capsysbinary, one, *command) == before
    return said


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_of_every_fixture(path: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """As it is, with and without the lengths kept."""
    hold(tmp_path, capsysbinary, path.read_bytes())


@pytest.mark.parametrize("name", ["context-guru/agent.jsonl", "claude-trace/seven-lanes.jsonl", "bodies/chat.jsonl"])
def test_of_captures_full_of_secrets(name: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Every message has a key, an address, a home folder and a password in it."""
    (path,) = [path for path in FIXTURES if f"{path.parent.name}/{path.name}" == name]
    data = planted(path.read_bytes())
    assert sum(run(data)[1].replaced.values()) > 20
    inspected, checked = hold(tmp_path, capsysbinary, data)
    assert inspected[0] == 0
    assert checked[0] in (0, 3)
    assert checked[1]["files"][0]["gates"][0]["verdict"] in ("pass", "fail")


def test_a_prefix_that_two_requests_share(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Where a secret changes from one request to the next the prefix breaks there, before as after."""
    rest = [{"role": role, "content": f"{role} {i}"} for i in range(3) for role in ("assistant", "user")]
    turns = [
        {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": f"key {KEY}{end}"}, *rest[:n]]}
        for end, n in (("A", 4), ("B", 6))
    ]
    checked = hold(tmp_path, capsysbinary, "\n".join(map(json.dumps, turns)).encode())[1]
    assert checked[0] == 3


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_of_real_files(path: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Of every file of the corpus; the largest take too long for every day."""
    hold(tmp_path, capsysbinary, path.read_bytes())
