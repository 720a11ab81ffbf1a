"""The lines of a report about summaries, from documents that a test writes down."""

from __future__ import annotations

from typing import Any

from cgcli.report.summaries import irreversible, lines, n_irreversible

TOLD: dict[str, Any] = {
    "step": "summarize",
    "call": "fork",
    "summarizer": "extractive",
    "nearest": None,
    "set_up": 0,
    "asked": 4,
    "applied": 1,
    "dropped": {"lane_edited": 1, "lane_restarted": 1},
    "refused_answers": 1,
    "waiting": 0,
    "refused": {"empty": 1, "nothing_to_select": 2},
    "by_mode": {"fork": 3, "standalone": 1},
    "swaps": 1,
    "still_above": 0,
    "irreversible": 0,
    "fork_fallbacks": 1,
    "fork_declines": 0,
    "call_tokens": 12_345,
    "events": [],
    "warnings": [],
    "last_summary_call_stats": None,
}


def _event(what: str, line: int = 1, **fields: Any) -> dict[str, Any]:
    empty = dict.fromkeys(
        (
            "asked_at_line",
            "messages",
            "mode",
            "reason",
            "detail",
            "span_tokens",
            "call_tokens",
            "left_out_messages",
            "summary_tokens",
        )
    )
    return {"line": line, "what": what, **empty, **fields}


def _applied(line: int) -> dict[str, Any]:
    return _event("applied", line, messages=[1, 9], mode="fork", span_tokens=4321, summary_tokens=250)


def test_without_the_step_nothing_is_said() -> None:
    """A policy that summarises nothing."""
    assert list(lines(None)) == []
    assert list(irreversible(None)) == []


def test_what_became_of_the_calls() -> None:
    """By mode, by fate, with the tokens of the calls; then what was refused, and each summary in its place."""
    refused = _event("refused", asked_at_line=3, reason="empty", detail="the summary has no text")
    not_asked = [_event("refused", reason="nothing_to_select")] * 2
    told = {**TOLD, "events": [refused, *not_asked, _applied(7)]}
    assert list(lines(told)) == [
        (
            "summaries (summarize, extractive): 4 calls (3 fork, 1 standalone), 1 applied, 0 waiting, 2 dropped, 1 "
            "refused; calls have 12,345 tokens, counted"
        ),
        "  not asked 2 times: nothing_to_select",
        "  refused 1 time: empty (the summary has no text)",
        "  line 7: messages 1 to 8, 4,321 tokens, became 250 (fork)",
        "  forks that became standalone calls: 1 fallback, 0 declines",
    ]


def test_why_nothing_was_asked_for() -> None:
    """From how many tokens on it would have been, and how near the file comes, as the step counts it."""
    nearest = {"model": "claude-x", "tokens": 12_983, "basis": "estimated: o200k_base x 1.24", "ask_tokens": 98_342}
    told = {**TOLD, "asked": 0, "by_mode": {}, "refused": {}, "fork_fallbacks": 0, "nearest": nearest}
    assert list(lines(told))[1:] == [
        (
            "  none was asked for: that is from 98,342 tokens on, and the request that came nearest has 12,983 "
            "(claude-x, estimated: o200k_base x 1.24); --budget lowers that"
        )
    ]


def test_what_did_not_fit_is_said() -> None:
    """A call without the oldest messages, and a swap that was not enough."""
    told = {**TOLD, "step": "codex-local", "still_above": 1, "events": [_event("asked", left_out_messages=3)]}
    assert list(lines({**told, "refused": {}, "fork_fallbacks": 0}))[1:] == [
        "  in 1 lane a request was at the threshold with a summary in its place",
        "  1 call left out the oldest messages of the span: they would not have fitted",
    ]


def test_five_summaries_are_shown() -> None:
    """The others are counted."""
    shown = list(lines({**TOLD, "events": [_applied(line) for line in range(8)], "fork_fallbacks": 0, "refused": {}}))
    assert [line for line in shown if "became" in line][-1].startswith("  line 4: ")
    assert shown[-1] == "  and 3 more: --json has them all"


def test_what_the_provider_compacts_by_itself_has_no_figure() -> None:
    """That is said where the figures would be."""
    told = {**TOLD, "set_up": 2, "call": "native"}
    assert list(lines(told))[1] == (
        "  in 2 lanes the provider is to compact by itself: what that would save is not in the file, so it is in no "
        "figure here"
    )
    assert list(irreversible(told)) == [
        "IRREVERSIBLE: in 2 lanes the provider compacts by itself; nothing of ours brings back what it drops"
    ]
    assert n_irreversible(told) == 2


def test_spans_that_cannot_be_given_back() -> None:
    """By the provider, or because nothing was kept."""
    told = {**TOLD, "irreversible": 3}
    assert list(irreversible({**told, "call": "native-on-demand"})) == [
        "IRREVERSIBLE: 3 spans compacted by the provider; nothing of ours brings them back"
    ]
    assert list(irreversible(told)) == ["IRREVERSIBLE: 3 spans without an original in the stash (marker_mode)"]
    assert n_irreversible(told) == 3


def test_hostile_text_is_shown_escaped() -> None:
    """A detail may quote what a provider or a file said."""
    told = {**TOLD, "events": [_event("refused", reason="empty", detail="\x1b[31mred\u202e")], "refused": {"empty": 1}}
    shown = "\n".join(lines(told))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
