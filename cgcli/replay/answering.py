"""Who answers what a lane asks, and what it came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.extraction import is_asking
from cgcli.errors import CgError
from cgcli.model import Basis, Refusal, Usage, changed, value
from cgcli.readers.single import parse_body
from cgcli.summarisers.absent import Absent
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from cgcli.compaction.policy import Policy
    from cgcli.compaction.state import LaneState
    from cgcli.compaction.step import Outcome
    from cgcli.compaction.summaries.state import Job
    from cgcli.model import Digest
    from cgcli.pricing.table import Prices
    from cgcli.summarisers.protocol import Summariser, Summary

_MOST_ROUNDS = 3
"""What is asked does not depend on the answers, so that one is enough; a bound for those that do not keep to it."""


@value
class CallMade:
    """One call about an output; tokens are the model's own."""

    line: int
    """Of the request that the output stands in."""
    model: str | None
    refused: Refusal | None = None
    """Why there is no answer; then nothing else is known."""
    basis: Basis = Basis.SIMULATED
    """MEASURED where the answer says what was billed."""
    input_tokens: int = 0
    output_tokens: int = 0
    usd: Decimal | None = None
    """None where the model has no price."""


class Answering:
    """Has calls answered, each once however many lanes ask it."""

    def __init__(self, summariser: Summariser | None, policy: Policy, prices: Callable[[], Prices]) -> None:
        """*summariser* answers, None: nobody; *prices* are only asked for where *policy* asks about outputs."""
        self.summariser: Summariser = summariser or Absent()
        self.answers: dict[Digest, Summary | Refusal] = {}
        self.calls: list[CallMade] = []
        """Those about outputs, in the order of the file."""
        self.jobs: list[Job] = []
        """Every job that was answered, or refused, in the order in which they came, without the bytes of its parent:
        each has another, and they would all be kept."""
        self.asks = any(is_asking(component) for component in policy.components)
        """The policy has a step that asks about outputs."""
        self._prices = prices
        self._rulers: dict[str | None, Ruler] = {}

    @property
    def can_answer(self) -> bool:
        """False where nobody answers."""
        return not isinstance(self.summariser, Absent)

    @property
    def prices(self) -> Prices | None:
        """What calls about outputs are reckoned by; None where the policy makes none."""
        return self._prices() if self.asks else None

    def taken(self, step: Callable[[], tuple[LaneState, Outcome]]) -> tuple[LaneState, Outcome]:
        """The turn that *step* takes, once what it has to know before it is sent is answered."""
        state, outcome = step()
        for _ in range(_MOST_ROUNDS):
            if not outcome.asks:
                break
            for job in outcome.asks:
                self.answer_about_output(job)
            state, outcome = step()
        return state, outcome

    def answer_about_output(self, job: Job) -> None:
        """Have a call about an output answered, and take note of it."""
        if job.key in self.answers:
            return
        self.answer(job)
        self.calls.append(self._made(job, self.answers[job.key]))

    def answer(self, job: Job) -> None:
        """Have the call answered; a summariser with a fault has given no answer."""
        if job.key in self.answers:
            return
        self.jobs.append(_without_parent(job))
        try:
            self.answers[job.key] = self.summariser.summarise(job.task)
        except CgError:
            raise
        except Exception as error:  # noqa: BLE001 - fail open: without a summary the request stays as it was
            self.answers[job.key] = Refusal(reason="raised", detail=repr(error))

    def _made(self, job: Job, answer: Summary | Refusal) -> CallMade:
        asked = parse_body(job.task.call.body)
        line, model = job.task.call.parent.line, asked.model
        if isinstance(answer, Refusal):
            return CallMade(line=line, model=model, refused=answer)
        usage = answer.usage
        if usage is not None and usage.input is not None and usage.output is not None:
            return CallMade(
                line=line,
                model=model,
                basis=Basis.MEASURED,
                input_tokens=usage.input,
                output_tokens=usage.output,
                usd=self._prices().usd(model, usage),
            )
        ruler = self._rulers.setdefault(model, Ruler(model))
        fresh, output = ruler.tokens(ruler.measure(asked).total), ruler.tokens(ruler.count(answer.text))
        return CallMade(
            line=line,
            model=model,
            input_tokens=fresh,
            output_tokens=output,
            usd=self._prices().usd(
                model,
                Usage(fresh=fresh, read=0, write_by_ttl_s={}, output=output, basis=Basis.SIMULATED),
            ),
        )


def _without_parent(job: Job) -> Job:
    """*job* without the bytes of the request that it was asked from; those of its call are there."""
    parent = changed(job.task.request, raw=memoryview(b""))
    return changed(job, task=changed(job.task, request=parent))
