"""How the operating modes are simulated."""

from __future__ import annotations

from enum import StrEnum

from cgcli.model import value
from cgcli.replay.modes.latency import Latency
from cgcli.replay.modes.pool import DEFAULT_MAX_QUEUE, DEFAULT_WORKERS
from cgcli.replay.modes.tail import Protect
from cgcli.replay.modes.tracker import DEFAULT_MAX_LANES

DEFAULT_BARREN = 3
DEFAULT_STOP_S = 2.0
DEFAULT_STEP_S = 0.025
"""context-guru measured 25 to 29 ms a request without a model call (docs/results/operating-modes.md)."""


class Mode(StrEnum):
    """When the policy runs, and what is sent."""

    SYNC = "sync"
    """It runs before each request is sent, which waits for it."""
    OBSERVE = "observe"
    """Requests go out untouched; it runs on a copy."""
    ASYNC = "async"
    """Requests go out with what earlier turns decided; the expensive part runs off their path."""


@value
class ModeOptions:
    """The defaults are context-guru's."""

    latency: Latency = Latency()
    """Of one call to a model."""
    step_s: float = DEFAULT_STEP_S
    """Of one run of the policy without a model, and beside its calls."""
    max_queue: int = DEFAULT_MAX_QUEUE
    workers: int = DEFAULT_WORKERS
    barren: int = DEFAULT_BARREN
    """So many jobs of a lane in a row that find nothing, and it stops offering."""
    max_lanes: int = DEFAULT_MAX_LANES
    stop_s: float = DEFAULT_STOP_S
    """After the last request the jobs get so much time more."""
    protect: Protect = Protect.PENDING
    strip_caller_breakpoints: bool = False
    cache_uncompacted_tail: bool = False
    """Nothing is protected: for a backend that does not cache."""
    is_cache_aware: bool = True
    """False where nothing is cached: there is nothing to protect, and turns count all the same."""
