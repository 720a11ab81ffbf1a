"""Lanes that one body component, or several in a row, edit turn by turn; a word is a token, as the simulator has it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.compaction.body import Body, BodyEdit, BodyPlan, disjoint
from cgcli.compaction.component import Skip
from cgcli.compaction.state import HeldRule
from cgcli.compaction.view import View
from cgcli.readers.single import BodyParser
from cgcli.tokens.meter import Meter
from cgcli.wire.splice import splice
from cgcli.wire.strings import Style
from tests.compaction.stepping import NOTHING, known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.compaction.body import BodyComponent
    from cgcli.model import Request

Json = dict[str, Any]
Ranges = tuple[tuple[int, int], ...]


def n_words(text: str) -> int:
    """A word is a token."""
    return len(text.split())


def compact(body: Json) -> bytes:
    """*body* as most clients write it."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def pretty(body: Json) -> bytes:
    """*body* with white space wherever JSON may have it."""
    return json.dumps(body, indent=2, separators=(" ,", " : ")).encode()


class Edited:
    """One lane, and the component that edits it."""

    def __init__(self, component: BodyComponent, *, count: Callable[[str], int] = n_words) -> None:
        """Nothing was sent yet; tokens are what *count* says."""
        self.component = component
        self.meter = Meter(count)
        self.memory: Any = None
        self.before: Request | None = None
        self.plan: BodyPlan | Skip = Skip(reason="nothing_sent")
        self._parser = BodyParser()

    def body(self, raw: bytes, taken: Ranges = ()) -> Body:
        """The next request, as the component sees it."""
        request = self._parser.parse(raw)
        earlier = self.before.messages if self.before is not None else ()
        n_same = 0
        while n_same < min(len(earlier), len(request.messages)) and earlier[n_same] is request.messages[n_same]:
            n_same += 1
        self.before = request
        return Body(
            request=request,
            view=View(request, lambda i, k: self.meter.parts(request.messages[i])[k]),
            held=known(n_same) if n_same else NOTHING,
            rule=HeldRule.RESPECT,
            memory=self.memory,
            n_same=n_same,
            rewritten_from=None,
            taken=taken,
            taken_tokens=(0,) * len(taken),
            sent_tokens=sum(self.meter.item(item) for _, item, _ in request.placed()),
            item_tokens=self.meter.item,
            count=self.meter.count,
            style=Style.UTF8,
        )

    def edits(self, raw: bytes, taken: Ranges = ()) -> tuple[BodyEdit, ...]:
        """What is done to the next request, *taken* being what earlier steps replace."""
        body = self.body(raw, taken)
        self.plan = self.component.plan(body)
        assert self.component.plan(body) == self.plan
        if isinstance(self.plan, Skip):
            return ()
        assert disjoint(self.plan.edits)
        self.memory = self.plan.memory
        return self.plan.edits

    def send(self, raw: bytes | Json) -> bytes:
        """The next request, as it is sent."""
        written = raw if isinstance(raw, bytes) else compact(raw)
        return splice(written, [(edit.start, edit.stop, edit.new) for edit in self.edits(written)])

    @property
    def reasons(self) -> list[str]:
        """Why something was left alone in the last request."""
        if isinstance(self.plan, Skip):
            return [self.plan.reason]
        return [skip.reason for skip in self.plan.skips]

    @property
    def n_fired(self) -> int:
        """How many things were changed in it."""
        if isinstance(self.plan, Skip):
            return 0
        return len(self.plan.edits) if self.plan.n_fired is None else self.plan.n_fired

    @property
    def saved_tokens(self) -> int:
        """What the edits of the last request say that they save."""
        return sum(edit.saved_tokens for edit in self.plan.edits) if isinstance(self.plan, BodyPlan) else 0


class InARow:
    """Several components, each of which sees what the ones before it replace."""

    def __init__(self, *components: BodyComponent) -> None:
        """Nothing was sent yet."""
        self.steps = [Edited(component) for component in components]

    def send(self, raw: bytes | Json) -> bytes:
        """The next request, as it is sent: an edit that stands inside a later one is gone."""
        written = raw if isinstance(raw, bytes) else compact(raw)
        placed: list[BodyEdit] = []
        for step in self.steps:
            new = step.edits(written, tuple((edit.start, edit.stop) for edit in placed))
            placed = [edit for edit in placed if not any(_covers(one, edit) for one in new)]
            placed = sorted([*placed, *new], key=lambda edit: (edit.start, edit.stop))
            assert disjoint(placed)
        return splice(written, [(edit.start, edit.stop, edit.new) for edit in placed])


def _covers(a: BodyEdit, b: BodyEdit) -> bool:
    return a.start <= b.start and b.stop <= a.stop and a.start < a.stop


def sent(component: BodyComponent, bodies: Sequence[Json]) -> list[bytes]:
    """A lane of *bodies*, as they are sent."""
    lane = Edited(component)
    return [lane.send(body) for body in bodies]


def marks(body: Json) -> list[tuple[str, str]]:
    """Each cache mark of a body in cache order: where, and for how long."""
    found: list[tuple[str, str]] = []
    system = body.get("system", ())
    for section, items in (("tools", body.get("tools", ())), ("system", () if isinstance(system, str) else system)):
        found += [(f"{section}.{i}", _ttl(item)) for i, item in enumerate(items) if _is_marked(item)]
    for i, message in enumerate(body["messages"]):
        blocks = message["content"] if isinstance(message["content"], list) else ()
        found += [(f"messages.{i}.{k}", _ttl(block)) for k, block in enumerate(blocks) if _is_marked(block)]
    return found


def _is_marked(block: Json) -> bool:
    return isinstance(block.get("cache_control"), dict)


def _ttl(block: Json) -> str:
    return str(block["cache_control"].get("ttl", "5m"))
