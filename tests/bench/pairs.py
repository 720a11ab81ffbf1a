"""Commands and calls with their outputs, as the test data of context-guru list them, sent as one conversation.

No program sent these, so the package has no reader for them. For counting what components make of the outputs this is
enough: every turn becomes a request with all that came before it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BEGIN = {"role": "user", "content": [{"type": "text", "text": "Go on."}]}


def write(listed: Path, capture: Path) -> int:
    """Write the requests of *listed* to *capture*, one a line; the number of them, 0 where it has no such pairs."""
    messages: list[dict[str, Any]] = [_BEGIN]
    n_requests = 0
    with capture.open("w", encoding="utf-8") as file:
        for call, result in _pairs(listed):
            file.write(_request(messages))
            messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
            n_requests += 1
        if n_requests:
            file.write(_request(messages))
            n_requests += 1
    return n_requests


def _request(messages: list[dict[str, Any]]) -> str:
    return json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": messages}) + "\n"


def _pairs(listed: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each call with its result, as Anthropic's blocks."""
    try:
        document = json.loads(listed.read_text(encoding="utf-8", errors="replace"))
    except ValueError:
        return
    for i, record in enumerate(document if isinstance(document, list) else ()):
        if not isinstance(record, dict) or not ("out" in record or "calls" in record):
            continue
        for k, pair in enumerate(record.get("calls") or [record]):
            name = f"pair_{i}_{k}"
            given = pair.get("args") or {"command": pair.get("cmd")}
            out = pair.get("out")
            yield (
                {"type": "tool_use", "id": name, "name": pair.get("tool", "Bash"), "input": given},
                {"type": "tool_result", "tool_use_id": name, "content": out if isinstance(out, str) else ""},
            )
