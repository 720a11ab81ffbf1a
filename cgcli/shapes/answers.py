"""What a summariser answers each call; the same question is asked once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.call import NATIVE
from cgcli.model import Refusal
from cgcli.summarisers.accepting import accept
from cgcli.summarisers.extractive.summariser import Extractive
from cgcli.summarisers.protocol import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.calls.call import Call
    from cgcli.model import Digest, Request
    from cgcli.select.selection import Selection
    from cgcli.summarisers.protocol import Summariser, Summary

_Span = tuple[str | None, int, "Digest"]
"""Model, first message, and the digest over all messages up to the span's end."""


class Answers:
    """Asks one summariser, and judges what it answers."""

    def __init__(self, summariser: Summariser) -> None:
        """Ask *summariser*."""
        self._summariser = summariser
        self._last: tuple[_Span, Summary | Refusal] | None = None

    @property
    def is_absent(self) -> bool:
        """There is no summariser, so no call of ours can be answered."""
        return self._summariser.name == "none"

    def to(self, call: Call, request: Request, selection: Selection, count: Callable[[str], int]) -> Summary | Refusal:
        """The answer to *call*, or why nothing of it can be used; *count* counts as the span was counted.

        `extractive` quotes the span, however it is asked: one answer serves every call from that span.
        """
        is_native = call.mode in NATIVE
        if is_native and isinstance(self._summariser, Extractive):
            return Refusal(reason="no_block", detail="only the provider itself can answer this call")
        task = Task(request=request, selection=selection, call=call)
        span = request.model, selection.start, request.states[selection.stop - 1]
        if isinstance(self._summariser, Extractive) and self._last is not None and self._last[0] == span:
            return self._last[1]
        answer = self._summariser.summarise(task)
        if not isinstance(answer, Refusal):
            answer = accept(answer, span_tokens=selection.tokens, count=count, needs_block=is_native)
        self._last = span, answer
        return answer
