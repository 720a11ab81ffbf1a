"""May a model's answer stand for an output? It must be shorter, lose no fault or result, and invent nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.model import Refusal
from cgcli.summarisers.accepting import accept
from cgcli.summarisers.extractive.lines import clean
from cgcli.summarisers.extractive.shortening import must_stay

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.summarisers.protocol import Summary

# Both begin at a boundary and are bounded, so that a megabyte of one character costs linear time.
_FIGURE = re.compile(r"(?<!\d)\d{3,400}(?!\d)")
"""Shorter ones may number a list."""
_PLACE = re.compile(r"(?<![\w./-])[\w./-]{1,200}\.[A-Za-z]\w{0,9}:\d{1,7}")
_SAID = re.compile(r"\w")


def fault(answer: Summary, output: str, *, tokens: int, count: Callable[[str], int]) -> Refusal | None:
    """Why *answer* may not stand for *output*, which has so many *tokens*; None where it may.

    The reasons of `accept` first; then `empty` (not a word in it), `lost_faults` (an error, or how the run ended, is
    not in it) and `invented` (a figure, or a place in a file, that is not in the output).
    """
    accepted = accept(answer, span_tokens=tokens, count=count)
    if isinstance(accepted, Refusal):
        return accepted
    text = accepted.text
    if _SAID.search(text) is None:
        return Refusal(reason="empty", detail="the answer has no word in it")
    plain = _plain(text)
    lost = [line for line in must_stay(output) if _plain(line.removesuffix(" …")) not in plain]
    if lost:
        return Refusal(reason="lost_faults", detail=f"{len(lost)} lines that say what failed or how it ended are lost")
    invented = _invented(text, output)
    if invented:
        return Refusal(reason="invented", detail=f"{invented[:60]!r} is not in the output")
    return None


def _plain(text: str) -> str:
    return " ".join(clean(text).split())


def _invented(text: str, output: str) -> str | None:
    """The first figure or place of *text* that does not stand in *output*."""
    known = frozenset(_FIGURE.findall(output))
    figures = (found[0] for found in _FIGURE.finditer(text) if found[0] not in known)
    places = (found[0] for found in _PLACE.finditer(text) if found[0] not in output)
    return next(figures, None) or next(places, None)
