"""`modelled:RATIO`: a stand-in for a model that keeps a given share of what it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.errors import UsageError
from cgcli.model import Basis, Refusal, value
from cgcli.summarisers.extractive.summariser import extract, shortened_output
from cgcli.summarisers.protocol import Summary

if TYPE_CHECKING:
    from cgcli.summarisers.protocol import Task


@value
class Modelled:
    """Answers by rule with a share of the tokens, whatever the call asks for: to see what a ratio would come to.

    Of a tool output the lines that say most stay; of messages, what `extractive` quotes. All of it is simulated.
    """

    name: ClassVar[str] = "modelled"

    ratio: float
    """Of the counted tokens that are shown; above 0, below 1."""

    def __post_init__(self) -> None:
        """Refuse a ratio that means nothing."""
        if not 0 < self.ratio < 1:
            raise UsageError(
                f"modelled: the ratio is {self.ratio:g}, and must be above 0 and below 1",
                hint="write modelled:RATIO, as modelled:0.25",
            )

    def summarise(self, task: Task) -> Summary | Refusal:
        """The share; refused where messages say nothing that fits into it."""
        if task.output is not None:
            return shortened_output(task, task.output, most_tokens=int(task.output.tokens * self.ratio))
        selection = task.selection
        most = int(selection.tokens * self.ratio)
        text = extract(task.request, selection.start, selection.stop, most_tokens=most)
        if not text:
            return Refusal(reason="empty", detail=f"nothing to quote that fits into {most:,} tokens")
        return Summary(text=text, basis=Basis.SIMULATED)
