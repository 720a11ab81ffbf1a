"""The stretches of a file that are read as texts: each string of a line of JSON, else the line itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from cgcli.scrub.named import Role, is_header, role_of
from cgcli.scrub.plausible import is_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CONTENT = rb'[^"\\]*+(?:\\.[^"\\]*+)*+'
_STRING = re.compile(rb'"(' + _CONTENT + rb')"(\s*+:)?', re.DOTALL)
_JSON_LINE = re.compile(
    rb'(?:\xef\xbb\xbf)?(?:[\s{}\[\],:]++|"' + _CONTENT + rb'"|-?\d[\d.eE+-]*+|true|false|null|NaN|-?Infinity)*+',
    re.DOTALL,
)
_VALUE = msgspec.json.Decoder(msgspec.Raw)
"""Ten times as fast as the pattern."""
_OPENS = re.compile(r"\s*+[{\[]")
_OPENS_BYTES = re.compile(rb"\s*+[{\[]")
_FEWEST_BYTES = 4
_LONGEST_NAME_BYTES = 64
_YAML_NAME = re.compile(rb"\s*(?:-\s+)?[\"']?([A-Za-z][A-Za-z_-]{1,62})[\"']?\s*:\s*")
_YAML_ITEM = re.compile(rb"\s*-\s+[\"']?([^\"'\r\n]*)")
_PEM_HEAD = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----\s*\Z")
_PEM_LINE = re.compile(
    rb"\s*(?:[A-Za-z0-9+/=]*|[A-Za-z-]{1,40}: [^\n]{0,200})\s*|[^\n]{0,200}?-----END [^\n]{0,300}\s*"
)
_MOST_PEM_LINES = 400


class Stretch(NamedTuple):
    """Bytes of a line that are read as one text; half-open."""

    start: int
    stop: int
    role: Role
    is_escaped: bool
    """True inside a JSON string, where a backslash is an escape."""
    is_key: bool


def whole_keys(lines: Iterable[bytes]) -> Iterator[bytes]:
    """*lines*, with those of a private key that stands on several joined to one."""
    held: list[bytes] = []
    for line in lines:
        if held:
            if len(held) < _MOST_PEM_LINES and _PEM_LINE.fullmatch(line):
                held.append(line)
                if b"-----END" in line:
                    yield b"".join(held)
                    held = []
                continue
            yield b"".join(held)
            held = []
        if b"PRIVATE KEY" in line and _PEM_HEAD.search(line):
            held = [line]
        else:
            yield line
    if held:
        yield b"".join(held)


class Stretches:
    """Finds the stretches of line after line; what a name says holds on in the lines below it."""

    def __init__(self) -> None:
        """At the beginning of a file."""
        self._role = Role.TEXT
        self._next: Role | None = None

    def of(self, line: bytes) -> Iterator[Stretch]:
        """Those of *line*, in order."""
        if _is_container(line):
            self._role, self._next = Role.TEXT, None
            yield from self._strings(line)
            self._role, self._next = Role.TEXT, None
        elif _JSON_LINE.fullmatch(line):
            yield from self._strings(line)
        else:
            yield from self._text(line)

    def _strings(self, line: bytes) -> Iterator[Stretch]:
        name = b""
        behind = 0
        for match in _STRING.finditer(line):
            start, stop = match.span(1)
            self._leave(line, behind, start)
            behind = match.end()
            if match[2] is not None:
                name = match[1]
                self._role = _role(name) if stop - start <= _LONGEST_NAME_BYTES else Role.TEXT
                yield Stretch(start, stop, Role.STRUCTURE, is_escaped=True, is_key=True)
                continue
            role = self._listed(name, match[1])
            if stop - start >= _FEWEST_BYTES or role not in (Role.TEXT, Role.STRUCTURE):
                yield Stretch(start, stop, role, is_escaped=True, is_key=False)

        self._leave(line, behind, len(line))

    def _leave(self, line: bytes, start: int, stop: int) -> None:
        """Forget the name where the object that it stands in ends between *start* and *stop*."""
        if line.find(b"}", start, stop) >= 0:
            self._role = Role.TEXT

    def _listed(self, name: bytes, content: bytes) -> Role:
        """The role of a string under *name*; one that is a header's name, in a list of them, tells that of the next."""
        role, told = self._role, self._next
        self._next = None
        if told is not None and role is Role.TEXT and (name == b"value" or is_secret(_text(content), quoted=True)):
            return told
        if len(content) <= _LONGEST_NAME_BYTES and is_header(_text(content)):
            self._next = role_of(_text(content))
        return role

    def _text(self, line: bytes) -> Iterator[Stretch]:
        self._next = None
        item = _YAML_ITEM.match(line) if self._role in (Role.HEADER, Role.COOKIE) else None
        if item is not None:
            yield Stretch(item.start(1), len(item[1].rstrip()) + item.start(1), self._role, False, False)
            return
        name = _YAML_NAME.fullmatch(line)
        self._role = _role(name[1]) if name is not None else Role.TEXT
        yield Stretch(0, len(line), Role.TEXT, is_escaped=False, is_key=False)


def is_container(text: str) -> bool:
    """True where *text* is a JSON object or array, whole."""
    if not _OPENS.match(text):
        return False
    try:
        return _is_container(text.encode())
    except UnicodeEncodeError:  # a lone surrogate, which no parser takes
        return False


def _is_container(line: bytes) -> bool:
    if not _OPENS_BYTES.match(line):
        return False
    try:
        _VALUE.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _role(name: bytes) -> Role:
    return role_of(_text(name))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
