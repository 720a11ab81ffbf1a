"""Regret under real policies: nothing dropped is nothing regretted, and what is named was not sent."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cgcli.compaction.policy import named, pipeline
from cgcli.errors import CgError
from cgcli.readers import open_bytes
from cgcli.replay.paired.regret import Fragments
from cgcli.summarisers.extractive.summariser import Extractive
from tests.captures import capture
from tests.replay.paired.regretting import DIALECTS, Sent, Turn, by_policy, grown, strings
from tests.running import CORPUS_FILES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.compaction.policy import Policy
    from tests.captures import Dialect

MASK = pipeline(["mask"], {"mask": {"keep_recent": 1, "min_tokens": 10}})
LOSSLESS = pipeline(["format", "textclean", "searchfold", "toon"])
DROPPING: dict[str, Policy] = {
    "mask": MASK,
    **{name: named(name) for name in ("codesafe", "ladder", "clear-tool-uses", "openhands-mask", "summarize")},
}
"""Components of outputs, of bodies, of messages."""
MOST_BYTES = 800_000
SMALL_FILES = [path for path in CORPUS_FILES if path.stat().st_size < MOST_BYTES]


def _named_wrongly(sent: list[Sent]) -> list[tuple[int, str]]:
    """The regrets whose fragment no earlier request lost: it did not come with it, or was sent with it all the same."""
    wrong = []
    for i, one in enumerate(sent):
        for regret in one.regrets:
            before = [two for two in sent[:i] if regret.dropped_line <= two.line]
            lost = (regret.fragment in strings(two.came) and regret.fragment not in strings(two.sent) for two in before)
            if not any(lost):
                wrong.append((one.line, regret.fragment))
    return wrong


def _lines(bodies: list[dict[str, object]]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in bodies).encode()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_mask_regrets_what_is_read_again(dialect: Dialect) -> None:
    """The newest output is kept, and the first one is read again when three more have come."""
    turns = [Turn("Read.", f"cat part{i}", f"value_{i} = {i} " + f"and word{i} " * 30) for i in (0, 1, 2, 0)]
    sent = by_policy(_lines(grown(dialect, *turns)), MASK)
    assert [[regret.kind.value for regret in one.regrets] for one in sent] == [[], [], [], [], ["refetch"]]
    (regret,) = sent[-1].regrets
    assert (regret.component, regret.dropped_line, regret.needed_line) == ("mask", 3, 5)
    assert _named_wrongly(sent) == []


def test_a_copy_that_stands_elsewhere_is_not_regretted() -> None:
    """`dedup` drops the second of two equal outputs; a third call is not its fault."""
    turns = [Turn("Read.", "cat part", "value_1 = 1 " + "and word " * 90)] * 3
    sent = by_policy(_lines(grown("anthropic", *turns)), pipeline(["dedup"]))
    assert len(sent[-1].sent) < len(sent[-1].came)
    assert [one.regrets for one in sent] == [()] * 4


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    dialect=st.sampled_from(DIALECTS), seed=st.integers(0, 99), turns=st.integers(1, 8), side_lanes=st.integers(0, 1)
)
def test_what_drops_nothing_regrets_nothing(dialect: Dialect, seed: int, turns: int, side_lanes: int) -> None:
    """Neither the policy that does nothing nor lossless steps, whatever is read again."""
    data = capture(dialect=dialect, seed=seed, turns=turns, side_lanes=side_lanes)
    for policy in (named("off"), LOSSLESS):
        assert [one.regrets for one in by_policy(data, policy) if one.regrets] == []


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    dialect=st.sampled_from(DIALECTS),
    seed=st.integers(0, 99),
    turns=st.integers(4, 9),
    name=st.sampled_from(sorted(DROPPING)),
)
def test_regret_never_names_what_is_still_sent(dialect: Dialect, seed: int, turns: int, name: str) -> None:
    """In the request that the answer goes on from, which is the one before, the fragment came and was not sent."""
    sent = by_policy(capture(dialect=dialect, seed=seed, turns=turns), DROPPING[name], summariser=Extractive())
    for before, one in pairwise(sent):
        for regret in one.regrets:
            assert regret.fragment in strings(before.came)
            assert regret.fragment not in strings(before.sent)
            assert 0 < len(regret.fragment) <= 160
            assert regret.tokens > 0
            assert regret.dropped_line <= before.line
            assert regret.needed_line == one.line


def test_made_captures_have_something_to_regret() -> None:
    """The property above is not empty: outputs come again after they were masked."""
    found = [one.regrets for seed in range(8) for one in by_policy(capture(seed=seed, turns=9), MASK) if one.regrets]
    assert len(found) > 3


def test_the_order_of_the_policies_does_not_matter() -> None:
    """What one policy regrets is the same whatever others looked at the same fragments before."""
    data = capture(seed=3, turns=9)
    alone = {name: [one.regrets for one in by_policy(data, policy)] for name, policy in DROPPING.items()}
    shared = Fragments()
    for name in reversed(DROPPING):
        assert [one.regrets for one in by_policy(data, DROPPING[name], fragments=shared)] == alone[name]


@cache
def _read(path: Path) -> bytes:
    with open_bytes(str(path)) as stream:
        return stream.read()


@pytest.mark.skipif(not SMALL_FILES, reason=NO_CORPUS)
@pytest.mark.parametrize("policy", [MASK, named("claude-microcompact")], ids=lambda policy: policy.name)
def test_public_files_name_only_what_was_not_sent(policy: Policy) -> None:
    """Every file that can be read, with rewinds, side calls and edits of the agents' own."""
    n_found = 0
    for path in SMALL_FILES:
        try:
            sent = by_policy(_read(path), policy)
        except CgError:
            continue
        assert _named_wrongly(sent) == [], path.name
        n_found += sum(len(one.regrets) for one in sent)
    assert n_found > 0
