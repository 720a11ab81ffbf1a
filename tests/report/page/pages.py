"""A page taken apart by the standard library's parser: what a browser would see of it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

_VOID = {"meta", "input", "br", "link", "img", "hr"}


class Parsed(HTMLParser):
    """The tags of a page, its texts, and its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.style = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag begins."""
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """A tag ends: the one that is open."""
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Text, or the inside of a script or style."""
        if self._open and self._open[-1] == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = (attributes, text + data)
        elif self._open and self._open[-1] == "style":
            self.style += data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        """All text, without that of scripts and styles."""
        return "".join(self.texts)

    @property
    def data(self) -> Any:
        """What the page's script draws from."""
        return json.loads(next(text for attributes, text in self.scripts if attributes.get("id") == "data"))

    @property
    def policy(self) -> str:
        """The Content-Security-Policy."""
        found = [given for tag, given in self.tags if given.get("http-equiv") == "Content-Security-Policy"]
        (only,) = found
        return only["content"] or ""
