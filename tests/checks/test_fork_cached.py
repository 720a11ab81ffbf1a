"""G-FORK-CACHED."""

from __future__ import annotations

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.gates.fork_cached import ForkCached
from tests.forking import Json, bodies, fork, lane, pair, run, run_fixture, standalone, usage

GATE = ForkCached()
SENT = lane(3)


def test_the_failing_fixture_reads_nothing() -> None:
    """Twenty minutes after its parent the fork reads 0 of its 2,719 prompt tokens."""
    result = run_fixture(GATE, "failing")
    assert (result.verdict, result.checked, result.unit) == (Verdict.FAIL, 1, "forks")
    assert [(f.line, f.kind, f.is_note, f.message) for f in result.findings] == [
        (4, "not_read", False, "read 0 of 2,719 prompt tokens (0.0 %), measured")
    ]


def test_the_passing_fixture_reads_nearly_all() -> None:
    """Eight seconds after its parent: 2,398 of 2,449, the recorded numbers of that call."""
    result = run_fixture(GATE, "passing")
    assert (result.verdict, result.checked) == (Verdict.PASS, 1)
    assert [(f.line, f.kind, f.is_note, f.message) for f in result.findings] == [
        (4, "read", True, "read 2,398 of 2,449 prompt tokens (97.9 %), measured")
    ]


def test_the_vacuous_fixture_has_a_standalone_call() -> None:
    """What a standalone call reads is noted and not judged."""
    result = run_fixture(GATE, "vacuous")
    assert (result.verdict, result.checked) == (Verdict.VACUOUS, 0)
    assert [(f.line, f.kind, f.is_note) for f in result.findings] == [(4, "standalone", True)]


@pytest.mark.parametrize(
    ("used", "verdict"),
    [
        (usage(read=500, write=400, fresh=100), Verdict.PASS),
        (usage(read=499, write=400, fresh=101), Verdict.FAIL),
        (usage(read=0, write=0, fresh=0), Verdict.UNKNOWN),
        (None, Verdict.UNKNOWN),
    ],
)
def test_half_of_the_prompt_must_be_read(used: Json | None, verdict: Verdict) -> None:
    """Half of read, written and fresh together passes, a token less fails; all zero or no usage is unknown."""
    records = [*(pair(body, used=usage(write=900)) for body in SENT), pair(fork(SENT[-1]), used=used)]
    result = run(GATE, bodies(*records))
    assert (result.verdict, result.checked) == (verdict, 1)
    missing = "the file does not record the usage of 1 of 1 forks"
    assert result.reason == (missing if verdict is Verdict.UNKNOWN else None)


def test_a_fork_without_usage_beside_one_that_reads_is_unknown() -> None:
    """One of two forks is measured and reads: no pass for the file."""
    forks = [pair(fork(SENT[-1]), used=usage(read=900)), pair(fork(SENT[-1]))]
    result = run(GATE, bodies(*map(pair, SENT), *forks))
    assert (result.verdict, result.reason) == (
        Verdict.UNKNOWN,
        "the file does not record the usage of 1 of 2 forks",
    )


def test_openais_prompt_tokens_include_what_was_read() -> None:
    """`prompt_tokens` 1,000 with 900 cached: 900 of 1,000, not of 1,900."""
    parent = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Build."}]}
    call = pair(fork(parent), used=None)
    call["response"] = {
        "body": {
            "choices": [],
            "usage": {
                "prompt_tokens": 1000,
                "completion_tokens": 9,
                "prompt_tokens_details": {"cached_tokens": 900},
            },
        }
    }
    result = run(GATE, bodies(pair(parent), call))
    assert [f.message for f in result.findings] == ["read 900 of 1,000 prompt tokens (90.0 %), measured"]


def test_a_batch_is_not_judged() -> None:
    """Independent requests have no lane to fork from."""
    rows = [{"custom_id": str(i), "params": body} for i, body in enumerate([SENT[2], fork(SENT[2])])]
    assert run(GATE, bodies(*rows)).verdict is Verdict.VACUOUS


def test_only_a_standalone_call_without_usage_is_vacuous() -> None:
    """Nothing to measure and nothing to say."""
    result = run(GATE, bodies(*map(pair, SENT), pair(standalone(SENT[2]))))
    assert (result.verdict, result.findings) == (Verdict.VACUOUS, ())
