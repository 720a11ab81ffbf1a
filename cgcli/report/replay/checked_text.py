"""The self-check as a person reads it: one line, and the requests that were not as predicted."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cgcli.replay.paired.self_check import Excluded
from cgcli.report.figures import counted, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST = 5
_WHOSE: Mapping[str, str] = MappingProxyType(
    {
        Excluded.NO_USAGE: "without recorded usage",
        Excluded.READS_NOT_RECORDED: "whose usage does not say what was read",
        Excluded.ALL_ZERO: "aborted, all zero",
        Excluded.SEVERAL_PASSES: "answered in several passes",
        Excluded.INVENTED: "with usage that no provider gave",
        Excluded.NOT_SIMULATED: "whose cache is not simulated",
        Excluded.BEFORE_THE_FILE: "reading what was cached before the file begins",
    }
)


def lines(file: Mapping[str, Any]) -> Iterator[str]:
    """How the reads that the cache simulates compare with those that the provider recorded."""
    check = file["self_check"]
    if not check["compared"]:
        yield f"self-check: nothing to compare: {_excluded(check)}"
        return
    share = f" ({check['error_share']:.2%} of what was read)" if check["error_share"] is not None else ""
    others = f"; the others are off by {number(check['error_tokens'])} tokens in all{share}"
    yield (
        f"self-check: {number(check['exact'])} of {counted(check['compared'], 'recorded read')} predicted to the token"
        f"{others if check['exact'] < check['compared'] else ''}"
    )
    explained = ", ".join(f"{number(n)} {why}" for why, n in check["explained"].items())
    told = [
        f"explained: {explained}" if explained else "",
        f"provider-side: {number(check['provider_side'])}" if check["provider_side"] else "",
        f"unexplained: {number(check['unexplained'])}" if check["unexplained"] else "",
        f"not compared: {_excluded(check)}" if check["excluded"] else "",
    ]
    yield from (f"  {one}" for one in told if one)
    if check["assumed_marks"]:
        yield "  a history does not say where its requests were marked: each counts as marked at its end"
    odd = [turn for turn in check["turns"] if turn["class"] != "explained"]
    for turn in odd[:_MOST]:
        why = f", {turn['why']}" if turn["why"] else ""
        yield (
            f"  line {turn['line']} ({turn['lane']} turn {turn['turn']}): predicted "
            f"{number(turn['predicted_read_tokens'])}, recorded {number(turn['recorded_read_tokens'])}: "
            f"{turn['class']}{why}"
        )
    if len(odd) > _MOST:
        yield f"  and {number(len(odd) - _MOST)} more: --json has them all"


def _excluded(check: Mapping[str, Any]) -> str:
    return ", ".join(f"{counted(n, 'request')} {_WHOSE[reason]}" for reason, n in check["excluded"].items())
