"""One turn of a lane's summaries: take an answer, put a summary in its place, ask for the next one."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.calls.build import resolve
from cgcli.calls.call import NATIVE, Asking
from cgcli.calls.cuts import thinking_torn
from cgcli.calls.falling_back import ask
from cgcli.calls.following import follow_summary
from cgcli.compaction.summaries.asking import call_options, parent_of
from cgcli.compaction.summaries.placing import Spent, covered, place
from cgcli.compaction.summaries.runs import nothing
from cgcli.compaction.summaries.span_step import Sent
from cgcli.compaction.summaries.state import Asked, Event, Job, Ticket, What
from cgcli.model import Digest, Refusal, changed
from cgcli.providers.models import lookup
from cgcli.readers.single import BodyParser
from cgcli.select.selection import Selection
from cgcli.summarisers.accepting import accept
from cgcli.summarisers.protocol import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.calls.build import Choice
    from cgcli.calls.call import CallOptions, Parent
    from cgcli.calls.falling_back import Made
    from cgcli.compaction.summaries.span_step import Chosen, SpanStep
    from cgcli.compaction.summaries.state import Applied, Seam, SummaryState
    from cgcli.model import Request
    from cgcli.summarisers.protocol import Summary
    from cgcli.tokens.meter import Meter
    from cgcli.wire.strings import Style

REST_SHARE = 0.05
"""Of the budget: after a refusal a request must grow by so much before a summary is asked for again."""
_NO_CALL = Refusal(reason="no_call", detail="no call could be built")
_NO_MODEL = Refusal(reason="no_model", detail="a call that is not native needs a summariser, and there is none")


class SummaryTurn:
    """The summaries of one request: `place`, then `ask`. Both are told how many tokens it has as the lane has it."""

    def __init__(
        self,
        settings: SpanStep,
        state: SummaryState,
        request: Request,
        seam: Seam,
        *,
        meter: Meter,
        style: Style,
        span_tokens: Callable[[int, int], int],
    ) -> None:
        """Go on from *state*; *span_tokens* counts messages `start:stop` of *request* with their slots' decisions."""
        self.state = state
        self.events: list[Event] = []
        self.jobs: list[Job] = []
        self.placed: Applied | None = None
        """What was put in its place on this turn."""
        self.replaced: tuple[Applied, ...] = ()
        """The earlier summaries that it stands for too."""
        self.choice: Choice = resolve(settings.call)
        self._settings = settings
        self._request = request
        self._seam = seam
        self._meter = meter
        self._style = style
        self._parser = BodyParser()
        self._span_tokens = span_tokens
        self._factor = float(lookup(request.model).factor)
        self._when = settings.when(request.model)

    def place(self, view_tokens: int) -> None:
        """Take the answer that came in, and put it in its place once the request has reached the second threshold."""
        self._guarded(lambda: self._place(view_tokens), view_tokens)

    def ask(self, view_tokens: int, sent: Callable[[], bytes]) -> None:
        """Ask for a summary where none is in flight and the request has reached the first threshold.

        The parent is what is *sent* on this turn, and stays that.
        """
        self._see_excess(view_tokens)
        if self._seam.is_deferring:
            return
        if self.state.asked is not None or self._tokens(view_tokens) < self._when.ask_tokens:
            return
        if view_tokens >= self.state.rest_until_tokens:
            self._guarded(lambda: self._ask(view_tokens, sent), view_tokens)

    def _see_excess(self, view_tokens: int) -> None:
        """Rest where a summary stands for all that may give way, and the request has reached its limit all the same.

        It is said once a lane.
        """
        if not self._settings.is_redone or self.placed is None or self._tokens(view_tokens) < self._when.ask_tokens:
            return
        self.state = changed(self.state, rest_until_tokens=self._rest_from(view_tokens))
        if self.state.is_told(What.STILL_ABOVE):
            return
        self.state = self.state.telling(What.STILL_ABOVE)
        said = f"with the summary in its place the request has {self._tokens(view_tokens):,} tokens"
        self.events.append(
            Event(
                what=What.STILL_ABOVE,
                reason=What.STILL_ABOVE.value,
                detail=said,
                warning=f"{self._settings.name}: {said}, and its threshold is {self._when.ask_tokens:,}",
            )
        )

    def _rest_from(self, view_tokens: int) -> int:
        return view_tokens + self._counted(round(self._when.budget_tokens * REST_SHARE))

    def asking(self, view_tokens: int) -> Asking:
        """The request as a parent, for the provider's own threshold."""
        n = len(self._request.messages)
        whole = Selection(start=0, stop=n, tokens=view_tokens, n_pinned=0)
        return Asking(parent=self._parent(self._request, view_tokens), selection=whole, options=self._options())

    def _guarded(self, act: Callable[[], None], view_tokens: int) -> None:
        """Fail open: where *act* raises, nothing of what it did is taken, and the call in flight is given up."""
        before, n_events = self.state, len(self.events)
        try:
            act()
        except Exception as error:  # noqa: BLE001 - whatever fails, the request that it is about stays as it was
            self.state = before
            self.placed, self.replaced = None, ()
            del self.events[n_events:], self.jobs[:]
            self._refused(Refusal(reason="raised", detail=repr(error)), before.asked, view_tokens)

    def _tokens(self, counted: int) -> int:
        return round(counted * self._factor)

    def _counted(self, tokens: int) -> int:
        return round(tokens / self._factor)

    def _place(self, view_tokens: int) -> None:
        asked = self.state.asked
        if asked is None:
            return
        spent = self._spent(asked)
        if asked.answer is None:
            answer = self._seam.answers.get(asked.job)
            if answer is None:
                return
            asked = self._take(asked, answer, spent, view_tokens)
        if asked is not None and asked.answer is not None and self._tokens(view_tokens) >= self._when.apply_tokens:
            self._apply(asked, asked.answer, spent, view_tokens)

    def _take(self, asked: Asked, answer: Summary | Refusal, spent: Spent, view_tokens: int) -> Asked | None:
        if not isinstance(answer, Refusal):
            answer = accept(
                answer,
                span_tokens=spent.lane_tokens,
                count=self._meter.count,
                needs_block=asked.mode in NATIVE,
            )
        if isinstance(answer, Refusal):
            self._refused(answer, asked, view_tokens)
            return None
        answered = changed(asked, answer=answer)
        self.state = changed(self.state, asked=answered)
        self._happened(What.ANSWERED, asked)
        return answered

    def _apply(self, asked: Asked, answer: Summary, spent: Spent, view_tokens: int) -> None:
        placed = place(asked, answer, self._request, self._settings, style=self._style, meter=self._meter, spent=spent)
        if isinstance(placed, Refusal):
            self._refused(placed, asked, view_tokens)
            return
        self.placed, self.replaced = placed, self._inside(placed.start, placed.stop)
        kept = tuple(one for one in self.state.applied if one not in self.replaced)
        self.state = changed(self.state, applied=(*kept, placed), asked=None)
        self._happened(
            What.APPLIED,
            changed(asked, start=placed.start, stop=placed.stop),
            span_tokens=spent.lane_tokens,
            summary_tokens=placed.tokens,
            is_reversible=placed.decision.is_reversible,
        )

    def _spent(self, asked: Asked) -> Spent:
        start, stop = covered(asked, self._request.dialect)
        whole = self._span_tokens(start, stop)
        saved = sum(one.decision.saved_tokens for one in self._inside(start, stop))
        return Spent(input_tokens=whole, lane_tokens=whole - saved)

    def _inside(self, start: int, stop: int) -> tuple[Applied, ...]:
        return tuple(one for one in self.state.applied if start <= one.start and one.stop <= stop)

    def _ask(self, view_tokens: int, sent: Callable[[], bytes]) -> None:
        """Build the call from what is sent on this turn."""
        if not (self._seam.can_answer or self.choice.is_native):
            self._refused(_NO_MODEL, None, view_tokens)
            return
        parent = self._parser.parse(sent())
        measured = [self._meter.item(item) for item in parent.messages]
        sent_now = Sent(
            request=parent,
            tokens=measured,
            total_tokens=self._tokens(view_tokens),
            factor=self._factor,
            when=self._when,
        )
        chosen = self._settings.choose(sent_now)
        if isinstance(chosen, Refusal):
            self._refused(chosen, None, view_tokens)
            return
        start, stop = self.state.input_index(chosen.span.start), self.state.input_index(chosen.span.stop)
        unfit = self._unfit(start, stop)
        if unfit is not None:
            self._refused(unfit, None, view_tokens)
            return
        asking = Asking(parent=self._parent(parent, view_tokens), selection=chosen.told, options=self._options())
        made = self._made(asking)
        self.state = changed(self.state, session=made.session)
        if made.call is None:
            self._refused(made.refused or _NO_CALL, None, view_tokens, made=made)
            return
        task = Task(request=parent, selection=chosen.told, call=made.call)
        self._in_flight(task, chosen, (start, stop), made)

    def _made(self, asking: Asking) -> Made:
        """The call; `auto` forks from the settings' own share on, else by the prices, else from amplifier's."""
        given, session = self._settings.min_span_ratio, self.state.session
        if given is not None:
            return ask(self.choice, asking, session, min_span_ratio=given)
        return ask(self.choice, asking, session, prices=self._seam.fork_prices)

    def _unfit(self, start: int, stop: int) -> Refusal | None:
        """Why no summary of ours could take the place of these messages of the input; that stays so, so none is asked.

        What the provider compacts goes back in a way of its own, which is looked at when it is at hand.
        """
        if self.choice.is_native:
            return None
        if any(one.start <= start and stop <= one.stop for one in self.state.applied):
            return nothing("nothing came behind the last summary that may give way")
        if stop == len(self._request.messages):
            # What is answered to this request will stand behind the summary, and think as what is there does.
            bound = thinking_torn(self._request, start)
            if bound is not None:
                return bound
        span = Selection(start=start, stop=stop, tokens=0, n_pinned=start)
        followed = follow_summary(self._request, span, b"{}")
        return followed if isinstance(followed, Refusal) else None

    def _in_flight(self, task: Task, chosen: Chosen, span: tuple[int, int], made: Made) -> None:
        call = task.call
        key = Digest(sha256(call.body).digest())
        start, stop = span
        asked = Asked(
            ticket=Ticket(line=self._seam.source.line),
            start=start,
            stop=stop,
            job=key,
            mode=call.mode,
            n_parent=len(self._request.messages),
        )
        self.state = changed(self.state, asked=asked)
        self.jobs.append(Job(key=key, task=task))
        self._happened(
            What.ASKED,
            asked,
            span_tokens=chosen.span.tokens,
            n_left_out=chosen.told.start - chosen.span.start,
            call_tokens=self._call_tokens(call.body),
            stats=made.session.last,
            warning=made.warning,
        )

    def _refused(self, refusal: Refusal, asked: Asked | None, view_tokens: int, *, made: Made | None = None) -> None:
        """Give up what was asked, and rest until the request has grown."""
        self.state = changed(self.state, asked=None, rest_until_tokens=self._rest_from(view_tokens))
        self._happened(
            What.REFUSED,
            asked,
            reason=refusal.reason,
            detail=refusal.detail,
            stats=made.session.last if made is not None else None,
            warning=made.warning if made is not None else None,
        )

    def _happened(self, what: What, asked: Asked | None, **more: object) -> None:
        about = {"ticket": asked.ticket, "start": asked.start, "stop": asked.stop, "mode": asked.mode} if asked else {}
        self.events.append(changed(Event(what=what), **about, **more))

    def _parent(self, request: Request, view_tokens: int) -> Parent:
        return parent_of(request, self._seam, self._when, tokens=self._tokens(view_tokens))

    def _options(self) -> CallOptions:
        return call_options(self._settings, self._seam, self._when, self._style)

    def _call_tokens(self, body: bytes) -> int:
        request = self._parser.parse(body)
        return sum(self._meter.item(item) for _, item, _ in request.placed())
