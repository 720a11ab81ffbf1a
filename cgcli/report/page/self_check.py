"""Whether the simulated cache agrees with what the provider recorded: one line, and the turns behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.figures import counted, number
from cgcli.report.page.elements import element, figure, folded, table
from cgcli.report.page.words import WHY, counts, percent, plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree.ElementTree import Element


def self_check(file: Mapping[str, Any]) -> Element:
    """The part of a file that holds "no change", simulated, against its recorded usage."""
    check = file["self_check"]
    return element(
        "section",
        element("h3", "Does the simulated cache agree with the recording?"),
        element("p", _badge(_verdict(check)), " ", _line(check)),
        _beside(check),
        folded(f"{counted(len(check['turns']), 'turn')} not exact", _turns(check)) if check["turns"] else None,
        class_="self-check",
    )


def _verdict(check: Mapping[str, Any]) -> str:
    if not check["compared"]:
        return "unknown"
    if check["unexplained"]:
        return "fail"
    return "pass"


def _badge(verdict: str) -> Element:
    words = {"pass": "agrees", "fail": "differs", "unknown": "not known"}
    return element("span", words[verdict], class_=f"badge {verdict}")


def _line(check: Mapping[str, Any]) -> str:
    if not check["compared"]:
        return "No turn of the file has what it takes to compare."
    share = check["error_share"]
    beside = "" if share is None else f", {percent(abs(share))} of the recorded"
    return (
        f"{number(check['exact'])} of {counted(check['compared'], 'compared turn')} exact. Read from the cache: "
        f"simulated {number(check['predicted_read_tokens'])}, recorded {number(check['recorded_read_tokens'])} tokens, "
        f"off by {number(check['error_tokens'])}{beside}."
    )


def _beside(check: Mapping[str, Any]) -> Element | None:
    """How the turns that are not exact are explained, and which turns were left out."""
    explained = sum(check["explained"].values())
    said = []
    if explained or check["provider_side"] or check["unexplained"]:
        reasons = f" ({counts(check['explained'])})" if explained else ""
        said.append(
            f"Those that are not: {number(explained)} explained{reasons}, "
            f"{number(check['provider_side'])} provider-side, {number(check['unexplained'])} unexplained."
        )
    if check["excluded"]:
        said.append(f"Left out: {counts(check['excluded'])}.")
    if check["assumed_marks"]:
        said.append("The history does not say where its requests were marked: each counts as marked at its end.")
    return element("p", " ".join(said), class_="quiet") if said else None


def _turns(check: Mapping[str, Any]) -> Element:
    head = ["line", "lane", "turn", "simulated read (tokens)", "recorded read (tokens)", "difference", "class", "why"]
    return table(
        head,
        [_turn(turn) for turn in check["turns"]],
        caption="Turns that are not exact",
        class_="figures",
    )


def _turn(turn: Mapping[str, Any]) -> list[Element | str]:
    difference = turn["predicted_read_tokens"] - turn["recorded_read_tokens"]
    why = turn["why"]
    return [
        *(figure(number(turn["line"])), turn["lane"], figure(number(turn["turn"]))),
        *(figure(number(turn["predicted_read_tokens"])), figure(number(turn["recorded_read_tokens"]))),
        figure(f"{difference:+,}" if difference else "0"),
        plain(turn["class"]),
        "" if why is None else WHY.get(why, plain(why)),
    ]
