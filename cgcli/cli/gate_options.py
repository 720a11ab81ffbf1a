"""What `cg check` was told for single gates: read once, whatever the number of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.run import Allowed
from cgcli.cli.opening import opened
from cgcli.cli.stashing import located
from cgcli.errors import UsageError
from cgcli.readers import open_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

AFTER_COMPACTION = "after-compaction"


def allowed(said: Sequence[str]) -> Allowed:
    """Where lanes may begin anew, by the values of `--allow-epoch`.

    Raises:
        UsageError: one is neither a turn nor `after-compaction`.
    """
    turns = [one for one in said if one != AFTER_COMPACTION]
    for one in turns:
        if not (one.isascii() and one.isdigit() and int(one) > 0):
            raise UsageError(
                f"--allow-epoch takes a turn or {AFTER_COMPACTION}, not {one!r}",
                hint=f"--allow-epoch 12, or --allow-epoch {AFTER_COMPACTION}",
            )
    return Allowed(epochs=frozenset(map(int, turns)), after_compaction=AFTER_COMPACTION in said)


def told(
    *,
    stash: Path | None,
    baseline: Path | None,
    against: Path | None,
    rates: Path | None,
    most_share: float | None,
    format_name: str | None,
) -> dict[str, object]:
    """What gates look up in their context; what was not given is not in it, a stash is where there is one.

    Raises:
        UsageError: the rates are no table of prices, or another version wrote the baseline.
        InputError: the baseline or the paired run cannot be read.
        StashError: the stash that `--stash` names is not there, or cannot be used.
    """
    known: dict[str, object] = {}
    where = located(stash)
    if stash is not None or where.path.is_dir():
        from cgcli.stash.store import Stash  # noqa: PLC0415 - only where there is a stash

        known["stash"] = Stash.open(where.path, create=False)
    if baseline is not None:
        from cgcli.checks import lock  # noqa: PLC0415 - only where there is a baseline

        with open_bytes(str(baseline)) as stream:
            known["baseline"] = lock.read(stream.read(), file=str(baseline))
    if against is not None:
        from cgcli.checks.forks import count_epochs  # noqa: PLC0415 - only where there is a paired run

        with opened(str(against), format_name) as capture:
            known["against"] = count_epochs(capture)
    if rates is not None:
        from cgcli.pricing.file import read_rates  # noqa: PLC0415 - only where there are rates

        known["rates"] = read_rates(rates)
    if most_share is not None:
        known["max_call_share"] = most_share
    return known
