"""Signs of runs: on hostile text, and where only quoting looks like them."""

from __future__ import annotations

from time import process_time

import pytest

from cgcli.compaction.components.runs import Verdict, family, faults, shown, targets, verdict

MEGABYTE = 1_000_000


PIECES = [*"= 1 a: a:1: ( [ { _ x x. / .".split(), "1 failed, ", " ", "\n", "FAIL ", "E ", "\x1b["]


@pytest.mark.parametrize("piece", [*PIECES, "\N{MULTIPLICATION SIGN}"])
def test_a_megabyte_of_one_piece_takes_linear_time(piece: str) -> None:
    """On one line, and each on a line of its own."""
    began = process_time()
    for text in ((piece * MEGABYTE)[:MEGABYTE], (f"{piece}\n" * MEGABYTE)[: MEGABYTE // 5]):
        told = shown(text)
        verdict(told, is_error=False)
        faults(told)
        family(told)
        targets(told)
    assert process_time() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        "The build FAILED because Traceback (most recent call last) was printed.\n",
        "  - FAILED tests/a.py::b - boom\n",
        "> FAILED tests/a.py::b - boom\n",
        "# error: could not compile\n",
        "12: panic: runtime error\n",
        '"make: *** [all] Error 1"\n',
        "2026-01-02 10:00:00 ERROR Exit code 2\n",
        "no tests failed in 3 runs\n",
        "2026-01-02T10:00:00Z t.ts(1,7): error TS2322: no\n",
        "2026-01-02T10:00:00Z thread 'main' panicked at src/main.rs:10:26:\n",
    ],
)
def test_sign_in_a_line_is_a_quote(text: str) -> None:
    """Only what begins a line counts."""
    assert verdict(text, is_error=False) is Verdict.UNTOLD


@pytest.mark.parametrize(
    ("text", "is_error", "told"),
    [
        ("1 failed, 2 passed in 0.1s\n", False, Verdict.FAILED),
        ("2 passed in 0.1s\n", False, Verdict.PASSED),
        ("2 passed in 0.1s\n", True, Verdict.FAILED),
        ("2 passed, 1 error in 0.1s\n", False, Verdict.FAILED),
        ("0 failed, 2 passed in 0.1s\n", False, Verdict.PASSED),
        ("done\n", False, Verdict.UNTOLD),
        ("done\n", True, Verdict.FAILED),
        ("[Request interrupted by user]", True, Verdict.CUT_SHORT),
        ("", False, Verdict.UNTOLD),
    ],
)
def test_last_word_decides(text: str, *, is_error: bool, told: Verdict) -> None:
    """And what the result says of itself."""
    assert verdict(text, is_error=is_error) is told


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ('{"output": "a\\nb", "metadata": {"exit_code": 3}}', "Exit code 3\na\nb"),
        ('{"stdout": "a", "exit_code": 0}', "Exit code 0\na"),
        ('{"output": "a"}', "a"),
        ('{"output": 3}', '{"output": 3}'),
        ('{"output": "a"', '{"output": "a"'),
        ('{"other": "a"}', '{"other": "a"}'),
        ("\x1b[31ma\x1b[0m", "a"),
    ],
)
def test_output_is_what_a_terminal_showed(text: str, out: str) -> None:
    """Out of the JSON that some runners put around it, without colours."""
    assert shown(text) == out


def test_faults_are_each_told_once_and_in_order() -> None:
    """The same line twice is one."""
    text = "ok\nE   boom\nFAILED a.py::b - boom\nE   boom\n1 failed in 0.1s\n"
    assert faults(text) == ["E   boom", "FAILED a.py::b - boom", "1 failed in 0.1s"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "running\nthread 'main' panicked at src/main.rs:10:26:\nboom\n",
            ["thread 'main' panicked at src/main.rs:10:26:"],
        ),
        (
            (
                'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    run()\n'
                '  File "b.py", line 41, in run\n    x[7]\nKeyError: 7\nexit code: 3\n'
            ),
            ["Traceback (most recent call last):", 'File "b.py", line 41, in run', "KeyError: 7", "exit code: 3"],
        ),
        (
            (
                "  Failed Demo.Adds [11 ms]\n  Stack Trace:\n     at Demo.Adds() in /src/AddTests.cs:line 21\n"
                "     at Demo.Run() in /src/Run.cs:line 9\nFailed!  - Failed:     1, Passed:    12\n"
            ),
            [
                "Failed Demo.Adds [11 ms]",
                "at Demo.Adds() in /src/AddTests.cs:line 21",
                "Failed!  - Failed:     1, Passed:    12",
            ],
        ),
        (
            "Exit code 127\nstarting\nbash: line 1: foo: command not found\n",
            ["Exit code 127", "bash: line 1: foo: command not found"],
        ),
        (
            "collected 0 items\n\n====== no tests ran in 0.01s ======\nok\n",
            ["collected 0 items", "====== no tests ran in 0.01s ======"],
        ),
        ("C:\\src\\a.cs(3,5): error CS1002: ; expected\n", ["C:\\src\\a.cs(3,5): error CS1002: ; expected"]),
    ],
    ids=["rust", "python", "dotnet", "shell", "nothing collected", "drive"],
)
def test_places_and_ends_are_among_them(text: str, kept: list[str]) -> None:
    """Of a stack the frame in which it happened: Python's last one, the first one elsewhere."""
    assert faults(text) == kept


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1 failed, 2 passed in 0.1s", "pytest"),
        ("Ran 3 tests in 0.1s", "unittest"),
        ("ok  \tex.com/m\t0.2s", "go"),
        ("test result: ok. 1 passed", "cargo"),
        ("Tests:       6 passed, 6 total", "jest"),
        ("  3 passing (5ms)", "mocha"),
        ("BUILD FAILED in 2s", "gradle"),
        ("[INFO] BUILD SUCCESS", "maven"),
        ("hello", None),
    ],
)
def test_runner_is_told_by_its_last_word(text: str, name: str | None) -> None:
    """For outputs whose call is not known."""
    assert family(text) == name


def test_targets_are_the_files_named() -> None:
    """By their last names."""
    assert targets("src/a.py:3 b.test.ts and /x/y/main.go, notes.txt") == {"a.py", "b.test.ts", "main.go"}
