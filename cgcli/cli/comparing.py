"""Run a comparison as it was asked for on the command line; `cg diff-modes` and `cg probe` do."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import typer

from cgcli.cachesim.simulator import Simulator
from cgcli.calls.build import AUTO, resolve
from cgcli.calls.call import CallOptions
from cgcli.calls.when import APPLY_AT, ASK_AT, when
from cgcli.cli.live_answers import answers
from cgcli.cli.opening import anew_from
from cgcli.errors import ExitCode, InputError, UsageError
from cgcli.model import Refusal
from cgcli.pricing.table import default_prices
from cgcli.replay.survey import survey
from cgcli.report.shapes import document, fork_prefix
from cgcli.select.selection import SpanOptions
from cgcli.shapes.compare import Comparer, Wanted
from cgcli.shapes.targets import targets
from cgcli.shapes.walk import compared
from cgcli.summarisers.registry import named
from cgcli.tokens.ruler import Ruler
from cgcli.wire.strings import Style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.calls.call import CallMode
    from cgcli.cli.live_options import Live
    from cgcli.cli.span_options import Asked
    from cgcli.readers import Capture
    from cgcli.shapes.comparison import Comparison
    from cgcli.summarisers.protocol import Summariser


class Comparing:
    """One file, read twice: once for its lanes, once through the simulated cache."""

    def __init__(self, asked: Asked, live: Live | None = None) -> None:
        """Check all that was *asked* before anything is read; a provider answers where *live* says which.

        Raises:
            UsageError: a call mode, summariser, share or price is not usable.
        """
        if asked.every and asked.at is not None:
            raise UsageError("--at and --every exclude each other", hint="--every compares all turns of the lane")
        self._asked = asked
        self._modes, self._choice = _modes(asked.calls)
        self._span = SpanOptions(
            tokens=asked.span_tokens,
            messages=asked.span_messages,
            fraction=asked.span_fraction,
            keep_first=asked.keep_first,
            keep_last=asked.keep_last,
        )
        self.prices = default_prices()
        if asked.rates is not None:
            from cgcli.pricing.file import read_rates  # noqa: PLC0415 - only where there are rates

            self.prices = read_rates(asked.rates)
        self._live = answers(live, self.prices, summarizer=asked.summarizer)
        self._summariser: Summariser = self._live or named(asked.summarizer or "extractive")
        when(None, budget_tokens=asked.budget_tokens, ask_at=self._ask_at, apply_at=self._apply_at)
        self._capture: Capture | None = None

    @property
    def _ask_at(self) -> float:
        return self._asked.ask_at if self._asked.ask_at is not None else ASK_AT

    @property
    def _apply_at(self) -> float:
        return self._asked.apply_at if self._asked.apply_at is not None else APPLY_AT

    def comparisons(self) -> list[Comparison]:
        """Every comparison that was asked for.

        Raises:
            InputError: the file cannot be read, or has no request.
            UsageError: there is no such lane or turn.
        """
        asked = self._asked
        with self._live or nullcontext(), anew_from(asked.file, asked.format_name) as anew:
            self._capture = anew()
            self.found = survey(self._capture)
            if not self.found.n_requests:
                raise InputError("no request in the file", where=asked.file, hint="cg inspect tells what is in a file")
            wanted = targets(self.found, lane=asked.lane, at=asked.at, every=asked.every)
            again = anew()
            comparer = self._comparer(again)
            done = list(compared(again, wanted, Simulator(comparer.ruler), comparer))
        return sorted(done, key=lambda one: one.turn)

    def _comparer(self, capture: Capture) -> Comparer:
        asked = self._asked
        call = CallOptions(
            model=asked.model,
            pause=asked.pause,
            platform=asked.platform,
            require_reversible=asked.require_reversible,
            style=Style.GO if capture.reader.go_escapes else None,
        )
        thresholds = {
            model: when(model, budget_tokens=asked.budget_tokens, ask_at=self._ask_at, apply_at=self._apply_at)
            for model in self.found.rulers
        }
        wanted = Wanted(
            modes=self._modes,
            choice=self._choice,
            span=self._span,
            call=call,
            assumed_summary_tokens=asked.summary_tokens,
        )
        return Comparer(
            wanted,
            prices=self.prices,
            rulers=self.found.rulers,
            summariser=self._summariser,
            thresholds=thresholds,
        )

    def ruler(self, model: str | None) -> Ruler:
        """What the tokens of *model* were counted with."""
        return self.found.rulers.get(model) or Ruler(model)

    def report(self, found: Sequence[Comparison]) -> dict[str, Any]:
        """The document `cgcli/diff-modes/v1`."""
        assert self._capture is not None, "a report comes after the comparisons"  # noqa: S101
        asked = self._asked
        span = self._span
        told = {
            "lane": asked.lane,
            "at": asked.at,
            "every": asked.every,
            "calls": list(asked.calls),
            "span_tokens": span.tokens,
            "span_messages": span.messages,
            "span_fraction": span.fraction,
            "keep_first": span.keep_first,
            "keep_last": span.keep_last,
            "summarizer": self._summariser.name,
            "model": asked.model,
            "summary_tokens": asked.summary_tokens,
            "budget_tokens": asked.budget_tokens,
            "ask_at": self._ask_at,
            "apply_at": self._apply_at,
            "pause": asked.pause,
            "platform": asked.platform,
            "require_reversible": asked.require_reversible,
        }
        report = document(self._capture, self.found, found, self.prices, told=told)
        return report | {"live": self._live.report()} if self._live is not None else report


def _modes(said: Sequence[str]) -> tuple[tuple[CallMode, ...] | None, Any]:
    """The shapes that were named, and the choice whose account is kept: the first one, else `auto`."""
    choices = [resolve(word.strip()) for one in said for word in one.split(",") if word.strip()]
    if said and not choices:
        raise UsageError("--call names no mode", hint="--call fork, or --call standalone,fork")
    if not choices:
        return None, resolve(AUTO)
    return tuple(dict.fromkeys(mode for choice in choices for mode in choice.modes)), choices[0]


def differ(found: Sequence[Comparison]) -> None:
    """End with exit 3 where a shape is refused, or a fork is something else than its parent and one message.

    A turn of which nothing can be selected says nothing of the shapes; where no turn has a span, all are refused.
    """
    with_span = [one for one in found if not isinstance(one.selection, Refusal)]
    shapes = [shape for one in with_span for shape in one.shapes]
    if not with_span or any(shape.call is None or fork_prefix(shape) == "broken" for shape in shapes):
        raise typer.Exit(int(ExitCode.FAILED))
