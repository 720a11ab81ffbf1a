"""The table of parameters that a cache depends on."""

from __future__ import annotations

import json
import re

import pytest

from cgcli.dialects import DIALECTS
from cgcli.model import Section
from cgcli.providers.invalidation import READ_ON, RULES, SOURCES


def test_every_dialect_has_its_rules_and_their_source() -> None:
    """No dialect is without a table, no table without a source, and the day on which it was read is given."""
    names = {dialect.name for dialect in DIALECTS}
    assert set(RULES) == set(SOURCES) == names
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", READ_ON)


@pytest.mark.parametrize("dialect", sorted(RULES))
def test_rules_are_well_formed(dialect: str) -> None:
    """Each path once; a break reaches to the end of the prefix; a default is JSON as it is compared."""
    rules = RULES[dialect]
    assert len({rule.path for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.breaks == tuple(Section)[list(Section).index(rule.breaks[0]) :]
        assert rule.path.count(".") <= 1
        for told in (*rule.same, *([rule.default] if rule.default is not None else [])):
            assert told == json.dumps(json.loads(told), separators=(",", ":"), sort_keys=True).encode()


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        (
            "anthropic",
            {"speed": "system", "tool_choice": "messages", "thinking": "messages", "output_config.effort": "messages"},
        ),
        (
            "openai-chat",
            dict.fromkeys(
                [
                    "parallel_tool_calls",
                    "response_format",
                    "reasoning_effort",
                    "verbosity",
                    "prompt_cache_key",
                    "service_tier",
                ],
                "tools",
            ),
        ),
        (
            "openai-responses",
            dict.fromkeys(
                [
                    "parallel_tool_calls",
                    "text.format",
                    "text.verbosity",
                    "reasoning.effort",
                    "context_management",
                    "prompt_cache_key",
                    "service_tier",
                ],
                "tools",
            ),
        ),
    ],
)
def test_the_first_section_that_each_parameter_breaks(dialect: str, expected: dict[str, str]) -> None:
    """As the providers' documentation has it."""
    assert {rule.path: rule.breaks[0].value for rule in RULES[dialect]} == expected
