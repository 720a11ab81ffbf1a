"""The part of one policy: its figures, its chart, its turns, and what it dropped, refused and asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.dollars import priced
from cgcli.report.figures import counted, number
from cgcli.report.page.elements import element, figure, folded, table
from cgcli.report.page.policies import star
from cgcli.report.page.words import NOT_SIMULATED, counts, percent, plain, signed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from xml.etree.ElementTree import Element

_HELD = {
    "respect": "changes nothing that the provider holds",
    "pays": "changes what the provider holds where that pays",
    "ignore": "changes what the provider holds, whatever it costs",
}
_LEGEND = (
    ("read", "read from the cache"),
    ("write", "written to the cache"),
    ("fresh", "fresh"),
    ("unknown", "not simulated"),
    ("before", "before compaction"),
    ("fired", "something new was compacted"),
    ("reset", "it changed what the provider held"),
)
_MAYBE = ("unknown",)
"""In the legend only where a turn has it."""


def policy(arm: Mapping[str, Any], *, name: str, is_pareto: bool) -> Element:
    """The part of *arm*; *name* is its place in the page, which links and the script go by."""
    steps = " \u2192 ".join(arm["steps"]) or "no steps"
    call = f", asks for summaries by {arm['call']}" if arm["call"] is not None else ""
    how = f"{steps}. Held: {arm['held']}, {_HELD.get(arm['held'], 'by a rule of its own')}{call}."
    return element(
        "section",
        element("h3", arm["policy"], [" ", star("Pareto")] if is_pareto else None),
        element("p", how, class_="quiet"),
        [element("p", f"Warning: {warning}") for warning in arm["warnings"]],
        _tiles(arm),
        _chart(arm),
        _turns(arm),
        _regrets(arm),
        _gates(arm),
        _components(arm),
        _refusals(arm),
        _own_calls(arm),
        id=name,
        class_="policy",
    )


def _tiles(arm: Mapping[str, Any]) -> Element:
    of = arm["totals"]
    needed = of["refetches"] + of["cites"]
    tiles = [
        ("dollars, simulated", priced(of["usd"]), of["usd"] is None),
        ("against off", signed(of["off_difference_usd"]), of["off_difference_usd"] is None),
        ("hit rate, simulated", NOT_SIMULATED if of["hit_rate"] is None else percent(of["hit_rate"]), False),
        ("tokens removed, once each", number(of["removed_unique_tokens"]), False),
        ("needed later", counted(needed, "time"), False),
    ]
    shown = tiles if arm["policy"] != "off" else [tiles[0], tiles[2]]
    return element(
        "dl",
        [
            element("div", element("dt", label), element("dd", said, class_="state" if is_state else None))
            for label, said, is_state in shown
        ],
        class_="tiles",
    )


def _chart(arm: Mapping[str, Any]) -> Element:
    unknown = any(turn["not_simulated"] is not None for turn in arm["turns"])
    legend = [
        element("li", element("span", class_=f"swatch {key}", aria_hidden="true"), said)
        for key, said in _LEGEND
        if unknown or key not in _MAYBE
    ]
    label = (
        f"Input tokens of each request under {arm['policy']}: read, written, fresh. The list of turns has the figures."
    )
    return element(
        "figure",
        element("figcaption", "Input tokens of each request, simulated"),
        element("div", element("canvas", label, role="img", aria_label=label), class_="chart stacked"),
        element("ul", legend, class_="legend"),
    )


def _turns(arm: Mapping[str, Any]) -> Element:
    of = arm["totals"]
    said = f"{counted(len(arm['turns']), 'turn')}, {number(of['requests_changed'])} changed"
    unknown = sum(turn["not_simulated"] is not None for turn in arm["turns"])
    said += f", {number(unknown)} {NOT_SIMULATED}" if unknown else ""
    only = element("label", element("input", type="checkbox", class_="only-changed"), " only turns with something new")
    return folded(said, element("div", only, class_="beside"), element("div", class_="turns-box"), class_="turns")


def _regrets(arm: Mapping[str, Any]) -> Element | None:
    regrets = arm["regrets"]
    if not regrets:
        return None
    rows = [
        [
            {"refetch": "fetched again", "cite": "cited"}.get(one["kind"], plain(one["kind"])),
            one["component"],
            _place(one["dropped_line"], one["dropped_path"]),
            _place(one["needed_line"], one["needed_path"]),
            figure(number(one["tokens"])),
            element("td", element("q", one["evidence"]), class_="evidence"),
        ]
        for one in regrets
    ]
    head = ["how", "dropped by", "dropped in", "needed in", "tokens", "evidence"]
    return folded(
        f"{counted(len(regrets), 'drop')} that a later turn needed",
        table(head, rows, caption=f"What {arm['policy']} dropped and a later turn needed"),
        class_="regrets",
        is_open=True,
    )


def _place(line: int, path: str) -> Element:
    link = element("button", f"line {line}", type="button", class_="go", data_line=str(line))
    return element("td", link, " ", element("code", path))


def _gates(arm: Mapping[str, Any]) -> Element | None:
    gates = arm["gates"]
    if not gates:
        return None
    rows = [
        [
            element("td", element("span", one["verdict"], class_=f"badge {_verdict(one['verdict'])}")),
            element("td", element("code", one["gate"])),
            one["detail"],
        ]
        for one in gates
    ]
    failed = [one["gate"] for one in gates if one["verdict"] == "fail"]
    said = f"{counted(len(rows), 'gate')}, " + (f"failed: {', '.join(failed)}" if failed else "none failed")
    caption = f"Gates over what {arm['policy']} sends"
    return folded(said, table(["verdict", "gate", "detail"], rows, caption=caption), is_open=bool(failed))


def _verdict(verdict: str) -> str:
    return verdict if verdict in ("pass", "fail", "vacuous") else "unknown"


def _components(arm: Mapping[str, Any]) -> Element | None:
    if not arm["components"]:
        return None
    head = [
        "component",
        "fired (times)",
        "removed, once (tokens)",
        "removed, all turns (tokens)",
        "skipped",
        "reverted",
    ]
    rows = [
        [
            one["name"],
            *(figure(number(one[key])) for key in ("fired", "removed_unique_tokens", "removed_gross_tokens")),
            counts(one["skipped"]),
            counts(one["reverted"]),
        ]
        for one in arm["components"]
    ]
    caption = f"Components of {arm['policy']}"
    return folded(f"{counted(len(rows), 'component')}", table(head, rows, caption=caption, class_="figures"))


def _refusals(arm: Mapping[str, Any]) -> Element | None:
    refusals = arm["refusals"]
    if not refusals:
        return None
    rows = [[plain(one["reason"]), figure(number(one["times"])), one["detail"]] for one in refusals]
    said = counted(sum(one["times"] for one in refusals), "refusal")
    caption = f"What {arm['policy']} refused to do"
    return folded(said, table(["reason", "times", "detail"], rows, caption=caption))


_OWN_HEAD = ("line", "for", "call", "model", "read", "written", "fresh", "output (tokens)", "dollars", "known", "state")


def _own_calls(arm: Mapping[str, Any]) -> Element | None:
    calls = arm["own_calls"]
    if not calls:
        return None
    rows = [list(_own_call(one)) for one in calls]
    said = f"{counted(len(calls), 'model call')} of its own"
    caption = f"Model calls that {arm['policy']} makes itself"
    return folded(said, table(_OWN_HEAD, rows, caption=caption, class_="figures"))


def _own_call(one: Mapping[str, Any]) -> Iterable[Element | str]:
    yield figure(number(one["line"]))
    yield from (one["what"], one["mode"] or "", one["model"] or "")
    is_refused = one["refused"] is not None
    for key in ("read_tokens", "write_tokens", "fresh_tokens", "output_tokens"):
        yield figure("" if is_refused or one[key] is None else number(one[key]))
    yield figure("" if is_refused else priced(one["usd"]))
    yield "" if is_refused else one["basis"]
    yield f"refused: {plain(one['refused'])}" if is_refused else "made"
