"""Files as bytes, and bytes as lines."""

from __future__ import annotations

import gzip
import io
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cgcli.errors import InputError
from cgcli.readers import files, open_bytes
from cgcli.readers.files import split_lines
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Buffer

_line = st.binary(max_size=40) | st.sampled_from([b"\n", b"\r\n", b"\r", b"\x0b\n", b"a" * 200])


class Dribble(io.BytesIO):
    """Gives at most so many bytes at a time, in turn."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        """Give *data* in pieces of *sizes*."""
        super().__init__(data)
        self.sizes = sizes
        self.i_size = 0

    def readinto1(self, buffer: Buffer) -> int:
        """Fill a part of *buffer*."""
        size = self.sizes[self.i_size % len(self.sizes)]
        self.i_size += 1
        return super().readinto1(memoryview(buffer)[:size])


def _lines(data: bytes) -> list[bytes]:
    """Lines that end at a newline and at nothing else, told by the standard library."""
    return [*io.BytesIO(data)]


@given(st.lists(_line).map(b"".join), st.lists(st.integers(1, 64), min_size=1, max_size=5), st.integers(1, 32))
@example(b"", [1], 1)
@example(b"\n\n", [1], 1)
@example(b"a" * 64 + b"\n" + b"b" * 65, [64], 32)
def test_lines_end_at_newlines_only_however_they_arrive(data: bytes, sizes: list[int], block_bytes: int) -> None:
    """Whatever the size of the pieces, and of the lines against the buffer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_BLOCK_BYTES", block_bytes)
        assert list(split_lines(Dribble(data, sizes), file="f")) == _lines(data)


@pytest.mark.parametrize("size", [(4 << 20) - 1, 4 << 20, (4 << 20) + 1, 9_000_000])
def test_lines_longer_than_the_buffer_are_whole(size: int) -> None:
    """Lines at and over the buffer's own size, with short ones around them."""
    lines = [b"first\n", b"x" * (size - 1) + b"\n", b"short\n", b"y" * size, b""]
    assert list(split_lines(io.BytesIO(b"".join(lines)), file="f")) == lines[:-1]


def _read(path: Path) -> bytes:
    with open_bytes(str(path)) as stream:
        return stream.read()


def test_gzip_is_unpacked_members_and_all() -> None:
    """Two members are one content: what the packed fixture was made of."""
    packed = FIXTURES / "ugly" / "agent.jsonl.gz"
    plain = (FIXTURES / "context-guru" / "agent.jsonl").read_bytes().splitlines(keepends=True)
    assert _read(packed) == b"".join([line for line in plain if line.strip()][:5])
    assert packed.read_bytes().count(b"\x1f\x8b\x08") == 2


def test_a_cut_gzip_file_is_an_error_that_says_so(tmp_path: Path) -> None:
    """Never an end that looks like one."""
    packed = gzip.compress(b'{"a":1}\n' * 5000)
    path = tmp_path / "cut.gz"
    for damage in (packed[:-9], packed[:-1], packed[:40] + b"\xff\xff\xff" + packed[43:], packed + b"trailing"):
        path.write_bytes(damage)
        with open_bytes(str(path)) as stream, pytest.raises(InputError, match="damaged") as caught:
            list(split_lines(stream, file=str(path)))
        assert caught.value.exit_code == 4


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_text_is_named(tmp_path: Path, encoding: str) -> None:
    """With and without a byte-order mark; the hint has the way out."""
    path = tmp_path / "wide.jsonl"
    path.write_bytes('{"model":"m"}\n'.encode(encoding))
    with pytest.raises(InputError, match=f"UTF-{encoding[4:6]}") as caught:
        open_bytes(str(path))
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("iconv -f UTF-")


ZSTD = bytes.fromhex("28b52ffd 20 09 490000") + b'{"a":1}\n\n'
"""One frame with one raw block."""


@pytest.mark.skipif(find_spec("zstandard") is not None, reason="the optional package is here")
def test_zstandard_without_its_package_names_both_ways_out(tmp_path: Path) -> None:
    """Unpack it, or install the package."""
    path = tmp_path / "packed.zst"
    path.write_bytes(ZSTD)
    with pytest.raises(InputError, match="zstandard-packed") as caught:
        open_bytes(str(path))
    assert caught.value.hint is not None
    assert ("zstd -d" in caught.value.hint, "pip install zstandard" in caught.value.hint) == (True, True)


@pytest.mark.skipif(find_spec("zstandard") is None, reason="the optional package is not here")
def test_zstandard_is_unpacked(tmp_path: Path) -> None:
    """Told by its first bytes."""
    path = tmp_path / "packed"
    path.write_bytes(ZSTD)
    with open_bytes(str(path)) as stream:
        assert list(split_lines(stream, file="f")) == [b'{"a":1}\n', b"\n"]


def test_what_cannot_be_opened_is_an_input_error(tmp_path: Path) -> None:
    """A missing file and a folder."""
    for path, message in ((tmp_path / "absent", "no such file"), (tmp_path, "a folder, not a file")):
        with pytest.raises(InputError, match=message) as caught:
            open_bytes(str(path))
        assert caught.value.where == str(path)


def test_short_files_are_read_as_they_are(tmp_path: Path) -> None:
    """No byte, one, and three; nothing is guessed from so little."""
    path = tmp_path / "short"
    for content in (b"", b"{", b"{}\n", b"\x00\x00\x00\x00"):
        path.write_bytes(content)
        assert _read(path) == content
