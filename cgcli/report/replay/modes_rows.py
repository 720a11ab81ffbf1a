"""The rows of the table of modes as a person reads them, for the terminal and the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from cgcli.model import value
from cgcli.report.dollars import priced
from cgcli.report.figures import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Column = Mapping[str, Any]

NOTHING = "-"
_Basis = Literal["modelled", "enforced", "projected", "simulated", "recorded", "counted"]


@value
class Row:
    """One figure in every mode; `-` where it does not apply."""

    name: str
    basis: str
    """How it is known."""
    cells: tuple[str, ...]


def rows(columns: Sequence[Column]) -> Iterator[Row]:
    """The rows of *columns*, each a table's figures; one that applies to none of them is left out."""
    for name, basis, written in _ROWS:
        cells = tuple(written(column) for column in columns)
        if any(cell != NOTHING for cell in cells):
            yield Row(name=name, basis=basis, cells=cells)


def _plain(key: str) -> Callable[[Column], str]:
    return lambda column: number(column[key]) if column[key] is not None else NOTHING


def _ms(key: str) -> Callable[[Column], str]:
    return lambda column: f"{column[key]:,.1f} ms" if column[key] is not None else NOTHING


def _saved(kind: Literal["enforced", "projected"]) -> Callable[[Column], str]:
    def written(column: Column) -> str:
        tokens = column[f"{kind}_saved_tokens"]
        return NOTHING if tokens is None else f"{number(tokens)} ({column[f'{kind}_savings_share']:.2%})"

    return written


def _part(part: str, whole: str) -> Callable[[Column], str]:
    def written(column: Column) -> str:
        return NOTHING if column[part] is None else f"{number(column[part])} of {number(column[whole])}"

    return written


def _own(column: Column) -> str:
    return f"{priced(column['own_usd'])} ({number(column['own_calls'])})" if column["own_calls"] else "$0"


def _own_write(column: Column) -> str:
    written = column["own_write_tokens"]
    return number(written) if column["own_calls"] and written is not None else NOTHING


_ROWS: tuple[tuple[str, _Basis, Callable[[Column], str]], ...] = (
    ("added latency per request", "modelled", _ms("added_ms_per_request")),
    ("added latency per request", "projected", _ms("projected_added_ms_per_request")),
    ("content savings, tokens", "enforced", _saved("enforced")),
    ("content savings, tokens", "projected", _saved("projected")),
    ("copies compacted", "projected", _plain("copies")),
    ("cache read", "simulated", _plain("read_tokens")),
    ("cache write", "simulated", _plain("write_tokens")),
    ("cache write per million read", "simulated", _plain("write_per_million_read")),
    (
        "cache hit rate",
        "simulated",
        lambda column: f"{column['hit_rate']:.2%}" if column["hit_rate"] is not None else NOTHING,
    ),
    ("fresh input", "simulated", _plain("fresh_tokens")),
    ("output", "recorded", _plain("output_tokens")),
    ("billed cost", "simulated", lambda column: priced(column["billed_usd"])),
    ("own model cost (calls)", "simulated", _own),
    ("cache write of own calls", "simulated", _own_write),
    (
        "off-path time",
        "modelled",
        lambda column: f"{column['off_path_ms'] / 1000:,.1f} s" if column["off_path_ms"] is not None else NOTHING,
    ),
    ("jobs committed", "counted", _part("jobs_committed", "jobs_queued")),
    ("saved tokens realised", "enforced", _part("realized_saved_tokens", "enforced_saved_tokens")),
    ("queue dropped", "counted", _plain("queue_dropped")),
    ("stale, thrown away", "counted", _plain("queue_stale")),
    ("breakpoints per request", "counted", lambda column: f"{column['breakpoints_per_request']:.2f}"),
    ("turns protected", "counted", _plain("protected_turns")),
    ("of them, job later committed", "counted", _part("protected_committed_turns", "protected_turns")),
    ("turns unprotected", "counted", _plain("unprotected_turns")),
    ("written tails rewritten", "counted", _plain("rewritten_turns")),
)
