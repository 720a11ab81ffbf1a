"""What no component may take out of a text that it keeps a part of: lines that tell a fault, wherever they are quoted.

Components that take whole outputs away by their age, or the middle of one that is too large, promise no lines: what
they take is behind a marker, which the round trip shows. What counts as a fault is said in `telling`, not by the
package.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, ClassVar

import pytest

from cgcli.compaction.component import Loss, Reduction, Skip
from cgcli.compaction.components import COMPONENTS, build
from cgcli.compaction.components.failed_run import FailedRun
from cgcli.compaction.components.path_folds import unfold
from cgcli.model import value
from tests.compaction.components.conftest import slot_of
from tests.compaction.drawing import EAGER
from tests.compaction.telling import KINDS, RUN, plain, told
from tests.compaction.viewing import Asked, answers, bash, slot, view

if TYPE_CHECKING:
    from cgcli.compaction.component import Component, Slot

READING = ("cmdfilter", "extract", "format", "linecap", "searchfold", "smartcrush", "textclean", "toon")
"""Those that choose by content what of a text stays."""
WHOLE = {
    "claude-microcompact",
    "clear-tool-uses",
    "collapse",
    "dedup",
    "extract_llm",
    "failed_run",
    "mask",
    "opencode-prune",
    "openhands-mask",
    "readlifecycle",
    "tool_result_budget",
}
"""Those that take a text away whole, or by its size alone."""
BY_LINES = ("cmdfilter", "extract", "linecap", "searchfold", "textclean")
"""Those that act on other texts than JSON."""
FIRED = {
    "cmdfilter": {"quoting logs"},
    "extract": {"quoting logs"},
    "linecap": {"quoting logs"},
    "searchfold": {"searched"},
    "textclean": {"quoting logs"},
}
"""Where each of them has something to do: what is read otherwise is left alone as a whole."""


def _lines(component: Component, left: str) -> set[str]:
    """The lines of what *component* leaves, each without the note of its repeats."""
    text = unfold(left) or left if component.name == "searchfold" else left
    return {plain(re.sub(r"  \(x\d+\)\r?$", "", line)) for line in text.split("\n")}


def _lost(component: Component, text: str) -> list[str] | None:
    """The lines that tell a fault and are gone from what *component* leaves of *text*; None where it leaves all."""
    answer = component.propose(slot_of(text))
    if isinstance(answer, Skip):
        return None
    left = _lines(component, answer.text)
    return [line for line in told(text) if line not in left]


def test_every_component_is_one_or_the_other() -> None:
    """A new component has to say which."""
    assert set(COMPONENTS) <= {*READING, *WHOLE}
    assert not {*READING} & WHOLE


@pytest.mark.parametrize("name", BY_LINES)
def test_lines_that_tell_a_fault_stay(name: str) -> None:
    """Sources, tests and documents of this project, as they are, numbered, searched and changed; logs that quote."""
    component = build(name, EAGER[name])
    fired = set()
    for kind, texts in KINDS.items():
        for text in texts:
            lost = _lost(component, text)
            assert not lost, kind
            if lost is not None:
                fired.add(kind)
    assert fired >= FIRED[name]


@value
class _Careless:
    """Takes each line with a colon behind a space away."""

    name: ClassVar[str] = "careless"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = False

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The other lines."""
        return Reduction(text="\n".join(line for line in slot.text.split("\n") if ": " not in line))


def test_a_component_that_loses_lines_is_found() -> None:
    """What is missing is named."""
    assert _lost(_Careless(), "a\nsrc/a.c:1: error: b\nexit code: 3\nFAILED x\n") == [
        "src/a.c:1: error: b",
        "exit code: 3",
    ]
    assert all(any(_lost(_Careless(), text) for text in texts) for texts in KINDS.values())


def _rows() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = [{"id": i, "state": "open", "note": f"row {i}", "exit_code": 0} for i in range(60)]
    for i, line in enumerate(told(RUN)):
        rows[3 * i + 5]["note"] = line
    rows[51]["exit_code"] = 3
    return rows


@pytest.mark.parametrize("name", ["format", "smartcrush", "toon"])
@pytest.mark.parametrize("kept_in", ["{0}", '{{"rows": {0}, "next": null}}', "{1}"], ids=["array", "object", "text"])
def test_faults_in_json_stay(name: str, kept_in: str) -> None:
    """In an array of rows, in an object around it, and in the text of a runner's envelope."""
    rows = json.dumps(_rows(), indent=1)
    text = kept_in.format(rows, json.dumps({"stdout": rows, "code": 0}))
    answer = build(name, EAGER[name]).propose(slot(view(Asked(text="Go on."), bash("./run", text)), 0))
    assert isinstance(answer, Reduction)
    left = answer.text.replace("\\", "")
    assert len(told(RUN)) == 13
    assert [line for line in told(RUN) if json.dumps(line).strip('"').replace("\\", "") not in left] == []
    assert re.search(r'"exit_code":3|,3(?:\n|n|")', left.replace(" ", ""))


def test_failed_run_says_what_failed_where_and_how_it_ended() -> None:
    """Of each of these tools; the last line too, where there are more than twelve."""
    seen = view(Asked(text="Go on."), bash("make", RUN * 3), bash("make", "ok"), Asked(text="So?"))
    assert answers(FailedRun(), seen)[0].split("\n")[1:] == [
        "src/a.c:12:5: error: expected ';' before 'return'",
        "make: *** [all] Error 2",
        "thread 'main' panicked at src/main.rs:10:26:",
        "Traceback (most recent call last):",
        'File "src/app.py", line 41, in main',
        "KeyError: 7",
        "FAILED tests/test_a.py::test_b - AssertionError: assert 3 == 4",
        "Failed! - Failed: 3, Passed: 12, Skipped: 1, Total: 16",
        "at Demo.Tests.Adds() in /src/Tests/AddTests.cs:line 21",
        "t.ts(1,7): error TS2322: no",
        "bash: foo: command not found",
        "... (1 more like these)",
        "exit code: 3",
    ]


@pytest.mark.parametrize("name", sorted(EAGER.keys() & COMPONENTS))
def test_what_takes_content_out_says_where_it_is(name: str) -> None:
    """In full mode the text that is left has the marker of what it stands for."""
    component = build(name, EAGER[name])
    for text in KINDS["quoting logs"][:5]:
        runs = (bash("./run", text) for _ in range(4))
        seen = view(Asked(text="Go on."), *runs, bash("./run", "ok"), Asked(text="x"), Asked(text="y"))
        for i in range(4):
            answer = component.propose(slot(seen, i))
            if isinstance(answer, Reduction) and component.loss is Loss.STASHED:
                assert "<<cg:0123456789abcdef>>" in answer.text
