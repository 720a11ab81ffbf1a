"""Whole sessions of pi: a public one, and files with faults in them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import Rebuilt, of_path
from tests.running import CORPUS, FIXTURES, NO_CORPUS

V1, V3 = FIXTURES / "pi" / "v1.jsonl", FIXTURES / "pi" / "v3.jsonl"
WORDS = (
    *("type", "session", "message", "compaction", "branch_summary", "custom_message", "model_change", "id", "parentId"),
    *("version", "cwd", "timestamp", "role", "user", "assistant", "toolResult", "bashExecution", "custom", "content"),
    *("text", "thinking", "thinkingSignature", "redacted", "toolCall", "arguments", "name", "toolCallId", "image"),
    *("usage", "input", "output", "cacheRead", "cacheWrite", "stopReason", "aborted", "error", "model", "provider"),
    *("summary", "firstKeptEntryId", "firstKeptEntryIndex", "command", "exitCode", "excludeFromContext", "isError"),
)


@pytest.fixture(scope="module")
def public() -> Rebuilt:
    """The public session of pi, read once."""
    if CORPUS is None:
        pytest.skip(NO_CORPUS)
    (path,) = (CORPUS / "pi-openclaw-session").iterdir()
    return of_path(path)


def test_the_public_session(public: Rebuilt) -> None:
    """484 assistant turns, of which 13 were broken off with all zeros; two compactions make three epochs."""
    assert (len(public.exchanges), len(public.passed)) == (471, 13)
    assert [(len(lane), [len(epoch) for epoch in lane]) for lane in public.lanes()] == [(3, [171, 123, 177])]
    usages = [one.usage for one in public.exchanges if one.usage is not None]
    assert sum(usage.fresh or 0 for usage in usages) == 3689
    assert sum(usage.read or 0 for usage in usages) == 54_693_675
    assert sum((usage.write_by_ttl_s or {}).get(300, 0) for usage in usages) == 1_685_320
    assert sum(usage.output or 0 for usage in usages) == 187_895
    counts = dict(zip(public.lines, (len(one.request.messages) for one in public.exchanges), strict=True))
    assert {line: counts[line] for line in (3, 22, 24, 359, 364, 628, 631, 642, 1001)} == {
        3: 1,
        22: 15,
        24: 16,
        359: 342,
        364: 69,
        628: 318,
        631: 80,
        642: 90,
        1001: 438,
    }
    assert sum(counts.values()) == 98_713


def test_the_public_sessions_compactions(public: Rebuilt) -> None:
    """The last answers before them were given at 175,004 and 185,014 tokens, all told, as pi counted."""
    usages = [one.usage for one in public.exchanges if one.source.line in {359, 628}]
    assert [(usage.input or 0) + (usage.output or 0) for usage in usages if usage] == [175_004, 185_014]


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, V3.read_bytes().splitlines()))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "pi")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([V1, V3]).flatmap(lambda path: damaged(path.read_bytes())))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
