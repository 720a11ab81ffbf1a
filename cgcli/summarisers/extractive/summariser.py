"""`extractive`: a summary without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.errors import UsageError
from cgcli.model import Basis, Refusal, changed, value
from cgcli.providers.models import lookup
from cgcli.summarisers.extractive.decisions import decisions
from cgcli.summarisers.extractive.figures import figures
from cgcli.summarisers.extractive.files import files
from cgcli.summarisers.extractive.fitting import Section, fitted
from cgcli.summarisers.extractive.heard import heard
from cgcli.summarisers.extractive.runs import commands, errors, runs
from cgcli.summarisers.extractive.shortening import shortened
from cgcli.summarisers.extractive.state import state
from cgcli.summarisers.extractive.task import task
from cgcli.summarisers.guarding import contained
from cgcli.summarisers.protocol import Summary
from cgcli.tokens.counter import counter

if TYPE_CHECKING:
    from cgcli.model import Request
    from cgcli.summarisers.protocol import Task, Wanted

MOST_TOKENS = 1200
OPENING = "Quoted by rule from the earlier conversation; lines behind > are tool output, xN is how often."
_MOST_OF_SPAN = 0.5
"""A summary that is not well below its span would not be worth the cache that it breaks."""


@value
class Extractive:
    """Quotes what a span says of its task, decisions, files, errors, commands and state; never a word of its own."""

    name: ClassVar[str] = "extractive"

    max_tokens: int = MOST_TOKENS
    """Counted."""

    def __post_init__(self) -> None:
        """Refuse a size that means nothing."""
        if self.max_tokens < 1:
            raise UsageError(f"extractive: max_tokens is {self.max_tokens}, and must be 1 or more")

    def summarise(self, task: Task) -> Summary | Refusal:
        """The summary of the selected messages; refused where they say nothing that it could quote, or too little.

        Of a tool output: its lines, as many as the call asks for.
        """
        if task.output is not None:
            return shortened_output(task, task.output, most_tokens=task.output.most_tokens)
        selection = task.selection
        most = min(self.max_tokens, int(selection.tokens * _MOST_OF_SPAN))
        text = extract(task.request, selection.start, selection.stop, most_tokens=most)
        if not text:
            return Refusal(reason="empty", detail=f"nothing to quote that fits into {most:,} tokens")
        return Summary(text=text, basis=Basis.SIMULATED)


def extract(request: Request, start: int, stop: int, *, most_tokens: int) -> str:
    """What messages `start:stop` of *request* say, in at most *most_tokens*; empty where nothing fits."""
    span = heard(request, start, stop)
    ran = runs(span)
    asked = task(span)
    stands = state(span)
    decided = decisions(span, (*asked, *stands))
    touched, n_beyond = files(span)
    sections = (
        Section(title="Task", rank=0, share=0.25, entries=asked),
        Section(title="Decisions and findings", rank=3, share=0.20, entries=decided),
        Section(title="Files", rank=5, share=0.11, entries=touched, n_beyond=n_beyond),
        Section(title="Errors", rank=2, share=0.16, entries=errors(ran)),
        Section(title="Commands", rank=4, share=0.12, entries=commands(ran)),
        Section(title="State", rank=1, share=0.12, entries=stands),
        Section(title="Figures", rank=6, share=0.04, entries=figures(span, (*asked, *decided, *stands))),
    )
    count = counter(lookup(request.model).encoding).count
    return fitted([_contained(section) for section in sections], opening=OPENING, most_tokens=most_tokens, count=count)


def shortened_output(task: Task, wanted: Wanted, *, most_tokens: int) -> Summary:
    """The lines of *wanted* that say most, in about *most_tokens*: what a model might answer, and none did."""
    count = counter(lookup(task.request.model).encoding).count
    return Summary(text=shortened(wanted.text, most_tokens=most_tokens, count=count), basis=Basis.SIMULATED)


def _contained(section: Section) -> Section:
    entries = (changed(entry, lines=tuple(map(contained, entry.lines))) for entry in section.entries)
    return changed(section, entries=tuple(entries))
