"""The configuration that holds, as a document and as text: each key and parameter, and where it comes from."""

from __future__ import annotations

import json
from enum import Enum
from typing import TYPE_CHECKING, Any

from cgcli.compaction.components import fields
from cgcli.compaction.policy import built
from cgcli.model import value
from cgcli.report.safe import safe
from cgcli.report.table import table
from cgcli.report.triggers import document as document_of
from cgcli.report.triggers import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.compaction.policy import Policy
    from cgcli.compaction.said import Said
    from cgcli.config import Settings

SCHEMA = "cgcli/config-show/v1"
DEFAULT = "default"


@value
class Effective:
    """What a run would have."""

    settings: Settings
    policy: Policy
    steps: Sequence[Said]
    """As they are written, in their order in the policy."""
    name: str | None
    """The policy as it was named; None where it is a pipeline."""
    origin: str
    """Where the policy, or the pipeline, was named."""
    held: str
    stash: str
    stash_origin: str


def document(found: Effective) -> dict[str, Any]:
    """The versioned JSON document."""
    file = found.settings.file
    return {
        "schema": SCHEMA,
        "file": str(file) if file is not None else None,
        "keys": list(_keys(found)),
        "policy": {
            "name": found.policy.name,
            "from": found.origin,
            "triggers": _triggers(found),
            "steps": [_step(step, found.name or "pipeline") for step in found.steps],
        },
        "warnings": list(found.policy.warnings),
    }


def lines(told: Mapping[str, Any]) -> Iterator[str]:
    """The *told* document for a person; a `*` marks what differs from its default."""
    yield f"file    {safe(told['file'] or 'none')}"
    yield ""
    rows = [(one["key"], _shown(one["value"]), safe(one["from"])) for one in told["keys"]]
    yield from table(("key", "value", "from"), rows)
    policy = told["policy"]
    yield ""
    yield f"policy  {safe(policy['name'])}" + ("" if policy["steps"] else ": no step")
    if policy["triggers"]:
        yield ""
        found = policy["triggers"]
        waits = [(one["step"] or "all", one["name"], shown(one["value"]), safe(one["from"])) for one in found]
        yield from table(("step", "trigger", "value", "from"), waits)
    if policy["steps"]:
        yield ""
        yield from table(("step", "", "parameter", "value", "default", "from"), list(_rows(policy["steps"])))


def _rows(steps: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    for step in steps:
        name = step["component"]
        if not step["parameters"]:
            yield (name, "", "none", "", "", safe(step["from"]))
        for i, one in enumerate(step["parameters"]):
            differs = one["value"] != one["default"]
            yield (
                name if i == 0 else "",
                "*" if differs else "",
                one["name"],
                _shown(one["value"]),
                _shown(one["default"]) if differs else "",
                safe(one["from"]),
            )


def _keys(found: Effective) -> Iterator[dict[str, Any]]:
    settings = found.settings
    is_pipeline = found.name is None
    names = [step.name for step in found.steps]
    yield {"key": "policy", "value": found.name, "from": DEFAULT if is_pipeline else found.origin}
    yield {
        "key": "pipeline",
        "value": names if is_pipeline else None,
        "from": found.origin if is_pipeline else DEFAULT,
    }
    yield {"key": "held", "value": found.held, "from": settings.places.get(("held",), DEFAULT)}
    yield {"key": "stash", "value": found.stash, "from": found.stash_origin}
    for component, params in settings.components.items():
        for parameter, given in params.items():
            place = settings.places["components", component, parameter]
            yield {"key": f"components.{component}.{parameter}", "value": _plain(given), "from": place}


def _triggers(found: Effective) -> list[dict[str, Any]]:
    """Each trigger with its line; a policy that has some stands in a file."""
    triggers = found.policy.triggers
    places = {step.name: step.triggers.places for step in found.steps if step.triggers is not None}
    return [
        {**one, "from": (places[one["step"]] if one["step"] else triggers.places)[one["name"]]}
        for one in document_of(triggers)
    ]


def _step(step: Said, policy: str) -> dict[str, Any]:
    """A step with every parameter; *policy* is how the policy is named, for what stands in no file."""
    made = built(step)
    return {
        "component": step.name,
        "from": step.where or policy,
        "parameters": [
            {
                "name": name,
                "value": _plain(getattr(made, name)),
                "default": _plain(default),
                "from": step.places.get(name, step.where or policy) if name in step.params else DEFAULT,
            }
            for name, default in fields(type(made)).items()
        ],
    }


def _plain(given: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(given, Enum):
        return given.value
    if hasattr(given, "items"):
        return dict(given)
    return list(given) if isinstance(given, tuple) else given


def _shown(given: object) -> str:
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return safe(" ".join(given)) or "[]"
    return "none" if given is None else safe(given if isinstance(given, str) else json.dumps(given, default=str))
