"""Several files as one capture."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from cgcli.errors import InputError
from cgcli.readers import open_capture
from cgcli.readers.base import Known

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.readers import Entry

BODY = {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": "go"}]}
ANSWERED = {"role": "assistant", "content": "gone"}


def _entries(folder: Path) -> list[Entry]:
    with open_capture(str(folder)) as capture:
        return list(capture)


def test_the_files_follow_each_other(tmp_path: Path) -> None:
    """By path; each request knows its file and line there."""
    longer = {**BODY, "messages": [*BODY["messages"], ANSWERED, {"role": "user", "content": "more"}]}
    (tmp_path / "2.json").write_text(json.dumps(longer))
    (tmp_path / "1.jsonl").write_text("\n" + json.dumps(BODY) + "\n" + json.dumps(BODY) + "\n")
    found = [entry.exchange for entry in _entries(tmp_path) if entry.exchange is not None]
    assert [(one.source.file[len(str(tmp_path)) + 1 :], one.source.line) for one in found] == [
        ("1.jsonl", 2),
        ("1.jsonl", 3),
        ("2.json", 1),
    ]
    assert [len(one.request.messages) for one in found] == [1, 1, 3]
    assert found[2].shared == 1
    assert json.loads(bytes(found[2].request.raw)) == longer


def test_what_is_no_capture_is_passed_and_counted(tmp_path: Path) -> None:
    """A note beside the sessions is nothing wrong; a damaged file is; each says which."""
    (tmp_path / "1.jsonl").write_text(json.dumps(BODY) + "\n")
    (tmp_path / "data.json").write_text('{"a": 1}')
    (tmp_path / "readme.md").write_text("hello\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(json.dumps(BODY).encode())[:40])
    passed = [entry.passed for entry in _entries(tmp_path) if entry.passed is not None]
    assert [(one.reason, one.usable) for one in passed] == [
        ("unreadable", False),
        ("not_a_capture", True),
        ("not_a_capture", True),
    ]
    names = ("cut.gz", "data.json", "readme.md")
    assert all(name in one.detail for one, name in zip(passed, names, strict=True))


def test_the_whole_knows_what_every_file_knows(tmp_path: Path) -> None:
    """And is called by the format that all have; `several`, where they have not one."""
    (tmp_path / "1.jsonl").write_text(json.dumps(BODY) + "\n")
    with open_capture(str(tmp_path)) as capture:
        assert (capture.format_name, capture.layout.value) == ("bodies", "several files")
        assert list(capture)
        assert capture.tally.n_bytes == len(json.dumps(BODY)) + 1
    pair = {"request": {"url": "/v1/messages", "timestamp": 1.0, "body": BODY}, "response": None}
    (tmp_path / "2.jsonl").write_text(json.dumps(pair) + "\n")
    with open_capture(str(tmp_path)) as capture:
        assert capture.format_name == "several"
        assert capture.known == Known(tools=True, system=True, usage=False, response=False, time=False)
        assert not capture.is_reconstructed


@pytest.mark.parametrize(
    ("contents", "says", "hint"),
    [
        (['{"a": 1}', ""], "none of 2 files is a capture or a history", "cg inspect FILE says why of each"),
        (["", ""], "none of 2 files is a capture or a history: the file is empty", "record a capture first"),
    ],
)
def test_a_folder_without_a_capture_is_an_error(tmp_path: Path, contents: list[str], says: str, hint: str) -> None:
    """It says how many files were looked at, and why none serves where that is one reason."""
    for i, content in enumerate(contents):
        (tmp_path / f"{i}.json").write_text(content)
    with pytest.raises(InputError) as raised, open_capture(str(tmp_path)):
        pass
    assert (raised.value.message, raised.value.hint, raised.value.where) == (says, hint, str(tmp_path))


def test_an_unusable_record_says_its_file(tmp_path: Path) -> None:
    """Its line alone would not tell."""
    (tmp_path / "1.jsonl").write_text(json.dumps(BODY) + "\n")
    (tmp_path / "2.jsonl").write_text(json.dumps(BODY) + '\n{"model":\n')
    (passed,) = [entry.passed for entry in _entries(tmp_path) if entry.passed is not None]
    assert (passed.reason, passed.detail.split(": ")[0]) == ("cut", f"{tmp_path}/2.jsonl:2")
