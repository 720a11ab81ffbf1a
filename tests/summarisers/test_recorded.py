"""`recorded`: answers from a folder."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from cgcli.errors import InputError, OutputError
from cgcli.model import Basis, Refusal, Usage
from cgcli.summarisers.protocol import Summary
from cgcli.summarisers.recorded import Recorded, write_answer
from tests.summarisers.conversing import request, task

if TYPE_CHECKING:
    from pathlib import Path

TASK = task(request("anthropic", [("user", "Hi.")]))
DIGEST = hashlib.sha256(b'{"model":"m","messages":[]}').hexdigest()
ANSWER = b'{"content":[{"type":"text","text":"All done."}],"usage":{"input_tokens":9,"output_tokens":4}}'
SUMMARY = Summary(
    text="All done.",
    basis=Basis.MEASURED,
    usage=Usage(fresh=9, read=0, write_by_ttl_s={}, output=4),
)


@pytest.mark.parametrize("name", [DIGEST, DIGEST[:16]])
def test_an_answer_is_found_by_the_digest_of_the_body(tmp_path: Path, name: str) -> None:
    """Whole, or its first 16 digits."""
    (tmp_path / f"{name}.json").write_bytes(ANSWER)
    assert Recorded(folder=tmp_path).summarise(TASK) == SUMMARY


def test_the_whole_digest_goes_before_the_short_one(tmp_path: Path) -> None:
    """The short one may belong to another body."""
    (tmp_path / f"{DIGEST[:16]}.json").write_bytes(b"{}")
    (tmp_path / f"{DIGEST}.json").write_bytes(ANSWER)
    assert Recorded(folder=tmp_path).summarise(TASK) == SUMMARY


@pytest.mark.parametrize("folder", [".", "missing"])
def test_an_answer_that_is_not_there_is_refused(tmp_path: Path, folder: str) -> None:
    """With the name under which it is looked for."""
    assert Recorded(folder=tmp_path / folder).summarise(TASK) == Refusal(
        reason="not_recorded",
        detail=f"no answer is recorded for this standalone call: {DIGEST}.json",
    )


@pytest.mark.parametrize("damaged", [b"", b'{"content":[', b"{}", b'{"content":[],"content":[]}x'])
def test_a_damaged_file_is_an_input_error(tmp_path: Path, damaged: bytes) -> None:
    """It says which file, and what to do."""
    path = tmp_path / f"{DIGEST}.json"
    path.write_bytes(damaged)
    with pytest.raises(InputError, match="no provider's answer") as caught:
        Recorded(folder=tmp_path).summarise(TASK)
    assert (caught.value.where, caught.value.hint) == (str(path), "record it anew, or take the file away")


def test_a_folder_in_the_place_of_a_file_is_an_input_error(tmp_path: Path) -> None:
    """It cannot be read."""
    (tmp_path / f"{DIGEST}.json").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        Recorded(folder=tmp_path).summarise(TASK)


def test_what_is_written_is_found(tmp_path: Path) -> None:
    """In a folder that is made for it, byte for byte and under the whole digest, and nothing else is left there."""
    folder = tmp_path / "a" / "b"
    assert write_answer(folder, TASK.call.body, ANSWER) == folder / f"{DIGEST}.json"
    assert [path.name for path in folder.iterdir()] == [f"{DIGEST}.json"]
    assert (folder / f"{DIGEST}.json").read_bytes() == ANSWER
    assert Recorded(folder=folder).summarise(TASK) == SUMMARY


def test_a_folder_that_cannot_be_made_is_an_output_error(tmp_path: Path) -> None:
    """A file stands in its place."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot be recorded"):
        write_answer(tmp_path / "file", b"{}", ANSWER)


def test_nothing_half_written_stays(tmp_path: Path) -> None:
    """Where the answer cannot be put into its place, its part is taken away."""
    (tmp_path / f"{hashlib.sha256(b'{}').hexdigest()}.json").mkdir()
    with pytest.raises(OutputError):
        write_answer(tmp_path, b"{}", ANSWER)
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]
