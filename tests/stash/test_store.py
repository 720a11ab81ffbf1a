"""Putting originals into the stash and reading them back."""

import hashlib
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cgcli.errors import StashCorrupt, StashError, StashMiss, StashUnwritable
from cgcli.stash.store import Committed, Stash

HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
HELLO_PATH = Path("objects/2c/f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")


def _run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments], capture_output=True, text=True, check=False
    )


def _temps(root: Path) -> list[Path]:
    return list((root / "tmp").iterdir())


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_stash_ignores_itself_and_names_its_format(tmp_path: Path) -> None:
    """A new stash is private, is ignored by git and says which format it has."""
    Stash.open(tmp_path / "deep" / ".cg", create=True)
    assert (tmp_path / "deep/.cg/.gitignore").read_bytes() == b"*\n"
    assert (tmp_path / "deep/.cg/format").read_bytes() == b"cg-stash/1\n"
    assert _mode(tmp_path / "deep/.cg") == 0o700


def test_an_object_stands_under_its_sha256_once_committed(tmp_path: Path) -> None:
    """After the commit the bytes stand in one private file, named by their sha256."""
    with Stash.open(tmp_path / "s", create=True) as stash:
        assert stash.put(b"hello") == HELLO
        assert stash.put(b"hello") == HELLO
        assert stash.commit() == Committed(n_new=1, new_bytes=5, n_known=0)
    path = tmp_path / "s" / HELLO_PATH
    assert path.read_bytes() == b"hello"
    assert _mode(path) == 0o600
    assert _mode(path.parent) == 0o700
    assert _temps(tmp_path / "s") == []
    assert Stash.open(tmp_path / "s", create=False).get(HELLO) == b"hello"


def test_an_original_never_expires(tmp_path: Path) -> None:
    """Written decades ago, read and never touched since: it is found by its key, and was not copied or freshened."""
    with Stash.open(tmp_path, create=True) as stash:
        stash.put(b"hello")
        stash.commit()
    os.utime(tmp_path / HELLO_PATH, (1, 1))
    for _ in range(2):
        again = Stash.open(tmp_path, create=False)
        assert again.get(again.resolve("<<cg:2cf24dba5fb0a30e>>")) == b"hello"
        assert [one.modified_s for one in again.ls()] == [1.0]


def test_nothing_is_visible_before_the_commit(tmp_path: Path) -> None:
    """What is put but not committed cannot be read, found or listed."""
    stash = Stash.open(tmp_path, create=True)
    stash.put(b"hello")
    assert not stash.has(HELLO)
    assert list(stash.ls()) == []
    with pytest.raises(StashMiss):
        stash.get(HELLO)
    with pytest.raises(StashMiss):
        stash.resolve(HELLO[:16])
    stash.discard()


def test_leaving_the_block_discards(tmp_path: Path) -> None:
    """Without a commit nothing is left, not even a temporary file."""
    with Stash.open(tmp_path, create=True) as stash:
        stash.put(b"hello")
        assert len(_temps(tmp_path)) == 1
    assert _temps(tmp_path) == []
    assert stash.commit() == Committed(n_new=0, new_bytes=0, n_known=0)
    assert not stash.has(HELLO)


def test_the_same_run_again_writes_nothing(tmp_path: Path) -> None:
    """Objects that stand there with the right content are counted as known and left alone."""
    inodes = set()
    for expected in (Committed(n_new=2, new_bytes=5, n_known=0), Committed(n_new=0, new_bytes=0, n_known=2)):
        with Stash.open(tmp_path, create=True) as stash:
            stash.put(b"hello")
            stash.put(b"")
            assert stash.commit() == expected
        inodes.add((tmp_path / HELLO_PATH).stat().st_ino)
    assert len(inodes) == 1


@pytest.mark.parametrize("damaged", [b"hellx", b"hell", b""])
def test_a_damaged_object_is_told_and_healed(tmp_path: Path, damaged: bytes) -> None:
    """Reading verifies the digest; putting the original again replaces what was damaged."""
    with Stash.open(tmp_path, create=True) as stash:
        stash.put(b"hello")
        stash.commit()
        (tmp_path / HELLO_PATH).write_bytes(damaged)
        with pytest.raises(StashCorrupt) as caught:
            stash.get(HELLO)
        assert caught.value.where == str(tmp_path / HELLO_PATH)
        stash.put(b"hello")
        assert stash.commit() == Committed(n_new=1, new_bytes=5, n_known=0)
        assert stash.get(HELLO) == b"hello"


