"""Policies: components in order, built in by name, from a TOML file, or from a list of names."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cgcli.compaction.components import COMPONENTS, build
from cgcli.errors import UsageError, did_you_mean
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.compaction.component import Component

Step = tuple[str, "Mapping[str, object]"]
_NONE: Mapping[str, object] = MappingProxyType({})


@value
class Policy:
    """Components in the order in which they act."""

    name: str
    components: tuple[Component, ...]
    missing: tuple[str, ...] = ()
    """Steps of the policy that this version does not have; said in every report."""


def _steps(names: str, **params: Mapping[str, object]) -> tuple[Step, ...]:
    return tuple((name, params.get(name, _NONE)) for name in names.split())


_SHAPE = "write `name` and `[[steps]]`: docs/reference/policies.md has examples"
_TRIO = "format textclean searchfold"
BUILT_IN: Mapping[str, tuple[Step, ...]] = MappingProxyType(
    {
        "off": (),
        "safe": _steps(f"{_TRIO} cachesplit"),
        "agent": _steps(f"{_TRIO} dedup failed_run mask extract extract_llm cachesplit"),
        "general": _steps(f"{_TRIO} dedup failed_run cmdfilter mask extract extract_llm collapse linecap cachesplit"),
        "codesafe": _steps(
            f"{_TRIO} dedup failed_run cmdfilter extract collapse linecap cachesplit",
            collapse={"max_tokens": 3000},
        ),
    }
)
"""The presets of context-guru (config/config.go at da73fed), with their steps in order."""
PLANNED = frozenset(
    "textclean searchfold toon toolschema toolfilter cachesplit cacheinject failed_run cmdfilter linecap extract_llm "
    "smartcrush readlifecycle summarize".split()
)
"""Steps that a policy may name and this version does not have."""


def named(name: str, overrides: Mapping[str, Mapping[str, object]] = MappingProxyType({})) -> Policy:
    """The built-in policy *name*, or the one in the TOML file of that path.

    *overrides* are parameters by component, from the configuration.

    Raises:
        UsageError: no such policy, or a parameter that is not allowed.
    """
    if name in BUILT_IN:
        return _make(name, BUILT_IN[name], overrides)
    if name.endswith(".toml"):
        return _from_file(Path(name), overrides)
    raise UsageError(f"there is no policy {name!r}", hint=did_you_mean(name, (*BUILT_IN, "FILE.toml")))


def pipeline(names: Sequence[str], overrides: Mapping[str, Mapping[str, object]] = MappingProxyType({})) -> Policy:
    """An unnamed policy of the components *names*.

    Raises:
        UsageError: no such component.
    """
    return _make("pipeline " + ",".join(names), [(name, _NONE) for name in names], overrides)


def _from_file(path: Path, overrides: Mapping[str, Mapping[str, object]]) -> Policy:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"the policy cannot be read: {error.strerror}",
            where=str(path),
            hint=f"give a TOML file, or one of {', '.join(BUILT_IN)}",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the policy is not TOML: {error}", where=str(path), hint="see docs/reference/policies.md"
        ) from error
    listed = document.get("steps", [])
    for wrong in sorted(document.keys() - {"name", "steps"}):
        raise UsageError(f"unknown key {wrong!r}", where=str(path), hint=_SHAPE)
    if not isinstance(document.get("name", ""), str):
        raise UsageError("`name` is no string", where=str(path), hint=_SHAPE)
    if not isinstance(listed, list):
        raise UsageError("`steps` is no list of tables", where=str(path), hint=_SHAPE)
    steps: list[Step] = []
    for step in listed:
        if not isinstance(step, dict) or not isinstance(step.get("component"), str):
            raise UsageError("a step without `component`", where=str(path), hint='begin each with component = "NAME"')
        params: dict[str, Any] = dict(step)
        steps.append((params.pop("component"), params))
    return _make(document.get("name", path.stem), steps, overrides)


def _make(name: str, steps: Sequence[Step], overrides: Mapping[str, Mapping[str, object]]) -> Policy:
    for component in overrides:
        if component not in COMPONENTS and component not in PLANNED:
            build(component, _NONE)
    return Policy(
        name=name,
        components=tuple(
            build(step, {**params, **overrides.get(step, _NONE)}) for step, params in steps if step not in PLANNED
        ),
        missing=tuple(step for step, _ in steps if step in PLANNED),
    )
