"""The table of policies: one a row, every figure with its unit and how it is known."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from cgcli.model import value
from cgcli.report.figures import number
from cgcli.report.page.elements import element, scrolling
from cgcli.report.page.words import NOT_RECORDED, NOT_SIMULATED, break_even, decimals, percent, signed_to, usd_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from xml.etree.ElementTree import Element

_Group = Literal["Dollars", "Cache", "What it did", "Needed later", "Recording"]
_BASIS: Mapping[_Group, str] = MappingProxyType(
    {
        "Dollars": "simulated",
        "Cache": "simulated",
        "What it did": "counted",
        "Needed later": "counted",
        "Recording": "recorded",
    }
)
_COUNTED = "counted"
_LONG_NAME = 24
"""Characters of a policy's name, from which on it may be broken."""


@value
class _Column:
    """A figure of `totals`."""

    key: str
    name: str
    group: _Group
    unit: str
    kind: Literal["number", "simulated", "recorded", "dollars", "difference", "share", "break_even"] = "number"
    is_more: bool = False
    """Shown only where all columns are asked for, and on paper."""


_COLUMNS = (
    _Column(key="usd", name="all", unit="$", group="Dollars", kind="dollars"),
    _Column(key="off_difference_usd", name="against off", unit="$", group="Dollars", kind="difference"),
    _Column(key="break_even_turns", name="break-even", unit="turns", group="Dollars", kind="break_even"),
    _Column(key="own_usd", name="own calls", unit="$", group="Dollars", kind="dollars", is_more=True),
    _Column(key="hit_rate", name="hit rate", unit="read / sent", group="Cache", kind="share"),
    _Column(key="epochs_reset", name="resets", unit="times", group="Cache"),
    _Column(key="read_tokens", name="read", unit="tokens", group="Cache", kind="simulated", is_more=True),
    _Column(key="write_tokens", name="written", unit="tokens", group="Cache", kind="simulated", is_more=True),
    _Column(key="fresh_tokens", name="fresh", unit="tokens", group="Cache", kind="simulated", is_more=True),
    _Column(key="requests_changed", name="changed", unit="requests", group="What it did"),
    _Column(key="removed_unique_tokens", name="removed, once", unit="tokens", group="What it did"),
    _Column(key="irreversible", name="irreversible", unit="drops", group="What it did"),
    _Column(key="removed_gross_tokens", name="removed, all turns", unit="tokens", group="What it did", is_more=True),
    _Column(key="input_tokens", name="sent", unit="tokens", group="What it did", is_more=True),
    _Column(key="fired", name="fired", unit="times", group="What it did", is_more=True),
    _Column(key="own_calls", name="own calls", unit="calls", group="What it did", is_more=True),
    _Column(key="refetches", name="fetched again", unit="times", group="Needed later"),
    _Column(key="cites", name="cited", unit="times", group="Needed later"),
    _Column(key="regret_tokens", name="regret", unit="tokens", group="Needed later"),
    _Column(key="requests", name="requests", unit="requests", group="Recording", is_more=True),
    _Column(key="output_tokens", name="output", unit="tokens", group="Recording", kind="recorded", is_more=True),
)
"""In order; in each group first what is always shown."""


@value
class Around:
    """What the table of policies says beside their totals."""

    caption: str
    tokens_bases: tuple[str, ...]
    """How tokens were counted: a sentence for each file."""
    pareto: tuple[str, ...] = ()
    links: Mapping[str, str] = MappingProxyType({})
    """From a policy to the place of its own part in the page."""


