"""A megabyte that is made to be slow: each component comes to an answer, and to the right one."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.component import Loss, Reduction
from cgcli.compaction.components import BODY_COMPONENTS, COMPONENTS, build, build_body
from cgcli.compaction.components.path_folds import unfold
from tests.compaction.components.bodies import Edited
from tests.compaction.components.conftest import slot_of
from tests.compaction.drawing import EAGER
from tests.compaction.hostile import HOSTILE
from tests.compaction.viewing import KEY, Asked, Said, bash, edits, reads, slot, view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.compaction.component import Component, Slot
    from cgcli.compaction.view import View
    from tests.compaction.viewing import Json, Step

ALL = set(HOSTILE)
BY_CONTENT = {
    "cmdfilter": set(),
    "collapse": ALL,
    "dedup": set(),
    "extract": {"redraws", "short lines"},
    "format": set(),
    "linecap": {"a", ":", "digits", "colours", "redraws", "figures", "bars", "surrogates", "open rows"},
    "mask": ALL,
    "searchfold": {"errors"},
    "smartcrush": set(),
    "textclean": {"redraws"},
    "tool_result_budget": ALL,
    "toon": set(),
}
"""What each of them shortens."""
SEEN = ("a", "[", "line breaks", "open escapes", "returns", "failures", "errors", "nested brackets")
BY_PLACE = {
    "claude-microcompact": set(SEEN),
    "clear-tool-uses": set(SEEN),
    "failed_run": {"failures", "errors"},
    "opencode-prune": set(SEEN),
    "openhands-mask": set(SEEN),
    "readlifecycle": set(SEEN),
}
"""What those shorten that look at the request around an output."""


def test_every_component_is_here() -> None:
    """But for the one that asks a model, which has a test of its own."""
    assert {*BY_CONTENT, *BY_PLACE, "extract_llm"} == set(COMPONENTS)


def acts_on(component: Component, slots: Iterable[tuple[str, Slot]]) -> set[str]:
    """What *component* shortens; what it leaves is shorter, and has its marker or the same facts."""
    found = set()
    for name, taken in slots:
        answer = component.propose(taken)
        if isinstance(answer, Reduction):
            found.add(name)
            assert len(answer.text) < len(taken.text)
            assert answer.text.count(f"<<cg:{KEY}>>") == (component.loss is Loss.STASHED)
            assert component.name != "searchfold" or unfold(answer.text) == taken.text
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BY_CONTENT))
def test_component_comes_to_the_right_answer(name: str) -> None:
    """It shortens these and no others."""
    component = build(name, EAGER[name])
    assert acts_on(component, ((kind, slot_of(text)) for kind, text in HOSTILE.items())) == BY_CONTENT[name]


@cache
def outputs() -> View:
    """Each printed by a command that was run again since; then each read from a file that was edited since."""
    first = (bash(f"./run '{name}'", HOSTILE[name]) for name in SEEN)
    again = (bash(f"./run '{name}'", f"ok {name}") for name in SEEN)
    read = (reads(f"{i}.txt", HOSTILE[name]) for i, name in enumerate(SEEN))
    edited = (edits(f"{i}.txt") for i in range(len(SEEN)))
    last = (bash("true", "ok") for _ in range(3))
    said: list[Step] = [Asked(text="x"), Said(text="So."), Asked(text="y"), Said(text="Done."), Asked(text="z")]
    return view(Asked(text="Go on."), *first, *again, *read, *edited, *last, *said)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BY_PLACE))
def test_component_that_looks_around_does(name: str) -> None:
    """As a run, or as a read where only those matter."""
    component = build(name, EAGER[name])
    first = 2 * len(SEEN) if name == "readlifecycle" else 0
    slots = ((kind, slot(outputs(), first + i)) for i, kind in enumerate(SEEN))
    assert acts_on(component, slots) == BY_PLACE[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BODY_COMPONENTS))
def test_component_of_bodies_leaves_a_hostile_request_whole(name: str) -> None:
    """In the system prompt, a tool's description, a user's words, thinking and an output: still that JSON."""
    for text in (HOSTILE[kind] for kind in ("a", "[", "returns")):
        thought = [{"type": "thinking", "thinking": text, "signature": "c2ln"}, {"type": "text", "text": "So."}]
        call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": text}}
        result = {"type": "tool_result", "tool_use_id": "c", "content": text}
        tools = [{"name": "Bash", "description": text, "input_schema": {"title": text, "type": "object"}}]
        messages: list[Json] = [
            {"role": "user", "content": text},
            {"role": "assistant", "content": [*thought, call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Go on."},
        ]
        made = {"model": "claude-sonnet-4-5", "system": text, "tools": tools, "messages": messages}
        sent = json.loads(Edited(build_body(name, EAGER[name]), count=len).send(made))
        assert list(sent) == list(made)
        assert sent["messages"][-1] in (messages[-1], _marked(messages[-1]))
        assert [tool["name"] for tool in sent["tools"]] == ["Bash"]
        assert "".join(_texts(sent["system"])) == text


def _marked(message: Json) -> Json:
    block = {"type": "text", "text": message["content"], "cache_control": {"type": "ephemeral"}}
    return {**message, "content": [block]}


def _texts(system: object) -> list[str]:
    return [block["text"] for block in system] if isinstance(system, list) else [str(system)]
