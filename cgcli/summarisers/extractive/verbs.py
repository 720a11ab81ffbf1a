"""What a tool call does, and to which files: told by its tool's name, its arguments and, in a shell, its command."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.summarisers.extractive.lines import quoted
from cgcli.summarisers.extractive.paths import is_path, paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.summarisers.extractive.heard import Use


class Verb(StrEnum):
    """What happened to a file, the most telling first."""

    EDITED = "edited"
    WRITTEN = "written"
    DELETED = "deleted"
    FAILED = "change failed"
    READ = "read"
    SEARCHED = "searched"
    NAMED = "named"
    """In a text, or in a call that says nothing of what it does."""
    OUTPUT = "in output"


CHANGES = frozenset({Verb.EDITED, Verb.WRITTEN, Verb.DELETED})

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_VERBS = (
    (Verb.EDITED, frozenset("edit replace patch insert update modify append".split())),
    (Verb.WRITTEN, frozenset("write create save".split())),
    (Verb.DELETED, frozenset("delete remove".split())),
    (Verb.SEARCHED, frozenset("search grep glob find ls list".split())),
    (Verb.READ, frozenset("read view open cat get fetch load show".split())),
)
_PATH_KEYS = frozenset(
    "file_path path filename file notebook_path target_file filepath filePath relative_path absolute_path paths files "
    "dir_path directory".split()
)
_SHELLS = frozenset("bash shell sh exec terminal cmd console powershell run execute command".split())
_COMMAND_KEYS = ("command", "cmd", "commands", "script")
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: ([^\n]{1,200})$", re.MULTILINE)
_PATCH_VERBS = {"Add": Verb.WRITTEN, "Update": Verb.EDITED, "Delete": Verb.DELETED}
_SEGMENTS = re.compile(r"&&|\|\||[;|\n]")
_IN_QUOTES = re.compile(r"'[^']*+'|\"[^\"]*+\"")
_REDIRECTED = re.compile(r"(?<![\d&>-])>{1,2}\s*+([^\s<>&|;()\"']{1,200})|\btee\s++(?:-a\s++)?([^\s<>&|;()\"']{1,200})")
_READERS = frozenset("cat head tail less more nl sed awk wc diff bat file stat jq hexdump xxd".split())
_SEARCHERS = frozenset("grep rg egrep fgrep ag find fd ls tree".split())
_LOOKERS = frozenset("diff show log status blame ls-files grep".split())
"""Of git."""
_LISTS = frozenset("todo todos plan tasks".split())
_MOST_COMMAND_CHARS = 20_000


def words_of(name: str) -> tuple[str, ...]:
    """The words of a tool's *name*, in lower case: `MultiEdit`, `str_replace`."""
    return tuple(word.lower() for word in _WORDS.findall(name[:100]))


def command(use: Use) -> str | None:
    """The shell command that *use* runs; None where it runs none."""
    found = [leaf.text for leaf in use.given if leaf.key in _COMMAND_KEYS and leaf.is_text]
    if not found or (use.name and not _SHELLS.intersection(words_of(use.name))):
        return None
    if len(found) > 2 and found[1].startswith("-") and found[0].endswith("sh"):  # noqa: PLR2004 - `bash -lc COMMAND`
        found = found[2:]
    return " ".join(found)


def verb(use: Use) -> Verb | None:
    """What *use* does to the files that its arguments name; None for a shell and for a tool whose name does not say."""
    if command(use) is not None:
        return None
    words = set(words_of(use.name))
    told = next((leaf.text for leaf in use.given if leaf.key == "command" and leaf.is_text), None)
    if told is not None:  # `str_replace_based_edit_tool` and its like
        words = {"view"} if told == "view" else {"create"} if told == "create" else words
    return next((verb for verb, known in _VERBS if words & known), None)


def is_look(use: Use) -> bool:
    """True where *use* only looks at files: what its output says of errors stands in them. A log is no such file."""
    run = command(use)
    if run is None:
        return verb(use) in (Verb.READ, Verb.SEARCHED)
    if ".log" in run or _REDIRECTED.search(run[:_MOST_COMMAND_CHARS]):
        return False
    return all(_segment_verb(part.split()) in (Verb.READ, Verb.SEARCHED) for part in _segments(run))


def keeps_list(use: Use) -> bool:
    """True where *use* is of a tool for a list of things to do."""
    return not _LISTS.isdisjoint(words_of(use.name))


def touched(use: Use) -> Iterator[tuple[str, Verb]]:
    """Each path that *use* names, with what it does to it."""
    run = command(use)
    found = list(_of_command(run) if run is not None else _of_arguments(use))
    for leaf in use.given:
        if leaf.is_text:
            found += [(match[2].strip(), _PATCH_VERBS[match[1]]) for match in _PATCHED.finditer(leaf.text)]
    for path, what in found:
        single = quoted(path)
        if is_path(single):
            yield single, Verb.FAILED if use.failed and what in CHANGES else what


def _of_arguments(use: Use) -> Iterator[tuple[str, Verb]]:
    what = verb(use)
    for leaf in use.given:
        if leaf.is_text and leaf.key in _PATH_KEYS and leaf.text not in (".", "./", "/"):
            yield leaf.text, what or Verb.NAMED
        elif leaf.is_text and len(leaf.text) <= _MOST_COMMAND_CHARS and leaf.key not in ("old_string", "new_string"):
            yield from ((path, Verb.NAMED) for path in paths(leaf.text, bare=False) if what is None)


def _of_command(run: str) -> Iterator[tuple[str, Verb]]:
    for part in _segments(run):
        written = {name for pair in _REDIRECTED.findall(part) for name in pair if name}
        what = _segment_verb(part.split())
        for path in paths(part):
            yield path, Verb.WRITTEN if path in written else what or Verb.NAMED


def _segments(run: str) -> list[str]:
    """The commands of a pipeline or list, without a heredoc's text."""
    head = run[:_MOST_COMMAND_CHARS].partition("<<")[0]
    plain = _IN_QUOTES.sub(lambda match: _SEGMENTS.sub(" ", match[0]), head)
    return [part for part in _SEGMENTS.split(plain) if part.strip() and part.split()[0] != "cd"]


def _segment_verb(words: list[str]) -> Verb | None:
    while words and ("=" in words[0] or words[0] in ("sudo", "time", "env")):
        words = words[1:]
    if not words:
        return None
    first, rest = words[0].rpartition("/")[2], words[1:]
    if first == "git" and rest:
        first = rest[0] if rest[0] in ("rm", "mv") else ""
        return Verb.DELETED if first == "rm" else Verb.READ if rest[0] in _LOOKERS else None
    if first == "rm":
        return Verb.DELETED
    if first == "sed" and any(word.startswith(("-i", "--in-place")) for word in rest):
        return Verb.EDITED
    return Verb.READ if first in _READERS else Verb.SEARCHED if first in _SEARCHERS else None
