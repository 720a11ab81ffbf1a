"""Where the work stood at the end of the span."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.summarisers.extractive.fitting import Entry
from cgcli.summarisers.extractive.lines import lines, quoted
from cgcli.summarisers.extractive.verbs import keeps_list

if TYPE_CHECKING:
    from cgcli.summarisers.extractive.heard import Heard, Use

_MOST_LINES = 8
_WHAT = frozenset("content step title description task text".split())
_DONE = frozenset("completed complete done cancelled canceled".split())
_BOX = re.compile(r"\s{0,12}[-*+] \[ \] \S")


def state(heard: Heard) -> tuple[Entry, ...]:
    """The assistant's last text, and what is still open on its list."""
    last = next((one.text for one in reversed(heard.said) if not one.is_user and one.text.strip()), None)
    entries: list[Entry] = []
    if last is not None:
        found = [line for line in map(quoted, lines(last)) if line]
        shown = tuple(found[:_MOST_LINES]) if len(found) <= _MOST_LINES else (*found[: _MOST_LINES - 1], "…")
        if shown:
            entries.append(Entry(lines=(f"assistant: {shown[0]}", *shown[1:]), rank=0))
    return (*entries, *(Entry(lines=(item,), rank=i) for i, item in enumerate(_open_items(heard), start=1)))


def _open_items(heard: Heard) -> list[str]:
    """The open items of the last list that a tool was given, else of the last one that the assistant wrote."""
    for use in reversed(heard.uses):
        items = _items(use)
        if items is not None:
            return [f"[{status}] {what}" for what, status in items if status not in _DONE]
    for one in reversed(heard.said):
        boxes = [quoted(line) for line in lines(one.text) if not one.is_user and _BOX.match(line)]
        if boxes:
            return [box.removeprefix("- ") for box in boxes if box]
    return []


def _items(use: Use) -> list[tuple[str, str]] | None:
    """(what, status) of each item of a list that *use* keeps; None where it keeps none."""
    if not keeps_list(use):
        return None
    what = [quoted(leaf.text) for leaf in use.given if leaf.key in _WHAT and leaf.is_text and leaf.depth > 1]
    status = [quoted(leaf.text) for leaf in use.given if leaf.key == "status" and leaf.is_text]
    if not what or len(what) != len(status):
        return None
    return [(item, at) for item, at in zip(what, status, strict=True) if item]
