"""`codex-local`: all but the initial context gives way to what the user said, and a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.calls.call import CallOptions
from cgcli.compaction.component import Loss, MarkerMode
from cgcli.compaction.components.parameters import check_fraction, check_marker_mode, check_text, check_whole
from cgcli.compaction.summaries.asking import check_own_call
from cgcli.compaction.summaries.limits import at_limit, check_budget, held_by
from cgcli.compaction.summaries.runs import run_from
from cgcli.compaction.summaries.span_step import Chosen
from cgcli.compaction.summaries.user_messages import n_context
from cgcli.errors import UsageError
from cgcli.model import Refusal, value

if TYPE_CHECKING:
    from cgcli.calls.when import When
    from cgcli.compaction.summaries.runs import Run
    from cgcli.compaction.summaries.span_step import Sent

_ANSWER_TOKENS = CallOptions().max_summary_tokens


@value
class CodexLocal:
    """Keeps the initial context and the newest of what the user said; the summary is a message of the user's.

    Source: openai/codex, `core/src/compact.rs` and `auto_compact_token_limit` of its model table.
    """

    name: ClassVar[str] = "codex-local"
    loss: ClassVar[Loss] = Loss.STASHED
    is_redone: ClassVar[bool] = True
    min_span_ratio: ClassVar[float | None] = None
    pause: ClassVar[bool] = False
    platform: ClassVar[str | None] = None
    require_reversible: ClassVar[bool] = True

    call: str = "standalone"
    """How a summary is asked for: `standalone`, `fork` or `auto`."""
    apply_at: float = 0.9
    """Share of the budget from which on it compacts."""
    budget_tokens: int | None = None
    """In place of the model's window; a larger one than that is not taken."""
    user_tokens: int = 20_000
    """So many tokens of the user's messages stay, the newest first."""
    model: str | None = None
    """The summariser's model, where it is another than the lane's."""
    marker_mode: MarkerMode = MarkerMode.FULL

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_own_call(self.name, self.call)
        check_fraction(self.name, "apply_at", self.apply_at)
        if not self.apply_at:
            raise UsageError(
                f"{self.name}: apply_at is {self.apply_at!r}, but must be above 0 and at most 1", hint="apply_at = 0.9"
            )
        check_budget(self.name, self.budget_tokens)
        check_whole(self.name, "user_tokens", self.user_tokens)
        check_text(self.name, "model", self.model)
        check_marker_mode(self.name, self.marker_mode)

    def when(self, model: str | None) -> When:
        """At 90 % of the window; what is configured can only lower that."""
        held = held_by(model)
        budget = held.tokens if self.budget_tokens is None else self.budget_tokens
        if not held.is_assumed:
            budget = min(budget, held.tokens)
        return at_limit(held, budget_tokens=budget, from_tokens=int(budget * self.apply_at))

    def choose(self, sent: Sent) -> Chosen | Refusal:
        """All messages behind the initial context; the call leaves out the oldest ones, where it would not fit."""
        run = run_from(sent.request, n_context(sent.request.messages))
        if isinstance(run, Refusal):
            return run
        stop = run.ends[-1]
        return Chosen(
            span=sent.selection(run.start, stop), told=sent.selection(_first_that_fits(run, stop, sent), stop)
        )


def _first_that_fits(run: Run, stop: int, sent: Sent) -> int:
    """From which message on the call fits into the window; of what does not fit at all, the last group."""
    room = (sent.when.window_tokens - _ANSWER_TOKENS) / sent.factor
    tokens = sum(sent.tokens[run.start : stop])
    start = run.start
    for end in run.ends[:-1]:
        if tokens <= room:
            break
        tokens -= sum(sent.tokens[start:end])
        start = end
    return start
