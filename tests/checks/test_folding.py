"""A state that is carried along the messages."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.checks.folding import Folding
from cgcli.checks.run import Allowed, check
from cgcli.readers import read
from tests.captures import capture
from tests.checks.gated import Json, body, lines, turn, user

if TYPE_CHECKING:
    from cgcli.checks.turn import Turn
    from cgcli.model import Item

GO = user("Go.")
History = tuple[bytes, ...]


class Walking:
    """Folds each message's bytes into a history, and keeps what each turn gave."""

    def __init__(self) -> None:
        """Nothing is folded yet."""
        self.folding: Folding[History] = Folding((), self._step)
        self.n_steps = 0
        self.ends: list[History] = []
        self.fresh: list[list[int]] = []
        self.told: list[History] = []

    def _step(self, state: History, item: Item, i: int) -> History:
        assert len(state) == i
        self.n_steps += 1
        return (*state, item.rendered)

    def see(self, turn: Turn) -> None:
        """Fold its messages."""
        end, new = self.folding.advance(turn)
        self.ends.append(end)
        self.fresh.append([i for i, _ in new])
        self.told.append(tuple(item.rendered for item in turn.request.messages))


def walked(data: bytes) -> Walking:
    """A file, folded."""
    walking = Walking()
    check(read(BytesIO(data), file="made.jsonl"), [], Allowed(), {}, observers=[walking])
    return walking


@given(
    seed=st.integers(0, 50),
    turns=st.integers(1, 5),
    side_lanes=st.integers(0, 2),
    elide=st.sampled_from([None, 1, 2]),
    moving_marks=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_each_turn_ends_in_the_fold_of_its_own_messages(
    seed: int, turns: int, side_lanes: int, elide: int | None, *, moving_marks: bool
) -> None:
    """Whatever is edited, branches off or is interleaved: the state is that of the request's own messages."""
    found = walked(capture(seed=seed, turns=turns, side_lanes=side_lanes, elide=elide, moving_marks=moving_marks))
    assert found.ends == found.told


def test_each_message_is_looked_at_once() -> None:
    """A lane of 40 requests and 79 messages takes 79 steps."""
    told: list[Json] = [GO]
    bodies = [body(*told)]
    for i in range(39):
        told += turn(i)
        bodies.append(body(*told))
    found = walked(lines(bodies))
    assert (found.n_steps, found.fresh[-1]) == (79, [77, 78])


def test_an_edit_and_a_branch_go_on_from_where_they_agree() -> None:
    """Only what stands behind the last common message is folded again."""
    old, new = turn(1, "old"), turn(1, "new")
    found = walked(
        lines(
            [
                body(GO, *old, *turn(2)),
                body(GO, *new, *turn(2), *turn(3)),
                body(GO, *new, *turn(8), *turn(9)),
            ]
        )
    )
    assert found.fresh == [[0, 1, 2, 3, 4], [2, 3, 4, 5, 6], [3, 4, 5, 6]]
    assert found.ends == found.told
