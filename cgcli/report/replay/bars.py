"""One line a turn: what it read, wrote and had fresh, as a bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.dollars import priced
from cgcli.report.figures import number
from cgcli.report.replay.modes_text import turn_lines as mode_turns
from cgcli.report.safe import safe
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WIDTH = 32
_READ, _WRITE, _FRESH = "=", "+", "#"
LEGEND = f"{_READ} read  {_WRITE} written  {_FRESH} fresh"


def lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Every turn of every policy."""
    for file in report["files"]:
        most = max(
            (turn["input_tokens"] for arm in file["arms"] for turn in arm["turns"]),
            default=0,
        )
        for arm in file["arms"]:
            yield ""
            yield f"{safe(file['file'])}: {safe(arm['policy'])}   {LEGEND}"
            rows = [_row(turn, most) for turn in arm["turns"]]
            yield from table(["line", "lane", "turn", "input", "bar", "dollars", ""], rows, right=(0, 2, 3, 5))
        yield from mode_turns(file)


def _row(turn: Mapping[str, Any], most: int) -> list[str]:
    return [
        number(turn["line"]),
        turn["lane"],
        number(turn["turn"]),
        number(turn["input_tokens"]),
        bar(turn, most),
        priced(turn["usd"]),
        _remarks(turn),
    ]


def bar(turn: Mapping[str, Any], most: int) -> str:
    """The turn's input in characters, *most* tokens being a full bar; `?` where its cache is not simulated."""
    if turn["read_tokens"] is None:
        return "?" * _length(turn["input_tokens"], most)
    ends = 0
    drawn = ""
    for sign, name in ((_READ, "read_tokens"), (_WRITE, "write_tokens"), (_FRESH, "fresh_tokens")):
        ends += turn[name]
        drawn += sign * (_length(ends, most) - len(drawn))
    return drawn


def _length(tokens: int, most: int) -> int:
    return round(tokens * _WIDTH / most) if most else 0


def _remarks(turn: Mapping[str, Any]) -> str:
    told = [f"{name} {n}" for name, n in turn["fired"].items()]
    if turn["own_usd"] != "0":
        told.append(f"own calls {priced(turn['own_usd'])}")
    if turn["reset"]:
        told.append("reset")
    if turn["why"] is not None:
        told.append(turn["why"])
    return ", ".join(told)
