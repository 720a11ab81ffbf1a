"""What a person reads of a replay: remarks, what is in no figure, and hostile text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.report.replay.bars import bar
from cgcli.report.replay.bars import lines as bars
from cgcli.report.replay.remarks import times
from cgcli.report.replay.text import lines
from tests.replay.paired.lanes import body, conversation, growing, planned
from tests.replay.paired.lanes import lines as saved
from tests.report.replay.told import report
from tests.running import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterable

HOSTILE = "\x1b[2J\u202e\x9b[red]</script>"
SHOWN = "\\x1b[2J\\u202e\\x9b[red]</script>"
DEMO = FIXTURES / "context-guru" / "agent.jsonl"


def starting(told: Iterable[str], *beginnings: str) -> list[str]:
    """Those lines that begin so."""
    return [line for line in told if line.startswith(beginnings)]


def test_what_is_said_of_several_policies_is_said_once() -> None:
    """Policies that regret the same stand together before it, those of which nothing is to be said do not."""
    done = report(
        DEMO, planned("codesafe"), planned("general"), planned("mask"), labels=("codesafe", "general", "mask")
    )
    told = list(lines(done))

    assert [line.split(": ")[0] for line in starting(told, "codesafe")[2:]] == ["codesafe, general"] * 2
    (idle,) = starting(told, "mask never")
    assert idle.startswith("mask never fired: prefix_held (13 times): the provider holds that prefix: `--held ignore`")


@pytest.mark.parametrize(
    ("name", "params", "why"),
    [
        ("clear-tool-uses", {}, "below_trigger (3 times)"),
        ("mask", {}, "recent (3 times)"),
        ("cachesplit", {}, "no_volatile_tail (4 times)"),
        (
            "summarize",
            {"summarize": {"budget_tokens": 90_000}},
            "a summary is asked for from 54,000 tokens on, and no request has more than ",
        ),
    ],
)
def test_who_never_fired_says_why(name: str, params: dict[str, dict[str, int]], why: str) -> None:
    """The most frequent reason, with how often."""
    done = report(saved(growing(conversation(3))), planned(name, "ignore", **params), labels=(name,))

    (line,) = starting(lines(done), f"{name} never fired")
    assert line.startswith(f"{name} never fired: {why}")


def test_without_tool_outputs_that_is_the_reason() -> None:
    """And not that of a step for the head of a request, which says nothing about outputs."""
    talk = [{"role": "user", "content": [{"type": "text", "text": "count the boats"}]}]
    done = report(saved([body(talk)]), planned("mask", "ignore"), labels=("mask",))

    assert starting(lines(done), "mask never") == ["mask never fired: there is no tool output in the file"]


def test_a_fork_that_cannot_be_says_how_it_was_asked() -> None:
    """A history has no tools, so nothing shares its prefix: the calls are of another kind, and the reason follows."""
    plan = planned("summarize", summarize={"call": "fork", "budget_tokens": 9000})
    done = report(_history(14), plan, labels=("fork",))
    n = len(done["files"][0]["arms"][1]["own_calls"])

    assert n > 1
    assert starting(lines(done), "fork: ")[-2:] == [
        f"fork: {n} of {n} calls asked as standalone",
        "fork: the file does not say which tools were sent, and they come first in the prefix",
    ]


def _history(n_turns: int) -> bytes:
    """A session as Claude Code keeps it."""
    out = []
    for i, said in enumerate(conversation(n_turns)):
        message = {**said, "model": "claude-opus-4-8", "id": f"msg_{i}"} if said["role"] == "assistant" else said
        before = f"u{i - 1}" if i else None
        told = {"type": said["role"], "uuid": f"u{i}", "parentUuid": before, "sessionId": "s", "message": message}
        out.append(json.dumps(told).encode() + b"\n")
    return b"".join(out)


def test_a_fork_that_can_be_is_not_told_of() -> None:
    """The calls about the demo's main lane have the shape that was asked for."""
    plan = planned("summarize", summarize={"call": "fork", "budget_tokens": 9000})
    done = report(DEMO, plan, labels=("fork",))

    assert {one["mode"] for one in done["files"][0]["arms"][1]["own_calls"]} == {"fork"}
    assert [line for line in lines(done) if " asked as " in line] == []


def test_hostile_texts_are_shown_and_not_obeyed() -> None:
    """Of model, tool output, file and policy name: no control character reaches the terminal, no markup is read."""
    texts = [f"{HOSTILE} {i} " + "the boat lies at the pier " * 200 for i in range(9)]
    texts[8] = texts[0]
    model = f"claude-opus-4-8{HOSTILE}"
    done = report(
        saved(growing(conversation(9, texts), model=model)),
        planned("mask", "ignore"),
        labels=(f"mask{HOSTILE}",),
    )
    done["files"][0]["file"] = f"{HOSTILE}.jsonl"
    told = [*lines(done), *bars(done)]

    assert not {sign for line in told for sign in line if ord(sign) < 0x20 or sign in "\x9b\u202e"}
    assert told[0].startswith(f"{SHOWN}.jsonl: ")
    assert any(f"claude-opus-4-8{SHOWN}" in line for line in told)
    assert any(line.startswith(f"mask{SHOWN}") for line in told)
    assert json.loads(json.dumps(done)) == done


def test_a_bar_is_as_long_as_its_request() -> None:
    """Thirty-two characters for the longest; the parts are never longer than the whole."""
    turn = {"input_tokens": 500, "read_tokens": 250, "write_tokens": 125, "fresh_tokens": 125}

    assert bar(turn, 1000) == "========++++####"
    assert bar({**turn, "read_tokens": None}, 1000) == "?" * 16
    assert bar({**turn, "input_tokens": 0, "read_tokens": 0, "write_tokens": 0, "fresh_tokens": 0}, 0) == ""


def test_how_often() -> None:
    """A word for one, a number for more."""
    assert [times(n) for n in (1, 2, 1200)] == ["once", "2 times", "1,200 times"]
