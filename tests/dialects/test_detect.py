"""Which dialect a body has."""

from __future__ import annotations

import pytest

from cgcli.dialects import DIALECTS, detect, head_of, named
from cgcli.wire.spans import Document, Malformed

HI = '{"role":"user","content":"hi"}'
ANSWER = '{"role":"assistant","content":"ho"}'
CALL = '{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"B","input":{}}]}'
MARKED = '{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}'
CHAT_CALL = '{"role":"assistant","content":null,"tool_calls":[]}'
FUNCTION = '{"type":"function","function":{"name":"f"}}'

CERTAIN: dict[str, tuple[str, str]] = {
    "system": (f'{{"system":"s","messages":[{HI}]}}', "anthropic"),
    "anthropic_version": (f'{{"anthropic_version":"bedrock-2023-05-31","messages":[{HI}]}}', "anthropic"),
    "input_schema": (f'{{"tools":[{{"name":"B","input_schema":{{}}}}],"messages":[{HI}]}}', "anthropic"),
    "tool_use": (f'{{"model":"gpt-4","messages":[{HI},{CALL}]}}', "anthropic"),
    "thinking": ('{"messages":[{"role":"assistant","content":[{"type":"thinking"}]}]}', "anthropic"),
    "tool_result": ('{"messages":[{"role":"user","content":[{"type":"tool_result"}]}]}', "anthropic"),
    "system role later": (
        f'{{"messages":[{HI},{{"role":"system","content":"now"}},{CALL}]}}',
        "anthropic",
    ),
    "tool_calls": (f'{{"model":"claude-x","messages":[{HI},{CHAT_CALL}]}}', "openai-chat"),
    "tool role": (f'{{"model":"claude-x","messages":[{HI},{{"role":"tool","content":""}}]}}', "openai-chat"),
    "function tool": (f'{{"model":"claude-x","tools":[{FUNCTION}],"messages":[{HI}]}}', "openai-chat"),
    "developer role": (f'{{"messages":[{{"role":"developer","content":""}},{HI}]}}', "openai-chat"),
    "system role first": (f'{{"model":"claude-x","messages":[{{"role":"system","content":""}},{HI}]}}', "openai-chat"),
    "input string": ('{"model":"m","input":"hi"}', "openai-responses"),
    "input items": ('{"model":"claude-x","input":[{"type":"reasoning"}]}', "openai-responses"),
    "input messages": (f'{{"input":[{HI}]}}', "openai-responses"),
    "empty input": ('{"model":"m","input":[]}', "openai-responses"),
}
AMBIGUOUS: list[tuple[str, str | None, str]] = [
    # messages and model, what the container says, what it is
    (f'{{"messages":[{HI}]}}', None, "openai-chat"),
    (f'{{"messages":[{HI}]}}', "anthropic", "anthropic"),
    (f'{{"messages":[{HI}]}}', "bedrock", "anthropic"),
    (f'{{"messages":[{HI}]}}', "openai", "openai-chat"),
    (f'{{"model":"gpt-4o","messages":[{HI}]}}', "anthropic", "anthropic"),
    (f'{{"model":"claude-x","messages":[{HI}]}}', "openrouter", "openai-chat"),
    (f'{{"model":"us.anthropic.Claude-x","messages":[{HI}]}}', None, "anthropic"),
    (f'{{"model":"gpt-4o","messages":[{HI},{ANSWER}]}}', None, "openai-chat"),
    (f'{{"messages":[{MARKED}]}}', None, "anthropic"),
    (f'{{"model":"gpt-4o","messages":[{MARKED}]}}', None, "openai-chat"),
    ('{"model":"claude-x","messages":[]}', None, "anthropic"),
    (f'{{"model":7,"messages":[{HI}]}}', None, "openai-chat"),
]
NONE = [
    "{}",
    '{"model":"m"}',
    '{"messages":{}}',
    '{"messages":[1]}',
    '{"messages":[null]}',
    f'{{"messages":[{HI},5]}}',
    '{"messages":[{"content":"no role"}]}',
    '{"input":[{"content":"neither role nor type"}]}',
    '{"input":7}',
]


def _detect(body: str, provider: str | None = None) -> str | None:
    members = Document(body.encode()).root().members()
    head = head_of(members)
    found = None if head is None else detect(members, head, provider=provider)
    return None if found is None else found.name


@pytest.mark.parametrize("case", CERTAIN)
@pytest.mark.parametrize("provider", [None, "anthropic", "openai"])
def test_what_only_one_provider_has_decides(case: str, provider: str | None) -> None:
    """Whatever the container or the model's name says."""
    body, expected = CERTAIN[case]
    assert _detect(body, provider) == expected


@pytest.mark.parametrize(("body", "provider", "expected"), AMBIGUOUS)
def test_what_fits_two_is_decided_by_provider_then_model_then_marks(
    body: str, provider: str | None, expected: str
) -> None:
    """A short conversation without tools looks the same for both."""
    assert _detect(body, provider) == expected


@pytest.mark.parametrize("body", NONE)
def test_bodies_of_no_known_provider(body: str) -> None:
    """Numbers, missing roles, missing messages: none of them."""
    assert _detect(body) is None


def test_messages_known_before_count_as_if_they_stood_here() -> None:
    """What tells the dialect may stand in the messages that a number is a stand-in for."""
    whole = Document(f'{{"model":"gpt-4","messages":[{HI},{CALL},{HI}]}}'.encode()).root().members()
    holed = Document(f'{{"model":"gpt-4","messages":[0,{HI}]}}'.encode()).root().members()
    known = head_of(whole)
    assert known is not None
    assert [message.role for message in known] == ["user", "assistant", "user"]
    assert head_of(holed, known[:2]) == known
    for n, expected in ((1, "openai-chat"), (2, "anthropic")):
        head = head_of(holed, known[:n])
        assert head is not None
        found = detect(holed, head)
        assert found is not None
        assert found.name == expected


def test_only_the_first_messages_are_looked_at() -> None:
    """The 65th message tells nothing any more, so that the work per request is bounded."""
    for n, expected in ((63, "anthropic"), (64, "openai-chat")):
        body = f'{{"messages":[{",".join([HI] * n)},{CALL}]}}'
        assert _detect(body) == expected


def test_a_message_with_a_key_twice_is_no_evidence() -> None:
    """It is refused, not guessed at."""
    members = Document(b'{"messages":[{"role":"user","role":"tool"}]}').root().members()
    with pytest.raises(Malformed) as caught:
        head_of(members)
    assert caught.value.reason == "duplicate_key"


def test_dialects_are_found_by_name() -> None:
    """Each by its own, and nothing else."""
    assert [named(dialect.name).name for dialect in DIALECTS] == ["openai-responses", "anthropic", "openai-chat"]
    with pytest.raises(KeyError):
        named("cohere")
