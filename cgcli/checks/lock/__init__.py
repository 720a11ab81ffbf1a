"""Baselines: `cg.lock` records the chain of each lane of a file, and later files are compared with it."""

from cgcli.checks.lock.collecting import Collected, Collecting, Place, collect
from cgcli.checks.lock.comparing import Move, Moved, compare
from cgcli.checks.lock.form import LOCK, Head, Lane, Lock, read, write

__all__ = [
    "LOCK",
    "Collected",
    "Collecting",
    "Head",
    "Lane",
    "Lock",
    "Move",
    "Moved",
    "Place",
    "collect",
    "compare",
    "read",
    "write",
]
