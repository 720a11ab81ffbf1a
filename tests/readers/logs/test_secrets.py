"""Headers, keys and tokens of a log never get any further than its reader."""

from __future__ import annotations

import re

import pytest

from cgcli.readers import open_bytes, read
from tests.running import FIXTURES

SECRETS = (
    "sk-ant-api03-an-invented-key",
    "an-invented-token",
    "invented-cookie",
    "invented-query-key",
    "invented-hash",
    "extra_headers",
    "api_key",
    "authorization",
)
"""What the fixtures have in headers, in URLs, and among parameters; and where it stood."""
FOLDERS = (
    *("amplifier", "amplifier-transcript", "claude-trace-html", "har", "headroom", "langfuse", "lhar", "litellm"),
    *("llm-interceptor", "llm-proxy", "lunaroute", "stored-responses", "vcr", "vcr-json"),
)
WITHOUT = {"amplifier/silent.jsonl"}
FILES = sorted(
    name
    for folder in FOLDERS
    for path in (FIXTURES / folder).iterdir()
    if (name := f"{folder}/{path.name}") not in WITHOUT
)


@pytest.mark.parametrize("name", FILES)
def test_no_secret_is_in_what_is_derived(name: str) -> None:
    """Neither in a line that stands for a request, nor in what is said of a record that is none."""
    with open_bytes(str(FIXTURES / name)) as stream:
        entries = list(read(stream, file=name))
    told = b"\n".join(
        entry.raw + (f"{entry.passed.reason} {entry.passed.detail}" if entry.passed else "").encode()
        for entry in entries
    )
    assert told
    assert [secret for secret in SECRETS if re.search(re.escape(secret).encode(), told, re.IGNORECASE)] == []


def test_the_fixtures_have_secrets() -> None:
    """So that the test above can fail: each of them stands in some file, outside of base64."""
    everything = b"".join((FIXTURES / name).read_bytes() for name in FILES).lower()
    assert [secret for secret in SECRETS if secret.encode() not in everything] == []
