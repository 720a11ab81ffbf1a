"""What a reader puts together from a history, as plain values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from cgcli.lanes import Threads, group
from cgcli.readers import read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from cgcli.model import Exchange
    from cgcli.readers import Capture
    from cgcli.readers.base import Passed

Json = dict[str, Any]
Billed = tuple[int | None, int | None, dict[int, int], int | None]
"""Fresh, read, written by lifetime in seconds, output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A file that was read."""

    capture: Capture
    exchanges: list[Exchange]
    passed: list[tuple[int, Passed]]
    """The line and why it is no request."""

    @property
    def bodies(self) -> list[Json]:
        """The body of each request."""
        return [json.loads(bytes(one.request.raw)) for one in self.exchanges]

    @property
    def lines(self) -> list[int]:
        """Where each request's answer stands."""
        return [one.source.line for one in self.exchanges]

    @property
    def billed(self) -> list[Billed | None]:
        """The usage of each request."""
        return [
            (one.usage.fresh, one.usage.read, dict(one.usage.write_by_ttl_s or {}), one.usage.output)
            if one.usage is not None
            else None
            for one in self.exchanges
        ]

    @property
    def reasons(self) -> list[tuple[int, str, bool]]:
        """Line, reason and whether it is no fault, of what is no request."""
        return [(line, passed.reason, passed.usable) for line, passed in self.passed]

    def lanes(self) -> list[list[list[int]]]:
        """The numbers of the requests, from 1, by lane and epoch."""
        threads = Threads()
        for i, exchange in enumerate(self.exchanges):
            threads.place(exchange, i, alone=False, is_summary_call=False)
        lanes = group(threads.threads, independent=False)
        return [[[turn.i_exchange + 1 for turn in epoch.thread.turns] for epoch in lane.epochs] for lane in lanes]


def rebuilt(data: bytes) -> Rebuilt:
    """What is found in a file of these bytes."""
    capture = read(BytesIO(data), file="f")
    entries = list(capture)
    return Rebuilt(
        capture=capture,
        exchanges=[entry.exchange for entry in entries if entry.exchange is not None],
        passed=[(entry.line, entry.passed) for entry in entries if entry.passed is not None],
    )


def of_path(path: Path) -> Rebuilt:
    """What is found in a saved file."""
    return rebuilt(path.read_bytes())


def jsonl(records: Iterable[Any]) -> bytes:
    """One record a line."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def answer(exchange: Exchange) -> Json | None:
    """The recorded answer."""
    written = exchange.answer
    return json.loads(written) if written is not None else None
