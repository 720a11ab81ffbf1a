r"""Search output with each path, or folder, written once; and the exact way back.

    src/a.py:12:first          src/a.py:
    src/a.py-13-second           12:first
    src/a.py:40:third            13-second
    lib/long/folder/x.py         40:third
    lib/long/folder/y.py       lib/long/folder/
                                 x.py
                                 y.py

A head ends in `:`, `/` or `\`, and the two or more lines below it that begin with two blanks belong to it. What
joins a file's head with a row is what stands behind the row's number (`:`, `-`, `=`), else `:`.
"""

from __future__ import annotations

import re

from cgcli.compaction.components.search_paths import paths

INDENT = "  "
_HEAD_ENDS = (":", "/", "\\")
_BETWEEN = "--"
"""What grep writes between hits that are not next to each other."""
_FEWEST_SAVED_CHARS = 8
_FEWEST_FOLDER_CHARS = 8
_NUMBER = re.compile(r"\d{1,7}([:=-])")


def fold(text: str) -> str:
    """*text* with the paths that follow each other folded; the same text where there are none."""
    lines = text.split("\n")
    found = paths(lines)
    if found.count(None) >= len(lines) - 1:
        return text
    runs = _file_runs(lines, found)
    out: list[str] = []
    i = 0
    while i < len(lines):
        head, stop = runs[i] if i in runs else _folder_run(found, runs, i)
        out += _written(head, lines[i:stop], is_followed=_is_indented(lines, stop))
        i = stop
    return "\n".join(out)


def _written(head: str | None, lines: list[str], *, is_followed: bool) -> list[str]:
    """*lines* below *head*, or as they are: without a head, and where not each of them would come back.

    *is_followed* says that the next line would be taken for one of them.
    """
    if head is None or is_followed or head.startswith(INDENT):
        return lines
    rows = [INDENT + (line if line.rstrip("\r") == _BETWEEN else line[len(head) :]) for line in lines]
    is_exact = all(_joined(head, row) == line for row, line in zip(rows, lines, strict=True))
    return [head, *rows] if is_exact else lines


def unfold(text: str) -> str:
    """The text that `fold` made *text* of."""
    lines = text.split("\n")
    out: list[str] = []
    head = None
    for i, line in enumerate(lines):
        if line.startswith(INDENT) and head is not None:
            out.append(_joined(head, line))
        elif line.endswith(_HEAD_ENDS) and _is_indented(lines, i + 1) and _is_indented(lines, i + 2):
            head = line
        else:
            head = None
            out.append(line)
    return "\n".join(out)


def _is_indented(lines: list[str], i: int) -> bool:
    return i < len(lines) and lines[i].startswith(INDENT)


def _joined(head: str, row: str) -> str:
    rest = row[len(INDENT) :]
    if rest.rstrip("\r") == _BETWEEN:
        return rest
    if not head.endswith(":"):
        return head + rest
    number = _NUMBER.match(rest)
    return head[:-1] + (number[1] if number else ":") + rest


def _file_runs(lines: list[str], found: list[str | None]) -> dict[int, tuple[str, int]]:
    """Where hits in one file begin that pay for a head: the head, and where they stop."""
    runs: dict[int, tuple[str, int]] = {}
    start = 0
    while start < len(lines):
        path = found[start]
        stop, n_hits = start + 1, 1
        if path is not None and _is_hit(lines[start], path):
            stop, n_hits = _same_file(lines, found, start)
            n_saved = (n_hits - 1) * (len(path) + 1) - (stop - start) * len(INDENT) - 1
            if n_hits > 1 and n_saved >= _FEWEST_SAVED_CHARS:
                runs[start] = (f"{path}:", stop)
        start = stop
    return runs


def _is_hit(line: str, path: str) -> bool:
    return line.rstrip("\r") != path


def _same_file(lines: list[str], found: list[str | None], start: int) -> tuple[int, int]:
    """Where the hits in the file of *start* stop, and how many they are."""
    path = found[start]
    stop, n_hits = start + 1, 1
    while stop < len(lines):
        if lines[stop].rstrip("\r") == _BETWEEN and stop + 1 < len(lines) and found[stop + 1] == path:
            stop += 1
        if path is None or found[stop] != path or not _is_hit(lines[stop], path):
            break
        stop += 1
        n_hits += 1
    return stop, n_hits


def _folder_run(found: list[str | None], runs: dict[int, tuple[str, int]], start: int) -> tuple[str | None, int]:
    """The head for the paths in one folder from *start* on, and where they stop; None where it does not pay."""
    first = found[start]
    if first is None:
        return None, start + 1
    folder, n_paths, stop = _folder(first), 1, start + 1
    while stop < len(found) and stop not in runs:
        path = found[stop]
        if path is None:
            break
        common = folder if path.startswith(folder) else _folder(_common(folder, path))
        if len(common) < _FEWEST_FOLDER_CHARS or n_paths * len(common) <= (n_paths - 1) * len(folder):
            break
        folder = common
        n_paths += 1
        stop += 1
    n_saved = (n_paths - 1) * len(folder) - n_paths * len(INDENT) - 1
    return (folder, stop) if n_paths > 1 and n_saved >= _FEWEST_SAVED_CHARS else (None, start + 1)


def _folder(path: str) -> str:
    """*path* up to its last slash, that included."""
    return path[: max(path.rfind("/"), path.rfind("\\")) + 1]


def _common(one: str, other: str) -> str:
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return one[:i]
    return one[: len(other)]
