"""What is no tool's output, however much of one it quotes, is not matched; real traffic is, now and then."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.filters.builtin import builtins
from cgcli.compaction.filters.library import applied, library
from tests.running import CORPUS_FILES, NO_CORPUS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]
FILTERS = library(agent_filters="lossy")
SUFFIXES = {".py", ".md", ".toml", ".yaml", ".yml"}
FILES = sorted(
    path
    for folder in ("cgcli", "tests", "docs", "fixtures")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in SUFFIXES
)


def as_read(text: str) -> str:
    """*text* as a tool that reads files shows it: with numbered lines."""
    return "".join(f"{i:6}\t{line}\n" for i, line in enumerate(text.split("\n"), 1))


def as_diff(text: str) -> str:
    """*text* as a change that adds it."""
    body = "".join(f"+{line}\n" for line in text.split("\n"))
    return f"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,9 @@\n{body}"


def test_this_projects_own_files_are_no_outputs() -> None:
    """Sources, tests, documentation and the filters' own samples, as they are, numbered, and as a diff."""
    assert len(FILES) > 300
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        for shown in (text, as_read(text), as_diff(text)):
            assert applied(FILTERS, shown, None).asked == (), path


@pytest.mark.parametrize(
    "command", ["cat build.log", "sed -n '1,200p' build.log", "Read build.log", "grep -n . build.log"]
)
def test_a_log_that_is_read_stays(command: str) -> None:
    """Where the command is known, a look into a file selects no filter even if the file is a tool's output."""
    for one in builtins():
        for case in one.cases:
            assert applied(FILTERS, case.input, command).asked == ()


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30 07:12:01 INFO worker: started\n2026-11-30 07:12:02 ERROR make: *** [all] Error 1\n" * 9,
        "I ran the tests:\n\n    ===== test session starts =====\n    test_a.py::test_b PASSED [100%]\n" * 9,
        "diff --git a/a b/a\n-make[1]: Entering directory 'x'\n+make[1]: Leaving directory 'x'\n make: done\n" * 9,
        "total 48\ndrwxr-xr-x 2 root root 4096 Nov 30 07:12 make\n" * 9,
        '{"scripts": {"test": "jest"}, "log": "PASS test/a.test.js"}\n' * 9,
        "# Install\n\n    pip install x\n    Collecting x\n    Successfully installed x\n" * 9,
    ],
    ids=["log", "prose", "diff", "listing", "json", "readme"],
)
def test_a_quotation_is_no_output(text: str) -> None:
    """A tool's lines begin where the tool began them, not behind a date, a mark or an indent."""
    assert applied(FILTERS, text, None).asked == ()


def outputs(found: Any, key: str = "") -> Iterator[str]:
    """Every text in a saved session that stands where tools' outputs do, as long as cmdfilter asks for."""
    if isinstance(found, dict):
        for name, inner in found.items():
            yield from outputs(inner, name)
    elif isinstance(found, list):
        for inner in found:
            yield from outputs(inner, key)
    elif isinstance(found, str) and len(found) >= 400 and key in {"content", "text", "observation", "output", "stdout"}:
        yield found


def documents(text: str) -> Iterator[Any]:
    """The JSON documents of a file: the whole, or its lines."""
    for piece in (text, *text.split("\n")):
        try:
            yield json.loads(piece)
        except ValueError:
            continue


@pytest.mark.skipif(not CORPUS_FILES, reason=NO_CORPUS)
def test_real_sessions_are_told_honestly() -> None:
    """Which filters the saved sessions' texts are for, and for which one has anything to do."""
    texts = {
        text
        for path in CORPUS_FILES
        for document in documents(path.read_text(encoding="utf-8", errors="replace"))
        for text in outputs(document)
    }
    asked: Counter[str] = Counter()
    much_shorter: Counter[str] = Counter()
    for text in texts:
        done = applied(library(), text, None)
        asked.update(one.name for one in done.asked)
        if len(done.text) + 70 < len(text):
            much_shorter.update(one.name for one in done.fired)
    assert len(texts) == 542
    assert asked == {"curl": 35, "npm": 2, "pip": 2, "pnpm": 1, "tsc": 10}
    assert much_shorter == {"npm": 2, "pip": 2}
