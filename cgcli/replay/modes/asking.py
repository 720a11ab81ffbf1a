"""The calls of jobs in simulated time: no job knows an answer before it is there, whoever asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cgcli.model import Digest, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.compaction.paying import Candidate, Judge, Verdict
    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.summaries.state import Job
    from cgcli.model import Request
    from cgcli.replay.answering import Answering
    from cgcli.replay.modes.latency import Latency
    from cgcli.summarisers.protocol import Summary


class Answers(Mapping[Digest, "Summary | Refusal"]):
    """What one job knows: answers that were there when it looks, those of other jobs with them."""

    def __init__(self, answering: Answering, latency: Latency, ready_s: dict[Digest, float], now_s: float) -> None:
        """The job looks at *now_s*; *ready_s* says of each call that any job made when its answer is there."""
        self.now_s = now_s
        """Goes on as the job waits for its answers, one after the other."""
        self.made: list[Job] = []
        """The calls that it made itself."""
        self._answering = answering
        self._latency = latency
        self._ready_s = ready_s

    def have(self, job: Job) -> None:
        """Wait until *job* is answered; it is asked where no other job did. What nobody answers takes no time."""
        answers = self._answering.answers
        if job.key not in self._ready_s:
            if job.key not in answers:
                self._ask(job)
            took_s = 0.0 if isinstance(answers[job.key], Refusal) else self._latency.of(job.key)
            self._ready_s[job.key] = self.now_s + took_s
        self.now_s = max(self.now_s, self._ready_s[job.key])

    def _ask(self, job: Job) -> None:
        self.made.append(job)
        if job.task.output is None:
            self._answering.answer(job)
        else:
            self._answering.answer_about_output(job)

    def __getitem__(self, key: Digest) -> Summary | Refusal:
        """The answer to a call.

        Raises:
            KeyError: it is not there yet.
        """
        if self._ready_s[key] > self.now_s:
            raise KeyError(key)
        return self._answering.answers[key]

    def __iter__(self) -> Iterator[Digest]:
        """The calls whose answers are there."""
        return (key for key, ready_s in self._ready_s.items() if ready_s <= self.now_s)

    def __len__(self) -> int:
        """How many those are."""
        return sum(1 for _ in self)


class Verdicts:
    """Judges what may enter the held prefix of one turn, once: later the cache holds what nobody knew of then."""

    def __init__(self, judge: Judge) -> None:
        """Ask *judge* when it is first asked."""
        self._judge = judge
        self._verdict: Verdict | None = None

    def judge(self, request: Request, placed: Sequence[Placed], candidates: Sequence[Candidate]) -> Verdict:
        """The verdict of the turn."""
        if self._verdict is None:
            self._verdict = self._judge.judge(request, placed, candidates)
        return self._verdict
