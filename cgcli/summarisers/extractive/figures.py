"""Sentences with figures that nothing else in the summary shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.summarisers.extractive.decisions import told
from cgcli.summarisers.extractive.fitting import Entry
from cgcli.summarisers.extractive.lines import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.summarisers.extractive.heard import Heard

_FIGURE = re.compile(
    r"\d\s?(?:%|ms|µs|s|sec(?:onds)?|min(?:utes)?|h|hours?|days?|[KMGT]i?B|bytes|tokens|rows|lines|files|tests|"
    r"requests|times|errors)(?![\w/])"
    r"|[$€£]\d|\bv?\d{1,6}\.\d{1,6}\.\d{1,6}\b|https?://\S|\bport \d|\b(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}\b|#\d{2,7}\b"
)


def figures(heard: Heard, shown: Sequence[Entry]) -> tuple[Entry, ...]:
    """Sentences of the user and the assistant with a measure, version, address or number; not those in *shown*."""
    known = told(shown)
    found: dict[str, None] = {}
    for said in heard.said:
        for sentence in sentences(said.text):
            if _FIGURE.search(sentence) and sentence not in known:
                found.pop(sentence, None)
                found[sentence] = None
    return tuple(Entry(lines=(sentence.removeprefix("- "),), rank=-i) for i, sentence in enumerate(found))
