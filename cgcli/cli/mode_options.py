"""The options of `cg replay` that are about operating modes."""

from __future__ import annotations

from typing import Annotated

import typer

from cgcli.model import value

Modes = Annotated[
    str | None,
    typer.Option(
        "--mode",
        metavar="MODES",
        help="sync, observe, async: each policy in each of these, as sync,async.",
        show_default=False,
    ),
]
LatencyOf = Annotated[
    str | None,
    typer.Option(
        "--latency",
        metavar="TIME",
        help="Of a call to a model: constant:12s (default), or lognormal:12s,0.5.",
        show_default=False,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="Of lognormal. Default: 0.",
        show_default=False,
    ),
]
StepTime = Annotated[
    float | None,
    typer.Option(
        "--step-time",
        metavar="S",
        min=0,
        help="Seconds that a policy takes without its calls. Default: 0.025.",
        show_default=False,
    ),
]
MaxQueue = Annotated[
    int | None,
    typer.Option(
        "--max-queue",
        metavar="N",
        min=0,
        help="Jobs that may wait; further ones are dropped. Default: 256.",
        show_default=False,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        help="Jobs at once. Default: 1.",
        show_default=False,
    ),
]
Barren = Annotated[
    int | None,
    typer.Option(
        "--barren",
        metavar="N",
        min=1,
        help="A lane stops offering after so many jobs in a row that found nothing. Default: 3.",
        show_default=False,
    ),
]
MaxLanes = Annotated[
    int | None,
    typer.Option(
        "--max-lanes",
        metavar="N",
        min=1,
        help="Lanes that are followed; the least recently used makes room. Default: 1000.",
        show_default=False,
    ),
]
Stop = Annotated[
    float | None,
    typer.Option(
        "--stop",
        metavar="S",
        min=0,
        help="Seconds that jobs get after the last request. Default: 2.",
        show_default=False,
    ),
]
ProtectWord = Annotated[
    str | None,
    typer.Option(
        "--protect",
        metavar="SPAN",
        help="pending: what a pending job will replace is not cached; own: what this turn's job will. Default: a row "
        "for each.",
        show_default=False,
    ),
]
Strip = Annotated[
    bool,
    typer.Option(
        "--strip-caller-breakpoints",
        help="Take the caller's own breakpoints out of a protected span; else the turn is not deferred.",
    ),
]
CacheTail = Annotated[
    bool,
    typer.Option(
        "--cache-uncompacted-tail",
        help="Protect nothing.",
    ),
]
CacheMode = Annotated[
    str | None,
    typer.Option(
        "--cache-mode",
        metavar="WORD",
        help="on (default), or off: nothing is cached, so nothing is protected.",
        show_default=False,
    ),
]
Sweep = Annotated[
    bool,
    typer.Option(
        "--sweep",
        help="async again, its jobs taking 0.1, 0.5, 1 and 2 times the gap between two requests.",
    ),
]


@value
class Given:
    """The options as they were given; None and False: not given."""

    mode: str | None = None
    latency: str | None = None
    seed: int | None = None
    step_s: float | None = None
    max_queue: int | None = None
    workers: int | None = None
    barren: int | None = None
    max_lanes: int | None = None
    stop_s: float | None = None
    protect: str | None = None
    strip: bool = False
    cache_tail: bool = False
    cache_mode: str | None = None
    sweep: bool = False

    def options(self) -> dict[str, object]:
        """By the words of the command line, `--mode` not among them; None: not given."""
        return {
            "--latency": self.latency,
            "--seed": self.seed,
            "--step-time": self.step_s,
            "--max-queue": self.max_queue,
            "--workers": self.workers,
            "--stop": self.stop_s,
            "--barren": self.barren,
            "--max-lanes": self.max_lanes,
            "--protect": self.protect,
            "--strip-caller-breakpoints": self.strip or None,
            "--cache-uncompacted-tail": self.cache_tail or None,
            "--cache-mode": self.cache_mode,
            "--sweep": self.sweep or None,
        }
