"""`cg inspect`: what a file holds, as a person and as a program reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.snapshots import as_file

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from tests.cli.calling import Cg

SHOWN = {
    "demo": "context-guru/agent.jsonl",
    "seven-lanes": "claude-trace/seven-lanes.jsonl",
    "responses": "context-guru/responses.jsonl",
    "batch": "openai-batch/input.jsonl",
    "half-line": "ugly/half-line.jsonl",
}


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_report_reads_like_this(name: str, cg: Cg, snapshot: SnapshotAssertion) -> None:
    """What a person sees, byte for byte; nothing is written."""
    file = cg.fixture(SHOWN[name])
    assert cg("inspect", file) == 0
    assert cg.out == as_file(snapshot, "txt")
    assert (cg.err, cg.names()) == (b"", [file])


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_json_report_is_this_document(name: str, cg: Cg, snapshot: SnapshotAssertion) -> None:
    """What a program sees: one document, its keys in their order."""
    assert cg("inspect", cg.fixture(SHOWN[name]), "--json") == 0
    assert cg.out == as_file(snapshot, "json")


def test_the_next_step_works_as_it_is_shown(cg: Cg) -> None:
    """The command at the end compacts nothing and says what it would do."""
    assert cg("inspect", cg.fixture("context-guru/openai.jsonl")) == 0
    words = cg.out.decode().splitlines()[-1].split()
    assert words[:2] == ["next", "cg"]
    assert cg(*words[2:]) == 0
    assert cg.names() == ["openai.jsonl"]


def test_strict_makes_an_unusable_record_an_error(cg: Cg) -> None:
    """Exit 4 with its line; without it the others are told of."""
    file = cg.fixture("ugly/half-line.jsonl")
    assert cg("inspect", file, "--strict") == 4
    assert cg.err.startswith(b"cg: half-line.jsonl:3: half_written")
    assert cg("inspect", file) == 0


@pytest.mark.parametrize("file", ["empty.jsonl", "dataset.jsonl", "change-log.jsonl", "ansi.log"])
def test_a_file_without_requests_is_exit_4(file: str, cg: Cg) -> None:
    """By name, and nothing on stdout."""
    assert cg("inspect", cg.fixture(f"ugly/{file}")) == 4
    assert cg.out == b""
    assert cg.err.startswith(f"cg: {file}".encode())
