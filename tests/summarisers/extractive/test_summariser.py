"""`extractive`: whole summaries."""

from __future__ import annotations

import pytest

from cgcli.errors import UsageError
from cgcli.model import Basis, Refusal
from cgcli.summarisers.extractive.summariser import Extractive, extract
from cgcli.summarisers.protocol import Summary
from tests.summarisers.conversing import DIALECTS, Turn, request, task

TODOS = [
    {"content": "Mend the export", "status": "completed"},
    {"content": "Measure it again", "status": "in_progress"},
]
TESTS = {"command": "pytest -q tests/test_export.py"}
TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "/srv/app/bench.py", line 12, in <module>\n'
    "    run()\n"
    "ModuleNotFoundError: No module named 'rich'\n"
)
CONVERSATION: list[Turn] = [
    ("user", "The export of invoices is slow.\nFind out why and mend src/export.py. Never touch the schema."),
    ("assistant", "I look at it first."),
    ("tool", "Read", {"file_path": "src/export.py", "limit": 200}, "import db\nraise ValueError('no')\n", False),
    ("tool", "Bash", TESTS, "E   assert 3 == 4\n1 failed, 11 passed in 2.31s", False),
    ("assistant", "The root cause is a query per row, 4,210 of them. I'll use one join instead of a loop."),
    ("tool", "Edit", {"file_path": "src/export.py", "old_string": "a", "new_string": "b"}, "done", False),
    ("tool", "TodoWrite", {"todos": TODOS}, "ok", False),
    ("tool", "Bash", TESTS, "............\n12 passed in 1.87s\n", False),
    ("user", "Good. Keep Python 3.11 working."),
    ("tool", "Bash", {"command": "python bench.py"}, TRACEBACK, False),
    ("assistant", "The benchmark needs rich, which is not installed. It took 41 s before."),
]

SUMMARY = """\
Quoted by rule from the earlier conversation; lines behind > are tool output, xN is how often.
## Task
- The export of invoices is slow.
  Find out why and mend src/export.py. Never touch the schema.
- Good. Keep Python 3.11 working.
## Decisions and findings
- assistant: The root cause is a query per row, 4,210 of them.
- assistant: I'll use one join instead of a loop.
## Files
- src/export.py: edited x1, read x1, named x1
- bench.py: named x1
- tests/test_export.py: named x2
- /srv/app/bench.py: in output x1
## Errors
- $ pytest -q tests/test_export.py (x1 with errors; its last run shows none)
  > E assert 3 == 4
- $ python bench.py
  > File "/srv/app/bench.py", line 12, in <module>
  > ModuleNotFoundError: No module named 'rich'
## Commands
- $ pytest -q tests/test_export.py (x2)
  > 12 passed in 1.87s
- $ python bench.py
  > ModuleNotFoundError: No module named 'rich'
## State
- assistant: The benchmark needs rich, which is not installed. It took 41 s before.
- [in_progress] Measure it again"""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_conversation_is_quoted_by_section(dialect: str) -> None:
    """The same conversation gives the same summary in every dialect."""
    answer = Extractive().summarise(task(request(dialect, CONVERSATION), tokens=9000))
    assert answer == Summary(text=SUMMARY, basis=Basis.SIMULATED)


def test_the_span_alone_is_read() -> None:
    """Messages 0 and 1 of a chat are its system prompt and the first request: a span behind them tells of neither."""
    found = request("openai-chat", [("user", "Rename a.py."), ("assistant", "Renamed a.py to b.py.")])
    assert extract(found, 2, 3, most_tokens=500) == (
        "Quoted by rule from the earlier conversation; lines behind > are tool output, xN is how often.\n"
        "## Files\n- b.py: named x1\n- a.py: named x1\n"
        "## State\n- assistant: Renamed a.py to b.py."
    )


def test_a_small_size_keeps_what_matters_most() -> None:
    """In 110 tokens: the first request and where the work stands, and of each how much more there was."""
    answer = Extractive(max_tokens=110).summarise(task(request("anthropic", CONVERSATION), tokens=9000))
    assert isinstance(answer, Summary)
    assert answer.text == (
        "Quoted by rule from the earlier conversation; lines behind > are tool output, xN is how often.\n"
        "## Task\n"
        "- The export of invoices is slow.\n"
        "  Find out why and mend src/export.py. Never touch the schema.\n"
        "- … (x1 more left out)\n"
        "## State\n"
        "- assistant: The benchmark needs rich, which is not installed. It took 41 s before.\n"
        "- … (x1 more left out)"
    )


@pytest.mark.parametrize("tokens", [0, 1, 40])
def test_a_span_that_is_too_small_is_refused(tokens: int) -> None:
    """Half of 40 tokens has no room for the opening line and a section."""
    answer = Extractive().summarise(task(request("anthropic", CONVERSATION), tokens=tokens))
    assert answer == Refusal(reason="empty", detail=f"nothing to quote that fits into {tokens // 2} tokens")


def test_a_span_that_says_nothing_is_refused() -> None:
    """Blank texts, a call without arguments and an empty output have nothing to quote but the tool's name."""
    answer = Extractive().summarise(task(request("anthropic", [("user", " \n "), ("assistant", "\t")]), tokens=9000))
    assert isinstance(answer, Refusal)
    assert answer.reason == "empty"


def test_a_size_below_one_is_a_usage_error() -> None:
    """There is no summary in no tokens."""
    with pytest.raises(UsageError, match="max_tokens is 0"):
        Extractive(max_tokens=0)
