"""The sentences under the table of modes: made from counts, and crediting nothing to what did not happen."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.report.replay.modes_said import NOT_MEASURED, jobs, said

FEWER = "fewer breakpoints (2.00 a request against 3.00)"


def counters(**fields: Any) -> dict[str, Any]:
    """Counters of async that did nothing, but for *fields*; those of the queue by their own names."""
    queue = dict.fromkeys(("queued", "committed", "stale_discarded", "dropped"), 0)
    made: dict[str, Any] = {"saved_tokens": 0, "async_realized_saved_tokens": 0, "llm_calls": 0}
    made |= {"async_tail_unprotected_turns": 0, "observe_queue": {"dropped": fields.pop("copies_dropped", 0)}}
    inner = {name: fields.pop(name) for name in list(fields) if name in queue}
    return {**made, **fields, "async_queue": {**queue, **inner}}


def mode(name: str, **table: Any) -> dict[str, Any]:
    """A policy in the mode *name*, with the figures of its *table*."""
    figures: dict[str, Any] = {"write_tokens": 50_000, "write_per_million_read": 40_000, "fresh_tokens": 0}
    figures |= {"own_write_tokens": 0, "breakpoints_per_request": 3.0}
    return {
        "policy": "fork",
        "label": f"fork {name}",
        "mode": name.partition(" ")[0],
        "counters": counters(committed=1, queued=1),
        "table": {**figures, **table},
    }


def test_what_became_of_the_jobs() -> None:
    """Each count in its place."""
    told = counters(
        committed=12,
        queued=1_040,
        stale_discarded=3,
        dropped=4,
        async_tail_unprotected_turns=5,
        async_realized_saved_tokens=6_000,
        saved_tokens=7_000,
    )

    assert jobs(told) == (
        "12 of 1,040 jobs committed, 3 stale, 4 dropped, 5 turns unprotected, 6,000 of 7,000 saved tokens realised"
    )


def test_where_nothing_was_committed_async_did_nothing() -> None:
    """Whatever was saved without a model, and whatever figure differs."""
    told = counters(queued=1, stale_discarded=1, async_tail_unprotected_turns=1, saved_tokens=900)

    assert jobs(told) == (
        "0 of 1 job committed, 1 stale, 0 dropped, 1 turn unprotected, 0 of 900 saved tokens realised: "
        "async did nothing here"
    )


def test_calls_that_were_made_in_vain_are_told() -> None:
    """They are real spend."""
    assert jobs(counters(queued=9, stale_discarded=9, llm_calls=9)).endswith(
        "async did nothing here, and paid for 9 calls"
    )


def test_observe_says_what_it_cannot_tell() -> None:
    """That it measures no cache, what it spends, and of how many requests it made no copy."""
    one = mode("observe") | {"counters": counters(llm_calls=2, copies_dropped=3)}

    assert list(said(one, [mode("sync")])) == [
        NOT_MEASURED,
        "its 2 calls to a model are real spend of measuring",
        "3 requests had no copy made, the queue was full: the projection is without them",
    ]


@pytest.mark.parametrize(
    ("table", "lower", "beside"),
    [
        (
            {"write_tokens": 49_999, "breakpoints_per_request": 2.0},
            "writes",
            FEWER,
        ),
        (
            {"write_per_million_read": 39_000, "breakpoints_per_request": 2.0},
            "writes per million read",
            FEWER,
        ),
        (
            {"write_tokens": 1, "write_per_million_read": 1, "breakpoints_per_request": 2.5, "fresh_tokens": 1_000},
            "writes and writes per million read",
            "fewer breakpoints (2.50 a request against 3.00) and 1,000 tokens more fresh",
        ),
        (
            {"write_tokens": 1, "fresh_tokens": 1, "own_write_tokens": 2, "breakpoints_per_request": 2.0},
            "writes",
            f"{FEWER}, 1 token more fresh and 2 tokens more written by its own calls",
        ),
    ],
)
def test_a_lower_write_figure_is_credited_to_nothing(table: dict[str, Any], lower: str, beside: str) -> None:
    """Where fewer breakpoints, fresh tokens or the policy's own writes go with it."""
    _, *told = said(mode("async (own)", **table), [mode("sync"), mode("async")])

    assert told == [f"lower {lower} than sync, with {beside}: not credited to any mechanism"]


@pytest.mark.parametrize(
    "table",
    [
        {"write_tokens": 49_999},
        {"breakpoints_per_request": 2.0},
        {"write_tokens": 50_001, "write_per_million_read": 40_001, "breakpoints_per_request": 2.0},
        {"write_tokens": None, "write_per_million_read": None, "breakpoints_per_request": 2.0},
        {"write_tokens": 49_999, "breakpoints_per_request": 4.0},
    ],
)
def test_nothing_is_said_of_a_figure_that_stands_alone(table: dict[str, Any]) -> None:
    """Lower writes with as many breakpoints, fewer breakpoints without lower writes, or no cache at all."""
    assert list(said(mode("async", **table), [mode("sync")]))[1:] == []
