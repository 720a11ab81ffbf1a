"""The part of one file: the answer, the table, the checks, the charts and every policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.figures import counted
from cgcli.report.page.elements import element, folded, table
from cgcli.report.page.headline import headline
from cgcli.report.page.modes import modes
from cgcli.report.page.policies import Around, policies
from cgcli.report.page.policy import policy
from cgcli.report.page.self_check import self_check
from cgcli.report.page.words import counts, plain
from cgcli.report.rebuilt import said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from xml.etree.ElementTree import Element


def file_part(file: Mapping[str, Any], *, name: str) -> Element:
    """The part of *file*; *name* is its place in the page, and its policies are `NAMEa0`, `NAMEa1`, ..."""
    arms = file["arms"]
    names = {arm["policy"]: f"{name}a{i}" for i, arm in enumerate(arms)}
    totals = {arm["policy"]: arm["totals"] for arm in arms}
    return element(
        "article",
        element("h2", file["file"]),
        element("p", _about(file), class_="quiet"),
        answer(totals, file["pareto"]),
        element(
            "section",
            element("h3", "Policies"),
            policies(
                totals,
                Around(
                    caption=f"Policies over {file['file']}",
                    tokens_bases=(file["tokens_basis"],),
                    pareto=tuple(file["pareto"]),
                    links=names,
                ),
            ),
        ),
        modes(file),
        self_check(file),
        _cumulative(arms, name=name) if len(arms) > 1 else None,
        _lanes(file),
        [policy(arm, name=names[arm["policy"]], is_pareto=arm["policy"] in file["pareto"]) for arm in arms],
        _basis(file),
        id=name,
        class_="file",
    )


def answer(totals: Mapping[str, Mapping[str, Any]], pareto: Sequence[str] | None) -> Element:
    """The answer in plain words."""
    said = headline(totals, pareto)
    points = element("ul", [element("li", point) for point in said.points]) if said.points else None
    return element("section", element("p", said.verdict, class_="verdict"), points, class_="answer")


def _about(file: Mapping[str, Any]) -> str:
    clock = file["clock"]
    time = "times of the file" if clock["kind"] == "file" else f"{clock['gap_s']:g} s between requests"
    said = [file["format"], counted(file["requests"], "request"), counted(len(file["lanes"]), "lane"), time]
    said += [f"cache of {file['provider']}"] if file["provider"] is not None else []
    return " \u00b7 ".join([*said, _prices(file["prices"])])


def _prices(prices: Mapping[str, Any]) -> str:
    return f"prices of {prices['as_of']}" if prices["as_of"] is not None else "prices of your own"


def _cumulative(arms: Sequence[Mapping[str, Any]], *, name: str) -> Element:
    names = [arm["policy"] for arm in arms]
    lines_of = [[turn["cumulative_usd"] for turn in arm["turns"]] for arm in arms]
    same_as = [names[lines_of.index(line)] for line in lines_of]
    label = f"Dollars over the session of {', '.join(names)}. The table below has the figures."
    ways = element(
        "fieldset",
        element("legend", "Show", class_="unseen"),
        _way(name, "difference", "difference from off", is_chosen=True),
        _way(name, "total", "total", is_chosen=False),
    )
    lines = [
        element(
            "label",
            element("input", type="checkbox", checked=True, data_arm=str(i)),
            element("span", class_=f"line-swatch line-{i % 8}", aria_hidden="true"),
            named if named == first else f"{named} (as {first})",
        )
        for i, (named, first) in enumerate(zip(names, same_as, strict=True))
    ]
    return element(
        "section",
        element("h3", "Dollars over the session"),
        element(
            "div", ways, element("fieldset", element("legend", "Policies", class_="unseen"), lines), class_="beside"
        ),
        element(
            "figure",
            element("figcaption", "Cumulative dollars after each request, simulated; below the line of off is cheaper"),
            element("div", element("canvas", label, role="img", aria_label=label), class_="chart cumulative"),
        ),
        folded("the same as a table", element("div", class_="cumulative-box"), class_="cumulative-table"),
        class_="cumulative-part",
    )


def _sentence(line: str) -> str:
    """*line* without the word that it begins with in a terminal."""
    return line.removeprefix("basis: ").capitalize()


def _way(file: str, name: str, said: str, *, is_chosen: bool) -> Element:
    chosen = element("input", type="radio", name=f"{file}-way", value=name, checked=is_chosen, class_="way")
    return element("label", chosen, f" {said}")


def _lanes(file: Mapping[str, Any]) -> Element:
    lanes = file["lanes"]
    rows = [[one["lane"], one["label"], one["model"], f"{one['requests']:,}", one["lines"]] for one in lanes]
    head = ["lane", "label", "model", "requests", "lines"]
    choices = [
        element("option", f"{one['lane']} ({one['label']}, {one['requests']:,})", value=one["lane"]) for one in lanes
    ]
    choice = element("select", element("option", "all lanes", value=""), choices, class_="lane")
    return element(
        "section",
        element("h3", "Turns under each policy"),
        element("div", element("label", "Lane ", choice), class_="beside") if len(lanes) > 1 else None,
        folded(counted(len(lanes), "lane"), table(head, rows, caption="Lanes of the file")),
    )


def _basis(file: Mapping[str, Any]) -> Element:
    """How each kind of figure is known."""
    clock, prices = file["clock"], file["prices"]
    missing = clock["requests_without_time"]
    without = f" {counted(missing, 'request')} without a time." if missing else ""
    times = (
        f"Those that the file records.{without}"
        if clock["kind"] == "file"
        else f"Assumed: {clock['gap_s']:g} s between requests.{without}"
    )
    as_of = f", as of {prices['as_of']}" if prices["as_of"] is not None else ""
    kinds = [
        ("Simulated", "What is read from the cache, written to it and fresh; hit rate; dollars; break-even."),
        ("Counted", "How often each thing was done, fetched again or cited."),
        (
            "Recorded",
            "Output tokens, and the reads that the self-check compares with. No sum mixes them with simulated ones.",
        ),
        ("Tokens", f"{file['tokens_basis']}."),
        ("Times", times),
        ("Prices", f"{prices['source']}{as_of}."),
        ("Expand tool", f"Added to requests: {file['expand_tool']}."),
    ]
    kinds += [("Requests", f"{_sentence(line)}.") for line in said(file["basis"])]
    kinds += [("Left out", f"{counts(file['passed_records'])}.")] if file["passed_records"] else []
    kinds += [
        ("Unusable", f"line {one['line']}: {plain(one['reason'])}{': ' if one['detail'] else ''}{one['detail']}")
        for one in file["skipped_records"]
    ]
    return element(
        "section",
        element("h3", "How the figures are known"),
        element("dl", [[element("dt", kind), element("dd", said)] for kind, said in kinds], class_="basis"),
    )
