"""How long a call to a model takes: given, or drawn from a seeded distribution, the same for the same call."""

from __future__ import annotations

import math
from hashlib import sha256
from statistics import NormalDist
from typing import TYPE_CHECKING

from cgcli.errors import UsageError
from cgcli.model import value

if TYPE_CHECKING:
    from cgcli.model import Digest

_HINT = "write constant:12s, or lognormal:12s,0.5 (median, and sigma of the logarithm)"
_STANDARD = NormalDist()
_BITS = 53


@value
class Latency:
    """Seconds of one call: `median_s` times e to the power of a normal deviate of `sigma`; 0 for a constant."""

    median_s: float = 12.0
    sigma: float = 0.0
    seed: int = 0

    def of(self, call: Digest) -> float:
        """The seconds that the call of that body takes, in whichever mode it is made."""
        if not self.sigma:
            return self.median_s
        drawn = int.from_bytes(sha256(b"%d:" % self.seed + call).digest()[:8], "big") >> (64 - _BITS)
        return self.median_s * math.exp(self.sigma * _STANDARD.inv_cdf((drawn + 0.5) / (1 << _BITS)))

    def times(self, factor: float) -> Latency:
        """The same, *factor* times as long."""
        return Latency(median_s=self.median_s * factor, sigma=self.sigma, seed=self.seed)

    def __str__(self) -> str:
        """As it is written on the command line."""
        return f"lognormal:{self.median_s:g}s,{self.sigma:g}" if self.sigma else f"constant:{self.median_s:g}s"


def latency(told: str, *, seed: int = 0) -> Latency:
    """The distribution that *told* names.

    Raises:
        UsageError: it is none.

    >>> str(latency("constant:12s")), str(latency("lognormal:8,0.5"))
    ('constant:12s', 'lognormal:8s,0.5')
    """
    kind, _, rest = told.partition(":")
    try:
        if kind == "constant":
            return Latency(median_s=_seconds(rest), seed=seed)
        if kind == "lognormal":
            median, _, sigma = rest.partition(",")
            return Latency(median_s=_seconds(median), sigma=_seconds(sigma), seed=seed)
    except ValueError:
        pass
    raise UsageError(f"no latency is {told!r}", hint=_HINT)


def _seconds(told: str) -> float:
    found = float(told.strip().removesuffix("s"))
    if not 0 <= found < math.inf:
        raise ValueError(told)
    return found
