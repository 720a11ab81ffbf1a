"""Error lines, and how an output ended."""

from __future__ import annotations

import pytest

from cgcli.summarisers.extractive.complaints import complaints, ending

ERRORS = [
    "ValueError: bad value",
    "requests.exceptions.ConnectionError: refused",
    "AssertionError",
    "E       assert 3 == 4",
    "src/a.c:12:3: error: expected ';'",
    "src/a.ts(3,5): error TS2322: Type 'x'",
    "error[E0382]: borrow of moved value",
    "error: could not compile `x`",
    "fatal: not a git repository",
    "panic: runtime error: index out of range",
    "thread 'main' panicked at src/a.rs:3:5",
    "npm ERR! code ELIFECYCLE",
    "FAILED tests/test_a.py::test_b - assert 1",
    "tests/test_a.py::test_b FAILED [ 90%]",
    "--- FAIL: TestThing (0.00s)",
    "Failed!  - Failed:     3, Passed:    10",
    'Exception in thread "main" java.lang.NullPointerException',
    "make: *** [Makefile:12: all] Error 2",
    "bash: foo: command not found",
    "cat: x: No such file or directory",
    "Segmentation fault (core dumped)",
    "Process exited with code 3",
    "Exit code 1",
    "<returncode>127</returncode>",
    "2026-03-02T08:00:01Z ERROR anchor req=1 lost",
]
NO_ERRORS = [
    "tests/test_errors.py::test_error PASSED",
    "0 errors, 0 warnings",
    "no errors found",
    "12 passed in 3.2s",
    "exit code 0",
    "def handle_error(error):",
    "compiling error.c",
    '{"status": "error"}',
    "INFO retry after error",
    "src/a.py:38: error value in build",
]


@pytest.mark.parametrize("line", ERRORS)
def test_an_error_line_is_kept(line: str) -> None:
    """Verbatim, but for runs of blanks, wherever it stands."""
    assert complaints(f"building\n{line}\nbye") == [" ".join(line.split())]


@pytest.mark.parametrize("line", NO_ERRORS)
def test_other_lines_are_not(line: str) -> None:
    """A word such as `error` alone says nothing."""
    assert complaints(line) == []


def test_an_exception_brings_its_last_place() -> None:
    """The innermost frame of a traceback, not the others."""
    output = (
        "Traceback (most recent call last):\n"
        '  File "a.py", line 1, in <module>\n    f()\n'
        '  File "b.py", line 22, in f\n    raise KeyError\n'
        "KeyError: 'x'"
    )
    assert complaints(output) == ['File "b.py", line 22, in f', "KeyError: 'x'"]


def test_lines_that_differ_in_numbers_count_once() -> None:
    """The last of them stands for all."""
    assert complaints("error: line 1\nerror: line 2\nerror: other\nerror: line 30") == [
        "error: other",
        "error: line 30",
    ]


def test_the_last_six_are_kept() -> None:
    """An output of a thousand different errors is not repeated."""
    output = "\n".join(f"error: {'x' * n}" for n in range(1, 30))
    assert complaints(output) == [f"error: {'x' * n}" for n in range(24, 30)]


def test_log_lines_rank_behind() -> None:
    """They are kept only where there are few others."""
    logged = "2026-03-02 ERROR lost"
    assert complaints(f"{logged}\nerror: a\nerror: b\nerror: c") == ["error: a", "error: b", "error: c"]
    assert complaints(f"{logged}\nerror: a") == ["error: a", logged]


@pytest.mark.parametrize(
    ("output", "last"),
    [
        ("...\n===== 2 failed, 8 passed in 1.25s =====\n\n", "2 failed, 8 passed in 1.25s"),
        ("Tests: 3 passed\nsee the log at x\n", "Tests: 3 passed"),
        ("a line\nthe last line\n}\n", "the last line"),
        ('ready\n[{"id": 1, "state": "open"}]\n', "ready"),
        ("}\n", None),
        ("\n \n", None),
        ("x" * 20000, None),
    ],
)
def test_how_an_output_ended(output: str, last: str | None) -> None:
    """A line that tells a result, else the last one with words in it."""
    assert ending(output) == last
