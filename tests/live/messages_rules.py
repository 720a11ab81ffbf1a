"""What Anthropic's Messages API answers 400 to, from its documentation and its error texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.live.messages_prefix import MINIMUM
from tests.live.wire import Json, Refused, invalid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ON_DEMAND_BETA = "compact-2026-09-04"
THRESHOLD_BETA = "compact-2026-01-12"
THRESHOLD_EDIT = "compact_20260112"
LEAST_TRIGGER_TOKENS = 50_000
DEFAULT_TRIGGER_TOKENS = 150_000
MOST_INSTRUCTIONS_CHARS = 16_384
COMPACTS = {
    *("fable-5-1", "mythos-5-1", "fable-5", "mythos-5", "mythos-preview", "opus-5-5", "opus-5", "opus-4-8"),
    *("opus-4-7", "opus-4-6", "sonnet-5", "sonnet-4-6", "sonnet-5-5", "haiku-5-5"),
}
TAKES_SYSTEM_IN_LIST = {
    "fable-5",
    "fable-5-1",
    "mythos-5",
    "mythos-5-1",
    "opus-5",
    "opus-5-5",
    "opus-4-8",
    "sonnet-5-5",
}


def model_of(body: Json) -> str:
    """The model's short name: `claude-sonnet-4-5-20250929` is `sonnet-4-5`."""
    given = body.get("model")
    if not isinstance(given, str):
        raise invalid("model: Field required")
    name = given.removeprefix("claude-")
    head, _, date = name.rpartition("-")
    short = head if len(date) == 8 and date.isdigit() else name
    if short not in MINIMUM or not given.startswith("claude-"):
        raise Refused(404, "not_found_error", f"model: {given}")
    return short


def betas_of(headers: Mapping[str, str]) -> set[str]:
    """The betas that the headers (in small letters) ask for."""
    return {name.strip() for name in headers.get("anthropic-beta", "").split(",")} - {""}


