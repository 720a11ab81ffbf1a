"""How far two texts are the same, to a place where a tokenizer cuts both alike."""

from __future__ import annotations

_MOST_BACK = 64
"""Characters that are looked back over for the beginning of a word; in longer unbroken runs any place is one."""


def whole_words(a: str, b: str, n_shared: int, first: int) -> int:
    """*n_shared*, or less: up to the end of the last word behind *first* that is whole in both texts; else *first*.

    A word that goes on differently may have other tokens from its first character on.
    """
    if _ends(a, n_shared) and _ends(b, n_shared):
        return n_shared
    least = max(first, n_shared - _MOST_BACK)
    found = next((i for i in range(n_shared - 1, least, -1) if a[i].isspace()), least)
    return n_shared if found > first and found == least else found


def _ends(text: str, n: int) -> bool:
    return n >= len(text) or text[n].isspace()
