"""`extract_llm`: a cheap model is asked for a shorter version of one tool output."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.extract_llm_answer import fault
from cgcli.compaction.components.extract_llm_gate import SHOWN_TOKENS, Stakes, presses, stakes
from cgcli.compaction.components.extract_llm_question import (
    CONTEXTS,
    PROMPT,
    around,
    called,
    question,
    target_tokens,
)
from cgcli.compaction.components.file_touches import FileRead, touch_of
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, after, left_behind, smaller
from cgcli.compaction.components.output_shapes import is_numbered
from cgcli.compaction.components.parameters import (
    check_count,
    check_flag,
    check_marker_mode,
    check_text,
    check_whole,
    check_word,
)
from cgcli.compaction.components.placeholders import NO_VIEW
from cgcli.compaction.components.shell import simple_commands
from cgcli.compaction.extraction import NOT_ANSWERED, NOT_ASKED, Ask
from cgcli.markers import has_placeholder
from cgcli.model import value
from cgcli.summarisers.extractive.shortening import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.compaction.extraction import Facts
    from cgcli.compaction.view import Output, View

MODELS: Mapping[str, str] = {
    "anthropic": "claude-haiku-5-5",
    "openai-chat": "gpt-4.1-nano",
    "openai-responses": "gpt-4.1-nano",
}
"""Who is asked, by the dialect of the lane: the makers' cheapest that answer without thinking, by the price table."""
KEPT_SHARE: Mapping[str, float] = {"low": 0.5, "medium": 0.25, "high": 0.1}
"""What is to be left of an output, by `aggressiveness`."""
_FIRE_ON = ("pressure", "size")
_MIN_TOKENS: Mapping[str, int] = {"pressure": 300, "size": 2000}
_EXPLORING_CALLS = 2
"""Of a lane, that need not pay by what is known (context-guru, 4.4)."""
_EXPLORED_TOKENS = 1500
"""From here on enough is known."""
_SHOWS_FILES = frozenset("cat head tail nl bat batcat less more sed".split())
_PASSES = frozenset({"cd", "echo", "true", ""})
CACHING_BACKEND = "caching_backend"
CALL_DOES_NOT_PAY = "call_does_not_pay"
LOW_PRESSURE = "low_pressure"


