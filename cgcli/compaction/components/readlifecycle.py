"""`readlifecycle`: what was read of a file and is out of date, or was read again, leaves the request."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.file_touches import FileEdit, FileRead, touch_of
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, after, left_behind, smaller
from cgcli.compaction.components.mask import peek
from cgcli.compaction.components.output_shapes import is_numbered
from cgcli.compaction.components.parameters import check_flag, check_marker_mode, check_whole
from cgcli.compaction.components.placeholders import NO_VIEW, is_placeholder
from cgcli.markers import key
from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.compaction.view import View

STALE_NOTE = "file read, out of date"
SUPERSEDED_NOTE = "file read, superseded"
_PATH_CHARS = 200
_FACT = "readlifecycle"

# What a tool answers that did not do what it was asked to.
_REFUSED = re.compile(
    r"\s{0,99}(?:<tool_use_error>|(?:Error|ERROR|error|Failed|failed|FAILED)\b|No replacement was performed"
    r"|No changes|String to replace not found|The user doesn't want|User rejected|\[Request interrupted"
    r"|Permission to use|apply_patch verification failed|Invalid |Exit code [1-9]|File has not been read"
    r"|File does not exist|File (?:is )?unchanged|The file .{1,400} does not exist)"
)
_NUMBERED = re.compile(r"^[ ]{0,9}0{0,7}(\d{1,7})(?:\t|\N{RIGHTWARDS ARROW}| ?\||: )", re.MULTILINE)
_EDGE_CHARS = 20_000
"""How far from an edge of a text the first and last line number are looked for."""


class Fate(StrEnum):
    """What later calls of the same request prove about a read."""

    FRESH = "fresh"
    STALE = "stale"
    SUPERSEDED = "superseded"


@unique
class _Shown:
    """What one output shows of a file."""

    n_chars: int
    digest: str
    first: int | None
    """The first numbered line; None where lines have no numbers."""
    last: int | None


@unique
class _Touch:
    """A file was read or changed by the call that this output answers."""

    i_output: int
    i_result: int
    does: FileRead | FileEdit
    shown: _Shown | None
    """Of a read."""


@value
class ReadLifecycle:
    """Removes reads that a later edit made wrong, or that a later read of the same lines stands for."""

    name: ClassVar[str] = "readlifecycle"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({"fresh_read"})

    min_tokens: int = 100
    stale: bool = True
    superseded: bool = True
    bash_edits: bool = False
    """Command lines count as edits where their words name the file: `sed -i`, `>`, `tee`, `mv`, `git checkout`."""
    stale_at_depth: bool = False
    """A stale read may go on a warm turn, too, out of the held prefix; the step reads this by `enters`."""
    identical: bool = False
    """A later read of exactly the same text supersedes, too; not together with `dedup`, which points at the first."""
    marker_mode: MarkerMode = MarkerMode.FULL
    cold_cache: bool = False
    """On a turn whose cache has lapsed it may act inside the prefix; the step reads this."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_tokens", self.min_tokens)
        check_marker_mode(self.name, self.marker_mode)
        for flag in ("stale", "superseded", "bash_edits", "stale_at_depth", "identical", "cold_cache"):
            check_flag(self.name, flag, getattr(self, flag))

    def propose(self, slot: Slot) -> Reduction | Skip:
        """One line for a read that is out of date or was made again."""
        if is_placeholder(slot.text, STALE_NOTE) or is_placeholder(slot.text, SUPERSEDED_NOTE):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        if slot.view is None:
            return NO_VIEW
        touch = self._touch(slot.i_output, slot.view)
        if touch is None or not isinstance(touch.does, FileRead):
            return Skip(reason="not_a_read")
        fate = self.fate(slot.i_output, slot.view)
        if fate is Fate.FRESH:
            return Skip(reason="fresh_read")
        path = peek(touch.does.path, _PATH_CHARS)
        note = (
            f"[{STALE_NOTE}: {path} was changed later]"
            if fate is Fate.STALE
            else f"[{SUPERSEDED_NOTE}: {path} was read again later]"
        )
        return smaller(slot, after(note, " ", left_behind(slot, self.marker_mode)))

    def wakes(self, i_output: int, view: View) -> bool:
        """True where something later proves that the read need not stay."""
        return self.fate(i_output, view) is not Fate.FRESH

    def enters(self, i_output: int, view: View) -> bool:
        """True where it may decide in a warm held prefix: `stale_at_depth`, and the read is out of date."""
        return self.stale_at_depth and self.fate(i_output, view) is Fate.STALE

    def fate(self, i_output: int, view: View) -> Fate:
        """What the request proves about the read at *i_output*.

        The first proof counts, so that it stays the same on later turns. What the model has not seen is fresh.
        """
        touch = self._touch(i_output, view)
        if touch is None or not isinstance(touch.does, FileRead) or view.is_unseen(i_output):
            return Fate.FRESH
        later = view.once((_FACT, self.bash_edits), lambda: self._by_path(view))[touch.does.path]
        for one in later:
            if one.i_result <= touch.i_result:
                continue
            if isinstance(one.does, FileEdit):
                if self.stale:
                    return Fate.STALE
            elif self.superseded and _stands_for(one, touch, identical=self.identical):
                return Fate.SUPERSEDED
        return Fate.FRESH

    def _touch(self, i_output: int, view: View) -> _Touch | None:
        return self._touches(view)[i_output]

    def _touches(self, view: View) -> Sequence[_Touch | None]:
        return view.per_output((_FACT, self.bash_edits), lambda i: self._touched(i, view))

    def _touched(self, i_output: int, view: View) -> _Touch | None:
        output = view.outputs[i_output]
        does = touch_of(output.call, bash_edits=self.bash_edits) if output.call is not None else None
        if does is None or output.is_error:
            return None
        text = view.text(i_output)
        if _REFUSED.match(text):
            return None
        shown = _shown(text) if isinstance(does, FileRead) else None
        return _Touch(i_output=i_output, i_result=output.i_result, does=does, shown=shown)

    def _by_path(self, view: View) -> Mapping[str, Sequence[_Touch]]:
        """Per file what was done to it, in order."""
        found: dict[str, list[_Touch]] = {}
        for touch in self._touches(view):
            if touch is not None:
                paths = (touch.does.path,) if isinstance(touch.does, FileRead) else touch.does.paths
                for path in paths:
                    found.setdefault(path, []).append(touch)
        return found


