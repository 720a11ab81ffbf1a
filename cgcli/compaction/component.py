"""What a compaction step is: one slot in, a shorter text or a named reason out.

A component is a frozen value with its parameters as fields. It never sees a later request, never touches
bytes, and never decides about the held prefix: the step asks `gated` and does that for all of them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Protocol

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.compaction.extraction import Facts
    from cgcli.compaction.view import Output, View
    from cgcli.summarisers.protocol import Summary


class Loss(StrEnum):
    """What a component does to content."""

    NONE = "none"
    """Lossless: the same facts, spelled shorter."""
    STASHED = "stashed"
    """Content leaves, its original is in the stash, a marker says where."""


class MarkerMode(StrEnum):
    """What stands where content left (context-guru's `marker_mode`)."""

    FULL = "full"
    """The original is stashed; the marker resolves."""
    SUMMARY = "summary"
    """A sentinel that does not resolve; nothing is stashed: irreversible."""
    OFF = "off"
    """Nothing; nothing is stashed: irreversible."""


@value
class Slot:
    """One tool output of a request, as the component sees it."""

    text: str
    """The text as the earlier components left it."""
    tokens: int
    """The tokens of `text` (o200k_base, no factor)."""
    key: str
    """16 hex digits: the marker key of the original text."""
    i_output: int
    """Which tool output of the request this is, from 0."""
    n_outputs: int
    """How many tool outputs the request has."""
    seen_before: bool
    """An earlier tool output of the same request had exactly this text at this step."""
    request_tokens: int | None
    """The tokens of the whole request before compaction; None where they were not counted."""
    count: Callable[[str], int]
    """Tokens of a text, with the same counter."""
    view: View | None = None
    """The request around it; None where none is at hand. What a component takes from it must only depend on what stands
    before the slot's end, unless the component is `gated`."""
    facts: Facts | None = None
    """For a component that asks a model: what it is told before. None where nothing may be asked."""
    answer: Summary | None = None
    """For such a component: what the model answered."""

    @property
    def output(self) -> Output | None:
        """The slot's own place in the view."""
        return self.view.outputs[self.i_output] if self.view is not None else None


@value
class Reduction:
    """A shorter text for a slot."""

    text: str


@value
class Skip:
    """Why a component leaves a slot alone: a short name such as `below_min_tokens`."""

    reason: str


PASSING_REASONS = frozenset({"recent"})
"""The reasons for a skip that later turns of the same lane may lift. A component with others names them itself, in a
ClassVar `passing`."""


class Component(Protocol):
    """One compaction step."""

    name: ClassVar[str]
    loss: ClassVar[Loss]

    @property
    def gated(self) -> bool:
        """True where the decision depends on more than what stands before the slot's end.

        Its age, or the size of the request: such a decision may not enter a held prefix. With `settles = True` a gated
        component says that its answer stays the same on later turns, once it is no skip for a reason that passes.
        """

    def propose(self, slot: Slot) -> Reduction | Skip:
        """A shorter text for *slot*, or why not. Pure: the same slot gives the same answer."""


class Waking(Protocol):
    """A component that left slots alone for a reason of its own that may pass.

    One that wakes for older outputs only says so by a method `wakes_below(view)`: no output with that number, or a
    higher one, makes `wakes` true. Then those are not asked about one by one.
    """

    passing: ClassVar[frozenset[str]]
    """Those reasons."""

    def wakes(self, i_output: int, view: View) -> bool:
        """True where it is worth asking again about that output. Cheap: asked of each such slot on every turn."""
