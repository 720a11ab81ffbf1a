"""A replay as a person reads it in a terminal."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.report.dollars import dollars, priced
from cgcli.report.figures import counted, number
from cgcli.report.rebuilt import said
from cgcli.report.replay.checked_text import lines as checked_lines
from cgcli.report.replay.modes_rows import NOTHING
from cgcli.report.replay.modes_text import lines as mode_lines
from cgcli.report.replay.next_command import Again, next_command
from cgcli.report.replay.remarks import lines as remarks
from cgcli.report.replay.unknown import lines as unknown_lines
from cgcli.report.safe import safe
from cgcli.report.skipped import unusable
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_NO_OPTIONS = Again()
"""No option was given."""


def lines(report: Mapping[str, Any], again: Again = _NO_OPTIONS) -> Iterator[str]:
    """The whole report; *again*: the options that were given, for the next command."""
    for i, file in enumerate(report["files"]):
        if i:
            yield ""
        yield from _file(file)
    if report["total"] is not None:
        yield ""
        yield f"all {counted(len(report['files']), 'file')}"
        rows = [(name, sums) for name, sums in report["total"].items()]
        yield from _costs(rows, ())
        yield ""
        yield from _contents(rows)
    if report["files"]:
        yield ""
        yield report["notes"][0]
        yield report["notes"][1]
        yield from next_command(report, again)


def _file(file: Mapping[str, Any]) -> Iterator[str]:
    lanes = counted(len(file["lanes"]), "lane")
    yield f"{safe(file['file'])}: {file['format']}, {counted(file['requests'], 'request')} in {lanes}"
    yield from said(file["basis"])
    yield f"tokens: {safe(file['tokens_basis'])}"
    yield f"prices: {_prices(file)}; clock: {_clock(file)}"
    yield from unusable(file["skipped_records"])
    yield from checked_lines(file)
    yield ""
    rows = [(arm["policy"], arm["totals"]) for arm in file["arms"]]
    yield from _costs(rows, file["pareto"])
    yield from unknown_lines(file)
    yield ""
    yield from _contents(rows)
    yield from remarks(file["arms"])
    yield from mode_lines(file)


def _prices(file: Mapping[str, Any]) -> str:
    prices = file["prices"]
    return f"of {prices['as_of']}" if prices["as_of"] else f"from {safe(prices['source'])}"


def _clock(file: Mapping[str, Any]) -> str:
    clock = file["clock"]
    if clock["kind"] == "gap":
        return f"one request every {clock['gap_s']:g} s, modelled"
    without = clock["requests_without_time"]
    if not without:
        return "the file's own times"
    if without == file["requests"]:
        return "no times in the file, so nothing expires (--clock SECONDS models them)"
    return f"the file's own times; {counted(without, 'request')} without one"


def _costs(rows: Sequence[tuple[str, Mapping[str, Any]]], pareto: Sequence[str]) -> list[str]:
    head = ["policy", "fired", "resets", "read", "write", "fresh", "hit", "own calls", "dollars", "against off", "pays"]
    is_choice = len(pareto) < len(rows) and any(one["requests_changed"] or one["own_calls"] for _, one in rows)
    body = [
        [
            f"{safe(name)} *" if name in pareto and is_choice else safe(name),
            number(one["fired"]),
            number(one["epochs_reset"]),
            *(number(one[key]) if one["simulated_requests"] else NOTHING for key in _CACHE),
            f"{one['hit_rate']:.1%}" if one["hit_rate"] is not None else NOTHING,
            _own(one),
            priced(one["usd"]),
            _difference(one),
            _pays(one),
        ]
        for name, one in rows
    ]
    found = table(head, body, right=range(1, 10))
    if pareto and is_choice:
        found.append("* no other policy beats it in both dollars and regret")
    return found


_CACHE = ("read_tokens", "write_tokens", "fresh_tokens")


def _own(one: Mapping[str, Any]) -> str:
    if not one["own_calls"]:
        return NOTHING
    return f"{one['own_calls']}: {priced(one['own_usd'])}"


def _difference(one: Mapping[str, Any]) -> str:
    if one["off_difference_usd"] is None or one["usd"] is None:
        return NOTHING
    amount = Decimal(one["off_difference_usd"])
    off = Decimal(one["usd"]) - amount
    if not amount:
        return "$0"
    share = f" ({float(amount / off):+.1%})" if off else ""
    return f"{'+' if amount > 0 else ''}{dollars(amount)}{share}"


def _pays(one: Mapping[str, Any]) -> str:
    """The break-even in a few words."""
    found, turns = one["break_even"], one.get("break_even_turns")
    if not isinstance(found, str):
        return ", ".join(f"{n} {_PAYS[each]}" for each, n in found.items() if each != "nothing_changed") or NOTHING
    if found == "reached" and turns is not None:
        return f"after {counted(turns, 'turn')}"
    if found == "not_reached":
        return f"not yet: {counted(turns, 'turn')} more" if turns is not None else "never, as it goes"
    return _PAYS[found]


_PAYS = {
    "nothing_changed": NOTHING,
    "never_behind": "at once",
    "reached": "in the end",
    "not_reached": "not yet",
    "unpriced": "unpriced",
}


def _contents(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    head = ["policy", "changed", "taken out once", "in all requests", "irreversible", "refetched", "cited", "regret"]
    body = [
        [
            safe(name),
            f"{number(one['requests_changed'])} of {number(one['requests'])}",
            number(one["removed_unique_tokens"]),
            number(one["removed_gross_tokens"]),
            number(one["irreversible"]),
            number(one["refetches"]),
            number(one["cites"]),
            number(one["regret_tokens"]),
        ]
        for name, one in rows
    ]
    return table(head, body, right=range(1, 8))
