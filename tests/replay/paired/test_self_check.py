"""Predicted reads against recorded ones: exact where the prefix held, and each miss with its class."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.replay.paired.self_check import Class
from tests.replay.paired.lanes import conversation, growing, lines, run
from tests.running import CORPUS, FIXTURES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.replay.paired.self_check import Checked


def _usage(read: int, write: int, fresh: int = 3, output: int = 90) -> dict[str, Any]:
    return {"fresh": fresh, "read": read, "output": output, "write_by_ttl_s": {"300": write}}


def _growing(n: int) -> list[dict[str, Any]]:
    """Usage of n requests that each read all that the one before read and wrote: 2,000, then 1,500 more each."""
    return [_usage(0 if i == 0 else 2000 + 1500 * (i - 1), 2000 if i == 0 else 1500) for i in range(n)]


def _checked(content: bytes) -> Checked:
    return run(content).checked


def _of_file(path: Path) -> Checked:
    return run(path).checked


def test_a_lane_that_held_is_predicted_to_the_token() -> None:
    """Six requests, each reading what the one before left by its own recorded usage: no tokenizer is asked."""
    found = _checked(lines(growing(conversation(5)), usage=_growing(6)))
    assert [(turn.predicted_tokens, turn.recorded_tokens, turn.found) for turn in found.turns] == [
        (0, 0, Class.EXACT),
        (2000, 2000, Class.EXACT),
        (3500, 3500, Class.EXACT),
        (5000, 5000, Class.EXACT),
        (6500, 6500, Class.EXACT),
        (8000, 8000, Class.EXACT),
    ]
    assert not found.excluded
    assert not found.assumed_marks


def test_a_pause_explains_a_miss_and_the_provider_answers_for_another() -> None:
    """Behind ten minutes nothing is read, as predicted; the same within seconds is the provider's."""
    bodies = growing(conversation(5))
    usage = _growing(6)
    usage[3] = _usage(0, 6500)
    slow = _checked(lines(bodies, gap_s=600, usage=[_usage(0, 2000 + 1500 * i) for i in range(6)]))
    assert [(turn.found, turn.why) for turn in slow.turns[1:]] == [(Class.EXPLAINED, "expired")] * 5
    quick = _checked(lines(bodies, usage=usage)).turns[3]
    assert (quick.predicted_tokens, quick.recorded_tokens, quick.found) == (5000, 0, Class.PROVIDER_SIDE)
    untimed = _checked(lines(bodies, gap_s=None, usage=usage)).turns[3]
    assert (untimed.found, untimed.why) == (Class.UNEXPLAINED, "no_time")


def test_an_edit_explains_a_miss() -> None:
    """The second output reads otherwise in the last request: nothing but tools and system prompt is read."""
    talk = conversation(4)
    edited = [*talk]
    edited[4] = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "gone"}]}
    bodies = [*growing(talk)[:-1], growing(edited)[-1]]
    usage = _growing(5)
    usage[4] = _usage(0, 7000)
    last = _checked(lines(bodies, usage=usage)).turns[4]
    assert (last.found, last.why) == (Class.EXPLAINED, "messages_changed")


def test_more_than_is_held_is_not_explained() -> None:
    """A read that nothing of the file can have left is said to be none of the known things."""
    usage = _growing(4)
    usage[2] = _usage(9000, 10)
    turn = _checked(lines(growing(conversation(3)), usage=usage)).turns[2]
    assert (turn.found, turn.why) == (Class.UNEXPLAINED, "reads_more")


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (None, "no_usage"),
        ({"fresh": 0, "read": 0, "output": 0, "write_by_ttl_s": {}}, "all_zero"),
        ({"fresh": 900, "output": 10}, "reads_not_recorded"),
        ({**_usage(2000, 1500), "iterations": [_usage(2000, 1500)]}, "several_passes"),
    ],
)
def test_what_says_nothing_of_a_read_is_not_compared(told: dict[str, Any] | None, reason: str) -> None:
    """An aborted call's zeros are no miss, and a sum over several passes is no read."""
    usage: list[dict[str, Any] | None] = [*_growing(4)]
    usage[1] = told
    found = _checked(lines(growing(conversation(3)), usage=usage))
    assert found.excluded == Counter({reason: 1})
    assert [turn.number for turn in found.turns] == [0, 2, 3]


