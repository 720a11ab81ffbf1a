"""Policies: components in order, built in by name, from a TOML file, or from a list of names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.calls.build import resolve_or_standalone
from cgcli.compaction.component import Loss
from cgcli.compaction.components import BODY_COMPONENTS, COMPONENTS, build, build_body, known, make
from cgcli.compaction.conditions import conditions
from cgcli.compaction.order import stealing
from cgcli.compaction.policy_file import Written, read_policy
from cgcli.compaction.presets import BUILT_IN, NO_PARAMETERS
from cgcli.compaction.said import Said, located
from cgcli.compaction.summaries.codex_local import CodexLocal
from cgcli.compaction.summaries.pi_keep_recent import PiKeepRecent
from cgcli.compaction.summaries.settings import Summarize
from cgcli.compaction.triggers import NO_CONDITIONS, Conditions
from cgcli.errors import UsageError, did_you_mean
from cgcli.model import changed, value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.compaction.body import BodyComponent
    from cgcli.compaction.component import Component
    from cgcli.compaction.summaries.span_step import SpanStep


@value
class Policy:
    """Components in the order in which they act."""

    name: str
    components: tuple[Component, ...]
    warnings: tuple[str, ...] = ()
    """What a file says and is not taken as it stands, a line each."""
    bodies: tuple[BodyComponent, ...] = ()
    """The steps that edit a request beside its tool outputs; they act after those of outputs, in their order."""
    span_step: SpanStep | None = None
    """The step that puts summaries in the place of whole messages; it acts after the others."""
    triggers: Conditions = NO_CONDITIONS
    """On which turns something new may be decided; `span_step` goes by thresholds of its own."""


SPAN_STEPS: Mapping[str, type[SpanStep]] = MappingProxyType(
    {
        "codex-local": CodexLocal,
        "pi-keep-recent": PiKeepRecent,
        "summarize": Summarize,
    }
)
"""The steps that replace whole messages; a policy has one of them at most."""
Overrides = Mapping[str, Mapping[str, object]]
"""Parameters by component, from a configuration or the command line; they go over those of a policy."""
Places = Mapping[tuple[str, str], str]
"""`FILE:LINE` of those, by component and parameter."""
_NONE: Overrides = MappingProxyType({})
_NOWHERE: Places = MappingProxyType({})


def named(name: str, overrides: Overrides = _NONE, places: Places = _NOWHERE) -> Policy:
    """The built-in policy *name*, or the one in the TOML file of that path, with *overrides* that stand at *places*.

    Raises:
        UsageError: no such policy, or a parameter that is not allowed.
    """
    written = _written(name, overrides, places)
    order = () if name in BUILT_IN else tuple(stealing(written.steps))
    made = _make(written.name, written.steps, order=order)
    triggers, warnings = conditions(written)
    return changed(made, triggers=triggers, warnings=(*warnings, *made.warnings))


def steps_of(name: str, overrides: Overrides = _NONE, places: Places = _NOWHERE) -> tuple[str, tuple[Said, ...]]:
    """What the policy *name* is called, and its steps as they are written, the *overrides* over them.

    Raises:
        UsageError: no such policy, or no such component or parameter among the overrides.
    """
    written = _written(name, overrides, places)
    return written.name, written.steps


def _written(name: str, overrides: Overrides, places: Places) -> Written:
    """The policy *name* as it is written, the *overrides* over it."""
    _check(overrides, places)
    if name in BUILT_IN:
        found = Written(name=name, steps=tuple(Said(name=step, params=params) for step, params in BUILT_IN[name]))
    elif name.endswith(".toml"):
        found = read_policy(Path(name))
    else:
        raise UsageError(f"there is no policy {name!r}", hint=did_you_mean(name, (*BUILT_IN, "FILE.toml")))
    return changed(found, steps=_over(found.steps, overrides, places))


def pipeline(
    names: Sequence[str],
    overrides: Overrides = _NONE,
    places: Places = _NOWHERE,
    *,
    at: Sequence[str] = (),
) -> Policy:
    """An unnamed policy of the components *names*, which stand *at* those places, where they stand in a file.

    Raises:
        UsageError: no such component.
    """
    steps = steps_listed(names, overrides, places, at=at)
    return _make("pipeline " + ",".join(names), steps, order=tuple(stealing(steps)))


def steps_listed(
    names: Sequence[str],
    overrides: Overrides = _NONE,
    places: Places = _NOWHERE,
    *,
    at: Sequence[str] = (),
) -> tuple[Said, ...]:
    """The components *names* as steps, the *overrides* over them.

    Raises:
        UsageError: no such component or parameter among the overrides.
    """
    _check(overrides, places)
    steps = [Said(name=name, where=at[i] if i < len(at) else None) for i, name in enumerate(names)]
    return _over(steps, overrides, places)


def _over(steps: Sequence[Said], overrides: Overrides, places: Places) -> tuple[Said, ...]:
    return tuple(
        step.over(overrides.get(step.name, NO_PARAMETERS), _of(step.name, places) if step.name in overrides else {})
        for step in steps
    )


def _of(component: str, places: Places) -> dict[str, str]:
    """The places of one component's parameters."""
    return {parameter: place for (owner, parameter), place in places.items() if owner == component}


