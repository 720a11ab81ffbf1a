"""Which calls read a file, and which change one: the tools of Claude Code, Codex, Cline, SWE-agent and opencode."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, Any

from cgcli.compaction.components.shell import simple_commands, written_paths
from cgcli.model import unique

if TYPE_CHECKING:
    from cgcli.compaction.invoked import Invoked

_READS = frozenset("read read_file readfile view view_file notebookread open".split())
_EDITS = frozenset(
    "edit write multiedit notebookedit edit_notebook write_file edit_file create_file delete_file write_to_file "
    "replace_in_file apply_diff insert_content search_and_replace search_replace replace create insert "
    "str_replace".split()
)
_EDITORS = frozenset("str_replace_editor str_replace_based_edit_tool text_editor".split())
"""One tool that reads and writes: its `command` says which."""
_PATCHES = frozenset({"apply_patch", "patch"})
_PATCHED = re.compile(
    r"^\*\*\* (?:Add|Update|Delete) File: ([^\n]{1,4000})|^\*\*\* Move to: ([^\n]{1,4000})", re.MULTILINE
)
_PATCH_BEGINS = "*** Begin Patch"

_PATH_KEYS = frozenset("file_path path filename notebook_path target_file filePath absolute_path".split())
_STARTS = ("offset", "start_line", "start_line_one_indexed", "line_start")
_STOPS = ("end_line", "end_line_one_indexed_inclusive", "line_end")
_TALK = frozenset("command description explanation requires_approval task_progress security_risk".split())
"""Arguments that do not change what is read."""
_VIEW_RANGE = 2


@unique
class FileRead:
    """A call that reads a file."""

    path: str
    start: int
    """The first line asked for, from 1."""
    stop: int | None
    """Behind the last line asked for; None where it was left open."""
    rest: str
    """The tool, and what else it was asked, as JSON."""


@unique
class FileEdit:
    """A call that changes files."""

    paths: frozenset[str]


def touch_of(call: Invoked, *, bash_edits: bool) -> FileRead | FileEdit | None:
    """What *call* does to files; None where that is nothing, or is not plain.

    With *bash_edits* a command line counts as an edit of the files that its words say it writes, moves or removes.
    """
    name = call.name.rpartition("__")[2].lower()
    given = call.arguments if isinstance(call.arguments, dict) else {}
    if name in _EDITORS:
        name = "read" if given.get("command") == "view" else "edit"
    if name in _READS:
        return _read(name, given, call.path)
    if name in _EDITS:
        return FileEdit(paths=frozenset({_plain(call.path)})) if call.path is not None else None
    if name in _PATCHES or _PATCH_BEGINS in (call.command or ""):
        return _edit(_patched(call))
    if bash_edits and call.command is not None:
        commands = simple_commands(call.command)
        folder = given.get("workdir", given.get("cwd"))
        return _edit(written_paths(commands, folder if isinstance(folder, str) else None)) if commands else None
    return None


def _edit(paths: tuple[str, ...]) -> FileEdit | None:
    return FileEdit(paths=frozenset(map(_plain, paths))) if paths else None


def _read(name: str, given: dict[str, Any], path: str | None) -> FileRead | None:
    if path is None:
        return None
    start, stop = _asked(given)
    known = {*_PATH_KEYS, *_STARTS, *_STOPS, *_TALK, "limit", "view_range"}
    rest = {key: value for key, value in given.items() if key not in known}
    return FileRead(path=_plain(path), start=start, stop=stop, rest=json.dumps([name, rest], sort_keys=True))


def _asked(given: dict[str, Any]) -> tuple[int, int | None]:
    """The lines that are asked for, half-open; what is no whole number is taken as not given."""
    asked = given.get("view_range")
    if isinstance(asked, list) and len(asked) == _VIEW_RANGE and all(isinstance(line, int) for line in asked):
        return max(1, asked[0]), asked[1] + 1 if asked[1] > 0 else None
    start = max(1, next((line for key in _STARTS if (line := _line(given.get(key))) is not None), 1))
    limit = _line(given.get("limit"))
    if limit is not None:
        return start, start + limit
    last = next((line for key in _STOPS if (line := _line(given.get(key))) is not None), None)
    return start, last + 1 if last is not None and last > 0 else None


def _line(given: object) -> int | None:
    if isinstance(given, str) and given.strip().isdecimal():
        return int(given)
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def _patched(call: Invoked) -> tuple[str, ...]:
    """The files that a patch names."""
    if call.path is not None:
        return (call.path,)
    given = call.arguments
    texts = [given] if isinstance(given, str) else list(given.values()) if isinstance(given, dict) else []
    texts += [call.command or ""]
    return tuple(
        (match[1] or match[2]).strip() for text in texts if isinstance(text, str) for match in _PATCHED.finditer(text)
    )


def _plain(path: str) -> str:
    """One spelling of *path*: `/` between folders, no `.` and no `..` in it."""
    return posixpath.normpath(path.replace("\\", "/"))
