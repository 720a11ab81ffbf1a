"""Claude Code's session files: one row for each message, or piece of one, hanging on the row before.

A row has `uuid` and `parentUuid`, so the file is a tree: a prompt that was rewound leaves a dead branch behind, and a
sub-agent has a tree of its own (`isSidechain`). An answer takes a row for each of its content blocks, all with one
`message.id` and the same usage; the results of its parallel calls hang on different ones of these rows.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.readers.base import unusable
from cgcli.readers.derived import HISTORY, NEITHER, Derived, Missed
from cgcli.readers.histories.claude_code.lanes import lanes_of
from cgcli.readers.histories.claude_code.lines import line_of
from cgcli.readers.histories.claude_code.links import tree_of
from cgcli.readers.histories.claude_code.messages import ANTHROPIC
from cgcli.readers.histories.claude_code.turns import Histories, turns_of
from cgcli.readers.histories.sound import Sound
from cgcli.readers.records import records
from cgcli.readers.spelling import body, spell
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.base import Known
    from cgcli.readers.histories.claude_code.lines import Line
    from cgcli.readers.histories.claude_code.turns import Turn
    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node

_SPEAKING = ("user", "assistant")


class ClaudeCode:
    """Claude Code's session files."""

    name: ClassVar[str] = "claude-code"
    known: ClassVar[Known] = HISTORY
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a user's or an assistant's row names a session, or a parent in its tree."""
        return any(_is_row(members) for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """A request for each answer: the rows that lead to it."""
        rows: list[Line] = []
        sound = Sound(ANTHROPIC)
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
                continue
            try:
                row = line_of(record, sound.check)
            except Malformed as error:
                yield Missed(line=record.line, passed=unusable(error))
                continue
            if row is not None:
                rows.append(row)
                if row.passed is not None:
                    yield Missed(line=row.line, passed=row.passed)
        tree = tree_of(rows)
        yield from tree.missed
        turns = turns_of(tree)
        del rows, tree  # what was said is in the turns now
        sound.keep(said for turn in turns for said in (turn.asked, turn.said))
        lanes = lanes_of(turns)
        earlier = Histories()
        for turn in turns:
            if turn in lanes:
                yield _derived(turn, lanes[turn], earlier, sound)


def _is_row(members: Mapping[str, Node]) -> bool:
    kind = members["type"].string() if "type" in members else None
    return kind in _SPEAKING and "message" in members and ("sessionId" in members or "parentUuid" in members)


def _derived(turn: Turn, lane: str | None, earlier: Histories, sound: Sound) -> Derived:
    model = turn.answer.model
    return Derived(
        body=body(turn.history(earlier), model=spell(model) if model is not None else None),
        line=turn.line.line,
        provider="anthropic",
        session_id=lane,
        sent_s=turn.sent_s,
        answered_s=turn.answered_s,
        find_answer=partial(turn.answer.whole),
        usage=turn.answer.usage,
        unrecorded=NEITHER,
        read_before=sound.take,
    )
