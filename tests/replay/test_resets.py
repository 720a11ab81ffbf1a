"""What an edit inside the cached prefix costs, and how often a policy makes one: smaller is not cheaper."""

from __future__ import annotations

import json
from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from cgcli.cachesim.simulator import Simulator
from cgcli.compaction.policy import named, pipeline
from cgcli.compaction.presets import BUILT_IN
from cgcli.compaction.state import HeldRule
from cgcli.compaction.summaries.state import What
from cgcli.model import Refusal
from cgcli.readers import read
from cgcli.readers.single import parse_body
from cgcli.replay.run import Run
from cgcli.summarisers.extractive.summariser import Extractive
from cgcli.tokens.ruler import Ruler
from cgcli.wire.splice import splice
from tests import oracle
from tests.lanes.placing import Json, body, lines, said, turn, user

if TYPE_CHECKING:
    from cgcli.compaction.policy import Policy

MARK = {"cache_control": {"type": "ephemeral"}}
SUMMARIZE: Json = {"call": "standalone", "budget_tokens": 7000, "ask_at": 0.5, "apply_at": 0.7, "target": 0.3}
LOOK_AT_MARKS = {"agent", "general"}
"""They have `extract_llm`, whose calls pay or do not by what is cached."""


def words(name: str, n: int) -> str:
    """An output of *n* words that are its own."""
    return f"the output of {name}: " + " ".join(f"{name}{i}" for i in range(n))


def marked(message: Json) -> Json:
    """The message with a mark on its last block."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    return {**message, "content": [*blocks[:-1], {**blocks[-1], **MARK}]}


def lane(n_turns: int, *, n_words: int = 300, marks: bool = True) -> list[Json]:
    """A lane that grows by a call and its output, with a mark on its newest message and on the system prompt."""
    made: list[Json] = [user("Build every part. " * 40)]
    bodies = []
    system: Json = {"type": "text", "text": "You are an agent. " * 100, **(MARK if marks else {})}
    for i in range(n_turns):
        made = [*made, *turn(i, words(f"w{i}x", n_words))]
        last = marked(made[-1]) if marks else made[-1]
        bodies.append(body(*made[:-1], last, system=[system]))
    return bodies


def sent(bodies: list[Json], policy: Policy, held: str) -> tuple[Run, list[Json]]:
    """The run, and the bodies as they go out."""
    capture = read(BytesIO(lines(bodies)), file="made.jsonl")
    run = Run(capture, policy, rule=HeldRule(held), summariser=Extractive())
    found = []
    for one in run:
        if one.outcome is not None:
            at = one.entry.body_at
            edits = [(at + start, at + stop, decision.literal) for start, stop, decision in one.outcome.edits]
            found += [written for _, written in oracle.bodies(splice(one.entry.raw, edits))]
    return run, found


def size(bodies: list[Json]) -> int:
    """Bytes in all."""
    return sum(len(json.dumps(one)) for one in bodies)


def usd(bodies: list[Json]) -> Decimal:
    """Their input at Sonnet's prices a million tokens: read 0.30, fresh 3, written for five minutes 3.75."""
    ruler = Ruler("claude-sonnet-4-5")
    cache = Simulator(lambda _: ruler)
    total = Decimal(0)
    for i, one in enumerate(bodies):
        found = cache.send(parse_body(json.dumps(one).encode()), number=i, sent_s=None)
        assert not isinstance(found, Refusal)
        total += found.read_tokens * Decimal("0.3") + found.fresh_tokens * 3 + found.written_tokens * Decimal("3.75")
    return total / 1_000_000


def resets(run: Run) -> list[int]:
    """The requests, from 0, in which compaction changed what had been sent."""
    return [i for i, row in enumerate(run.ledger.rows) if row.output_break is not None]


def broken(bodies: list[Json]) -> list[int]:
    """The same, worked out from the bytes."""
    return [i for i in range(1, len(bodies)) if not oracle.is_append(bodies[i - 1], bodies[i])]


MASK = pipeline(["mask"], {"mask": {"keep_recent": 3, "min_tokens": 10}})
EVERY_TURN = pipeline(["clear-tool-uses"], {"clear-tool-uses": {"trigger": 0, "keep": 2}})
IN_BATCHES = pipeline(["clear-tool-uses"], {"clear-tool-uses": {"trigger": 0, "keep": 2, "clear_at_least": 6000}})


