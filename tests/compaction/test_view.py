"""The view of a request: calls and outputs of every dialect, and what it carries from turn to turn."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.view import View
from cgcli.readers import read
from tests.compaction.viewing import (
    DIALECTS,
    Asked,
    Call,
    Said,
    Step,
    Together,
    bash,
    body,
    edits,
    reads,
    view,
    view_of,
)
from tests.lanes.placing import request

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]


def chat(*messages: Json) -> View:
    """The view of a Chat request."""
    return view_of({"model": "gpt-5", "messages": [{"role": "user", "content": "Go."}, *messages]})


def responses(*items: Json) -> View:
    """The view of a Responses request."""
    return view_of({"model": "gpt-5", "input": [{"role": "user", "content": "Go."}, *items]})


def anthropic(*messages: Json) -> View:
    """The view of a Messages request."""
    first = {"role": "user", "content": "Go."}
    return view_of({"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "S", "messages": [first, *messages]})


def uses(*calls: tuple[str, str, Any]) -> Json:
    """An assistant's message with calls of (id, name, input)."""
    content = [{"type": "tool_use", "id": i, "name": name, "input": given} for i, name, given in calls]
    return {"role": "assistant", "content": content}


def results(*found: tuple[str, Any]) -> Json:
    """A user's message with results of (id, content)."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": c} for i, c in found]}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_calls_and_outputs_are_found_in_every_dialect(dialect: str) -> None:
    """Names, arguments, commands, paths and texts are the same, whatever the body looks like."""
    seen = view(
        Asked(text="Fix it."),
        bash("make test", "all good"),
        Together(calls=(reads("a.py", "x = 1", offset=3), edits("b.py", "done"))),
        Said(text="Fixed."),
        dialect=dialect,
    )
    assert [call.name for call in seen.calls] == ["Bash", "Read", "Edit"]
    assert [call.i_call for call in seen.calls] == [0, 1, 2]
    assert [call.pair_id for call in seen.calls] == ["call_0", "call_1", "call_2"]
    assert [call.command for call in seen.calls] == ["make test", None, None]
    assert [call.path for call in seen.calls] == [None, "a.py", "b.py"]
    assert seen.calls[1].arguments == {"file_path": "a.py", "offset": 3}
    assert [seen.text(i) for i in range(3)] == ["all good", "x = 1", "done"]
    assert [seen.tokens(i) for i in range(3)] == [8, 5, 4]
    assert [output.call.name if output.call else None for output in seen.outputs] == ["Bash", "Read", "Edit"]
    assert [(output.i_output, output.i_result) for output in seen.outputs] == [(0, 0), (1, 1), (2, 2)]
    assert not any(output.is_error for output in seen.outputs)


def test_messages_of_an_output_are_those_of_the_body() -> None:
    """An output knows its message and part; a call its message."""
    seen = view(Asked(text="Go."), Together(calls=(bash("ls", "a"), bash("pwd", "b"))), Said(text="x"))
    assert [(output.i_message, output.i_part) for output in seen.outputs] == [(2, 0), (2, 1)]
    assert [call.i_message for call in seen.calls] == [1, 1]
    assert [output.i_output for output in seen.outputs_in(2)] == [0, 1]
    assert list(seen.outputs_in(1)) == []
    assert (seen.n_messages, seen.role(1), seen.message(3).role) == (4, "assistant", "assistant")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ('{"command": "ls"}', {"command": "ls"}),
        ("{broken", "{broken"),
        ("*** Begin Patch", "*** Begin Patch"),
        ("[" * 5000, "[" * 5000),
        ("", ""),
        ("3", 3),
        ('{"a": "\\ud83d"}', {"a": "\ud83d"}),
    ],
)
def test_arguments_in_a_string_are_read_where_they_are_json(given: str, read: object) -> None:
    """Any other text stays one, and none is too deep."""
    call = {"id": "c", "type": "function", "function": {"name": "shell", "arguments": given}}
    seen = chat({"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": "x"})
    assert seen.calls[0].arguments == read


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({"command": "ls -l"}, "ls -l"),
        ({"cmd": "ls -l"}, "ls -l"),
        ({"command": ["bash", "-lc", "cd a && make"]}, "cd a && make"),
        ({"command": ["/bin/sh", "-c", "make"]}, "make"),
        ({"command": ["powershell.exe", "-NoProfile", "-Command", "dir"]}, "dir"),
        ({"command": ["git", "log", "a b"]}, "git log 'a b'"),
        ({"command": ["ls"]}, "ls"),
        ({"command": []}, ""),
        ({"commands": ["ls", "pwd"]}, "ls\npwd"),
        ({"command": 3}, None),
        ({"command": "view", "path": "/a.py"}, None),
        ({"n": 1}, None),
        ([1], None),
        ("text", None),
    ],
)
def test_command_is_what_a_shell_was_given(arguments: object, command: str | None) -> None:
    """A list of words is a line, a shell's script stands for itself, and an editor has no command line."""
    assert anthropic(uses(("c", "t", arguments))).calls[0].command == command


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"file_path": "a.py"}, "a.py"),
        ({"filePath": "a.py"}, "a.py"),
        ({"notebook_path": "a.ipynb"}, "a.ipynb"),
        ({"path": "", "filename": "b"}, "b"),
        ({"path": 3}, None),
        ("a.py", None),
    ],
)
def test_path_is_the_file_that_was_meant(arguments: object, path: str | None) -> None:
    """Under the names that agents use."""
    assert anthropic(uses(("c", "t", arguments))).calls[0].path == path


