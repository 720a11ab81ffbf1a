"""Thinking that is bound to what stands before it: no step of any kind changes that anew, whatever else is allowed.

The lane is first seen when most of it was sent, so that even a step that looks at content alone comes too late.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.components.dedup import Dedup
from cgcli.compaction.components.mask import Mask
from cgcli.compaction.policy import SPAN_STEPS, Policy, pipeline
from cgcli.compaction.state import HeldRule
from cgcli.summarisers.extractive.summariser import Extractive
from tests import oracle
from tests.compaction.drawing import Parameters, alone, everything, pipelines
from tests.compaction.promises import written
from tests.compaction.stepping import Age, Drop, Shorten, Walk, known, stepper, unknown
from tests.compaction.traffic import traffic
from tests.lanes.placing import Json, body, turn, user
from tests.running import compact

if TYPE_CHECKING:
    from cgcli.compaction.component import Component
    from cgcli.compaction.state import Held

N_TURNS, N_SEEN_LATE = 12, 11
DROPS: Json = {"thinking": {"type": "enabled", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}}
NOTHING_SHORTER = {"cacheinject", "clear-thinking"}
"""Marks may move, and thinking may be dropped from the start: neither changes what other thinking is bound to."""
ASKING: dict[str, Parameters] = {
    "extract_llm": {"allow_on_caching_backend": True, "economic_gate": False, "min_tokens": 0, "fire_on": "size"}
}
SPAN_BUDGETS: dict[str, Parameters] = {
    "summarize": {"budget_tokens": 3000, "keep_last": 2},
    "codex-local": {"budget_tokens": 3000},
    "pi-keep-recent": {"budget_tokens": 3000, "keep_recent_tokens": 500},
}
STEPS = [*everything(), *ASKING, *SPAN_STEPS]


def _policy(name: str) -> Policy:
    """The step *name* alone, so eager that it acts on a short session."""
    params = {**ASKING, **SPAN_BUDGETS}.get(name)
    return alone(name) if params is None else pipeline([name], {name: params})


def _late(**fields: object) -> list[Json]:
    """The requests of one lane from the twelfth on, each with thinking in every answer of the assistant's."""
    lines = traffic(seed=4, n_turns=N_TURNS, thinking=True, bound=True).splitlines()
    return [{**json.loads(line), **fields} for line in lines[N_SEEN_LATE:]]


def _without_thinking(message: Json) -> Json:
    content = message["content"]
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return {**message, "content": [block for block in blocks if block["type"] != "thinking"]}


def _bound(sent: Json) -> tuple[str, list[str]]:
    """What the last thinking of the first request that was seen is bound to: the head, and the messages before it.

    Thinking itself may be dropped from the start, so it is left out.
    """
    messages = sent["messages"][: 1 + max(i for i, one in enumerate(_late()[0]["messages"]) if _thinks(one))]
    plain = {**sent, "messages": [_without_thinking(message) for message in messages]}
    head = json.dumps([sent["tools"], sent["system"]]).replace(', "cache_control": {"type": "ephemeral"}', "")
    return head, oracle.rendered_messages(plain)


def _thinks(message: Json) -> bool:
    return isinstance(message["content"], list) and any(block["type"] == "thinking" for block in message["content"])


def _sent(policy: Policy, requests: list[Json], held: str, folder: Path) -> list[Json]:
    source = folder / "in.jsonl"
    source.write_bytes(written(requests))
    done = compact(source, folder, policy, held, summariser=Extractive())
    return [json.loads(line) for line in done.output.read_bytes().splitlines()]


@pytest.mark.parametrize("held", [rule.value for rule in HeldRule])
@pytest.mark.parametrize("name", STEPS)
def test_what_thinking_is_bound_to_stays(name: str, held: str, tmp_path: Path) -> None:
    """Head and messages before it read as they came, in that request and in all later ones.

    Where the request asks that thinking which does not fit be dropped, the same step does change them.
    """
    requests = _late()
    assert [_bound(one) for one in _sent(_policy(name), requests, held, tmp_path)] == [_bound(one) for one in requests]
    if held == HeldRule.IGNORE and name not in NOTHING_SHORTER:
        free = _late(**DROPS)
        assert [_bound(one) for one in _sent(_policy(name), free, held, tmp_path)] != [_bound(one) for one in free]