@value
class ExtractLlm:
    """Has a model leave out what the agent does not need, where that saves more than the call costs."""

    name: ClassVar[str] = "extract_llm"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({CACHING_BACKEND, CALL_DOES_NOT_PAY, LOW_PRESSURE, NOT_ASKED})

    min_tokens: int | None = None
    """None: 300, or 2,000 with `fire_on = "size"`."""
    model: str | None = None
    """None: by the dialect of the lane."""
    fire_on: str = "pressure"
    economic_gate: bool = True
    allow_on_caching_backend: bool = False
    aggressiveness: str = "medium"
    context: str = "recent"
    context_messages: int = 2
    llm_max_per_request: int = 4
    """0: no limit."""
    llm_max_per_session: int = 0
    """In a lane; 0: no limit."""
    skip_file_reads: bool = True
    marker_mode: MarkerMode = MarkerMode.FULL
    cold_cache: bool = True
    """On a turn whose cache has lapsed it may act inside the prefix; the step reads this."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_count(self.name, "min_tokens", self.min_tokens)
        check_text(self.name, "model", self.model)
        check_word(self.name, "fire_on", self.fire_on, _FIRE_ON)
        check_word(self.name, "aggressiveness", self.aggressiveness, tuple(KEPT_SHARE))
        check_word(self.name, "context", self.context, CONTEXTS)
        for whole in ("context_messages", "llm_max_per_request", "llm_max_per_session"):
            check_whole(self.name, whole, getattr(self, whole))
        for flag in ("economic_gate", "allow_on_caching_backend", "skip_file_reads", "cold_cache"):
            check_flag(self.name, flag, getattr(self, flag))
        check_marker_mode(self.name, self.marker_mode)

    def ask(self, slot: Slot) -> Ask | Skip:
        """What the model is asked about the output, or why it is not."""
        why_not = self._unfit(slot)
        if why_not is not None:
            return why_not
        facts, view = slot.facts, slot.view
        if facts is None or view is None:
            return NO_VIEW if view is None else Skip(reason=NOT_ASKED)
        if not facts.can_answer:
            return Skip(reason="no_model")
        context = around(view, slot.i_output, self.context, self.context_messages)
        if facts.is_known:  # it is paid for
            return self._ask(slot, facts, context, is_exploring=False)
        declined = self._declined(slot, facts, context)
        is_exploring = declined is not None and declined.reason == CALL_DOES_NOT_PAY and _may_explore(facts)
        why_not = (None if is_exploring else declined) or self._limit(facts)
        return why_not or self._ask(slot, facts, context, is_exploring=is_exploring)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """What the model answered, with the marker below it; refused where it cannot stand for the output."""
        if slot.answer is None:
            return Skip(reason=NOT_ANSWERED)
        why_not = fault(slot.answer, slot.text, tokens=slot.tokens, count=slot.count)
        if why_not is not None:
            return Skip(reason=why_not.reason)
        text = slot.answer.text.rstrip().strip("\n")
        return smaller(slot, after(text, "\n", left_behind(slot, self.marker_mode)))

    def wakes(self, i_output: int, view: View) -> bool:
        """True on a turn whose cache has lapsed: what is not sent saves a write then."""
        return i_output < self.wakes_below(view)

    def wakes_below(self, view: View) -> int:
        """All of them on such a turn, and none on any other."""
        return len(view.outputs) if self.cold_cache and view.is_cold else 0

    def stakes(self, slot: Slot, facts: Facts, context: str) -> Stakes | None:
        """What a call about the output may save, and what it costs; None where a price is missing."""
        shown = min(slot.tokens, SHOWN_TOKENS)
        return stakes(
            facts.market,
            self._model(facts),
            tokens=slot.tokens,
            asked_tokens=facts.asked_tokens,
            saved_tokens=facts.saved_tokens,
            is_repeat=slot.view is not None and slot.view.outputs[slot.i_output].i_message < facts.market.n_sent,
            call=(slot.count(PROMPT) + shown + slot.count(context), self._target(shown)),
        )

    def _unfit(self, slot: Slot) -> Skip | None:
        """Why nobody is asked about such an output, whatever it costs."""
        if has_placeholder(slot.text):
            return ALREADY_MARKED
        if slot.tokens < (_MIN_TOKENS[self.fire_on] if self.min_tokens is None else self.min_tokens):
            return BELOW_MIN_TOKENS
        if self.skip_file_reads and _is_file(slot.text, slot.output):
            return Skip(reason="file_read")
        return None

    def _declined(self, slot: Slot, facts: Facts, context: str) -> Skip | None:
        """Why a call is not worth it; None where it is."""
        market = facts.market
        if self.fire_on == "pressure" and not presses(facts):
            return Skip(reason=LOW_PRESSURE)
        if market.caches and not market.is_cold and not self.allow_on_caching_backend:
            return Skip(reason=CACHING_BACKEND)
        if not self.economic_gate:
            return None
        found = self.stakes(slot, facts, context)
        if found is None:
            return Skip(reason="call_unpriced")
        return None if found.saving_usd > found.cost_usd else Skip(reason=CALL_DOES_NOT_PAY)

    def _limit(self, facts: Facts) -> Skip | None:
        """The limit that is reached; None where none is."""
        if 0 < self.llm_max_per_session <= facts.n_asked_in_lane:
            return Skip(reason="session_limit")
        if 0 < self.llm_max_per_request <= facts.n_asked:
            return Skip(reason="request_limit")
        return None

    def _ask(self, slot: Slot, facts: Facts, context: str, *, is_exploring: bool) -> Ask:
        shown, shown_tokens = slot.text, slot.tokens
        if shown_tokens > SHOWN_TOKENS:
            shown = shortened(shown, most_tokens=SHOWN_TOKENS, count=slot.count)
            shown_tokens = slot.count(shown)
        most = self._target(shown_tokens)
        return Ask(
            model=self._model(facts),
            prompt=PROMPT,
            text=question(shown, called(slot.output), context, most_tokens=most, is_whole=shown is slot.text),
            # An answer that is cut off is paid for and of no use.
            max_tokens=max(512, 4 * most),
            output=shown,
            output_tokens=shown_tokens,
            most_tokens=most,
            is_exploring=is_exploring,
        )

    def _model(self, facts: Facts) -> str:
        return self.model if self.model is not None else MODELS[facts.market.dialect]

    def _target(self, shown_tokens: int) -> int:
        return target_tokens(shown_tokens, KEPT_SHARE[self.aggressiveness])


def _may_explore(facts: Facts) -> bool:
    """True where the lane has asked too little to know how much its outputs shrink."""
    return facts.n_explored < _EXPLORING_CALLS and facts.asked_tokens < _EXPLORED_TOKENS


def _is_file(text: str, output: Output | None) -> bool:
    """True for a file that was read: an edit quotes its very bytes."""
    if is_numbered(text):
        return True
    call = output.call if output is not None else None
    if call is None:
        return False
    if isinstance(touch_of(call, bash_edits=False), FileRead):
        return True
    commands = simple_commands(call.command) if call.command is not None else None
    programs = {one.program for one in commands or ()} - _PASSES
    return bool(programs) and programs <= _SHOWS_FILES
