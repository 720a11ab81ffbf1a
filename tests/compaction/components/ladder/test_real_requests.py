"""`ladder` and `clear-thinking` over the saved requests: the gates find nothing that they did not find before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.components.clear_thinking import ClearThinking
from cgcli.compaction.components.ladder.ladder import Ladder
from cgcli.errors import CgError
from cgcli.wire.spans import Malformed
from tests.checks.gated import failures, result
from tests.compaction.components.bodies import InARow
from tests.compaction.components.ladder.lanes import Json, Lane, shown, size
from tests.compaction.components.test_clear_thinking import TURNS, body, kept
from tests.oracle import bodies
from tests.running import CORPUS_CAPTURES, FIXTURE_CAPTURES, FIXTURES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

_MOST_BYTES = 3_000_000
_MOST_BODIES = 8
SAVED = [path for path in FIXTURE_CAPTURES if path.suffix in (".json", ".jsonl")]
GATES = sorted(FIXTURES.glob("gates/*/*.jsonl"))


def reduced(saved: Json) -> bytes | None:
    """The request at a third of its size, or as near as it gets; None where it is not read."""
    try:
        n = size(json.dumps(saved).encode())
    except Malformed:
        return None
    lane = Lane(Ladder(budget_tokens=max(4, n), compact_threshold=0.9, target_usage=0.3, protected_tool_results=1))
    return lane.send(json.dumps(saved).encode())


def kinds(raw: bytes) -> set[Any]:
    """What the gates find wrong.

    Raises:
        CgError: it is read as something else than a request.
    """
    return {
        (gate, finding.kind) for gate in ("SHAPE", "TOOL-PAIRS", "THINKING") for finding in failures(result(raw, gate))
    }


def check_file(path: Path) -> int:
    """How many of the file's requests were reduced; none has a fault that it did not have."""
    n_reduced = 0
    try:
        found = bodies(path.read_bytes())
    except (UnicodeDecodeError, ValueError):
        return 0
    for _, saved in found[-_MOST_BODIES:]:
        raw = json.dumps(saved).encode()
        after = reduced(saved)
        if after is None or after == raw:
            continue
        try:
            before = kinds(raw)
        except CgError:
            continue
        n_reduced += 1
        assert len(after) < len(raw)
        assert kinds(after) <= before, path.name
    return n_reduced


def test_fixtures_stay_as_valid_as_they_were() -> None:
    """Those of the gates, too, which have faults on purpose."""
    assert sum(map(check_file, [*SAVED, *GATES])) > 100


@pytest.mark.skipif(not CORPUS_CAPTURES, reason=NO_CORPUS)
def test_corpus_stays_as_valid_as_it_was() -> None:
    """Each request on its own."""
    assert sum(check_file(path) for path in CORPUS_CAPTURES if path.stat().st_size < _MOST_BYTES) > 10


def test_both_steps_go_together() -> None:
    """Thinking is cleared, then messages that lost some are left out: the outer edit stands, and the rest is valid."""
    made: Json = json.loads(json.dumps(body(*TURNS)).replace("done", "done " * 50))
    ladder = Ladder(budget_tokens=500, target_usage=0.66, compact_threshold=0.7, protected_tool_results=1)
    got = InARow(ClearThinking(keep=1), ladder).send(made)
    assert kept(got) == "c1 x2 c3"
    assert shown(got) == "U N4 U N2 U A R A R A R"
    assert kinds(got) == set()
