"""What stands under the tables of a replay: who never fired and why, what was needed again, what was refused."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cgcli.compaction.components import BODY_COMPONENTS
from cgcli.report.compaction import WHAT_WOULD_LET_IT
from cgcli.report.figures import counted, number
from cgcli.report.grouped import excerpt
from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Arm = Mapping[str, Any]

_MOST_REGRETS = 5


def lines(arms: Sequence[Arm]) -> Iterator[str]:
    """About *arms*, doing nothing being the first of them; policies of which the same is to be said stand together."""
    yield from _together((arm for arm in arms[1:] if arm["mode"] != "observe"), _idle, " ")
    for told in (_regrets, _refusals, _warnings):
        yield from _together(arms, told, ": ")


def _together(arms: Iterable[Arm], told: Callable[[Arm], Iterator[str]], between: str) -> Iterator[str]:
    """What *told* has of each, told once for those of which it is the same."""
    names: dict[tuple[str, ...], list[str]] = {}
    for arm in arms:
        names.setdefault(tuple(told(arm)), []).append(safe(arm["policy"]))
    for said, who in names.items():
        yield from (f"{', '.join(who)}{between}{one}" for one in said)


def _idle(arm: Arm) -> Iterator[str]:
    """That it never acted, and the most frequent reason."""
    if not arm["totals"]["fired"] and not arm["totals"]["requests_changed"]:
        yield f"never fired: {_why_idle(arm)}"


def _why_idle(arm: Arm) -> str:
    if arm["mode"] == "async":
        return "no job was committed, and without a model there was nothing to do"
    if arm["nearest"] is not None:
        near = arm["nearest"]
        return (
            f"a summary is asked for from {number(near['ask_tokens'])} tokens on, and no request has more than "
            f"{number(near['tokens'])} (--budget lowers that)"
        )
    if arm["totals"]["own_calls"]:
        calls = counted(arm["totals"]["own_calls"], "call")
        return f"{calls} asked for, and no answer in its place by the end"
    if arm["refusals"]:
        return "it was refused"
    outputs = _reasons(one for one in arm["components"] if one["name"] not in BODY_COMPONENTS)
    reasons = outputs or _reasons(arm["components"])
    if not reasons:
        return "there is no tool output in the file"
    ((most, n),) = reasons.most_common(1)
    hint = f": {WHAT_WOULD_LET_IT[most]}" if most in WHAT_WOULD_LET_IT else ""
    return f"{most} ({times(n)}){hint}"


def _reasons(components: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """How often each reason was given for leaving something alone."""
    found: Counter[str] = Counter()
    for component in components:
        found.update(component["skipped"])
    return found


def _regrets(arm: Arm) -> Iterator[str]:
    for one in arm["regrets"][:_MOST_REGRETS]:
        verb = "fetched again" if one["kind"] == "refetch" else "cited"
        yield (
            f"what {safe(one['component'])} took out of line {one['dropped_line']} "
            f"({safe(one['dropped_path'])}) was {verb} at line {one['needed_line']}: {excerpt(one['evidence'])}"
        )
    if len(arm["regrets"]) > _MOST_REGRETS:
        yield f"and {number(len(arm['regrets']) - _MOST_REGRETS)} more: --json has them all"


def _refusals(arm: Arm) -> Iterator[str]:
    for one in arm["refusals"]:
        detail = f": {safe(one['detail'])}" if one["detail"] else ""
        yield f"refused {times(one['times'])}, {one['reason']}{detail}"


def _warnings(arm: Arm) -> Iterator[str]:
    """What its file or its calls are warned of; a fork that cannot be is asked in another way."""
    others = [one for one in arm["own_calls"] if one["mode"] is not None and one["mode"] != arm["call"]]
    if arm["call"] == "fork" and others:
        yield f"{number(len(others))} of {counted(len(arm['own_calls']), 'call')} asked as {others[0]['mode']}"
    yield from (safe(one.removeprefix(f"{arm['call']}: ")) for one in arm["warnings"])


def times(n: int) -> str:
    """How often.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if n == 1 else f"{number(n)} times"
