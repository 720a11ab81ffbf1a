"""What a block of a request reads as: its text, and what frames it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.layout import own_and_content
from cgcli.dialects.base import MARK_KEYS
from cgcli.dialects.canonical import free_json
from cgcli.model import Kind, Section, value
from cgcli.tokens.meter import MESSAGE_TOKENS, slot_text
from cgcli.wire.spans import Document
from cgcli.wire.strings import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Item, Part
    from cgcli.rope import Raw
    from cgcli.tokens.meter import Meter

BETWEEN = "\x1e"
"""Between the parts of a block."""
_END = "\x00"


@value
class Wording:
    """One block: `frame`, text and an end that no other block has, in one string."""

    string: str
    n_frame: int
    """Characters of the frame: who says it, of which kind, to which call. Blocks with other frames share nothing."""
    n_text: int
    """Where the text ends."""
    lead_tokens: int
    """What the message costs that the block opens."""
    tokens: int
    """Of the whole block, `lead_tokens` included; without a factor."""


def wordings(item: Item, raw: Raw, start: int, meter: Meter) -> Iterator[Wording]:
    """Those of *item*, which stands at byte *start* of *raw*, in order."""
    own, content = own_and_content(item)
    counts = meter.parts(item)
    stops = [*(block.i_part for block in content[1:]), len(item.parts)]
    for block, stop in zip(content, stops, strict=False):
        first = block.i_part
        parts = item.parts[first:stop]
        opens = block is content[0]
        fields = b"".join(one.rendered for one in own).hex() if opens else ""
        frame = f"{_frame(item, parts[0])}{_END}{'1' if opens else '0'}{_END}{fields}{_END}"
        words = BETWEEN.join(_texts(parts, raw, start))
        lead = MESSAGE_TOKENS if opens and item.section is Section.MESSAGES else 0
        yield Wording(
            string=f"{frame}{words}{_END}{block.rendered.hex()}",
            n_frame=len(frame),
            n_text=len(frame) + len(words),
            lead_tokens=lead,
            tokens=lead + sum(counts[first:stop]),
        )


def _frame(item: Item, part: Part) -> str:
    """What stands before the text; a part without a slot has all of it in its JSON."""
    told = (item.section.value, item.role, part.kind.value)
    return _END.join((*told, part.pair_id or "", part.name or "") if part.slot is not None else told)


def _texts(parts: tuple[Part, ...], raw: Raw, start: int) -> Iterator[str]:
    """What is counted of each part, up to the first image: behind another one nothing is the same."""
    for part in parts:
        if part.kind is Kind.IMAGE:
            return
        if part.slot is not None:
            yield slot_text(part, raw, start)
        else:
            written = Document(bytes(raw[start + part.span.start : start + part.span.stop])).root()
            yield text(free_json(written, without=MARK_KEYS))
