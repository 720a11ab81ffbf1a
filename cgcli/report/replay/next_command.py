"""What to run next."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.report.safe import pasted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def next_command(report: Mapping[str, Any]) -> Iterator[str]:
    """The command that follows from the report: write the cheapest policy's product, or look closer."""
    file = report["files"][0]
    priced = [arm for arm in file["arms"] if arm["totals"]["usd"] is not None]
    best = min(priced, key=lambda arm: Decimal(arm["totals"]["usd"]), default=None)
    name = pasted(file["file"])
    if best is None or best["policy"] == "off":
        yield f"next    cg replay {name} --turns --html replay.html"
    elif best["policy"].partition("@")[0] in ("fork", "standalone", "native"):
        call = best["policy"].partition("@")[0]
        yield f"next    cg compact {name} --policy summarize --call {call} -o compacted.jsonl"
    else:
        policy, _, held = best["policy"].partition("@")
        rule = f" --held {held}" if held else ""
        yield f"next    cg compact {name} --policy {pasted(policy)}{rule} -o compacted.jsonl"
