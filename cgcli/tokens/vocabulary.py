"""The vocabularies that stand in the package, so that no count ever needs a network.

A packed vocabulary is the zlib of its tokens in rank order, joined by the byte 0xFF. The only token with that
byte in it is that byte alone, and splitting at one byte is the fastest way from bytes to tokens. Ranks are
the positions. `fixtures/build/pack_vocabularies.py` writes the files; a test rebuilds the published
`.tiktoken` files from them and compares their sha256.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DATA = Path(__file__).with_name("data")
SUFFIX = ".tokens"
_SEPARATOR = b"\xff"

_O200K_WORD_END = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
PATTERNS: Mapping[str, str] = MappingProxyType(
    {
        "o200k_base": "|".join(
            [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + _O200K_WORD_END,
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + _O200K_WORD_END,
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
        "cl100k_base": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    }
)
"""How each vocabulary cuts a text before it merges bytes (tiktoken 0.14, `tiktoken_ext/openai_public.py`)."""

_SAME_RANKS: Mapping[str, str] = MappingProxyType({"o200k_harmony": "o200k_base"})
"""Encodings that differ from another in special tokens only; plain text has the same tokens in both."""


def base(encoding: str) -> str:
    """The vocabulary that *encoding* counts plain text with.

    >>> base("o200k_harmony")
    'o200k_base'

    Raises:
        UsageError: There is no such encoding in the package.
    """
    name = _SAME_RANKS.get(encoding, encoding)
    if name not in PATTERNS:
        known = ", ".join(sorted([*PATTERNS, *_SAME_RANKS]))
        raise UsageError(f"unknown encoding {encoding!r}", hint=f"one of {known}")
    return name


def ranks(vocabulary: str) -> dict[bytes, int]:
    """The rank of each token of *vocabulary*, by its bytes."""
    tokens = unpack((DATA / (vocabulary + SUFFIX)).read_bytes())
    return dict(zip(tokens, range(len(tokens)), strict=True))


def pack(tokens: Sequence[bytes]) -> bytes:
    """The packed form of *tokens*, which stand in rank order.

    Raises:
        ValueError: A token holds the separator beside other bytes, is empty or double, or the separator's own
            token is missing.
    """
    odd = [token for token in tokens if not token or (_SEPARATOR in token and token != _SEPARATOR)]
    if odd or len(set(tokens)) != len(tokens) or _SEPARATOR not in tokens:
        raise ValueError(f"these tokens cannot be packed: {odd[:3]}")
    return zlib.compress(_SEPARATOR.join(tokens), 9)


def unpack(packed: bytes) -> list[bytes]:
    """The tokens of a packed vocabulary, in rank order."""
    tokens = zlib.decompress(packed).split(_SEPARATOR)
    i_separator = tokens.index(b"")  # the separator's own token became two empty ones
    tokens[i_separator : i_separator + 2] = [_SEPARATOR]
    return tokens
