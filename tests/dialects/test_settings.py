"""The members of a body beside its items."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from cgcli.dialects.settings import settings
from cgcli.readers import read
from tests.checks.gated import Json, body, user

ITEMS = ("tools", "system", "messages", "input", "instructions")


def found(text: str) -> dict[str, Any]:
    """The settings of one body."""
    (entry,) = [entry for entry in read(BytesIO(text.encode()), file="t.jsonl") if entry.exchange is not None]
    assert entry.exchange is not None
    return {key: held for key, held in settings(entry.exchange.request).items() if key not in ITEMS}


@pytest.mark.parametrize(
    "request_body",
    [
        body(user("a"), user('"messages": [1'), max_tokens=3, metadata={"user": "x, }"}),
        {"stream": True, **body(user("a"), tools=[], system=[{"type": "text", "text": "s"}]), "top_k": 4},
        {"messages": [user("a")], "model": "m", "tools": None, "stop": ["x"]},
        {"model": "m", "input": "just a text", "instructions": "be brief", "store": False},
        {"model": "m", "input": [{"role": "user", "content": "a"}], "prompt_cache_options": {"mode": "explicit"}},
        {"model": "m", "messages": []},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_every_member_but_the_items(request_body: Json, indent: int | None) -> None:
    """In any order and spelling, what stands around tools, system prompt and messages is what was written."""
    expected = {key: held for key, held in request_body.items() if key not in ITEMS}
    assert found(json.dumps(request_body, indent=indent) + "\n") == expected


def test_a_body_in_a_string() -> None:
    """Where the body is a string that holds JSON, too."""
    inner = {"model": "m", "messages": [user('a "quoted" word')], "temperature": 0}
    assert found(json.dumps({"body": json.dumps(inner)}) + "\n") == {"model": "m", "temperature": 0}
