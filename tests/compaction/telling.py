"""Texts that quote faults without being a tool's report of one, and what no step may take out of them.

The standard library alone: what a fault, a place and an exit code are is said here a second time, and not asked of the
package.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 14_000
"""Longer files say nothing else, and take longer."""
FAULT = re.compile(
    r"(?i:\b(?:error|errors|err!|failed|failure|failures|fail|fatal|panicked|traceback|exception|denied|refused)\b)"
    r"|(?i:\b(?:not found|no such|timed out|cannot|segmentation fault|no tests (?:ran|collected))\b)"
    r"|\b[A-Z]\w*(?:Error|Exception)\b"
)
PLACE = re.compile(
    r"[\w./-]*\w\.(?:py|rs|go|c|h|cc|cpp|ts|tsx|js|java|cs|rb|yaml|yml|toml|md)(?::\d|\(\d+,\d)"
    r'|\bFile "[^"\n]+", line \d|\.\w{1,4}:line \d'
)
EXIT = re.compile(
    r"(?i)\b(?:exit(?:ed)?(?: with)?(?: code| status)?[ :=]{1,2}-?\d|(?:code|status)[ :=]{1,2}\d|\[all\] error \d)"
)


def is_told(line: str) -> bool:
    """True where *line* has a word for a fault, a place in a file, or an exit code."""
    return any(sign.search(line) for sign in (FAULT, PLACE, EXIT))


def plain(line: str) -> str:
    """*line* without colours, and with one space for each run of white space."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", line).split())


def told(text: str) -> list[str]:
    """The lines of *text* that say a fault, a place or an exit code, each once, as `plain` has them."""
    lines = dict.fromkeys(plain(state) for line in text.split("\n") for state in line.split("\r"))
    return [line for line in lines if is_told(line)]


def numbered(text: str) -> str:
    """*text* as a tool that reads files shows it."""
    return "".join(f"{i:6}\t{line}\n" for i, line in enumerate(text.split("\n"), 1))


def searched(text: str, path: str) -> str:
    """*text* as a search shows it that finds every line."""
    return "".join(f"{path}:{i}:{line}\n" for i, line in enumerate(text.split("\n"), 1))


def changed_lines(text: str, path: str) -> str:
    """A change of *text*: hunks in which some lines go, some are other ones, and all stand among others."""
    old = text.split("\n")
    new = [line.replace("(", "( ") if i % 7 == 0 else line for i, line in enumerate(old) if i % 11]
    hunks = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")
    return f"diff --git a/{path} b/{path}\n" + "\n".join(hunks) + "\n"


def quoted(text: str) -> str:
    """A log that quotes what *text* says, line by line, among lines that say nothing."""
    made = []
    for i, line in enumerate(text.split("\n")):
        made.append(f"2026-03-02T12:{i // 60 % 60:02}:{i % 60:02}Z INFO  worker-{i % 3} said: {line}")
        made.append("2026-03-02T12:00:00Z DEBUG waiting for the lock of the depot")
    return "\n".join(made)


def _files(folder: str, suffix: str, every: int) -> list[Path]:
    found = sorted((ROOT / folder).rglob(f"*{suffix}"))
    return [path for path in found[::every] if 0 < path.stat().st_size < MOST_BYTES]


RUN = """\
$ make check
\x1b[1mcc -c src/a.c\x1b[0m
src/a.c:12:5: \x1b[31merror:\x1b[0m expected ';' before 'return'
   12 |     return x
      |     ^
make: *** [all] Error 2
thread 'main' panicked at src/main.rs:10:26:
Traceback (most recent call last):
  File "src/app.py", line 41, in main
KeyError: 7
FAILED tests/test_a.py::test_b - AssertionError: assert 3 == 4
Failed!  - Failed:     3, Passed:    12, Skipped:     1, Total:    16
   at Demo.Tests.Adds() in /src/Tests/AddTests.cs:line 21
t.ts(1,7): error TS2322: no
bash: foo: command not found
no tests ran in 0.01s
exit code: 3
"""
"""What several tools say of faults."""


def _logs() -> Iterator[str]:
    steps = "\n".join(f"2026-03-02 12:00:{i % 60:02} step {i} ok" for i in range(90))
    yield f"{steps}\n{RUN}{steps}\n"
    yield "\n".join(f"2026-03-02T12:00:{i % 60:02}Z {line}" for i, line in enumerate(RUN.split("\n") * 3)) + "\n"
    yield quoted(RUN * 4)
    yield "".join(f"{line}\nstill at it, nothing new\n\n\n" for line in RUN.split("\n")) * 3
    yield "".join(f"\r{n}% built" for n in range(100)) + f"\n{RUN}" + "".join(f"\r{n:3}% |###|" for n in range(60))
    yield "\n".join(f"src/part{i % 7}/a.py:{i}: warning: value {i} is not used" for i in range(120))
    yield "\n".join(f'{{"level":"error","at":"src/a{i}.go:{i}","msg":"exit status {i}"}}' for i in range(60))


def _kinds() -> Iterator[tuple[str, list[str]]]:
    sources = [*_files("cgcli", ".py", 12), *_files("tests", ".py", 12)]
    documents = _files("docs", ".md", 5)
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in (*sources, *documents)}
    # What stands for content that left is no matter of this: a step leaves such a text alone as a whole.
    texts = {path: text.replace("<<cg:", "<<").replace("⟪cg⟫", "") for path, text in texts.items()}
    yield "sources", [text for path, text in texts.items() if path.startswith("cgcli/")]
    yield "tests", [text for path, text in texts.items() if path.startswith("tests/")]
    yield "documents", [text for path, text in texts.items() if path.endswith(".md")]
    yield "numbered", [numbered(text) for text in texts.values()]
    yield "searched", [searched(text, path) for path, text in texts.items()]
    yield "diffs", [changed_lines(text, path) for path, text in texts.items()]
    yield "quoting logs", [*_logs(), *(quoted(text) for text in list(texts.values())[::5])]


KINDS: Mapping[str, list[str]] = dict(_kinds())
"""Texts by what they are; this project's own files, and logs."""
