"""Faults of context-guru that any component could have, shown to be in none of ours.

Those of one component stand with it; these are about all of them: a refusal that nobody sees (111), and an output of
which nothing is left but its marker.
"""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.components import COMPONENTS, fields
from cgcli.compaction.policy import Policy, pipeline
from cgcli.compaction.state import HeldRule
from cgcli.readers import read
from cgcli.replay.run import Run
from cgcli.summarisers.extractive.summariser import Extractive
from tests import oracle
from tests.compaction.drawing import MODES, alone, pipelines
from tests.compaction.promises import written
from tests.compaction.traffic import traffic
from tests.running import compact

if TYPE_CHECKING:
    from pathlib import Path

ASKING = {"allow_on_caching_backend": True, "economic_gate": False, "min_tokens": 0, "fire_on": "size"}
MARKING = [name for name in sorted(COMPONENTS) if "marker_mode" in fields(COMPONENTS[name])]
MARKER = re.compile(r"<<cg:[0-9a-f]{16}>>( \[[^]]*\])?|⟪cg⟫")


def _in_blocks(line: bytes) -> dict[str, Any]:
    """The request with each tool's result as a list of one text."""
    body: dict[str, Any] = json.loads(line)
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_result":
                block["content"] = [{"type": "text", "text": block["content"]}]
    return body


SESSION = traffic(seed=5, n_turns=10)
IN_BLOCKS = written([_in_blocks(line) for line in SESSION.splitlines()])


def _policy(name: str, mode: str) -> Policy:
    if name == "extract_llm":
        return pipeline([name], {name: {**ASKING, "marker_mode": mode}})
    return alone(name, marker_mode=mode, **({"keep_head_chars": 0} if name == "mask" else {}))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", MARKING)
def test_something_is_left_to_be_read(name: str, mode: str, tmp_path: Path) -> None:
    """No output is blank or a bare marker: its fate is told in words, also where nothing of it is kept.

    Providers refuse a blank text in a list, and a model learns nothing from a key.
    """
    source = tmp_path / "in.jsonl"
    source.write_bytes(IN_BLOCKS)
    done = compact(source, tmp_path, _policy(name, mode), "ignore", summariser=Extractive())
    assert done.run.ledger.distinct.fired[name] > 0
    texts = [text for _, body in oracle.bodies(done.output.read_bytes()) for _, text in oracle.tool_outputs(body)]
    assert len(texts) == 55
    assert [text for text in texts if len(MARKER.sub("", text).strip()) < 10] == []


@settings(max_examples=25, deadline=None)
@given(policy=pipelines(), rule=st.sampled_from(HeldRule))
def test_every_refusal_is_seen(policy: Policy, rule: HeldRule) -> None:
    """Each component fired at each output that was looked at, or says why not, or was reverted by name."""
    run = Run(read(BytesIO(SESSION), file="made.jsonl"), policy, rule=rule, summariser=Extractive())
    outcomes = [sent.outcome for sent in run if sent.outcome is not None]
    evaluations = [one for outcome in outcomes for one in outcome.considered if one.covers == "slot"]
    assert len(evaluations) >= 10 or not policy.components
    for one in evaluations:
        fired = one.slot.decision.fired if one.slot.decision is not None else ()
        acted = {part.component for part in fired} | {reverted.component for reverted in one.reverted}
        assert acted | {name for name, _ in one.slot.skips} == {component.name for component in policy.components}
