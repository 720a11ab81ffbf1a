"""G-BASELINE."""

from __future__ import annotations

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.lock import Lock, collect, read, write
from cgcli.checks.registry import gate
from cgcli.checks.run import Allowed, check
from cgcli.readers import open_bytes
from cgcli.readers import read as read_capture
from tests.checks.gated import fixture, forgotten, result


@pytest.fixture(name="baseline")
def _baseline() -> Lock:
    """The baseline of the first fixture, written and read again."""
    collecting = collect()
    with open_bytes(str(fixture("G-BASELINE", "baseline"))) as stream:
        seen = check(read_capture(stream, file="made"), [], Allowed(), {}, observers=[collecting])
    return read(write(collecting.finish(seen.lanes).lock))


@pytest.mark.parametrize(("name", "verdict"), [("baseline", "pass"), ("passing", "pass"), ("failing", "fail")])
def test_fixtures(name: str, verdict: str, baseline: Lock) -> None:
    """The file itself passes, and one that grew; one that moved fails. Both lanes of the baseline are looked at."""
    found = result(fixture("G-BASELINE", name), "baseline", options={"baseline": baseline})
    assert (found.verdict.value, found.checked, found.unit) == (verdict, 2, "lanes")


def test_without_a_baseline_it_is_vacuous() -> None:
    """Nothing is compared, and the reason says which option is missing."""
    found = result(fixture("G-BASELINE", "vacuous"), "baseline")
    assert (found.verdict, found.checked) == (Verdict.VACUOUS, 0)
    assert found.reason == "no baseline was given: --baseline cg.lock"


def test_what_moved_is_told_lane_by_lane(baseline: Lock) -> None:
    """Tools by name, parameters by path, the request that diverges, and the lane that is gone."""
    found = result(fixture("G-BASELINE", "failing"), "baseline", options={"baseline": baseline})
    assert [(one.line, one.kind, one.message, one.is_note) for one in found.findings] == [
        (1, "tools_changed", "L1 (main): tools_changed since the baseline: edited Bash", False),
        (1, "params_changed", "L1 (main): params_changed since the baseline: added speed", False),
        (2, "messages_changed", "L1 (main): messages_changed: diverges from the baseline at request 2", False),
        (1, "lane_missing", "a side lane that the baseline has (requests: 1) is not in the file", False),
    ]


def test_a_new_lane_is_a_note(baseline: Lock) -> None:
    """A side call that the baseline does not have passes, at its own line."""
    found = result(fixture("G-BASELINE", "passing"), "baseline", options={"baseline": baseline})
    assert [(one.line, one.kind, one.is_note) for one in found.findings] == [(7, "lane_new", True)]


def test_a_tool_that_is_gone_is_known_by_its_digest_only(baseline: Lock) -> None:
    """The baseline has no names: what the file does not have any more is told by the digest of its name."""
    text = fixture("G-BASELINE", "baseline").read_bytes().splitlines()[:3]
    start, stop = text[0].index(b'{"name":"Read"'), text[0].index(b'{"name":"Bash"')
    cut = b"\n".join(line[:start] + line[stop:] for line in text)
    found = result(cut, "baseline", options={"baseline": baseline})
    digest = "9b9a8d05a7ec353b"  # printf Read | sha256sum | cut -c-16
    told = f"L1 (main): tools_changed since the baseline: removed a tool whose name has the digest {digest}"
    assert found.findings[0].message == told


def test_a_lane_that_ended_early_fails(baseline: Lock) -> None:
    """Two of three requests: what the baseline says of the third cannot be compared."""
    text = fixture("G-BASELINE", "baseline").read_bytes().splitlines(keepends=True)
    found = result(b"".join([*text[:2], text[3]]), "baseline", options={"baseline": baseline})
    assert [(one.line, one.kind, one.message) for one in found.findings] == [
        (2, "lane_shorter", "L1 (main): 2 of the 3 requests of the baseline")
    ]


def test_a_baseline_without_lanes_is_vacuous() -> None:
    """It was written from a file that no request was read from."""
    found = result(fixture("G-BASELINE", "vacuous"), "baseline", options={"baseline": Lock(heads={}, lanes=())})
    assert (found.verdict, found.reason) == (Verdict.VACUOUS, "the baseline has no lane")
    assert [one.kind for one in found.findings] == ["lane_new"]


def test_a_file_without_tools_passes_nothing(baseline: Lock) -> None:
    """The lanes are the same as far as they are recorded: unknown; what moved still fails."""
    whole = fixture("G-BASELINE", "baseline").read_bytes()
    found = forgotten(whole, "baseline", forgets=("tools",), options={"baseline": baseline})
    assert (found.verdict, found.findings) == (Verdict.UNKNOWN, ())
    moved = fixture("G-BASELINE", "failing").read_bytes()
    found = forgotten(moved, "baseline", forgets=("tools",), options={"baseline": baseline})
    assert [one.kind for one in found.findings] == ["params_changed", "messages_changed", "lane_missing"]


def test_only_a_lock_is_taken() -> None:
    """A path in place of a lock is a mistake of the caller, and does not make the gate vacuous."""
    with pytest.raises(TypeError):
        result(fixture("G-BASELINE", "vacuous"), "baseline", options={"baseline": "cg.lock"})
    assert gate("baseline").rule.gate == "G-BASELINE"