def _stands_for(later: _Touch, earlier: _Touch, *, identical: bool) -> bool:
    """True where *later*, a read of the same file, shows every line that *earlier* showed, as it is now."""
    now, then = later.does, earlier.does
    if not isinstance(now, FileRead) or not isinstance(then, FileRead) or now.rest != then.rest:
        return False
    if later.shown is None or earlier.shown is None or later.shown.n_chars * 2 < earlier.shown.n_chars:
        return False  # a note that the file did not change, or a cut read: the earlier one holds the content
    if later.shown.digest == earlier.shown.digest and not identical:
        return False
    if (now.start, now.stop) == (then.start, then.stop):
        return True
    if None not in (later.shown.first, later.shown.last, earlier.shown.first, earlier.shown.last):
        first, last = earlier.shown.first or 0, earlier.shown.last or 0
        return (later.shown.first or 0) <= first and last <= (later.shown.last or 0)
    return now.start <= then.start and then.stop is not None and now.stop is not None and then.stop <= now.stop


def _shown(text: str) -> _Shown:
    first = last = None
    if is_numbered(text):
        first = _NUMBERED.search(text, 0, _EDGE_CHARS)
        for match in _NUMBERED.finditer(text, max(0, len(text) - _EDGE_CHARS)):
            last = match
    return _Shown(
        n_chars=len(text),
        digest=key(text),
        first=int(first[1]) if first else None,
        last=int(last[1]) if last else None,
    )
