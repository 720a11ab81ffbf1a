"""claude-trace's HTML report: the pairs in its base64, also where that is cut."""

from __future__ import annotations

import base64
import json

import pytest

from tests.readers.histories.rebuilding import Json, answer, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

HTML = FIXTURES / "claude-trace-html"
PAIR: Json = {
    "request": {
        "timestamp": 5,
        "method": "POST",
        "url": "https://h/v1/messages",
        "body": {"model": "m", "messages": [{"role": "user", "content": "é"}]},
    },
    "response": None,
}


def _page(spelled: str, *, end: str = "'));</script></html>") -> bytes:
    head = "<!doctype html>\n<title>claude-traffic</title>\n<script>window.claudeData = JSON.parse(atob('"
    return f"{head}{spelled}{end}".encode()


def _spelled(pairs: list[Json], encoding: str = "utf-8") -> str:
    return base64.b64encode(json.dumps({"rawPairs": pairs}, ensure_ascii=False).encode(encoding)).decode()


@pytest.mark.parametrize("name", ["atob", "base64-to-utf8", "escape"])
def test_each_wrapper_is_opened(name: str) -> None:
    """The three say the same: three requests of one lane, in Latin-1 or UTF-8, with times, usage and answers."""
    found = of_path(HTML / f"{name}.html")
    assert (found.capture.format_name, found.lines, found.lanes()) == ("claude-trace-html", [8, 8, 8], [[[1, 2, 3]]])
    assert found.bodies[0]["messages"][0]["content"] == "Is crane 7 free? Größe: 12 m."
    assert found.billed == [(10 + n, 100 * n, {300: 40}, 9) for n in range(3)]
    said = [answer(exchange) for exchange in found.exchanges]
    assert [one["content"][0]["id"] for one in said if one] == ["toolu_0", "toolu_1", "toolu_2"]
    assert next((one.sent_s, one.answered_s) for one in found.exchanges) == (1_772_438_400.5, 1_772_438_402.5)


def test_cut_base64_gives_the_pairs_that_are_whole() -> None:
    """Two of three; that it is cut is said, with how much there is."""
    found = of_path(HTML / "cut.html")
    assert [len(body["messages"]) for body in found.bodies] == [1, 3]
    assert found.billed == [(10, 0, {300: 40}, 9), (11, 100, {300: 40}, 9)]
    ((line, passed),) = found.passed
    assert (line, passed.reason, passed.usable) == (8, "cut", False)
    assert passed.detail == "the base64 ends after 5,035 characters; whole pairs before that: 2"


@pytest.mark.parametrize("n_lost", range(1, 9))
def test_wherever_it_is_cut_the_pair_before_is_found(n_lost: int) -> None:
    """Characters at the end that make no whole byte, and half of a letter, are left out."""
    spelled = _spelled([PAIR, PAIR])
    found = rebuilt(_page(spelled[:-n_lost], end=""))
    assert [body["messages"][0]["content"] for body in found.bodies] == ["é"] * len(found.bodies)
    assert len(found.bodies) == (2 if n_lost < 6 else 1)


def test_a_page_without_data_is_no_request() -> None:
    """It names claude-trace and has no `window.claudeData`."""
    found = rebuilt(b"<!DOCTYPE html><title>claude-traffic-0</title>")
    assert [(line, passed.reason) for line, passed in found.passed] == [(1, "no_body")]


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        ({"request": {"url": "https://h/v1/messages/count_tokens"}}, "not_a_messages_call"),
        ({"request": {"url": "https://h/v1/messages"}}, "no_body"),
        ({"request": {"url": "https://h/v1/messages", "body": "none"}}, "not_json"),
        ({"request": 7}, "no_request"),
        ({}, "no_request"),
    ],
)
def test_an_odd_pair_spoils_no_other(pair: Json, reason: str) -> None:
    """As in the log itself."""
    found = rebuilt(_page(_spelled([pair, PAIR])))
    assert (len(found.bodies), [passed.reason for _, passed in found.passed]) == (1, [reason])


def test_other_pages_are_not_taken() -> None:
    """HTML that does not name claude-trace is no JSON."""
    with pytest.raises(Exception, match="not JSON"):
        rebuilt(b"<!DOCTYPE html><title>harbour</title>")


def test_damaged_pages_are_read_or_reported() -> None:
    """Never another error."""
    files = [f"claude-trace-html/{name}.html" for name in ("atob", "base64-to-utf8", "escape", "cut")]
    survives("claude-trace-html", files, ("window.claudeData", "rawPairs", "request"))
