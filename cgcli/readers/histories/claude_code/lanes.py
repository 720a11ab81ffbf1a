"""Which lane each answer of a Claude Code session is in: the trunk, a branch that was left, a sub-agent's."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.readers.histories.claude_code.turns import Turn

_Talk = tuple[str | None, ...]
"""A session, or a sub-agent in it."""


def lanes_of(turns: Sequence[Turn]) -> dict[Turn, str | None]:
    """The name of the lane of each answer in *turns*, which come in the order in which they were sent.

    What leads to the newest answer is the trunk, and named as the session is; what was left for it (a prompt was
    rewound) are branches, numbered from 2 on in the order in which they began. An answer that a resumed session copied
    is in the newest of these alone. Turns that no model answered, and copies, have no lane.
    """
    talks = _talks(turns)
    earlier = _earlier(turns, talks)
    names: dict[Turn, str | None] = {}
    branches: dict[_Talk, list[list[Turn]]] = {}
    told: set[str | None] = set()
    for tip in reversed(turns):
        if tip in names or not tip.is_answer:
            continue
        branch = []
        for turn in _towards_root(tip, earlier, talks):
            if turn in names:
                break
            names[turn] = None
            if turn.identity not in told:
                branch.append(turn)
        # Only now: what is a copy stands on another branch, never further up on the same one.
        told |= {turn.identity for turn in branch if turn.is_answer} - {None}
        branches.setdefault(talks[tip], []).append(branch)
    return _named(branches)


def _talks(turns: Sequence[Turn]) -> dict[Turn, _Talk]:
    """Whose talk each turn is: a sub-agent is told by its id, or else by the row that it begins with."""
    unnamed: dict[tuple[str | None, int], str] = {}
    n_unnamed: Counter[str | None] = Counter()
    talks: dict[Turn, _Talk] = {}
    for turn in turns:
        session, agent = turn.line.session, turn.line.agent
        key = (session, turn.first.line)
        if agent is None and turn.line.is_side:
            if key not in unnamed:
                n_unnamed[session] += 1
                unnamed[key] = f"sidechain-{n_unnamed[session]}"
            agent = unnamed[key]
        talks[turn] = (session,) if agent is None else (session, agent)
    return talks


def _earlier(turns: Sequence[Turn], talks: Mapping[Turn, _Talk]) -> dict[Turn, Turn]:
    """The turn of the same talk that was sent before each."""
    newest: dict[_Talk, Turn] = {}
    earlier: dict[Turn, Turn] = {}
    for turn in turns:
        if talks[turn] in newest:
            earlier[turn] = newest[talks[turn]]
        newest[talks[turn]] = turn
    return earlier


def _towards_root(tip: Turn, earlier: Mapping[Turn, Turn], talks: Mapping[Turn, _Talk]) -> Iterator[Turn]:
    """*tip* and what it goes on from, over compactions, as long as it is the same talk."""
    turn: Turn | None = tip
    while turn is not None and talks[turn] == talks[tip]:
        yield turn
        reopens = turn.before is None and turn.is_restart
        turn = (turn.reopens or earlier.get(turn)) if reopens else turn.before


def _named(branches: Mapping[_Talk, Sequence[Sequence[Turn]]]) -> dict[Turn, str | None]:
    names: dict[Turn, str | None] = {}
    for talk, (trunk, *others) in branches.items():
        names |= dict.fromkeys(trunk, _joined(talk))
        begun = sorted((branch for branch in others if branch), key=lambda branch: branch[-1].key)
        for n, branch in enumerate(begun, 2):
            names |= dict.fromkeys(branch, _joined((*talk, f"branch-{n}")))
    return {turn: name for turn, name in names.items() if turn.is_answer}


def _joined(talk: _Talk) -> str | None:
    return "/".join(part for part in talk if part is not None) or None
