"""Which policy and rule a run has: an option names them, else the configuration, else they are the default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.errors import UsageError, did_you_mean
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.compaction.policy import Policy
    from cgcli.compaction.said import Said
    from cgcli.compaction.state import HeldRule
    from cgcli.config import Settings

DEFAULT_POLICY = "codesafe"


@value
class Choice:
    """A policy as it was named: by its name, or by the names of its steps."""

    name: str
    names: tuple[str, ...] | None = None
    """The steps of a pipeline; None where it is a policy."""
    at: tuple[str, ...] = ()
    """`FILE:LINE` of each of them, where they stand in a file."""
    origin: str
    """The option that named it, `FILE:LINE`, or `default`."""

    def made(self, settings: Settings, given: Mapping[str, object]) -> Policy:
        """The policy, with the parameters of *settings* and those *given* for its step that summarises.

        Raises:
            UsageError: there is no such policy, or a parameter is not allowed.
        """
        chosen = self._made(settings.components, settings.parameter_places)
        if not given or chosen.span_step is None:
            return chosen
        step = chosen.span_step.name
        params = {**settings.components, step: {**settings.components.get(step, {}), **given}}
        places = {
            keys: place for keys, place in settings.parameter_places.items() if keys[0] != step or keys[1] not in given
        }
        return self._made(params, places)

    def _made(self, params: Mapping[str, Mapping[str, object]], places: Mapping[tuple[str, str], str]) -> Policy:
        from cgcli.compaction import policy as policies  # noqa: PLC0415 - imported when the command runs

        if self.names is not None:
            return policies.pipeline(self.names, params, places, at=self.at)
        return policies.named(self.name, params, places)

    def steps(self, settings: Settings) -> tuple[Said, ...]:
        """Its steps as they are written, the parameters of *settings* over them.

        Raises:
            UsageError: there is no such policy, or a parameter is not allowed.
        """
        from cgcli.compaction import policy as policies  # noqa: PLC0415 - imported when the command runs

        if self.names is not None:
            return policies.steps_listed(self.names, settings.components, settings.parameter_places, at=self.at)
        return policies.steps_of(self.name, settings.components, settings.parameter_places)[1]


def choose(policy: str | None, pipeline: str | None, settings: Settings) -> Choice:
    """The policy that the options *policy* and *pipeline* name, else *settings*.

    Raises:
        UsageError: the options exclude each other, or name nothing.
    """
    if policy is not None and pipeline is not None:
        raise UsageError("--policy and --pipeline exclude each other", hint="give one of them")
    if pipeline is not None:
        names = tuple(name.strip() for name in pipeline.split(",") if name.strip())
        if not names:
            raise UsageError("--pipeline names no component", hint="--pipeline format,collapse, or --policy off")
        return Choice(name="pipeline", names=names, origin="--pipeline")
    if policy is not None:
        return Choice(name=policy, origin="--policy")
    if settings.pipeline is not None:
        at = tuple(settings.places["pipeline", i] for i in range(len(settings.pipeline)))
        return Choice(name="pipeline", names=settings.pipeline, at=at, origin=settings.places["pipeline",])
    if settings.policy is not None:
        return Choice(name=settings.policy, origin=settings.places["policy",])
    return Choice(name=DEFAULT_POLICY, origin="default")


def held_rule(told: str | None) -> HeldRule:
    """The rule of the held prefix that is called *told*; `respect` where none is.

    Raises:
        UsageError: there is no such rule.
    """
    from cgcli.compaction.state import HeldRule  # noqa: PLC0415 - imported when the command runs

    try:
        return HeldRule(told or HeldRule.RESPECT)
    except ValueError as error:
        hint = did_you_mean(told or "", [rule.value for rule in HeldRule])
        raise UsageError(f"there is no rule {told!r} for the held prefix", hint=hint) from error
