"""A history knows its branches: what it says to be elsewhere is put in no thread that it shares messages with."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from cgcli.lanes import Relation, Threads, group
from cgcli.readers import read
from cgcli.readers.derived import Derived
from cgcli.readers.requests import Speller


def _said(*words: str) -> list[dict[str, Any]]:
    return [{"role": ("user", "assistant")[i % 2], "content": word} for i, word in enumerate(words)]


def _body(said: list[dict[str, Any]]) -> bytes:
    return json.dumps({"model": "claude-sonnet-4-5", "messages": said}).encode()


def _lines(*requests: tuple[str, list[dict[str, Any]]], is_history: bool) -> bytes:
    return b"".join(
        bytes(
            Speller(format_name="x", reconstructed=is_history).line(
                Derived(body=_body(said), line=1, session_id=session)
            )
        )
        for session, said in requests
    )


TRUNK = _said("go", "gone", "look")
REWOUND = (
    ("s", _said("go")),
    ("s", TRUNK),
    ("s/branch-1", [*TRUNK, {"role": "assistant", "content": "left"}, {"role": "user", "content": "back"}]),
    ("s/branch-1", [*TRUNK, {"role": "assistant", "content": "left"}, *_said("back", "there", "on")]),
    ("s", [*TRUNK, {"role": "assistant", "content": "right"}, {"role": "user", "content": "ahead"}]),
    ("s", [*TRUNK, {"role": "assistant", "content": "right"}, *_said("ahead", "here", "on")]),
)


def _placed(data: bytes) -> tuple[list[tuple[int, Relation]], list[int]]:
    """Thread and relation of each request, and how many requests each lane has."""
    threads = Threads()
    placed = []
    for i, entry in enumerate(read(BytesIO(data), file="f")):
        assert entry.exchange is not None
        found = threads.place(entry.exchange, i, alone=False, is_summary_call=False)
        placed.append((found.thread.identity, found.relation))
    return placed, [lane.n_requests for lane in group(threads.threads, independent=False)]


def test_a_branch_that_was_left_is_a_lane_and_the_line_goes_on() -> None:
    """The four requests of the line are one thread, the two that were left another."""
    placed, lanes = _placed(_lines(*REWOUND, is_history=True))
    assert placed == [
        (0, Relation.NEW),
        (0, Relation.EXTENDS),
        (1, Relation.BRANCHES),
        (1, Relation.EXTENDS),
        (0, Relation.EXTENDS),
        (0, Relation.EXTENDS),
    ]
    assert lanes == [4, 2]


def test_requests_as_sent_go_by_what_they_say() -> None:
    """A session of each trace there may be an id of each call."""
    placed, _ = _placed(_lines(*REWOUND[:4], is_history=False))
    assert [thread for thread, _ in placed] == [0, 0, 0, 0]
