"""G-THINKING."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.checks.base import Verdict
from tests.checks.gated import BASH, Json, body, failures, fixture, forgotten, lines, notes, result, user

GATE = "G-THINKING"
BINDING = "claude-opus-5-5"
OTHER = "claude-sonnet-4-5"


def thought(n: int, words: str | None = None) -> Json:
    """Signed thinking."""
    return {"type": "thinking", "thinking": words or f"thought {n}", "signature": f"sig{n}"}


def turn(n: int, *, output: str = "ok", thinks: bool = True, block: Json | None = None) -> list[Json]:
    """A thought, a call, and its output."""
    call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"n": n}}
    done = {"type": "tool_result", "tool_use_id": f"t{n}", "content": output}
    first = [block or thought(n)] if thinks else []
    return [{"role": "assistant", "content": [*first, call]}, {"role": "user", "content": [done]}]


def talk(*turns: list[Json]) -> list[Json]:
    """A task and its turns."""
    return [user("Find it."), *(message for one in turns for message in one)]


def found(*histories: list[Json], model: str = BINDING, **fields: Any) -> list[tuple[int, str | None, str | None]]:
    """(line, kind, path) of each failure, over requests with these histories."""
    bodies = [body(*messages, model=model, **fields) for messages in histories]
    return [(one.line, one.kind, one.path) for one in failures(result(lines(bodies), GATE))]


def test_the_failing_fixture() -> None:
    """A shortened result before kept thinking, and other words under a known signature."""
    data = fixture(GATE, "failing")
    got = result(data, GATE)
    assert (got.verdict, got.checked, got.unit) == (Verdict.FAIL, 2, "signed thinking blocks")
    assert [(one.line, one.kind, one.path) for one in got.findings] == [
        (2, "bound_prefix_edited", "messages.2"),
        (4, "thinking_changed", "messages.3.content.0"),
    ]
    _, second, _, fourth = data.read_bytes().splitlines()
    assert [one.byte for one in got.findings] == [
        second.index(b'{"role":"user","content":[{"type":"tool_result"'),
        fourth.index(b'{"type":"thinking","thinking":"Then at the third."'),
    ]


def test_the_passing_and_the_vacuous_fixture() -> None:
    """Growing and then dropping all thinking is allowed; without thinking there is nothing to check."""
    passing, vacuous = (result(fixture(GATE, name), GATE) for name in ("passing", "vacuous"))
    assert (passing.verdict, passing.checked, passing.findings) == (Verdict.PASS, 2, ())
    assert (vacuous.verdict, vacuous.checked) == (Verdict.VACUOUS, 0)
    assert vacuous.reason == "no signed thinking is sent a second time"


WHOLE = talk(turn(1, output="long " * 50), turn(2), turn(3))


@pytest.mark.parametrize(
    "edited",
    [
        [*WHOLE, user("go on")],
        talk(turn(1, output="long " * 50, thinks=False), turn(2), turn(3)),
        talk(turn(1, output="long " * 50), turn(2), turn(3, thinks=False)),
        talk(*[turn(n, output="long " * 50 if n == 1 else "ok", thinks=False) for n in (1, 2, 3)]),
        talk(turn(1, output="(left out)", thinks=False), turn(2, thinks=False), turn(3, thinks=False)),
    ],
)
def test_what_is_allowed_on_a_model_that_binds(edited: list[Json]) -> None:
    """To append; to drop thinking from the start, from the end, or all of it, then with an edit too."""
    assert found(WHOLE, edited) == []


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (talk(turn(1, output="(left out)"), turn(2), turn(3)), [(2, "bound_prefix_edited", "messages.2")]),
        ([user("Find all."), *WHOLE[1:]], [(2, "bound_prefix_edited", "messages.0")]),
        ([*WHOLE[:3], user("a hint"), *WHOLE[3:]], [(2, "bound_prefix_edited", "messages.3")]),
        (talk(turn(1, output="long " * 50), turn(3)), [(2, "bound_prefix_edited", "messages.3")]),
        (
            talk(turn(1, output="long " * 50), turn(2, thinks=False), turn(3)),
            [(2, "dropped_from_middle", "messages.3")],
        ),
        (
            talk(turn(1, output="(left out)", thinks=False), turn(2), turn(3)),
            [(2, "bound_prefix_edited", "messages.2")],
        ),
        (talk(turn(1, output="long " * 50), turn(2), turn(3, output="(left out)")), []),
    ],
)
def test_what_is_refused_on_a_model_that_binds(edited: list[Json], expected: list[tuple[int, str, str]]) -> None:
    """An output, a user's text, an added message or a turn that is cut out before thinking that is kept."""
    assert found(WHOLE, edited) == expected
    assert found(WHOLE, edited, model=OTHER) == []


def test_the_answer_to_the_request_before_is_bound_too() -> None:
    """Thinking that is first seen behind the edit was thought over the request before, as it was."""
    shorter = talk(turn(1, output="(left out)", thinks=False), turn(2, thinks=False))
    assert found(WHOLE[:5], [*shorter, *WHOLE[5:]]) == [(2, "bound_prefix_edited", "messages.2")]


def test_a_moved_mark_and_another_parameter_bind_nothing() -> None:
    """`cache_control` and `max_tokens` are no part of what thinking is bound to."""
    last = [{**block, "cache_control": {"type": "ephemeral"}} for block in WHOLE[-1]["content"]]
    moved = [*WHOLE[:-1], {**WHOLE[-1], "content": last}]
    bodies = [body(*WHOLE, model=BINDING), body(*moved, model=BINDING, max_tokens=99, tool_choice={"type": "any"})]
    assert result(lines(bodies), GATE).findings == ()


