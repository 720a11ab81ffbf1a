"""`cg check` on a capture with our own calls in it: forks are judged, standalone ones are noted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.calls.call import CallMode, CallOptions
from cgcli.checks.base import Verdict
from cgcli.checks.gates.fork_prefix import ForkPrefix
from tests.calls.asking import asking, built
from tests.captures import capture
from tests.forking import run

if TYPE_CHECKING:
    from tests.captures import Dialect


def with_calls(dialect: Dialect, *, stale: bool = False) -> bytes:
    """Seven requests, and behind the fifth a fork and a standalone call of it; *stale*: of what was never sent."""
    lines = capture(dialect=dialect, turns=6).splitlines()
    parent = lines[4].replace(b"Run", b"RUN") if stale else lines[4]
    fork, standalone = (
        built(mode, asking(parent, 2, 4, options=CallOptions())).body for mode in (CallMode.FORK, CallMode.STANDALONE)
    )
    return b"\n".join([*lines[:5], fork, standalone, *lines[5:]])


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
def test_a_fork_of_ours_is_exact_and_a_standalone_call_a_note(dialect: Dialect) -> None:
    """As they are written by `--emit`, in any dialect."""
    result = run(ForkPrefix(), with_calls(dialect))

    assert (result.verdict, result.checked) == (Verdict.PASS, 1)
    assert [(one.line, one.kind, one.is_note) for one in result.findings] == [
        (6, "exact", True),
        (7, "standalone", True),
    ]


def test_a_fork_of_what_was_never_sent_fails() -> None:
    """A tool's description has other words: it would read nothing."""
    result = run(ForkPrefix(), with_calls("anthropic", stale=True))

    assert (result.verdict, result.checked) == (Verdict.FAIL, 1)
    assert [(one.line, one.kind) for one in result.findings if not one.is_note] == [(6, "tools_changed")]
