"""No command ever shows a header, a key or a bearer token of a file that holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.running import FIXTURES

if TYPE_CHECKING:
    from tests.cli.calling import Cg

SECRETS = (b"an-invented-token", b"sk-ant-api03-an-invented-key", b"invented-cookie", b"NOT-A-KEY", b"NOT-A-TOKEN")
HOLDERS = (
    *("claude-trace/odd.jsonl", "ugly/answers.jsonl", "har/proxy.har", "llm-proxy/session.jsonl"),
    *("amplifier/raw.jsonl", "lunaroute/session.jsonl", "vcr/vcrpy.yaml"),
)
COMMANDS = (
    ("inspect",),
    ("inspect", "--json"),
    ("check",),
    ("check", "--json"),
    ("check", "--sarif", "-"),
    ("check", "--junit", "-"),
    ("check", "--github"),
    ("diff-modes",),
    ("diff-modes", "--every", "--json"),
    ("diff-modes", "--show", "fork"),
    ("compact", "--policy", "summarize", "--dry-run"),
    ("compact", "--policy", "agent", "--dry-run", "--json"),
    ("convert", "--dry-run"),
    ("convert", "--dry-run", "--json"),
    ("convert", "-o", "requests.jsonl"),
    ("convert", "--to", "capture", "-o", "capture.jsonl"),
    ("convert", "-o", "-"),
    ("convert", "--to", "nothing"),
    ("replay", "--policy", "agent@ignore,standalone", "--turns"),
    ("replay", "--policy", "agent@ignore,standalone", "--json"),
    ("replay", "--policy", "agent@ignore,standalone", "--html", "page.html"),
    ("scrub", "--dry-run"),
    ("scrub", "--json", "--dry-run"),
    ("scrub", "-o", "scrubbed"),
)


@pytest.mark.parametrize("name", HOLDERS)
def test_no_command_shows_a_key_of_a_capture(cg: Cg, name: str) -> None:
    """Neither a report, an error, nor a converted request has what stood in headers; nor has any file."""
    content = (FIXTURES / name).read_bytes()
    assert any(secret in content for secret in SECRETS)
    source = cg.write(name.replace("/", "-"), content)
    for command, *options in COMMANDS:
        assert cg(command, source, *options) != 1
        assert [secret for secret in SECRETS if secret in cg.out + cg.err] == []
    written = [path for path in cg.folder.rglob("*") if path.is_file() and path.name != source]
    assert {path.name for path in written} >= {"requests.jsonl", "capture.jsonl", "page.html"}
    # Of a cookie, `cg scrub` leaves the name.
    told = {path.name: path.read_bytes().replace(b"invented-cookie=", b"") for path in written}
    assert [name for name, content in told.items() if any(secret in content for secret in SECRETS)] == []
