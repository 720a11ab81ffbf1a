"""`toon`: a JSON array of uniform objects as a table, its keys written once; lossless."""

from __future__ import annotations

from typing import Any, ClassVar

from cgcli.compaction.component import Loss, Reduction, Skip, Slot
from cgcli.compaction.components.json_places import LEVELS, Array, Said, document_in, rewritten
from cgcli.compaction.components.json_text import WHITE_SPACE, NotCompactable, checked, parse, quoted
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, smaller
from cgcli.compaction.components.parameters import check_whole
from cgcli.compaction.components.toon_table import NoTable, read, split_key, table
from cgcli.markers import has_placeholder
from cgcli.model import value


@value
class Toon:
    """Writes arrays of uniform flat objects as tables: the output itself, and those in an envelope's fields."""

    name: ClassVar[str] = "toon"
    loss: ClassVar[Loss] = Loss.NONE
    gated: ClassVar[bool] = False

    min_tokens: int = 50

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_tokens", self.min_tokens)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The document with its tables, where reading them gives the same document."""
        document = slot.text.strip(WHITE_SPACE)
        if not document.startswith(("{", "[")):
            return Skip(reason="not_json_shaped")
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        try:
            text = tabled(document)
        except NotCompactable as refused:
            return Skip(reason=refused.reason)
        if has_placeholder(text):  # an escape stood inside: spelling it out would forge a marker
            return ALREADY_MARKED
        return smaller(slot, text)


def tabled(document: str) -> str:
    """*document*, one JSON object or array, with its tables.

    Raises:
        NotCompactable: with `not_uniform` where there are none, `value_changed` where reading the result does not
            give *document*, and what `json_text.checked` refuses.
    """
    parsed = checked(document)
    text = rewritten(Said(text=document, parsed=parsed), _as_table)
    if text == document:
        raise NotCompactable("not_uniform")
    if opened(text, with_tables=True) != _opened(parsed, 0, with_tables=False):
        raise NotCompactable("value_changed")
    return text


def _as_table(array: Array) -> str | None:
    """*array* as a table; as a member of an object with the head in its key and the rows as a string."""
    try:
        made = table(array.parsed)
    except NoTable:
        return None
    if array.key is None:
        return f"{made.head}:\n{made.rows}"
    return f"{quoted(array.key + made.head)}:{quoted(made.rows)}"


def opened(document: str, *, with_tables: bool) -> Any:
    """What *document* says, documents in its strings read too; with its tables read back, or taken as text."""
    return _opened_text(document, 0, with_tables=with_tables)


def _opened_text(text: str, depth: int, *, with_tables: bool) -> Any:
    if with_tables and (found := _whole_table(text)) is not None:
        return found
    return _opened(parse(text), depth, with_tables=with_tables)


def _opened(parsed: Any, depth: int, *, with_tables: bool) -> Any:
    """*parsed* with its members opened, where it is an object that stands no deeper than arrays are looked for."""
    is_object = isinstance(parsed, tuple) and bool(parsed) and isinstance(parsed[0], tuple)
    if not is_object or depth >= LEVELS:
        return parsed
    return tuple(_opened_member(key, member, depth + 1, with_tables=with_tables) for key, member in parsed)


def _opened_member(key: str, parsed: Any, depth: int, *, with_tables: bool) -> tuple[str, Any]:
    if not isinstance(parsed, str):
        return key, _opened(parsed, depth, with_tables=with_tables)
    if with_tables:
        try:
            name, head = split_key(key)
            return name, read(head, parsed)
        except NoTable:
            pass
    if with_tables and (found := _whole_table(parsed)) is not None:
        return key, {"document": found}
    inner = document_in(parsed)
    # A document in a string is no array in its place: the two must not compare as equal.
    return key, parsed if inner is None else {"document": _opened(inner.parsed, depth, with_tables=with_tables)}


def _whole_table(text: str) -> list[Any] | None:
    """What the table says that *text* is; None where it is none."""
    head, colon, rows = text.partition(":\n")
    if not colon or not head.startswith("["):
        return None
    try:
        return read(head, rows)
    except NoTable:
        return None
