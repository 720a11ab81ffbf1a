"""What a terminal would not show any more: escapes, overwritten states, progress bars."""

from __future__ import annotations

import re
from itertools import pairwise

from cgcli.model import value

# Every repetition is possessive and its class excludes what ends it, so hostile text costs linear time.
# A command string (OSC, DCS) never runs past its line: an unended one must not take real lines with it.
_ANSI = re.compile(
    r"\x1b(?:"
    r"\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor moves
    r"|\][^\x07\x1b\n\r]*+(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|[PX^_][^\x1b\n\r]*+\x1b\\"  # DCS, SOS, PM, APC
    r"|[()*+][A-Za-z0-9]"  # character sets
    r"|[=>78DEHMNOZcno])"
)
IMPORTANT = re.compile(
    r"error|fail|exception|panic|fatal|traceback|warn|abort|denied|killed|exit[ _-]?(?:code|status)",
    re.IGNORECASE,
)
"""Words that keep a line whatever else it looks like."""

_GLYPHS = "█▉▊▋▌▍▎▏▓▒░━╸╺■□▰▱"
_BAR = re.compile(rf"(?<=%)\|[{_GLYPHS}#\d ]++\||[{_GLYPHS}]{{2,}}+|\[[=#>. ]{{3,}}+\]|\|[=#> ]{{3,}}+\|")
_BAR_BEGINS = re.compile(rf"[{_GLYPHS}|\[]")
"""What every bar begins with; a search for one set of characters is ten times faster than one for bars."""
_PERCENT_AT_END = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)%[\s|]*$")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)%")
_OF_TOTAL = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)/(\d{1,15}(?:\.\d{1,6})?)")
_FIGURES = re.compile(rf"(?:[\s\d.,:/|<>?%()\[\]~\-{_GLYPHS}]|it/s|s/it|[kKMGT]i?[bB]|[bB]\b|bytes|eta|ETA|[hms]\b)*+")
_REDRAWN = re.compile(rf"\d%|\d/\d|[{_GLYPHS}]|[\[|][=#>.]{{3}}")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_LONGEST_BAR_LINE = 400


def without_ansi(text: str) -> str:
    """*text* without escape sequences; an unended one stays."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def settled(text: str) -> str:
    r"""*text* as its redraws (`\r` inside a line) left it.

    A state goes only where the next one is a redraw of it: a progress figure, or the same words with other
    figures. Any other state, and each with an error word, stays as a line of its own; so CRLF, `\r\r\n` and
    files with bare `\r` keep what they say.
    """
    if "\r" not in text:
        return text
    return "\n".join(_settled(line) for line in text.split("\n"))


def _settled(line: str) -> str:
    core = line.rstrip("\r")
    if "\r" not in core:
        return line
    states = [state for state in core.split("\r") if state.strip()]
    kept = [state for state, following in pairwise(states) if not _redrawn(state, following)]
    if len(kept) + 1 >= len(states):
        return line
    return "\n".join([*kept, states[-1]]) + line[len(core) :]


def _redrawn(state: str, following: str) -> bool:
    if IMPORTANT.search(state):
        return False
    return state == following or bool(_REDRAWN.search(state)) or _letters(state) == _letters(following)


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text)


@value
class _Progress:
    label: str
    done: float


def has_bar(text: str) -> bool:
    """True where a progress bar may stand in *text*; without one no line need be looked at."""
    return _BAR_BEGINS.search(text) is not None and _BAR.search(text) is not None


def last_states(lines: list[str]) -> list[str]:
    """*lines* with each run of one progress bar reduced to its last state.

    A run has one label and never goes back. Figures without a bar, and bars with other words behind them
    (`loss=0.3`), are no progress lines.
    """
    kept: list[str] = []
    before: _Progress | None = None
    for line in lines:
        now = _progress(line)
        if before and now and now.label == before.label and now.done >= before.done:
            kept.pop()
        kept.append(line)
        before = now
    return kept


def _progress(line: str) -> _Progress | None:
    if len(line) > _LONGEST_BAR_LINE:
        return None
    bar = _BAR.search(line)
    if bar is None or IMPORTANT.search(line):
        return None
    head, tail = line[: bar.start()], line[bar.end() :]
    if not _FIGURES.fullmatch(tail):
        return None
    at_end = _PERCENT_AT_END.search(head)
    percent = at_end or _PERCENT.search(tail)
    label = (head[: at_end.start()] if at_end else head).strip(" \t|")
    if percent:
        return _Progress(label=label, done=float(percent[1]) / 100)
    total = _OF_TOTAL.search(tail)
    if total and float(total[2]):
        return _Progress(label=label, done=float(total[1]) / float(total[2]))
    return None
