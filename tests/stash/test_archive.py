"""Export and import of a stash."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from cgcli.errors import InputError, OutputError, StashCorrupt
from cgcli.stash.archive import Exported, Imported, export, import_
from cgcli.stash.audit import verify
from cgcli.stash.slots import SlotRecord
from cgcli.stash.store import Stash

ONE = hashlib.sha256(b"one").hexdigest()
OUTPUT = hashlib.sha256(b"output").hexdigest()
ONE_NAME = f"objects/{ONE[:2]}/{ONE[2:]}"


def _stash(root: Path) -> Stash:
    with Stash.open(root, create=True) as stash:
        digest = stash.put(b"one")
        stash.put(b"another")
        stash.add_slot(SlotRecord(original=digest, replacement="0" * 64, style="go", raw=None, component="x"))
        stash.write_undo(OUTPUT, b"payload", needs=[digest])
        stash.commit()
    return stash


def _tar(path: Path, members: list[tuple[str, bytes]], *, kind: bytes = tarfile.REGTYPE) -> Path:
    """An archive of *members*; the manifest names all of them."""
    names = "".join(f"{name}\n" for name, _ in members).encode()
    with tarfile.open(path, "w") as tar:
        for name, content in [("format", b"cg-stash/1\n"), ("manifest", names), *members]:
            info = tarfile.TarInfo(name)
            if name not in {"format", "manifest"}:
                info.type = kind
                info.linkname = "/etc/passwd"
            info.size = len(content) if info.isreg() else 0
            tar.addfile(info, io.BytesIO(content))
    return path


def _objects(stash: Stash) -> dict[str, bytes]:
    return {one.digest: stash.get(one.digest) for one in stash.ls()}


def test_export_and_import_carry_everything(tmp_path: Path) -> None:
    """Objects, journals and undo records arrive; exporting the copy gives the same bytes."""
    stash = _stash(tmp_path / "a")
    done = export(stash, tmp_path / "a.tar")
    assert done == Exported(n_objects=2, object_bytes=10, n_journals=1, n_undo_records=1)
    copy = Stash.open(tmp_path / "b", create=True)
    assert import_(copy, tmp_path / "a.tar") == Imported(
        n_new=2, new_bytes=10, n_known=0, n_journals=1, n_undo_records=1
    )
    assert _objects(copy) == _objects(stash)
    assert copy.read_undo(OUTPUT) == b"payload"
    assert copy.slots() == stash.slots()
    assert verify(copy) == []
    export(copy, tmp_path / "b.tar")
    assert (tmp_path / "b.tar").read_bytes() == (tmp_path / "a.tar").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "a.tar", "b", "b.tar"]


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    """Objects that are there and right are counted as known; a damaged one is healed."""
    stash = _stash(tmp_path / "a")
    export(stash, tmp_path / "a.tar")
    assert import_(stash, tmp_path / "a.tar").n_known == 2
    (tmp_path / "a" / ONE_NAME).write_bytes(b"bad")
    done = import_(stash, tmp_path / "a.tar")
    assert (done.n_new, done.n_known) == (1, 1)
    assert stash.get(ONE) == b"one"


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/cron.d/evil",
        "objects/../../evil",
        f"objects/xx/{ONE[2:]}",
        "undo/x",
        "slots/x.jsonl",
        "lock",
    ],
)
def test_an_archive_with_a_strange_name_is_refused(tmp_path: Path, name: str) -> None:
    """A name that no stash has is refused, and what stood before it is not imported either."""
    stash = Stash.open(tmp_path / "deep/s", create=True)
    before = sorted(tmp_path.rglob("*"))
    archive = _tar(tmp_path / "deep/a.tar", [(ONE_NAME, b"one"), (name, b"evil")])
    with pytest.raises(InputError, match="no stash has"):
        import_(stash, archive)
    after = {path for path in tmp_path.rglob("*") if path.name not in {"a.tar", "lock"}}
    assert sorted(after) == before


@pytest.mark.parametrize(
    ("name", "error"),
    [
        (ONE_NAME, StashCorrupt),
        (f"slots/{ONE}.jsonl", StashCorrupt),
        (f"undo/{ONE}.{ONE[:16]}", StashCorrupt),
    ],
)
def test_content_that_is_not_what_its_name_says_is_refused(tmp_path: Path, name: str, error: type[Exception]) -> None:
    """A wrong digest refuses the whole archive."""
    stash = Stash.open(tmp_path / "s", create=True)
    good = hashlib.sha256(b"good").hexdigest()
    archive = _tar(tmp_path / "a.tar", [(f"objects/{good[:2]}/{good[2:]}", b"good"), (name, b"bad")])
    with pytest.raises(error):
        import_(stash, archive)
    assert list(stash.ls()) == []
    assert list((tmp_path / "s/tmp").iterdir()) == []


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_only_files_are_imported(tmp_path: Path, kind: bytes) -> None:
    """Links, folders and pipes do not belong in an archive, whatever their names."""
    stash = Stash.open(tmp_path / "s", create=True)
    with pytest.raises(InputError, match="does not belong"):
        import_(stash, _tar(tmp_path / "a.tar", [(ONE_NAME, b"")], kind=kind))
    assert list(stash.ls()) == []


@pytest.mark.parametrize("cut_bytes", [512, 1_536, 2_560, 3_000])
def test_a_cut_archive_is_refused(tmp_path: Path, cut_bytes: int) -> None:
    """An archive that lost its end imports nothing, even where it is cut between two files."""
    export(_stash(tmp_path / "a"), tmp_path / "a.tar")
    whole = (tmp_path / "a.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[:cut_bytes])
    stash = Stash.open(tmp_path / "b", create=True)
    with pytest.raises((InputError, StashCorrupt)):
        import_(stash, tmp_path / "cut.tar")
    assert list(stash.ls()) == []


@pytest.mark.parametrize("content", [b"", b"not a tar at all", b"\x1f\x8b\x08", b"\x00" * 10_240])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    """Any other file is named as what it is not."""
    (tmp_path / "a.tar").write_bytes(content)
    with pytest.raises(InputError, match="not an archive"):
        import_(Stash.open(tmp_path / "s", create=True), tmp_path / "a.tar")


def test_another_format_is_refused(tmp_path: Path) -> None:
    """An archive of a later version is not imported."""
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        info = tarfile.TarInfo("format")
        info.size = 11
        tar.addfile(info, io.BytesIO(b"cg-stash/2\n"))
    with pytest.raises(InputError, match="format"):
        import_(Stash.open(tmp_path / "s", create=True), tmp_path / "a.tar")


def test_a_missing_archive_is_an_input_error(tmp_path: Path) -> None:
    """A path that leads nowhere is exit 4."""
    with pytest.raises(InputError, match="cannot be read"):
        import_(Stash.open(tmp_path / "s", create=True), tmp_path / "none.tar")


def test_a_damaged_stash_is_not_exported(tmp_path: Path) -> None:
    """Damage is not carried on, and an earlier archive stays as it was."""
    stash = _stash(tmp_path / "a")
    export(stash, tmp_path / "a.tar")
    before = (tmp_path / "a.tar").read_bytes()
    (tmp_path / "a" / ONE_NAME).write_bytes(b"bad")
    with pytest.raises(StashCorrupt):
        export(stash, tmp_path / "a.tar")
    assert (tmp_path / "a.tar").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "a.tar"]


def test_an_archive_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    """A folder that does not exist is not made."""
    with pytest.raises(OutputError):
        export(_stash(tmp_path / "a"), tmp_path / "none/a.tar")
    assert not (tmp_path / "none").exists()
