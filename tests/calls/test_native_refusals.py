"""Every reason against the provider's own compaction; none falls back."""

from __future__ import annotations

import pytest

from cgcli.calls.build import build
from cgcli.calls.call import CallMode, CallOptions
from cgcli.model import Refusal
from tests.calls.asking import (
    SESSION,
    Json,
    asking,
    assistant,
    built,
    call,
    chat,
    claude,
    refused,
    responses,
    result,
    user,
)
from tests.calls.test_open_calls import ITEMS, OUTPUTS

THRESHOLD, ON_DEMAND, ENDPOINT = CallMode.NATIVE_THRESHOLD, CallMode.NATIVE_ON_DEMAND, CallMode.NATIVE_ENDPOINT
BLOCK = {"type": "compaction", "content": "All was built."}
SIGNED = {**BLOCK, "signature": "c2ln"}
OPENAI = [user("Build."), *ITEMS, *OUTPUTS, user("now?")]
PLAIN = CallOptions()


@pytest.mark.parametrize("mode", [THRESHOLD, ON_DEMAND, ENDPOINT])
def test_chat_has_none(mode: CallMode) -> None:
    """No parameter of Chat Completions asks for it."""
    assert refused(mode, asking(chat(user("a"), assistant("b"), user("c")))) == "unsupported_dialect"


def test_claude_has_no_endpoint() -> None:
    """That address is OpenAI's."""
    assert refused(ENDPOINT, asking(claude(*SESSION))) == "unsupported_dialect"


@pytest.mark.parametrize("mode", [THRESHOLD, ON_DEMAND])
@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("claude-haiku-4-5-20251001", "model_unsupported"),
        ("claude-sonnet-4-5", "model_unsupported"),
        ("claude-opus-9", "model_unknown"),
        ("kimi-k2", "model_unknown"),
        (None, "model_unknown"),
    ],
)
def test_a_claude_model_without_it_refuses(mode: CallMode, model: str | None, reason: str) -> None:
    """A model that no table has is refused too: the request would fail, and nobody would see why."""
    assert refused(mode, asking(claude(*SESSION, model=model))) == reason


@pytest.mark.parametrize(
    ("model", "reason"),
    [("gpt-oss-120b", "model_unsupported"), ("gpt-4.1", "model_unknown"), ("grok-4.5", "model_unknown")],
)
def test_an_openai_model_without_it_refuses(model: str, reason: str) -> None:
    """The guide names no list: what is not of the families that it shows is not known to have it."""
    assert refused(THRESHOLD, asking(responses(OPENAI, model=model))) == reason


@pytest.mark.parametrize(
    ("mode", "body", "platform", "wanted"),
    [
        (ON_DEMAND, claude(*SESSION), "bedrock", "platform_unsupported"),
        (THRESHOLD, claude(*SESSION), "bedrock", None),
        (ON_DEMAND, claude(*SESSION, model="us.anthropic.claude-opus-4-8-v1:0"), None, "platform_unsupported"),
        (THRESHOLD, claude(*SESSION, model="us.anthropic.claude-opus-4-8-v1:0"), None, None),
        (ON_DEMAND, claude(*SESSION), "vertex", None),
        (ON_DEMAND, claude(*SESSION), "anthropic", None),
        (THRESHOLD, claude(*SESSION), "litellm", "platform_unsupported"),
        (THRESHOLD, responses(OPENAI), "azure", None),
        (ON_DEMAND, responses(OPENAI), "azure", "platform_unsupported"),
        (ENDPOINT, responses(OPENAI), "openai", None),
        (ENDPOINT, responses(OPENAI), "chatgpt", "platform_unsupported"),
    ],
)
def test_the_platform_decides_too(mode: CallMode, body: Json, platform: str | None, wanted: str | None) -> None:
    """As the file says it, in a model's name, or as the caller does."""
    found = build(mode, asking(body, 0, 1, options=CallOptions(platform=platform)))
    assert (found.reason if isinstance(found, Refusal) else None) == wanted