def test_a_stash_with_another_format_is_refused(tmp_path: Path) -> None:
    """A stash of a later version is neither read nor written."""
    Stash.open(tmp_path, create=True)
    (tmp_path / "format").write_bytes(b"cg-stash/2\n")
    for create in (False, True):
        with pytest.raises(StashError, match="cg-stash/2"):
            Stash.open(tmp_path, create=create)


def test_there_is_no_stash_where_none_was_begun(tmp_path: Path) -> None:
    """Opening to read makes nothing."""
    with pytest.raises(StashMiss, match="no stash"):
        Stash.open(tmp_path / "none", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_does_not_become_a_stash(tmp_path: Path) -> None:
    """A mistyped `--stash` does not scatter objects among someone's files."""
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(StashUnwritable, match=r"thesis\.tex"):
        Stash.open(tmp_path, create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_start_that_was_killed_is_begun_again(tmp_path: Path) -> None:
    """A stash without its `format` file, which is written last, is completed."""
    Stash.open(tmp_path, create=True)
    (tmp_path / "format").unlink()
    Stash.open(tmp_path, create=True)
    assert (tmp_path / "format").read_bytes() == b"cg-stash/1\n"


def test_a_file_in_the_way_is_unwritable(tmp_path: Path) -> None:
    """A file where the folder should be is left alone and named."""
    (tmp_path / "s").write_text("mine")
    with pytest.raises(StashUnwritable) as caught:
        Stash.open(tmp_path / "s", create=True)
    assert "--stash" in (caught.value.hint or "")
    assert (tmp_path / "s").read_text() == "mine"
    with pytest.raises(StashMiss):
        Stash.open(tmp_path / "s", create=False)


def test_a_file_in_place_of_a_shard_is_unwritable(tmp_path: Path) -> None:
    """A commit that cannot place an object says so, and leaves nothing half-written."""
    with Stash.open(tmp_path, create=True) as stash:
        (tmp_path / "objects/2c").write_text("")
        stash.put(b"hello")
        with pytest.raises(StashUnwritable):
            stash.commit()
    assert _temps(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_stash_can_be_read_and_not_written(tmp_path: Path) -> None:
    """Reading needs no right to write; writing without it is `StashUnwritable`."""
    with Stash.open(tmp_path, create=True) as stash:
        stash.put(b"hello")
        stash.commit()
    (tmp_path / "tmp").chmod(0o500)
    try:
        assert Stash.open(tmp_path, create=False).get(HELLO) == b"hello"
        with pytest.raises(StashUnwritable):
            Stash.open(tmp_path, create=True).put(b"other")
    finally:
        (tmp_path / "tmp").chmod(0o700)


def test_a_full_disk_is_unwritable_and_leaves_nothing(tmp_path: Path) -> None:
    """An object that cannot be written whole is not written at all; the ones before stay uncommitted."""
    done = _run(
        """
        import resource, sys
        from pathlib import Path
        from cgcli.errors import StashUnwritable
        from cgcli.stash.store import Stash

        root = Path(sys.argv[1])
        with Stash.open(root, create=True) as stash:
            stash.put(b"hello")
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            try:
                stash.put(b"x" * 5000)
            except StashUnwritable as error:
                print(error.message, "|", error.hint, "|", len(list((root / "tmp").iterdir())))
        print(len(list(stash.ls())), len(list((root / "tmp").iterdir())))
        """,
        str(tmp_path / "s"),
    )
    assert done.stderr == ""
    assert done.stdout == (
        "the stash cannot be written: File too large | "
        "the file size limit (ulimit -f) is too low for the originals | 1\n"
        "0 0\n"
    )


def test_a_full_disk_in_the_journal_leaves_the_objects_whole(tmp_path: Path) -> None:
    """When a record cannot be written after the objects, no record is visible and no temporary file stays."""
    done = _run(
        """
        import os, resource, sys
        from pathlib import Path
        from cgcli.errors import StashUnwritable
        from cgcli.stash.store import Stash

        root = Path(sys.argv[1])
        with Stash.open(root, create=True) as stash:
            need = stash.put(b"hello")
            stash.write_undo(need, os.urandom(5000), needs=[need])
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            try:
                stash.commit()
            except StashUnwritable as error:
                print(error.message)
        print(stash.get(need), stash.read_undo(need), len(list((root / "tmp").iterdir())))
        """,
        str(tmp_path / "s"),
    )
    assert done.stdout == "the stash cannot be written: File too large\nb'hello' None 0\n", done.stderr


def test_a_killed_run_leaves_no_object(tmp_path: Path) -> None:
    """A process that dies between put and commit leaves a temporary file at most, which no one sees."""
    done = _run(
        """
        import os, sys
        from pathlib import Path
        from cgcli.stash.store import Stash

        stash = Stash.open(Path(sys.argv[1]), create=True)
        stash.put(b"hello")
        os._exit(9)
        """,
        str(tmp_path / "s"),
    )
    assert done.returncode == 9
    stash = Stash.open(tmp_path / "s", create=False)
    assert len(_temps(tmp_path / "s")) == 1
    assert list(stash.ls()) == []
    with pytest.raises(StashMiss):
        stash.get(HELLO)
    with stash:
        stash.put(b"hello")
        stash.commit()
    assert stash.get(HELLO) == b"hello"


def test_two_processes_may_write_the_same_objects_at_once(tmp_path: Path) -> None:
    """Runs that begin one stash and write the same and other objects at the same time all succeed."""
    code = """
        import sys
        from pathlib import Path
        from cgcli.stash.store import Stash

        sys.stdin.readline()
        for turn in range(5):
            with Stash.open(Path(sys.argv[1]), create=True) as stash:
                for number in range(60):
                    stash.put(b"shared %d %d" % (turn, number))
                stash.put(sys.argv[2].encode())
                stash.commit()
    """
    started = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "s"), name],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two", "three")
    ]
    assert [process.communicate("go\n", timeout=60)[1] for process in started] == ["", "", ""]
    stash = Stash.open(tmp_path / "s", create=False)
    expected = {b"shared %d %d" % (turn, number) for turn in range(5) for number in range(60)}
    expected |= {b"one", b"two", b"three"}
    assert {stash.get(one.digest) for one in stash.ls()} == expected
    assert _temps(tmp_path / "s") == []


