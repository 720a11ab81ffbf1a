"""G-PARAMS."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.run import Allowed
from tests.checks.gated import Json, body, failures, fixture, forgotten, lines, result, said, turn, user

GO = user("Go.")
ALL = "tools, system, messages"
AFTER_MODEL = "re-billed already by model_changed at model"


@pytest.mark.parametrize(
    ("name", "verdict", "n_checked", "reason"),
    [
        ("failing", Verdict.FAIL, 4, None),
        ("passing", Verdict.PASS, 2, None),
        ("vacuous", Verdict.VACUOUS, 0, "no request follows another one of its conversation"),
    ],
)
def test_fixtures(name: str, verdict: Verdict, n_checked: int, reason: str | None) -> None:
    """Each fixture gets the verdict that it is named after."""
    found = result(fixture("G-PARAMS", name), "params")
    assert (found.verdict, found.checked, found.reason) == (verdict, n_checked, reason)


def test_what_changed_is_said_with_both_values() -> None:
    """Path, values and broken sections; the second change of a turn costs nothing more."""
    path = fixture("G-PARAMS", "failing")
    found = failures(result(path, "params"))
    assert [(finding.line, finding.message) for finding in found] == [
        (2, "params_changed: thinking.budget_tokens from 1024 to 4096, which breaks messages"),
        (3, 'params_changed: tool_choice from (left out) to {"type":"any"}, which breaks messages'),
        (
            4,
            f'model_changed: model from "claude-sonnet-4-5-20250929" to "claude-opus-4-5-20251101", which breaks {ALL}',
        ),
        (
            4,
            f'params_changed: tool_choice from {{"type":"any"}} to (left out), which breaks messages; {AFTER_MODEL}',
        ),
        (5, 'params_changed: speed from (left out) to "fast", which breaks system, messages'),
    ]
    text = path.read_bytes().splitlines()
    assert [finding.byte for finding in found] == [
        text[1].index(b"4096"),
        text[2].index(b'{"type":"any"}'),
        text[3].index(b'"claude-opus'),
        None,
        text[4].index(b'"fast"'),
    ]
    assert [finding.cost is not None for finding in found] == [True, True, True, False, True]


ANTHROPIC: Json = {}
CHAT: Json = {"model": "gpt-5.1", "system": None, "tools": None}
RESPONSES: Json = {"model": "gpt-5.1", "instructions": "You are an agent."}


def growing(one: Json, other: Json) -> bytes:
    """Two requests of a conversation, the second with other fields."""
    if "instructions" in one:
        told = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Yes."}]
        return lines([{"input": told, **one}, {"input": [*told, user("More.")], **other}])
    return lines([body(GO, said("Yes."), **one), body(GO, said("Yes."), user("More."), **other)])


@pytest.mark.parametrize(
    ("head", "fields", "path", "now", "breaks"),
    [
        (ANTHROPIC, {"speed": "fast"}, "speed", '"fast"', "system, messages"),
        (ANTHROPIC, {"tool_choice": {"type": "none"}}, "tool_choice", '{"type":"none"}', "messages"),
        (ANTHROPIC, {"thinking": {"type": "adaptive"}}, "thinking", '{"type":"adaptive"}', "messages"),
        (ANTHROPIC, {"output_config": {"effort": "low"}}, "output_config.effort", '"low"', "messages"),
        (CHAT, {"parallel_tool_calls": False}, "parallel_tool_calls", "false", ALL),
        (CHAT, {"response_format": {"type": "json_object"}}, "response_format", '{"type":"json_object"}', ALL),
        (CHAT, {"reasoning_effort": "low"}, "reasoning_effort", '"low"', ALL),
        (CHAT, {"verbosity": "low"}, "verbosity", '"low"', ALL),
        (CHAT, {"prompt_cache_key": "k"}, "prompt_cache_key", '"k"', ALL),
        (CHAT, {"service_tier": "flex"}, "service_tier", '"flex"', ALL),
        (RESPONSES, {"parallel_tool_calls": False}, "parallel_tool_calls", "false", ALL),
        (RESPONSES, {"text": {"format": {"type": "json_object"}}}, "text.format", '{"type":"json_object"}', ALL),
        (RESPONSES, {"text": {"verbosity": "low"}}, "text.verbosity", '"low"', ALL),
        (RESPONSES, {"reasoning": {"effort": "low"}}, "reasoning.effort", '"low"', ALL),
        (
            RESPONSES,
            {"context_management": [{"type": "compaction"}]},
            "context_management",
            '[{"type":"compaction"}]',
            ALL,
        ),
        (RESPONSES, {"prompt_cache_key": "k"}, "prompt_cache_key", '"k"', ALL),
        (RESPONSES, {"service_tier": "flex"}, "service_tier", '"flex"', ALL),
    ],
)
def test_each_parameter_of_each_dialect(head: Json, fields: dict[str, Any], path: str, now: str, breaks: str) -> None:
    """One that comes, or goes, is found, with the sections that it breaks."""
    (came,) = failures(result(growing(head, {**head, **fields}), "params"))
    assert came.message == f"params_changed: {path} from (left out) to {now}, which breaks {breaks}"
    assert (came.path, came.change, came.was, came.now) == (path, "inserted", "(left out)", now)
    (went,) = failures(result(growing({**head, **fields}, head), "params"))
    assert went.message == f"params_changed: {path} from {now} to (left out), which breaks {breaks}"
    assert (went.change, went.byte) == ("removed", None)


@pytest.mark.parametrize(
    ("head", "one", "other"),
    [
        (ANTHROPIC, {"tool_choice": {"type": "auto"}}, {}),
        (ANTHROPIC, {}, {"output_config": {"effort": "high"}}),
        (ANTHROPIC, {"temperature": 0}, {"temperature": 1, "max_tokens": 9, "metadata": {"user_id": "u"}}),
        (
            ANTHROPIC,
            {"thinking": {"type": "enabled", "budget_tokens": 9}},
            {"thinking": {"budget_tokens": 9, "type": "enabled"}},
        ),
        (CHAT, {"parallel_tool_calls": True}, {"response_format": {"type": "text"}}),
        (CHAT, {"service_tier": "auto"}, {"seed": 3}),
        (RESPONSES, {"text": {"format": {"type": "text"}}}, {"reasoning": {"summary": "auto"}}),
        (RESPONSES, {"service_tier": None}, {"store": False}),
    ],
)
def test_what_reads_the_same_is_no_change(head: Json, one: Json, other: Json) -> None:
    """A default spelled out, keys in another order, and parameters that no cache depends on."""
    assert result(growing({**head, **one}, {**head, **other}), "params").verdict is Verdict.PASS


def test_key_order_of_an_output_schema_counts() -> None:
    """The provider renders the schema as it was sent; the finding leads into it."""
    schemas = ({"a": {"type": "string"}, "b": {"type": "string"}}, {"b": {"type": "string"}, "a": {"type": "string"}})
    one, other = (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"properties": schema}}}}
        for schema in schemas
    )
    (finding,) = failures(result(growing({**CHAT, **one}, {**CHAT, **other}), "params"))
    assert (finding.path, finding.change) == ("response_format.json_schema.schema.properties.b", "key_order")
    assert (finding.was, finding.now, finding.culprit) == ("a, b", "b, a", "a reordered map")


def test_a_cache_key_that_changes_each_turn() -> None:
    """A uuid in the cache key is named as the likely culprit."""
    keys = ("0b0e8f6a-1111-4222-8333-944445555666", "7c1d2e3f-1111-4222-8333-944445555667")
    one, other = ({"prompt_cache_key": f"run {key}"} for key in keys)
    (finding,) = failures(result(growing({**CHAT, **one}, {**CHAT, **other}), "params"))
    assert (finding.path, finding.culprit) == ("prompt_cache_key", "a uuid")


def test_a_declared_change_passes() -> None:
    """Where turn 2 may begin anew, another model is a note."""
    made = growing(ANTHROPIC, {"model": "claude-opus-4-5"})
    assert result(made, "params", allowed=Allowed(epochs=frozenset({2}))).verdict is Verdict.PASS
    assert result(made, "params").verdict is Verdict.FAIL


def test_a_file_without_whole_requests_is_unknown() -> None:
    """Where tools or system prompt are not recorded, a parameter may be missing too."""
    made = lines([body(GO, *turn(1)), body(GO, *turn(1), *turn(2))])
    assert forgotten(made, "params", forgets=("tools",)).verdict is Verdict.UNKNOWN
    assert result(made, "params").verdict is Verdict.PASS
