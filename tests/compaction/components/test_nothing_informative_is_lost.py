"""What no component may take out of a text that it keeps a part of: lines that tell a fault, wherever they are quoted.

Components that take whole outputs away by their age, or the middle of one that is too large, promise no lines: what
they take is behind a marker, which the round trip shows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.component import Loss, Reduction
from cgcli.compaction.components import COMPONENTS, build
from cgcli.compaction.components.informative import tells_a_fault
from cgcli.compaction.components.path_folds import unfold
from tests.compaction.drawing import EAGER
from tests.compaction.filters.test_false_positives import FILES, as_diff, as_read
from tests.compaction.viewing import Asked, bash, reads, slot, view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.compaction.component import Component

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
LONGEST_CHARS = 400
"""What is longer may be cut, and is told to be."""
SHOWN = [text for path in FILES[::20] for text in [path.read_text(encoding="utf-8")] if len(text) < 30_000]
LOGS = [
    "\n".join(f"2026-03-02 12:00:{i % 60:02} step {i} ok" for i in range(90))
    + "\n2026-03-02 12:02:00 error in src/app.py:41: no such key\nTraceback (most recent call last):\n"
    + '  File "src/app.py", line 41, in main\nKeyError: 7\nexit code: 1\n'
    + "\n".join(f"2026-03-02 12:03:{i % 60:02} step {i} ok" for i in range(90)),
    "\n".join(f"src/part{i % 7}/a.py:{i}: warning: value {i} is not used" for i in range(120)),
    "\x1b[31mFAIL\x1b[0m src/a.test.ts:3\n" + "\n".join(f"\r{n}% built" for n in range(100)) + "\n1 failed, 3 passed",
]


def _texts() -> Iterator[str]:
    for text in SHOWN:
        yield from (text, as_read(text), as_diff(text))
    yield from LOGS


def _plain(text: str) -> str:
    """*text* without colours, and with one space for each run of white space."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", text).split())


def _lost(component: Component, text: str) -> list[str]:
    """The lines that tell a fault and are gone from what *component* leaves of *text*."""
    seen = view(Asked(text="Go on."), bash("./run", text), reads("notes.txt", text), bash("./run", "ok"))
    lost = []
    for i in range(2):
        answer = component.propose(slot(seen, i))
        if not isinstance(answer, Reduction):
            continue
        left = _plain(unfold(answer.text) or answer.text if component.name == "searchfold" else answer.text)
        told = (_plain(line) for line in text.splitlines())
        faults = (line for line in told if 0 < len(line) <= LONGEST_CHARS and tells_a_fault(line))
        lost += [line for line in faults if line not in left]
    return lost


def test_every_component_is_one_or_the_other() -> None:
    """A new component has to say which."""
    assert set(COMPONENTS) <= {*READING, *WHOLE}
    assert not {*READING} & WHOLE


@pytest.mark.parametrize("name", READING)
def test_lines_that_tell_a_fault_stay(name: str) -> None:
    """Sources, tests, documentation and data of this project, as they are, numbered and as diffs; and logs."""
    component = build(name, EAGER[name])
    assert len(SHOWN) > 20
    for text in _texts():
        assert _lost(component, text) == []


@pytest.mark.parametrize("name", sorted(EAGER.keys() & COMPONENTS))
def test_what_takes_content_out_says_where_it_is(name: str) -> None:
    """In full mode the text that is left has the marker of what it stands for."""
    component = build(name, EAGER[name])
    for text in LOGS:
        runs = (bash("./run", text) for _ in range(4))
        seen = view(Asked(text="Go on."), *runs, bash("./run", "ok"), Asked(text="x"), Asked(text="y"))
        for i in range(4):
            answer = component.propose(slot(seen, i))
            if isinstance(answer, Reduction) and component.loss is Loss.STASHED:
                assert "<<cg:0123456789abcdef>>" in answer.text


HOSTILE_CHARS = 1_000_000
HOSTILE = {
    **{repr(sign): sign * HOSTILE_CHARS for sign in ("a", " ", ":", "\\", '"', "\r", "\n")},
    "brackets": "[" * (HOSTILE_CHARS // 2) + "]" * (HOSTILE_CHARS // 2),
    "braces": '{"a":' * (HOSTILE_CHARS // 5),
    "escapes": "\x1b[31m" * (HOSTILE_CHARS // 5),
    "open escapes": "\x1b]0;" * (HOSTILE_CHARS // 4),
    "redraws": "50%\r" * (HOSTILE_CHARS // 4),
    "paths": "a/b:1:" * (HOSTILE_CHARS // 6),
    "numbers": "12.5 MB 3/9 " * (HOSTILE_CHARS // 12),
    "bars": "█[=>" * (HOSTILE_CHARS // 4),
    "rows": "[" + '{"a":1},' * (HOSTILE_CHARS // 8),
}
"""A megabyte each. A pattern that backtracks takes minutes or days over one of them: the test ends or it does not."""


@pytest.mark.parametrize("name", sorted(EAGER.keys() & COMPONENTS))
def test_a_hostile_megabyte_is_done_with(name: str) -> None:
    """Each component comes to an answer."""
    component = build(name, EAGER[name])
    for text in HOSTILE.values():
        seen = view(Asked(text="Go on."), bash("./run", text), bash("./run", "ok"), Asked(text="x"), Asked(text="y"))
        component.propose(slot(seen, 0))