@settings(max_examples=6, deadline=None)
@given(policy=pipelines(), held=st.sampled_from(HeldRule))
def test_it_stays_under_several_steps(policy: Policy, held: str) -> None:
    """One behind the other, in any order, with any parameters that are allowed."""
    requests = _late()
    with TemporaryDirectory() as folder:
        sent = _sent(policy, requests, held, Path(folder))
    assert [_bound(one) for one in sent] == [_bound(one) for one in requests]


SIGNED: Json = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
DASHED, LONG = "-" + "a" * 60, "b" * 60
DROPPED = "<<cg:{}>>"


def _history(*outputs: str, thoughts: tuple[int, ...]) -> Json:
    """Turns with these outputs; the calls of *thoughts* have thinking before them."""
    messages = [message for i, text in enumerate(outputs) for message in turn(i, text)]
    for i in thoughts:
        messages[2 * i]["content"].insert(0, SIGNED)
    return body(user("go"), *messages, model="claude-opus-5-5")


@pytest.mark.parametrize("held", [unknown(4), known(4), known(4, is_cold=True)])
@pytest.mark.parametrize("component", [Shorten(), Drop(), Drop(gated=True)])
def test_output_that_is_first_seen_before_thinking_stays(component: Component, held: Held) -> None:
    """It was sent as it stands, whatever the component looks at; the one behind the thinking is free."""
    walk = Walk(stepper(component, rule=HeldRule.IGNORE))
    sent = walk.send(_history(DASHED, DASHED, thoughts=(1,)), shared=0, held=held)
    assert (sent[2], sent[4] == DASHED) == (DASHED, False)
    assert walk.state.slots[0].skips == ((component.name, "thinking_bound"),)


def test_output_that_no_earlier_request_ended_on_stays() -> None:
    """Two turns came at once: the thinking of the second was signed behind the output of the first as it stands."""
    walk = Walk(stepper(Drop()))
    first = "a" * 60
    walk.send(_history(first, thoughts=()), shared=0, held=known(0))
    sent = walk.send(_history(first, LONG, LONG, thoughts=(1, 2)), shared=3, held=known(3))
    marker = DROPPED.format(oracle.marker_key(first))
    assert sent == {2: marker, 4: LONG, 6: DROPPED.format(oracle.marker_key(LONG))}


def test_decision_that_was_sent_before_the_thinking_stays() -> None:
    """What was shortened at first send is sent so for good, also where the output is looked at again."""
    walk = Walk(stepper(Shorten(), Age(), rule=HeldRule.IGNORE))
    walk.send(_history(DASHED, thoughts=()), shared=0, held=known(0))
    assert walk.state.slots[0].skips == (("age", "recent"),)
    sent = walk.send(_history(DASHED, LONG, thoughts=(1,)), shared=3, held=known(3))
    assert sent == {2: "a" * 60, 4: LONG}
    assert walk.state.slots[0].skips == (("age", "thinking_bound"),)


def test_decisions_behind_an_edit_are_made_anew() -> None:
    """A client may drop thinking from the start: what was sent behind it is sent in the same bytes again."""
    walk = Walk(stepper(Drop()))
    outputs = ("a" * 60, LONG, "c" * 60)
    for n in range(1, 4):
        walk.send(_history(*outputs[:n], thoughts=(0, 1, 2)[:n]), shared=2 * n - 1, held=known(2 * n - 1))
    sent = walk.send(_history(*outputs, thoughts=(1, 2)), shared=1, held=known(1))
    assert sent == {2 * i + 2: DROPPED.format(oracle.marker_key(text)) for i, text in enumerate(outputs)}


