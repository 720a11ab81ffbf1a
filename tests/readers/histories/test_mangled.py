"""Files of agents in which values have another kind than they should: read or reported, whatever it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.histories.damage import outcome
from tests.readers.histories.mangling import mangled
from tests.running import FIXTURES

FORMATS = {
    "swe-agent": ("swe-agent/query.traj", "swe-agent/messages.traj"),
    "swe-agent-history": ("swe-agent/history.traj",),
    "mini-swe-agent": ("mini-swe-agent/run.traj.json", "mini-swe-agent/responses.traj.json"),
    "atif": ("atif/trajectory.json",),
    "openhands": ("openhands/output.jsonl", "openhands/events.jsonl"),
    "openhands-completions": ("openhands-completions/claude-1.json",),
    "gemini-cli": ("gemini-cli/session.json", "gemini-cli/session.jsonl"),
    "cline": ("cline/session.messages.json", "cline/goes-on.compaction.json"),
}
GOOD = {path: (FIXTURES / path).read_bytes() for paths in FORMATS.values() for path in paths}


@pytest.mark.parametrize("format_name", FORMATS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_values_of_another_kind_are_read_or_reported(format_name: str, data: st.DataObject) -> None:
    """A request, a reason, or an error of ours."""
    path = data.draw(st.sampled_from(FORMATS[format_name]))
    found, error = outcome(data.draw(mangled(GOOD[path])), format_name)
    assert found >= 0
    assert error is None or error.exit_code == 4


@pytest.mark.parametrize("path", GOOD)
def test_the_files_are_good_before(path: str) -> None:
    """Each has a request in it."""
    found, error = outcome(GOOD[path])
    assert (found > 0, error) == (True, None)
