"""Where each fragment and line of a file stands: found once for each distinct text, and shared by all policies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.compaction.invoked import invocations
from cgcli.compaction.written import written
from cgcli.dialects.content import decoded
from cgcli.dialects.pairing import LEGACY
from cgcli.model import Digest, Kind, unique
from cgcli.replay.paired.regret_words import facts, lines, may_be_word, words
from cgcli.wire.spans import Document, Malformed, decode_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.model import Item, Part, Request

Place = tuple[Digest, int]
"""An item as the provider reads it, and the number of a part in it."""
_IDS = frozenset({"id", "call_id", "tool_call_id", "tool_use_id"})
_NOTHING: frozenset[str] = frozenset()
_ENVELOPE = _IDS | {"type", "role", "signature", "data", "encrypted_content"}
"""What a block says about itself, not to the model."""


@unique
class Called:
    """A tool call."""

    joins: str
    """What its output names it by."""
    asks: str
    """The tool and its input as canonical JSON: the same for the same call."""


class Fragments:
    """The fragments, lines and calls of one file's items. It grows with the distinct content."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._lines: dict[Place, frozenset[str]] = {}
        self._words: dict[Place, frozenset[str]] = {}
        self._unread: dict[Place, Item] | None = {}
        """Where fragments stand that nobody looked for yet; None once they are looked for."""
        self._first: dict[str, Place] = {}
        self._more: dict[str, list[Place]] = {}
        """Most stand in one place only: these stand in several, all of which are here."""
        self._calls: dict[Digest, Mapping[int, Called]] = {}
        self._again: dict[Place, Sequence[str]] = {}
        self._literals: dict[bytes, frozenset[str]] = {}
        self._last: tuple[tuple[Item, ...], frozenset[Digest]] = (), frozenset()

    def read(self, request: Request) -> frozenset[Digest]:
        """Take in what is new in *request*; which items it has. What the request before had costs next to nothing."""
        before, present = self._last
        items = (*(item for item, _ in request.head()), *request.messages)
        if items[: len(before)] != before:  # items are equal only to themselves
            before, present = (), frozenset()
        new = items[len(before) :]
        for item in new:
            if item.rendered not in self._calls:
                self._learn(item)
        present = present.union([item.rendered for item in new]) if new else present
        self._last = items, present
        return present

    def lines(self, place: Place) -> frozenset[str]:
        """The lines at *place*, in an item of a request that was read."""
        return self._lines.get(place, _NOTHING)

    def words(self, place: Place) -> frozenset[str]:
        """The fragments at *place*, in an item of a request that was read."""
        known = self._words.get(place)
        if known is None:
            item = self._unread.get(place) if self._unread is not None else None
            if item is None:
                return _NOTHING
            known = self._words[place] = words(_text(item, place[1]))
        return known

    def read_words(self) -> None:
        """From now on fragments are looked for, too: the answers of many sessions name none, or not for a long time."""
        if self._unread is not None:
            for place in self._unread:
                self._index(self.words(place), place)
            self._unread = None

    def holders(self, fact: str) -> Sequence[Place]:
        """Where the fragment or line *fact* stands, what was read last comes last."""
        more = self._more.get(fact)
        if more is not None:
            return more
        return (self._first[fact],) if fact in self._first else ()

    def is_repeated(self, fact: str) -> bool:
        """True for a fragment or line that stands in several places."""
        return fact in self._more

    def calls(self, item: Item) -> Mapping[int, Called]:
        """The tool calls in *item*, by part."""
        return self._calls[item.rendered]

    def again(self, place: Place) -> Sequence[str]:
        """The lines of the text at *place* that stand elsewhere too, in what was read before this was first asked."""
        known = self._again.get(place)
        if known is None:
            known = self._again[place] = [line for line in self.lines(place) if line in self._more]
        return known

    def literal(self, written: bytes) -> frozenset[str]:
        """Fragments and lines of bytes of JSON that need not be whole values."""
        known = self._literals.get(written)
        if known is None:
            found = facts(_roughly(written))
            known = self._literals[written] = found.words | found.lines
        return known

    def _learn(self, item: Item) -> None:
        calls = [*invocations(item, 0, 0)]
        named: dict[int, Called] = {}
        for i_part, part in enumerate(item.parts):
            if part.kind is Kind.TOOL_CALL:
                call = calls[len(named)]
                asks = json.dumps([call.name, call.arguments], sort_keys=True)
                named[i_part] = Called(joins=call.pair_id or LEGACY + call.name, asks=asks)
            self._take_in(item, i_part)
        self._calls[item.rendered] = named

    def _take_in(self, item: Item, i_part: int) -> None:
        place, text = (item.rendered, i_part), _text(item, i_part)
        found = self._lines[place] = lines(text)
        if self._unread is not None and any(map(may_be_word, found)):
            self.read_words()  # a line may stand elsewhere as a fragment
        if self._unread is not None:
            self._unread[place] = item
        else:
            self._words[place] = words(text)
            found |= self._words[place]
        self._index(found, place)

    def _index(self, told: frozenset[str], place: Place) -> None:
        first, more = self._first, self._more
        new = told.difference(first)
        first.update(dict.fromkeys(new, place))
        for fact in told - new:
            places = more.get(fact)
            if places is None:
                more[fact] = [first[fact], place]
            else:
                places.append(place)