def test_output_that_was_left_before_thinking_is_left_behind_an_edit() -> None:
    """Of two turns that came at once the first was sent as it stands, and is so again when old thinking is dropped."""
    walk = Walk(stepper(Drop()))
    outputs = ("a" * 60, LONG, "c" * 60)
    walk.send(_history(*outputs[:1], thoughts=()), shared=0, held=known(0))
    jumped = walk.send(_history(*outputs, thoughts=(0, 1, 2)), shared=3, held=known(3))
    edited = walk.send(_history(*outputs, thoughts=(1, 2)), shared=1, held=known(1))
    assert edited == jumped == {**{i: DROPPED.format(oracle.marker_key(outputs[i // 2 - 1])) for i in (2, 6)}, 4: LONG}
    assert walk.state.slots[1].skips == (("drop", "thinking_bound"),)


def test_output_that_a_held_prefix_kept_is_kept_behind_an_edit() -> None:
    """The older one was to be dropped and was held; behind dropped thinking it is no longer held, and is bound."""
    walk = Walk(stepper(Age()))
    outputs = ("a" * 60, LONG)
    walk.send(_history(*outputs[:1], thoughts=(0,)), shared=0, held=known(0))
    held = walk.send(_history(*outputs, thoughts=(0, 1)), shared=3, held=known(3))
    edited = walk.send(_history(*outputs, thoughts=(1,)), shared=1, held=known(1))
    assert edited == held == {2: outputs[0], 4: LONG}


def test_output_that_is_new_before_thinking_stays_behind_an_edit() -> None:
    """The lane never sent it, so it was sent as it stands; one like it behind the thinking is free."""
    walk = Walk(stepper(Drop()))
    walk.send(_history("a" * 60, thoughts=(0,)), shared=0, held=known(0))
    sent = walk.send(_history(LONG, LONG, thoughts=(1,)), shared=1, held=known(1))
    assert sent == {2: LONG, 4: DROPPED.format(oracle.marker_key(LONG))}


def test_the_same_text_twice_is_said_again_in_order() -> None:
    """The first one was dropped, the second came before thinking and was left: so are both behind the edit."""
    walk = Walk(stepper(Drop()))
    marker = DROPPED.format(oracle.marker_key(LONG))
    walk.send(_history(LONG, thoughts=(0,)), shared=0, held=known(0))
    jumped = walk.send(_history(LONG, LONG, "c", thoughts=(0, 1, 2)), shared=3, held=known(3))
    edited = walk.send(_history(LONG, LONG, "c", thoughts=(2,)), shared=1, held=known(1))
    assert edited == jumped == {2: marker, 4: LONG, 6: "c"}


def test_a_pointer_whose_output_is_gone_is_not_said_again() -> None:
    """What it stood for is sent whole: nobody could read it elsewhere."""
    text = LONG * 9
    walk = Walk(stepper(Dedup(min_tokens=0)))
    walk.send(_history(text, thoughts=(0,)), shared=0, held=known(0))
    pointing = walk.send(_history(text, text, thoughts=(0, 1)), shared=3, held=known(3))
    assert pointing[4] != text
    both = walk.send(_history(text, text, "c", thoughts=(2,)), shared=1, held=known(1))
    assert both == {**pointing, 6: "c"}
    walk.send(_history(text, text, "c", "d", thoughts=(2, 3)), shared=7, held=known(7))
    gone = walk.send(_history("other", text, "d", thoughts=(2,)), shared=1, held=known(1))
    assert gone == {2: "other", 4: text, 6: "d"}


def test_an_output_that_comes_back_reads_as_it_did() -> None:
    """One request leaves it out and the next one has it again: it was dropped, and is so again."""
    walk = Walk(stepper(Drop()))
    marker = DROPPED.format(oracle.marker_key(LONG))
    walk.send(_history("a", thoughts=(0,)), shared=0, held=known(0))
    walk.send(_history("a", LONG, thoughts=(0, 1)), shared=3, held=known(3))
    walk.send(_history("a", "c", thoughts=(0, 1)), shared=3, held=known(3))
    sent = walk.send(_history("a", LONG, "d", thoughts=(0, 1, 2)), shared=3, held=known(3))
    assert sent == {2: "a", 4: marker, 6: "d"}


def test_an_output_that_stands_takes_nothing_of_another_with_its_text() -> None:
    """The first came before thinking and is whole, the second was dropped: an edit behind the first leaves both."""
    walk = Walk(stepper(Drop(), Mask(keep_recent=3, min_tokens=0)))
    marker = DROPPED.format(oracle.marker_key(LONG))
    first = walk.send(_history(LONG, LONG, thoughts=(1,)), shared=0, held=unknown(4))
    assert first == {2: LONG, 4: marker}
    edited = walk.send(_history(LONG, LONG, "c", "d", thoughts=(3,)), shared=3, held=known(3))
    assert edited == {**first, 6: "c", 8: "d"}
