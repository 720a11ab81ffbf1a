"""The operating modes of a replay as a person reads them in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.figures import number
from cgcli.report.replay.modes_columns import column, groups, job
from cgcli.report.replay.modes_rows import NOTHING, rows
from cgcli.report.replay.modes_sweep import lines as sweep_lines
from cgcli.report.safe import safe
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Mode = Mapping[str, Any]


def lines(file: Mapping[str, Any]) -> Iterator[str]:
    """The table of each policy, and what follows from it; nothing where no mode was asked for."""
    for policy, told in groups(file["modes"]).items():
        yield ""
        body = [[row.name, row.basis, *row.cells] for row in rows([one["table"] for one in told])]
        yield from table([safe(policy), "known", *(column(one) for one in told)], body, right=range(2, 2 + len(told)))
        yield from (f"{column(one)}: {line}" for one in told for line in one["said"])
    if file["modes"]:
        yield f"calls to a model: {file['modes'][0]['options']['latency']}, modelled; {_times(file)}"
    yield from sweep_lines(file["sweep"])


def _times(file: Mapping[str, Any]) -> str:
    """By which clock jobs land."""
    clock = file["clock"]
    if clock["kind"] == "file" and clock["requests_without_time"]:
        return "30 s from one request to the next where the file has no time (--clock SECONDS models another gap)"
    return "jobs land by the clock above"


def turn_lines(file: Mapping[str, Any]) -> Iterator[str]:
    """What each mode sent, turn by turn."""
    for policy, told in groups(file["modes"]).items():
        yield ""
        yield f"{safe(file['file'])}: {safe(policy)}, what each mode sent"
        head = ["line", "lane", "turn", *(name for one in told for name in _head(one))]
        body = [
            [number(turns[0]["line"]), turns[0]["lane"], number(turns[0]["turn"]), *_sent(told, turns)]
            for turns in zip(*(one["turns"] for one in told), strict=True)
        ]
        n_before = [len(_head(one)) for one in told]
        inputs = [3 + sum(n_before[:i]) for i in range(len(told))]
        yield from table(head, body, right=(0, 2, *inputs))


def _head(one: Mode) -> list[str]:
    return [f"{column(one)} input", "job"] if one["mode"] == "async" else [f"{column(one)} input"]


def _sent(told: Sequence[Mode], turns: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one, turn in zip(told, turns, strict=True):
        yield number(turn["input_tokens"])
        if one["mode"] == "async":
            realised = [f"realised {number(turn['realized_tokens'])}"] if turn["realized_tokens"] else []
            yield ", ".join([*job(turn), *realised]) or NOTHING
