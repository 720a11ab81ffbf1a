"""Read a capture once and take stock of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cgcli.lanes import Threads, group
from cgcli.lanes.summary_call import asks_for_summary
from cgcli.markers import kinds
from cgcli.model import Kind, Section
from cgcli.providers.models import lookup
from cgcli.tokens import counter
from cgcli.tokens.meter import MESSAGE_TOKENS, Meter
from cgcli.wire.spans import texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.lanes import Lane
    from cgcli.model import Exchange, Item, Request
    from cgcli.readers import Capture
    from cgcli.rope import Raw

ENVELOPE = "envelope"
"""The kind under which the fixed cost of messages is counted."""


@dataclass(slots=True)
class Inspection:
    """What a capture holds; tokens as the tokenizer counts them, without any factor."""

    capture: Capture
    n_bytes: int = 0
    dialects: Counter[str] = field(default_factory=Counter)
    models: Counter[str | None] = field(default_factory=Counter)
    lanes: tuple[Lane, ...] = ()
    sent_tokens: Counter[str] = field(default_factory=Counter)
    """By kind, over all requests: what is sent again counts again."""
    distinct_tokens: Counter[str] = field(default_factory=Counter)
    """By kind, each distinct item once."""
    n_images: int = 0
    """Distinct images; they count no tokens."""
    marks: Counter[str] = field(default_factory=Counter)
    """Cache breakpoints over all requests, by their time to live as written."""
    most_marks: int = 0
    """The most in one request."""
    markers: Counter[str] = field(default_factory=Counter)
    """Markers in distinct items, by kind."""
    n_usage: int = 0
    """Requests whose usage is recorded."""
    n_answered: int = 0
    """Requests whose answer is recorded, whole or not."""
    n_timed: int = 0
    n_sessions: int = 0
    passed: Counter[str] = field(default_factory=Counter)
    skipped: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def n_requests(self) -> int:
        """How many requests there are."""
        return sum(self.dialects.values())


class Inspector:
    """Takes stock of one capture."""

    def __init__(self, capture: Capture) -> None:
        """Inspect *capture*, which is read to its end."""
        self._done = Inspection(capture=capture)
        self._threads = Threads()
        self._meters: dict[str, Meter] = {}
        self._seen: set[bytes] = set()
        self._sums: dict[int, list[Counter[str]]] = {}
        self._sessions: set[str] = set()

    def inspect(self) -> Inspection:
        """Read to the end."""
        done = self._done
        independent = done.capture.is_independent
        for entry in done.capture:
            if entry.exchange is not None:
                self._exchange(entry.exchange, alone=independent)
            elif entry.passed is not None and entry.passed.usable:
                done.passed[entry.passed.reason] += 1
            elif entry.passed is not None:
                done.skipped.append((entry.line, entry.passed.reason, entry.passed.detail))
        done.n_bytes = done.capture.tally.n_bytes
        done.lanes = group(self._threads.threads, independent=independent)
        done.n_sessions = len(self._sessions)
        return done

    def _exchange(self, exchange: Exchange, *, alone: bool) -> None:
        request, done = exchange.request, self._done
        placement = self._threads.place(
            exchange, done.n_requests, alone=alone, is_summary_call=asks_for_summary(request)
        )
        done.dialects[request.dialect] += 1
        done.models[request.model] += 1
        done.n_usage += exchange.usage is not None
        done.n_answered += exchange.find_answer is not None
        done.n_timed += exchange.sent_s is not None
        if exchange.session_id is not None:
            self._sessions.add(exchange.session_id)
        thread = placement.thread
        if placement.split is not None:
            self._sums[placement.split.identity] = self._sums[thread.identity]
        source = thread.branch[0] if thread.branch and thread.identity not in self._sums else thread
        sums = self._sums.get(source.identity, [])[: placement.shared]
        meter = self._meter(request.model)
        for i in range(len(sums), len(request.messages)):
            before = sums[-1] if sums else Counter()
            sums.append(before + self._item(meter, request.messages[i], request, request.starts[i]))
        self._sums[thread.identity] = sums
        done.sent_tokens += sums[-1] if sums else Counter()
        for item, start in request.head():
            done.sent_tokens += self._item(meter, item, request, start)
        self._marks(request)

    def _item(self, meter: Meter, item: Item, request: Request, start: int) -> Counter[str]:
        counts = meter.parts(item)
        found: Counter[str] = Counter()
        for part, n in zip(item.parts, counts, strict=True):
            found[part.kind.value] += n
        if item.section == "messages":
            found[ENVELOPE] += MESSAGE_TOKENS
        if item.rendered not in self._seen:
            self._seen.add(item.rendered)
            self._done.distinct_tokens += found
            self._first_sight(item, request.raw, start)
        return found

    def _first_sight(self, item: Item, raw: Raw, start: int) -> None:
        for part in item.parts:
            self._done.n_images += part.kind is Kind.IMAGE
            if part.slot is not None:
                literal = raw[start + part.slot.start : start + part.slot.stop]
                self._done.markers.update(kind.value for kind in kinds(texts(literal)))

    def _marks(self, request: Request) -> None:
        ttls = [
            part.mark.ttl or "default"
            for items in (request.tools or (), request.system or (), request.messages)
            for item in items
            for part in item.parts
            if part.mark is not None
        ]
        self._done.marks.update(ttls)
        self._done.most_marks = max(self._done.most_marks, len(ttls))

    def _meter(self, model: str | None) -> Meter:
        encoding = lookup(model).encoding
        return self._meters.setdefault(encoding, Meter(counter(encoding).count))


def known(done: Inspection) -> Mapping[str, bool]:
    """What the file says of its requests: whole formats have tools and system, the rest is told by what was found."""
    lacking = done.capture.not_recorded
    return {
        "tools": Section.TOOLS not in lacking,
        "system": Section.SYSTEM not in lacking,
        "usage": done.n_usage > 0,
        "response": done.n_answered > 0,
        "time": done.n_timed > 0,
        "session": done.n_sessions > 0,
    }
