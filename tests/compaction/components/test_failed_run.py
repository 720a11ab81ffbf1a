"""`failed_run`: a failed run that was made again keeps what failed."""

from __future__ import annotations

import json

import pytest

from cgcli.compaction.component import MarkerMode, Reduction, Skip
from cgcli.compaction.components.failed_run import FailedRun
from cgcli.model import changed
from tests.compaction.viewing import (
    DIALECTS,
    MARK,
    Asked,
    Call,
    Said,
    Together,
    answers,
    bash,
    reason,
    reduced,
    slot,
    view,
    view_of,
)

GO = Asked(text="Make the tests pass.")
NOISE = "".join(f"tests/unit/test_module_{i:02}.py ..........  [{i}%]\n" for i in range(30))
FAILED = (
    "============================= test session starts ==============================\n"
    "collected 302 items\n\n" + NOISE + "\n"
    "=================================== FAILURES ===================================\n"
    "__________________________________ test_total __________________________________\n\n"
    "    def test_total():\n"
    ">       assert total([1, 2]) == 4\n"
    "E       assert 3 == 4\n\n"
    "tests/unit/test_sums.py:12: AssertionError\n"
    "=========================== short test summary info ============================\n"
    "FAILED tests/unit/test_sums.py::test_total - assert 3 == 4\n"
    "======================== 1 failed, 301 passed in 4.21s =========================\n"
)
PASSED = NOISE + "============================= 302 passed in 4.07s ==============================\n"
AGAIN = FAILED.replace("test_total", "test_mean").replace("4.21s", "3.98s")
KEPT = (
    "=================================== FAILURES ===================================\n"
    "E assert 3 == 4\n"
    "tests/unit/test_sums.py:12: AssertionError\n"
    "FAILED tests/unit/test_sums.py::test_total - assert 3 == 4\n"
    "======================== 1 failed, 301 passed in 4.21s ========================="
)
NOTE = f"[failed run, superseded by a later run of the same command] {MARK}"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("later", [PASSED, AGAIN], ids=["passed", "failed again"])
def test_failed_run_keeps_what_failed_once_it_ran_again(dialect: str, later: str) -> None:
    """Names of tests, error lines and counts stay; the newest run stays whole, whatever came of it."""
    seen = view(GO, bash("pytest -q", FAILED), Said(text="I fix it."), bash("pytest -q", later), dialect=dialect)
    assert answers(FailedRun(), seen) == [f"{NOTE}\n{KEPT}", "-run_passed" if later is PASSED else "-not_superseded"]


@pytest.mark.parametrize(
    ("mode", "first"),
    [
        (MarkerMode.FULL, NOTE),
        (MarkerMode.SUMMARY, "[failed run, superseded by a later run of the same command] ⟪cg⟫"),
        (MarkerMode.OFF, "[failed run, superseded by a later run of the same command]"),
    ],
)
def test_marker_is_what_the_mode_says(mode: MarkerMode, first: str) -> None:
    """And what was reduced is not reduced again."""
    component = FailedRun(marker_mode=mode)
    seen = view(GO, bash("pytest", FAILED), bash("pytest", PASSED), Said(text="Done."))
    answer = component.propose(slot(seen, 0))
    assert answer == Reduction(text=f"{first}\n{KEPT}")
    again = component.propose(slot(seen, 0, text=answer.text))
    assert again == Skip(reason="already_marked")


