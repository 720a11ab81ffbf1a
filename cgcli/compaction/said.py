"""A step as somebody wrote it down: its name and parameters, and the line of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import field

from cgcli.compaction.presets import NO_PARAMETERS
from cgcli.errors import UsageError
from cgcli.model import changed, value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cgcli.compaction.triggers_said import SaidTriggers

T = TypeVar("T")


@value
class Said:
    """A step of a policy before it is built."""

    name: str
    params: Mapping[str, object] = NO_PARAMETERS
    where: str | None = None
    """`FILE:LINE` of the step; None where it stands in no file."""
    places: Mapping[str, str] = field(default_factory=dict)
    """`FILE:LINE` of parameters."""
    triggers: SaidTriggers | None = None
    """What the step waits for beside what the policy does; None where it says nothing."""

    def over(self, params: Mapping[str, object], places: Mapping[str, str]) -> Said:
        """The step with other *params* over its own; what stands in no file loses its place."""
        if not params:
            return self
        kept = {name: place for name, place in self.places.items() if name not in params}
        return changed(self, params={**self.params, **params}, places={**kept, **places})


def located(said: Said, build: Callable[[str, Mapping[str, object]], T]) -> T:
    """What *build* makes of a step; an error says the line of the parameter that is to blame.

    Raises:
        UsageError: as *build* does.
    """
    try:
        return build(said.name, said.params)
    except UsageError as error:
        if error.where is not None:
            raise
        raise UsageError(error.message, where=_to_blame(said, build, error.message), hint=error.hint) from error


def _to_blame(said: Said, build: Callable[[str, Mapping[str, object]], object], message: str) -> str | None:
    """The place of the first parameter without which the error would be gone, or another; else that of the step."""
    for parameter in said.params:
        try:
            build(said.name, {name: given for name, given in said.params.items() if name != parameter})
        except UsageError as other:
            if other.message == message:
                continue
        return said.places.get(parameter, said.where)
    return said.where
