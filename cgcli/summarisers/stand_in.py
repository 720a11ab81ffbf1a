"""What stands for a provider's own summary where that is not at hand: a block of a size, to be counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from cgcli.calls.call import NATIVE, CallMode
from cgcli.model import Refusal, changed
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from cgcli.summarisers.protocol import Summariser, Summary, Task

STAND_IN = "(the provider's summary stands here)"
"""In a block that is only counted."""


class Native:
    """Answers the provider's part too: with a block of the size of the summary that *answering* makes of the span.

    For figures alone: no provider takes such a block.
    """

    name: ClassVar[str] = "simulated"

    def __init__(self, answering: Summariser) -> None:
        """Every other call is answered by *answering*."""
        self._answering = answering

    def summarise(self, task: Task) -> Summary | Refusal:
        """The summary that *task* wants."""
        answer = self._answering.summarise(task)
        if task.call.mode not in NATIVE or isinstance(answer, Refusal) or answer.block is not None:
            return answer
        ruler = Ruler(task.request.model)
        block = stand_in(
            task.request.dialect,
            ruler.tokens(ruler.count(answer.text)),
            ruler,
            on_demand=task.call.mode is CallMode.NATIVE_ON_DEMAND,
        )
        return changed(answer, block=block)


def stand_in(dialect: str, tokens: int, ruler: Ruler, *, on_demand: bool = False) -> bytes:
    """A compaction block of about so many tokens: to be counted, never to be sent.

    Anthropic signs one that was asked for *on_demand*, and that is how later calls tell the two kinds apart.
    """
    name = "content" if dialect == "anthropic" else "encrypted_content"
    seal = {"signature": STAND_IN} if on_demand and dialect == "anthropic" else {}
    return json.dumps({"type": "compaction", name: filler(tokens, ruler), **seal}).encode()


def filler(tokens: int, ruler: Ruler) -> str:
    """A text of about *tokens* for the model."""
    each = max(1, ruler.count(STAND_IN + " "))
    return " ".join([STAND_IN] * max(1, round(tokens / max(ruler.factor, 0.01) / each)))
