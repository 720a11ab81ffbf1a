"""The options of a comparison: which request, which span, which shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cgcli.model import value

ASSUMED_TOKENS = 1000
"""The size of a summary that is not at hand."""
MOST_TOKENS = 1_000_000
"""Of such a summary: it is written down to be counted."""

LaneName = Annotated[
    str | None, typer.Option("--lane", metavar="LANE", help="Default: the longest main lane.", show_default=False)
]
Turn = Annotated[
    int | None,
    typer.Option(
        "--at",
        metavar="TURN",
        min=1,
        help="From 1, within the lane. Default: the last one that another follows.",
        show_default=False,
    ),
]
SpanTokens = Annotated[
    int | None, typer.Option("--span-tokens", metavar="N", min=1, help="Take so many tokens.", show_default=False)
]
SpanMessages = Annotated[
    int | None, typer.Option("--span-messages", metavar="N", min=1, help="Take so many messages.", show_default=False)
]
SpanFraction = Annotated[
    float | None,
    typer.Option(
        "--span-fraction", metavar="SHARE", help="Take this share of the tokens. Default: 0.5.", show_default=False
    ),
]
KeepFirst = Annotated[int, typer.Option("--keep-first", metavar="N", min=0, help="Messages that stay at the head.")]
KeepLast = Annotated[
    int | None,
    typer.Option(
        "--keep-last", metavar="N", min=0, help="Messages that stay at the tail. Default: 30 %.", show_default=False
    ),
]
SummariserModel = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="The summariser's model. Default: the parent's.", show_default=False),
]
SummaryTokens = Annotated[
    int,
    typer.Option(
        "--summary-tokens", metavar="N", min=1, max=MOST_TOKENS, help="A summary's size where none is at hand."
    ),
]
Platform = Annotated[
    str | None,
    typer.Option("--platform", metavar="NAME", help="Where the requests go: anthropic, bedrock, …", show_default=False),
]
RatesFile = Annotated[
    Path | None,
    typer.Option("--rates", metavar="FILE", help="Prices in JSON or TOML, before the table.", show_default=False),
]


@value
class Asked:
    """What was asked for on the command line."""

    file: str
    format_name: str | None = None
    lane: str | None = None
    at: int | None = None
    every: bool = False
    calls: tuple[str, ...] = ()
    span_tokens: int | None = None
    span_messages: int | None = None
    span_fraction: float | None = None
    keep_first: int = 1
    keep_last: int | None = None
    model: str | None = None
    summarizer: str | None = None
    summary_tokens: int = ASSUMED_TOKENS
    budget_tokens: int | None = None
    ask_at: float | None = None
    apply_at: float | None = None
    pause: bool = False
    platform: str | None = None
    require_reversible: bool = False
    rates: Path | None = None
