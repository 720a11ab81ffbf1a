"""One pass over a capture, a line for each request."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from cgcli.errors import FormatError
from cgcli.readers.requests import one_line, pieces_of
from cgcli.rope import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.model import Exchange
    from cgcli.readers import Capture, Entry


class Kind(StrEnum):
    """What is written."""

    REQUESTS = "requests"
    """A line of `cg`'s own for each request: its body, usage, times, answer, and what is not recorded."""
    CAPTURE = "capture"
    """The bare body of each request, one a line."""


class Sink(Protocol):
    """Where the lines go."""

    def write(self, pieces: Sequence[bytes | memoryview]) -> None:
        """Append *pieces*."""


@dataclass(slots=True)
class Converted:
    """What was written."""

    capture: Capture
    kind: Kind
    n_requests: int = 0
    n_usage: int = 0
    n_answers: int = 0
    n_timed: int = 0
    n_respaced: int = 0
    """Bodies that took several lines; their line ends are spaces now."""
    output_bytes: int = 0
    passed: Counter[str] = field(default_factory=Counter)
    skipped: list[tuple[int, str, str]] = field(default_factory=list)


def convert(capture: Capture, kind: Kind, sink: Sink) -> Converted:
    """Write every request of *capture* to *sink*.

    Raises:
        FormatError: bare bodies are asked for, and what was sent is not recorded.
    """
    if kind is Kind.CAPTURE and capture.is_reconstructed:
        raise FormatError(
            f"{capture.format_name}: a history, in which no request stands as it was sent",
            where=capture.file,
            hint="leave --to away: `cg convert` then writes requests that are marked as rebuilt",
        )
    done = Converted(capture=capture, kind=kind)
    for entry in capture:
        if entry.exchange is not None:
            _one(done, entry, entry.exchange, sink)
        elif entry.passed is not None and entry.passed.usable:
            done.passed[entry.passed.reason] += 1
        elif entry.passed is not None:
            done.skipped.append((entry.line, entry.passed.reason, entry.passed.detail))
    return done


def _one(done: Converted, entry: Entry, exchange: Exchange, sink: Sink) -> None:
    done.n_requests += 1
    done.n_usage += exchange.usage is not None
    done.n_answers += exchange.find_answer is not None
    done.n_timed += exchange.sent_s is not None
    if done.kind is Kind.REQUESTS and done.capture.is_derived:
        line: tuple[bytes | memoryview, ...] = (entry.raw,)  # says it already, on one line
    else:
        raw = plain(exchange.request.raw)
        is_capture = done.kind is Kind.CAPTURE
        line = (one_line(raw), b"\n") if is_capture else pieces_of(exchange, format_name=done.capture.format_name)
        done.n_respaced += all(piece is not raw for piece in line)
    done.output_bytes += sum(map(len, line))
    sink.write(line)
