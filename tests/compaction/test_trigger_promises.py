"""What is promised of every policy holds under triggers too: nothing is lost, and what was sent stays as it was."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cgcli.compaction.policy import named
from cgcli.compaction.presets import BUILT_IN
from cgcli.compaction.triggers import Batch, CacheState, Conditions, Triggers
from cgcli.model import changed
from cgcli.summarisers.extractive.summariser import Extractive
from tests.compaction.drawing import alone, everything, pipelines
from tests.compaction.promises import Watch
from tests.compaction.test_promises import SESSIONS

if TYPE_CHECKING:
    from cgcli.compaction.policy import Policy

LIMITS = {
    "tokens": Triggers(min_request_tokens=6000),
    "messages": Triggers(min_messages=8),
    "fraction": Triggers(min_request_fraction=0.03),
    "cold": Triggers(cache_state=CacheState.COLD),
    "third": Triggers(every=Batch(turns=3)),
    "batch": Triggers(every=Batch(tokens=3700)),
    "both": Triggers(min_request_tokens=2000, every=Batch(turns=2)),
}
"""Each holds back some turns of the sessions, and lets others decide."""


SIZES = st.builds(
    Triggers,
    min_request_tokens=st.sampled_from((0, 1000, 3000, 8000)),
    min_messages=st.integers(0, 12),
    min_request_fraction=st.sampled_from((0, 0.005, 0.02)),
)


@st.composite
def conditions(draw: st.DrawFn) -> Conditions:
    """Any triggers that a file may say together, of a policy and of its steps."""
    batches = st.one_of(
        st.none(),
        st.builds(Batch, turns=st.integers(1, 4)),
        st.builds(Batch, tokens=st.sampled_from((50, 400, 1500))),
    )
    state = draw(st.sampled_from((CacheState.ANY, CacheState.ANY, CacheState.COLD, CacheState.PRE_EXPIRY)))
    every = draw(batches) if state is CacheState.ANY else None
    whole = changed(draw(SIZES), cache_state=state, every=every)
    return Conditions(whole=whole, by_step=draw(st.dictionaries(st.sampled_from(everything()), SIZES, max_size=3)))


def _watch(session: str, folder: Path, policy: Policy, triggers: Conditions, held: str = "respect") -> Watch:
    source = folder / "in.jsonl"
    source.write_bytes(SESSIONS[session])
    return Watch(source, folder, changed(policy, triggers=triggers), held=held, summariser=Extractive())


@pytest.mark.parametrize("limit", sorted(LIMITS))
@pytest.mark.parametrize("policy", ["codesafe", "general"])
@pytest.mark.parametrize("held", ["respect", "ignore", "pays"])
def test_policy_keeps_every_promise_under_triggers(policy: str, held: str, limit: str, tmp_path: Path) -> None:
    """Round trip, idempotence, determinism, validity, append-only lanes, no growth, a true account."""
    watch = _watch("anthropic-turns", tmp_path, named(policy), Conditions(whole=LIMITS[limit]), held)
    assert watch.broken() == []


@pytest.mark.parametrize("name", everything())
@pytest.mark.parametrize(("session", "limit"), [("anthropic-lanes", "third"), ("anthropic-bound", "tokens")])
def test_component_alone_keeps_them_under_triggers(session: str, limit: str, name: str, tmp_path: Path) -> None:
    """As a policy."""
    watch = _watch(session, tmp_path, alone(name), Conditions(whole=LIMITS[limit]))
    assert watch.broken() == []


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    policy=st.one_of(pipelines(), st.sampled_from(sorted(BUILT_IN)).map(named)),
    triggers=conditions(),
    session=st.sampled_from(sorted(SESSIONS)),
    held=st.sampled_from(["respect", "ignore"]),
)
def test_random_triggers_keep_every_promise(policy: Policy, triggers: Conditions, session: str, held: str) -> None:
    """Any triggers of any pipeline."""
    with TemporaryDirectory() as folder:
        assert _watch(session, Path(folder), policy, triggers, held).broken() == []


@pytest.mark.parametrize("limit", sorted(LIMITS))
def test_each_limit_holds_some_turns_back(limit: str, tmp_path: Path) -> None:
    """So that the promises are about something: fewer outputs are changed than without it, and the others say why."""
    whole = _watch("anthropic-turns", tmp_path, alone("collapse"), Conditions())
    watch = _watch("anthropic-turns", tmp_path, alone("collapse"), Conditions(whole=LIMITS[limit]))
    assert watch.fired.get("collapse", 0) < whole.fired["collapse"]
    assert bool(watch.fired) == (limit != "cold")
    reasons = {reason for (_, reason), n in watch.done.run.ledger.distinct.skipped.items() if n}
    assert [reason for reason in reasons if reason.startswith("trigger_") or reason == "prefix_held"]