def test_all_but_the_newest_of_many_runs_are_reduced() -> None:
    """And runs of other commands count for themselves; one that passed is a result of its own."""
    other = FAILED.replace("test_total", "test_other")
    seen = view(
        GO,
        bash("pytest a", FAILED),
        bash("pytest b", PASSED),
        bash("pytest a", AGAIN),
        bash("pytest b", other),
        bash("pytest a", FAILED.replace("4.21s", "9.99s")),
        Said(text="Hm."),
    )
    assert reduced(FailedRun(), seen) == [0, 2]
    assert [answer for answer in answers(FailedRun(), seen) if answer.startswith("-")] == [
        "-run_passed",
        "-not_superseded",
        "-not_superseded",
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("pytest -q", "pytest   -q"),
        ("pytest -q", "pytest -q 2>&1"),
        ("pytest -q | tail -50", "pytest -q 2>&1 | tail -n 20"),
        ("timeout 60 pytest -q", "timeout 300 pytest -q"),
        ("cd /repo && pytest -q", "cd /repo && pytest -q | head -80"),
        ('pytest "-q"', "pytest -q; echo exit $?"),
        ("bash -c 'make'", 'bash -c "make"'),
    ],
)
def test_same_command_is_told_by_its_words(first: str, second: str) -> None:
    """How it is spaced, timed and cut does not matter."""
    seen = view(GO, bash(first, FAILED), bash(second, PASSED), Said(text="Done."))
    assert reduced(FailedRun(), seen) == [0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("pytest tests/a.py", "pytest tests/b.py"),
        ("pytest", "pytest -x"),
        ("cd a && make", "cd b && make"),
        ("CI=1 pytest", "CI=0 pytest"),
        ("python - <<'E'\nrun(1)\nE", "python - <<'E'\nrun(2)\nE"),
        ("make > a.log", "make > b.log"),
    ],
)
def test_another_command_supersedes_nothing(first: str, second: str) -> None:
    """Other tests, another folder, another environment, another script."""
    seen = view(GO, bash(first, FAILED), bash(second, PASSED), Said(text="Done."))
    assert reason(FailedRun(), seen, 0) == "not_superseded"


def test_folder_that_a_tool_is_given_is_part_of_the_command() -> None:
    """Codex calls its shell with a `workdir`, and puts the output into JSON."""

    def shell(folder: str, output: str, code: int) -> Call:
        said = json.dumps({"output": output, "metadata": {"exit_code": code, "duration_seconds": 1.5}})
        return Call(name="shell", arguments={"command": ["bash", "-lc", "pytest"], "workdir": folder}, output=said)

    seen = view(GO, shell("/a", FAILED, 1), shell("/b", PASSED, 0), shell("/a", PASSED, 0), Said(text="Done."))
    assert answers(FailedRun(), seen) == [f"{NOTE}\nExit code 1\n{KEPT}", "-run_passed", "-run_passed"]


@pytest.mark.parametrize(
    "later",
    [
        bash("pytest", "[Request interrupted by user for tool use]"),
        bash("pytest", "The user doesn't want to proceed with this tool use.", is_error=True),
        bash("pytest", "Command timed out after 2m 0.0s\ntests/a.py ....", is_error=True),
        bash("pytest", "Exit code 143\nCommand timed out after 2m 0.0s", is_error=True),
        bash("pytest", "Chunk ID: 1\nProcess running with session ID 3\nOutput:\ntests/a.py ....\n"),
        bash("pytest", "Command running in background with ID: 3"),
        bash("pytest", "<tool_use_error>Error: no such tool</tool_use_error>", is_error=True),
        bash("pytest", FAILED),
    ],
    ids=["interrupted", "refused", "timed out", "killed", "goes on", "background", "no tool", "identical"],
)
def test_run_that_tells_nothing_new_supersedes_nothing(later: Call) -> None:
    """An identical one neither: `dedup` points from it at the first."""
    seen = view(GO, bash("pytest", FAILED), later, Said(text="Hm."))
    assert reason(FailedRun(), seen, 0) == "not_superseded"


def test_identical_run_between_does_not_undo_a_later_one() -> None:
    """Once superseded, always superseded: runs 0, 1 and 3 are equal, run 2 is not."""
    runs = [bash("pytest", text) for text in (FAILED, FAILED, AGAIN, FAILED)]
    before = [reduced(FailedRun(), view(GO, *runs[:n], Said(text="Hm."))) for n in range(1, 5)]
    assert before == [[], [], [0, 1], [0, 1, 2]]


def test_silent_build_supersedes_its_failure() -> None:
    """A compiler that is content says nothing."""
    errors = "".join(f"src/app.ts({n},5): error TS2304: Cannot find name 'value{n}'.\n" for n in range(1, 40))
    seen = view(GO, bash("npx tsc --noEmit", errors), bash("npx tsc --noEmit", ""), Said(text="Done."))
    answer = answers(FailedRun(), seen)[0]
    assert answer.startswith(f"{NOTE}\nsrc/app.ts(1,5): error TS2304: Cannot find name 'value1'.\n")
    assert answer.endswith(
        "value11'.\n... (27 more like these)\nsrc/app.ts(39,5): error TS2304: Cannot find name 'value39'."
    )
    assert answer.count("error TS2304") == 12


