"""Which policies a replay compares, by the names that were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cli import summary_options
from cgcli.cli.choosing import Choice, held_rule
from cgcli.cli.replay_modes import DEFAULT as DEFAULT_IN_MODES
from cgcli.compaction.components import known
from cgcli.compaction.policy import SPAN_STEPS
from cgcli.compaction.presets import BUILT_IN
from cgcli.errors import UsageError, did_you_mean
from cgcli.replay.paired.replay import OFF, Planned
from cgcli.report.replay.next_command import CALLS
from cgcli.summarisers.registry import named
from cgcli.summarisers.stand_in import Native

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.cli.replay_modes import Wished
    from cgcli.cli.replaying import Asked
    from cgcli.compaction.policy import Policy
    from cgcli.config import Settings

DEFAULT = ("codesafe", "general", "clear-tool-uses", "fork")
EVERY = "all"
_RULE = "@"
_AND = "+"
"""Between components that are to be one policy."""


def planned(asked: Asked, settings: Settings, modes: Wished) -> Iterator[tuple[str, Planned]]:
    """The policies beside doing nothing, in the order in which they were named, each with what it is called.

    Raises:
        UsageError: there is no such policy, rule or summariser, or one stands there twice.
    """
    told = summary_options.told(call=None, budget=asked.budget_tokens, ask_at=asked.ask_at, apply_at=asked.apply_at)
    answering = None if asked.summarizer == "none" else Native(named(asked.summarizer or "extractive"))
    names = _names(asked)
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise UsageError(f"policy {twice!r} was named twice", hint="name each once")
    if modes.modes and not names:
        raise UsageError("off is the same in every mode", hint="name a policy, as --policy codesafe")
    for name in names:
        base, _, rule = name.partition(_RULE)
        one = Planned(
            policy=_policy(base, settings, told),
            rule=held_rule(rule or asked.held or settings.held),
            summariser=answering,
        )
        yield from modes.each(name, one)


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
    choice = _choice(name)
    given = {**told, "call": name} if name in CALLS else told
    chosen = choice.made(settings, {})
    if chosen.span_step is None or not given:
        return chosen
    try:
        return choice.made(settings, given)
    except UsageError as error:
        step = chosen.span_step.name
        hint = f"{error.hint}, under [tool.cgcli.components.{step}]; or name the policies that are to be compared"
        raise UsageError(error.message, where=error.where, hint=hint) from error


def _choice(name: str) -> Choice:
    if name in CALLS:
        return Choice(name="summarize", origin="--policy")
    if name in BUILT_IN or name.endswith(".toml"):
        return Choice(name=name, origin="--policy")
    steps = tuple(name.split(_AND))
    if not set(steps) <= {*known(), *SPAN_STEPS}:
        hint = did_you_mean(name, (*BUILT_IN, *CALLS, EVERY, "a component", "FILE.toml"))
        raise UsageError(f"there is no policy {name!r}", hint=hint)
    return Choice(name=name, names=steps, origin="--policy")
