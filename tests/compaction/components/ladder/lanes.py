"""Conversations in the making, in each dialect, and what became of their messages; a character is a token."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.compaction.components.ladder.ladder import Ladder
from cgcli.model import changed
from tests.compaction.components.bodies import Edited, Ranges, compact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.compaction.body import Body

Json = dict[str, Any]
DIALECTS = ("anthropic", "chat", "responses")
MODEL = "unlisted-model"
"""No table has it, so a counted token is one of its own."""
TOOL: Json = {"name": "Bash", "description": "Runs.", "input_schema": {"type": "object"}}


class Lane(Edited):
    """A lane with a ladder, in characters."""

    def __init__(self, ladder: Ladder) -> None:
        """Nothing was sent yet."""
        super().__init__(ladder, count=len)
        self.saved_before = 0
        """What the first of the earlier steps' edits saves of the next request, counted."""

    def body(self, raw: bytes, taken: Ranges = ()) -> Body:
        """The next request, as the ladder sees it."""
        seen = super().body(raw, taken)
        if not taken:
            return seen
        saved = (self.saved_before, *(0,) * (len(taken) - 1))
        return changed(seen, sent_tokens=seen.sent_tokens - self.saved_before, taken_tokens=saved)

    @property
    def level(self) -> int:
        """The highest that was reached."""
        return self.memory.level if self.memory is not None else 0


def ladder(
    target: int, *, at: int | None = None, budget: int = 100_000, protected_tool_results: int = 0, **more: Any
) -> Ladder:
    """A ladder that comes down to *target* tokens from *at*, or from one more than the target."""
    return Ladder(
        budget_tokens=budget,
        compact_threshold=(target + 1 if at is None else at) / budget,
        target_usage=target / budget,
        protected_tool_results=protected_tool_results,
        **more,
    )


def user(text: str | list[Json]) -> Json:
    """What a person says."""
    return {"role": "user", "content": text}


def said(text: str) -> Json:
    """What the assistant says."""
    return {"role": "assistant", "content": text}


def turn(dialect: str, *results: tuple[str, str]) -> list[Json]:
    """Parallel calls and their results, each an id and a text."""
    if dialect == "chat":
        calls: list[Json] = [
            {"id": i, "type": "function", "function": {"name": "Bash", "arguments": "{}"}} for i, _ in results
        ]
        answers = [{"role": "tool", "tool_call_id": i, "content": text} for i, text in results]
        return [{"role": "assistant", "content": None, "tool_calls": calls}, *answers]
    if dialect == "responses":
        made = [{"type": "function_call", "call_id": i, "name": "Bash", "arguments": "{}"} for i, _ in results]
        return [*made, *({"type": "function_call_output", "call_id": i, "output": text} for i, text in results)]
    uses = [{"type": "tool_use", "id": i, "name": "Bash", "input": {}} for i, _ in results]
    blocks = [{"type": "tool_result", "tool_use_id": i, "content": text} for i, text in results]
    return [{"role": "assistant", "content": uses}, {"role": "user", "content": blocks}]


def body(messages: Iterable[Json], dialect: str = "anthropic", **fields: Any) -> Json:
    """A body of these messages."""
    if dialect == "responses":
        return {"model": MODEL, "instructions": "Be brief.", "input": list(messages), **fields}
    if dialect == "chat":
        head = [{"role": "system", "content": "Be brief."}]
        return {"model": MODEL, "messages": [*head, *messages], **fields}
    return {
        "model": MODEL,
        "max_tokens": 9,
        "system": "Be brief.",
        "tools": [TOOL],
        "messages": list(messages),
        **fields,
    }


def size(request_body: Json | bytes) -> int:
    """The tokens of a body, before anything is done to it."""
    return Lane(Ladder()).body(request_body if isinstance(request_body, bytes) else compact(request_body)).sent_tokens


def shown(raw: bytes) -> str:
    """The messages that are sent, a word for each result or message.

    `U` is a user's, `S` one that was stubbed, `N4` a note about 4, `A` the assistant's, `R` a result, `T` one that was
    truncated, `Y` a system message.
    """
    sent = json.loads(raw)
    return " ".join(word for message in sent.get("messages", sent.get("input")) for word in _words(message))


def _words(message: Json) -> list[str]:
    role: Any = message.get("role")
    content: Any = message.get("content")
    if message.get("type") == "function_call_output" or role == "tool":
        return [_result(message.get("output", content))]
    if role == "user" and isinstance(content, list) and content[0]["type"] == "tool_result":
        return [_result(block["content"]) for block in content if block["type"] == "tool_result"]
    if role != "user":
        return ["Y" if role in ("system", "developer") else "A"]
    texts = [content] if isinstance(content, str) else [block.get("text", "") for block in content]
    if " left out] <<cg:" in texts[0]:
        return ["N" + texts[0][1:].partition(" ")[0]]
    return ["S" if any(text.startswith("[earlier message of the user, shortened") for text in texts) else "U"]


def _result(content: str | list[Json]) -> str:
    texts = [content] if isinstance(content, str) else [block.get("text", "") for block in content]
    return "T" if any(text.startswith("[tool output truncated") for text in texts) else "R"
