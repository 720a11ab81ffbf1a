"""Verifying a stash."""

import hashlib
from pathlib import Path

import pytest

from cgcli.stash.audit import Problem, Trouble, verify
from cgcli.stash.slots import SlotRecord
from cgcli.stash.store import Stash

ONE = hashlib.sha256(b"one").hexdigest()
RAW = hashlib.sha256(b'"\\u006fne"').hexdigest()
OUTPUT = hashlib.sha256(b"output").hexdigest()


@pytest.fixture
def stash(tmp_path: Path) -> Stash:
    """A stash with an original, its raw spelling, a journal and an undo record."""
    with Stash.open(tmp_path, create=True) as stash:
        original, raw = stash.put(b"one"), stash.put(b'"\\u006fne"')
        stash.add_slot(SlotRecord(original=original, replacement="0" * 64, style=None, raw=raw, component="format"))
        stash.write_undo(OUTPUT, b"payload", needs=[original])
        stash.commit()
    return stash


def _seen(problems: list[Problem]) -> list[tuple[Trouble, str, str | None]]:
    return [(problem.trouble, problem.path.split("/")[0], problem.digest) for problem in problems]


def test_a_sound_stash_has_no_problems(stash: Stash) -> None:
    """What was just written verifies, a temporary file of another run beside it."""
    (stash.root / "tmp/123-0-abc").write_bytes(b"half")
    assert verify(stash) == []


def test_a_damaged_object_is_a_problem(stash: Stash) -> None:
    """An object with another digest is named with its path."""
    path = stash.root / "objects" / ONE[:2] / ONE[2:]
    path.write_bytes(b"two")
    (problem,) = verify(stash)
    assert (problem.trouble, problem.digest) == (Trouble.CORRUPT, ONE)
    assert problem.path == f"objects/{ONE[:2]}/{ONE[2:]}"


def test_a_missing_object_is_told_by_all_that_need_it(stash: Stash) -> None:
    """Journal and undo record each report the original that is gone."""
    (stash.root / "objects" / ONE[:2] / ONE[2:]).unlink()
    assert _seen(verify(stash)) == [(Trouble.MISSING, "slots", ONE), (Trouble.MISSING, "undo", ONE)]


def test_a_missing_raw_spelling_is_told(stash: Stash) -> None:
    """The literal that a journal refers to counts as much as the original."""
    (stash.root / "objects" / RAW[:2] / RAW[2:]).unlink()
    assert _seen(verify(stash)) == [(Trouble.MISSING, "slots", RAW)]


def test_damaged_records_are_problems(stash: Stash) -> None:
    """A journal and an undo record that are not what was written are each reported."""
    for folder in ("slots", "undo"):
        (path,) = (stash.root / folder).iterdir()
        path.write_bytes(path.read_bytes()[:-3])
    assert _seen(verify(stash)) == [(Trouble.CORRUPT, "slots", None), (Trouble.CORRUPT, "undo", None)]


def test_strangers_among_the_objects_are_problems(stash: Stash) -> None:
    """A file that is no object is reported wherever it stands among them."""
    (stash.root / "objects/note.txt").write_text("")
    (stash.root / "objects" / ONE[:2] / "note").write_text("")
    assert sorted(problem.path for problem in verify(stash)) == [
        f"objects/{ONE[:2]}/note",
        "objects/note.txt",
    ]
