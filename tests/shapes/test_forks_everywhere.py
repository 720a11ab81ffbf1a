"""Every fork of every conversation, saved or generated, is its parent and one message more."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.calls.call import CallMode
from cgcli.errors import CgError
from cgcli.readers import open_bytes, read
from cgcli.replay.survey import survey, turns_of
from tests.calls.asking import behind_last
from tests.running import CORPUS, CORPUS_CAPTURES, NO_CORPUS
from tests.shapes.comparing import compare, generated, shape

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from cgcli.shapes.comparison import Comparison
    from tests.captures import Dialect

FIRST: dict[str, Any] = {"calls": ("fork,standalone",), "every": True, "span_messages": 1, "keep_last": 1}
"""As small a span as there is, so that as many turns as can be have one."""


def lanes(path: Path) -> Iterator[str]:
    """The lanes of a file that have more than one turn."""
    with suppress(CgError), open_bytes(str(path)) as stream:
        for lane in survey(read(stream, file=str(path))).lanes:
            if len(turns_of(lane)) > 1:
                yield lane.name


def forks(found: list[Comparison]) -> int:
    """How many forks were built; each is exact, and no standalone call shares a block."""
    n_built = 0
    for one in found:
        fork, standalone = shape(one, CallMode.FORK), shape(one, CallMode.STANDALONE)
        assert standalone.sharing is None or standalone.sharing.blocks == 0
        if fork.call is None:
            continue
        n_built += 1
        assert fork.sharing is not None
        assert fork.sharing.is_exact
        assert fork.sharing.is_same_bytes
        assert fork.sharing.parts_at is None
        check_append(bytes(one.parent.request.raw), fork.call.body)
    return n_built


def check_append(parent: bytes, call: bytes) -> None:
    """*call* is *parent*, byte for byte, with one user's message behind its last one."""
    at = behind_last(parent, "input" if b'"input"' in parent and b'"messages"' not in parent else "messages")
    rest = len(parent) - at
    added = call[at : len(call) - rest]
    assert (call[:at], call[len(call) - rest :]) == (parent[:at], parent[at:])
    assert added.startswith(b",")
    assert set(json.loads(added[1:])) == {"role", "content"}
    assert json.loads(added[1:])["role"] == "user"


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_every_fork_of_the_corpus_is_exact() -> None:
    """Twelve of them, in the five conversations that the corpus has whole."""
    per_lane = [forks(compare(path, lane=lane, **FIRST)) for path in CORPUS_CAPTURES for lane in lanes(path)]

    assert len(per_lane) == 5
    assert sum(per_lane) == 12


@pytest.mark.parametrize("marks", [False, True], ids=["plain", "marks"])
@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
def test_every_fork_of_a_generated_capture_is_exact(dialect: Dialect, marks: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter of the test
    """Of eleven requests each but the first has a message that may go; parallel calls stay together."""
    models = {"anthropic": "claude-opus-5-5", "chat": "gpt-6-sol", "responses": "gpt-5.6-sol"}
    content = generated(models[dialect], dialect=dialect, turns=10, parallel=2, moving_marks=marks, seed=5)
    path = tmp_path / "c.jsonl"
    path.write_bytes(content)

    assert forks(compare(path, **FIRST)) == 9
