"""The two tokenizers that may count, and the check that lets the faster one in.

`tiktoken` is the reference and always there. `splintr` (package splintr-rs, extra `fast`) is ready sooner and
counts faster; it is used only after it gave the reference's counts on every text of `KNOWN`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from cgcli.errors import UsageError
from cgcli.tokens.known_counts import KNOWN
from cgcli.tokens.vocabulary import PATTERNS, ranks

if TYPE_CHECKING:
    from tiktoken import Encoding

Engine = Callable[[str], int]
"""Tokens of a text."""
EngineChoice = Literal["auto", "tiktoken", "splintr"]

_FOREIGN_FAULTS = (AttributeError, TypeError, ValueError, RuntimeError)
"""What a version of splintr with another interface, or without the vocabulary, would raise."""


class EngineUnusable(UsageError):
    """The engine that was asked for is not installed, or does not count as the reference does."""


class _Kept(msgspec.Struct, gc=False):
    """Holds its content, and itself, until the process ends.

    Freeing the merge table takes 0.15 s at exit, for nothing. A struct without garbage collection that refers
    to itself is never freed.
    """

    content: object
    itself: object = None


def load(vocabulary: str, engine: EngineChoice) -> tuple[str, Engine]:
    """The name of the engine in use and the engine; `auto` is splintr where it is usable.

    Raises:
        EngineUnusable: `splintr` was asked for and cannot be used.
    """
    if engine != "tiktoken":
        try:
            return "splintr", _splintr(vocabulary)
        except EngineUnusable:
            if engine == "splintr":
                raise
    return "tiktoken", _tiktoken(vocabulary)


def first_disagreement(vocabulary: str, engine: Engine) -> str | None:
    """The first text of `KNOWN` that *engine* counts otherwise than the reference; None if there is none."""
    for text, counts in KNOWN:
        if engine(text) != counts[vocabulary]:
            return text
    return None


def _tiktoken(vocabulary: str) -> Engine:
    # Built here from our own data: tiktoken's loader would look for its cache and then for the network.
    # Without special tokens, because a transcript that spells one holds text.
    encoding: Encoding = import_module("tiktoken").Encoding(
        vocabulary, pat_str=PATTERNS[vocabulary], mergeable_ranks=ranks(vocabulary), special_tokens={}
    )
    kept = _Kept(encoding)
    kept.itself = kept
    encode = encoding.encode_ordinary
    return lambda text: len(encode(text))


def _splintr(vocabulary: str) -> Engine:
    try:
        encode = import_module("splintr").Tokenizer.from_pretrained(vocabulary).encode_ordinary
        engine = _reading_surrogates(encode)
        disagreement = first_disagreement(vocabulary, engine)
    except ImportError as error:
        raise EngineUnusable("splintr is not installed", hint="pip install 'cgcli[fast]'") from error
    except _FOREIGN_FAULTS as error:
        raise EngineUnusable(f"splintr cannot be used: {error}") from error
    if disagreement is not None:
        raise EngineUnusable(f"splintr does not count {vocabulary} as tiktoken does: {disagreement[:40]!a}")
    return engine


def _reading_surrogates(encode: Callable[[str], list[Any]]) -> Engine:
    def count(text: str) -> int:
        try:
            return len(encode(text))
        except UnicodeEncodeError:
            # What tiktoken does with lone surrogates: joins pairs, replaces the rest by U+FFFD.
            return len(encode(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))

    return count
