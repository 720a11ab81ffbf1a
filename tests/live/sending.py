"""A client whose time a test decides, and the money it may spend."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.live.bound import Bound
from cgcli.live.client import Client, Timing
from cgcli.live.spending import Budget
from cgcli.pricing.rate import Rate
from tests.live.provider import KEY

if TYPE_CHECKING:
    from cgcli.live.spending import Spending

RATE = Rate(
    model="sonnet-4-6",
    fresh=Decimal(3),
    read=Decimal("0.30"),
    output=Decimal(15),
    write_by_ttl_s={300: Decimal("3.75"), 3600: Decimal(6)},
)
CENT = Bound(input_tokens=1000, output_tokens=1000, usd=Decimal("0.01"), rule="a cent")


class Clock:
    """A clock that a test moves; sleeping moves it at once, and is written down."""

    def __init__(self) -> None:
        """Midnight."""
        self.now_s = 0.0
        self.slept_s: list[float] = []

    def read(self) -> float:
        """The time."""
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept_s.append(seconds)
        self.now_s += seconds


def client(url: str, clock: Clock | None = None, *, key: str | None = KEY, **more: Any) -> Client:
    """A client that waits for nothing but *clock*; *more* are fields of `Timing`, and `betas`."""
    clock = clock or Clock()
    betas = more.pop("betas", ())
    return Client(url, key=key, timing=Timing(clock=clock.read, sleep=clock.sleep, **more), betas=betas)


def free() -> Spending:
    """Money without a ceiling."""
    return Budget().call(CENT, RATE)


def written(body: dict[str, Any]) -> bytes:
    """A body as bytes, with white space of its own."""
    return json.dumps(body, indent=1).encode()
