"""G-SYSTEM."""

from __future__ import annotations

import pytest

from cgcli.checks.base import Verdict
from tests.checks.gated import Json, body, failures, fixture, forgotten, lines, result, said, turn, user

GO = user("Go.")


@pytest.mark.parametrize(
    ("name", "verdict", "n_checked", "reason"),
    [
        ("failing", Verdict.FAIL, 3, None),
        ("passing", Verdict.PASS, 2, None),
        ("vacuous", Verdict.VACUOUS, 0, "no request with a system prompt follows another one of its conversation"),
        ("chat", Verdict.FAIL, 2, None),
        ("responses", Verdict.FAIL, 2, None),
    ],
)
def test_fixtures(name: str, verdict: Verdict, n_checked: int, reason: str | None) -> None:
    """Each fixture gets the verdict that it is named after."""
    found = result(fixture("G-SYSTEM", name), "system")
    assert (found.verdict, found.checked, found.reason) == (verdict, n_checked, reason)


@pytest.mark.parametrize(
    ("name", "line", "path", "old", "new"),
    [
        ("failing", 2, "system.1.text", b"14:05", b"14:06"),
        ("failing", 4, "system.1.text", b"14:06", b"14:31"),
        ("chat", 2, "messages.0.content", b"14:05", b"14:06"),
        ("responses", 3, "instructions", b"14:05", b"14:06"),
    ],
)
def test_a_time_of_day_is_found(name: str, line: int, path: str, old: bytes, new: bytes) -> None:
    """Where each dialect has its system prompt: path, first byte that differs, and the likely culprit."""
    source = fixture("G-SYSTEM", name)
    (finding,) = (one for one in failures(result(source, "system")) if one.line == line)
    same = next(i for i in range(len(new)) if old[i] != new[i])
    assert (finding.path, finding.byte) == (path, source.read_bytes().splitlines()[line - 1].index(new) + same)
    assert (finding.kind, finding.change, finding.culprit) == ("system_changed", "edited", "a time")
    assert finding.message == f"system_changed (edited) at {path}"
    assert finding.cost is not None


def test_a_block_more_a_block_less() -> None:
    """A block that came or went is named by its number."""
    one, two = [{"type": "text", "text": "One."}], [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]
    made = lines(
        [
            body(GO, *turn(1), system=one),
            body(GO, *turn(1), *turn(2), system=two),
            body(GO, *turn(1), *turn(2), *turn(3), system=one),
        ]
    )
    found = failures(result(made, "system"))
    assert [(finding.line, finding.path, finding.change) for finding in found] == [
        (2, "system.1", "inserted"),
        (3, "system.1", "removed"),
    ]


def test_a_change_of_the_tools_is_no_change_of_the_system_prompt() -> None:
    """Other tools break the cache before it, and are another gate's."""
    made = lines([body(GO, *turn(1)), body(GO, *turn(1), *turn(2), tools=None)])
    assert result(made, "system").verdict is Verdict.PASS


def test_a_system_message_behind_the_task_is_no_part_of_the_prompt() -> None:
    """A system message that is appended later adds to the conversation; one that joins the first ones changes it."""
    prompt: Json = {"role": "system", "content": "You are an agent."}
    late: Json = {"role": "system", "content": "Be brief."}
    head = {"system": None, "tools": None, "model": "gpt-4.1"}
    later = lines([body(prompt, GO, said("Yes."), **head), body(prompt, GO, said("Yes."), late, GO, **head)])
    assert result(later, "system").verdict is Verdict.PASS
    joined = lines([body(prompt, GO, said("Yes."), **head), body(prompt, late, GO, said("Yes."), GO, **head)])
    assert [(one.path, one.change) for one in failures(result(joined, "system"))] == [("messages.1", "inserted")]


def test_a_prompt_that_is_not_recorded_is_unknown() -> None:
    """A history without its system prompt passes nothing."""
    made = lines([body(GO, *turn(1)), body(GO, *turn(1), *turn(2))])
    found = forgotten(made, "system", forgets=("system",))
    assert (found.verdict, found.reason) == (Verdict.UNKNOWN, "the file does not record a system prompt")
    assert forgotten(made, "system", forgets=("tools",)).verdict is Verdict.PASS