def test_tools_and_system_are_bound() -> None:
    """A changed system prompt or tool is refused; a tool that is loaded later is not."""
    more = [*WHOLE, user("go on")]
    later = {"name": "Late", "description": "x", "input_schema": {"type": "object"}, "defer_loading": True}
    for fields, expected in (
        ({"system": "You are another agent."}, [(2, "bound_prefix_edited", "system.0")]),
        ({"tools": [{**BASH, "description": "Else."}]}, [(2, "bound_prefix_edited", "tools.0.description")]),
        ({"tools": [BASH, later]}, []),
    ):
        bodies = [body(*WHOLE, model=BINDING), body(*more, model=BINDING, **fields)]
        assert [(one.line, one.kind, one.path) for one in failures(result(lines(bodies), GATE))] == expected


def test_kept_thinking_behind_a_summary_of_our_own() -> None:
    """A new conversation that begins with a summary and keeps old thinking: bound to what is gone."""
    assert found(WHOLE, [user("Summary: nothing yet."), *WHOLE[3:]]) == [(2, "bound_prefix_edited", "messages.0")]


def test_compaction_by_the_server_keeps_thinking_valid() -> None:
    """Behind a compaction block, kept turns stay as they were."""
    block = {"role": "assistant", "content": [{"type": "compaction", "content": "So far.", "signature": "c"}]}
    assert found(WHOLE, [block, *WHOLE[3:]]) == []


def test_blocks_that_are_dropped_instead_are_a_note() -> None:
    """Where the request asks the server to drop what does not match, nothing is refused."""
    thinking = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    edited = talk(turn(1, output="(left out)"), turn(2), turn(3))
    bodies = [body(*messages, model=BINDING, thinking=thinking) for messages in (WHOLE, edited)]
    got = result(lines(bodies), GATE)
    assert (got.verdict, [one.kind for one in notes(got)]) == (Verdict.PASS, ["bound_prefix_edited"])


@pytest.mark.parametrize("model", [BINDING, OTHER])
@pytest.mark.parametrize(
    ("block", "kind"),
    [
        (thought(2, "other words"), "thinking_changed"),
        ({**thought(2), "signature": "other"}, "signature_changed"),
        ({"type": "thinking", "thinking": "thought 2", "signature": ""}, "signature_removed"),
    ],
)
def test_changed_thinking_is_refused_by_every_model(block: Json, kind: str, model: str) -> None:
    """Other words under the signature, another signature on the words, or none."""
    edited = talk(turn(1, output="long " * 50), turn(2, block=block), turn(3))
    assert (2, kind, "messages.3.content.0") in found(WHOLE, edited, model=model)


def test_one_signature_over_several_thoughts_is_no_providers() -> None:
    """Where a scrubber put the same word for each signature, nothing is known by it; a lone changed thought is."""
    scrubbed = [turn(n, block={**thought(n), "signature": "REDACTED"}) for n in range(1, 4)]
    assert found(talk(scrubbed[0]), talk(*scrubbed[:2]), talk(*scrubbed), model=OTHER) == []
    other = turn(1, block=thought(1, "otherwise"))
    assert found(talk(turn(1)), talk(other, turn(2)), model=OTHER) == [(2, "thinking_changed", "messages.1.content.0")]


def test_redacted_thinking_is_known_by_its_data() -> None:
    """Sealed data that changed in place is found; a regenerated answer with other calls is none."""
    was, now = ({"type": "redacted_thinking", "data": data} for data in ("sealedA", "sealedB"))
    assert found(talk(turn(1, block=was)), talk(turn(1, block=now)), model=OTHER) == [
        (2, "signature_changed", "messages.1.content.0")
    ]
    assert found(talk(turn(1, block=was)), talk(turn(7, block=now)), model=OTHER) == []


def test_reasoning_items_of_responses() -> None:
    """An item with the same id and other sealed content has changed."""
    asked = {"role": "user", "content": "a"}
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "AAAA"}
    answer = {"role": "assistant", "content": "b"}
    bodies = [
        {"model": "gpt-5", "input": [asked, reasoning, answer]},
        {"model": "gpt-5", "input": [asked, {**reasoning, "encrypted_content": "BBBB"}, answer, asked]},
    ]
    got = failures(result(lines(bodies), GATE))
    assert [(one.line, one.kind, one.path) for one in got] == [(2, "thinking_changed", "messages.1")]


def test_a_file_without_tools_and_system_is_unknown_where_they_are_bound() -> None:
    """A change in them would not be seen; on a model that binds nothing they do not matter."""
    for model, verdict in ((BINDING, Verdict.UNKNOWN), (OTHER, Verdict.PASS)):
        data = lines([body(*WHOLE, model=model), body(*WHOLE, user("go on"), model=model)])
        assert forgotten(data, GATE, forgets=("tools", "system")).verdict is verdict


def test_an_edit_that_stays_is_told_once() -> None:
    """The requests behind the edited one go on from it."""
    edited = talk(turn(1, output="(left out)"), turn(2), turn(3))
    assert found(WHOLE, edited, [*edited, user("go on")]) == [(2, "bound_prefix_edited", "messages.2")]
