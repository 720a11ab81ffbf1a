r"""Terminal escapes that say nothing but how a text looks, and the redraws (`\r`) of one line.

Narrower than `terminal`, whose reducers keep the original behind a marker: here nothing may go that a reader
could miss. A link's target that the text does not show, a clipboard or an image sent in an escape, and a move
inside a line, which would glue words together, stay as they are.
"""

from __future__ import annotations

import re

# Every repetition is possessive and its class excludes what ends it, so hostile text costs linear time.
_STYLE = re.compile(
    r"\x1b(?:"
    r"\[[0-?]*+[ -/]*+[mhlqtrncp]"  # colours, modes, requests
    r"|\[0?[KJ]"  # erases what stands to the right: nothing yet
    # Titles, colours, the folder, shell integration, a progress display.
    r"|\](?:[0-2]|4|7|9;4|1[0-9]|104|11[0-9]|133|633|697)(?![0-9])[^\x07\x1b\n\r]*+(?:\x07|\x1b\\)"
    r"|\(B|[=>])"
)
_MOVES = re.compile(r"(?:\x1b(?:\[[0-?]*+[ -/]*+[A-BD-HJKSTdfsu]|[78M]))++")
_TO_LINE_START = re.compile(r"(?:\x1b\[(?:[012]?K|[01]?G))++")
_LINK = re.compile(
    r"\x1b\]8;[^;\x07\x1b\n\r]*+;([^\x07\x1b\n\r]++)(?:\x07|\x1b\\)([^\x1b\n\r]++)\x1b\]8;;(?:\x07|\x1b\\)"
)


def without_style(text: str) -> str:
    r"""*text* without escapes that are presentation alone; a return to the line's start becomes `\r`.

    Taking an escape out can put another one together; the result is not looked at again.
    """
    if "\x1b" not in text:
        return text
    return _MOVES.sub(_unmoved, _LINK.sub(_shown, _STYLE.sub("", text)))


def _shown(link: re.Match[str]) -> str:
    """The link's text where that tells the target, else the whole link."""
    target, text = link.groups()
    is_told = text == target or (target.startswith("file://") and target.endswith(f"/{text}"))
    return text if is_told else link[0]


def _unmoved(moves: re.Match[str]) -> str:
    """Nothing at a line's edge, where no words can be glued; inside a line all but a return stays."""
    text = moves.string
    at_start = moves.start() == 0 or text[moves.start() - 1] in "\r\n"
    at_stop = moves.end() == len(text) or text[moves.end()] in "\r\n"
    if at_start or at_stop:
        return ""
    return "\r" if "G" in moves[0] and _TO_LINE_START.fullmatch(moves[0]) else moves[0]