def test_a_record_of_what_was_never_stashed_is_refused(tmp_path: Path) -> None:
    """An undo record that promises what is not there is a bug of the writer, and is not written."""
    with Stash.open(tmp_path, create=True) as stash:
        stash.put(b"hello")
        stash.write_undo(HELLO, b"payload", needs=["0" * 64])
        with pytest.raises(StashMiss, match="never stashed"):
            stash.commit()
        assert stash.read_undo(HELLO) is None


def test_ls_tells_size_and_age(tmp_path: Path) -> None:
    """Objects are listed in the order of their digests, with bytes and time."""
    with Stash.open(tmp_path, create=True) as stash:
        stash.put(b"hello")
        stash.put(b"")
        stash.commit()
    os.utime(tmp_path / HELLO_PATH, (1_000, 1_000))
    listed = list(stash.ls())
    assert [(one.digest, one.size_bytes) for one in listed] == [(HELLO, 5), (hashlib.sha256().hexdigest(), 0)]
    assert listed[0].modified_s == 1_000


@pytest.mark.parametrize("digest", ["", "2cf2", HELLO.upper(), "../" * 20, HELLO + "0"])
def test_only_whole_digests_name_objects(tmp_path: Path, digest: str) -> None:
    """`get` and `has` take nothing but 64 hex digits in lower case."""
    stash = Stash.open(tmp_path, create=True)
    with pytest.raises(ValueError, match="64 hex digits"):
        stash.get(digest)
    with pytest.raises(ValueError, match="64 hex digits"):
        stash.has(digest)


def test_opening_and_reading_import_nothing_heavy(tmp_path: Path) -> None:
    """`cg expand HASH` starts fast: reading a stash needs neither threads nor a terminal library."""
    with Stash.open(tmp_path, create=True) as stash:
        stash.put(b"hello")
        stash.commit()
    done = _run(
        """
        import sys
        from pathlib import Path
        from cgcli.stash.store import Stash

        stash = Stash.open(Path(sys.argv[1]), create=False)
        stash.get(stash.resolve("2cf2"))
        heavy = {"tiktoken", "rich", "pydantic", "httpx", "hypothesis", "asyncio", "typer", "tarfile"}
        print(sorted((heavy | {"concurrent.futures", "tempfile", "fcntl"}) & sys.modules.keys()))
        """,
        str(tmp_path),
    )
    assert done.stdout == "[]\n", done.stderr
