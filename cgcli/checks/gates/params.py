"""G-PARAMS: the model, and every parameter that the provider's cache depends on, stay the same along a lane."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cgcli.checks.allowing import Allowing
from cgcli.checks.base import Finding, Rule
from cgcli.checks.verdict import INDEPENDENT, settle, without_head
from cgcli.lanes import Relation
from cgcli.model import Section, value
from cgcli.prefix.culprit import culprit
from cgcli.prefix.difference import Change, first_difference
from cgcli.prefix.divergence import BreakKind
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane
    from cgcli.prefix.divergence import Side

RULE = Rule(
    gate="G-PARAMS",
    title="The model and the parameters that the cache depends on stay the same along a lane",
    checks=(
        "Each request of a conversation has the model of the request before it, and the same value of every parameter "
        "that its provider's cache depends on: for Anthropic speed, tool_choice, thinking and effort; for OpenAI "
        "parallel tool calls, the output format, reasoning effort, verbosity, context management, the cache key and "
        "the service tier. A parameter that is left out has its default value."
    ),
    why=(
        "These parameters are part of what a cached prefix is found under. Another model, or another output format at "
        "OpenAI, loses all of it; another thinking setting at Anthropic loses the messages."
    ),
    failing=(
        'turn 1  thinking {"type": "enabled", "budget_tokens": 4000}\n'
        'turn 2  thinking {"type": "enabled", "budget_tokens": 8000}'
    ),
    passing=(
        'turn 1  thinking {"type": "enabled", "budget_tokens": 4000}\n'
        'turn 2  thinking {"type": "enabled", "budget_tokens": 4000}'
    ),
    fix=(
        "Choose the model and these parameters once for a conversation. Where a step needs others, send it as a "
        "conversation of its own, or accept the cost and declare it: --allow-epoch N."
    ),
    proves_not=(
        "That nothing outside the body changed: beta headers, the organisation and the region are part of the key too."
    ),
    source="Claude docs, prompt caching: what invalidates the cache; OpenAI guide: settings that affect the prefix.",
    since="0.2.0",
)
LEFT_OUT = "(left out)"
_LONGEST_CHARS = 80
_ALL = tuple(Section)


@value
class _Setting:
    """The model or a parameter, as two requests have it; None where it is left out."""

    path: str
    was: bytes | None
    now: bytes | None
    breaks: tuple[Section, ...]


class Params:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-PARAMS at work."""

    def __init__(self, context: Context) -> None:
        """Nothing is checked yet."""
        self._context = context
        self._allowing = Allowing(context)
        self._checked = 0

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Compare model and parameters with those of the request before it in its thread."""
        if self._context.is_independent:
            return
        self._allowing.see(turn)
        if turn.before is None or turn.placement.relation is Relation.BRANCHES:
            return
        self._checked += 1
        for setting in _changed(turn.before, turn.request):
            yield self._finding(turn, setting)

    def _finding(self, turn: Turn, setting: _Setting) -> Finding:
        kind = BreakKind.MODEL if setting.path == "model" else BreakKind.PARAMS
        both = setting.was is not None and setting.now is not None
        found = first_difference(setting.was or b"", setting.now or b"") if both else None
        keys = (*setting.path.split("."), *(found.path if found is not None else ()))
        path = ".".join(keys)
        one_sided = Change.REMOVED if setting.now is None else Change.INSERTED
        first = turn.breaks
        is_first = first is not None and first.kind is kind and first.path == setting.path
        was, now = _excerpt(setting.was), _excerpt(setting.now)
        is_long = max(len(setting.was or b""), len(setting.now or b"")) > _LONGEST_CHARS
        if found is not None and (found.path or is_long):
            was, now = found.was, found.now
        late = (
            f"; re-billed already by {first.kind.value} at {first.path}" if first is not None and not is_first else ""
        )
        return Finding(
            message=f"{kind.value}: {path} from {was} to {now}, which breaks {_listed(setting.breaks)}{late}",
            line=turn.line,
            i_exchange=turn.i_exchange,
            path=path,
            byte=_byte(bytes(turn.request.raw), keys),
            kind=kind.value,
            change=(found.change if found is not None else one_sided).value,
            culprit=culprit(found) if found is not None and not found.was.isdecimal() else None,
            was=was,
            now=now,
            cost=self._context.rebilled(turn) if is_first else None,
            is_note=self._allowing.allows(turn),
        )

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on any change that was not allowed."""
        del lanes
        return settle(
            RULE,
            unit="pairs of requests",
            checked=self._checked,
            findings=findings,
            nothing=INDEPENDENT
            if self._context.is_independent
            else "no request follows another one of its conversation",
            unknown=without_head(self._context),
        )


def _changed(before: Side, after: Side) -> Iterator[_Setting]:
    """The model, then the parameters, that differ."""
    if before.model != after.model:
        yield _Setting(path="model", was=_json(before.model), now=_json(after.model), breaks=_ALL)
    if before.params == after.params:
        return
    mine = {param.path: param for param in before.params}
    theirs = {param.path: param for param in after.params}
    for path, param in {**mine, **theirs}.items():
        was = mine[path].written if path in mine else None
        now = theirs[path].written if path in theirs else None
        if was != now:
            yield _Setting(path=path, was=was, now=now, breaks=param.breaks)


def _json(text: str | None) -> bytes | None:
    return None if text is None else json.dumps(text).encode()


def _excerpt(written: bytes | None) -> str:
    return LEFT_OUT if written is None else written[:_LONGEST_CHARS].decode("utf-8", "replace")


def _listed(sections: tuple[Section, ...]) -> str:
    return ", ".join(section.value for section in sections)


def _byte(raw: bytes, keys: tuple[str, ...]) -> int | None:
    """Where in the body the value under *keys* begins; None where it is left out."""
    node = Document(raw).root()
    try:
        for key in keys:
            node = node.elements()[int(key)] if node.kind == "array" else node.members()[key]
    except (KeyError, IndexError, ValueError, Malformed):
        return None
    return node.start
