"""G-TOOLS."""

from __future__ import annotations

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.run import Allowed
from cgcli.tokens import counter
from tests.checks.gated import Json, body, failures, fixture, forgotten, lines, result, turn, user

GO = user("Go.")
READ: Json = {"name": "Read", "description": "Reads.", "input_schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("name", "verdict", "n_checked", "reason"),
    [
        ("failing", Verdict.FAIL, 4, None),
        ("passing", Verdict.PASS, 2, None),
        ("vacuous", Verdict.VACUOUS, 0, "no request with tools follows another one of its conversation"),
        ("sessions", Verdict.FAIL, 3, None),
    ],
)
def test_fixtures(name: str, verdict: Verdict, n_checked: int, reason: str | None) -> None:
    """Each fixture gets the verdict that it is named after."""
    found = result(fixture("G-TOOLS", name), "tools")
    assert (found.verdict, found.checked, found.reason) == (verdict, n_checked, reason)


def test_what_changed_is_named() -> None:
    """The tools by name, the field, how, and the likely culprit; bytes are those of the lines."""
    path = fixture("G-TOOLS", "failing")
    text = path.read_bytes().splitlines()
    found = failures(result(path, "tools"))
    assert [(finding.line, finding.message, finding.culprit) for finding in found] == [
        (2, "tools_changed: edited Bash (description: edited)", "a date"),
        (
            3,
            "tools_changed: edited Read (input_schema.properties.limit: key order, it means the same)",
            "a reordered map",
        ),
        (4, "tools_changed: removed Bash; added Grep", None),
        (5, "tools_changed: the same tools in another order", "a reordered list"),
    ]
    assert [(finding.path, finding.change) for finding in found] == [
        ("tools.1.description", "edited"),
        ("tools.0.input_schema.properties.limit", "key_order"),
        ("tools.1.name", "edited"),
        ("tools.0", "reordered"),
    ]
    assert [finding.byte for finding in found] == [
        text[1].index(b"2026-03-03") + len("2026-03-0"),
        text[2].index(b'"limit":') + len(b'"limit":'),
        text[3].index(b'"Grep"') + 1,
        text[4].index(b'"tools":[') + len(b'"tools":['),
    ]


def test_an_epoch_of_a_session_is_compared_with_the_one_before() -> None:
    """The first request of the second epoch lost a tool; it re-bills nothing that is new in it."""
    (finding,) = failures(result(fixture("G-TOOLS", "sessions"), "tools"))
    assert (finding.line, finding.message, finding.path) == (3, "tools_changed: removed Bash", "tools.1")
    assert finding.byte is None


@pytest.mark.parametrize(
    ("epochs", "verdict"), [(frozenset({3}), Verdict.PASS), (frozenset({1}), Verdict.FAIL)], ids=["third", "first"]
)
def test_an_epoch_can_be_declared(epochs: frozenset[int], verdict: Verdict) -> None:
    """Turns are counted within the lane: its second epoch begins at turn 3."""
    found = result(fixture("G-TOOLS", "sessions"), "tools", allowed=Allowed(epochs=epochs))
    assert found.verdict is verdict


def test_what_a_change_rebills_is_counted_once() -> None:
    """All from the changed tool to the last message that was sent before; only the first break of a turn has a cost."""
    model = {"model": "gpt-4.1", "system": None}
    spec = {"type": "function", "function": {"name": "sh", "parameters": {}}}
    other = {"type": "function", "function": {"name": "bash", "parameters": {}}}
    said: Json = {"role": "assistant", "content": "Done."}
    made = lines([body(GO, said, tools=[spec], **model), body(GO, said, user("More."), tools=[other], **model)])
    wire = [
        '{"type":"function","function":{"name":"bash","parameters":{}}}',
        '{"role":"user","content":"Go."}',
        '{"role":"assistant","content":"Done."}',
    ]
    counted = sum(map(counter("o200k_base").count, wire))
    (finding,) = failures(result(made, "tools"))
    assert finding.cost is not None
    assert (finding.cost.tokens, finding.cost.basis) == (counted, "counted: o200k_base")


def test_a_change_behind_another_one_costs_nothing_more() -> None:
    """A new model re-bills all, the tools too; the finding says so."""
    made = lines([body(GO, *turn(1)), body(GO, *turn(1), *turn(2), model="claude-opus-4-5", tools=[READ])])
    (finding,) = failures(result(made, "tools"))
    assert finding.cost is None
    assert finding.message == "tools_changed: removed Bash; added Read; re-billed already by model_changed at model"


def test_many_tools_are_cut_short() -> None:
    """Five names are told, and how many more there are."""
    many = [{**READ, "name": f"t{i}"} for i in range(9)]
    made = lines([body(GO, *turn(1), tools=many), body(GO, *turn(1), *turn(2), tools=[])])
    (finding,) = failures(result(made, "tools"))
    assert finding.message == "tools_changed: removed t0, t1, t2, t3, t4 and 4 more"


@pytest.mark.parametrize("is_said", [True, False], ids=["by the format", "by the request"])
def test_tools_that_are_not_recorded_are_unknown(*, is_said: bool) -> None:
    """Neither a format without tools nor a request without them passes; a change of the system prompt is no matter."""
    made = lines([body(GO, *turn(1)), body(GO, *turn(1), *turn(2))])
    found = forgotten(made, "tools", forgets=("tools",), is_said=is_said)
    assert (found.verdict, found.checked, found.reason) == (Verdict.UNKNOWN, 0, "the file does not record tools")
    assert result(made, "tools").verdict is Verdict.PASS
    assert forgotten(made, "tools", forgets=("system",)).verdict is Verdict.PASS
