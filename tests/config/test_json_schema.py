"""The schema takes what a step takes, and nothing that is unknown."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from cgcli.compaction.components import fields
from cgcli.compaction.policy import built
from cgcli.compaction.presets import BUILT_IN
from cgcli.compaction.said import Said
from cgcli.config.json_schema import kinds, schema
from cgcli.errors import UsageError

SCHEMA = schema()
VALIDATOR = Draft202012Validator(SCHEMA)
PARAMETERS = [(name, parameter) for name, kind in kinds().items() for parameter in fields(kind)]
CHECKED = [at for at in PARAMETERS if at[1] != "call"]
"""An unknown call mode is only a warning in a file, while the schema names those that there are."""
GIVEN = st.one_of(
    st.booleans(),
    st.integers(-3, 300_000),
    st.sampled_from([0.0, 0.3, 1.0, 1.7, -0.2]),
    st.sampled_from(["", "full", "off", "summary", "5m", "1h", "head", "fork", "all", "x", "input_tokens"]),
    st.lists(st.sampled_from(["Read", "Bash"]), max_size=2),
    st.dictionaries(st.sampled_from(["Read", "Bash"]), st.integers(1, 9), max_size=2),
)


def _says(**keys: Any) -> bool:
    return bool(VALIDATOR.is_valid(keys))


def _takes(name: str, params: dict[str, Any]) -> bool:
    """True where the step itself takes *params*."""
    try:
        built(Said(name=name, params=params))
    except UsageError:
        return False
    return True


def test_it_is_a_schema_with_a_version() -> None:
    """Of the draft that it names, under an identity that has its version at the end."""
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["$id"] == "urn:cgcli:config:1"


def test_it_takes_a_whole_configuration() -> None:
    """Every key, and a component with its parameters; an empty one too."""
    text = (
        'policy = "mine.toml"\nheld = "pays"\nstash = "kept"\n'
        '[components.collapse]\nmax_tokens = 1\nmax_frac = 0.5\nmarker_mode = "off"\n'
        '[components.tool_result_budget]\nshape = "head_tail"\nby_tool = {Bash = 10}\n'
        '[components.summarize]\ncall = "fork"\nkeep_last = 3\n'
    )
    assert _says(**tomllib.loads(text))
    assert _says()
    assert _says(pipeline=["format", "cachesplit", "summarize"])
    assert all(_says(policy=name) for name in BUILT_IN)


@pytest.mark.parametrize(
    "said",
    [
        {"polciy": "off"},
        {"policy": "agnet"},
        {"policy": "off", "pipeline": []},
        {"pipeline": ["maks"]},
        {"held": "pay"},
        {"components": {"maks": {}}},
        {"components": {"mask": {"keep": 1}}},
        {"components": {"mask": {"keep_recent": "1"}}},
        {"components": {"mask": {"keep_recent": -1}}},
        {"components": {"mask": {"keep_recent": True}}},
        {"components": {"mask": {"marker_mode": "none"}}},
        {"components": {"collapse": {"max_frac": 1.1}}},
        {"components": {"cacheinject": {"ttl": "2h"}}},
        {"components": {"codex-local": {"call": "native"}}},
        {"components": {"clear-tool-uses": {"trigger_on": "tokens"}}},
        {"components": {"ladder": {"budget_tokens": 0}}},
    ],
)
def test_it_refuses_what_is_unknown(said: dict[str, Any]) -> None:
    """Keys, names, words, types, and numbers that are out of bounds."""
    assert not _says(**said)


def test_it_has_every_parameter_with_its_default() -> None:
    """Of every step, as its class has them."""
    told = {
        (name, parameter): said.get("default", "none is said")
        for name in kinds()
        for parameter, said in SCHEMA["$defs"][name]["properties"].items()
    }
    assert told.keys() == set(PARAMETERS)
    assert told["mask", "keep_recent"] == 3
    assert told["summarize", "call"] == "standalone"
    assert told["opencode-prune", "protected_tools"] == ["skill"]
    assert told["tool_result_budget", "by_tool"] == {}
    assert told["codex-local", "budget_tokens"] is None


@given(st.sampled_from(CHECKED), GIVEN)
def test_what_a_step_takes_it_takes(at: tuple[str, str], said: Any) -> None:
    """Its bounds and words are never narrower than the step's own."""
    name, parameter = at
    if _takes(name, {parameter: said}):
        assert _says(components={name: {parameter: said}})
