"""A text that was made to be slow is not: each takes seconds at most, where a quadratic search takes hours."""

from __future__ import annotations

import json
import time

import pytest

from tests.scrub.scrubbed import PEM_HEAD, run

LENGTH = 100_000
MOST_S = 15.0
UNITS = [
    "eyJ",
    "eyJabcdefgh.",
    "://a",
    "://a:b",
    "password=",
    "token=a",
    "api_key=abcd1234efgh ",
    "sk-",
    "sk-.",
    "cookie:",
    "cookie: a=b; ",
    "authorization: bearer ",
    "@",
    "a@b.",
    "@a.a.a",
    "/home/",
    "~abc/",
    "\\",
    '\\"',
    '"',
    '{"a":',
    "W3s",
    " ",
    "a",
    PEM_HEAD,
]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("in_string", [True, False])
def test_repeated_beginnings(unit: str, *, in_string: bool) -> None:
    """Many beginnings of what is looked for, none of which comes to an end."""
    content = unit * (LENGTH // len(unit))
    data = (json.dumps({"a": content}) if in_string else content).encode()
    began = time.process_time()
    run(data)
    assert time.process_time() - began < MOST_S