def test_the_capture_built_like_the_real_one() -> None:
    """64 requests in 7 lanes: 14 of 14 pairs of the main line exact, and the call for a summary reads nothing."""
    found = _of_file(FIXTURES / "claude-trace" / "seven-lanes.jsonl")
    assert {turn.found for turn in found.turns} == {Class.EXACT, Class.EXPLAINED}
    assert sum(turn.recorded_tokens for turn in found.turns) == 72_592
    reading = [turn for turn in found.turns if turn.recorded_tokens]
    (restart,) = [turn for turn in reading if not turn.is_structural]
    assert (restart.predicted_tokens, restart.recorded_tokens, restart.why) == (2519, 2607, "counted")
    structural = [turn for turn in reading if turn.is_structural]
    assert [turn.predicted_tokens for turn in structural] == [turn.recorded_tokens for turn in structural]
    assert len(structural) == 14
    call = next(turn for turn in found.turns if turn.why == "side_call")
    assert (call.predicted_tokens, call.recorded_tokens) == (0, 0)


@pytest.mark.parametrize(
    ("name", "is_evidence"),
    [("msg_000001", False), ("msg_01XFDUDYJgAACzvnptvVoYEL", True), ("msg_bdrk_01H8tV2orbi5sQVskxVthgZy", True)],
)
def test_answers_without_a_providers_name_are_no_evidence(name: str, is_evidence: bool) -> None:  # noqa: FBT001
    """A file whose answers are called `msg_000001` was written by a generator, usage and all."""
    found = _checked(lines(growing(conversation(3)), usage=_growing(4), answer_id=name))
    assert len(found.turns) == (4 if is_evidence else 0)
    assert found.excluded == Counter({} if is_evidence else {"invented": 4})


def test_what_is_invented_is_so_wherever_it_stands() -> None:
    """Of nine requests all but the one without usage: those behind the fifth are not even simulated."""
    usage: list[dict[str, Any] | None] = [*_growing(9)]
    usage[7] = None
    found = _checked(lines(growing(conversation(8)), usage=usage, answer_id="msg_000001"))
    assert found.turns == ()
    assert found.excluded == Counter({"invented": 8, "no_usage": 1})


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_the_public_pi_session() -> None:
    """Of 471 requests 459 read what was predicted; two compactions, one pause, nine misses of the provider."""
    assert CORPUS is not None
    (path,) = CORPUS.glob("pi-openclaw-session/*before-compaction.jsonl")
    found = _of_file(path)
    assert len(found.turns) == 471
    assert sum(turn.predicted_tokens == turn.recorded_tokens for turn in found.turns) == 459
    assert Counter((turn.found.value, turn.why) for turn in found.turns if turn.found is not Class.EXACT) == {
        ("explained", "restart"): 2,
        ("explained", "expired"): 1,
        ("provider-side", None): 9,
        ("unexplained", "reads_more"): 3,
    }
    assert sum(turn.recorded_tokens for turn in found.turns) == 54_693_675
    assert "all_zero" not in found.excluded


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize(
    ("name", "compared", "exact"),
    [
        ("test_anthropic_cache_real_api", 1, 1),
        ("test_anthropic_cache_bedrock_real_api", 1, 1),
        ("test_anthropic_prompt_caching_legacy", 2, 2),
        ("test_anthropic_prompt_caching_async_legacy", 2, 2),
    ],
)
def test_the_public_cassettes(name: str, compared: int, exact: int) -> None:
    """Each writes in its first request, or finds it written before; the second reads what the first recorded."""
    assert CORPUS is not None
    (path,) = CORPUS.glob(f"vcr-py-cassette/*{name}.yaml")
    found = _of_file(path)
    assert (len(found.turns), sum(turn.predicted_tokens == turn.recorded_tokens for turn in found.turns)) == (
        compared,
        exact,
    )