@pytest.mark.parametrize(
    ("item", "name", "arguments", "command"),
    [
        (
            {
                "type": "local_shell_call",
                "call_id": "c",
                "action": {"type": "exec", "command": ["bash", "-lc", "make"]},
            },
            "local_shell",
            {"type": "exec", "command": ["bash", "-lc", "make"]},
            "make",
        ),
        (
            {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls", "make"]}},
            "shell",
            {"commands": ["ls", "make"]},
            "ls\nmake",
        ),
        (
            {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "*** B"},
            "apply_patch",
            "*** B",
            None,
        ),
        (
            {"type": "apply_patch_call", "call_id": "c", "operation": {"type": "update_file", "path": "a.py"}},
            "apply_patch",
            {"type": "update_file", "path": "a.py"},
            None,
        ),
        ({"type": "local_shell_call", "id": "c"}, "local_shell", None, None),
    ],
)
def test_calls_of_responses_have_a_name_and_arguments(
    item: Json, name: str, arguments: object, command: str | None
) -> None:
    """What has no name of its own is called by its type."""
    output = {"type": "custom_tool_call_output", "call_id": "c", "output": "x"}
    seen = responses(item, output)
    assert (seen.calls[0].name, seen.calls[0].arguments, seen.calls[0].command) == (name, arguments, command)
    assert seen.outputs[0].call is seen.calls[0]


def test_error_is_what_the_result_says() -> None:
    """`is_error` counts where it is true, in a string result and in a list of blocks."""
    message = results(
        ("a", "no"), ("b", [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]), ("c", "x")
    )
    message["content"][0]["is_error"] = True
    message["content"][1]["is_error"] = True
    message["content"][2]["is_error"] = False
    seen = anthropic(uses(("a", "t", {}), ("b", "t", {}), ("c", "t", {})), message)
    assert [output.is_error for output in seen.outputs] == [True, True, True, False]


def test_error_in_a_text_is_no_error_of_the_result() -> None:
    """A text that quotes the field says nothing about the result."""
    seen = anthropic(uses(("a", "t", {})), results(("a", '{"is_error": true}')))
    assert [output.is_error for output in seen.outputs] == [False]


def test_result_with_several_texts_is_several_outputs_of_one_result() -> None:
    """An image between them is no output."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    blocks = [{"type": "text", "text": "one"}, image, {"type": "text", "text": "two"}]
    seen = anthropic(uses(("a", "t", {}), ("b", "t", {})), results(("a", blocks), ("b", "three")))
    assert [seen.text(i) for i in range(len(seen.outputs))] == ["one", "two", "three"]
    assert [output.i_result for output in seen.outputs] == [0, 0, 1]
    assert [output.call.pair_id if output.call else None for output in seen.outputs] == ["a", "a", "b"]


def test_output_is_paired_by_its_id_and_not_by_its_place() -> None:
    """Results in another order than their calls; one that answers nothing has no call."""
    seen = anthropic(uses(("a", "A", {}), ("b", "B", {})), results(("b", "1"), ("a", "2"), ("z", "3")))
    assert [output.call.name if output.call else None for output in seen.outputs] == ["B", "A", None]


def test_id_that_is_used_again_means_the_newest_call_before() -> None:
    """A gateway that numbers calls anew in each turn does not confuse them."""
    seen = anthropic(
        uses(("c", "First", {})), results(("c", "1")), uses(("c", "Second", {})), results(("c", "2")),
        uses(("c", "Third", {})),
    )  # fmt: skip
    assert [output.call.name if output.call else None for output in seen.outputs] == ["First", "Second"]


def test_result_before_its_call_has_none() -> None:
    """A call in a later message is not what it answers."""
    seen = anthropic(results(("c", "1")), uses(("c", "Late", {})))
    assert seen.outputs[0].call is None


def test_old_function_calls_are_paired_by_name() -> None:
    """They have no id."""
    seen = chat(
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": '{"path": "a"}'}},
        {"role": "function", "name": "look", "content": "found"},
        {"role": "function", "name": "other", "content": "lost"},
    )
    assert [output.call.path if output.call else None for output in seen.outputs] == ["a", None]


@pytest.mark.parametrize(
    ("ids", "name"), [(["c"], "t"), (["c", "d"], None), ([], None), ([3], None), ("c", None), (None, None)]
)
def test_histories_that_list_one_id_are_paired_by_it(ids: object, name: str | None) -> None:
    """SWE-agent saves `tool_call_ids`; more than one leaves it open which is meant."""
    call = {"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    answer = {"role": "tool", "content": "x", "tool_call_ids": ids}
    seen = chat({"role": "assistant", "content": "", "tool_calls": [call]}, answer)
    output = seen.outputs[0]
    assert (output.call.name if output.call else None) == name


def test_user_speaks_where_he_says_something_himself() -> None:
    """A message of results alone says nothing; one with words beside them does."""
    words: Json = results(("a", "x"))
    words["content"].append({"type": "text", "text": "and stop"})
    seen = anthropic(uses(("a", "t", {})), results(("a", "x")), uses(("a", "t", {})), words)
    assert [seen.speaks(i) for i in range(5)] == [True, False, False, False, True]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_output_is_unseen_until_the_assistant_goes_on(dialect: str) -> None:
    """The outputs behind the assistant's last message have not been read by the model."""
    steps: list[Step] = [Asked(text="Go."), bash("ls", "a"), Together(calls=(bash("ls", "b"), bash("ls", "c")))]
    assert [view(*steps, dialect=dialect).is_unseen(i) for i in range(3)] == [False, True, True]
    seen = view(*steps, Said(text="Done."), dialect=dialect)
    assert [seen.is_unseen(i) for i in range(3)] == [False, False, False]


def test_tokens_are_summed_over_messages() -> None:
    """Three a message beside its content; a request that was not counted has those of its messages."""
    seen = view(Asked(text="12345"), Said(text="123"), Asked(text="1"))
    assert [seen.tokens_through(i) for i in range(-1, 3)] == [0, 8, 14, 18]
    assert seen.request_tokens == 18
    made = request(body([Asked(text="12345")]))
    assert View(made, lambda _message, _part: 5, request_tokens=77).request_tokens == 77


def test_once_makes_a_value_once() -> None:
    """For one request and key."""
    seen = view(Asked(text="Go."))
    numbers = iter(range(9))
    assert [seen.once("a", lambda: next(numbers)) for _ in range(3)] == [0, 0, 0]
    assert seen.once("b", lambda: next(numbers)) == 1


def grown(*parts: list[Step]) -> list[Json]:
    """Bodies, each with the steps of one more part."""
    return [body([step for part in parts[: n + 1] for step in part]) for n in range(len(parts))]


def turns(records: list[Json]) -> Iterator[View]:
    """The views of a lane's turns, whose requests share their leading messages, each made from the one before."""
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    before = None
    for entry in read(BytesIO(lines), file="made.jsonl"):
        assert entry.exchange is not None
        # One token a message and part number, so that nothing must be counted.
        before = View(entry.exchange.request, lambda i, k: i + k, before=before)
        yield before


class Asking:
    """Finds something out, and notes what it was asked."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.asked: list[str] = []

    def output(self, i: int) -> int:
        """Of an output."""
        self.asked.append(f"output {i}")
        return i

    def message(self, i: int) -> int:
        """Of a message."""
        self.asked.append(f"message {i}")
        return i

    def step(self, total: int, i: int) -> int:
        """A step past a message."""
        self.asked.append(f"step {i}")
        return total + i


def told(seen: View) -> object:
    """All that a view says, as plain values."""
    calls = [(c.i_call, c.i_message, c.name, c.pair_id, c.arguments) for c in seen.calls]
    outputs = [
        (o.i_output, o.i_result, o.i_message, o.i_part, o.call.i_call if o.call else None, o.is_error, seen.text(i))
        for i, o in enumerate(seen.outputs)
    ]
    tokens = [seen.tokens(i) for i in range(len(seen.outputs))]
    return calls, outputs, tokens, [seen.tokens_through(i) for i in range(seen.n_messages)]


def test_next_turn_looks_only_at_what_is_new() -> None:
    """What was found out about an output or a message is found out once, and a walk goes on where it stopped."""
    records = grown([Asked(text="Go."), bash("a", "1")], [bash("b", "2")], [Said(text="x"), bash("c", "3")])
    asking = Asking()
    for seen in turns(records):
        assert seen.per_output("k", asking.output) == [*range(len(seen.outputs))]
        assert seen.per_message("k", asking.message) == [*range(seen.n_messages)]
        assert seen.walked("k", 0, asking.step) == sum(range(seen.n_messages))
    assert asking.asked == [
        "output 0", "message 0", "message 1", "message 2", "step 0", "step 1", "step 2",
        "output 1", "message 3", "message 4", "step 3", "step 4",
        "output 2", "message 5", "message 6", "message 7", "step 5", "step 6", "step 7",
    ]  # fmt: skip


def test_turn_that_went_back_takes_over_only_what_it_has() -> None:
    """Where the lane was edited, what stood behind is found anew, and a walk begins anew."""
    first: list[Step] = [Asked(text="Go."), bash("a", "1"), bash("b", "2")]
    asking = Asking()
    found = []
    for seen in turns([body(first), body([*first[:2], bash("other", "3")]), body(first[:2])]):
        seen.per_output("k", asking.output)
        seen.walked("k", 0, asking.step)
        found.append([(call.command, seen.text(i)) for i, call in enumerate(seen.calls)])
    assert found == [[("a", "1"), ("b", "2")], [("a", "1"), ("other", "3")], [("a", "1")]]
    walk = [f"step {i}" for i in range(5)]
    assert asking.asked == ["output 0", "output 1", *walk, "output 1", *walk, "step 0", "step 1", "step 2"]


STEPS = st.lists(
    st.one_of(
        st.builds(Asked, text=st.sampled_from(["hi", "go on"])),
        st.builds(Said, text=st.sampled_from(["ok", "so"])),
        st.builds(bash, st.sampled_from(["ls", "make"]), st.sampled_from(["x", "yy"])),
        st.builds(
            Together,
            calls=st.tuples(
                st.builds(Call, name=st.just("Read"), arguments=st.just({"path": "a"}), output=st.just("zzz")),
                st.builds(bash, st.just("pwd"), st.just("/")),
            ),
        ),
    ),
    min_size=1,
    max_size=8,
)


@settings(deadline=None, max_examples=60)
@given(lane=st.lists(STEPS, min_size=1, max_size=4), other=STEPS)
def test_view_says_the_same_with_and_without_the_turn_before(lane: list[list[Step]], other: list[Step]) -> None:
    """Over appended turns, and over one that leaves the lane."""
    go: list[Step] = [Asked(text="Go.")]
    records = [*grown(go, *lane), body([*go, *other])]
    for seen, record in zip(turns(records), records, strict=True):
        (alone,) = turns([record])
        assert told(seen) == told(alone)
