"""Findings of one kind at places of one shape, told once with how often."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.model import value
from cgcli.report.dollars import dollars
from cgcli.report.figures import counted, number
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

EXCERPT_CHARS = 160
_MOST_LINES = 8


@value
class Group:
    """Findings of one gate that differ in nothing but the turn and the numbers in the path."""

    first: Mapping[str, Any]
    """A finding of the `cgcli/check/v1` document; the others come after it in the file."""
    others: Sequence[Mapping[str, Any]]

    @property
    def rebilled(self) -> dict[str, int]:
        """Tokens by their basis, of all together; empty where no finding has a price."""
        return rebilled((self.first, *self.others))

    @property
    def usd(self) -> Decimal | None:
        """Of all together; None where one that re-bills something has no price, or none re-bills anything."""
        priced, n_unpriced = usd((self.first, *self.others))
        return None if n_unpriced or not self.rebilled else priced


def rebilled(findings: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The re-billed tokens of *findings*, summed for each basis."""
    tokens: dict[str, int] = {}
    for finding in findings:
        cost = finding["rebilled"]
        if cost is not None:
            tokens[cost["basis"]] = tokens.get(cost["basis"], 0) + cost["tokens"]
    return tokens


def usd(findings: Iterable[Mapping[str, Any]]) -> tuple[Decimal, int]:
    """The US dollars of *findings* that have a price, and how many re-bill something and have none."""
    costs = [finding["usd"] for finding in findings if finding["rebilled"] is not None]
    return sum((Decimal(cost) for cost in costs if cost is not None), start=Decimal(0)), costs.count(None)


def grouped(findings: Iterable[Mapping[str, Any]]) -> list[Group]:
    """*findings* by kind, change and shape of the path, in the order of each group's first."""
    together: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for finding in findings:
        key = finding["kind"], finding["change"], shape(finding["path"])
        together.setdefault(key, []).append(finding)
    return [Group(first=found[0], others=found[1:]) for found in together.values()]


def shape(path: str | None) -> str | None:
    """*path* with its numbers left out: `messages.N.content.N.text`."""
    return None if path is None else ".".join("N" if step.isdigit() else step for step in path.split("."))


def notes_by_kind(notes: Iterable[Mapping[str, Any]]) -> str:
    """How many notes of each kind, the most first; empty where there are none."""
    kinds = Counter(note["kind"] or "note" for note in notes)
    return ", ".join(f"{number(n)} {safe(kind)}" for kind, n in sorted(kinds.items(), key=lambda p: (-p[1], p[0])))


def turn(finding: Mapping[str, Any]) -> str:
    """Where a finding is, as `L2 turn 3, line 17`; a lane of several epochs as `L2 epoch 2 turn 3`."""
    epoch = f" epoch {finding['epoch']}" if finding["epoch"] is not None else ""
    return f"{finding['lane']}{epoch} turn {finding['turn']}, line {finding['line']}"


def cost(findings: Iterable[Mapping[str, Any]]) -> str:
    """What *findings* re-bill: tokens with their basis, and dollars; empty where they re-bill nothing."""
    costly = [finding for finding in findings if finding["rebilled"] is not None]
    if not costly:
        return ""
    tokens = " and ".join(f"{number(n)} tokens ({safe(basis)})" for basis, n in rebilled(costly).items())
    priced, n_unpriced = usd(costly)
    if n_unpriced == len(costly):
        return f"{tokens}, unpriced"
    more = f" and {number(n_unpriced)} unpriced" if n_unpriced else ""
    return f"{tokens}, ~{dollars(priced)}{more}"


def told(group: Group) -> Iterator[str]:
    """The lines about *group*, safe to show: what, where exactly, at what price, what it was and is, how often."""
    finding = group.first
    yield f"{turn(finding)}: {safe(finding['message'])}"
    exact = ", ".join(_exact(finding))
    if exact:
        yield f"    {exact}"
    if finding["rebilled"] is not None:
        yield f"    re-bills {cost((finding,))}"
    for name in ("was", "now"):
        if finding[name]:
            yield f"    {name}  {excerpt(finding[name])}"
    if group.others:
        yield f"    …and {_others(group)}"


def _exact(finding: Mapping[str, Any]) -> Iterator[str]:
    """What the message does not say already."""
    for name in ("path", "kind", "change"):
        said = finding[name]
        if said is not None and said not in finding["message"]:
            yield safe(said)
    if finding["byte"] is not None:
        yield f"byte {number(finding['byte'])} of the body"
    if finding["culprit"] is not None:
        yield f"probably {safe(finding['culprit'])}"


def _others(group: Group) -> str:
    lanes = {finding["lane"] for finding in (group.first, *group.others)}
    lines = [str(finding["line"]) for finding in group.others]
    shown = ", ".join(lines[:_MOST_LINES]) + (", …" if len(lines) > _MOST_LINES else "")
    of = f" of {len(lanes)} lanes" if len(lanes) > 1 else ""
    more = cost(group.others)
    price = f", re-billing {more} more" if more else ""
    return f"on {counted(len(lines), 'more turn')}{of} (line {shown}){price}"


def excerpt(text: str) -> str:
    """The beginning of hostile *text*, safe to show, in quotes."""
    cut = "…" if len(text) > EXCERPT_CHARS else ""
    return f'"{safe(text[:EXCERPT_CHARS])}{cut}"'


def of_unit(n: int, unit: str) -> str:
    """*n* with its *unit*, a plural such as `pairs of requests` or `tool calls`, which is a singular for one."""
    first, space, rest = unit.partition(" ")
    if n == 1:
        unit = f"{first[:-1]}{space}{rest}" if first.endswith("s") else unit.removesuffix("s")
    return f"{number(n)} {unit}"
