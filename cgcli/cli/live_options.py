"""The options under which something leaves the machine, and the client that they make."""

from __future__ import annotations

import os
import time
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cgcli.errors import UsageError
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.live.client import Client
    from cgcli.live.spending import Budget

LiveUrl = Annotated[
    str | None,
    typer.Option(
        "--live",
        metavar="URL",
        help="Send calls to this provider. The key is read from the environment alone.",
        show_default=False,
    ),
]
MostUsd = Annotated[
    str | None,
    typer.Option(
        "--max-usd",
        metavar="USD",
        help="Spend no more: a request that may come to more is not sent.",
        show_default=False,
    ),
]
Timeout = Annotated[
    float | None, typer.Option("--timeout", metavar="S", help="For each answer. Default: 30.", show_default=False)
]
Retries = Annotated[
    int | None,
    typer.Option("--retries", metavar="N", min=0, help="After 429, 5xx and timeouts. Default: 2.", show_default=False),
]
Record = Annotated[
    Path | None,
    typer.Option(
        "--record", metavar="DIR", help="Keep each answer there, for --summarizer recorded:DIR.", show_default=False
    ),
]
Betas = Annotated[
    list[str] | None,
    typer.Option(
        "--beta",
        metavar="NAME",
        help="An anthropic-beta header that the saved requests need; may be given again.",
        show_default=False,
    ),
]
TIMEOUT_S = 30.0
RETRIES = 2


@value
class Live:
    """Where to send, and within what; checked."""

    url: str
    shown: str
    """The address without what may be a secret in it."""
    max_usd: Decimal | None = None
    timeout_s: float = TIMEOUT_S
    retries: int = RETRIES
    record: Path | None = None
    betas: tuple[str, ...] = ()


def asked(
    url: str | None,
    *,
    max_usd: str | None,
    timeout: float | None,
    retries: int | None,
    record: Path | None,
    betas: Sequence[str] | None,
) -> Live | None:
    """What was asked for; None where nothing is to be sent.

    Raises:
        UsageError: nothing may be sent to that address, an option is out of range, or one is given without `--live`.
    """
    if url is None:
        told = {"--max-usd": max_usd, "--timeout": timeout, "--retries": retries, "--record": record, "--beta": betas}
        name = next((name for name, said in told.items() if said not in (None, [])), None)
        if name is not None:
            raise UsageError(f"{name} says nothing without --live: nothing is sent", hint=f"--live URL {name} …")
        return None
    from cgcli.live.address import parse  # noqa: PLC0415 - only under --live

    if timeout is not None and not 0 < timeout < float("inf"):
        raise UsageError(f"--timeout is {timeout:g}, but must be seconds, above 0", hint="--timeout 30")
    return Live(
        url=url,
        shown=parse(url).shown(""),
        max_usd=_dollars(max_usd),
        timeout_s=timeout if timeout is not None else TIMEOUT_S,
        retries=retries if retries is not None else RETRIES,
        record=record,
        betas=tuple(betas or ()),
    )


def _dollars(most: str | None) -> Decimal | None:
    if most is None:
        return None
    try:
        amount = Decimal(most)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise UsageError(f"--max-usd is {most!r}, but must be dollars, 0 or more", hint="--max-usd 0.50")
    return amount


def client(live: Live, dialect: str) -> Client:
    """A client for requests of *dialect*, with the key of the environment.

    Raises:
        UsageError: what the environment holds cannot be a key.
    """
    from cgcli.live.client import Client, Timing  # noqa: PLC0415 - httpx, only under --live
    from cgcli.live.keys import key_of  # noqa: PLC0415

    timing = Timing(clock=time.monotonic, sleep=time.sleep, timeout_s=live.timeout_s, retries=live.retries)
    return Client(live.url, key=key_of(dialect, os.environ), timing=timing, betas=live.betas)


def budget(live: Live) -> Budget:
    """What may be spent."""
    from cgcli.live.spending import Budget  # noqa: PLC0415 - only under --live

    return Budget(live.max_usd)