def test_parallel_runs_wait_until_the_model_has_seen_them() -> None:
    """Nothing goes before it was read once."""
    both = Together(calls=(bash("pytest", FAILED), bash("pytest", PASSED)))
    assert reason(FailedRun(), view(GO, both), 0) == "not_superseded"
    assert reduced(FailedRun(), view(GO, both, Said(text="Done."))) == [0]


LOG = "2026-01-02 10:00:00 INFO start\n" * 20
SOURCE = "".join(f"{n:6}\tline {n}\n" for n in range(1, 60)) + "    60\tTraceback (most recent call last):\n"
DIFF = (
    "diff --git a/qdp.py b/qdp.py\n--- a/qdp.py\n+++ b/qdp.py\n@@ -1,3 +1,3 @@\n"
    + " context line of the file\n" * 20
    + "+Traceback (most recent call last):\n-FAILED tests/a.py::b - boom\n"
)


@pytest.mark.parametrize(
    "call",
    [
        bash("cat src/reader.py", FAILED),
        bash("sed -n 1,80p run.log", FAILED),
        bash("cd /repo && tail -100 build.log | grep FAILED", FAILED),
        bash("git show HEAD", FAILED),
        bash("git log -p | head -50", FAILED),
        bash("docker logs api", FAILED),
        bash("kubectl logs pod/api | tail -50", FAILED),
        bash("curl -s http://ci/log", FAILED),
        bash("echo 'an open quote", FAILED),
        bash("python show.py", SOURCE),
        bash("make show-diff", DIFF),
        bash("./server", LOG),
        Call(name="Read", arguments={"file_path": "tests/out.txt"}, output=FAILED),
        Call(name="Grep", arguments={"pattern": "FAILED", "output_mode": "content"}, output=FAILED),
        Call(name="WebFetch", arguments={"url": "http://ci"}, output=FAILED),
        Call(name="BashOutput", arguments={"bash_id": "1"}, output=FAILED),
        Call(name="write_stdin", arguments={"session_id": 1, "chars": ""}, output=FAILED),
        Call(name="mcp__ci__get_run_log", arguments={"run": 3}, output=FAILED),
        Call(name="mcp__files__read_file", arguments={"path": "log"}, output=FAILED),
    ],
    ids=lambda call: f"{call.name} {str(call.arguments)[:30]}",
)
def test_file_or_log_that_quotes_a_failure_is_no_run(call: Call) -> None:
    """However often it is shown again."""
    changed = Call(name=call.name, arguments=call.arguments, output=call.output + "one more line\n")
    seen = view(GO, call, changed, changed, Said(text="Hm."))
    assert answers(FailedRun(), seen) == ["-not_a_run"] * 3


QUOTES = {
    "traceback in a docstring": "   1\timport numpy as np\n   2\t\n   3\t'''Example of a bad file:\n"
    "   4\tTraceback (most recent call last):\n   5\t  ValueError: bad table\n   6\t'''\n   7\tdef read(path):\n",
    "failures = []": "  10\t    failures = []\n  11\t    n_failures = failures\n  12\t    if n_failures:\n",
    "git show": "commit 9f2ab7c41d0e\n    Fix qdp parsing\n\ndiff --git a/qdp.py b/qdp.py\n--- a/qdp.py\n+++ b/qdp.py\n"
    "+    # Traceback (most recent call last) used to appear here\n-    raise ValueError\n",
    "FAILED in a comment": "  42\tdef test_thing():\n  43\t    # FAILED cases are below\n  44\t    assert True\n",
}


