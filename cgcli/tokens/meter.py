"""Tokens of a request's items, each distinct one counted once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects.base import MARK_KEYS
from cgcli.dialects.canonical import free_content, pieces
from cgcli.model import Kind
from cgcli.tokens.cutting import steady
from cgcli.wire.spans import Document, decode_text, texts
from cgcli.wire.strings import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.model import Digest, Item, Part, Span
    from cgcli.rope import Raw

MESSAGE_TOKENS = 3
"""What a message costs beside its content (OpenAI's cookbook, read 2026-11-30); counted for every message."""
_NOT_TEXT = frozenset({Kind.IMAGE})


class Meter:
    """Counts parts with one tokenizer and remembers what it counted, by the digest of what the provider reads."""

    def __init__(self, count: Callable[[str], int]) -> None:
        """Count texts with *count*, without any factor."""
        self.count = count
        self._known: dict[Digest, tuple[int, ...]] = {}

    def parts(self, item: Item) -> tuple[int, ...]:
        """The tokens of each part of *item*.

        A part with a slot counts as its decoded text, any other as JSON without white space and cache marks: neither is
        read by the model, and both may change from turn to turn. An image counts 0.
        """
        known = self._known.get(item.rendered)
        if known is None:
            written = item.view()
            known = tuple(self._part(part, written) for part in item.parts)
            self._known[item.rendered] = known
        return known

    def item(self, item: Item) -> int:
        """The tokens of the whole *item*."""
        overhead = MESSAGE_TOKENS if item.section == "messages" else 0
        return overhead + sum(self.parts(item))

    def _part(self, part: Part, item: memoryview) -> int:
        if part.kind in _NOT_TEXT:
            return 0
        if part.slot is not None:
            found = texts(item[part.slot.start : part.slot.stop])
        else:
            written = Document(bytes(item[part.span.start : part.span.stop])).root()
            found = map(text, pieces(free_content(written, without=MARK_KEYS)))
        return sum(map(self.count, steady(found)))


def slot_text(part: Part, raw: Raw, start: int) -> str:
    """The text in the slot of *part*, whose item stands at byte *start* of *raw*."""
    assert part.slot is not None, "only a part with a slot has a text"  # noqa: S101 - an impossible state
    return decode_text(_view(part.slot, raw, start))


def slot_literal(part: Part, raw: Raw, start: int) -> bytes:
    """The JSON string in the slot of *part*, quotes included, as it is written."""
    assert part.slot is not None, "only a part with a slot has a literal"  # noqa: S101 - an impossible state
    return bytes(_view(part.slot, raw, start))


def _view(span: Span, raw: Raw, start: int) -> bytes | memoryview:
    return raw[start + span.start : start + span.stop]
