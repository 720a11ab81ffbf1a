"""The file that a line of search output speaks of: `path:12:text`, `path-12-text`, `path:text`, `path`.

What could be something else (a time of day, a label, a sentence, an address) has no path.
"""

from __future__ import annotations

import re

_LONGEST_PATH = 1024
_MOST_NUMBERS = 8
"""How many `-12-` of a context line are tried."""
_HIT = re.compile(r":[1-9]\d{0,6}:")
_CONTEXT = re.compile(r"([-=])[1-9]\d{0,6}\1")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_ROOTED = re.compile(r"[A-Za-z]:[\\/]|\.{1,2}[\\/]|/(?!/)|~/")
_SLASH = re.compile(r"[\\/]")
_SPACE = re.compile(r"\s")
_NEVER = re.compile("[<>\"'`*?;={}\\t\\x00-\\x1f]|://|::")
_EXTENSION = re.compile(r"\.[A-Za-z][\w+~-]{0,15}$")
_LETTER = re.compile(r"[^\W\d_]")
_WELL_KNOWN = frozenset(
    "Makefile Dockerfile Gemfile Rakefile Justfile LICENSE README CHANGELOG NOTICE CODEOWNERS".split()
)


def paths(lines: list[str]) -> list[str | None]:
    """For each line the path that it begins with; None where there is none beyond doubt.

    A context line counts only where a hit in the same file stands somewhere in *lines*.
    """
    found = [_hit(line) if ":" in line else None for line in lines]
    known = frozenset(path for path in found if path is not None)
    if known:
        found = [(_context(line, known) if line else None) or path for line, path in zip(lines, found, strict=True)]
    return [
        _listed(line) if path is None and ("/" in line or "\\" in line) else path
        for line, path in zip(lines, found, strict=True)
    ]


def _hit(line: str) -> str | None:
    """The path of `path:12:text`, else of `path:text`."""
    start = 2 if _DRIVE.match(line) else 0
    numbered = _HIT.search(line, start, _LONGEST_PATH)
    if numbered is not None:
        path = line[: numbered.start()]
        return path if _is_path(path, is_numbered=True) else None
    stop = line.find(":", start, _LONGEST_PATH)
    if stop < 0 or line.startswith("::", stop) or stop + 1 == len(line.rstrip("\r")):
        return None
    return line[:stop] if _is_path(line[:stop], is_numbered=False) else None


def _context(line: str, known: frozenset[str]) -> str | None:
    for i, match in enumerate(_CONTEXT.finditer(line, 0, _LONGEST_PATH)):
        if line[: match.start()] in known:
            return line[: match.start()]
        if i == _MOST_NUMBERS:
            break
    return None


def _listed(line: str) -> str | None:
    """The path that a line is, with a folder in it."""
    path = line.rstrip("\r")
    if len(path) > _LONGEST_PATH or ":" in (path[2:] if _DRIVE.match(path) else path):
        return None
    if path[-1] in ".,!/\\":
        return None
    if _SPACE.search(path) and not _ROOTED.match(path):
        return None
    return path if _is_clean(path) and _LETTER.search(path) else None


def _is_path(path: str, *, is_numbered: bool) -> bool:
    if not _is_clean(path):
        return False
    slash = _SLASH.search(path)
    name = _SLASH.split(path)[-1]
    if not _LETTER.search(name):
        return False
    if slash is None:
        return not _SPACE.search(path) and (bool(_EXTENSION.search(path)) or (is_numbered and path in _WELL_KNOWN))
    if is_numbered:
        return True
    return not _SPACE.search(path) and (bool(_EXTENSION.search(name)) or _ROOTED.match(path) is not None)


def _is_clean(path: str) -> bool:
    """True without what no path has: quotes, wildcards, blanks at the ends or before the first slash."""
    if not path or path != path.strip() or _NEVER.search(path) or path.count("[") != path.count("]"):
        return False
    first = _SLASH.search(path)
    return not (first and _SPACE.search(path, 0, first.start())) and path.count("(") == path.count(")")