def policies(totals: Mapping[str, Mapping[str, Any]], around: Around) -> Element:
    """The table of the *totals* of each policy."""
    n_decimals = {
        column.key: decimals(of[column.key] for of in totals.values())
        for column in _COLUMNS
        if column.kind in ("dollars", "difference")
    }
    made = element(
        "table",
        element("caption", around.caption, class_="unseen"),
        element("thead", element("tr", element("td"), _groups(around.tokens_bases)), element("tr", _head())),
        element("tbody", [_row(policy, of, around, n_decimals) for policy, of in totals.items()]),
        class_="policies sortable",
    )
    more = element("label", element("input", type="checkbox", class_="all-columns"), " all columns")
    legend = element("p", star("Pareto:"), " beaten by no other policy in both dollars and regret", class_="legend")
    foot = element("div", legend if around.pareto else None, more, class_="beside")
    return element("div", scrolling(made, label=around.caption), foot, class_="policies-box")


def star(label: str) -> Element:
    """The mark of a policy that no other beats; *label* is what a screen reader says."""
    return element("span", "\u2605", class_="star", role="img", aria_label=label)


def _groups(tokens_bases: Iterable[str]) -> list[Element]:
    """The names of the groups: each over the columns that are always shown, and over the others."""
    counted = f"{_COUNTED}; tokens estimated" if any("estimated" in basis for basis in tokens_bases) else _COUNTED
    made = []
    for group, basis in _BASIS.items():
        n_more = sum(column.is_more for column in _COLUMNS if column.group == group)
        n_core = sum(column.group == group for column in _COLUMNS) - n_more
        named = [group, " ", element("small", counted if basis == _COUNTED else basis)]
        if n_core:
            made.append(element("th", named, scope="colgroup", colspan=str(n_core), class_="group"))
        if n_more and n_core:
            made.append(element("td", colspan=str(n_more), class_="more"))
        elif n_more:
            made.append(element("th", named, scope="colgroup", colspan=str(n_more), class_="more group"))
    return made


def _head() -> list[Element]:
    cells = [element("th", "policy", scope="col", aria_sort="none")]
    return cells + [
        element(
            *("th", column.name, " ", element("small", column.unit)),
            scope="col",
            aria_sort="none",
            class_=_class(column),
        )
        for column in _COLUMNS
    ]


def _class(column: _Column, *others: str) -> str:
    is_first = next(one for one in _COLUMNS if one.group == column.group) is column
    return " ".join(["figure", *others, *(["more"] if column.is_more else []), *(["group"] if is_first else [])])


def _row(policy: str, of: Mapping[str, Any], around: Around, n_decimals: Mapping[str, int]) -> Element:
    link = around.links.get(policy)
    name = element("a", policy, href=f"#{link}") if link is not None else policy
    mark = star("Pareto:") if policy in around.pareto else None
    is_long = len(policy) > _LONG_NAME
    head = element("th", name, " ", mark, scope="row", data_sort=policy, class_="long" if is_long else None)
    return element("tr", head, [_figure(column, of, n_decimals.get(column.key, 0)) for column in _COLUMNS])


def _figure(column: _Column, of: Mapping[str, Any], n_decimals: int) -> Element:
    given = _given(column, of)
    kinds = [] if given is not None else ["state"]
    if column.kind == "difference" and given is not None and Decimal(given) < 0:
        kinds.append("better")
    written = _written(column, of, n_decimals)
    return element("td", written, class_=_class(column, *kinds), data_sort="" if given is None else str(given))


def _given(column: _Column, of: Mapping[str, Any]) -> Any:
    """The figure; None where it is not known, though it may be a sum over nothing."""
    if column.kind == "simulated" and not of["simulated_requests"]:
        return None
    if column.kind == "recorded":
        return of[column.key] or None
    return of.get(column.key) if column.kind == "break_even" else of[column.key]


def _written(column: _Column, of: Mapping[str, Any], n_decimals: int) -> str:
    given = _given(column, of)
    match column.kind:
        case "dollars":
            return usd_to(given, n_decimals)
        case "difference":
            return signed_to(given, n_decimals)
        case "break_even":
            return break_even(of["break_even"]) if given is None else number(given)
        case "share":
            return NOT_SIMULATED if given is None else percent(given)
        case "recorded":
            return NOT_RECORDED if given is None else number(given)
        case _:
            return NOT_SIMULATED if given is None else number(given)