def _check(overrides: Overrides, places: Places) -> None:
    """Refuse parameters that no step would take, whether or not the policy has that step."""
    for component, params in overrides.items():
        where, own = places.get((component, "")), _of(component, places)
        built(Said(name=component, params=params, where=where, places=own))


def built(step: Said) -> object:
    """The *step* with its parameters, whatever it acts on.

    Raises:
        UsageError: there is no such step, or a parameter is not allowed.
    """
    return located(step, _built)


def _built(name: str, params: Mapping[str, object]) -> object:
    if name in SPAN_STEPS:
        return _span_step(name, params)[0]
    return build_body(name, params) if name in BODY_COMPONENTS else _component(name, params)


def _component(name: str, params: Mapping[str, object]) -> Component:
    """A component of tool outputs; a name that is none is told with all that a policy may have."""
    if name not in COMPONENTS:
        hint = did_you_mean(name, sorted([*known(), *SPAN_STEPS]))
        raise UsageError(f"there is no component {name!r}", hint=hint)
    return build(name, params)


def _make(name: str, steps: Sequence[Said], *, order: tuple[str, ...]) -> Policy:
    """The policy of *steps*; *order* is what is to be said of their order."""
    span_step, warnings = _only_span_step([step for step in steps if step.name in SPAN_STEPS])
    return Policy(
        name=name,
        warnings=(*warnings, *order),
        components=tuple(located(step, _component) for step in steps if not _is_elsewhere(step.name)),
        bodies=tuple(located(step, build_body) for step in steps if step.name in BODY_COMPONENTS),
        span_step=span_step,
    )


def edits_content(policy: Policy) -> tuple[str, ...]:
    """The steps of *policy* that take content out, in order."""
    stashing = [one.name for one in policy.components if one.loss is Loss.STASHED]
    return (*stashing, *(one.name for one in policy.bodies if one.loss is Loss.STASHED))


def names(policy: Policy) -> tuple[str, ...]:
    """Every step of *policy*, each once, in the order in which they act."""
    found = [*(one.name for one in policy.components), *(one.name for one in policy.bodies)]
    if policy.span_step is not None:
        found.append(policy.span_step.name)
    return tuple(dict.fromkeys(found))


def _is_elsewhere(step: str) -> bool:
    """True for a step that is no component of tool outputs."""
    return step in BODY_COMPONENTS or step in SPAN_STEPS


def _only_span_step(steps: Sequence[Said]) -> tuple[SpanStep | None, tuple[str, ...]]:
    """The step that replaces messages, with what is to be said of its parameters."""
    if not steps:
        return None, ()
    if len(steps) > 1:
        first, second, *_ = steps
        if first.name == second.name:
            raise UsageError(
                f"`{first.name}` stands twice in the policy",
                where=second.where,
                hint="one is enough: it acts again and again",
            )
        raise UsageError(
            f"`{first.name}` and `{second.name}` stand in one policy",
            where=second.where,
            hint="each puts summaries in the place of messages: give one of them",
        )
    (only,) = steps
    step, warning = located(only, _span_step)
    place = only.places.get("call")
    said_at = f"{place}: " if place is not None else ""
    return step, tuple(f"{said_at}{line}" for line in warning)


def _span_step(name: str, params: Mapping[str, object]) -> tuple[SpanStep, tuple[str, ...]]:
    """The step *name* with *params*; an unknown call mode is `standalone`, with a warning."""
    given = dict(params)
    if not isinstance(given.get("call"), str):
        return make(name, SPAN_STEPS[name], given), ()
    choice, warning = resolve_or_standalone(str(given["call"]))
    given["call"] = choice.name
    return make(name, SPAN_STEPS[name], given), (warning,) if warning is not None else ()
