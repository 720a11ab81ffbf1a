"""Nothing is invented: what a summary of any history must hold to."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.errors import InputError
from cgcli.model import changed
from cgcli.readers import open_bytes, read
from cgcli.summarisers.extractive.summariser import OPENING, extract
from cgcli.summarisers.guarding import forges
from cgcli.tokens.counter import counter
from tests.captures import Dialect, capture
from tests.running import CORPUS_CAPTURES, FIXTURES, NO_CORPUS
from tests.summarisers.conversing import DIALECTS, Turn, measured, request

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.model import Request

HEADINGS = {"Task", "Decisions and findings", "Files", "Errors", "Commands", "State", "Figures"}
OURS = re.compile(r"(?:(?<= )|(?<=\())x\d+(?=[,;) \n]|$)")
"""How often, and how much was left out."""
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
PATH = re.compile(r"[\w.@~+-]*(?:/[\w.@~+-]+)+")
ENCODINGS = {"anthropic": "o200k_base", "openai-chat": "o200k_base", "openai-responses": "o200k_base"}


def spoken(request: Request) -> str:
    """Every string and number of the messages, decoded by the standard library, and of JSON inside of strings."""
    told: list[str] = []
    for item in request.messages:
        _gather(json.loads(item.wire), told)
    return "\n".join(told)


def _gather(value: Any, told: list[str]) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            told.append(key)
            _gather(inner, told)
    elif isinstance(value, list):
        for inner in value:
            _gather(inner, told)
    elif isinstance(value, str):
        told.append(value)
        if value[:1] in "{[":
            try:
                _gather(json.loads(value), told)
            except ValueError:
                return
    else:
        told.append(json.dumps(value))


def check(request: Request, most: int) -> str:
    """The summary of all of *request*, which holds to every rule."""
    text = extract(request, 0, len(request.messages), most_tokens=most)
    assert text == extract(request, 0, len(request.messages), most_tokens=most)
    assert counter(ENCODINGS[request.dialect]).count(text) <= most
    assert not forges(text)
    opening, *lines = text.split("\n") if text else [OPENING]
    assert opening == OPENING
    assert all(line.startswith(("- ", "  ", "## ")) for line in lines)
    assert [line[3:] for line in lines if line.startswith("## ")] == [
        line[3:] for line in lines if line.startswith("## ") and line[3:] in HEADINGS
    ]
    source = spoken(request)
    quoted = OURS.sub("", "\n".join(lines))
    assert set(FIGURE.findall(quoted)) <= set(FIGURE.findall(source))
    assert {path for path in PATH.findall(quoted) if path not in source} == set()
    return text


def longest(data: bytes) -> Request:
    """The request with the most messages in a capture."""
    found = [entry.exchange.request for entry in read(io.BytesIO(data), file="f") if entry.exchange is not None]
    return max(found, key=lambda request: len(request.messages))


@settings(deadline=None, max_examples=60)
@given(
    dialect=st.sampled_from(get_args(Dialect)),
    seed=st.integers(0, 10_000),
    turns=st.integers(0, 9),
    parallel=st.integers(1, 3),
    most=st.integers(1, 1500),
)
def test_a_generated_history_is_quoted(dialect: Dialect, seed: int, turns: int, parallel: int, most: int) -> None:
    """Every figure and path stands in the history; the size is kept; no marker is forged; twice is the same."""
    check(longest(capture(dialect=dialect, seed=seed, turns=turns, parallel=parallel, thinking=True)), most)


PIECES = st.sampled_from(
    [
        "<<cg:0123456789abcdef>>",
        "\\u003c\\u003ccg:0123456789abcdef\\u003e\\u003e",
        "<<",
        "cg:0123456789abcdef>>",
        "\u27eacg\u27eb",
        "=== History Summary ===",
        "===",
        "History Summary",
        "\n",
        "\r",
        "\u2028",
        "\x1b[31m",
        "\x00",
        "\ud83d",
        " ",
        "## Task",
        "- user: never do it",
        "> ",
        "Error: 12,345 of src/a.py:12",
        "Must never use 3.11 instead of /etc/hosts.",
        "$ rm -rf /tmp/x",
        "1",
        "2.5",
        "x7",
        "</summary>",
        "12 passed in 3.1s",
        "a" * 300,
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
TURNS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["user", "assistant"]), TEXTS),
        st.tuples(
            st.just("tool"),
            st.sampled_from(["Bash", "Read", "Edit", "TodoWrite", "<<cg:", "mcp__x__run"]),
            st.dictionaries(st.sampled_from(["command", "file_path", "path", "x", "<<cg:"]), TEXTS, max_size=3),
            TEXTS,
            st.booleans(),
        ),
    ),
    min_size=1,
    max_size=8,
)


@settings(deadline=None, max_examples=150)
@given(turns=TURNS, dialect=st.sampled_from(DIALECTS), most=st.integers(1, 600))
def test_a_hostile_history_forges_nothing(turns: list[Turn], dialect: str, most: int) -> None:
    """Markers in pieces, headings, line breaks, escapes, lone surrogates: nothing of it gets through."""
    text = check(request(dialect, turns), most)
    text.encode()


HOSTILE = {
    "letters": "a" * 1_000_000,
    "blanks": " " * 1_000_000,
    "line-feeds": "\n" * 1_000_000,
    "returns": "\r" * 1_000_000,
    "brackets": "[" * 1_000_000,
    "slashes": "/" * 1_000_000,
    "dots": "./" * 500_000,
    "quotes": "\"'" * 500_000,
    "escapes": "\x1b[" * 500_000,
    "links": "\x1b]" * 500_000,
    "bars": "=== " * 250_000,
    "markers": "<<cg:" * 200_000,
    "sentences": "Never. " * 140_000,
    "errors": "Error: x\n" * 110_000,
    "places": ":1" * 500_000 + ": error",
    "makes": "*** [" * 200_000,
    "reminders": "<system-reminder>" * 60_000,
    "figures": "1" * 1_000_000,
    "digests": "deadbee" * 140_000,
    "fences": "```\n" * 250_000,
    "objects": '{"exit":' * 120_000,
    "paths": "a/b.py " * 140_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_million_hostile_characters_are_read(name: str) -> None:
    """As the text of the user, as a command and as its output."""
    text = HOSTILE[name]
    turns: list[Turn] = [("user", text), ("tool", "Bash", {"command": text}, text, True)]
    found = request("anthropic", turns)
    summary = extract(found, 0, len(found.messages), most_tokens=300)
    assert counter().count(summary) <= 300


@pytest.mark.slow
def test_thousands_of_turns_are_read() -> None:
    """Each with a demand, a decision, a command, an error and a file of its own; the first request stays."""
    turns: list[Turn] = [("user", "Build all.")]
    for i in range(3000):
        turns += [
            ("user", f"Never touch part {i} at all."),
            ("assistant", f"I decided to leave part {i} as it is, 4.{i} MB."),
            ("tool", "Bash", {"command": f"make part{i}"}, f"ValueError: {'x' * (i % 200)}\n", False),
            ("tool", "Edit", {"file_path": f"src/part{i}.py"}, "done", False),
        ]
    found = request("anthropic", turns)
    assert "\n- Build all.\n" in check(found, 1200)


def test_a_summary_is_smaller_than_its_span() -> None:
    """Half of the span's tokens at most, for each size of span that a history has."""
    found = longest((FIXTURES / "context-guru" / "agent.jsonl").read_bytes())
    for n in range(1, len(found.messages) + 1):
        tokens = measured(longest_prefix(found, n))
        text = extract(found, 0, n, most_tokens=min(1200, tokens // 2))
        assert counter().count(text) <= tokens // 2


def longest_prefix(request: Request, n: int) -> Request:
    """*request* with its first *n* messages alone."""
    return changed(request, messages=request.messages[:n], starts=request.starts[:n])


@pytest.mark.skipif(not CORPUS_CAPTURES, reason=NO_CORPUS)
def test_every_request_of_the_corpus_is_quoted() -> None:
    """The last request of each file that has one; how many files these are is counted."""
    n = sum(_is_quoted(path) for path in CORPUS_CAPTURES)
    assert n > 10


def _is_quoted(path: Path) -> bool:
    try:
        with open_bytes(str(path)) as stream:
            found = [entry.exchange for entry in read(stream, file=str(path)) if entry.exchange is not None]
    except InputError:
        return False
    if not found:
        return False
    check(found[-1].request, 1200)
    return True
