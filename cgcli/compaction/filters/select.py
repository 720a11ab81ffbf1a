"""Which filter an output is for: told by its first lines, and by the command where that is known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.compaction.components.terminal import without_ansi
from cgcli.compaction.filters.expressions import LONGEST_CHARS, compiled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from cgcli.compaction.filters.filter import Filter

HEAD_LINES = 6
"""Lines with something in them that are looked at: a tool runner writes lines of its own before the tool's."""

_SOMETHING = re.compile(r"\S")
_BETWEEN = re.compile(r"&&|\|\||[;|\n]")
_BEFORE = re.compile(r"(?:[A-Za-z_]\w{0,63}=\S*+\s++|(?:sudo|time|env|nohup|command|exec)\s++|timeout\s++\S++\s++)++")
_PASSING = frozenset("cd pushd popd export set source . true : pwd mkdir sleep date echo head tail tee sort".split())
"""Commands that print nothing of their own, or pass on what they are given."""
_SHOWING = frozenset(
    "cat bat nl less more sed awk grep egrep rg ag find fd ls tree diff read view open grep glob search "
    "read_file view_file open_file str_replace_editor str_replace_based_edit_tool".split()
)
"""Commands and tools that show what stands in files: such an output is no command's, however it looks."""


def first_lines(text: str) -> tuple[str, ...]:
    """The first lines of *text* with something in them, without escapes; a long one only so far as matching goes."""
    lines: list[str] = []
    at = 0
    while len(lines) < HEAD_LINES and (found := _SOMETHING.search(text, at)):
        start = max(at, text.rfind("\n", at, found.start()) + 1)
        stop = text.find("\n", found.start())
        at = len(text) if stop < 0 else stop
        line = without_ansi(text[start : min(at, start + 2 * LONGEST_CHARS)])
        if line.strip():
            lines.append(line.strip("\r").rstrip()[:LONGEST_CHARS])
    return tuple(lines)


def simple_commands(line: str) -> tuple[str, ...]:
    """The commands that *line* consists of, without assignments, `sudo` and the like before them."""
    pieces = (piece.strip().lstrip("({ ").strip() for piece in _BETWEEN.split(line.removeprefix("$ ")))
    return tuple(_BEFORE.sub("", piece, count=1)[:LONGEST_CHARS] for piece in pieces if piece)


class FilterSet:
    """Filters in the order in which they are asked: by priority, then as given."""

    def __init__(self, filters: Iterable[Filter]) -> None:
        """Ask *filters*."""
        self.filters = tuple(sorted(filters, key=lambda one: -one.priority))
        self._heads = compiled(tuple(pattern for one in self.filters for pattern in one.match.head))
        self._commands = compiled(tuple(pattern for one in self.filters for pattern in one.match.command))

    def select(self, text: str, command: str | None, *, besides: Collection[Filter] = ()) -> Filter | None:
        """The first filter, *besides* some, that *text*, printed by *command*, is for.

        *command* is None where it is not known: then only first lines tell. A command that is nothing but a look into
        files selects none. One that a filter names selects it if all others in the line print nothing of their own.
        """
        commands = simple_commands(command) if command else ()
        if _only_shows(commands):
            return None
        lines = first_lines(text)
        # Most outputs are for no filter at all: two expressions tell, in place of two for each filter.
        if not (any(map(self._commands.match, commands)) or any(map(self._heads.match, lines))):
            return None
        return next((one for one in self.filters if one not in besides and _is_for(one, lines, commands)), None)


def _only_shows(commands: tuple[str, ...]) -> bool:
    names = {one.split(maxsplit=1)[0].rpartition("/")[2].lower() for one in commands if one.split()}
    return bool(names & _SHOWING) and names <= _SHOWING | _PASSING


def _is_for(one: Filter, lines: tuple[str, ...], commands: tuple[str, ...]) -> bool:
    head, unless = compiled(one.match.head), compiled(one.match.unless)
    if not (any(head.match(line) for line in lines) or _names(one, commands)):
        return False
    return not any(unless.match(line) for line in lines)


def _names(one: Filter, commands: tuple[str, ...]) -> bool:
    if not (commands and one.match.command):
        return False
    pattern = compiled(one.match.command)
    named = [bool(pattern.match(command)) for command in commands]
    others = [command for command, is_named in zip(commands, named, strict=True) if not is_named]
    return any(named) and all(command.split(maxsplit=1)[0] in _PASSING for command in others)
