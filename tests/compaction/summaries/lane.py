"""One lane under `summarize`, or another such step, turn by turn.

One token is one character, and the model's are the counted ones.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.compaction.pipeline import Pipeline
from cgcli.compaction.state import Held, HeldKind, HeldRule, LaneState
from cgcli.compaction.step import Outcome, Stepper
from cgcli.compaction.summaries.settings import Summarize
from cgcli.compaction.summaries.state import Event, Seam
from cgcli.model import Basis, Refusal, Source
from cgcli.summarisers.protocol import Summary
from cgcli.tokens.meter import Meter
from cgcli.wire.splice import splice
from cgcli.wire.strings import Style
from tests.lanes.placing import Json, body, request, turn, user

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.compaction.component import Component
    from cgcli.compaction.summaries.span_step import SpanStep
    from cgcli.summarisers.protocol import Task

MODEL = "local"
"""No table has it: its tokens are counted without a factor."""
NOTHING = Held(kind=HeldKind.NOTHING, n_messages=0)
BUDGET = 3000
ASK, APPLY = 1800, 2760
"""60 and 92 per cent of it."""
SHORT = Summary(text="Short.", basis=Basis.SIMULATED)
HEADER = "=== History Summary ==="
OUTPUT = 330
"""Characters of a tool output: a turn of the lane has about 400 with its call."""


def said(n: int, letter: str = "x") -> str:
    """The output of turn *n*, told apart by its beginning."""
    return f"{n:03}{letter * (OUTPUT - 3)}"


def history(n_turns: int, **fields: Any) -> Json:
    """The request after so many turns."""
    return of(*(said(n) for n in range(n_turns)), **fields)


def of(*outputs: str, **fields: Any) -> Json:
    """The request after turns with these outputs."""
    messages = [message for n, text in enumerate(outputs) for message in turn(n, text)]
    return body(user("go"), *messages, **{"model": MODEL, **fields})


class Lane:
    """A lane and who answers its calls: *answer* gets the task; None leaves a call in flight."""

    def __init__(
        self,
        *components: Component,
        answer: Callable[[Task], Summary | Refusal] | Summary | Refusal | None = SHORT,
        count: Callable[[str], int] = len,
        rule: HeldRule = HeldRule.RESPECT,
        span_step: SpanStep | None = None,
        **settings: Any,
    ) -> None:
        """Begin with nothing sent, under `summarize` with *settings*, or the *span_step*, behind *components*."""
        given = {"budget_tokens": BUDGET, "keep_last": 2, **settings}
        pipeline = Pipeline(components, count, default_style=Style.ASCII)
        self.meter = Meter(count)
        self.steps = Stepper(pipeline, self.meter, rule=rule, span_step=span_step or Summarize(**given))
        self.answer = answer
        self.facts: dict[str, Any] = {}
        self.answers: dict[Any, Summary | Refusal] = {}
        self.tasks: list[Task] = []
        self.state = LaneState()
        self.events: list[Event] = []
        self.sent: list[bytes] = []
        self.outcomes: list[Outcome] = []
        self._n_messages = 0

    def send(self, record: Json, *, shared: int | None = None, held: Held = NOTHING) -> Json:
        """Take a turn with *record*, whose first *shared* messages the lane has sent; what is sent instead."""
        made = request(record)
        seam = Seam(
            source=Source(file="made.jsonl", line=len(self.sent) + 1, wrap="object"),
            **{"answers": self.answers, **self.facts},
        )
        common = min(self._n_messages, len(made.messages)) if shared is None else shared
        self.state, outcome = self.steps.step(self.state, made, common, held, seam)
        self._n_messages = len(made.messages)
        for job in outcome.jobs:
            self.tasks.append(job.task)
            answer = self.answer(job.task) if callable(self.answer) else self.answer
            if answer is not None:
                self.answers[job.key] = answer
        self.events += outcome.summaries
        self.outcomes.append(outcome)
        edits = [(start, stop, decision.literal) for start, stop, decision in outcome.edits]
        self.sent.append(splice(bytes(made.raw), edits))
        found: Json = json.loads(self.sent[-1])
        return found

    def grow(self, n_turns: int, *, first: int = 0) -> list[Json]:
        """Send the requests after *first* to *n_turns* turns."""
        return [self.send(history(n)) for n in range(first, n_turns + 1)]

    @property
    def told(self) -> list[str]:
        """What became of the lane's summaries so far, with the reason where there is one."""
        return [event.what.value + (f" {event.reason}" if event.reason else "") for event in self.events]

    @property
    def turns(self) -> list[list[str]]:
        """The same, turn by turn."""
        return [[event.what.value for event in outcome.summaries] for outcome in self.outcomes]


def counted(sent: Json) -> int:
    """The characters of a body of `of`: system, tool, each text, each call as plain JSON, and three a message."""
    texts = [sent["system"], *(json.dumps(tool, separators=(",", ":")) for tool in sent["tools"])]
    for message in sent["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            inner = {"tool_result": block.get("content"), "text": block.get("text")}.get(block["type"])
            texts.append(inner if isinstance(inner, str) else json.dumps(block, separators=(",", ":")))
    return sum(map(len, texts)) + 3 * len(sent["messages"])
