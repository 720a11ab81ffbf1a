"""Anthropic's Messages API: what it answers, what that billed, and its event stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from tests.live.messages_prefix import HOUR_S, MINIMUM, TTL_S, blocks_of, looked_up, placed
from tests.live.messages_rules import (
    ON_DEMAND_BETA,
    THRESHOLD_BETA,
    betas_of,
    check,
    compactions,
    model_of,
    threshold_of,
    trigger_tokens,
)
from tests.live.wire import Answer, Counts, Entries, Json, canonical, invalid, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_PROMPT = "Write a summary of the conversation so far, wrapped in <summary></summary>."
_ZERO = Counts(read=0, written_by_ttl_s={}, fresh=0)


@dataclass
class MessagesApi:
    """One workspace: what it keeps, and the compaction blocks that it signed."""

    held: Entries = field(default_factory=Entries)
    signed: dict[str, str] = field(default_factory=dict)

    def answer(self, body: Json, headers: Mapping[str, str], now_s: float, *, is_empty: bool = False) -> Answer:
        """The answer to POST /v1/messages at that time, or `Refused`; what it writes is not in the cache yet."""
        if "anthropic-version" not in headers:
            raise invalid("anthropic-version: header is required")
        model = model_of(body)
        betas = betas_of(headers)
        check(body, betas, self.signed)
        minimum = MINIMUM[model]
        if body.get("compaction") is not None:
            return self._on_demand(body, now_s, minimum, is_empty=is_empty)
        read_body = without_dropped(body)
        counts = self._pass(read_body, now_s, minimum)
        if body["max_tokens"] == 0:
            return _answered(body, [], "max_tokens", _usage(counts, 0), (counts,))
        edit = threshold_of(body)
        if edit is not None and counts.total >= trigger_tokens(edit):
            return self._over_threshold(read_body, edit, now_s, minimum)
        text = "" if is_empty else _text(read_body)
        usage = _usage(counts, tokens_of(text))
        if {ON_DEMAND_BETA, THRESHOLD_BETA} & betas:
            usage["iterations"] = [{"type": "message", **_usage(counts, tokens_of(text))}]
        return _answered(body, [{"type": "text", "text": text}], "end_turn", usage, (counts,))

    def _pass(self, body: Json, now_s: float, minimum: int, more: str | None = None) -> Counts:
        prompt = placed(body, blocks_of(body))
        return looked_up(prompt, self.held, now_s, minimum, tokens_of(more) if more is not None else 0)

    def _on_demand(self, body: Json, now_s: float, minimum: int, *, is_empty: bool) -> Answer:
        """Compaction now: the block alone; top-level usage is zero, the cost stands in `iterations`."""
        instructions = (body["compaction"].get("instructions") or "").strip() or DEFAULT_PROMPT
        counts = self._pass(body, now_s, minimum, instructions)
        summary = _text(body)
        spent = {"type": "compaction", **_usage(counts, tokens_of(summary))}
        usage = {**_usage(_ZERO, 0), "iterations": [spent]}
        if is_empty:
            return _answered(body, [], "max_tokens", usage, (counts,))
        signature = f"sig_{sha256(b'of this workspace' + canonical([body['messages'], summary])).hexdigest()}"
        self.signed[signature] = summary
        block = {"type": "compaction", "content": summary, "signature": signature}
        return _answered(body, [block], "compaction", usage, (counts,))

    def _over_threshold(self, body: Json, edit: Json, now_s: float, minimum: int) -> Answer:
        """Compaction at a threshold: the block, then the answer to what is left; with a pause, the block alone."""
        prompt = (edit.get("instructions") or "").strip() or DEFAULT_PROMPT
        first = self._pass(body, now_s, minimum, prompt)
        summary = f"<summary>{_text(body)}</summary>"
        block = {"type": "compaction", "content": summary, "encrypted_content": None}
        spent = {"type": "compaction", **_usage(first, tokens_of(summary))}
        if edit.get("pause_after_compaction"):
            usage = {**_usage(_ZERO, 0), "iterations": [spent]}
            return _answered(body, [block], "compaction", usage, (first,))
        left = {**body, "messages": [{"role": "assistant", "content": [block]}]}
        second = self._pass(left, now_s, minimum)
        text = _text(left)
        usage = _usage(second, tokens_of(text))
        usage["iterations"] = [spent, {"type": "message", **_usage(second, tokens_of(text))}]
        return _answered(body, [block, {"type": "text", "text": text}], "end_turn", usage, (first, second))


def without_dropped(body: Json) -> Json:
    """*body* as it is read: nothing before the last compaction block, and no block of null."""
    found = [(i, j) for i, j, block in compactions(body["messages"]) if block.get("content") is not None]
    messages = body["messages"]
    if found:
        i, j = found[-1]
        messages = [{**messages[i], "content": messages[i]["content"][j:]}, *messages[i + 1 :]]
    return {**body, "messages": [kept for message in messages if (kept := _without_null(message))["content"]]}


def _without_null(message: Json) -> Json:
    content = message["content"]
    if isinstance(content, str):
        return message
    kept = [b for b in content if b.get("type") != "compaction" or b.get("content") is not None]
    return {**message, "content": kept}


def _text(body: Json) -> str:
    """The same text for the same messages."""
    digest = sha256(canonical(body["messages"])).hexdigest()[:12]
    return f"Summary {digest} of {len(body['messages'])} messages."


def _usage(counts: Counts, output: int) -> Json:
    return {
        "input_tokens": counts.fresh,
        "cache_creation_input_tokens": counts.written,
        "cache_read_input_tokens": counts.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": counts.written_by_ttl_s.get(TTL_S["5m"], 0),
            "ephemeral_1h_input_tokens": counts.written_by_ttl_s.get(HOUR_S, 0),
        },
        "output_tokens": output,
    }


def _answered(body: Json, content: list[Json], stop: str, usage: Json, passes: tuple[Counts, ...]) -> Answer:
    answer = {
        "id": f"msg_{sha256(canonical([body['messages'], content])).hexdigest()[:16]}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    return Answer(answer, passes, streamed=body.get("stream") is True)


def events(answer: Json) -> Iterator[Json]:
    """*answer* as a stream: text in two deltas, a threshold's block in one, a signed block whole in its start."""
    usage = answer["usage"]
    started = {**usage, "output_tokens": 1}
    started.pop("iterations", None)
    yield {"type": "message_start", "message": {**answer, "content": [], "stop_reason": None, "usage": started}}
    yield {"type": "ping"}
    for i, block in enumerate(answer["content"]):
        yield from _block_events(i, block)
    ended = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    final = {key: usage[key] for key in ("output_tokens", "iterations") if key in usage}
    yield {"type": "message_delta", "delta": ended, "usage": final}
    yield {"type": "message_stop"}


def _block_events(i: int, block: Json) -> Iterator[Json]:
    deltas: list[Json] = []
    start = block
    if block["type"] == "text":
        start = {"type": "text", "text": ""}
        half = len(block["text"]) // 2
        deltas = [{"type": "text_delta", "text": part} for part in (block["text"][:half], block["text"][half:])]
    elif "signature" not in block:
        start = {"type": "compaction", "content": None, "encrypted_content": None}
        rest = {key: member for key, member in block.items() if key != "type"}
        deltas = [{"type": "compaction_delta", **rest}]
    yield {"type": "content_block_start", "index": i, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": i, "delta": delta}
    yield {"type": "content_block_stop", "index": i}
