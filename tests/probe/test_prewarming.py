"""A parent that is to fill the cache alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.model import Refusal
from cgcli.probe.prewarming import prewarming
from cgcli.readers.single import parse_body
from tests.live.asking import HOUR, MARK
from tests.probe.probed import YES_TOKENS, conversation, reads

if TYPE_CHECKING:
    from tests.live.provider import Provider
    from tests.probe.probed import Probing

N_TOKENS = 2400 + 3 * YES_TOKENS
BODY = conversation(1500, 400, 300, 200, mark=MARK)


@pytest.mark.parametrize("more", [{}, {"stream": True}], ids=["whole", "streamed"])
@pytest.mark.parametrize("mark", [MARK, HOUR], ids=["5m", "1h"])
def test_the_fork_reads_what_a_parent_without_an_answer_wrote(
    probing: Probing, mark: dict[str, str], more: dict[str, Any]
) -> None:
    """The prefix is the same, and no token of output is paid for."""
    probed = probing(conversation(1500, 400, 300, 200, mark=mark, **more), "fork", prewarm=True)
    assert reads(probed) == {"fork": (N_TOKENS, N_TOKENS)}
    usage = probed.sent[0].usage
    assert usage is not None
    assert (usage.output, usage.read, sum((usage.write_by_ttl_s or {}).values())) == (0, 0, N_TOKENS)


def test_nothing_but_two_members_is_edited(probing: Probing, provider: Provider) -> None:
    """`max_tokens` and `stream`: every other byte is the parent's; the fork keeps both as they were."""
    probing(conversation(1500, 400, 300, 200, mark=MARK, stream=True), "fork", prewarm=True)
    saved = (probing.folder / "parent.jsonl").read_bytes().rstrip(b"\n")
    expected = saved.replace(b'"max_tokens": 1000', b'"max_tokens": 0').replace(b'"stream": true', b'"stream": false')
    assert provider.seen[0].body == expected
    fork = json.loads(provider.seen[1].body)
    assert (fork["max_tokens"], fork["stream"]) == (1000, True)


@pytest.mark.parametrize(
    ("more", "detail"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, "the parent thinks"),
        ({"thinking": {"type": "adaptive"}}, "the parent thinks"),
        ({"tool_choice": {"type": "any"}}, "the parent forces a tool"),
        ({"output_config": {"format": {"type": "json_schema"}}}, "the parent asks for structured output"),
        ({"max_tokens": None}, "the parent has no max_tokens"),
    ],
)
def test_what_a_provider_refuses_is_not_sent(more: dict[str, Any], detail: str) -> None:
    """As its documentation says; thinking that is switched off, and a tool that may be called, are taken."""
    refusal = prewarming(parse_body(json.dumps(BODY | more).encode()))
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.detail) == ("no_prewarming", detail)
    fine = BODY | {"thinking": {"type": "disabled"}, "tool_choice": {"type": "auto"}}
    assert isinstance(prewarming(parse_body(json.dumps(fine).encode())), bytes)


def test_openai_has_no_such_request() -> None:
    """Its requests always answer."""
    refusal = prewarming(parse_body(b'{"model": "gpt-5.6-sol", "input": "Hello"}'))
    assert isinstance(refusal, Refusal)
    assert refusal.detail == "openai-responses has no request without an answer"