def test_an_edit_of_old_outputs_makes_requests_smaller_and_dearer() -> None:
    """Each turn masks one more output in the prefix: fewer bytes, more dollars than doing nothing."""
    bodies = lane(12)
    run, masked = sent(bodies, MASK, "ignore")
    assert resets(run) == broken(masked) == [*range(3, 12)]
    assert size(masked) < Decimal("0.65") * size(bodies)
    assert usd(masked) > Decimal("1.1") * usd(bodies)
    assert broken(bodies) == []


def test_batches_cost_less_than_a_trim_on_every_turn() -> None:
    """The same tool with the same number kept: eight resets a run against one, and dollars in that order."""
    bodies = lane(12)
    every, trimmed = sent(bodies, EVERY_TURN, "ignore")
    batch, cleared = sent(bodies, IN_BATCHES, "ignore")
    assert resets(every) == broken(trimmed) == [*range(2, 12)]
    assert resets(batch) == broken(cleared)
    assert len(resets(batch)) in (1, 2)
    assert usd(cleared) < usd(trimmed)
    assert size(trimmed) < size(cleared) < size(bodies)


def test_under_respect_nothing_is_reset() -> None:
    """A warm lane whose outputs get old one by one: the same bytes as it came."""
    bodies = lane(12)
    for policy in (MASK, EVERY_TURN, IN_BATCHES):
        run, kept = sent(bodies, policy, "respect")
        assert (resets(run), kept) == ([], bodies)


def test_summarising_and_then_pruning_are_two_resets() -> None:
    """The one at request 5, the other at request 6, each seen in the bytes; pruning alone resets once."""
    bodies = lane(9, n_words=150)
    clear: Json = {"trigger": 2500, "keep": 2, "clear_at_least": 2600}
    run, alone = sent(bodies, pipeline(["clear-tool-uses"], {"clear-tool-uses": clear}), "ignore")
    assert resets(run) == broken(alone) == [6]
    policy = pipeline(["clear-tool-uses", "summarize"], {"clear-tool-uses": clear, "summarize": SUMMARIZE})
    run, both = sent(bodies, policy, "ignore")
    assert resets(run) == broken(both) == [5, 6]
    assert [told.i_exchange for told in run.ledger.summaries if told.event.what is What.APPLIED] == [5]
    assert run.ledger.distinct.fired["clear-tool-uses"] > 0


def test_text_that_the_agent_injects_each_turn_is_the_inputs_own_break() -> None:
    """A list that is put into the newest user's message and taken out again: told as the input's, never as ours."""
    made: list[Json] = [user("go")]
    bodies = []
    for i in range(6):
        made = [*made, *turn(i, words(f"w{i}x", 60)), said("Done."), user(f"Part {i}.")]
        nudge = {"type": "text", "text": f"prunable: {', '.join(str(k) for k in range(i + 1))}"}
        shown = {"role": "user", "content": [{"type": "text", "text": made[-1]["content"]}, nudge]}
        bodies.append(body(*made[:-1], shown))
    for policy in ("balanced", "codesafe", "house"):
        run, _ = sent(bodies, named(policy), "respect")
        assert resets(run) == []
        assert [row.input_break is not None for row in run.ledger.rows] == [False] + [True] * 5


def test_shortening_what_was_frozen_once_more_is_told_though_it_is_smaller() -> None:
    """`format` on first send, `mask` on a later turn over the same output: that turn breaks the prefix, and says so."""
    rows = json.dumps([{"id": i, "name": f"part {i}"} for i in range(90)], indent=4)
    made = [user("go"), *turn(0, rows), *turn(1), *turn(2), *turn(3)]
    bodies = [body(*made[: 3 + 2 * i]) for i in range(4)]
    policy = pipeline(["format", "mask"], {"mask": {"keep_recent": 2, "min_tokens": 10}})
    run, found = sent(bodies, policy, "ignore")
    texts = [dict(oracle.tool_outputs(one))["messages.2.content.0.content"] for one in found]
    assert texts[0] == texts[1] == json.dumps(json.loads(rows), separators=(",", ":"))
    assert texts[2] == texts[3]
    assert len(texts[2]) < len(texts[1]) / 5
    assert resets(run) == broken(found) == [2]


@pytest.mark.parametrize("policy", sorted(set(BUILT_IN) - LOOK_AT_MARKS))
def test_marks_do_not_change_what_a_policy_does(policy: str) -> None:
    """On the system prompt and on the newest message of each request, or nowhere: the outputs read the same."""
    for held in ("respect", "ignore"):
        seen = [
            [dict(oracle.tool_outputs(one)) for one in sent(lane(9, marks=marks), named(policy), held)[1]]
            for marks in (True, False)
        ]
        assert seen[0] == seen[1]
