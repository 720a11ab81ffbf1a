"""The lines that stay whatever a filter says."""

import pytest

from cgcli.compaction.filters.guard import Guard, note

PROTECTED = [
    "error: linking failed",
    "ERROR collecting tests/test_a.py",
    "npm ERR! code E404",
    "FAILED tests/test_a.py::test_b - assert 1 == 2",
    "Traceback (most recent call last):",
    '  File "a.py", line 3, in <module>',
    "thread 'main' panicked at src/main.rs:10:26:",
    "warning: unused variable: `x`",
    "src/util.c:2:47: something",
    "t.ts(1,7): TS2322",
    "./src/index.js 2:0-31",
    "    at Object.toBe (test/a.test.js:3:61)",
    "Exited with code 2",
    "make: *** [all] Error 1",
    "Process returned 3",
    "exit status 1",
    "collected 0 items",
    "=== 2 failed, 32 passed, 1 skipped in 1.87s ===",
    "no tests ran in 0.01s",
    "Tests:       13 passed, 15 total",
    "Ran 3 tests in 0.001s",
    "Failed!  - Failed:     3, Passed:    12, Skipped:     1, Total:    16",
    "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12",
    "--- FAIL: TestWrong (0.00s)",
    "not ok 2 - wrong",
    "  ✕ wrong (88 ms)",
    "  ✖ wrong (30ms)",
    "added 50 packages, changed 3",
    "0 upgraded, 2 newly installed, 0 to remove and 141 not upgraded.",
    "bash: foo: command not found",
    "curl: (7) Couldn\N{RIGHT SINGLE QUOTATION MARK}t connect: Connection refused",
    "Segmentation fault (core dumped)",
    "root@host: Permission denied (publickey).",
    "  # aws_instance.web will be destroyed",
    "\x1b[31mer\x1b[1mror\x1b[0m: coloured in the middle",
]
PLAIN = [
    "",
    "Compiling serde v1.0.210",
    "[ 25%] Building C object CMakeFiles/util.dir/lib/util.c.o",
    "test_a.py::test_ok[0] PASSED      [  2%]",
    "Collecting poetry",
    "64 bytes from 192.0.2.7: icmp_seq=1 ttl=64 time=0.057 ms",
    "  Passed Demo.Tests.AddTests.AddsSmall [2 ms]",
    "  ✓ adds 0 (19 ms)",
    "Get:1 http://deb.example/debian bookworm InRelease [151 kB]",
    "   0K .......... .......... 1% 86.4M 0s",
]


@pytest.mark.parametrize("line", PROTECTED)
def test_lines_that_tell_of_a_result_stay(line: str) -> None:
    """Failures, places in files, exit codes and counts."""
    assert Guard(f"x\n{line}\ny").protects(line)


@pytest.mark.parametrize("line", PLAIN)
def test_lines_of_progress_do_not(line: str) -> None:
    """What a tool says while nothing happens; also beside a line that stays."""
    assert not Guard("\n".join([*PROTECTED, line])).protects(line)


@pytest.mark.parametrize(
    ("n_lines", "said", "line"),
    [
        (1, "...", "... (1 line omitted)"),
        (20, "...", "... (20 lines omitted)"),
        (3, "apt: quiet", "apt: quiet (3 lines omitted)"),
    ],
)
def test_notes_stay(n_lines: int, said: str, line: str) -> None:
    """A filter that acts again leaves alone what it wrote."""
    assert note(n_lines, said=said) == line
    assert Guard(line).protects(line)
    assert Guard("").protects("... (7 more like this)")


def test_details_stay_below_the_line_that_they_explain() -> None:
    """Deeper indented or behind a gutter, up to the first line that is neither."""
    lines = [
        "plain",
        "  deep but below nothing",
        "src/main.rs:2:17: here",
        "  |",
        "2 | let unused = 1;",
        "    deeper",
        "plain again",
        "    and deep again",
        '  File "a.py", line 4',
        "    self.run()",
        "  same depth",
        "> gutter below nothing",
    ]
    assert Guard("\n".join(lines)).protected_with_details(lines) == [
        *(False, False),
        *(True, True, True, True, False, False),
        *(True, True, False, False),
    ]


def test_details_end_after_twenty_lines() -> None:
    """A failure at the top of an indented log does not keep the log."""
    lines = ["error: x", *(f"  step {i}" for i in range(30))]
    assert Guard("\n".join(lines)).protected_with_details(lines) == [True] * 21 + [False] * 10
