"""The options of `summarize`, and who answers its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.compaction.policy import Policy
    from cgcli.summarisers.protocol import Summariser

CallWord = Annotated[
    str | None,
    typer.Option(
        "--call",
        metavar="MODE",
        help="How summaries are asked for: standalone, fork, auto, native, native-threshold, native-on-demand.",
        show_default=False,
    ),
]
SummarizerName = Annotated[
    str | None,
    typer.Option(
        "--summarizer",
        metavar="NAME",
        help="Who answers: extractive (offline, the default), recorded:DIR, modelled:RATIO, none.",
        show_default=False,
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        min=1,
        help="What a request may have. Default: by the model's window.",
        show_default=False,
    ),
]
AskAt = Annotated[
    float | None,
    typer.Option(
        "--ask-at", metavar="SHARE", help="Of the budget: ask for a summary. Default: 0.6.", show_default=False
    ),
]
ApplyAt = Annotated[
    float | None,
    typer.Option("--apply-at", metavar="SHARE", help="Of the budget: apply it. Default: 0.92.", show_default=False),
]


def told(*, call: str | None, budget: int | None, ask_at: float | None, apply_at: float | None) -> Mapping[str, object]:
    """What was given of the parameters of `summarize`.

    Raises:
        UsageError: there is no such call mode; in a configuration file that is a warning.
    """
    if call is not None:
        from cgcli.calls.build import resolve  # noqa: PLC0415 - only where it is given

        resolve(call)
    given = {"call": call, "budget_tokens": budget, "ask_at": ask_at, "apply_at": apply_at}
    return {name: said for name, said in given.items() if said is not None}


def summariser(
    policy: Policy, name: str | None, given: Mapping[str, object], *, live: Summariser | None = None
) -> Summariser | None:
    """Who answers the calls of *policy*: *live* where it is given; None where the policy has none.

    Raises:
        UsageError: there is no such summariser, or options are *given* for a step that the policy does not have.
    """
    from cgcli.compaction.extraction import is_asking  # noqa: PLC0415 - imported when the command runs

    asks = any(is_asking(component) for component in policy.components)
    if policy.span_step is None and (given or not asks):
        if name is not None or given or live is not None:
            raise UsageError(
                f"policy {policy.name} summarises nothing", hint="--policy summarize, or --pipeline …,summarize"
            )
        return None
    if live is not None:
        return live
    from cgcli.summarisers.registry import named  # noqa: PLC0415 - only where it is needed

    return named(name or "extractive")
