"""The JSON schema of a configuration, with the parameters of every step; strict, as the reading of one is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import GenerateJsonSchema

from cgcli.compaction.components import BODY_COMPONENTS, COMPONENTS
from cgcli.compaction.policy import SPAN_STEPS
from cgcli.compaction.presets import BUILT_IN
from cgcli.config.allowed import parameters
from cgcli.config.schema import Table

ID = "urn:cgcli:config:1"
"""The version goes up where a key changes its meaning or is taken away."""
_STRICT = ConfigDict(extra="forbid", strict=True)


class _Plain(GenerateJsonSchema):
    """Without a title for each key, which would say its name again."""

    def field_title_should_be_set(self, schema: object) -> bool:
        """Never."""
        del schema
        return False


def kinds() -> dict[str, type[object]]:
    """Every step by its name, whatever it acts on."""
    return dict(sorted({**COMPONENTS, **BODY_COMPONENTS, **SPAN_STEPS}.items()))


def schema() -> dict[str, Any]:
    """The schema, as a JSON document, of `[tool.cgcli]` and of a file of its own."""
    made = _table().model_json_schema(schema_generator=_Plain)
    keys = made["properties"]
    keys["policy"]["anyOf"][0] = {"anyOf": [{"enum": list(BUILT_IN)}, {"type": "string", "pattern": r"\.toml$"}]}
    keys["pipeline"]["anyOf"][0]["items"] = {"enum": list(kinds())}
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": ID,
        **made,
        "title": "[tool.cgcli] of pyproject.toml, or cg.toml",
        "not": {"required": ["policy", "pipeline"]},
    }


def _table() -> type[BaseModel]:
    """The table, with a table for each step."""
    steps: dict[str, Any] = {
        name: (_step(name, kind), Field(default_factory=dict, description=_first_line(kind)))
        for name, kind in kinds().items()
    }
    told = Table.model_fields["components"].description
    components = create_model("components", __config__=_STRICT, **steps)
    own: dict[str, Any] = {"components": (components, Field(default_factory=dict, description=told))}
    return create_model("cgcli", __base__=Table, **own)


def _step(name: str, kind: type[object]) -> type[BaseModel]:
    taken: dict[str, Any] = {
        parameter: (said, Field(default=_plain(default))) for parameter, said, default in parameters(kind)
    }
    return create_model(name, __config__=_STRICT, **taken)


def _plain(default: object) -> object:
    """A default as JSON has it."""
    if isinstance(default, tuple):
        return list(default)
    return dict(default) if isinstance(default, Mapping) else default


def _first_line(kind: type[object]) -> str:
    return (kind.__doc__ or "").strip().split("\n", 1)[0]
