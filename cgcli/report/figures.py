"""Numbers as people read them, and token sums with their basis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Basis, value
from cgcli.providers.models import lookup
from cgcli.tokens import fit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.replay.ledger import Row

_KIB = 1024


@value
class Ruler:
    """How counted tokens become a figure: times a factor that is documented, or fitted to the file's own usage."""

    model: str | None
    encoding: str
    factor: float
    basis: Basis
    is_fitted: bool
    n_fitted: int = 0
    """How many requests with recorded usage the factor was fitted to."""

    def tokens(self, counted: int) -> int:
        """*counted* tokens of the encoding as this model's."""
        return round(counted * self.factor)

    def __str__(self) -> str:
        """The basis, for a person."""
        if self.is_fitted:
            return f"estimated: {self.encoding} x {self.factor:.3f}, fitted to the usage of {self.n_fitted} requests"
        times = "" if self.factor == 1 else f" x {self.factor:.2f}"
        return f"{self.basis}: {self.encoding}{times}"


def rulers(rows: Iterable[Row]) -> dict[str | None, Ruler]:
    """One ruler for each model of *rows*; only an estimate is fitted, an exact count stays."""
    by_model: dict[str | None, list[tuple[int, int]]] = {}
    for row in rows:
        pairs = by_model.setdefault(row.model, [])
        if row.recorded_input_tokens is not None:
            pairs.append((row.before_tokens, row.recorded_input_tokens))
    found = {}
    for model, pairs in by_model.items():
        facts = lookup(model)
        fitted = fit(pairs) if facts.basis is Basis.ESTIMATED else None
        found[model] = Ruler(
            model=model,
            encoding=facts.encoding,
            factor=float(facts.factor) if fitted is None else fitted,
            basis=facts.basis,
            is_fitted=fitted is not None,
            n_fitted=len(pairs) if fitted is not None else 0,
        )
    return found


def number(n: int) -> str:
    """*n* with thousands separated."""
    return f"{n:,}"


def counted(n: int, what: str) -> str:
    """*n* of *what*, with a plural s where it takes one."""
    return f"{number(n)} {what}{'' if n == 1 else 's'}"


def size(n_bytes: int) -> str:
    """*n_bytes* in the unit that fits."""
    if n_bytes < _KIB:
        return f"{n_bytes} bytes"
    scaled = float(n_bytes)
    unit = "bytes"
    for unit in ("KB", "MB", "GB", "TB"):  # noqa: B007 - the unit that the loop ends at is used
        scaled /= _KIB
        if scaled < _KIB:
            break
    return f"{scaled:.1f} {unit}"


def change(before: int, after: int) -> str:
    """The relative change, signed, with one decimal."""
    if before == 0:
        return "0.0 %"
    percent = (after - before) * 100 / before
    return f"{percent:+.1f} %" if abs(percent) >= 0.05 else "0.0 %"  # noqa: PLR2004 - what rounds to nothing
