"""What is promised of every policy, for every component alone, the built-in policies and random pipelines."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cgcli.compaction.policy import named, pipeline
from cgcli.compaction.presets import BUILT_IN
from cgcli.summarisers.extractive.summariser import Extractive
from tests.captures import capture
from tests.compaction.drawing import alone, everything, pipelines
from tests.compaction.promises import Watch
from tests.compaction.traffic import DIALECTS, traffic
from tests.running import CORPUS_CAPTURES, NO_CORPUS
from tests.test_round_trip import FILES, SHAPES

if TYPE_CHECKING:
    from cgcli.compaction.policy import Policy
    from tests.captures import Shape

LARGEST_BYTES = 3_000_000


def _made(shape: Shape) -> bytes:
    short: Shape = {**shape, "seed": 5, "turns": 4}
    return capture(**short)


SESSIONS: dict[str, bytes] = {
    **{f"{dialect}-turns": traffic(dialect, seed=5, n_turns=9, jump=3, thinking=True) for dialect in DIALECTS},
    **{f"{dialect}-lanes": traffic(dialect, seed=1, n_turns=5, n_lanes=2) for dialect in DIALECTS},
    "anthropic-bound": traffic(seed=2, n_turns=8, jump=2, thinking=True, bound=True),
    **{f"made-{name}": _made(shape) for name, shape in SHAPES.items()},
}
"""Captures in every dialect, container and kind of lane."""
QUICK = ("anthropic-turns", "chat-turns", "responses-turns", "anthropic-bound", "made-anthropic-lanes")
CORPUS_USED = [path for path in FILES if path in CORPUS_CAPTURES and path.stat().st_size <= LARGEST_BYTES]


def _watch(session: str, folder: Path, policy: Policy, held: str = "respect") -> Watch:
    source = folder / "in.jsonl"
    source.write_bytes(SESSIONS[session])
    return Watch(source, folder, policy, held=held, summariser=Extractive())


@pytest.mark.parametrize("name", everything())
@pytest.mark.parametrize("session", QUICK)
def test_component_alone_keeps_every_promise(session: str, name: str, tmp_path: Path) -> None:
    """Round trip, idempotence, determinism, validity, append-only lanes, no growth, a true account."""
    assert _watch(session, tmp_path, alone(name)).broken() == []


@pytest.mark.parametrize("name", everything())
def test_component_alone_keeps_them_with_the_held_prefix_ignored(name: str, tmp_path: Path) -> None:
    """All but append-only lanes; and each component finds something to do, so that the promises are about something."""
    fired = 0
    for session in ("anthropic-turns", "chat-turns"):
        folder = tmp_path / session
        folder.mkdir()
        watch = _watch(session, folder, alone(name), "ignore")
        assert watch.broken() == []
        fired += watch.fired.get(name, 0)
    assert fired


@pytest.mark.parametrize("mode", ["summary", "off"])
@pytest.mark.parametrize("name", ["mask", "collapse", "clear-tool-uses", "failed_run", "smartcrush"])
def test_what_is_not_kept_is_said_to_be_irreversible(name: str, mode: str, tmp_path: Path) -> None:
    """Without markers nothing comes back: the account counts each."""
    watch = _watch("anthropic-turns", tmp_path, alone(name, marker_mode=mode), "ignore")
    assert watch.fired[name] > 0
    assert b"<<cg:" not in watch.after
    assert watch.done.report["irreversible_edits"] == watch.fired[name]


@pytest.mark.parametrize("policy", sorted(BUILT_IN))
@pytest.mark.parametrize("session", ["anthropic-turns", "responses-turns", "anthropic-bound"])
def test_policy_keeps_every_promise(session: str, policy: str, tmp_path: Path) -> None:
    """As a component alone."""
    assert _watch(session, tmp_path, named(policy)).broken() == []


@pytest.mark.parametrize("session", sorted(SESSIONS))
def test_off_changes_nothing(session: str, tmp_path: Path) -> None:
    """The output is the input."""
    watch = _watch(session, tmp_path, named("off"))
    assert watch.after == watch.before == SESSIONS[session]


BINDING = pipeline(["cmdfilter", "clear-thinking"], {"cmdfilter": {"min_size": 0}, "clear-thinking": {"keep": 1}})
"""What it leaves alone stands before thinking that it drops later."""
REACHING = pipeline(
    ["claude-microcompact", "readlifecycle"],
    {"claude-microcompact": {"keep_recent": 0}, "readlifecycle": {"min_tokens": 0, "stale_at_depth": True}},
)
"""One step acts in the held prefix, and the other one behind it."""
GIVING_BACK = [
    pipeline(["toolfilter", other], {"toolfilter": {"remove": ["mcp__tracker"]}})
    for other in ("claude-microcompact", "clear-thinking")
]
"""A tool is given back, so that nothing is held of the request."""


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(policy=BINDING, session="anthropic-bound", held="ignore")
@example(policy=REACHING, session="anthropic-lanes", held="respect")
@example(policy=GIVING_BACK[0], session="responses-turns", held="respect")
@example(policy=GIVING_BACK[1], session="anthropic-turns", held="respect")
@given(policy=pipelines(), session=st.sampled_from(sorted(SESSIONS)), held=st.sampled_from(["respect", "ignore"]))
def test_random_pipelines_keep_every_promise(policy: Policy, session: str, held: str) -> None:
    """Any components in any order, with any parameters that are allowed."""
    with TemporaryDirectory() as folder:
        assert _watch(session, Path(folder), policy, held).broken() == []


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(policy=pipelines(), session=st.sampled_from(sorted(SESSIONS)), held=st.sampled_from(["respect", "ignore"]))
def test_two_hundred_random_pipelines_do(policy: Policy, session: str, held: str) -> None:
    """The same, more often."""
    with TemporaryDirectory() as folder:
        assert _watch(session, Path(folder), policy, held).broken() == []


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS_USED, reason=NO_CORPUS)
@pytest.mark.parametrize("name", everything())
def test_component_alone_keeps_every_promise_on_real_files(name: str, tmp_path: Path) -> None:
    """Every file of the corpus with requests in it, up to 3 MB."""
    broken = {}
    for i, source in enumerate(CORPUS_USED):
        folder = tmp_path / str(i)
        folder.mkdir()
        found = Watch(source, folder, alone(name)).broken()
        if found:
            broken[source.name] = found
    assert broken == {}
