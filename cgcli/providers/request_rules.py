"""What providers answer with 400, by the shape of the request alone."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.providers.claude_names import short_name

if TYPE_CHECKING:
    from collections.abc import Mapping

READ_ON = "2026-11-30"
"""When the sources below were read."""


class Fault(StrEnum):
    """What is wrong with a request."""

    NO_MESSAGES = "no_messages"
    FIRST_NOT_USER = "first_not_user"
    UNKNOWN_ROLE = "unknown_role"
    SYSTEM_IN_LIST = "system_in_list"
    SYSTEM_MISPLACED = "system_misplaced"
    BLANK_TEXT = "blank_text"
    NO_CONTENT = "no_content"
    RESULT_NOT_FIRST = "result_not_first"
    TOO_MANY_MARKS = "too_many_marks"
    SAME_TOOL_NAME = "same_tool_name"


@value
class RequestRule:
    """One shape that is refused."""

    dialects: tuple[str, ...]
    says: str
    """What is refused, in a line."""
    source: str


_ANTHROPIC = ("anthropic",)
_MESSAGES_API = "Claude API, Messages, error text"
RULES: Mapping[Fault, RequestRule] = MappingProxyType(
    {
        Fault.NO_MESSAGES: RequestRule(
            dialects=("anthropic", "openai-chat"),
            says="the list of messages is empty",
            source=f"{_MESSAGES_API} `messages: at least one message is required`; OpenAI API `[] is too short`",
        ),
        Fault.FIRST_NOT_USER: RequestRule(
            dialects=_ANTHROPIC,
            says="the first message is not the user's (a compaction block alone may come first)",
            source=f'{_MESSAGES_API} `first message must use the "user" role`; Claude docs, compaction on demand',
        ),
        Fault.UNKNOWN_ROLE: RequestRule(
            dialects=("anthropic", "openai-chat"),
            says="a message has a role that the provider does not know",
            source="Anthropic Python SDK 2.14.0 and OpenAI Python SDK 3.57.0, message types",
        ),
        Fault.SYSTEM_IN_LIST: RequestRule(
            dialects=_ANTHROPIC,
            says="a system message stands among the messages, which the model does not take",
            source="Claude docs, system messages in the conversation, supported models",
        ),
        Fault.SYSTEM_MISPLACED: RequestRule(
            dialects=_ANTHROPIC,
            says="a system message must follow a user turn, and come before an assistant turn or end the list",
            source="Claude docs, system messages in the conversation; context-guru, ValidateShapeFor",
        ),
        Fault.BLANK_TEXT: RequestRule(
            dialects=_ANTHROPIC,
            says="a text block is empty, or nothing but white space",
            source=f"{_MESSAGES_API} `text content blocks must be non-empty`, `must contain non-whitespace text`",
        ),
        Fault.NO_CONTENT: RequestRule(
            dialects=("anthropic", "openai-chat"),
            says="a message has no content, and is not the last one of the assistant's (Anthropic) or a call (OpenAI)",
            source=f"{_MESSAGES_API} `all messages must have non-empty content`; OpenAI API `expected a string`",
        ),
        Fault.RESULT_NOT_FIRST: RequestRule(
            dialects=_ANTHROPIC,
            says="a tool result stands behind other content of its user turn",
            source="Claude docs, tool use, tool results come first in the content",
        ),
        Fault.TOO_MANY_MARKS: RequestRule(
            dialects=_ANTHROPIC,
            says="more than 4 blocks have a cache mark",
            source=f"{_MESSAGES_API} `A maximum of 4 blocks with cache_control may be provided`",
        ),
        Fault.SAME_TOOL_NAME: RequestRule(
            dialects=_ANTHROPIC,
            says="two tools have the same name",
            source=f"{_MESSAGES_API} `tools: Tool names must be unique`",
        ),
    }
)

ROLES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "anthropic": frozenset({"user", "assistant", "system"}),
        "openai-chat": frozenset({"developer", "system", "user", "assistant", "tool", "function"}),
    }
)
"""The roles of a message, by dialect."""

TAKES_SYSTEM_IN_LIST = frozenset(
    {"fable-5", "fable-5-1", "mythos-5", "mythos-5-1", "opus-5", "opus-5-5", "opus-4-8", "sonnet-5-5"}
)
"""Claude docs, system messages in the conversation; sonnet-5-5 after a third party's page."""
REFUSES_SYSTEM_IN_LIST = frozenset(
    {
        "sonnet-5",
        "sonnet-4-6",
        "sonnet-4-5",
        "sonnet-4",
        "sonnet-3-7",
        "sonnet-3-5",
        "haiku-4-5",
        "haiku-3-5",
        "haiku-3",
        "opus-4-7",
        "opus-4-6",
        "opus-4-5",
        "opus-4-1",
        "opus-4",
        "opus-3",
    }
)
"""Claude docs: models that are not in that list, and have been out since before it was written."""


def takes_system_in_list(model: str | None) -> bool | None:
    """Whether *model* takes a system message among the messages; None where that is not known."""
    name = short_name(model)
    if name in TAKES_SYSTEM_IN_LIST:
        return True
    return False if name in REFUSES_SYSTEM_IN_LIST else None
