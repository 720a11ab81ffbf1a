"""The paths in tool outputs, each output looked at once: a later turn's span has those of the earlier turns again."""

from __future__ import annotations

from collections import Counter, OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING

from cgcli.summarisers.extractive.paths import paths

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_KEPT = 100_000
"""Different paths, those of each output counted apart; every output counts as one too."""


class OutputPaths:
    """How often each path stands in an output; of what was asked for last, the answers are kept, and not the texts."""

    def __init__(self, most_kept: int = MOST_KEPT) -> None:
        """Keep at most so many paths."""
        self._most = most_kept
        self._known: OrderedDict[bytes, Mapping[str, int]] = OrderedDict()
        self.n_kept = 0

    def of(self, output: str) -> Mapping[str, int]:
        """The paths with a slash in *output*, in the order in which they stand there first; not to be changed."""
        key = blake2b(output.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
            return found
        found = self._known[key] = Counter(paths(output, bare=False))
        self.n_kept += 1 + len(found)
        while self.n_kept > self._most:
            _, dropped = self._known.popitem(last=False)
            self.n_kept -= 1 + len(dropped)
        return found


OUTPUT_PATHS = OutputPaths()
"""Of the process: the answer depends on the text alone."""
