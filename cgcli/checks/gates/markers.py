"""G-MARKERS: every marker in the file leads to an original in the stash."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.checks.base import Finding, Rule
from cgcli.checks.faults import Faults
from cgcli.checks.verdict import settle
from cgcli.errors import StashMiss
from cgcli.markers import FoundKind, find, kinds
from cgcli.model import Kind, changed
from cgcli.stash.store import Stash
from cgcli.wire.quoted import Quoted
from cgcli.wire.spans import Malformed, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane
    from cgcli.markers import Found
    from cgcli.model import Item, Part

RULE = Rule(
    gate="G-MARKERS",
    title="Every marker leads to its original",
    checks=(
        "Every <<cg:KEY>> in a tool output, against the stash: the key is there, the marker is whole, and the key is "
        "one that can have been minted. What stands in other places (a tool's description, a call, a person's or the "
        "model's own words) counts as quoted where it leads nowhere, and is a note; so are other tools' markers, and "
        "the sign for content that was not kept."
    ),
    why=(
        "A marker stands where content left. One that leads nowhere, because the stash is another one, was pruned, or "
        "the marker was cut, means that the content is lost, and the model asks for it again and again."
    ),
    failing='tool: "…120 lines left out <<cg:3f9a0c4be1d27a55>>"      nothing in the stash has that key',
    passing="the same, and `cg expand 3f9a0c4be1d27a55` gives the 120 lines",
    fix=(
        "Give the stash that was written with the file (--stash), or bring its objects over: cg stash export, cg stash "
        "import. Cut texts before they are compacted, not after."
    ),
    proves_not="That the model has a tool to ask for an original, or that it was the right thing to leave out.",
    source="context-guru's markers; marker audits in the issue trackers of headroom and forge.",
    since="0.2.0",
    holds_for_histories=True,
)
_NO_STASH = "there are markers, and no stash to look them up in: give --stash"
_HINTS = (b"cg", b"ccr:", b"ctxzip:", b"handle=", b"hash=", b">>", b"u003e", b"u003E")
"""Without one of these, an item has no marker of any kind."""
_SAYS = {
    FoundKind.FOREIGN: ("foreign", "another tool's marker; it cannot be looked up here"),
    FoundKind.SENTINEL: ("sentinel", "stands for content that was not kept"),
    FoundKind.CUT: ("cut", "one end of the marker is missing"),
}
_HEX = re.compile(r"[0-9a-fA-F]+")
_SHOWN_CHARS = 80


class Markers:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file; the option `stash` is an opened one, or None."""
        return Run(context)


class Run:
    """G-MARKERS at work."""

    def __init__(self, context: Context) -> None:
        """Nothing is checked yet."""
        stash = context.options.get("stash")
        self._stash = stash if isinstance(stash, Stash) else None
        self._faults = Faults(context)
        self._resolved: dict[str, str | None] = {}
        self._heads: set[Item] = set()
        self._keys: set[str] = set()
        """The keys of whole markers in tool outputs."""

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Look for markers in what is new."""
        request = turn.request
        for section, items, starts in (
            ("tools", request.tools or (), request.tools_starts),
            ("system", request.system or (), request.system_starts),
        ):
            for i, item in enumerate(items):
                if item not in self._heads:
                    self._heads.add(item)
                    yield from self._of_item(turn, item, f"{section}.{i}", starts[i])
        for i in turn.fresh:
            yield from self._of_item(turn, request.messages[i], f"messages.{i}", request.starts[i])

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on a marker that leads nowhere."""
        del lanes
        return settle(
            RULE,
            unit="markers",
            checked=len(self._keys),
            findings=findings,
            nothing="no tool output has a marker",
            unknown=_NO_STASH if self._stash is None else None,
        )

    def _of_item(self, turn: Turn, item: Item, path: str, start: int) -> Iterator[Finding]:
        if not any(item.has(hint) for hint in _HINTS):
            return
        for part in item.parts:
            span = part.slot or part.span
            literal = item.view()[span.start : span.stop]
            if part.slot is not None and next(kinds(texts(literal)), None) is None:
                continue
            text = _text(literal, part)
            for found in find(text):
                at = _byte(literal, text, found.start, part)
                where = f"{path}.{part.path}" if part.path else path
                yield from self._of_marker(
                    turn, part, found, text[found.start : found.stop], (where, start + span.start + at)
                )

    def _of_marker(
        self, turn: Turn, part: Part, found: Found, written: str, where: tuple[str, int]
    ) -> Iterator[Finding]:
        is_output = part.kind is Kind.TOOL_RESULT
        wrong = self._wrong(found, is_output=is_output)
        if wrong is None:
            return
        kind, says = wrong
        is_note = not is_output or kind in ("foreign", "sentinel", "quoted")
        if not is_output and kind not in ("foreign", "sentinel"):
            kind, says = "quoted", f"leads nowhere, and stands in {_place_name(part)}: taken as quoted"
        shown = written if len(written) <= _SHOWN_CHARS else written[:_SHOWN_CHARS] + "…"
        for finding in self._faults.once(turn, kind, written, f"{shown}: {says}", is_note=is_note):
            yield changed(finding, path=where[0], byte=where[1])

    def _wrong(self, found: Found, *, is_output: bool) -> tuple[str, str] | None:
        """A name for what is wrong with a marker, and a line about it; None where it leads to its original."""
        if found.kind in _SAYS:
            return _SAYS[found.kind]
        key = found.key or ""
        if found.kind is FoundKind.MALFORMED:
            if _HEX.fullmatch(key):
                return "malformed", "a key has 16 hex digits"
            return "quoted", "no key can be spelled like this: taken as quoted"
        if is_output:
            self._keys.add(key)
        if self._stash is None:
            return None
        missing = self._missing(self._stash, key)
        return ("dangling", missing) if missing is not None else None

    def _missing(self, stash: Stash, key: str) -> str | None:
        """Why *key* gives no original; asked once for each key."""
        if key not in self._resolved:
            try:
                stash.resolve(key)
                self._resolved[key] = None
            except StashMiss as error:
                self._resolved[key] = error.message
        return self._resolved[key]


def _text(literal: memoryview, part: Part) -> str:
    if part.slot is not None:
        try:
            return Quoted(literal).inner.decode("utf-8", "surrogatepass")
        except Malformed:
            pass
    return str(literal, "utf-8", "replace")


def _byte(literal: memoryview, text: str, at: int, part: Part) -> int:
    """Where in *literal* the character number *at* of *text* begins."""
    before = len(text[:at].encode("utf-8", "surrogatepass"))
    return Quoted(literal).outer(before) if part.slot is not None else before


def _place_name(part: Part) -> str:
    names = {Kind.TOOL_SPEC: "a tool's description", Kind.TOOL_CALL: "a tool call", Kind.SYSTEM: "the system prompt"}
    return names.get(part.kind, "a message")
