"""The model table resolves names as requests and proxies write them."""

from __future__ import annotations

import re

import pytest

from cgcli.model import Basis
from cgcli.providers.models import READ_ON, UNKNOWN, lookup

OLD_CLAUDE = [
    "claude-2.1",
    "claude-instant-1.2",
    "claude-3-opus-20240229",
    "claude-3-5-sonnet-20241022",
    "claude-3-7-sonnet-latest",
    "claude-3.7-sonnet",
    "claude-4-opus",
    "claude-opus-4-20250514",
    "claude-opus-4-1-20250805",
    "claude-sonnet-4-5",
    "claude-haiku-4-5-20251001",
    "claude-sonnet-4-6",
    "anthropic/claude-sonnet-4.5",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "anthropic.claude-3-5-sonnet-20241022-v2:0",
    "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-6-v1:0",
    "bedrock/eu.anthropic.claude-sonnet-4-20250514-v1:0",
    "bedrock/converse/anthropic.claude-v2:1",
    "vertex_ai/claude-sonnet-4-5@20250929",
    "openrouter/anthropic/claude-3.7-sonnet:thinking",
    "databricks/databricks-claude-3-7-sonnet",
    "Claude-Sonnet-4-6[1m]",
]
NEW_CLAUDE = [
    "claude-opus-4-7",
    "claude-opus-4-8-20260601",
    "claude-opus-4-10",
    "claude-opus-5",
    "claude-opus-5-5",
    "claude-sonnet-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5-20261001",
    "claude-fable-5",
    "claude-fable-5-2",
    "claude-mythos-5-1",
    "claude-mythos-preview",
    "claude-opus-latest",
    "anthropic/claude-opus-4.7",
    "vertex_ai/claude-opus-5-5@20261101",
    "global.anthropic.claude-sonnet-5-20260801-v1:0",
]
O200K = [
    "gpt-5",
    "gpt-5-mini",
    "gpt-5.6-sol",
    "gpt-5.1-codex-max",
    "openai/gpt-4o",
    "azure/gpt-4o",
    "azure/eastus/gpt-4o-mini",
    "gpt-4o-2024-05-13",
    "gpt-4.1-nano",
    "gpt-4.5-preview",
    "chatgpt-4o-latest",
    "ft:gpt-4o-mini-2024-07-18:org::id",
    "o1",
    "o1-preview",
    "o3-mini",
    "openai/o4-mini-2025-04-16",
]
CL100K = [
    "gpt-4",
    "gpt-4-0613",
    "gpt-4-turbo",
    "gpt-3.5-turbo",
    "azure/gpt-35-turbo-16k",
    "ft:gpt-3.5-turbo:org::id",
]
HARMONY = ["gpt-oss-120b", "openai/gpt-oss-20b", "bedrock/openai.gpt-oss-120b-1:0"]
NOT_KNOWN = [
    None,
    "",
    "gemini-3.1-pro-preview",
    "deepseek/deepseek-v4-pro",
    "marco-o1",
    "gpt-7",
    "gpt2",
    "claudette-4-5",
    "o1x",
    "my-deployment",
]


@pytest.mark.parametrize("model", OLD_CLAUDE)
def test_claude_up_to_4_6(model: str) -> None:
    """Claude up to 4.6 is counted with o200k_base times 1.24."""
    facts = lookup(model)
    assert (facts.encoding, facts.factor, facts.basis) == ("o200k_base", 1.24, Basis.ESTIMATED)


@pytest.mark.parametrize("model", NEW_CLAUDE)
def test_claude_from_4_7(model: str) -> None:
    """Claude from 4.7 on, and without a version in its name, is counted with o200k_base times 1.6."""
    facts = lookup(model)
    assert (facts.encoding, facts.factor, facts.basis) == ("o200k_base", 1.6, Basis.ESTIMATED)


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        *((model, "o200k_base") for model in O200K),
        *((model, "cl100k_base") for model in CL100K),
        *((model, "o200k_harmony") for model in HARMONY),
    ],
)
def test_openai_models_are_counted_exactly(model: str, encoding: str) -> None:
    """OpenAI's models have an encoding of their own and no factor."""
    facts = lookup(model)
    assert (facts.encoding, facts.factor, facts.basis) == (encoding, 1.0, Basis.COUNTED)


@pytest.mark.parametrize("model", ["gpt-6-sol", "gpt-6.1-terra", "openai/gpt-6.2-sol", "gpt-6"])
def test_gpt_6_is_an_assumption(model: str) -> None:
    """A gpt-6, which tiktoken does not map, is counted as gpt-5 and called estimated."""
    facts = lookup(model)
    assert (facts.family, facts.encoding, facts.factor) == ("gpt-6", "o200k_base", 1.0)
    assert facts.basis is Basis.ESTIMATED


@pytest.mark.parametrize("model", NOT_KNOWN)
def test_unknown_model(model: str | None) -> None:
    """Any other name, and none, is o200k_base without a factor, estimated."""
    facts = lookup(model)
    assert facts is UNKNOWN
    assert (facts.encoding, facts.factor, facts.basis) == ("o200k_base", 1.0, Basis.ESTIMATED)


@pytest.mark.parametrize("model", ["claude-opus-5", "claude-opus-4", "gpt-4", "gpt-4o", "gpt-6", "gpt-oss-20b", None])
def test_every_row_says_where_it_is_from(model: str | None) -> None:
    """Facts carry their source, and the table the day it was read."""
    assert lookup(model).source
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", READ_ON)
