"""Run the components over one slot; a component that raises or makes things worse is reverted alone."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Literal, cast

from cgcli.compaction.component import PASSING_REASONS, Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.entering import DENIED_REASONS, STRICT_REASONS
from cgcli.compaction.extraction import NOT_ANSWERED, NOT_ASKED, is_asking
from cgcli.compaction.state import Decision, Fired, SlotState
from cgcli.markers import has_placeholder, marker
from cgcli.model import Digest, Refusal, changed, value
from cgcli.wire.spans import decode_text
from cgcli.wire.strings import encode, style_of, utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.compaction.component import Component, Waking
    from cgcli.compaction.desk import Desk
    from cgcli.compaction.extraction import Asking
    from cgcli.compaction.view import View
    from cgcli.compaction.written import Written
    from cgcli.wire.strings import Style

_ROUNDS = 4
"""A text that changed without getting a marker goes through again until it stays, so that compacting the result
changes nothing."""
_REMEMBERED_TEXTS = 16


@value
class Where:
    """What the components are told about a slot beside its text."""

    i_message: int
    i_part: int
    i_output: int
    n_outputs: int
    request_tokens: int
    denied: Callable[[Component], str | None]
    """Why a component may not decide here; None where it may."""
    view: View | None = None
    """The request around the slot."""
    desk: Desk | None = None
    """Takes what components ask of models; None where nothing may be asked."""


@value
class Reverted:
    """A component's answer that was not taken."""

    component: str
    reason: str
    detail: str = ""


@value
class Evaluation:
    """What came of one slot."""

    slot: SlotState
    literal: bytes
    """The slot's string as it is written, quotes included."""
    original: bytes
    """The slot's text in UTF-8."""
    reverted: tuple[Reverted, ...]
    covers: Literal["slot", "messages"] = "slot"
    """What the decision replaces: the slot's string, or whole messages, which `literal` and `original` then are."""
    before: tuple[Digest, ...] = ()
    """Of messages: sha256 of the text of each message that stands there now before the one with the marker."""


def evaluated(here: Written, slot: SlotState, *, reverted: tuple[Reverted, ...] = ()) -> Evaluation:
    """The evaluation by which *slot* holds what is written *here*."""
    return Evaluation(slot=slot, literal=here.literal, original=here.original, reverted=reverted)


class Pipeline:
    """A policy's components in order, with one token counter."""

    def __init__(self, components: Sequence[Component], count: Callable[[str], int], *, default_style: Style) -> None:
        """Evaluate *components*; new strings are spelled in *default_style* where it gives the original too."""
        self.components = tuple(components)
        self._count = count
        self._counted: dict[str, int] = {}
        self._known_skips: dict[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]] = {}
        """The reasons so far, each set once: slots with the same ones are told by identity."""
        self.style = default_style
        self.waking: dict[tuple[str, str], Waking] = {
            (component.name, reason): cast("Waking", component)
            for component in components
            for reason in getattr(component, "passing", ())
        }
        """Who is asked, by (component, reason for a skip), whether it would skip the slot again."""
        self.settles = all(not component.gated or getattr(component, "settles", False) for component in components)
        """What comes of a slot stays the same on later turns, once no reason is left that passes."""
        self.asking = {one.name: cast("Asking", one) for one in components if is_asking(one)}
        """The components that ask models, by name."""

    def count(self, text: str) -> int:
        """Tokens of *text*; a component and the check of its answer ask for the same one."""
        known = self._counted.get(text)
        if known is None:
            if len(self._counted) >= _REMEMBERED_TEXTS:
                self._counted.clear()
            known = self._counted[text] = self._count(text)
        return known

    def evaluate(self, here: Written, tokens: int, where: Where, seen: Callable[[int, Digest], bool]) -> Evaluation:
        """Decide about the slot that holds what is written *here*.

        *seen* tells whether an earlier output of the request had a text of that digest at that step.
        """
        run = _Run(self, here, tokens, where, seen)
        for _ in range(_ROUNDS):
            before = run.text
            run.once()
            if run.text == before or has_placeholder(run.text):
                break
        decision = self._decision(here, tokens, run)
        is_open = any(
            skip[1] in PASSING_REASONS or skip[1] in DENIED_REASONS or skip in self.waking for skip in run.skips
        )
        # In the round that changes nothing more, a component that fired finds nothing left to do.
        skips = dict.fromkeys(skip for skip in run.skips if skip[0] not in run.fired)
        slot = SlotState(
            i_message=where.i_message,
            i_part=where.i_part,
            tokens=tokens,
            seen=tuple(run.stages),
            decision=decision,
            skips=self._known_skips.setdefault(tuple(skips), tuple(skips)),
            is_open=is_open,
            key=here.key,
        )
        return evaluated(here, slot, reverted=tuple(dict.fromkeys(run.reverted)))

    def left_alone(self, here: Written, tokens: int, where: Where, reason: str) -> Evaluation:
        """The evaluation of a slot that no component may touch, for *reason*."""
        slot = SlotState(
            i_message=where.i_message,
            i_part=where.i_part,
            tokens=tokens,
            seen=(),
            decision=None,
            skips=tuple(dict.fromkeys((component.name, reason) for component in self.components)),
            is_open=False,
            key=here.key,
        )
        return evaluated(here, slot)

    def again(self, here: Written, slot: SlotState) -> Evaluation | None:
        """The evaluation of a slot that reads what *slot* read, with the same decision; None where that has no room."""
        decision = slot.decision
        if decision is not None:
            new, style = self._spelled(here, decode_text(decision.literal))
            if len(new) >= len(here.literal):
                return None
            decision = changed(decision, literal=new, style=style)
        return evaluated(here, changed(slot, decision=decision))

    def _decision(self, here: Written, tokens: int, run: _Run) -> Decision | None:
        if run.text == here.text:
            return None
        new, style = self._spelled(here, run.text)
        if len(new) >= len(here.literal):
            run.reverted += [Reverted(component=name, reason="more_bytes") for name in run.fired]
            return None
        return Decision(
            literal=new,
            original=Digest(sha256(here.original).digest()),
            replacement=Digest(sha256(utf8(run.text)).digest()),
            fired=tuple(Fired(component=name, saved_tokens=saved) for name, saved in run.fired.items()),
            saved_tokens=tokens - run.tokens,
            is_reversible=not run.is_lost,
            style=style,
        )

    def _spelled(self, here: Written, new: str) -> tuple[bytes, Style | None]:
        """*new*, spelled in the place of what is *here*, and the escapes that give that from its text again."""
        style = style_of(here.literal, here.text)
        is_ours = style is self.style or encode(here.text, self.style) == here.literal
        spelled = self.style if is_ours else style or self.style
        return encode(new, spelled), spelled if is_ours else style


