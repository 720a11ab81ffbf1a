"""What was spent under `--live`, as it stands in documents and for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.billed import dollars, usd
from cgcli.report.figures import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.live.spending import Account


def spent(account: Account) -> dict[str, Any]:
    """An account; tokens and dollars are what the provider's usage says, at the known prices."""
    return {
        "usd": usd(account.usd),
        "usd_at_most": usd(account.usd_at_most),
        "max_usd": usd(account.max_usd),
        "answered": account.n_answered,
        "lost": account.n_lost,
        "refused": account.n_refused,
        "unpriced": account.n_unpriced,
        "over_bound": account.n_over_bound,
        "fresh_tokens": account.fresh_tokens,
        "read_tokens": account.read_tokens,
        "written_tokens": account.written_tokens,
        "output_tokens": account.output_tokens,
    }


def line(account: Mapping[str, Any]) -> str:
    """An account as `spent` gives it, in a line: `spent $0.0516 of at most $5.0000 for 3 answers, measured`."""
    most = f" of at most {dollars(account['max_usd'])}" if account["max_usd"] is not None else ""
    told = f"spent {dollars(account['usd'])}{most} for {counted(account['answered'], 'answer')}, measured"
    if account["lost"]:
        lost = counted(account["lost"], "request")
        told += f"; {lost} may have been billed too: {dollars(account['usd_at_most'])} in all at most"
    if account["unpriced"]:
        told += f"; {counted(account['unpriced'], 'answer')} unpriced"
    if account["refused"]:
        told += f"; {counted(account['refused'], 'request')} not sent, for the ceiling"
    if account["over_bound"]:
        told += f"; {counted(account['over_bound'], 'answer')} billed for more than was expected at most"
    return told
