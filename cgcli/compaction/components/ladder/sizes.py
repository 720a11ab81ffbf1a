"""Counted tokens of what a request sends, before the ladder's own decisions."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cgcli.compaction.body import Body


class Sizes:
    """One request, message by message."""

    def __init__(self, body: Body) -> None:
        """See *body*; nothing is counted before it is asked for."""
        self._body = body

    @cached_property
    def head_tokens(self) -> int:
        """Of tools and system prompt, before compaction."""
        return sum(self._body.item_tokens(item) for item, _ in self._body.request.head())

    def messages(self, start: int, stop: int) -> int:
        """Of messages `start:stop`."""
        view, request = self._body.view, self._body.request
        whole = view.tokens_through(stop - 1) - view.tokens_through(start - 1)
        last = stop - 1
        saved = self.saved_in(request.starts[start], request.starts[last] + request.messages[last].size_bytes)
        return max(0, whole - saved)

    def saved_in(self, start: int, stop: int) -> int:
        """What earlier steps save in bytes `start:stop`."""
        taken = self._body.taken
        if not taken:
            return 0
        first, behind = bisect_left(taken, (start, start)), bisect_left(taken, (stop, stop))
        return self._saved_before[behind] - self._saved_before[first]

    @cached_property
    def _saved_before(self) -> list[int]:
        """`_saved_before[i]`: what the first *i* of the earlier steps' edits save together."""
        return list(accumulate(self._body.taken_tokens, initial=0))