@pytest.mark.parametrize("mode", [THRESHOLD, ON_DEMAND])
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (CallOptions(require_reversible=True), "require_reversible"),
        (CallOptions(other_editor="mask"), "other_editor"),
    ],
)
def test_what_cannot_be_taken_back_needs_a_free_hand(mode: CallMode, options: CallOptions, reason: str) -> None:
    """Refused where everything must be reversible, and where something else edits the same history."""
    assert refused(mode, asking(claude(*SESSION), options=options)) == reason


@pytest.mark.parametrize("mode", [THRESHOLD, ON_DEMAND])
def test_context_management_refuses(mode: CallMode) -> None:
    """One of the kinds is that itself, the other may not stand beside it; null is none."""
    clearing = {"edits": [{"type": "clear_tool_uses_20250919"}]}
    assert refused(mode, asking(claude(*SESSION, context_management=clearing))) == "context_management"
    assert built(mode, asking(claude(*SESSION, context_management=None))).mode is mode
    assert refused(mode, asking(responses(OPENAI, context_management=[]))) == "context_management"


@pytest.mark.parametrize(
    ("mode", "block", "wanted"),
    [
        (THRESHOLD, SIGNED, "signed_block"),
        (ON_DEMAND, SIGNED, None),
        (THRESHOLD, BLOCK, None),
        (ON_DEMAND, BLOCK, "both_kinds"),
    ],
)
def test_a_block_of_the_other_kind_refuses(mode: CallMode, block: Json, wanted: str | None) -> None:
    """Each kind goes on from its own blocks only."""
    found = build(mode, asking(claude(assistant(block), *SESSION), 1, 4, options=PLAIN))
    assert (found.reason if isinstance(found, Refusal) else None) == wanted


@pytest.mark.parametrize(
    ("mode", "body", "start", "stop"),
    [
        (THRESHOLD, claude(user("go"), assistant("k"), user("go"), assistant(call("a"))), 0, 2),
        (ON_DEMAND, claude(user("go"), assistant(call("a"), call("b")), user(result("a")), user(result("b"))), 0, 3),
        (ON_DEMAND, claude(user("go"), assistant(call("a")), user(result("a"))), 0, 2),
        (THRESHOLD, responses([user("go"), *ITEMS, OUTPUTS[0]]), 0, 1),
        (ON_DEMAND, responses([user("go"), *ITEMS, OUTPUTS[0]]), 0, 1),
        (ENDPOINT, responses([user("go"), *ITEMS, *OUTPUTS]), 0, 4),
    ],
)
def test_pending_tool_calls_refuse(mode: CallMode, body: Json, start: int, stop: int) -> None:
    """Where the request would end: at the parent's end, or at the span's where it is cut there."""
    assert refused(mode, asking(body, start, stop)) == "open_tool_calls"


def test_calls_behind_the_cut_do_not_refuse() -> None:
    """They are not in the call."""
    body = claude(user("go"), assistant("k"), user("go"), assistant(call("a")))
    assert built(ON_DEMAND, asking(body, 0, 2)).scope == (0, 2)


SETTINGS: list[tuple[Json, str]] = [
    ({"stop_sequences": ["END"]}, "stop_sequences"),
    ({"tool_choice": {"type": "any"}}, "forced_tool_choice"),
    ({"tool_choice": {"type": "tool", "name": "Bash"}}, "forced_tool_choice"),
    ({"output_config": {"format": {"type": "json_schema"}}}, "structured_output"),
    ({"output_config": {"task_budget": {"remaining": 9}}}, "task_budget"),
    ({"compaction": {"type": "summarize"}}, "parent_is_call"),
]


@pytest.mark.parametrize(("more", "reason"), SETTINGS)
def test_settings_that_are_refused_together_with_it(more: Json, reason: str) -> None:
    """On demand; at a threshold the provider takes all but a second kind."""
    assert refused(ON_DEMAND, asking(claude(*SESSION, **more))) == reason
    found = build(THRESHOLD, asking(claude(*SESSION, **more)))
    assert (found.reason if isinstance(found, Refusal) else None) == ("both_kinds" if "compaction" in more else None)


def test_settings_that_say_nothing_do_not_refuse() -> None:
    """An empty list, null, and a choice that is free."""
    more = {"stop_sequences": [], "tool_choice": {"type": "auto"}, "output_config": {"effort": "low", "format": None}}
    assert built(ON_DEMAND, asking(claude(*SESSION, **more))).mode is ON_DEMAND


