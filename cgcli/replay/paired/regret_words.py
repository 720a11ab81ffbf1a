"""What of a text can be told apart from what anybody would write: distinctive fragments, and whole lines."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_letters, digits

from cgcli.model import unique

MIN_FRAGMENT_CHARS = 6
MOST_FRAGMENT_CHARS = 160
"""Longer ones (encoded images, say) are no fragments."""
MIN_LINE_CHARS = 8
"""Shorter lines (a brace, `else:`) stand everywhere."""
_MOST_WORDS = 65_536
"""Most words of a conversation come again: so many are remembered."""

_INSIDE = "./@+~-"
"""Beside letters, digits and `_`. None begins or ends a fragment: a sentence's full stop is no part of it."""
_WRITTEN = (ascii_letters + digits + "_" + _INSIDE).encode()
_SPACED = bytes(one if one in _WRITTEN else ord(" ") for one in range(256))
"""Makes a space of each other byte."""
# `10-minute`, `python3`, `chapter-12`: words with a number.
_NUMBERED_WORD = r"[0-9]++(?:-[A-Za-z]++)++|(?:[A-Za-z]++-?)++[0-9]{1,2}"
# camelCase; snake_case; a file's name or an attribute; a path of three steps; six digits; eight letters and digits.
_DISTINCT = re.compile(
    r"[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z0-9_]\.[A-Za-z]|/[^/]++/|[0-9]{6}"
    rf"|^(?=.{{8}})(?!(?:{_NUMBERED_WORD})$)[^0-9]*+[0-9]"
)


@unique
class Facts:
    """What a text says that can be looked for elsewhere."""

    words: frozenset[str]
    """Distinctive fragments: paths, identifiers, hashes, numbers."""
    lines: frozenset[str]
    """Lines of at least 8 characters, without the white space around them."""


def facts(text: str) -> Facts:
    """The fragments and lines of *text*. Takes linear time."""
    return Facts(words=words(text), lines=lines(text))


def words(text: str) -> frozenset[str]:
    """The fragments of *text*."""
    plain = text.replace("\\n", "  ").replace("\\t", "  ") if "\\" in text else text  # escapes in quoted JSON
    return frozenset(filter(None, map(_fragment, set(_runs(plain)))))


def lines(text: str) -> frozenset[str]:
    """The lines of *text* that are long enough to tell something."""
    return frozenset([line for line in map(str.strip, text.splitlines()) if len(line) >= MIN_LINE_CHARS])


def may_be_word(line: str) -> bool:
    """False for a line that is no fragment of any text."""
    return " " not in line and _fragment(line) == line


def _runs(text: str) -> list[str]:
    """The longest runs of characters that a fragment can have; a table is many times as fast as an expression."""
    return text.encode("ascii", "replace").translate(_SPACED).decode("ascii").split()


@lru_cache(maxsize=_MOST_WORDS)
def _fragment(run: str) -> str:
    """The fragment in *run*; empty where there is none."""
    word = run.strip(_INSIDE)
    return word if len(word) >= MIN_FRAGMENT_CHARS and is_distinctive(word) else ""


def is_distinctive(word: str) -> bool:
    """True for what is hardly written by chance: it has a separator, camel case or enough digits."""
    return len(word) <= MOST_FRAGMENT_CHARS and _DISTINCT.search(word) is not None
