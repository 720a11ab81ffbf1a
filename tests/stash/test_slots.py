"""Journals of replaced slots."""

import hashlib
import json
from pathlib import Path

import pytest

from cgcli.errors import StashCorrupt
from cgcli.model import changed
from cgcli.stash.slots import SlotRecord
from cgcli.stash.store import Stash

NEW = hashlib.sha256(b"shorter").hexdigest()


def _record(original: str, *, style: str | None = "utf8", raw: str | None = None) -> SlotRecord:
    return SlotRecord(original=original, replacement=NEW, style=style, raw=raw, component="format")


def _write(root: Path, *contents: bytes, styles: tuple[str, ...] = ("utf8",)) -> Stash:
    with Stash.open(root, create=True) as stash:
        for content in contents:
            digest = stash.put(content)
            for style in styles:
                stash.add_slot(_record(digest, style=style))
        stash.commit()
    return stash


def test_slots_are_found_by_what_stands_there_now(tmp_path: Path) -> None:
    """The digest of the replacing text leads to the original and its spelling."""
    with Stash.open(tmp_path, create=True) as stash:
        record = _record(stash.put(b"hello"), style=None, raw=stash.put(b'"h\\u0065llo"'))
        stash.add_slot(record)
        assert stash.slots() == {}
        stash.commit()
        assert stash.slots() == {NEW: (record,)}
    assert Stash.open(tmp_path, create=False).slots() == {NEW: (record,)}


def test_a_journal_is_json_lines_under_its_sha256(tmp_path: Path) -> None:
    """One record a line, in the order of the fields."""
    _write(tmp_path, b"hello")
    (path,) = (tmp_path / "slots").iterdir()
    line = (
        '{"original":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",'
        f'"replacement":"{NEW}","style":"utf8","raw":null,"component":"format"}}\n'
    )
    assert path.read_text() == line
    assert path.name == f"{hashlib.sha256(line.encode()).hexdigest()}.jsonl"


def test_a_record_of_whole_messages_says_so(tmp_path: Path) -> None:
    """In one member more; a journal without it, as versions before wrote them all, is about slots."""
    with Stash.open(tmp_path, create=True) as stash:
        record = changed(_record(stash.put(b'{"role":"user"}'), style=None), covers="messages")
        stash.add_slot(record)
        stash.add_slot(_record(stash.put(b"hello")))
        stash.commit()
    (path,) = (tmp_path / "slots").iterdir()
    told = [json.loads(line) for line in path.read_text().splitlines()]
    assert sorted(len(one) for one in told) == [5, 6]
    assert [one["covers"] for one in told if "covers" in one] == ["messages"]
    found = Stash.open(tmp_path, create=False).slots()[NEW]
    assert sorted(one.covers for one in found) == ["messages", "slot"]
    assert record in found


def test_the_same_run_writes_the_same_journal(tmp_path: Path) -> None:
    """The order in which slots come does not matter, and a second run adds no file."""
    _write(tmp_path, b"one", b"two")
    _write(tmp_path, b"two", b"one", b"one")
    assert len(list((tmp_path / "slots").iterdir())) == 1


def test_two_originals_of_one_text_are_both_kept(tmp_path: Path) -> None:
    """Where two originals, or two spellings, became one text, all stand there in a fixed order."""
    _write(tmp_path / "a", b"one", styles=("utf8", "ascii"))
    stash = _write(tmp_path / "a", b"two")
    (records,) = stash.slots().values()
    assert [(record.original[:4], record.style) for record in records] == [
        ("3fc4", "utf8"),
        ("7692", "ascii"),
        ("7692", "utf8"),
    ]
    other = _write(tmp_path / "b", b"two", b"one", styles=("ascii", "utf8"))
    assert set(other.slots()[NEW]) > set(records)


@pytest.mark.parametrize("damage", [b"", b"{}\n", b"not json\n"])
def test_a_damaged_journal_is_told(tmp_path: Path, damage: bytes) -> None:
    """A journal that is not what was written is corrupt, and is named."""
    stash = _write(tmp_path, b"one")
    (path,) = (tmp_path / "slots").iterdir()
    path.write_bytes(damage)
    with pytest.raises(StashCorrupt) as caught:
        Stash.open(tmp_path, create=False).slots()
    assert caught.value.where == str(path)
    with stash:
        stash.add_slot(_record(stash.put(b"one")))
        stash.commit()
    assert len(stash.slots()[NEW]) == 1
