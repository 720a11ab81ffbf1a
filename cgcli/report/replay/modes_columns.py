"""The columns of the table of modes: which stand beside each other, what each is called, what became of its jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def groups(told: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """The modes of each policy, in order."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in told:
        found.setdefault(one["policy"], []).append(one)
    return found


def column(one: Mapping[str, Any]) -> str:
    """What the column of *one* is called beside the other modes of its policy."""
    name: str = one["label"].removeprefix(f"{one['policy']} ")
    return name


def job(turn: Mapping[str, Any]) -> list[str]:
    """What became of the job of a *turn*, and whether its tail is protected."""
    told = [turn["job"].replace("_", " ")] if turn["job"] is not None else []
    return [*told, "protected"] if turn["protected"] else told