def check(body: Json, betas: set[str], signed: Mapping[str, str]) -> None:
    """Raise what is refused; *signed* are the contents of the blocks that were handed out, by signature."""
    if not isinstance(body.get("max_tokens"), int):
        raise invalid("max_tokens: Field required")
    if body["max_tokens"] == 0:
        _check_prewarming(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise invalid("messages: at least one message is required")
    for i, message in enumerate(messages):
        _check_message(i, message, messages, model_of(body))
    if messages[0]["role"] != "user" and _first_type(messages) != "compaction":
        raise invalid('messages: first message must use the "user" role')
    _check_pairs(messages)
    _check_blocks(messages, betas, signed)
    _check_on_demand(body, betas)
    _check_threshold(body, betas)


def _check_prewarming(body: Json) -> None:
    """Without an answer: `max_tokens` of 0, which fills the cache."""
    refused = {
        "stream": body.get("stream") is True,
        "thinking": (body.get("thinking") or {"type": "disabled"}).get("type") != "disabled",
        "output_config.format": (body.get("output_config") or {}).get("format") is not None,
        "tool_choice": (body.get("tool_choice") or {}).get("type") in ("any", "tool"),
    }
    for name, is_set in refused.items():
        if is_set:
            raise invalid(f"max_tokens: 0 cannot be combined with `{name}`")


def _first_type(messages: list[Json]) -> Any:
    content = messages[0]["content"]
    return content[0].get("type") if isinstance(content, list) and content else "text"


def _check_message(i: int, message: Json, messages: list[Json], model: str) -> None:
    role, content = message.get("role"), message.get("content")
    if role == "system":
        if model not in TAKES_SYSTEM_IN_LIST:
            raise invalid(f"messages.{i}: role 'system' is not supported on this model")
        if i == 0 or messages[i - 1].get("role") != "user":
            raise invalid(f"messages.{i}: a system message must follow a user turn")
    elif role not in ("user", "assistant"):
        raise invalid(f"messages.{i}.role: Input should be 'user' or 'assistant'")
    is_last_answer = role == "assistant" and i == len(messages) - 1
    if not content and not is_last_answer:
        raise invalid(
            f"messages.{i}: all messages must have non-empty content except for the optional final assistant message"
        )
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    for j, block in enumerate(blocks):
        text = block.get("text")
        if block.get("type") == "text" and not str(text).strip() and not (is_last_answer and isinstance(content, str)):
            raise invalid(f"messages.{i}.content.{j}: text content blocks must contain non-whitespace text")
        is_late = block.get("type") == "tool_result" and any(b.get("type") != "tool_result" for b in blocks[:j])
        if is_late:
            raise invalid(f"messages.{i}.content.{j}: `tool_result` blocks must come first in the content")
    last = blocks[-1] if blocks else {}
    if is_last_answer and isinstance(last.get("text"), str) and last["text"] != last["text"].rstrip():
        raise invalid("messages: final assistant content cannot end with trailing whitespace")


def _turns(messages: list[Json]) -> Iterator[tuple[int, str, list[Json]]]:
    """The messages as the API reads them: those of one role in a row are one turn. With the first one's number."""
    turn: tuple[int, str, list[Json]] | None = None
    for i, message in enumerate(messages):
        content = message["content"]
        blocks = list(content) if isinstance(content, list) else []
        if turn is not None and turn[1] == message["role"]:
            turn[2].extend(blocks)
            continue
        if turn is not None:
            yield turn
        turn = (i, message["role"], blocks)
    if turn is not None:
        yield turn


def _ids(blocks: list[Json], kind: str, member: str) -> list[str]:
    return [str(block.get(member)) for block in blocks if block.get("type") == kind]


def _check_pairs(messages: list[Json]) -> None:
    turns = list(_turns(messages))
    for at, (i, role, blocks) in enumerate(turns):
        before = turns[at - 1][2] if at else []
        after = turns[at + 1][2] if at + 1 < len(turns) else []
        called = set(_ids(before, "tool_use", "id")) if role == "user" else set()
        for result in _ids(blocks, "tool_result", "tool_use_id"):
            if result not in called:
                raise invalid(
                    f"messages.{i}: unexpected `tool_use_id` found in `tool_result` blocks: {result}. Each "
                    "`tool_result` block must have a corresponding `tool_use` block in the previous message."
                )
        answered = set(_ids(after, "tool_result", "tool_use_id"))
        if missing := [call for call in _ids(blocks, "tool_use", "id") if call not in answered]:
            raise invalid(
                f"messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message."
            )


def compactions(messages: list[Json]) -> list[tuple[int, int, Json]]:
    """The compaction blocks: message, place in it, block."""
    return [
        (i, j, block)
        for i, message in enumerate(messages)
        if isinstance(message["content"], list)
        for j, block in enumerate(message["content"])
        if block.get("type") == "compaction"
    ]


def _check_blocks(messages: list[Json], betas: set[str], signed: Mapping[str, str]) -> None:
    found = compactions(messages)
    if any(block.get("content") == "" for _, _, block in found):
        raise invalid("a compaction block must not have an empty string as its content")
    with_signature = [(i, j, block) for i, j, block in found if block.get("signature") is not None]
    if not with_signature:
        return
    if ON_DEMAND_BETA not in betas:
        raise invalid(f"a signed compaction block needs the header anthropic-beta: {ON_DEMAND_BETA}")
    if len(found) > 1:
        raise invalid("at most one compaction block may be provided")
    i, j, block = with_signature[0]
    where = f"messages.{i}.content.{j}"
    if (i, j) != (0, 0):
        raise invalid(f"{where}: compaction_block_misplaced: the block must come first in `messages`")
    if nulls := [key for key, member in block.items() if member is None]:
        raise invalid(f"{where}.{nulls[0]}: Extra inputs are not permitted")
    content = signed.get(str(block["signature"]))
    if content is None:
        raise invalid(f"{where}: compaction_signature_invalid: the signature was not made by this provider")
    if content != block.get("content"):
        raise invalid(f"{where}: compaction_content_mismatch: the content is not what was signed")


def _check_on_demand(body: Json, betas: set[str]) -> None:
    asked = body.get("compaction")
    if asked is None:
        return
    if ON_DEMAND_BETA not in betas:
        raise invalid("compaction: Extra inputs are not permitted")
    if not isinstance(asked, dict) or asked.get("type") != "summarize":
        raise invalid("compaction.type: Input should be 'summarize'")
    if body.get("context_management") is not None:
        raise invalid("compaction: cannot be combined with `context_management`")
    if model_of(body) not in COMPACTS:
        raise invalid(f"compaction: not supported by the model {body['model']}")
    if len(asked.get("instructions") or "") > MOST_INSTRUCTIONS_CHARS:
        raise invalid(f"compaction.instructions: at most {MOST_INSTRUCTIONS_CHARS} characters")
    config = body.get("output_config") or {}
    refused = {
        "stop_sequences": bool(body.get("stop_sequences")),
        "tool_choice": (body.get("tool_choice") or {}).get("type") in ("any", "tool"),
        "output_config.format": config.get("format") is not None,
        "output_config.task_budget.remaining": (config.get("task_budget") or {}).get("remaining") is not None,
    }
    for name, is_set in refused.items():
        if is_set:
            raise invalid(f"compaction: cannot be combined with `{name}`")
    if all(_is_carrier(message) for message in body["messages"]):
        raise invalid("compaction_nothing_to_summarize: there is no message behind the compaction block")


def _is_carrier(message: Json) -> bool:
    content = message["content"]
    return isinstance(content, list) and bool(content) and all(block.get("type") == "compaction" for block in content)


def threshold_of(body: Json) -> Json | None:
    """The edit that asks for compaction at a threshold."""
    edits = (body.get("context_management") or {}).get("edits") or []
    return next((edit for edit in edits if edit.get("type") == THRESHOLD_EDIT), None)


def trigger_tokens(edit: Json) -> int:
    """When it fires."""
    return int((edit.get("trigger") or {}).get("value", DEFAULT_TRIGGER_TOKENS))


def _check_threshold(body: Json, betas: set[str]) -> None:
    edit = threshold_of(body)
    if edit is None:
        return
    where = "context_management.edits.0"
    if THRESHOLD_BETA not in betas:
        raise invalid("context_management: Extra inputs are not permitted")
    if model_of(body) not in COMPACTS:
        raise invalid(f"{where}: {THRESHOLD_EDIT} is not supported by the model {body['model']}")
    if (edit.get("trigger") or {"type": "input_tokens"}).get("type") != "input_tokens":
        raise invalid(f"{where}.trigger.type: Input should be 'input_tokens'")
    if trigger_tokens(edit) < LEAST_TRIGGER_TOKENS:
        raise invalid(f"{where}.trigger.value: Input should be greater than or equal to {LEAST_TRIGGER_TOKENS}")
    if any(block.get("signature") is not None for _, _, block in compactions(body["messages"])):
        raise invalid(f"{where}: {THRESHOLD_EDIT} cannot run on a request that carries a signed compaction block")
