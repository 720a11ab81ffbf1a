"""What to type after a comparison of call modes: the same request, span and shapes again."""

from __future__ import annotations

from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cgcli.calls.when import APPLY_AT, ASK_AT
from cgcli.report.safe import pasted, safe
from cgcli.select.selection import SpanOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_OFTEN = (("budget_tokens", "--budget"), ("ask_at", "--ask-at"), ("apply_at", "--apply-at"))
"""What `cg compact` takes too."""
_GIVEN = (
    ("calls", "--call"),
    ("span_tokens", "--span-tokens"),
    ("span_messages", "--span-messages"),
    ("span_fraction", "--span-fraction"),
    ("keep_first", "--keep-first"),
    ("keep_last", "--keep-last"),
    ("model", "--model"),
    ("summary_tokens", "--summary-tokens"),
    *_OFTEN,
    ("pause", "--pause"),
    ("platform", "--platform"),
    ("require_reversible", "--require-reversible"),
)
"""Beside file, lane and turn, in the order of the help."""
_USUAL: Mapping[str, object] = MappingProxyType(
    {"keep_first": SpanOptions().keep_first, "summary_tokens": 1000, "ask_at": ASK_AT, "apply_at": APPLY_AT}
)
"""What need not be said."""


def steps(report: Mapping[str, Any]) -> Iterator[str]:
    """The commands, with the options that were given; none where the file cannot be read again."""
    if report["file"] == "-":
        return
    file, found, options = pasted(report["file"]), report["comparisons"], report["options"]
    if len(found) > 1:
        yield f"next     cg compact {file} --policy summarize --call auto{_said(options, _OFTEN)} --dry-run"
        return
    one, said = found[0], _said(options, _GIVEN)
    yield f"next     cg diff-modes {file} --lane {one['lane']} --every{said}"
    if any(shape["allowed"] for shape in one["shapes"]):
        yield f"next     cg diff-modes {file} --lane {one['lane']} --at {one['turn']}{said} --show"


def _said(options: Mapping[str, Any], names: Iterable[tuple[str, str]]) -> str:
    """The options that are not the usual ones, each behind a blank."""
    told = ((option, options[name]) for name, option in names if options[name] != _USUAL.get(name))
    return "".join(f" {option}{_value(given)}" for option, given in told if given is not False and given != [])


def _value(given: object) -> str:
    if given is True:
        return ""
    return " " + quote(safe(",".join(given) if isinstance(given, list) else str(given)))
