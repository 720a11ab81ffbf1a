"""Bodies in the making, and what the threads and lanes of a file of them are."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

from cgcli.lanes import Threads, group
from cgcli.lanes.summary_call import asks_for_summary
from cgcli.readers import open_bytes, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from cgcli.lanes import Lane, Placement
    from cgcli.model import Request
    from cgcli.readers import Capture

Json = dict[str, Any]
TOOLS: list[Json] = [{"name": "Bash", "description": "Runs a command.", "input_schema": {"type": "object"}}]
OTHER_TOOLS: list[Json] = [{"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object"}}]
Placed = list[tuple[str, int, int]]
"""Per request: its relation, the number of its thread, and the leading messages that are shared."""
Drawn = list[tuple[str, list[tuple[str, list[int]]]]]
"""Per lane: its label, and its epochs as (label, numbers of their requests from 1)."""


def body(*messages: Json, **fields: Any) -> Json:
    """A body of one agent with these messages."""
    head: Json = {"model": "claude-sonnet-4-5", "max_tokens": 64, "system": "You are an agent.", "tools": TOOLS}
    return {**head, **fields, "messages": list(messages)}


def user(text: str) -> Json:
    """What a person says."""
    return {"role": "user", "content": text}


def said(text: str) -> Json:
    """What the assistant says."""
    return {"role": "assistant", "content": text}


def called(number: int) -> Json:
    """An assistant message that calls a tool."""
    call = {"type": "tool_use", "id": f"call_{number}", "name": "Bash", "input": {"n": number}}
    return {"role": "assistant", "content": [call]}


def output(number: int, text: str) -> Json:
    """The answer to that call."""
    result = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": text}
    return {"role": "user", "content": [result]}


def turn(number: int, text: str = "ok") -> tuple[Json, Json]:
    """A call and its answer."""
    return called(number), output(number, text)


def lines(records: Iterable[Json]) -> bytes:
    """The records as a file, one a line."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def of_bodies(bodies: Iterable[Json]) -> tuple[Placed, Drawn]:
    """What becomes of a file with these records."""
    return _drawn(read(BytesIO(lines(bodies)), file="made.jsonl"))


def of_file(path: Path) -> tuple[Placed, Drawn]:
    """What becomes of a saved file."""
    with open_bytes(str(path)) as stream:
        return _drawn(read(stream, file=str(path)))


def request(record: Json) -> Request:
    """The request in a file of one record."""
    (entry,) = read(BytesIO(lines([record])), file="made.jsonl")
    assert entry.exchange is not None
    return entry.exchange.request


def _drawn(capture: Capture) -> tuple[Placed, Drawn]:
    placements, lanes = placed(capture)
    relations = [(one.relation.value, one.thread.identity, one.shared) for one in placements]
    return relations, drawn(lanes)


def placed(capture: Capture) -> tuple[list[Placement], tuple[Lane, ...]]:
    """The placement of each request, and the lanes at the end."""
    threads = Threads()
    alone = capture.is_independent
    found: list[Placement] = []
    for entry in capture:
        if entry.exchange is not None:
            asks = asks_for_summary(entry.exchange.request)
            found.append(threads.place(entry.exchange, len(found), alone=alone, is_summary_call=asks))
    return found, group(threads.threads, independent=alone)


def drawn(lanes: Sequence[Lane]) -> Drawn:
    """The lanes with their labels, their epochs and the numbers of their requests, from 1."""
    return [
        (
            lane.label.value,
            [(epoch.label.value, [turn.i_exchange + 1 for turn in epoch.thread.turns]) for epoch in lane.epochs],
        )
        for lane in lanes
    ]
