"""What independent requests have in common."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from cgcli.checks.common import Common, CommonPrefix
from cgcli.readers import read

TOOLS = [{"type": "function", "function": {"name": name}} for name in ("a", "b")]


def _common(*bodies: dict[str, Any]) -> Common | None:
    lines = b"".join(json.dumps({"model": "gpt-5", "tools": TOOLS, **body}).encode() + b"\n" for body in bodies)
    prefix = CommonPrefix()
    for entry in read(BytesIO(lines), file="a.jsonl"):
        if entry.exchange is not None:
            prefix.see(entry.exchange.request)
    return prefix.result()


def _said(*texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


def test_before_the_first_request_nothing_is_known() -> None:
    """Nothing is not zero."""
    assert CommonPrefix().result() is None


def test_what_all_begin_with_is_counted() -> None:
    """Items in cache order up to the first difference; bytes as the first request writes them."""
    assert _common(_said("one", "two"), _said("one", "three"), _said("one")) == Common(
        tools=2,
        system=0,
        messages=1,
        blocks=3,
        bytes=len(json.dumps(TOOLS[0])) + len(json.dumps(TOOLS[1])) + len('{"role": "user", "content": "one"}'),
    )


@pytest.mark.parametrize(
    ("second", "tools", "messages"),
    [
        (_said("one") | {"model": "gpt-5-mini"}, 0, 0),
        (_said("one") | {"tools": TOOLS[:1]}, 1, 0),
        (_said("one") | {"tools": [*TOOLS, TOOLS[0]]}, 2, 0),
        (_said("one") | {"reasoning_effort": "low"}, 0, 0),
        (_said("one") | {"temperature": 0.5}, 2, 1),
        (_said("other"), 2, 0),
    ],
)
def test_nothing_behind_a_difference_is_common(second: dict[str, Any], tools: int, messages: int) -> None:
    """Model, tools and the parameters that a cache depends on come before messages; others do not count."""
    found = _common(_said("one"), second)

    assert found is not None
    assert (found.tools, found.messages) == (tools, messages)


def test_what_was_lost_does_not_come_back() -> None:
    """A third request that agrees with the first again does not widen the prefix."""
    found = _common(_said("one"), _said("one") | {"tools": TOOLS[:1]}, _said("one") | {"tools": TOOLS[:1]})

    assert found is not None
    assert (found.tools, found.messages) == (1, 0)
