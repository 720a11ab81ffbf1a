"""What of a lane's decisions is true of its next request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.components.ladder.conversation import Conversation
from cgcli.compaction.components.ladder.floor import newest
from cgcli.compaction.components.ladder.gaps import Gaps
from cgcli.model import changed
from cgcli.select.joined import joined

if TYPE_CHECKING:
    from cgcli.compaction.body import Body
    from cgcli.compaction.components.ladder.memory import Memory, Note
    from cgcli.compaction.components.ladder.sizes import Sizes
    from cgcli.model import Digest, Request


def holding(memory: Memory, body: Body, sizes: Sizes, protected_tool_results: int) -> Memory:
    """What of *memory* is true of *body*: everything, where the lane went on; else what stands before the change.

    A lane that was edited or went back may end within what was decided: its last message, the user's last word and the
    newest results are as they are protected then. Of tool groups only whole ones stay out.
    """
    states, n = body.request.states, memory.n_messages
    # A state is a running digest: where the last one is the same, so are all before it.
    if not memory.n_decisions or (0 < n <= len(states) and states[n - 1] == memory.state):
        return memory

    def holds(i: int, state: Digest) -> bool:
        return i < len(states) and states[i] == state

    talk = Conversation(body)
    protected = newest(talk.results, frozenset(), protected_tool_results)
    outputs = {i for one in protected for i in one.i_outputs}
    places = {(one.i_message, one.i_part) for one in body.view.outputs if one.i_output in outputs}
    staying = {len(states) - 1, *(one.i_message for one in protected)}
    notes = _mended(memory, {i for i, state in memory.removed if holds(i, state)} - staying, body, sizes)
    return changed(
        memory,
        n_messages=len(states),
        state=states[-1] if states else None,
        removed=tuple((i, states[i]) for note in notes for i in range(note.start, note.stop)),
        written=tuple(
            one
            for one in memory.written
            if holds(one.i_message, one.state)
            and one.i_message != talk.last_user
            and (one.i_message, one.i_part) not in places
        ),
        notes=notes,
    )


def _mended(memory: Memory, removed: set[int], body: Body, sizes: Sizes) -> tuple[Note, ...]:
    """The notes where only these messages are *removed*; one that was cut is written anew, for what is left of its run.

    What may not be left out any more comes back: a torn group, a run whose note is larger than it is, one that may not
    end where it does now.
    """
    while removed:
        removed -= _torn(removed, body.request)
        gaps = Gaps(body, removed, Conversation(body).absent)
        notes = gaps.notes(memory.notes)
        wrong = [
            one
            for one in notes
            if not gaps.may_be(one.start, one.stop) or sizes.messages(one.start, one.stop) <= one.tokens
        ]
        if not wrong:
            return notes
        for one in wrong:
            removed -= set(range(one.start, one.stop))
    return ()


def _torn(removed: set[int], request: Request) -> frozenset[int]:
    """What of *removed*, and else, is of one piece with a message that is not left out, or has lost its counterpart."""
    together = joined(request)
    return together.closed({*range(len(request.messages))} - removed | together.lone)