class _Run:
    """The components at work on one slot."""

    def __init__(
        self, pipeline: Pipeline, here: Written, tokens: int, where: Where, seen: Callable[[int, Digest], bool]
    ) -> None:
        self.components = pipeline.components
        self.asking = pipeline.asking
        self.count = pipeline.count
        self.key = here.key
        self.text = here.text
        self.tokens = tokens
        self.where = where
        self.seen = seen
        self.fired: dict[str, int] = {}
        self.skips: list[tuple[str, str]] = []
        self.reverted: list[Reverted] = []
        self.stages: list[tuple[int, Digest]] = []
        self.is_lost = False
        self._asked: dict[str, str] = {}
        """Per component that asked: why nothing came of it. It asks no second time."""

    def once(self) -> None:
        """Every component, once, each on what the one before left."""
        self.skips = []
        for i, component in enumerate(self.components):
            seen_before = False
            if component.name == "dedup":
                digest = Digest(sha256(utf8(self.text)).digest())
                seen_before = self.seen(i, digest)
                self.stages.append((i, digest))
            self._apply(component, seen_before=seen_before)

    def _apply(self, component: Component, *, seen_before: bool) -> None:
        where = self.where
        slot = Slot(
            text=self.text,
            tokens=self.tokens,
            key=self.key,
            i_output=where.i_output,
            n_outputs=where.n_outputs,
            seen_before=seen_before,
            request_tokens=where.request_tokens,
            count=self.count,
            view=where.view,
        )
        try:
            asking = self.asking.get(component.name)
            answer = component.propose(slot) if asking is None else self._after_asking(component, asking, slot)
        except Exception as error:  # noqa: BLE001 - fail open: any fault of a component reverts it alone
            self.reverted.append(Reverted(component=component.name, reason="raised", detail=repr(error)))
            return
        if isinstance(answer, Skip):
            self.skips.append((component.name, answer.reason))
            return
        denied = where.denied(component)
        if denied is not None and denied not in STRICT_REASONS and self._enters(component):
            denied = None
        if denied is not None:
            self.skips.append((component.name, denied))
            return
        self._take(component, answer.text)

    def _after_asking(self, component: Component, asking: Asking, slot: Slot) -> Reduction | Skip:
        """What *component* makes of the answer to what it asks; why it asks nothing, or has no answer."""
        desk = self.where.desk
        if component.name in self._asked:
            return Skip(reason=self._asked[component.name])
        wanted = asking.ask(changed(slot, facts=desk.facts(slot.text) if desk is not None else None))
        if isinstance(wanted, Skip):
            return wanted
        denied = self.where.denied(component)
        if denied is not None or desk is None:
            return Skip(reason=denied or NOT_ASKED)
        answer = desk.answer(wanted, slot.text, slot.tokens, self.where.i_message)
        if answer is None or isinstance(answer, Refusal):
            found: Reduction | Skip = Skip(reason=answer.reason if answer is not None else NOT_ANSWERED)
        else:
            found = component.propose(changed(slot, answer=answer))
        if isinstance(found, Skip):
            self._asked[component.name] = found.reason
        else:
            desk.saved(slot.text, slot.tokens - self.count(found.text))
        return found

    def _enters(self, component: Component) -> bool:
        """True where *component* was told to act inside the held prefix all the same, at its user's expense."""
        enters = getattr(component, "enters", None)
        view = self.where.view
        return enters is not None and view is not None and bool(enters(self.where.i_output, view))

    def _take(self, component: Component, text: str) -> None:
        tokens = self.count(text)
        mode = getattr(component, "marker_mode", MarkerMode.FULL)
        drops = component.loss is Loss.STASHED
        if tokens >= self.tokens:
            self.reverted.append(Reverted(component=component.name, reason="grew"))
        elif drops and mode is MarkerMode.FULL and marker(self.key) not in text:
            self.reverted.append(Reverted(component=component.name, reason="dropped_without_marker"))
        else:
            self.fired[component.name] = self.fired.get(component.name, 0) + self.tokens - tokens
            self.is_lost |= drops and mode is not MarkerMode.FULL
            self.text, self.tokens = text, tokens
