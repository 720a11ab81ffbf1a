"""The parameters of a request's body that logs keep beside its messages.

Loggers mix them with what never was in the body: headers, keys, and options of their own client. So only those that
the providers document are taken over (Anthropic Messages, OpenAI Chat Completions and Responses; 2026-06).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.wire.spans import Node

BODY_PARAMETERS = frozenset(
    """
    background cache_control compaction container context_management conversation frequency_penalty function_call
    functions include instructions logit_bias logprobs max_completion_tokens max_output_tokens max_tokens
    max_tool_calls modalities n output_config parallel_tool_calls prediction presence_penalty previous_response_id
    prompt_cache_key prompt_cache_retention reasoning reasoning_effort response_format seed service_tier stop
    stop_sequences store stream stream_options system temperature text thinking tool_choice tools top_k top_logprobs
    top_p truncation verbosity web_search_options
    """.split()
)


def body_parameters(given: Mapping[str, Node]) -> dict[str, bytes | None]:
    """Those of *given* that belong in a body and are not null, as they are written."""
    return {key: node.bytes() for key, node in given.items() if key in BODY_PARAMETERS and node.kind != "null"}


def has_system(messages: list[Node]) -> bool:
    """True where the first of *messages* is a system prompt."""
    first = messages[0].members() if messages and messages[0].kind == "object" else {}
    return "role" in first and first["role"].string() in ("system", "developer")
