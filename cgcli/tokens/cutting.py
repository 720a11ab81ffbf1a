r"""Where a text can be cut so that the tokens of its pieces are the tokens of the whole.

Both vocabularies first split a text by a pattern (`vocabulary.PATTERNS`) and merge bytes only inside of what it
matches. A cut is safe where no match can reach over it, and none before it looks at what follows:

- between what is no white space and a blank: a blank can only begin a match, or stand in one of white space alone;
- behind a line end, before what is neither white space nor a slash: matches end at the last line end of a run, and only
  slashes and line ends go on with one that punctuation began;
- between an ASCII letter and another ASCII character but an apostrophe (`'s` belongs to its word); between an ASCII
  digit and another ASCII character; between an ideograph, kana or Hangul and its punctuation: letters and digits end a
  match where they end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PIECE_CHARS = 1 << 18
"""About how many characters are counted at once: a list of their tokens takes ten times their bytes."""
_LOOKED_AT = 1 << 12
"""So far back a cut is looked for first."""
_CUT = re.compile(
    r"(?<=\S)(?= )"
    r"|(?<=\n)(?=[^\s/])"
    r"|(?<=[A-Za-z])(?=[\x00-\x7f])(?![A-Za-z'])"
    r"|(?<=[0-9])(?=[\x00-\x7f])(?![0-9])"
    r"|(?<=[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3])(?=[\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f])"
)


def steady(texts: Iterable[str]) -> Iterator[str]:
    """*texts*, which are one text in pieces, in other pieces: cut where tokens end, a few hundred thousand characters.

    Longer only where a text has no such place.
    """
    begun: list[str] = []
    n_chars = 0
    for text in texts:
        for i in range(0, len(text), PIECE_CHARS):
            begun.append(text[i : i + PIECE_CHARS])
            n_chars += len(begun[-1])
            if n_chars < PIECE_CHARS:
                continue
            at = _last_cut(begun)
            if at:
                whole = "".join(begun)
                yield whole[: n_chars - at]
                begun = [whole[n_chars - at :]]
                n_chars = at
    if n_chars:
        yield "".join(begun)


def _last_cut(begun: list[str]) -> int:
    """How many characters stand behind the last cut in *begun*, of which only the last is looked at; 0: none."""
    last = begun[-1]
    for window in (_LOOKED_AT, len(last)):
        # One character more on either side of a cut: it is told by both.
        found = [match.start() for match in _CUT.finditer(last, max(1, len(last) - window), len(last))]
        if found and found[-1] < len(last):
            return len(last) - found[-1]
    return 0