@pytest.mark.parametrize("mode", [ON_DEMAND, ENDPOINT])
def test_a_history_that_stands_elsewhere_refuses(mode: CallMode) -> None:
    """What is compacted could not be taken out of the request; at a threshold the provider does all itself."""
    body = responses(OPENAI, previous_response_id="resp_1")
    assert refused(mode, asking(body, 0, 5)) == "previous_response"
    assert built(THRESHOLD, asking(body, 0, 5)).scope == "all"


@pytest.mark.parametrize(("tool_choice", "wanted"), [("required", "forced_tool_choice"), ("auto", None)])
def test_openai_on_demand_must_be_free_to_answer(tool_choice: str, wanted: str | None) -> None:
    """A forced call leaves no room; the endpoint is not told the setting at all."""
    body = responses(OPENAI, tool_choice=tool_choice)
    found = build(ON_DEMAND, asking(body, 0, 5))
    assert (found.reason if isinstance(found, Refusal) else None) == wanted
    assert built(ENDPOINT, asking(body, 0, 5)).mode is ENDPOINT


@pytest.mark.parametrize(
    ("tokens", "wanted"), [(49_999, "trigger_too_low"), (0, "trigger_too_low"), (50_000, None), (None, None)]
)
def test_a_trigger_below_the_least_is_refused(tokens: int | None, wanted: str | None) -> None:
    """49,999 is, 50,000 is not; it is never raised to what would do."""
    found = build(THRESHOLD, asking(claude(*SESSION), options=CallOptions(trigger_tokens=tokens)))
    assert (found.reason if isinstance(found, Refusal) else None) == wanted


def test_a_trigger_is_nothing_to_compaction_on_demand() -> None:
    """It comes at once."""
    assert built(ON_DEMAND, asking(claude(*SESSION), options=CallOptions(trigger_tokens=1))).mode is ON_DEMAND


@pytest.mark.parametrize(("n_chars", "wanted"), [(16_384, None), (16_385, "instructions_too_long")])
def test_instructions_have_a_limit(n_chars: int, wanted: str | None) -> None:
    """16,384 characters on demand."""
    found = build(ON_DEMAND, asking(claude(*SESSION), options=CallOptions(prompt="x" * n_chars)))
    assert (found.reason if isinstance(found, Refusal) else None) == wanted


@pytest.mark.parametrize("mode", [ON_DEMAND, ENDPOINT])
def test_a_span_that_is_nowhere_refuses(mode: CallMode) -> None:
    """There is nowhere to cut."""
    body = claude(*SESSION) if mode is ON_DEMAND else responses(OPENAI)
    assert refused(mode, asking(body, 3, 99)) == "span_not_in_parent"


def test_two_faults_give_the_first() -> None:
    """In the order in which they are documented."""
    more: Json = {
        "context_management": {"edits": []},
        "stop_sequences": ["x"],
        "tool_choice": {"type": "any"},
        "output_config": {"format": {}},
        "compaction": {"type": "summarize"},
    }
    body = claude(user("go"), assistant(call("a")), user(result("a")), model="claude-opus-4-5", **more)
    options: Json = {"platform": "bedrock", "require_reversible": True, "other_editor": "mask", "prompt": "x" * 20_000}
    mending: list[tuple[Json, str, object]] = [
        (body, "model", "claude-opus-5"),
        (options, "platform", "vertex"),
        (options, "require_reversible", False),
        (options, "other_editor", None),
        (body, "context_management", None),
        (body, "messages", [user("go"), assistant("k")]),
        (body, "stop_sequences", []),
        (body, "tool_choice", None),
        (body, "output_config", None),
        (body, "compaction", None),
    ]
    reasons = [refused(ON_DEMAND, asking(body, 0, 2, options=CallOptions(**options)))]
    for holder, name, mended in mending:
        holder[name] = mended
        reasons.append(refused(ON_DEMAND, asking(body, 0, 2, options=CallOptions(**options))))
    assert reasons == [
        "model_unsupported",
        "platform_unsupported",
        "require_reversible",
        "other_editor",
        "context_management",
        "open_tool_calls",
        "stop_sequences",
        "forced_tool_choice",
        "structured_output",
        "parent_is_call",
        "instructions_too_long",
    ]
