"""`smartcrush`: a long JSON array keeps its first and last items, and every one that must be seen."""

from __future__ import annotations

from typing import ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.json_alarms import alarming_ones, odd_ones
from cgcli.compaction.components.json_places import Array, Element, Said, elements, rewritten
from cgcli.compaction.components.json_text import WHITE_SPACE, NotCompactable, checked, quoted
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, after, left_behind, smaller
from cgcli.compaction.components.mask import peek
from cgcli.compaction.components.parameters import check_marker_mode, check_whole
from cgcli.markers import EXPAND_TOOL, has_placeholder
from cgcli.model import value

_HINT = f" [full array: call {EXPAND_TOOL}]"
_PATH_CHARS = 60


@value
class Smartcrush:
    """Leaves out the middle of arrays: of the output itself, and of an envelope's fields."""

    name: ClassVar[str] = "smartcrush"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = False

    min_items: int = 5
    min_tokens: int = 200
    keep_first: int = 3
    keep_last: int = 2
    marker_mode: MarkerMode = MarkerMode.FULL

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_items", self.min_items)
        check_whole(self.name, "min_tokens", self.min_tokens)
        check_whole(self.name, "keep_first", self.keep_first)
        check_whole(self.name, "keep_last", self.keep_last)
        check_marker_mode(self.name, self.marker_mode)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The document with its arrays shortened, and what is left out of which."""
        document = slot.text.strip(WHITE_SPACE)
        if not document.startswith(("{", "[")):
            return Skip(reason="not_json_shaped")
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        try:
            crushed = _Crushed(self, document)
        except NotCompactable as refused:
            return Skip(reason=refused.reason)
        if has_placeholder(crushed.text):  # an escape stood inside: spelling it out would forge a marker
            return ALREADY_MARKED
        noted = f"{crushed.text} {' '.join(crushed.notes)}"
        return smaller(slot, after(noted, " ", left_behind(slot, self.marker_mode, hint=_HINT)))


class _Crushed:
    """A document with its arrays shortened."""

    def __init__(self, settings: Smartcrush, document: str) -> None:
        """Shorten the arrays of *document*.

        Raises:
            NotCompactable: with `too_few_items`, `nothing_to_leave_out` or `nothing_would_remain` where no array
                gets shorter, and what `json_text.checked` refuses.
        """
        self.settings = settings
        self.notes: list[str] = []
        self.why_not = "too_few_items"
        self.text = rewritten(Said(text=document, parsed=checked(document)), self._shortened)
        if not self.notes:
            raise NotCompactable(self.why_not)

    def _shortened(self, array: Array) -> str | None:
        items = elements(array.text)
        if len(items) < max(1, self.settings.min_items):
            return None
        kept = self._kept(items)
        if len(kept) == len(items):
            self.why_not = "nothing_to_leave_out"
            return None
        if not kept:
            self.why_not = "nothing_would_remain"
            return None
        name = f"{peek('.'.join(array.path), _PATH_CHARS)}: " if array.path else ""
        n_left_out = len(items) - len(kept)
        self.notes.append(f"[{name}{len(kept)} of {len(items)} items shown, {n_left_out} left out]")
        shorter = _with_only(array.text, items, kept)
        return shorter if array.key is None else f"{quoted(array.key)}:{shorter}"

    def _kept(self, items: list[Element]) -> list[int]:
        """The indices of what stays, in order."""
        first, last = self.settings.keep_first, len(items) - self.settings.keep_last
        parsed = [item.parsed for item in items]
        kept = {i for i in range(len(items)) if i < first or i >= last} | odd_ones(parsed)
        left = [i for i in range(len(items)) if i not in kept]
        return sorted(kept | {left[i] for i in alarming_ones([parsed[i] for i in left])})


def _with_only(array: str, items: list[Element], kept: list[int]) -> str:
    """*array* with the items *kept* as they are written, and the white space that stands between them."""
    followed = [array[items[i].start : items[i + 1].start] for i in kept[:-1]]
    last = items[kept[-1]]
    return "".join([array[: items[0].start], *followed, array[last.start : last.stop], array[items[-1].stop :]])
