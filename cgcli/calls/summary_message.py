"""The message that takes a span's place: the summary under its heading, and the way back to what it stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.calls.edits import message, quoted
from cgcli.markers import EXPAND_TOOL, defused, marker
from cgcli.select.summaries import HEADER

if TYPE_CHECKING:
    from cgcli.wire.strings import Style

HINT = f" [full earlier trajectory: call {EXPAND_TOOL}]"
"""Tells the model how to get the messages back."""
_ENVELOPES = re.compile(r"(<|\\u003[cC])(/(?:summary|context-summary)\b|/?system-reminder\b)", re.IGNORECASE)
"""Inside a summary these would end what stands around it, or speak in the agent's name."""
_BLOCKS = {
    "anthropic": b'[{"type":"text","text":%s}]',
    "openai-chat": b"%s",
    "openai-responses": b'[{"type":"input_text","text":%s}]',
}


def summary_text(summary: str, key: str | None) -> str:
    """*summary* as it stands in a request, with the marker that has *key*; None: without a marker.

    What reads as a marker, the sentinel, another heading or an envelope's tag in *summary* is defused: a summary may
    quote what it read, and nothing of that is ours.
    """
    told = _ENVELOPES.sub(r"\1 \2", defused(summary.strip())).replace(HEADER, HEADER.strip("= "))
    return f"{HEADER}\n{told}" + (f"\n{marker(key)}{HINT}" if key is not None else "")


def summary_message(dialect: str, text: str, style: Style | None) -> bytes:
    """One user message with *text*, in the shape of *dialect*; without a *style* as `json.dumps` spells it.

    Never a system message: providers put all of those before the conversation, so each summary would rewrite the
    prefix.
    """
    return message("user", _BLOCKS[dialect] % quoted(text, style))
