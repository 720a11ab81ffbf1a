"""OpenAI's Chat Completions and Responses: what they answer, what that billed, and their event streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from tests.live.openai_prefix import TTL_S, looked_up
from tests.live.openai_rules import check_chat, check_compact, check_model, check_responses
from tests.live.wire import Answer, Counts, Entries, Json, canonical, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass
class OpenaiApi:
    """One organisation: what it keeps, and the compaction items that it sealed."""

    held: Entries = field(default_factory=Entries)
    sealed: set[str] = field(default_factory=set)

    def chat(self, body: Json, now_s: float, *, is_empty: bool = False) -> Answer:
        """The answer to POST /v1/chat/completions at that time, or `Refused`."""
        check_model(body)
        messages = check_chat(body)
        counts = looked_up(body, messages, self.held, now_s)
        text = "" if is_empty else _text(messages)
        answer = {
            "id": f"chatcmpl-{_digest(messages)}",
            "object": "chat.completion",
            "model": body["model"],
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": counts.total,
                "prompt_tokens_details": {"cached_tokens": counts.read, "cache_write_tokens": counts.written},
                "completion_tokens": tokens_of(text),
                "total_tokens": counts.total + tokens_of(text),
            },
        }
        return Answer(answer, (counts,), streamed=body.get("stream") is True)

    def responses(self, body: Json, now_s: float, *, is_empty: bool = False) -> Answer:
        """The answer to POST /v1/responses at that time, or `Refused`."""
        check_model(body)
        items = from_compaction(check_responses(body, self.sealed))
        is_asked = items[-1].get("type") == "compaction_trigger"
        prompt = items[:-1] if is_asked else items
        counts = looked_up(body, prompt, self.held, now_s)
        text = "" if is_empty else _text(prompt)
        output: list[Json] = []
        if is_asked or any(counts.total >= limit for limit in _thresholds(body)):
            output.append(self._sealed(prompt))
        if not is_asked:
            part = {"type": "output_text", "text": text, "annotations": []}
            message = {"type": "message", "id": f"msg_{_digest(prompt)}", "role": "assistant", "content": [part]}
            output.append({**message, "status": "completed"})
        return Answer(_response(body, "response", output, counts), (counts,), streamed=body.get("stream") is True)

    def compact(self, body: Json, now_s: float) -> Answer:
        """The answer to POST /v1/responses/compact: all user messages and one compaction item."""
        check_model(body)
        items = check_compact(body, self.sealed)
        counts = looked_up(body, items, self.held, now_s)
        output = [item for item in items if item.get("role") == "user"]
        return Answer(_response(body, "response.compaction", [*output, self._sealed(items)], counts), (counts,))

    def _sealed(self, items: Sequence[Json]) -> Json:
        content = f"sealed-{sha256(b'of this organisation' + canonical(list(items))).hexdigest()}"
        self.sealed.add(content)
        return {"type": "compaction", "id": f"cmp_{_digest(items)}", "encrypted_content": content}


def from_compaction(items: list[Json]) -> list[Json]:
    """From the last compaction item on: what stands before it is pruned."""
    found = [i for i, item in enumerate(items) if item.get("type") == "compaction"]
    return items[found[-1] :] if found else items


def _thresholds(body: Json) -> list[int]:
    edits = body.get("context_management") or []
    return [int(edit["compact_threshold"]) for edit in edits if edit.get("type") == "compaction"]


def _digest(items: Sequence[Json]) -> str:
    return sha256(canonical(list(items))).hexdigest()[:12]


def _text(items: Sequence[Json]) -> str:
    """The same text for the same items."""
    return f"Summary {_digest(items)} of {len(items)} items."


def _response(body: Json, kind: str, output: list[Json], counts: Counts) -> Json:
    split = {f"ttl_{ttl}_tokens": counts.written_by_ttl_s.get(seconds, 0) for ttl, seconds in TTL_S.items()}
    details = {
        "cached_tokens": counts.read,
        "cache_write_tokens": counts.written,
        "cache_write_tokens_details": split,
    }
    n_output = tokens_of(output[-1])
    return {
        "id": f"resp_{_digest([*output, {'of': body['model']}])}",
        "object": kind,
        "status": "completed",
        "model": body["model"],
        "output": output,
        "usage": {
            "input_tokens": counts.total,
            "input_tokens_details": details,
            "output_tokens": n_output,
            "total_tokens": counts.total + n_output,
        },
    }


def chat_events(answer: Json, *, with_usage: bool) -> Iterator[Json]:
    """*answer* as chunks; the last one has the usage where `stream_options.include_usage` asks for it."""
    choice = answer["choices"][0]
    head = {"id": answer["id"], "object": "chat.completion.chunk", "model": answer["model"]}
    text = choice["message"]["content"]
    half = len(text) // 2
    for delta in ({"role": "assistant", "content": ""}, {"content": text[:half]}, {"content": text[half:]}):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    if with_usage:
        yield {**head, "choices": [], "usage": answer["usage"]}


def response_events(answer: Json) -> Iterator[Json]:
    """*answer* as events; the last one has it whole."""
    yield {"type": "response.created", "response": {**answer, "status": "in_progress", "output": [], "usage": None}}
    for i, item in enumerate(answer["output"]):
        if item["type"] == "compaction":
            yield {"type": "response.compaction.compacting", "output_index": i}
        yield {"type": "response.output_item.done", "output_index": i, "item": item}
    yield {"type": "response.completed", "response": answer}
