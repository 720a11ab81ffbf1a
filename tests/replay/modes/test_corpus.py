"""The three modes on public files: what holds of small lanes holds of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.cachesim.options import CacheOptions
from cgcli.errors import CgError
from cgcli.readers import open_bytes, read
from cgcli.replay.modes.async_arm import AsyncArm
from cgcli.replay.modes.latency import Latency
from cgcli.replay.modes.observe_arm import ObserveArm
from cgcli.replay.modes.tail import Protect
from tests.replay.modes.driving import Around, drive, extracting, options, sync
from tests.replay.modes.schedules import broken
from tests.replay.paired.lanes import planned
from tests.running import CORPUS, CORPUS_FILES, FIXTURE_CAPTURES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

_SMALLEST_BYTES, _LARGEST_BYTES, _EVERY = 20_000, 200_000, 6
SOME = [path for path in CORPUS_FILES if _SMALLEST_BYTES < path.stat().st_size < _LARGEST_BYTES][::_EVERY]
PLANS = {
    "model": extracting("dedup", "cacheinject"),
    "summary": planned("summarize", summarize={"budget_tokens": 3000}),
}
PRESSED = options(
    Latency(median_s=9.0, sigma=1.0), workers=2, strip_caller_breakpoints=True, protect=Protect.OWN, barren=20
)


def _holds(path: Path, name: str) -> None:
    try:
        with open_bytes(str(path)) as stream:
            is_reconstructed = read(stream, file=str(path)).is_reconstructed
        with open_bytes(str(path)) as stream:
            content = stream.read()
    except CgError as error:
        pytest.skip(f"no capture: {error.message}")
    around = Around(cache=CacheOptions(assumed_ttl="5m" if is_reconstructed else None))
    try:
        inline, copied = (drive(content, PLANS[name], make, PRESSED, around) for make in (sync, ObserveArm))
    except CgError as error:
        pytest.skip(f"no capture: {error.message}")
    beside = drive(content, PLANS[name], AsyncArm, PRESSED, around)
    assert copied.counters.actual_baseline_tokens == inline.counters.tokens_before
    assert copied.counters.potential_saved_tokens == inline.counters.saved_tokens
    assert not any(turn.is_changed for turn in copied.arm.turns)
    assert broken(beside.counters, len(inline.sent)) == []
    assert len(beside.sent) == len(copied.sent) == len(inline.sent)


@pytest.mark.parametrize("path", FIXTURE_CAPTURES[::4], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_modes_agree_on_fixtures(path: Path) -> None:
    """Observe projects what sync saves, async adds up, and each sends every request."""
    _holds(path, "model")


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.name[:60])
def test_modes_agree_on_public_files(path: Path, name: str) -> None:
    """Observe projects what sync saves, async adds up, and each sends every request."""
    _holds(path, name)