def _text(item: Item, i_part: int) -> str:
    part = item.parts[i_part]
    is_output = part.kind is Kind.TOOL_RESULT and part.slot is not None
    return written(item, i_part).text if is_output else text_of(item, part)


def text_of(item: Item, part: Part) -> str:
    """What the model reads of *part* of *item*, but for the names of fields; nothing of images and seals."""
    if part.slot is not None:
        return decode_text(item.wire[part.slot.start : part.slot.stop])
    if part.kind is Kind.IMAGE:
        return ""
    try:
        tree = Document(item.wire[part.span.start : part.span.stop]).root().value()
    except Malformed:
        return ""
    if part.kind is Kind.TOOL_CALL:
        inner = tree.get("function", tree) if isinstance(tree, dict) else tree
        return "\n".join(_strings(_without(inner, _ENVELOPE)))
    return "\n".join(_strings(tree, _ENVELOPE))


def answered(item: Item, part: Part) -> str | None:
    """What the tool output at *part* names its call by; None where it names none."""
    if part.pair_id is not None or item.role != "function":
        return part.pair_id
    message = decoded(item)
    return f"{LEGACY}{message.get('name')}" if isinstance(message, dict) else None


def _without(tree: Any, keys: frozenset[str]) -> Any:
    return {key: held for key, held in tree.items() if key not in keys} if isinstance(tree, dict) else tree


def _strings(tree: Any, without: frozenset[str] = frozenset()) -> Iterator[str]:
    """The strings in *tree*, those in a string that holds JSON too, but for the values of some keys."""
    if isinstance(tree, str):
        inner = _opened(tree)
        if inner is None:
            yield tree
        else:
            yield from _strings(inner, without)
    elif isinstance(tree, dict):
        for key, held in tree.items():
            if key not in without:
                yield from _strings(held, without)
    elif isinstance(tree, list):
        for held in tree:
            yield from _strings(held, without)
    elif isinstance(tree, int | float):
        yield str(tree)


def _opened(text: str) -> Any:
    """The object or list that *text* spells; None where it is neither."""
    if text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _roughly(written: bytes) -> str:
    """The text of *written*; where it is no JSON string, of all that is quoted in it."""
    try:
        return decode_text(written)
    except Malformed:
        pass
    wrapped = b"[%b]" % written.strip(b" \t\r\n,")
    try:
        return "\n".join(_strings(Document(wrapped).root().value()))
    except Malformed:
        return written.decode("utf-8", "replace")
