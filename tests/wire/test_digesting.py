"""Hashing and writing beside the work."""

from __future__ import annotations

import hashlib
from threading import Event
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.wire.digesting import Digesting

if TYPE_CHECKING:
    from collections.abc import Sequence

Pieces = list[bytes]


class Sink:
    """Keeps what it is given, and fails at batch *fails_at*."""

    def __init__(self, fails_at: int | None = None, error: Exception | None = None) -> None:
        """Start empty."""
        self.batches: list[bytes] = []
        self.fails_at = fails_at
        self.error = error or OSError(28, "No space left on device")
        self.gate = Event()
        self.gate.set()

    def take(self, pieces: Sequence[bytes | memoryview]) -> None:
        """Keep one batch, once the gate is open."""
        self.gate.wait()
        if len(self.batches) == self.fails_at:
            raise self.error
        self.batches.append(b"".join(pieces))


@given(st.lists(st.lists(st.binary(max_size=9), max_size=4), max_size=12))
def test_the_digest_is_that_of_all_bytes_in_order(batches: list[Pieces]) -> None:
    """However the bytes are cut, digest, length and what was handed on are the whole."""
    whole = b"".join(piece for batch in batches for piece in batch)
    sink = Sink()
    digesting = Digesting(sink.take)
    for batch in batches:
        digesting.update([memoryview(piece) for piece in batch])
    assert digesting.hexdigest() == hashlib.sha256(whole).hexdigest()
    assert digesting.n_bytes == len(whole)
    assert sink.batches == [b"".join(batch) for batch in batches]


def test_nothing_hashed_is_the_empty_digest() -> None:
    """No batch at all; closing twice, and asking twice, is the same."""
    digesting = Digesting()
    digesting.close()
    expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert [digesting.hexdigest(), digesting.hexdigest(), digesting.n_bytes] == [expected, expected, 0]


def test_a_slow_sink_loses_nothing() -> None:
    """What waits while the sink stands still is handed on afterwards, each batch once."""
    sink = Sink()
    sink.gate.clear()
    digesting = Digesting(sink.take)
    for i in range(4):
        digesting.update([b"%d" % i])
    assert sink.batches == []
    sink.gate.set()
    for i in range(4, 50):
        digesting.update([b"%d" % i])
    assert digesting.hexdigest() == hashlib.sha256("".join(map(str, range(50))).encode()).hexdigest()
    assert sink.batches == [b"%d" % i for i in range(50)]


def test_a_failure_is_raised_by_the_end() -> None:
    """The digest is refused with the sink's own error, and nothing is handed on after it."""
    sink = Sink(fails_at=1)
    digesting = Digesting(sink.take)
    digesting.update([b"a"])
    digesting.update([b"b"])
    with pytest.raises(OSError, match="No space left"):
        digesting.hexdigest()
    with pytest.raises(OSError, match="No space left"):
        digesting.update([b"c"])
    assert sink.batches == [b"a"]


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), ValueError("I/O operation on closed file")])
def test_a_failure_reaches_the_next_calls_and_blocks_nobody(error: Exception) -> None:
    """Of whatever kind, it ends an endless writer instead of leaving it waiting."""
    sink = Sink(fails_at=0, error=error)
    digesting = Digesting(sink.take)

    def write_for_ever() -> None:
        while True:
            digesting.update([b"more"])

    with pytest.raises(type(error)) as caught:
        write_for_ever()
    assert caught.value is error
    digesting.close()
    assert sink.batches == []
