"""A span as who said what and which tools were used, the same for every dialect."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.dialects.content import decoded
from cgcli.model import Kind, changed, value
from cgcli.summarisers.extractive.leaves import Leaf, leaves, leaves_of
from cgcli.summarisers.extractive.lines import clean
from cgcli.tokens.meter import slot_text
from cgcli.wire.spans import Document, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Item, Part, Request
    from cgcli.rope import Raw

_INPUTS = ("input", "arguments", "action", "operation")
"""The members that a call's arguments stand under, in any dialect."""
_OUTPUTS = frozenset({"output", "stdout", "stderr", "content", "text"})
_EXIT_CODES = frozenset({"exit_code", "exitCode", "returncode", "return_code"})
_TAIL_CHARS = 400
"""Codex writes what it knows of a command behind its output."""

# What an agent's frame puts into a user's message; the tag is bounded, and what is never closed stays.
_FRAME = re.compile(
    r"<(system-reminder|environment_context|local-command-stdout|local-command-caveat|command-name|ide_selection|"
    r"ide_opened_file|task-notification)>"
)


@value
class Said:
    """A text of the user or of the assistant."""

    is_user: bool
    text: str


@value
class Use:
    """A tool call and its result."""

    call_id: str | None
    name: str
    """Empty for a provider's own shell."""
    given: tuple[Leaf, ...]
    output: str | None = None
    """None where the span has no result of it."""
    failed: bool = False
    """The request says so: `is_error`, or an exit code that is not zero."""


@value
class Heard:
    """All of a span."""

    said: tuple[Said, ...]
    """In order, as `uses`."""
    uses: tuple[Use, ...]


def heard(request: Request, start: int, stop: int) -> Heard:
    """What messages `start:stop` of *request* say; thinking, images and system prompts are left out."""
    said: list[Said] = []
    uses = _Uses()
    for item, at in zip(request.messages[start:stop], request.starts[start:stop], strict=True):
        for part in item.parts:
            if part.kind is Kind.TOOL_CALL:
                uses.call(_call(item, part))
            elif part.kind in (Kind.USER_TEXT, Kind.ASSISTANT_TEXT) and part.slot is not None:
                text = clean(slot_text(part, request.raw, at))
                is_user = part.kind is Kind.USER_TEXT
                said.append(Said(is_user=is_user, text=_without_frames(text) if is_user else text))
            elif part.kind is Kind.TOOL_RESULT or (part.kind is Kind.OTHER and part.pair_id is not None):
                text, failed = _result(item, part, request.raw, at)
                uses.result(part.pair_id, text, failed=failed or _is_error(item, part))
    return Heard(said=tuple(said), uses=uses.all())


class _Uses:
    """Puts results beside their calls."""

    def __init__(self) -> None:
        self._calls: list[Use] = []
        self._place: dict[str, int] = {}
        self._outputs: dict[int, list[str]] = {}
        self._failed: set[int] = set()

    def call(self, use: Use) -> None:
        """Take a call."""
        if use.call_id is not None:
            self._place[use.call_id] = len(self._calls)
        self._calls.append(use)

    def result(self, call_id: str | None, text: str, *, failed: bool) -> None:
        """Take a part of a result; one that names no call answers the last one."""
        i = self._place.get(call_id, -1) if call_id is not None else len(self._calls) - 1
        if i < 0:  # its call is not in the span
            i = len(self._calls)
            self.call(Use(call_id=call_id, name="", given=()))
        self._outputs.setdefault(i, []).append(text)
        if failed:
            self._failed.add(i)

    def all(self) -> tuple[Use, ...]:
        """The calls in order, with their results."""
        return tuple(
            changed(use, output="\n".join(self._outputs[i]), failed=i in self._failed) if i in self._outputs else use
            for i, use in enumerate(self._calls)
        )


def _call(item: Item, part: Part) -> Use:
    written = item.wire[part.span.start : part.span.stop]
    try:
        members = Document(written).root().members()
        function = members.get("function")
        if function is not None and function.kind == "object":
            members = {**members, **function.members()}
        found = next((members[key] for key in _INPUTS if key in members), None)
        text = found.string() if found is not None else None
    except Malformed:
        return Use(call_id=part.pair_id, name=clean(part.name or ""), given=())
    given = leaves(found) if found is not None else ()
    if text is not None:
        given = leaves_of(text) or (Leaf(key="", text=clean(text), is_text=True),)
    return Use(call_id=part.pair_id, name=clean(part.name or ""), given=given)


def _result(item: Item, part: Part, raw: Raw, at: int) -> tuple[str, bool]:
    """The text of a part of a result, and whether an exit code in it says that the tool failed.

    Some agents put the output into JSON, `{"output":"…","metadata":{"exit_code":1}}`.
    """
    if part.slot is not None:
        text = slot_text(part, raw, at)
        found = leaves_of(text) if '"exit' in text[-_TAIL_CHARS:] else ()
        if not any(leaf.key in _OUTPUTS for leaf in found):
            return clean(text), False
    else:
        found = leaves(Document(item.wire[part.span.start : part.span.stop]).root())
    outputs = [leaf.text for leaf in found if leaf.is_text and leaf.key in _OUTPUTS]
    return "\n".join(outputs), any(leaf.key in _EXIT_CODES and leaf.text not in ("0", "null") for leaf in found)


def _is_error(item: Item, part: Part) -> bool:
    """True where Anthropic's `is_error` stands beside the result."""
    if not item.has(b'"is_error"') or not part.path.startswith("content."):
        return False
    message = decoded(item)
    content = message.get("content") if isinstance(message, dict) else None
    step = part.path.split(".")[1]
    if not isinstance(content, list) or not step.isdigit() or int(step) >= len(content):
        return False
    block = content[int(step)]
    return isinstance(block, dict) and block.get("is_error") is True


def _without_frames(text: str) -> str:
    """A user's *text* without what the agent's frame put into it."""
    if "<" not in text:
        return text
    return "".join(_outside(text))


def _outside(text: str) -> Iterator[str]:
    at = 0
    while opened := _FRAME.search(text, at):
        closed = text.find(f"</{opened[1]}>", opened.end())
        if closed < 0:
            break
        yield text[at : opened.start()]
        at = closed + len(opened[1]) + 3
    yield text[at:]
