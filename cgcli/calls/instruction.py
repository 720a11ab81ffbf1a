"""What a summariser is told: the prompt, and for a fork the part of the conversation that it is to cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import Kind
from cgcli.select.staying import SYSTEM_ROLES
from cgcli.select.texts import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.model import Item, Request
    from cgcli.select.selection import Selection

PROMPT = """\
Summarise the part of this conversation that you are asked for. The work goes on from your summary alone: whoever \
continues will not see the original messages.

## User requests and decisions
What the user asked for, in order, what was decided, and every limit that was set.

## Files examined or changed
Each path, why it mattered, and what was changed in it.

## Errors and how they were resolved
The message, its cause and the fix, or that it is still open.

## State of the task
What is done, what is in progress, what is left.

## Key technical details
Commands, settings, interfaces and findings that later steps rest on.

Guidelines:
- Facts only. Do not guess, and invent no instruction: write down only requests that the user made.
- Keep numbers, paths, names, error text and command output exactly as they stand.
- Leave out a section that has nothing in it.
- Call no tool and do not go on with the task. Answer with the summary and nothing else.\
"""
"""The built-in prompt: five sections and guidelines."""

EXCERPT_CHARS = 300
"""How much of the span's last message is quoted to say where it ends (amplifier's length)."""
_NO_TEXT = "(no text content)"
_RULE = "-----"


def fork_text(request: Request, selection: Selection, prompt: str | None = None) -> str:
    """What a fork of *request* appends: the *prompt* (None: the built-in one), and which messages to cover."""
    return f"{PROMPT if prompt is None else prompt}\n\n{scope_text(request, selection)}"


def scope_text(request: Request, selection: Selection) -> str:
    """Which messages of *request* a fork is to cover: by number, and by how the last one begins.

    The numbers count what follows the system prompt, from 1, in the request as it stands: an earlier summary counts as
    the message that it is.
    """
    last = request.messages[selection.stop - 1]
    excerpt = _excerpt(last)
    rule = _RULE
    while rule in excerpt:
        rule += "-"
    return (
        f"Cover only a part of the conversation: {_numbers(request, selection)}.{_counting(request, selection)} "
        f"The last message to cover begins as follows, between the two lines:\n{rule}\n{excerpt}\n{rule}\n"
        "Do not summarise what comes after it, and do not mention this message."
    )


def _numbers(request: Request, selection: Selection) -> str:
    told = [i for i, item in enumerate(request.messages[: selection.stop]) if item.role not in SYSTEM_ROLES]
    covered = sum(i >= selection.start for i in told)
    first = len(told) - covered + 1
    messages = f"{covered} message{'' if covered == 1 else 's'}"
    named = f"the first {messages}" if first == 1 else f"messages {first} to {len(told)} ({messages})"
    has_system = bool(request.system) or any(item.role in SYSTEM_ROLES for item in request.messages)
    return f"{named} following the system prompt" if has_system else f"{named} of it"


def _counting(request: Request, selection: Selection) -> str:
    """What counts as a message, where that may be doubted."""
    notes = []
    if request.dialect == "openai-responses":
        notes.append("each tool call, tool output and reasoning item counts as a message")
    if _has_system_inside(request.messages[: selection.stop]):
        notes.append("system messages do not count")
    said = "; ".join(notes)
    return f" ({said[0].upper()}{said[1:]}.)" if said else ""


def _has_system_inside(messages: Sequence[Item]) -> bool:
    """True where a system message stands behind another one's."""
    told = next((i for i, item in enumerate(messages) if item.role not in SYSTEM_ROLES), len(messages))
    return any(item.role in SYSTEM_ROLES for item in messages[told:])


def _excerpt(item: Item) -> str:
    """How *item* begins; without text, the tools that it calls."""
    text = "\n".join(filter(None, map(str.strip, texts(item))))
    if text:
        return text if len(text) <= EXCERPT_CHARS else text[:EXCERPT_CHARS] + "..."
    calls = [part.name or "a tool" for part in item.parts if part.kind is Kind.TOOL_CALL]
    return f"(no text content; calls {', '.join(calls)})" if calls else _NO_TEXT
