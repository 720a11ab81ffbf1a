"""Components of bodies that do what they are told, and one request that they edit; a character is a token."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from cgcli.compaction.bodies import run
from cgcli.compaction.body import Body, BodyEdit, BodyPlan
from cgcli.compaction.component import Loss, Skip
from cgcli.compaction.state import NO_BODIES, HeldRule
from cgcli.compaction.view import View
from cgcli.wire.splice import splice
from cgcli.wire.strings import Style
from tests.compaction.stepping import NOTHING
from tests.lanes.placing import Json, body, request, said, user

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.compaction.bodies import BodyTold, Edited
    from cgcli.compaction.body import BodyComponent
    from cgcli.compaction.state import BodiesState

Plans = "Callable[[Body], BodyPlan | Skip]"


class Scripted:
    """Lossless, whatever it does."""

    name: ClassVar[str] = "scripted"
    loss: ClassVar[Loss] = Loss.NONE

    def __init__(self, plan: Callable[[Body], BodyPlan | Skip]) -> None:
        """Answer with *plan*."""
        self._plan = plan
        self.seen: list[Body] = []

    def plan(self, body: Body) -> BodyPlan | Skip:
        """What it was told to answer."""
        self.seen.append(body)
        return self._plan(body)


class First(Scripted):
    """One of several."""

    name: ClassVar[str] = "first"


class Second(Scripted):
    """Another one."""

    name: ClassVar[str] = "second"


class Third(Scripted):
    """A third one."""

    name: ClassVar[str] = "third"


class Stashing(Scripted):
    """Takes content out."""

    name: ClassVar[str] = "stashing"
    loss: ClassVar[Loss] = Loss.STASHED


WORDS = "zero one two three four five six seven eight nine"
RECORD: Json = body(user(WORDS), said("Yes."), user("Go on."))
RAW = json.dumps(RECORD).encode()


def at(word: str, raw: bytes = RAW) -> tuple[int, int]:
    """Where *word* stands, and ends."""
    start = raw.index(word.encode())
    return start, start + len(word)


def swap(word: str, new: str, *, saved: int | None = None, i_message: int | None = 0, keeps: bool = False) -> BodyEdit:
    """Puts *new* in the place of *word*."""
    start, stop = at(word)
    return BodyEdit(
        start=start,
        stop=stop,
        new=new.encode(),
        saved_tokens=len(word) - len(new) if saved is None else saved,
        i_message=i_message,
        keeps_reading=keeps,
    )


def put(place: int, new: str, *, i_message: int | None = 0) -> BodyEdit:
    """Puts *new* in at byte *place*."""
    return BodyEdit(start=place, stop=place, new=new.encode(), i_message=i_message, keeps_reading=True)


def does(*edits: BodyEdit, memory: Any = None, skips: Sequence[str] = ()) -> Callable[[Body], BodyPlan]:
    """A plan with these edits, whatever the request."""
    reasons = tuple(Skip(reason=reason) for reason in skips)
    return lambda _body: BodyPlan(edits=edits, memory=memory, skips=reasons)


def seen(taken: Sequence[tuple[int, int, int]] = (), *, n_same: int = 0) -> Body:
    """The request, *taken* being what is replaced in it: (start, stop, saved tokens)."""
    made = request(RECORD)
    return Body(
        request=made,
        view=View(made, lambda _i, _k: 0),
        held=NOTHING,
        rule=HeldRule.RESPECT,
        memory=None,
        n_same=n_same,
        rewritten_from=None,
        taken=tuple((start, stop) for start, stop, _ in taken),
        taken_tokens=tuple(tokens for _, _, tokens in taken),
        sent_tokens=1000 - sum(tokens for _, _, tokens in taken),
        item_tokens=lambda _item: 0,
        count=len,
        style=Style.UTF8,
    )


def edited(
    *components: BodyComponent,
    before: BodiesState = NO_BODIES,
    taken: Sequence[tuple[int, int, int]] = (),
    n_same: int = 0,
) -> Edited:
    """What *components* do to the request."""
    return run(components, seen(taken, n_same=n_same), before)


def words(done: Edited) -> str:
    """What the first message says then."""
    new = splice(RAW, [(start, stop, decision.literal) for start, stop, decision in done.edits])
    told: str = json.loads(new)["messages"][0]["content"]
    return told


def told(done: Edited) -> dict[str, BodyTold]:
    """What each component did, by its name."""
    return {one.component: one for one in done.told}
