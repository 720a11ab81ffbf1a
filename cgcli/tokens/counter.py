"""A counter per encoding: cheap to make, loads its vocabulary on the first count."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from cgcli.tokens.cutting import PIECE_CHARS, steady
from cgcli.tokens.engines import load
from cgcli.tokens.runs import pieces
from cgcli.tokens.vocabulary import base

if TYPE_CHECKING:
    from cgcli.tokens.engines import Engine, EngineChoice

DEFAULT_ENCODING = "o200k_base"


class Counter:
    """Counts the tokens of texts in one encoding, without special tokens and without any factor."""

    def __init__(self, encoding: str = DEFAULT_ENCODING, *, engine: EngineChoice = "auto") -> None:
        """Count in *encoding* with *engine*; nothing is loaded yet.

        Raises:
            UsageError: There is no such encoding.
        """
        self.encoding = encoding
        self.engine: str | None = None
        """The name of the tokenizer in use; None until the first count."""
        self._vocabulary = base(encoding)
        self._choice = engine
        self._count: Engine | None = None

    def count(self, text: str) -> int:
        """The number of tokens of *text*, as tiktoken's `encode_ordinary` gives them.

        A long text is counted in pieces, for the memory that its tokens take; a run of more than 999,000 blanks too,
        because tiktoken cannot count it.

        Raises:
            EngineUnusable: On the first count, where `splintr` was asked for and cannot be used.
        """
        if self._count is None:
            self.engine, self._count = load(self._vocabulary, self._choice)
        if len(text) <= PIECE_CHARS:
            return self._count(text)
        return sum(self._count(piece) for part in steady((text,)) for piece in pieces(part))


def counter(encoding: str = DEFAULT_ENCODING, *, engine: EngineChoice = "auto") -> Counter:
    """The counter of *encoding*; the same one for the same arguments, so that a vocabulary is loaded once.

    Raises:
        UsageError: There is no such encoding.
    """
    return _shared(base(encoding), engine)


@cache
def _shared(vocabulary: str, engine: EngineChoice) -> Counter:
    return Counter(vocabulary, engine=engine)
