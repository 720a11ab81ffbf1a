"""Where the components of one turn ask: takes what they ask, and has the answers that are there already."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.calls.call import Call, CallMode
from cgcli.calls.paths import PATHS
from cgcli.calls.single_turn import Question, single_turn
from cgcli.compaction.extraction import AskedState, Facts
from cgcli.compaction.summaries.state import Job
from cgcli.model import Digest
from cgcli.select.selection import Selection
from cgcli.summarisers.protocol import Task, Wanted
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from cgcli.compaction.extraction import Ask
    from cgcli.compaction.market import Market
    from cgcli.compaction.summaries.state import Seam
    from cgcli.model import Refusal, Request
    from cgcli.summarisers.protocol import Summary
    from cgcli.wire.strings import Style


class Desk:
    """One turn of one lane. A text is asked about once in a lane, whatever stands around it."""

    def __init__(
        self, before: AskedState, request: Request, seam: Seam, market: Market, *, tokens: tuple[int, int], style: Style
    ) -> None:
        """Go on from *before*; *tokens*: counted, of the messages of the lane's last request and of *request*."""
        self._before = before
        self._request = request
        self._seam = seam
        self._market = market
        self._tokens = tokens
        self._style = style
        self._by_text = dict(before.by_text)
        self._n_explored = before.n_explored
        self._sizes: dict[Digest, tuple[int, int]] = {}
        """Per text that is asked about on this turn: its tokens, and what its answer saved."""
        self._jobs: dict[Digest, Job] = {}

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The calls that have no answer yet, each once."""
        return tuple(self._jobs.values())

    @property
    def state(self) -> AskedState:
        """The lane's calls as they are now."""
        if not self._sizes:
            return self._before
        return AskedState(
            by_text=self._by_text,
            n_explored=self._n_explored,
            asked_tokens=self._before.asked_tokens + sum(asked for asked, _ in self._sizes.values()),
            saved_tokens=self._before.saved_tokens + sum(saved for _, saved in self._sizes.values()),
        )

    def facts(self, text: str) -> Facts:
        """What is told to a component that may ask about *text*."""
        lane_tokens, request_tokens = self._tokens
        return Facts(
            market=self._market,
            can_answer=self._seam.can_answer,
            is_known=_digest(utf8(text)) in self._by_text,
            n_asked=len(self._sizes),
            n_asked_in_lane=len(self._by_text),
            n_explored=self._n_explored,
            lane_tokens=lane_tokens,
            request_tokens=request_tokens,
            asked_tokens=self._before.asked_tokens,
            saved_tokens=self._before.saved_tokens,
        )

    def answer(self, ask: Ask, text: str, tokens: int, i_message: int) -> Summary | Refusal | None:
        """The answer to *ask*, about *text* with *tokens* in message *i_message*; None where it is not there yet."""
        digest = _digest(utf8(text))
        known = self._by_text.get(digest)
        if known is not None and known in self._seam.answers:
            return self._seam.answers[known]
        call = self._call(ask, i_message)
        key = _digest(call.body)
        if known is None:
            self._by_text[digest] = key
            self._sizes[digest] = (tokens, 0)
            self._n_explored += ask.is_exploring
        answer = self._seam.answers.get(key)
        if answer is None:
            self._jobs[key] = Job(key=key, task=self._task(call, ask, i_message))
        return answer

    def saved(self, text: str, saved_tokens: int) -> None:
        """The answer about *text* was taken, and saved so many counted tokens."""
        digest = _digest(utf8(text))
        if digest in self._sizes:
            self._sizes[digest] = (self._sizes[digest][0], saved_tokens)

    def _call(self, ask: Ask, i_message: int) -> Call:
        question = Question(
            model=ask.model, prompt=ask.prompt, text=ask.text, max_tokens=ask.max_tokens, style=self._style
        )
        return Call(
            mode=CallMode.STANDALONE,
            body=single_turn(self._request, question),
            path=PATHS[self._request.dialect],
            parent=self._seam.source,
            scope=(i_message, i_message + 1),
            scoped_by="construction",
            is_reversible=True,
            n_prefix_messages=0,
        )

    def _task(self, call: Call, ask: Ask, i_message: int) -> Task:
        return Task(
            request=self._request,
            selection=Selection(start=i_message, stop=i_message + 1, tokens=ask.output_tokens, n_pinned=i_message),
            call=call,
            output=Wanted(text=ask.output, tokens=ask.output_tokens, most_tokens=ask.most_tokens),
        )


def _digest(data: bytes) -> Digest:
    return Digest(sha256(data).digest())
