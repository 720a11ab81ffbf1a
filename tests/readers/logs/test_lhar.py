"""LHAR: entries with bodies are requests, whichever way they are wrapped."""

from __future__ import annotations

import pytest

from cgcli.errors import FormatError
from tests.readers.histories.rebuilding import answer, jsonl, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

SESSION, EXPORT = FIXTURES / "lhar" / "session.lhar", FIXTURES / "lhar" / "export.lhar.json"
WORDS = (
    *("type", "entry", "session", "lhar", "entries", "trace_id", "raw", "request_body", "response_body", "gen_ai"),
    *("usage", "input_tokens", "usage_ext", "cache_read_tokens", "timings", "total_ms", "timestamp", "messages"),
)


def test_entries_with_bodies_are_requests() -> None:
    """Three of four; the trace is the session, the time is the entry's."""
    found = of_path(SESSION)
    assert (found.capture.format_name, found.lines, found.lanes()) == ("lhar", [2, 3, 4], [[[1, 2, 3]]])
    assert {one.session_id for one in found.exchanges} == {"6590f363"}
    assert found.reasons == [(5, "no_body", False)]
    assert next((one.sent_s, one.answered_s) for one in found.exchanges) == (1_772_438_400.0, 1_772_438_401.5)


def test_usage_is_the_answers_or_the_entrys() -> None:
    """An event stream, an object, and without an answer the entry's own disjoint figures."""
    found = of_path(SESSION)
    assert found.billed == [(10 + n, 100 * n, {300: 40}, 9) for n in range(3)]
    said = [answer(one) for one in found.exchanges]
    assert [one and one["content"][0]["id"] for one in said] == ["toolu_0", "toolu_1", None]


def test_the_wrapped_form_is_read() -> None:
    """The line is that of the entry in the document."""
    found = of_path(EXPORT)
    assert (found.capture.format_name, found.lines) == ("lhar", [7])


def test_without_any_body_it_is_refused() -> None:
    """With the setting that keeps them."""
    with pytest.raises(FormatError, match="LHAR without bodies") as caught:
        rebuilt(jsonl([{"lhar": {"version": "0.1.0", "entries": []}}]))
    assert "CONTEXT_LENS_PRIVACY=full" in str(caught.value.hint)


def test_damaged_files_are_read_or_reported() -> None:
    """Never another error."""
    survives("lhar", ["lhar/session.lhar", "lhar/export.lhar.json"], WORDS)
