"""The compaction steps, by the names that users of the context-guru proxy know."""

from __future__ import annotations

from inspect import signature
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from cgcli.compaction.component import MarkerMode
from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.components.dedup import Dedup
from cgcli.compaction.components.extract import Extract
from cgcli.compaction.components.format import Format
from cgcli.compaction.components.mask import Mask
from cgcli.compaction.components.parameters import wrong_marker_mode
from cgcli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cgcli.compaction.component import Component

COMPONENTS: Mapping[str, type[Component]] = MappingProxyType(
    {
        "collapse": Collapse,
        "dedup": Dedup,
        "extract": Extract,
        "format": Format,
        "mask": Mask,
    }
)


def build(name: str, params: Mapping[str, object]) -> Component:
    """The component *name* with *params*, as they stand in a policy file.

    Raises:
        UsageError: there is no such component or parameter, or a value is not allowed.
    """
    if name not in COMPONENTS:
        raise UsageError(f"there is no component {name!r}", hint=did_you_mean(name, sorted(COMPONENTS)))
    make = cast("Callable[..., Component]", COMPONENTS[name])
    known = signature(make).parameters
    for parameter in params:
        if parameter not in known:
            raise UsageError(
                f"{name}: there is no parameter {parameter!r}", hint=did_you_mean(parameter, sorted(known))
            )
    return make(**{parameter: _typed(name, parameter, given) for parameter, given in params.items()})


def _typed(name: str, parameter: str, given: object) -> object:
    if parameter != "marker_mode" or not isinstance(given, str):
        return given
    try:
        return MarkerMode(given)
    except ValueError:
        raise wrong_marker_mode(name, given) from None
