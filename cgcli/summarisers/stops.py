"""Why a provider stopped, and the text up to there, in each of the three shapes of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.model import Refusal, value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CUT = frozenset({"max_tokens", "model_context_window_exceeded", "pause_turn", "length", "max_output_tokens"})
_REFUSED = frozenset({"refusal", "content_filter"})
CLIENT_CALLS = frozenset(
    "function_call custom_tool_call local_shell_call shell_call computer_call apply_patch_call".split()
)
"""Responses: calls that the client has to answer; a provider's own search may stand beside a summary."""
_CALLED = frozenset({"tool_use", "tool_calls", "function_call"})


@value
class Reply:
    """What an answer says."""

    text: str
    stop: str
    """As the provider names it; `nothing` where it says none."""
    fault: Refusal | None
    """Why its text is no whole answer."""
    is_error: bool = False


def of_anthropic(answer: Mapping[str, Any]) -> Reply:
    """A message: the texts of its blocks, joined without a separator."""
    blocks = list(_dicts(answer.get("content")))
    text = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    has_call = any(block.get("type") == "tool_use" for block in blocks)
    return _reply(text, answer.get("stop_reason"), has_call=has_call)


def of_chat(answer: Mapping[str, Any]) -> Reply:
    """A chat completion: its first choice."""
    choice = next(_dicts(answer.get("choices")), {})
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    content = message.get("content")
    parts = _dicts(content)
    text = content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in parts)
    stop = "refusal" if message.get("refusal") else choice.get("finish_reason")
    return _reply(text, stop, has_call=bool(message.get("tool_calls") or message.get("function_call")))


def of_responses(answer: Mapping[str, Any]) -> Reply:
    """A response: the texts of its messages."""
    items = list(_dicts(answer.get("output")))
    content = [part for item in items if item.get("type") == "message" for part in _dicts(item.get("content"))]
    text = "".join(str(part.get("text", "")) for part in content if part.get("type") == "output_text")
    details = answer.get("incomplete_details")
    stop = details.get("reason") if isinstance(details, dict) else answer.get("status")
    if any(part.get("type") == "refusal" for part in content):
        stop = "refusal"
    return _reply(text, stop, has_call=any(item.get("type") in CLIENT_CALLS for item in items))


def of_error(answer: Mapping[str, Any]) -> Reply:
    """An error in the place of an answer; its message is not repeated."""
    kind = str(answer["error"].get("type") or answer["error"].get("code") or "unknown")
    refusal = Refusal(reason="error_answer", detail=f"the provider answered with an error: {kind[:60]}")
    return Reply(text="", stop=kind, fault=refusal, is_error=True)


def _reply(text: str, stop: object, *, has_call: bool) -> Reply:
    named = stop if isinstance(stop, str) else "nothing"
    fault = None
    if named in _REFUSED:
        fault = Refusal(reason="refused", detail=f"the model refused to answer ({named})")
    elif has_call or named in _CALLED:
        fault = Refusal(reason="no_text", detail="the model called a tool instead of writing a summary")
    elif named in _CUT:
        fault = Refusal(reason="cut", detail=f"the summary was cut off ({named})")
    elif named in ("failed", "cancelled", "incomplete"):
        fault = Refusal(reason="error_answer", detail=f"the response is {named}")
    return Reply(text=text, stop=named, fault=fault)


def _dicts(listed: Any) -> Iterator[dict[str, Any]]:
    yield from (one for one in listed if isinstance(one, dict)) if isinstance(listed, list) else ()
