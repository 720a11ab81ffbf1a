"""Every step that a policy may name, alone in a policy of its own, with parameters under which it can act."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.compaction.component import Loss
from cgcli.compaction.components import known
from cgcli.compaction.policy import SPAN_STEPS, named, pipeline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.compaction.policy import Policy

ACTING: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "tool_result_budget": {"budget_tokens": 2000, "shape": "head_tail"},
        "toolfilter": {"remove": ["*"]},
    }
)
"""What steps are told that do nothing by default."""
POLICIES = ("codesafe", "house", "general")
"""Whole ones, to compare with."""


def names() -> list[str]:
    """Every step, in order."""
    return sorted({*known(), *SPAN_STEPS})


def policy_of(name: str) -> Policy:
    """The policy of that step, or the one of `POLICIES` or `off` of that name."""
    if name in (*POLICIES, "off"):
        return named(name)
    return pipeline([name], {name: ACTING[name]} if name in ACTING else {})


def heeds_the_rule(name: str) -> bool:
    """True where the held rule can make a difference to the step."""
    policy = policy_of(name)
    return any(one.gated for one in policy.components) or any(one.loss is Loss.STASHED for one in policy.bodies)
