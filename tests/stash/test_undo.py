"""Undo records."""

import hashlib
from pathlib import Path

import pytest

from cgcli.errors import StashCorrupt, StashMiss
from cgcli.stash.store import Stash

OUTPUT = hashlib.sha256(b"output").hexdigest()
PAYLOAD = b"\x00edits\xff" * 1_000


def _write(root: Path, payload: bytes, *contents: bytes) -> Stash:
    with Stash.open(root, create=True) as stash:
        stash.write_undo(OUTPUT, payload, needs=[stash.put(content) for content in contents])
        stash.commit()
    return stash


def test_an_undo_record_comes_back_byte_for_byte(tmp_path: Path) -> None:
    """The payload is given back under the output's digest; its needs are known without it."""
    stash = _write(tmp_path, PAYLOAD, b"one", b"two", b"one")
    assert stash.read_undo(OUTPUT) == PAYLOAD
    assert stash.undo_needs() == {hashlib.sha256(b"one").hexdigest(), hashlib.sha256(b"two").hexdigest()}
    (path,) = (tmp_path / "undo").iterdir()
    assert path.stat().st_size < len(PAYLOAD) / 10
    assert path.name.startswith(f"{OUTPUT}.")


def test_there_is_none_for_another_output(tmp_path: Path) -> None:
    """An output that was never written, or was changed, has no undo record."""
    stash = _write(tmp_path, PAYLOAD)
    assert stash.read_undo("0" * 64) is None
    assert stash.read_undos("0" * 64) == ()


def test_the_same_run_writes_one_record(tmp_path: Path) -> None:
    """Repeating a run leaves one undo record."""
    _write(tmp_path, PAYLOAD, b"one")
    stash = _write(tmp_path, PAYLOAD, b"one")
    assert stash.read_undo(OUTPUT) == PAYLOAD
    assert len(list((tmp_path / "undo").iterdir())) == 1


def test_two_inputs_of_one_output_are_both_kept(tmp_path: Path) -> None:
    """A second input with the same output does not displace the first; choosing is left to the reader."""
    _write(tmp_path, b"first")
    stash = _write(tmp_path, b"second")
    assert set(stash.read_undos(OUTPUT)) == {b"first", b"second"}
    with pytest.raises(StashMiss, match="2 inputs"):
        stash.read_undo(OUTPUT)


@pytest.mark.parametrize("at", [0, 12, 43, 50, -1])
def test_a_flipped_bit_is_told(tmp_path: Path, at: int) -> None:
    """Wherever a record is damaged, in its head, its needs or its payload, it is corrupt."""
    stash = _write(tmp_path, PAYLOAD, b"one")
    (path,) = (tmp_path / "undo").iterdir()
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises(StashCorrupt) as caught:
        stash.read_undo(OUTPUT)
    assert caught.value.where == str(path)
    with pytest.raises(StashCorrupt):
        stash.undo_needs()


@pytest.mark.parametrize("kept_bytes", [0, 5, 30, 60, 90])
def test_a_cut_record_is_told(tmp_path: Path, kept_bytes: int) -> None:
    """A record that lost its end is corrupt; the same run heals it."""
    _write(tmp_path, PAYLOAD, b"one")
    (path,) = (tmp_path / "undo").iterdir()
    path.write_bytes(path.read_bytes()[:kept_bytes])
    with pytest.raises(StashCorrupt):
        Stash.open(tmp_path, create=False).read_undo(OUTPUT)
    assert _write(tmp_path, PAYLOAD, b"one").read_undo(OUTPUT) == PAYLOAD


def test_a_record_under_another_name_is_told(tmp_path: Path) -> None:
    """A record that stands under a name it was not written to is corrupt."""
    _write(tmp_path, PAYLOAD)
    (path,) = (tmp_path / "undo").iterdir()
    path.rename(path.with_name(f"{OUTPUT}.{'0' * 16}"))
    with pytest.raises(StashCorrupt):
        Stash.open(tmp_path, create=False).read_undo(OUTPUT)


def test_only_a_digest_names_an_output(tmp_path: Path) -> None:
    """An output's name is 64 hex digits, so no record is written elsewhere."""
    with Stash.open(tmp_path, create=True) as stash, pytest.raises(ValueError, match="64 hex digits"):
        stash.write_undo("../../evil", b"", needs=())
