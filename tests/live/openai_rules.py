"""What OpenAI's Chat Completions and Responses answer 400 to, from its documentation and its error texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.live.openai_prefix import OUTPUTS
from tests.live.wire import Json, Refused, invalid

if TYPE_CHECKING:
    from collections.abc import Sequence

# The cache of earlier models follows another rule, which this provider does not have.
_MODELS = re.compile(r"gpt-(5\.([6-9]|\d\d)|6)(?![\d])")
_COMPACT_PARAMS = {
    *("model", "input", "instructions", "previous_response_id", "prompt_cache_key", "prompt_cache_options"),
    *("prompt_cache_retention", "service_tier", "image"),
}
CALLS = ("function_call", "custom_tool_call")
ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def check_model(body: Json) -> None:
    """Raise where the model is missing or not one of this provider."""
    model = body.get("model")
    if not isinstance(model, str):
        raise invalid("you must provide a model parameter")
    if not _MODELS.match(model):
        message = f"The model `{model}` does not exist or you do not have access to it."
        raise Refused(404, "invalid_request_error", message, code="model_not_found")


def check_chat(body: Json) -> list[Json]:
    """The messages; raise what is refused."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise invalid("[] is too short - 'messages'", code="empty_array")
    if (body.get("prompt_cache_options") or {}).get("ttl", "30m") != "30m":
        raise invalid("Invalid value for 'prompt_cache_options.ttl': supported values are '30m'.")
    open_calls: list[str] = []
    for i, message in enumerate(messages):
        if message.get("role") not in ROLES:
            raise invalid(f"Invalid value: '{message.get('role')}'. Supported values are: {', '.join(ROLES)}.")
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                raise invalid(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                    f"'tool_calls'. (messages.[{i}].role)"
                )
            open_calls.remove(message["tool_call_id"])
            continue
        _check_answered(open_calls)
        open_calls = [str(call.get("id")) for call in message.get("tool_calls") or ()]
        if message.get("content") is None and not open_calls:
            raise invalid(f"Invalid value for 'content': expected a string, got null. (messages.[{i}].content)")
    _check_answered(open_calls)
    return messages


def _check_answered(open_calls: Sequence[str]) -> None:
    if open_calls:
        raise invalid(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(open_calls)}"
        )


def check_responses(body: Json, sealed: set[str]) -> list[Json]:
    """The input's items; raise what is refused. *sealed*: the contents of the compaction items that were handed out."""
    if body.get("previous_response_id") is not None:
        raise Refused(404, "invalid_request_error", "Previous response not found.", code="previous_response_not_found")
    items = _items(body)
    for i, item in enumerate(items):
        kind = item.get("type")
        if kind == "compaction_trigger" and i < len(items) - 1:
            raise invalid("A 'compaction_trigger' item must be the last input item.")
        if kind == "compaction" and item.get("encrypted_content") not in sealed:
            raise invalid("The encrypted content could not be verified.", code="invalid_encrypted_content")
    _check_calls(items)
    return items


def _items(body: Json) -> list[Json]:
    given: Any = body.get("input")
    if isinstance(given, str) and given:
        return [{"role": "user", "content": given}]
    if not isinstance(given, list) or not given:
        raise invalid("Missing required parameter: 'input'.", code="missing_required_parameter")
    return given


def _check_calls(items: Sequence[Json]) -> None:
    open_calls: dict[str, None] = {}
    for item in items:
        call_id = str(item.get("call_id"))
        if item.get("type") in CALLS:
            open_calls[call_id] = None
        elif item.get("type") in OUTPUTS:
            if call_id not in open_calls:
                raise invalid(f"No tool call found for function call output with call_id {call_id}.")
            del open_calls[call_id]
    if open_calls:
        raise invalid(f"No tool output found for function call {next(iter(open_calls))}.")


def check_compact(body: Json, sealed: set[str]) -> list[Json]:
    """The input's items of a request to /v1/responses/compact, which takes fewer parameters."""
    for name in body:
        if name not in _COMPACT_PARAMS:
            raise invalid(f"Unknown parameter: '{name}'.", code="unknown_parameter")
    return check_responses(body, sealed)
