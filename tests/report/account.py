"""What a compaction did, told from its input and its output alone, with the standard library and a tokenizer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.tokens.counter import counter
from tests import oracle

if TYPE_CHECKING:
    from tests.lanes.placing import Json
    from tests.running import Compacted

NOTES = {
    "mask": "[older tool output masked",
    "dedup": "[identical to an earlier tool output]",
    "collapse": " omitted) <<cg:",
    "extract": "\n<<cg:",
}
"""What each component's replacements have and no other's; looked for in this order."""
Place = tuple[int, str, str]
"""Number of the lane, path, and the text that stood there."""


def count(text: str) -> int:
    """Tokens of o200k_base, without a factor."""
    return counter("o200k_base").count(text)


class Account:
    """Sums over a compacted capture whose lanes only grow."""

    def __init__(self, done: Compacted) -> None:
        """Compare input and output record by record."""
        self.before, self.after = done.source.read_bytes(), done.output.read_bytes()
        old, new = oracle.bodies(self.before), oracle.bodies(self.after)
        self.bodies = [body for _, body in old]
        lanes = {i: n for n, lane in enumerate(oracle.lanes_by_first_message(old)) for i in lane}
        self.versions: dict[Place, list[str]] = {}
        """The texts that stood at a place in turn; the first is the original where it was sent unchanged."""
        self.saved_in_all = 0
        self.saved_by_request: list[int] = []
        self.n_changed = 0
        for (line, was), (_, now) in zip(old, new, strict=True):
            saved = self._compare(lanes[line], was, now)
            self.n_changed += oracle.tool_outputs(was) != oracle.tool_outputs(now)
            self.saved_by_request.append(saved)
            self.saved_in_all += saved

    def _compare(self, lane: int, was: Json, now: Json) -> int:
        saved = 0
        for (path, original), (_, text) in zip(oracle.tool_outputs(was), oracle.tool_outputs(now), strict=True):
            versions = self.versions.setdefault((lane, path, original), [])
            if text not in versions[-1:]:
                versions.append(text)
            saved += count(original) - count(text)
        return saved

    @property
    def saved_once(self) -> int:
        """Tokens between the original and the last version of each distinct output."""
        return sum(count(original) - count(texts[-1]) for (_, _, original), texts in self.versions.items())

    @property
    def fired(self) -> dict[str, int]:
        """Per component: distinct outputs with a version of its shape."""
        found = dict.fromkeys(("format", *NOTES), 0)
        for (_, _, original), texts in self.versions.items():
            shapes = {name for text in texts if text != original and (name := _shape(text)) is not None}
            for name in shapes:
                found[name] += 1
            found["format"] += _is_formatted(original)
        return {name: n for name, n in found.items() if n}


def _shape(text: str) -> str | None:
    return next((name for name, note in NOTES.items() if note in text), None)


def _is_formatted(original: str) -> bool:
    """True where the text is JSON of 50 tokens and more that has fewer without its white space."""
    if original.lstrip()[:1] not in {"{", "["}:
        return False
    try:
        parsed = json.loads(original)
    except ValueError:
        return False
    plain = json.dumps(parsed, ensure_ascii=False, separators=(",", ":"))
    return count(original) >= 50 and count(plain) < count(original)


def counted(body: Json) -> int:
    """The tokens of an Anthropic body: its texts, all else as plain JSON, and three a message."""
    system = body.get("system", [])
    texts = [system] if isinstance(system, str) else [block["text"] for block in system]
    texts += [_plain(tool) for tool in body.get("tools", [])]
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            inner = block.get("content") if block["type"] == "tool_result" else block.get("text")
            if isinstance(inner, str):
                texts.append(inner)
            else:
                texts += [part["text"] for part in inner] if inner else [_plain(block)]
    return sum(map(count, texts)) + 3 * len(body["messages"])


def _plain(block: Json) -> str:
    kept = {key: value for key, value in block.items() if key != "cache_control"}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def billed(data: bytes) -> list[int | None]:
    """Per message request of a claude-trace log: the input that the provider billed; None where it says nothing."""
    found: list[int | None] = []
    for line in data.splitlines():
        pair = json.loads(line)
        if oracle.find_body(pair) is not None:
            usage = _usage(pair["response"] or {})
            kinds = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
            found.append(sum(usage.get(kind) or 0 for kind in kinds) if usage else None)
    return found


def _usage(response: Json) -> dict[str, Any]:
    if "body" in response:
        usage: dict[str, Any] = response["body"].get("usage", {})
        return usage
    for line in response.get("body_raw", "").split("\n"):
        if line.startswith("data: ") and '"message_start"' in line:
            started: dict[str, Any] = json.loads(line.removeprefix("data: "))["message"]["usage"]
            return started
    return {}
