"""The gates, in the order in which reports list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.gates.append import Append
from cgcli.checks.gates.baseline import Baseline
from cgcli.checks.gates.breakpoints import Breakpoints
from cgcli.checks.gates.fork_cached import ForkCached
from cgcli.checks.gates.fork_cost import ForkCost
from cgcli.checks.gates.fork_noboundary import ForkNoBoundary
from cgcli.checks.gates.fork_prefix import ForkPrefix
from cgcli.checks.gates.markers import Markers
from cgcli.checks.gates.native import Native
from cgcli.checks.gates.params import Params
from cgcli.checks.gates.shape import Shape
from cgcli.checks.gates.storm import Storm
from cgcli.checks.gates.system import System
from cgcli.checks.gates.thinking import Thinking
from cgcli.checks.gates.tool_pairs import ToolPairs
from cgcli.checks.gates.tools import Tools
from cgcli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.checks.base import Gate

GATES: tuple[Gate, ...] = (
    Append(),
    Tools(),
    System(),
    Params(),
    Breakpoints(),
    ToolPairs(),
    Thinking(),
    Shape(),
    Markers(),
    Native(),
    Storm(),
    ForkPrefix(),
    ForkCached(),
    ForkCost(),
    ForkNoBoundary(),
    Baseline(),
)


def gate(name: str) -> Gate:
    """The gate *name*, in any case, with or without its `G-`.

    Raises:
        UsageError: there is none.
    """
    known = {one.rule.gate: one for one in GATES}
    wanted = name.upper() if name.upper().startswith("G-") else f"G-{name.upper()}"
    if wanted in known:
        return known[wanted]
    raise UsageError(f"no gate is called {name!r}", hint=did_you_mean(wanted, known))


def chosen(only: Sequence[str], skipped: Sequence[str]) -> tuple[Gate, ...]:
    """The gates *only* (all where it is empty) without *skipped*.

    Raises:
        UsageError: an unknown name, or none is left.
    """
    wanted = {gate(name).rule.gate for name in only} or {one.rule.gate for one in GATES}
    left = wanted - {gate(name).rule.gate for name in skipped}
    if not left:
        raise UsageError("no gate is left", hint="take away a --skip")
    return tuple(one for one in GATES if one.rule.gate in left)
