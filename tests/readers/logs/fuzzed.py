"""A format's fixtures damaged, and records of its keys with any values: nothing but a known error may come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.histories.damage import damaged, files_of, outcome
from tests.running import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Sequence


def survives(format_name: str, files: Sequence[str], words: Sequence[str], *, examples: int = 15) -> None:
    """Read damaged *files* as *format_name*, and lines of *words* as keys among their own.

    What comes out is a number of requests, or a `CgError`; any other error is the caller's failure.
    """
    contents = [(FIXTURES / file).read_bytes() for file in files]

    @settings(max_examples=examples, deadline=None, database=None, derandomize=True)
    @given(st.sampled_from(contents).flatmap(damaged))
    def with_damage(data: bytes) -> None:
        found, error = outcome(data, format_name)
        assert found >= 0
        assert error is None or str(error)

    @settings(max_examples=examples, deadline=None, database=None, derandomize=True)
    @given(files_of(words, contents[0].splitlines() or [b"{}"]))
    def with_odd_records(data: bytes) -> None:
        found, error = outcome(data, format_name)
        assert found >= 0
        assert error is None or str(error)

    with_damage()
    with_odd_records()
