"""Which policies a replay compares, by the names that were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cli.replay_modes import DEFAULT as DEFAULT_IN_MODES
from cgcli.cli.replay_modes import wished
from cgcli.compaction import policy as policies
from cgcli.compaction.components import known
from cgcli.compaction.presets import BUILT_IN
from cgcli.compaction.state import HeldRule
from cgcli.errors import UsageError, did_you_mean
from cgcli.replay.paired.replay import OFF, Planned
from cgcli.report.replay.next_command import CALLS
from cgcli.summarisers.registry import named
from cgcli.summarisers.stand_in import Native

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.cli.replaying import Asked
    from cgcli.compaction.policy import Policy
    from cgcli.config import Settings
    from cgcli.summarisers.protocol import Summariser

DEFAULT = ("codesafe", "general", "clear-tool-uses", "fork")
EVERY = "all"
_RULE = "@"
_AND = "+"
"""Between components that are to be one policy."""


def labels(asked: Asked) -> list[str]:
    """What each policy of the replay is called, doing nothing first."""
    ends = wished(asked.modes).suffixes()
    return [OFF, *(f"{name}{end}" for name in _names(asked) for end, _, _ in ends)]


def planned(asked: Asked, settings: Settings) -> Iterator[Planned]:
    """The policies beside doing nothing, in the order in which they were named.

    Raises:
        UsageError: there is no such policy, rule or summariser, or one stands there twice.
    """
    given = {"budget_tokens": asked.budget_tokens, "ask_at": asked.ask_at, "apply_at": asked.apply_at}
    told = {name: said for name, said in given.items() if said is not None}
    answering = Native(named(asked.summarizer or "extractive"))
    names = _names(asked)
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise UsageError(f"policy {twice!r} was named twice", hint="name each once")
    modes = wished(asked.modes)
    if modes.modes and not names:
        raise UsageError("off is the same in every mode", hint="name a policy, as --policy codesafe")
    for name in names:
        base, _, rule = name.partition(_RULE)
        yield from modes.each(
            Planned(
                policy=_policy(base, settings, told),
                rule=_rule(rule or asked.held or settings.held),
                summariser=_answers(asked, answering),
            )
        )


def _names(asked: Asked) -> list[str]:
    """Every policy as it was named, but for doing nothing, which is always there."""
    default = DEFAULT if asked.modes.mode is None else DEFAULT_IN_MODES
    said = [name.strip() for given in asked.policies or default for name in given.split(",") if name.strip()]
    found: list[str] = []
    for name in said:
        base, at, rule = name.partition(_RULE)
        every = [one for one in (*BUILT_IN, *CALLS) if one not in (OFF, "summarize")]
        found += [f"{one}{at}{rule}" for one in every] if base == EVERY else [name]
    return [name for name in found if name.partition(_RULE)[0] != OFF]


def _policy(name: str, settings: Settings, told: Mapping[str, object]) -> Policy:
    base = "summarize" if name in CALLS else name
    params, places = settings.components, settings.parameter_places
    steps = tuple(base.split(_AND))
    if base not in BUILT_IN and not base.endswith(".toml"):
        if not set(steps) <= {*known(), *policies.SPAN_STEPS}:
            hint = did_you_mean(base, (*BUILT_IN, *CALLS, EVERY, "a component", "FILE.toml"))
            raise UsageError(f"there is no policy {base!r}", hint=hint)
        return policies.pipeline(steps, params, places)
    chosen = policies.named(base, params, places)
    more = {**told, **({"call": name} if name in CALLS else {})}
    if chosen.span_step is None or not more:
        return chosen
    step = chosen.span_step.name
    own = {key: said for key, said in more.items() if step == "summarize" or key != "call"}
    params = {**params, step: {**params.get(step, {}), **own}}
    try:
        return policies.named(base, params, places)
    except UsageError as error:
        hint = f"{error.hint}, under [tool.cgcli.components.{step}]; or name the policies that are to be compared"
        raise UsageError(error.message, where=error.where, hint=hint) from error


def _rule(told: str | None) -> HeldRule:
    try:
        return HeldRule(told or HeldRule.RESPECT)
    except ValueError:
        hint = did_you_mean(told or "", [rule.value for rule in HeldRule])
        raise UsageError(f"there is no rule {told!r} for the held prefix", hint=hint) from None


def _answers(asked: Asked, answering: Summariser) -> Summariser | None:
    return None if asked.summarizer == "none" else answering
