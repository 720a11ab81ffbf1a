"""Components and lanes in the making: one token is one character, so every figure can be told by looking."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.pipeline import Evaluation, Pipeline, Where
from cgcli.compaction.state import Held, HeldKind, HeldRule, LaneState
from cgcli.compaction.step import Outcome, Stepper
from cgcli.compaction.summaries.state import Seam
from cgcli.compaction.triggers import NO_CONDITIONS
from cgcli.compaction.written import read
from cgcli.markers import marker
from cgcli.model import Source, value
from cgcli.tokens.meter import Meter
from cgcli.wire.splice import splice
from cgcli.wire.strings import Style
from tests.lanes.placing import Json, request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.compaction.component import Component
    from cgcli.compaction.paying import Judge
    from cgcli.compaction.triggers import Conditions
    from cgcli.model import Digest

NOTHING = Held(kind=HeldKind.NOTHING, n_messages=0)


def known(n_messages: int, *, is_cold: bool = False, left_s: float | None = None) -> Held:
    """The provider holds so many leading messages, for *left_s* more."""
    return Held(kind=HeldKind.KNOWN, n_messages=n_messages, is_cold=is_cold, left_s=left_s)


def unknown(n_messages: int) -> Held:
    """The provider may hold so many leading messages."""
    return Held(kind=HeldKind.UNKNOWN, n_messages=n_messages)


@value
class Shorten:
    """Lossless: takes one leading `-` away."""

    name: ClassVar[str] = "shorten"
    loss: ClassVar[Loss] = Loss.NONE
    gated: ClassVar[bool] = False

    def propose(self, slot: Slot) -> Reduction | Skip:
        """One `-` less."""
        return Reduction(text=slot.text[1:]) if slot.text.startswith("-") else Skip(reason="no_dash")


@value
class Drop:
    """Leaves nothing but the marker, or what its mode says."""

    name: ClassVar[str] = "drop"
    loss: ClassVar[Loss] = Loss.STASHED

    gated: bool = False
    cold_cache: bool = False
    marker_mode: MarkerMode = MarkerMode.FULL

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The marker."""
        if "<<cg:" in slot.text or len(slot.text) < 40:
            return Skip(reason="small_or_marked")
        return Reduction(text=marker(slot.key) if self.marker_mode is MarkerMode.FULL else "")


@value
class Age:
    """Drops all but the newest output, and may not do that in a held prefix."""

    name: ClassVar[str] = "age"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True

    cold_cache: bool = True

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The marker, from the second newest on."""
        if slot.i_output == slot.n_outputs - 1:
            return Skip(reason="recent")
        return Reduction(text=f"old {marker(slot.key)}") if len(slot.text) >= 40 else Skip(reason="small")


@value
class Says:
    """Answers the same to everything."""

    name: ClassVar[str] = "says"
    loss: ClassVar[Loss] = Loss.NONE
    gated: ClassVar[bool] = False

    text: str

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The text."""
        return Skip(reason="said") if slot.text == self.text else Reduction(text=self.text)


@value
class Forgets:
    """Puts a text in the place of what it drops."""

    name: ClassVar[str] = "forgets"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = False

    text: str

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The text."""
        del slot
        return Reduction(text=self.text)


@value
class Raises:
    """Has a fault."""

    name: ClassVar[str] = "raises"
    loss: ClassVar[Loss] = Loss.NONE
    gated: ClassVar[bool] = False

    def propose(self, slot: Slot) -> Reduction | Skip:
        """Never answers."""
        raise ZeroDivisionError(slot.n_outputs)


def evaluate(
    components: Sequence[Component],
    text: str,
    *,
    literal: bytes | None = None,
    count: Callable[[str], int] = len,
    denied: str | None = None,
    seen: Callable[[int, Digest], bool] = lambda _step, _digest: False,
) -> Evaluation:
    """What *components* make of one output that is *text*."""
    where = Where(i_message=2, i_part=0, i_output=0, n_outputs=1, request_tokens=1000, denied=lambda _component: denied)
    spelled = json.dumps(text).encode() if literal is None else literal
    return Pipeline(components, count, default_style=Style.ASCII).evaluate(read(spelled), count(text), where, seen)


def stepper(*components: Component, rule: HeldRule = HeldRule.RESPECT, triggers: Conditions = NO_CONDITIONS) -> Stepper:
    """These components at work, one token being one character."""
    return Stepper(Pipeline(components, len, default_style=Style.ASCII), Meter(len), rule=rule, triggers=triggers)


class Walk:
    """One lane, turn by turn."""

    def __init__(self, steps: Stepper, *, judge: Judge | None = None) -> None:
        """Begin with nothing sent; *judge* says what pays."""
        self.steps = steps
        self.seam = Seam(source=Source(file="made.jsonl", line=1, wrap="object"), judge=judge) if judge else None
        self.state = LaneState()
        self.outcome: Outcome | None = None

    def send(self, body: Json, *, shared: int, held: Held) -> dict[int, str]:
        """Take a turn; the text of each tool output that is sent, by the number of its message."""
        made = request(body)
        self.state, outcome = self.steps.step(self.state, made, shared, held, self.seam)
        self.outcome = outcome
        new = splice(bytes(made.raw), [(start, stop, decision.literal) for start, stop, decision in outcome.edits])
        return outputs(json.loads(new))

    @property
    def last(self) -> Outcome:
        """The outcome of the last turn."""
        assert self.outcome is not None
        return self.outcome


def outputs(body: Json) -> dict[int, str]:
    """The text of each tool output of a body with one in a message, by the number of the message."""
    return {
        i: message["content"][0]["content"]
        for i, message in enumerate(body["messages"])
        if isinstance(message["content"], list) and message["content"][0]["type"] == "tool_result"
    }
