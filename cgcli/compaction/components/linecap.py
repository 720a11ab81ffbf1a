"""`linecap`: long lines keep both ends, and scattered repeats of a line keep the first."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.cuts import cut_before, cut_behind
from cgcli.compaction.components.informative import is_informative
from cgcli.compaction.components.marks import ALREADY_MARKED, after, left_behind, smaller
from cgcli.compaction.components.output_shapes import is_diff, is_json, is_log_or_plain, is_numbered, is_prose
from cgcli.compaction.components.parameters import check_flag, check_marker_mode, check_whole
from cgcli.errors import UsageError
from cgcli.markers import has_placeholder
from cgcli.model import value
from cgcli.wire.strings import utf8

CUT = " ...[cut]... "
_FEWEST_CHARS = 40
"""The shortest cap: less would leave little more than the note of the cut."""
_FEWEST_REPEATED_CHARS = 8
_EDGE_LINES = 3
_ECHOES = ("> ", "$ ", "+ ", "% ", "# ")
_FOLD_NOTE = " lines omitted)"
"""How the notes of `extract` and `collapse` end: they count lines, so none may go any more."""


@value
class Linecap:
    """Caps lines and folds scattered repeats, in logs and plain command output."""

    name: ClassVar[str] = "linecap"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = False

    max_line_chars: int = 500
    """The longest line that stays whole; 0 for no cap."""
    collapse_duplicate_lines: bool = True
    min_size: int = 400
    """In bytes of UTF-8."""
    marker_mode: MarkerMode = MarkerMode.FULL

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "max_line_chars", self.max_line_chars)
        check_flag(self.name, "collapse_duplicate_lines", self.collapse_duplicate_lines)
        check_whole(self.name, "min_size", self.min_size)
        check_marker_mode(self.name, self.marker_mode)
        if 0 < self.max_line_chars < _FEWEST_CHARS:
            raise UsageError(
                f"linecap: max_line_chars is {self.max_line_chars}, but must be 0, or {_FEWEST_CHARS} or more",
                hint="see docs/reference/components.md for the parameters of linecap",
            )

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The output with its lines capped and folded."""
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        if len(slot.text) < self.min_size and len(utf8(slot.text)) < self.min_size:
            return Skip(reason="below_min_size")
        lines = slot.text.split("\n")
        reduced = self._capped(self._folded(lines))
        if reduced == lines:
            return Skip(reason="no_long_or_repeated_lines")
        shape = _untouchable(slot.text)
        if shape is not None:
            return Skip(reason=shape)
        return smaller(slot, after("\n".join(reduced), "\n", left_behind(slot, self.marker_mode)))

    def _folded(self, lines: list[str]) -> list[str]:
        """*lines* with the first of each repeated line between the edges, and how often it stood there."""
        inner = lines[_EDGE_LINES : len(lines) - _EDGE_LINES]
        if not self.collapse_duplicate_lines or len(set(inner)) == len(inner):
            return lines
        times = {line: n for line, n in Counter(inner).items() if n > 1 and _may_fold(line)}
        if not times or any(_FOLD_NOTE in line for line in lines):
            return lines
        standing = set(lines)
        noted = {line: note for line, n in times.items() if (note := _noted(line, n)) not in standing}
        written: set[str] = set()
        kept: list[str] = []
        for line in inner:
            if line not in written:
                kept.append(noted.get(line, line))
                if line in noted:
                    written.add(line)
        return [*lines[:_EDGE_LINES], *kept, *lines[len(lines) - _EDGE_LINES :]]

    def _capped(self, lines: list[str]) -> list[str]:
        longest = self.max_line_chars
        if not longest or len(max(lines, key=len)) <= longest:
            return lines
        return [line if len(line) <= longest or _must_stay(line) else _cut(line, longest) for line in lines]


def _untouchable(text: str) -> str | None:
    """Why the lines of *text* stay as they are: the name of a skip reason; None for logs and plain output."""
    for reason, is_so in (("diff", is_diff), ("json", is_json), ("numbered_lines", is_numbered)):
        if is_so(text):
            return reason
    return None if is_log_or_plain(text) else "not_log_or_plain"


def _may_fold(line: str) -> bool:
    """True for a line that says something, but nothing that must be said where it stands.

    A command that was echoed (`> tsc`, `$ make`, `+ make`) heads the lines below it.
    """
    return (
        not line.startswith(_ECHOES)
        and len(line.strip()) >= _FEWEST_REPEATED_CHARS
        and any(map(str.isalnum, line))
        and CUT not in line
        and not is_informative(line)
    )


def _noted(line: str, n_times: int) -> str:
    core = line.rstrip("\r")
    return f"{core}  (x{n_times}){line[len(core) :]}"


def _must_stay(line: str) -> bool:
    """True for lines that mean nothing when cut: those a reader acts on, JSON lines, and sentences."""
    return is_informative(line) or is_json(line) or is_prose(line)


def _cut(line: str, n_chars: int) -> str:
    """*line* in *n_chars* characters: two thirds of its beginning, one third of its end."""
    n_kept = n_chars - len(CUT)
    n_tail = n_kept // 3
    stop = cut_before(line, n_kept - n_tail)
    start = cut_behind(line, len(line) - n_tail)
    return line[:stop] + CUT + line[start:]
