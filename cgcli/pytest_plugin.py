"""Prefix stability in your own tests: `pip install cgcli` is all it takes, pytest finds this by itself.

    def test_the_agent_only_appends(cg_capture):
        run_agent(on_request=cg_capture.record)
        cg_capture.assert_append_only()

Requests are bodies as Python objects, as JSON text or as the bytes that were sent; bytes are compared as they are.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from cgcli.model import Request

    Body = Mapping[str, Any] | str | bytes

_MOST_SHOWN = 5


def assert_append_only(requests: Iterable[Body]) -> None:
    """Assert that each of *requests* contains the one before it whole, as the provider reads them.

    One conversation, in the order in which it was sent. White space, escapes and moved cache marks do not count.

    Raises:
        AssertionError: one does not; says where, and what changed.
        ValueError: there are fewer than two requests, so that nothing was checked.
    """
    bodies = list(requests)
    if len(bodies) < 2:  # noqa: PLR2004 - one request has none before it
        raise ValueError(f"{len(bodies)} request: there is nothing to compare; was anything recorded?")
    parsed = [_parse(body, i) for i, body in enumerate(bodies)]
    wrong = [line for i, (before, after) in enumerate(pairwise(parsed), 1) if (line := _break(before, after, i))]
    if wrong:
        more = [f"and {len(wrong) - _MOST_SHOWN} more"] if len(wrong) > _MOST_SHOWN else []
        raise AssertionError("\n".join(["the prompt prefix did not hold:", *wrong[:_MOST_SHOWN], *more]))


def assert_fork_of(parent: Body, fork: Body) -> None:
    """Assert that *fork* is *parent* with exactly one user message appended, and so reads its cached prefix.

    Model, tools, system prompt, every message and every parameter that the cache depends on must be the parent's.

    Raises:
        AssertionError: it is not; says where, and what changed.
    """
    before, after = _parse(parent, 0), _parse(fork, 1)
    broken = _break(before, after, 1)
    if broken:
        raise AssertionError(f"no fork of its parent:\n{broken}")
    more = after.messages[len(before.messages) :]
    if len(more) != 1 or more[0].role != "user":
        roles = ", ".join(item.role for item in more) or "nothing"
        raise AssertionError(f"a fork appends exactly one user message; this one appends: {roles}")


class CgCapture:
    """Records the requests of a test, in order, and keeps them as a capture that `cg` reads."""

    def __init__(self, path: Path) -> None:
        """Keep the capture at *path*: one body a line."""
        self.path = path
        self.requests: list[Body] = []

    def record(self, body: Body) -> None:
        """Take a request body as it is about to be sent."""
        self.requests.append(body)
        with self.path.open("ab") as file:
            file.write(_bytes(body).replace(b"\n", b" ") + b"\n")

    def assert_append_only(self) -> None:
        """Assert that the recorded requests only append; see the function of that name."""
        assert_append_only(self.requests)


@pytest.fixture
def cg_capture(tmp_path: Path) -> CgCapture:
    """A recorder of requests; its file is `capture.jsonl` in the test's tmp_path."""
    return CgCapture(tmp_path / "capture.jsonl")


def _bytes(body: Body) -> bytes:
    if isinstance(body, bytes):
        return body
    return (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode("utf-8", "surrogatepass")


def _parse(body: Body, i: int) -> Request:
    from cgcli.readers.base import Opened  # noqa: PLC0415 - pytest loads this module in every run
    from cgcli.readers.incremental import Incremental, Read  # noqa: PLC0415
    from cgcli.wire.spans import Malformed  # noqa: PLC0415

    try:
        read = Incremental(lambda node: Opened(body=node)).read(_bytes(body))
    except Malformed as error:
        raise ValueError(f"request {i} is no request body: {error}") from error
    if not isinstance(read, Read):
        raise ValueError(f"request {i} is no request body")  # noqa: TRY004 - the value is wrong, not its type
    return read.request


def _break(before: Request, after: Request, i: int) -> str | None:
    """A line on where request *i* breaks with the one before it; None where it does not."""
    from cgcli.prefix.divergence import divergence  # noqa: PLC0415 - pytest loads this module in every run
    from cgcli.report.safe import safe  # noqa: PLC0415

    found = divergence(before, after)
    if found is None:
        if len(after.messages) >= len(before.messages):
            return None
        return f"  request {i}: it ends {len(before.messages) - len(after.messages)} messages before the one before it"
    why = f", probably {found.culprit}" if found.culprit else ""
    excerpts = f"\n    was {safe(found.was)!r}\n    now {safe(found.now)!r}"
    return f"  request {i}: {found.kind.value} ({found.change.value}) at {safe(found.path)}{why}{excerpts}"
