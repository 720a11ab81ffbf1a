"""The parameters of a body that its provider's cache depends on."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from cgcli.model import Section
from cgcli.prefix.params import params, seeds
from cgcli.wire.spans import Document, Malformed


def found(dialect: str, **body: Any) -> list[tuple[str, bytes]]:
    """Path and value of what a body says."""
    members = Document(json.dumps(body).encode()).root().members()
    return [(param.path, param.written) for param in params(dialect, members)]


@pytest.mark.parametrize(
    ("dialect", "body", "expected"),
    [
        ("anthropic", {"max_tokens": 9, "temperature": 1}, []),
        (
            "anthropic",
            {"thinking": {"type": "enabled", "budget_tokens": 9}},
            [("thinking", b'{"budget_tokens":9,"type":"enabled"}')],
        ),
        ("anthropic", {"tool_choice": {"type": "auto"}, "speed": None}, []),
        ("anthropic", {"output_config": {"effort": "high", "format": {}}}, []),
        ("anthropic", {"output_config": {"effort": "low"}}, [("output_config.effort", b'"low"')]),
        ("anthropic", {"output_config": "low"}, []),
        ("openai-chat", {"verbosity": "low", "service_tier": "auto"}, [("verbosity", b'"low"')]),
        (
            "openai-responses",
            {"text": {"format": {"type": "text"}, "verbosity": "low"}},
            [("text.verbosity", b'"low"')],
        ),
        (
            "openai-responses",
            {"text": {"format": {"type": "json_schema", "schema": {"b": 1, "a": 2}}}},
            [("text.format", b'{"type":"json_schema","schema":{"b":1,"a":2}}')],
        ),
    ],
)
def test_what_is_said(dialect: str, body: dict[str, Any], expected: list[tuple[str, bytes]]) -> None:
    """Defaults, nulls and other parameters say nothing; keys are sorted but in schemas."""
    assert found(dialect, **body) == expected


def test_white_space_and_escapes_do_not_count() -> None:
    """Two spellings of one value are one value."""
    one, other = (
        params("anthropic", Document(body).root().members())
        for body in (b'{"speed":"fast"}', b'{ "speed" : "f\\u0061st" }')
    )
    assert one == other


def test_a_seed_stands_for_what_breaks_its_section() -> None:
    """At Anthropic `speed` is in the seeds of system and messages, `thinking` in that of the messages only."""
    members = Document(b'{"thinking":{"type":"adaptive"},"speed":"fast"}').root().members()
    digests = seeds(params("anthropic", members))
    told = {
        Section.TOOLS: b"",
        Section.SYSTEM: b'speed="fast"',
        Section.MESSAGES: b'speed="fast"\nthinking={"type":"adaptive"}',
    }
    assert digests == {section: sha256(text).digest() for section, text in told.items()}


def test_bytes_that_are_no_json_are_malformed() -> None:
    """NaN is no value, so the body is unusable."""
    members = Document(b'{"speed":"fast","thinking":{"n":"\xff"}}').root().members
    with pytest.raises(Malformed):
        params("anthropic", members())
