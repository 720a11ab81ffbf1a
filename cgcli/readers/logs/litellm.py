"""LiteLLM's StandardLoggingPayload, as its file, S3, GCS and callback loggers write it: one call a record.

`messages` are as they were sent, tools and the other parameters stand in `model_parameters`, `response` is whole.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.dialects.base import string_of
from cgcli.model import Section, Usage
from cgcli.readers import answers
from cgcli.readers.base import Known
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import count_at, elements_of, members_of, or_missed, value_at
from cgcli.readers.logs.parameters import body_parameters, has_system
from cgcli.readers.records import records
from cgcli.readers.spelling import object_of
from cgcli.readers.stamps import time_s
from cgcli.readers.usage import split
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node

_WRAPPER = "standard_logging_object"
_CHAT_CALLS = frozenset({"completion", "acompletion"})
_RESPONSES_CALLS = frozenset({"responses", "aresponses"})


class LiteLlm:
    """LiteLLM's logging payload."""

    name: ClassVar[str] = "litellm"
    known: ClassVar[Known] = Known(tools=True, system=True, usage=True, response=True, time=True)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has `messages` and `model_parameters`, with a `call_type` or a `trace_id`."""
        return any(_is_payload(_payload(members)) for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request a record, in the order of the file: that in which they were answered."""
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
            else:
                yield or_missed(record.line, partial(_call, record.members, record.line))


def _payload(members: Mapping[str, Node]) -> Mapping[str, Node]:
    return members_of(members.get(_WRAPPER)) or members


def _is_payload(payload: Mapping[str, Node]) -> bool:
    return "messages" in payload and "model_parameters" in payload and ("call_type" in payload or "trace_id" in payload)


def _call(members: Mapping[str, Node], line: int) -> Derived | Missed:
    payload = _payload(members)
    kind = string_of(payload, "call_type")
    parameters = members_of(payload.get("model_parameters"))
    messages = payload.get("messages")
    is_responses = kind in _RESPONSES_CALLS
    if messages is None or messages.kind not in (("array", "string") if is_responses else ("array",)):
        raise Malformed("no_body", "`messages` is no list: its logging was turned off, or it is no chat")
    body = object_of(
        {
            "model": payload["model"].bytes() if string_of(payload, "model") is not None else None,
            **body_parameters(parameters),
            "input" if is_responses else "messages": messages.bytes(),
        }
    )
    answer = payload.get("response")
    has_answer = answer is not None and answer.kind == "object"
    trace = string_of(payload, "trace_id")
    return Derived(
        body=body,
        line=line,
        session_id=trace if trace != string_of(payload, "id") else None,
        sent_s=time_s(value_at(payload, "startTime")),
        answered_s=time_s(value_at(payload, "endTime")),
        find_answer=partial(answers.of_body, answer.bytes()) if answer is not None and has_answer else None,
        usage=_usage(payload),
        unrecorded=_unrecorded(payload, kind, elements_of(messages)),
    )


def _unrecorded(payload: Mapping[str, Node], kind: str | None, messages: list[Node]) -> frozenset[Section]:
    """What is not said: an absent system prompt is none in a chat, where it would be a message."""
    parameters = payload.get("model_parameters")
    said = members_of(parameters)
    silent = set()
    if parameters is None or parameters.kind != "object":
        silent.add(Section.TOOLS)
    if kind not in _CHAT_CALLS and not {"system", "instructions"} & said.keys() and not has_system(messages):
        silent.add(Section.SYSTEM)
    return frozenset(silent)


def _usage(payload: Mapping[str, Node]) -> Usage | None:
    """The answer's usage; the sums beside it do not say what was read, so that all of it counts as fresh."""
    told = members_of(members_of(payload.get("response")).get("usage"))
    told = told or members_of(members_of(payload.get("metadata")).get("usage_object"))
    total = count_at(told, "prompt_tokens") if "prompt_tokens" in told else count_at(told, "input_tokens")
    output = count_at(told, "completion_tokens") if "completion_tokens" in told else count_at(told, "output_tokens")
    if total is None:
        total, output = count_at(payload, "prompt_tokens"), count_at(payload, "completion_tokens")
        return Usage(fresh=total, read=None, write_by_ttl_s=None, output=output) if total else None
    details = _first_object(told, "prompt_tokens_details", "input_tokens_details")
    read = count_at(details, "cached_tokens") or count_at(told, "cache_read_input_tokens") or 0
    written = count_at(told, "cache_creation_input_tokens") or count_at(details, "cache_creation_tokens") or 0
    # LiteLLM adds what was read and written to Anthropic's input, as OpenAI does; its first versions did not.
    inclusive = "prompt_tokens" in told and total >= read + written
    fresh = total - read - written if inclusive or "input_tokens_details" in told else total
    return Usage(
        fresh=max(0, fresh),
        read=read,
        write_by_ttl_s=split(written, value_at(details, "cache_creation_token_details")),
        output=output,
    )


def _first_object(members: Mapping[str, Node], *keys: str) -> Mapping[str, Node]:
    return next((found for key in keys if (found := members_of(members.get(key)))), {})