@pytest.mark.parametrize("text", QUOTES.values(), ids=QUOTES)
def test_nine_false_collapses_of_context_guru_are_none_here(text: str) -> None:
    """The shapes of the 9 among its first 81, even where a command that is no reader printed them."""
    seen = view(GO, bash("./print-it", text * 5), bash("./print-it", text * 6), Said(text="Hm."))
    assert reduced(FailedRun(min_tokens=0), seen) == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("FAIL: test_a (tests.T.test_a)\nRan 3 tests in 0.1s\n\nFAILED (failures=1)\n", "FAILED (failures=1)"),
        (
            "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: got 3\nFAIL\nFAIL\tex.com/m\t0.2s\n",
            "--- FAIL: TestSum (0.00s)",
        ),
        ("    sum_test.go:9: got 3\n--- FAIL: TestSum (0.00s)\nFAIL\n", "sum_test.go:9: got 3"),
        ("error[E0308]: mismatched types\n  --> src/main.rs:3:5\n", "--> src/main.rs:3:5"),
        ("panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:\n", "panic: runtime error: index"),
        ("error[E0308]: mismatched types\n  --> src/main.rs:3:5\nerror: could not compile `a`\n", "error[E0308]: mis"),
        ("test tests::a ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed\n", "test tests::a ... FAILED"),
        ("FAIL src/a.test.ts\n  ● sum\nTests:       1 failed, 5 passed, 6 total\n", "Tests:       1 failed"),
        ("  3 passing (5ms)\n  1 failing\n\n  1) adds:\n", "1 failing"),
        ("npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\n", "npm ERR! code ELIFECYCLE"),
        ("npm error code E404\n", "npm error code E404"),
        ("src/a.c:3:5: error: 'x' undeclared\nmake: *** [Makefile:5: all] Error 1\n", "src/a.c:3:5: error: 'x'"),
        ("src/a.ts(3,5): error TS2304: Cannot find name\n", "src/a.ts(3,5): error TS2304"),
        ("[INFO] x\n[ERROR] COMPILATION ERROR\n[INFO] BUILD FAILURE\n", "[INFO] BUILD FAILURE"),
        ("> Task :test FAILED\n\nBUILD FAILED in 2s\n", "BUILD FAILED in 2s"),
        ("Failed!  - Failed:     3, Passed:     1\n", "Failed! - Failed: 3, Passed: 1"),
        ("a.cs(3,5): error CS0103: no\n\nBuild FAILED.\n", "a.cs(3,5): error CS0103: no"),
        ("5 examples, 2 failures\n", "5 examples, 2 failures"),
        ("FAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n", "FAILURES!"),
        ("a.py:3: error: bad [misc]\nFound 1 error in 1 file\n", "a.py:3: error: bad [misc]"),
        ('Traceback (most recent call last):\n  File "a.py", line 3\nValueError: no\n', "ValueError: no"),
        ("Exit code 2\nsomething went wrong\n", "Exit code 2"),
        ("Process exited with code 101\nOutput:\nx\n", "Process exited with code 101"),
        ("x\n[The command completed with exit code 1.]\n", "[The command completed with exit code 1.]"),
        ("<returncode>1</returncode>\n<output>\nx\n</output>", "<returncode>1</returncode>"),
        ("\x1b[31mFAILED\x1b[0m tests/a.py::b - boom\r\n", "FAILED tests/a.py::b - boom"),
    ],
)
def test_failure_of_each_runner_is_told_and_kept(text: str, kept: str) -> None:
    """From the tools' own words."""
    filler = "".join(f"step {n} of the run is done\n" for n in range(90))
    seen = view(GO, bash("./run", f"{text}{filler}"), bash("./run", "fine"), Said(text="Done."))
    (answer, _) = answers(FailedRun(), seen)
    assert any(line.startswith(" ".join(kept.split())) for line in answer.splitlines()[1:])


@pytest.mark.parametrize(
    "text",
    [
        "======== 41 passed, 0 failed in 9.10s ========",
        "41 passed, 2 warnings in 9.10s",
        "Ran 3 tests in 0.1s\n\nOK",
        "ok  \tex.com/m\t0.2s",
        "ok \tex.com/m\t0.2s",
        "test result: ok. 5 passed; 0 failed",
        "Tests:       6 passed, 6 total",
        "  3 passing (5ms)",
        "BUILD SUCCESSFUL in 2s",
        "[INFO] BUILD SUCCESS",
        "Passed!  - Failed:     0, Passed:     4",
        "5 examples, 0 failures",
        "Success: no issues found in 3 source files",
        "Exit code: 0\nOutput:\nTraceback (most recent call last):\n",
        "Traceback (most recent call last):\nValueError: caught\n302 passed in 1.2s",
    ],
)
def test_run_that_passed_is_kept(text: str) -> None:
    """It is a result that may still be needed; a traceback that it printed changes nothing."""
    filler = "a line of a test's own output\n" * 20
    seen = view(GO, bash("./run", f"{filler}{text}\n"), bash("./run", "x"), Said(text="Done."))
    assert reason(FailedRun(), seen, 0) == "run_passed"


