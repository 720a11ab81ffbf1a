"""Removing what nothing refers to."""

import hashlib
import os
from pathlib import Path

import pytest

from cgcli.errors import StashCorrupt, StashUnwritable
from cgcli.stash.audit import verify
from cgcli.stash.collect import gc
from cgcli.stash.slots import SlotRecord
from cgcli.stash.store import Stash

NOW_S = 1_800_000_000.0


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _contents(stash: Stash) -> set[bytes]:
    return {stash.get(one.digest) for one in stash.ls()}


def _stash(root: Path, *contents: bytes) -> Stash:
    with Stash.open(root, create=True) as stash:
        for content in contents:
            stash.put(content)
        stash.commit()
    return stash


def test_gc_keeps_what_undo_records_and_files_refer_to(tmp_path: Path) -> None:
    """Roots are the needs of every undo record and the keys that are given; the rest goes."""
    stash = _stash(tmp_path, b"kept by key", b"kept by digest", b"garbage", b"kept by undo")
    with stash:
        stash.write_undo(_digest(b"out"), b"", needs=[_digest(b"kept by undo")])
        stash.commit()
    keep = [_digest(b"kept by key")[:16], _digest(b"kept by digest")]
    done = gc(stash, keep=keep, now_s=NOW_S)
    assert [one.digest for one in done.removed] == [_digest(b"garbage")]
    assert [one.size_bytes for one in done.removed] == [7]
    assert _contents(stash) == {b"kept by key", b"kept by digest", b"kept by undo"}
    assert verify(stash) == []


def test_gc_follows_markers_in_what_it_keeps(tmp_path: Path) -> None:
    """An original that holds markers of its own, as a stashed history does, keeps what they mean."""
    inner = b"inner"
    middle = b"text <<cg:%s>>" % _digest(inner)[:16].encode()
    outer = rb'[{"content":"\u003c\u003ccg:%s\u003e\u003e"}]' % _digest(middle)[:16].encode()
    stash = _stash(tmp_path, inner, middle, outer, b"garbage")
    gc(stash, keep=[_digest(outer)[:16]], now_s=NOW_S)
    assert _contents(stash) == {inner, middle, outer}


def test_gc_survives_markers_that_go_in_a_circle(tmp_path: Path) -> None:
    """Two originals that refer to each other stay while something refers to one, and go when nothing does."""
    # Cut markers with four digits can be made to meet: the second text is found by search.
    one = b"one <<cg:1234"
    candidates = (b"%d <<cg:%s" % (number, _digest(one)[:4].encode()) for number in range(10**7))
    two = next(text for text in candidates if _digest(text).startswith("1234"))
    stash = _stash(tmp_path, one, two)
    assert gc(stash, keep=["1234"], now_s=NOW_S).removed == ()
    assert _contents(stash) == {one, two}
    assert gc(stash, keep=[], now_s=NOW_S).kept == ()


def test_gc_keeps_the_raw_spelling_of_a_kept_original(tmp_path: Path) -> None:
    """A kept original keeps its literal and its journal line; those of removed originals go."""
    with Stash.open(tmp_path, create=True) as stash:
        records = {
            name: SlotRecord(
                original=stash.put(name),
                replacement=_digest(b"new " + name),
                style=None,
                raw=stash.put(b'"' + name + b'"'),
                component="format",
            )
            for name in (b"kept", b"gone")
        }
        for record in records.values():
            stash.add_slot(record)
        stash.commit()
    stash = Stash.open(tmp_path, create=False)
    gc(stash, keep=[_digest(b"kept")[:16]], now_s=NOW_S)
    fresh = Stash.open(tmp_path, create=False)
    assert _contents(fresh) == {b"kept", b'"kept"'}
    assert fresh.slots() == {_digest(b"new kept"): (records[b"kept"],)}
    assert verify(fresh) == []


def test_gc_merges_journals(tmp_path: Path) -> None:
    """Many runs leave many journals; gc leaves one, and the second time changes nothing."""
    for name in (b"one", b"two"):
        with Stash.open(tmp_path, create=True) as stash:
            stash.add_slot(
                SlotRecord(original=stash.put(name), replacement="0" * 64, style="utf8", raw=None, component="x")
            )
            stash.commit()
    before = Stash.open(tmp_path, create=False).slots()
    for _ in range(2):
        gc(Stash.open(tmp_path, create=False), keep=[_digest(b"one"), _digest(b"two")], now_s=NOW_S)
        assert len(list((tmp_path / "slots").iterdir())) == 1
    assert Stash.open(tmp_path, create=False).slots() == before


def test_a_dry_run_removes_nothing(tmp_path: Path) -> None:
    """The dry run says the same and leaves every file."""
    stash = _stash(tmp_path, b"garbage")
    stale = tmp_path / "tmp/1-0-a"
    stale.write_bytes(b"")
    os.utime(stale, (0, 0))
    said = gc(stash, keep=[], now_s=NOW_S, dry_run=True)
    assert _contents(stash) == {b"garbage"}
    assert stale.exists()
    assert gc(stash, keep=[], now_s=NOW_S) == said
    assert _contents(stash) == set()
    assert not stale.exists()


def test_only_old_temporary_files_are_removed(tmp_path: Path) -> None:
    """A temporary file of less than a day may belong to a run that still goes on."""
    stash = _stash(tmp_path)
    for name, age_s in (("young", 3_600), ("old", 90_000)):
        path = tmp_path / "tmp" / name
        path.write_bytes(b"half")
        os.utime(path, (NOW_S - age_s, NOW_S - age_s))
    assert gc(stash, keep=[], now_s=NOW_S).stale_temps == ("old",)
    assert [path.name for path in (tmp_path / "tmp").iterdir()] == ["young"]


def test_gc_waits_for_no_writer(tmp_path: Path) -> None:
    """While a run has put and not committed, its known objects are not swept away under it."""
    _stash(tmp_path, b"known")
    with Stash.open(tmp_path, create=True) as writer:
        writer.put(b"known")
        with pytest.raises(StashUnwritable, match="another process"):
            gc(Stash.open(tmp_path, create=False), keep=[], now_s=NOW_S)
    assert len(gc(Stash.open(tmp_path, create=False), keep=[], now_s=NOW_S).removed) == 1


@pytest.mark.parametrize("folder", ["undo", "slots"])
def test_gc_removes_nothing_where_a_record_is_damaged(tmp_path: Path, folder: str) -> None:
    """What a damaged record needs is unknown, so everything stays."""
    with Stash.open(tmp_path, create=True) as stash:
        digest = stash.put(b"one")
        stash.add_slot(SlotRecord(original=digest, replacement="0" * 64, style="utf8", raw=None, component="x"))
        stash.write_undo(_digest(b"out"), b"", needs=[])
        stash.commit()
    (path,) = (tmp_path / folder).iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StashCorrupt):
        gc(Stash.open(tmp_path, create=False), keep=[], now_s=NOW_S)
    assert stash.has(digest)


def test_gc_leaves_a_damaged_object_that_is_referred_to(tmp_path: Path) -> None:
    """Damage is for `verify` to report; gc neither removes it nor stops at it."""
    stash = _stash(tmp_path, b"one", b"garbage")
    (tmp_path / "objects" / _digest(b"one")[:2] / _digest(b"one")[2:]).write_bytes(b"x")
    done = gc(stash, keep=[_digest(b"one")], now_s=NOW_S)
    assert [one.digest for one in done.kept] == [_digest(b"one")]
    assert [one.digest for one in done.removed] == [_digest(b"garbage")]
