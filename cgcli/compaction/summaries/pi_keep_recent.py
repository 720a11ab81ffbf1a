"""`pi-keep-recent`: the newest messages stay, and all that is older becomes one summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode
from cgcli.compaction.components.parameters import check_marker_mode, check_text, check_whole
from cgcli.compaction.summaries.asking import check_own_call
from cgcli.compaction.summaries.limits import at_limit, check_budget, held_by
from cgcli.compaction.summaries.runs import nothing, run_from
from cgcli.compaction.summaries.span_step import Chosen
from cgcli.errors import UsageError
from cgcli.model import Refusal, value
from cgcli.select.staying import SYSTEM_ROLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.calls.when import When
    from cgcli.compaction.summaries.span_step import Sent


@value
class PiKeepRecent:
    """Keeps the newest `keep_recent_tokens` in whole groups of tool calls, and nothing of the head.

    Source: pi, `docs/compaction.md` and `core/compaction/compaction.ts` of its coding agent.
    """

    name: ClassVar[str] = "pi-keep-recent"
    loss: ClassVar[Loss] = Loss.STASHED
    is_redone: ClassVar[bool] = True
    user_tokens: ClassVar[int] = 0
    min_span_ratio: ClassVar[float | None] = None
    pause: ClassVar[bool] = False
    platform: ClassVar[str | None] = None
    require_reversible: ClassVar[bool] = True

    call: str = "standalone"
    """How a summary is asked for: `standalone`, `fork` or `auto`."""
    reserve_tokens: int = 16_384
    """Kept free in the model's window."""
    keep_recent_tokens: int = 20_000
    """So many tokens of the newest messages stay."""
    budget_tokens: int | None = None
    """In place of the window less `reserve_tokens`."""
    model: str | None = None
    """The summariser's model, where it is another than the lane's."""
    marker_mode: MarkerMode = MarkerMode.FULL

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_own_call(self.name, self.call)
        check_whole(self.name, "reserve_tokens", self.reserve_tokens)
        check_whole(self.name, "keep_recent_tokens", self.keep_recent_tokens)
        check_budget(self.name, self.budget_tokens)
        check_text(self.name, "model", self.model)
        check_marker_mode(self.name, self.marker_mode)
        if self.budget_tokens is not None and self.keep_recent_tokens >= self.budget_tokens:
            raise UsageError(
                f"{self.name}: keep_recent_tokens ({self.keep_recent_tokens}) is not below budget_tokens "
                f"({self.budget_tokens})",
                hint=f"keep_recent_tokens = {self.budget_tokens // 4}",
            )

    def when(self, model: str | None) -> When:
        """Above the window less the reserve."""
        held = held_by(model)
        budget = max(1, held.tokens - self.reserve_tokens) if self.budget_tokens is None else self.budget_tokens
        return at_limit(held, budget_tokens=budget, from_tokens=budget + 1)

    def choose(self, sent: Sent) -> Chosen | Refusal:
        """All messages before the newest ones; an earlier summary is among them."""
        messages = sent.request.messages
        run = run_from(sent.request, next((i for i, one in enumerate(messages) if one.role not in SYSTEM_ROLES), 0))
        if isinstance(run, Refusal):
            return run
        at = _reaches(sent.tokens, self.keep_recent_tokens / sent.factor)
        ends = [end for end in run.ends if end < len(messages)]
        if not ends or at <= run.start:
            return nothing(f"there is nothing older than the newest {self.keep_recent_tokens:,} tokens")
        span = sent.selection(run.start, next((end for end in ends if end >= at), ends[-1]))
        return Chosen(span=span, told=span)


def _reaches(tokens: Sequence[int], wanted: float) -> int:
    """The message at which the newest ones have the *wanted* tokens, counted back from the end; 0 where none is."""
    so_far = 0
    for i in range(len(tokens) - 1, -1, -1):
        so_far += tokens[i]
        if so_far >= wanted:
            return i
    return 0