def test_error_result_without_a_known_sign_keeps_its_last_lines() -> None:
    """Errors stand last."""
    text = "preparing the release\n" * 20 + "uploading\nno space left\ngiving up\n"
    seen = view(GO, bash("./release", text, is_error=True), bash("./release", "ok"), Said(text="Done."))
    assert answers(FailedRun(), seen)[0] == f"{NOTE}\nuploading\nno space left\ngiving up"


def test_tool_that_runs_tests_without_a_command_is_known_by_its_arguments() -> None:
    """An MCP tool with the same arguments ran the same."""

    def run(project: str, output: str) -> Call:
        return Call(name="mcp__ide__run_tests", arguments={"project": project}, output=output)

    seen = view(GO, run("a", FAILED), run("b", FAILED), run("a", PASSED), Said(text="Done."))
    assert reduced(FailedRun(), seen) == [0]


@pytest.mark.parametrize(
    ("earlier", "later", "numbers"),
    [
        (f"$ make test\n{FAILED}", f"$ make test\n{PASSED}", [0]),
        (f"$ make test\n{FAILED}", f"$ make lint\n{PASSED}", []),
        (f"$ cat out.log\n{FAILED}", f"$ cat out.log\n{PASSED}", []),
        (FAILED, AGAIN, [0]),
        (FAILED, "Tests:       6 passed, 6 total\n", []),
        (FAILED, AGAIN.replace("test_sums", "test_other").replace("test_module", "test_more"), []),
        (SOURCE, SOURCE + "x", []),
    ],
    ids=["prompt", "other command", "reader", "same runner", "other runner", "other files", "source"],
)
def test_output_without_a_call_is_told_by_its_text(earlier: str, later: str, numbers: list[int]) -> None:
    """By the command behind a prompt, else by the runner and the files that both name."""

    def orphan(text: str) -> dict[str, object]:
        result = {"type": "tool_result", "tool_use_id": "gone", "content": text}
        return {"role": "user", "content": [result]}

    said = {"role": "assistant", "content": "Hm."}
    messages = [{"role": "user", "content": "Go."}, said, orphan(earlier), said, orphan(later), said]
    seen = view_of({"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "S", "messages": messages})
    assert reduced(FailedRun(), seen) == numbers


@pytest.mark.parametrize(
    ("text", "min_tokens", "why"),
    [
        ("FAILED a::b - x", 100, "below_min_tokens"),
        ("FAILED a::b - x", 0, "not_smaller"),
        (FAILED + "<<cg:00000000000000aa>>", 100, "already_marked"),
        (FAILED + "⟪cg⟫", 100, "already_marked"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(text: str, min_tokens: int, why: str) -> None:
    """Short ones, marked ones, and those that would not get shorter."""
    seen = view(GO, bash("pytest", text), bash("pytest", PASSED), Said(text="Done."))
    assert reason(FailedRun(min_tokens=min_tokens), seen, 0) == why


def test_without_a_view_nothing_is_known() -> None:
    """A slot alone says nothing about later runs."""
    seen = view(GO, bash("pytest", FAILED), bash("pytest", PASSED), Said(text="Done."))
    assert FailedRun().propose(changed(slot(seen, 0), view=None)) == Skip(reason="no_view")


def test_waking_is_exactly_where_it_would_answer_otherwise() -> None:
    """An open slot is worth asking again once a later run says something else."""
    runs = [bash("pytest", FAILED), bash("ls", "x"), bash("pytest", PASSED)]
    woken = [FailedRun().wakes(0, view(GO, *runs[:n], Said(text="Hm."))) for n in (1, 2, 3)]
    assert woken == [False, False, True]
    assert FailedRun.passing == {"not_superseded"}
