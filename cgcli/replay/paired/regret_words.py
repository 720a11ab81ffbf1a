"""What of a text can be told apart from what anybody would write: distinctive fragments, and whole lines."""

from __future__ import annotations

import re
from functools import lru_cache

from cgcli.model import unique

MOST_FRAGMENT_CHARS = 160
"""Longer ones (encoded images, say) are no fragments."""
MIN_LINE_CHARS = 8
"""Shorter lines (a brace, `else:`) stand everywhere."""
_MOST_WORDS = 65_536
"""Most words of a conversation come again: so many are remembered."""

# It begins and ends with a letter, a digit or `_`: a sentence's full stop and a leading `./` are no part of it.
_RUN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./@+~-]{4,}[A-Za-z0-9_]")
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


NOTHING = Facts(words=frozenset(), lines=frozenset())


def facts(text: str) -> Facts:
    """The fragments and lines of *text*. Takes linear time."""
    plain = text.replace("\\n", "  ").replace("\\t", "  ") if "\\" in text else text  # escapes in quoted JSON
    return Facts(
        words=frozenset(filter(is_distinctive, set(_RUN.findall(plain)))),
        lines=frozenset([line for line in map(str.strip, text.splitlines()) if len(line) >= MIN_LINE_CHARS]),
    )


@lru_cache(maxsize=_MOST_WORDS)
def is_distinctive(word: str) -> bool:
    """True for what is hardly written by chance: it has a separator, camel case or enough digits."""
    return len(word) <= MOST_FRAGMENT_CHARS and _DISTINCT.search(word) is not None
