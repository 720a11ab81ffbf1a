"""Which files were touched, how, and how often."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from cgcli.summarisers.extractive.fitting import Entry
from cgcli.summarisers.extractive.output_paths import OUTPUT_PATHS
from cgcli.summarisers.extractive.paths import paths
from cgcli.summarisers.extractive.verbs import Verb, touched

if TYPE_CHECKING:
    from cgcli.summarisers.extractive.heard import Heard

_TELLING = tuple(Verb)
_MOST_IN_OUTPUTS = 8


def files(heard: Heard) -> tuple[tuple[Entry, ...], int]:
    """Each path with what was done to it, and how many are left out.

    Changed files come first, then those read, searched and named, the newest first. Of those that stand in outputs
    alone, the eight that stand there most often.
    """
    touched_ones = _touched(heard)
    newest_first = list(touched_ones.items())[::-1]
    rows = sorted(newest_first, key=lambda row: min(map(_TELLING.index, row[1])))
    in_outputs = [(path, n) for path, n in _in_outputs(heard).most_common() if path not in touched_ones]
    rows += [(path, Counter({Verb.OUTPUT: n})) for path, n in in_outputs[:_MOST_IN_OUTPUTS]]
    entries = tuple(Entry(lines=(_line(path, counts),), rank=i) for i, (path, counts) in enumerate(rows))
    return entries, max(0, len(in_outputs) - _MOST_IN_OUTPUTS)


def _touched(heard: Heard) -> dict[str, Counter[Verb]]:
    """The paths in texts and calls, the newest call last."""
    seen: dict[str, Counter[Verb]] = {}
    for said in heard.said:
        for path in paths(said.text):
            seen.setdefault(path, Counter())[Verb.NAMED] += 1
    for use in heard.uses:
        for path, verb in touched(use):
            counts = seen.pop(path, None) or Counter()
            counts[verb] += 1
            seen[path] = counts
    return seen


def _in_outputs(heard: Heard) -> Counter[str]:
    found: Counter[str] = Counter()
    for use in heard.uses:
        if use.output:
            found.update(OUTPUT_PATHS.of(use.output))
    return found


def _line(path: str, counts: Counter[Verb]) -> str:
    return f"{path}: " + ", ".join(f"{verb} x{counts[verb]}" for verb in _TELLING if counts[verb])
