"""Text as lines and sentences that can be quoted; all of it in linear time. Texts are cleaned once, when read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_CHARS = 240
"""A quoted line has at most so many characters."""
_LONGEST_SENTENCE_CHARS = 400

# Every repetition is possessive and its class excludes what ends it.
_ESCAPES = re.compile(
    r"(?:\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b\n\r]*+(?:\x07|\x1b\\)|[PX^_][^\x1b\n\r]*+\x1b\\|[()*+][A-Za-z0-9]"
    r"|[=>78DEHMNOZcno]))++"
)
_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]++")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]++"
)
"""Control characters, and those that have no width or turn the direction of writing."""
_LONE = re.compile("[\ud800-\udfff]")
_BLANKS = re.compile(r"\s++")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s++(?=[^\sa-z])")
_FENCE = ("```", "~~~")


def clean(text: str) -> str:
    """*text* as a terminal shows it, without escapes and other unseen characters; its line breaks stay.

    What stood apart stays apart: `1`, an escape, `2` is never `12`. A lone surrogate becomes U+FFFD.
    """
    shown = _ESCAPES.sub(_gap, text) if "\x1b" in text else text
    return _LONE.sub("\ufffd", _UNSEEN.sub(_gap, shown))


def _gap(match: re.Match[str]) -> str:
    text, before, after = match.string, match.start() - 1, match.end()
    inside = before >= 0 and after < len(text) and not text[before].isspace() and not text[after].isspace()
    return " " if inside else ""


def lines(text: str) -> Iterator[str]:
    """The lines of *text* that are not blank; a carriage return ends one too."""
    for line in _BREAKS.split(text):
        if line and not line.isspace():
            yield line


def quoted(line: str, most_chars: int = LINE_CHARS) -> str:
    """*line* on one line, at most *most_chars* long, cut between words; empty where its first word is longer."""
    looked_at = line[: most_chars * 4]
    single = _BLANKS.sub(" ", looked_at.strip())
    if len(looked_at) == len(line) and len(single) <= most_chars:
        return single
    kept = single[: most_chars - 1].rpartition(" ")[0]  # the last word may have been cut
    return f"{kept} …" if kept else ""


def sentences(text: str) -> Iterator[str]:
    """The sentences of *text*, quoted, without fenced code; a line ends one. Longer ones than 400 are left out."""
    fenced = False
    for line in lines(text):
        if line.lstrip().startswith(_FENCE):
            fenced = not fenced
        elif not fenced:
            for sentence in _SENTENCE_ENDS.split(line):
                if len(sentence) <= _LONGEST_SENTENCE_CHARS and (single := quoted(sentence)):
                    yield single
