"""Requests in the making, in each dialect, and how a component sees their tool outputs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.compaction.component import Reduction, Skip, Slot
from cgcli.compaction.view import View
from cgcli.model import value
from cgcli.tokens.meter import Meter
from tests.lanes.placing import request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.compaction.component import Component

Json = dict[str, Any]
DIALECTS = ("anthropic", "openai-chat", "openai-responses")
KEY = "0123456789abcdef"
MARK = f"<<cg:{KEY}>> [full output: call context_guru_expand]"


@value
class Asked:
    """What a user says."""

    text: str


@value
class Said:
    """What the assistant says without a call."""

    text: str


@value
class Call:
    """A call and its output."""

    name: str
    arguments: Any
    output: str
    is_error: bool = False


@value
class Together:
    """Calls of one assistant's message."""

    calls: tuple[Call, ...]


Step = Asked | Said | Call | Together


def bash(command: str, output: str, *, is_error: bool = False) -> Call:
    """A command line and what came of it."""
    return Call(name="Bash", arguments={"command": command}, output=output, is_error=is_error)


def reads(path: str, output: str, **lines: int) -> Call:
    """A file that is read, or some lines of it."""
    return Call(name="Read", arguments={"file_path": path, **lines}, output=output)


def edits(path: str, output: str = "The file was updated.", *, is_error: bool = False) -> Call:
    """A file that is edited."""
    arguments = {"file_path": path, "old_string": "a", "new_string": "b"}
    return Call(name="Edit", arguments=arguments, output=output, is_error=is_error)


def body(steps: Sequence[Step], dialect: str = "anthropic") -> Json:
    """A request of *dialect* with these steps; calls are numbered `call_0`, `call_1`, … in their order."""
    made: list[Json] = []
    n_calls = 0
    for step in steps:
        if isinstance(step, Call | Together):
            calls = step.calls if isinstance(step, Together) else (step,)
            made += _MAKE[dialect]([(f"call_{n_calls + k}", call) for k, call in enumerate(calls)])
            n_calls += len(calls)
        else:
            made.append({"role": "user" if isinstance(step, Asked) else "assistant", "content": step.text})
    if dialect == "anthropic":
        return {"model": "claude-sonnet-4-5", "max_tokens": 64, "system": "You are an agent.", "messages": made}
    history = "input" if dialect == "openai-responses" else "messages"
    return {"model": "gpt-5", history: made}


def _anthropic(calls: list[tuple[str, Call]]) -> list[Json]:
    uses = [{"type": "tool_use", "id": name, "name": call.name, "input": call.arguments} for name, call in calls]
    results = []
    for name, call in calls:
        result: Json = {"type": "tool_result", "tool_use_id": name, "content": call.output}
        results.append({**result, "is_error": True} if call.is_error else result)
    return [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]


def _chat(calls: list[tuple[str, Call]]) -> list[Json]:
    made = [
        {"id": name, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for name, call in calls
    ]
    results = [{"role": "tool", "tool_call_id": name, "content": call.output} for name, call in calls]
    return [{"role": "assistant", "content": None, "tool_calls": made}, *results]


def _responses(calls: list[tuple[str, Call]]) -> list[Json]:
    made = [
        {"type": "function_call", "call_id": name, "name": call.name, "arguments": json.dumps(call.arguments)}
        for name, call in calls
    ]
    results = [{"type": "function_call_output", "call_id": name, "output": call.output} for name, call in calls]
    return [*made, *results]


_MAKE: dict[str, Callable[[list[tuple[str, Call]]], list[Json]]] = {
    "anthropic": _anthropic,
    "openai-chat": _chat,
    "openai-responses": _responses,
}


def view_of(record: Json, *, count: Callable[[str], int] = len, before: View | None = None) -> View:
    """The view of a body; one token is one character, unless *count* says otherwise."""
    made = request(record)
    meter = Meter(count)

    def tokens_of(i_message: int, i_part: int) -> int:
        return meter.parts(made.messages[i_message])[i_part]

    return View(made, tokens_of, before=before)


def view(*steps: Step, dialect: str = "anthropic") -> View:
    """The view of a request with these steps; one token is one character."""
    return view_of(body(steps, dialect))


def slot(seen: View, i_output: int, *, text: str | None = None) -> Slot:
    """One output of *seen*; with *text*, after earlier components left that of it."""
    shown = seen.text(i_output) if text is None else text
    return Slot(
        text=shown,
        tokens=len(shown),
        key=KEY,
        i_output=i_output,
        n_outputs=len(seen.outputs),
        seen_before=False,
        request_tokens=seen.request_tokens,
        count=len,
        view=seen,
    )


def answers(component: Component, seen: View) -> list[str]:
    """What *component* makes of each output of *seen*: the new text, or `-` and the reason for leaving it alone."""
    found = []
    for i in range(len(seen.outputs)):
        answer = component.propose(slot(seen, i))
        found.append(answer.text if isinstance(answer, Reduction) else f"-{answer.reason}")
    return found


def reduced(component: Component, seen: View) -> list[int]:
    """The outputs that *component* would shorten."""
    return [i for i, answer in enumerate(answers(component, seen)) if not answer.startswith("-")]


def reason(component: Component, seen: View, i_output: int) -> str:
    """Why *component* leaves an output alone."""
    answer = component.propose(slot(seen, i_output))
    assert isinstance(answer, Skip), answer
    return answer.reason
