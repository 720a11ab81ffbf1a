"""Times as session files write them."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.readers.stamps import iso_s, number_s


@pytest.mark.parametrize(
    ("text", "stamp_s"),
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("2026-03-02T08:00:01.250Z", 1772438401.25),
        ("2026-03-02 08:00:01", 1772438401.0),
        ("2026-03-02T09:00:01+01:00", 1772438401.0),
        ("2026-03-02T03:30:01-0430", 1772438401.0),
        ("2026-03-02T08:00:01.123456789Z", 1772438401.123456789),
        ("2026-13-02T08:00:01Z", None),
        ("0000-01-01T00:00:00Z", None),
        ("2026-03-02", None),
        ("soon", None),
        ("", None),
        (7, None),
        (None, None),
        (["2026-03-02T08:00:01Z"], None),
    ],
)
def test_iso_times_are_seconds(text: object, stamp_s: float | None) -> None:
    """With and without a zone or a fraction; what is no time is None."""
    assert iso_s(text) == stamp_s


@given(st.datetimes(timezones=st.just(dt.UTC)))
def test_every_time_that_python_writes_is_read(moment: dt.datetime) -> None:
    """To the microsecond."""
    assert iso_s(moment.isoformat()) == pytest.approx(moment.timestamp(), abs=1e-4)


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    """It is a time, or none."""
    assert isinstance(iso_s(text), float | None)


@pytest.mark.parametrize(
    ("number", "units_per_s", "stamp_s"),
    [
        (1783376868634, 1000, 1783376868.634),
        (1.5, 1, 1.5),
        (True, 1, None),
        ("7", 1, None),
        (None, 1, None),
        (10**400, 1000, None),
        (float("inf"), 1, None),
    ],
)
def test_numbers_are_seconds(number: object, units_per_s: int, stamp_s: float | None) -> None:
    """Seconds or milliseconds; a truth value, a string and what is too large are none."""
    assert number_s(number, units_per_s=units_per_s) == stamp_s
