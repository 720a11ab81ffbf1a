"""Products: whole in their place, or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from cgcli.errors import OutputError, UsageError
from cgcli.replay.output import Output, refuse_input_as_output


def _write(target: str, content: bytes) -> None:
    with Output(target) as sink:
        sink.write([content])
        sink.finish()


def _fail(target: str) -> None:
    with Output(target) as sink:
        sink.write([b"half"])
        raise ZeroDivisionError


def _entries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_finished_product_stands_under_its_name(tmp_path: Path) -> None:
    """All pieces in order, with the digest of all of them; nothing else in the folder."""
    with Output(str(tmp_path / "out")) as sink:
        sink.write([b"ab", memoryview(b"cd")])
        sink.write([])
        sink.write([b"e"] * 3000)
        assert sink.hexdigest() == hashlib.sha256(b"abcd" + b"e" * 3000).hexdigest()
        assert sink.n_bytes == 3004
        assert not (tmp_path / "out").exists()
        sink.finish()
    assert (tmp_path / "out").read_bytes() == b"abcd" + b"e" * 3000
    assert _entries(tmp_path) == ["out"]


def test_without_finish_nothing_is_left(tmp_path: Path) -> None:
    """Leaving the block early removes the part."""
    with Output(str(tmp_path / "out")) as sink:
        sink.write([b"half"])
        assert [name for name in _entries(tmp_path) if name.endswith(".part")]
    assert _entries(tmp_path) == []


def test_an_error_leaves_what_stood_there(tmp_path: Path) -> None:
    """An earlier product survives a run that fails."""
    (tmp_path / "out").write_bytes(b"earlier")
    with pytest.raises(ZeroDivisionError):
        _fail(str(tmp_path / "out"))
    assert (tmp_path / "out").read_bytes() == b"earlier"
    assert _entries(tmp_path) == ["out"]


def test_a_finished_product_replaces_an_earlier_one(tmp_path: Path) -> None:
    """In one step; its mode follows the umask, not that of a temporary file."""
    (tmp_path / "out").write_bytes(b"earlier")
    with Output(str(tmp_path / "out")) as sink:
        sink.write([b"later"])
        sink.finish()
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "out").read_bytes() == b"later"
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o666 & ~mask


def test_an_empty_product_is_one(tmp_path: Path) -> None:
    """No piece at all gives an empty file."""
    with Output(str(tmp_path / "out")) as sink:
        sink.finish()
    assert (tmp_path / "out").read_bytes() == b""


def test_stdout_gets_a_copy_at_the_end(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Nothing before `finish`, then all of it."""
    with Output("-") as sink:
        sink.write([b"product\n" * 3])
        sink.hexdigest()
        assert capfdbinary.readouterr().out == b""
        sink.finish()
    assert capfdbinary.readouterr().out == b"product\n" * 3


def test_stdout_gets_nothing_from_a_run_that_fails(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Half a product on a pipe would look like a whole one."""
    with Output("-") as sink:
        sink.write([b"product\n" * 3])
    assert capfdbinary.readouterr().out == b""


def test_a_device_is_written_to_and_stays_a_device(tmp_path: Path) -> None:
    """`-o /dev/null` is no file to put something in the place of; a pipe with a name gets its bytes."""
    with Output(os.devnull) as sink:
        sink.write([b"gone"])
        sink.finish()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with Output(str(pipe)) as sink:
        sink.write([b"through"])
        sink.finish()
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert _entries(tmp_path) == ["pipe"]


@pytest.mark.parametrize("name", ["missing/out", "file/out"])
def test_a_place_that_cannot_be_is_told_at_once(name: str, tmp_path: Path) -> None:
    """Before anything is done: the folder is not there, or is a file."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError) as caught, Output(str(tmp_path / name)):
        pass
    assert caught.value.where == str(tmp_path / name)
    assert caught.value.message.startswith("cannot write: ")


def test_a_full_disk_is_an_output_error(tmp_path: Path) -> None:
    """The device that is always full stands for it: `/dev/full` takes the copy and refuses it."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full on this system")
    with pytest.raises(OutputError, match="No space left") as caught:
        _write(str(full), b"much")
    assert caught.value.where == "/dev/full"
    assert _entries(tmp_path) == []


def test_the_input_is_no_output(tmp_path: Path) -> None:
    """By whatever name it is given: the same path, a link to it."""
    source = tmp_path / "in"
    source.write_text("x")
    (tmp_path / "link").symlink_to(source)
    for target in (source, tmp_path / "link", tmp_path / "." / "in"):
        with pytest.raises(UsageError, match="the output is the input"):
            refuse_input_as_output(str(source), str(target))


@pytest.mark.parametrize(("source", "target"), [("-", "out"), ("in", "-"), ("in", None), ("in", "other")])
def test_other_outputs_are_allowed(
    source: str, target: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams, nothing, and another name."""
    monkeypatch.chdir(tmp_path)
    Path("in").write_text("x")
    refuse_input_as_output(source, target)
