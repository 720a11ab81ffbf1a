"""The operating modes of a file: a table for each policy, what follows from it, its counters, and every turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.figures import counted
from cgcli.report.page.elements import element, figure, folded, table
from cgcli.report.replay.modes_columns import column, groups, job
from cgcli.report.replay.modes_rows import NOTHING, rows
from cgcli.report.replay.modes_sweep import HEAD, cells, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from xml.etree.ElementTree import Element

    Mode = Mapping[str, Any]


def modes(file: Mapping[str, Any]) -> Element | None:
    """The part about modes; None where none was asked for. Its turns are drawn by the script from `packed_modes`."""
    if not file["modes"]:
        return None
    found = groups(file["modes"])
    about = file["modes"][0]["options"]
    return element(
        "section",
        element("h3", "Operating modes"),
        element(
            "p",
            "The same requests, each policy before them (sync), beside them (observe), or behind a queue (async). "
            f"A call to a model takes {about['latency']}; times are modelled.",
            class_="quiet",
        ),
        [_policy(policy, told, i) for i, (policy, told) in enumerate(found.items())],
        _sweep(file["sweep"]),
        class_="modes-part",
    )


def packed_modes(file: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    """What the script draws turns from: of each policy its modes, each with the number of its arm in the file."""
    arms = {arm["policy"]: i for i, arm in enumerate(file["arms"])}
    return [
        [
            {
                "arm": arms[one["label"]],
                "name": column(one),
                "is_async": one["mode"] == "async",
                "breakpoints": [turn["breakpoints"] for turn in one["turns"]],
                "job": [", ".join(job(turn)) for turn in one["turns"]],
            }
            for one in told
        ]
        for told in groups(file["modes"]).values()
    ]


def _policy(policy: str, told: Sequence[Mode], i: int) -> Element:
    figures: list[list[Element | str]] = [
        [row.name, row.basis, *(_cell(cell) for cell in row.cells)] for row in rows([one["table"] for one in told])
    ]
    n_turns = counted(len(told[0]["turns"]), "turn")
    return element(
        "div",
        element("h4", policy),
        table(
            ["", "known", *(column(one) for one in told)],
            figures,
            caption=f"Operating modes of {policy}",
            class_="figures",
        ),
        element("ul", [element("li", f"{column(one)}: {line}") for one in told for line in one["said"]]),
        _counters(policy, told),
        folded(
            f"{n_turns}, as each mode sent them",
            element("div", class_="mode-turns-box", data_group=str(i)),
            class_="mode-turns",
        ),
    )


def _cell(text: str) -> Element:
    return element("td", text, class_="figure state") if text == NOTHING else figure(text)


def _counters(policy: str, told: Sequence[Mode]) -> Element:
    """Every counter of each mode, by its name in documents."""
    each = [dict(_flat(one["counters"])) for one in told]
    names = dict.fromkeys(name for one in each for name in one)
    body = [[element("code", name), *(figure(one.get(name, "")) for one in each)] for name in names]
    head = ["counter", *(column(one) for one in told)]
    said = counted(len(names), "counter")
    return folded(said, table(head, body, caption=f"Counters of {policy}", class_="figures"))


def _flat(counters: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for name, given in counters.items():
        if isinstance(given, dict):
            yield from _flat(given, f"{path}{name}.")
        elif isinstance(given, int):
            yield f"{path}{name}", f"{given:,}"
        elif isinstance(given, float):
            yield f"{path}{name}", f"{given:,.2f}"
        elif given is not None:
            yield f"{path}{name}", str(given)


def _sweep(told: Mapping[str, Any] | None) -> Element | None:
    if told is None:
        return None
    said = title(told)
    said = f"{said[0].upper()}{said[1:]}"
    if not told["rows"]:
        return element("p", f"{said}.")
    body: list[list[Element | str]] = [
        [name, *(_cell(cell) for cell in rest)] for name, *rest in map(cells, told["rows"])
    ]
    return element(
        "div",
        element("h4", said),
        table(list(HEAD), body, caption="Job time over the gap between requests", class_="figures"),
    )
