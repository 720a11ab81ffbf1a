"""Test and build runs as they look in a tool's output: which failed, which passed, and what failed in them.

Every sign stands at the beginning of a line: a file that was read with line numbers, a diff or a sentence that quotes a
failure has none. Written from the tools' own output.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.compaction.components.output_shapes import is_diff, is_numbered
from cgcli.compaction.components.terminal import without_ansi

if TYPE_CHECKING:
    from collections.abc import Iterator


class Verdict(StrEnum):
    """How a run ended."""

    FAILED = "failed"
    PASSED = "passed"
    UNTOLD = "untold"
    """Nothing in the text says so."""
    CUT_SHORT = "cut_short"
    """It was refused, interrupted, timed out, or goes on in the background."""


_COUNTS = r"(?:\d{1,7} [a-z]{1,12}, ){0,8}"
_FAILED_AT_LAST = re.compile(
    rf"^(?:={{2,300}} )?{_COUNTS}[1-9]\d{{0,6}} (?:failed|errors?)\b[^\n]{{0,200}}? in \d"  # pytest
    r"|^={3,300} (?:FAILURES|ERRORS) ={3,300}\r?$"
    r"|^FAILED \((?:failures|errors|unexpected successes)=\d"  # unittest
    r"|^FAIL(?:\t\S|\r?$)|^panic: |^ {0,32}--- FAIL: "  # go
    r"|^test result: FAILED\.|^error: (?:could not compile|test failed)"  # cargo
    r"|^ {0,8}Tests:? {1,12}(?:\d{1,7} \w{1,12}(?:,| \|) ){0,4}[1-9]\d{0,6} failed"  # jest, vitest
    r"|^ {1,4}[1-9]\d{0,6} failing\b|^# fail [1-9]|^not ok \d"  # mocha, node, TAP
    r"|^npm (?:ERR!|error) |^make(?:\[\d{1,3}\])?: \*\*\* |^ninja: build stopped|^FAILED: \S"
    r"|^BUILD FAIL(?:ED|URE)|^\[(?:INFO|ERROR)\] BUILD FAILURE|^FAILURE: Build failed"  # gradle, maven
    r"|^Failed! {1,4}- Failed:|^Build FAILED"  # dotnet
    r"|^\d{1,7} examples?, [1-9]\d{0,6} failures?"  # rspec
    r"|^\d{1,7} (?:runs|tests), \d{1,7} assertions, (?:[1-9]\d{0,6} failures|0 failures, [1-9])"  # minitest
    r"|^FAILURES!\r?$|^Found [1-9]\d{0,6} errors?\b|^\N{HEAVY MULTIPLICATION X} [1-9]"  # phpunit, linters
    r"|^(?:[Ee]xit (?:code|status)|Process exited with code|Command exited with code):? -?[1-9]"
    r"|^\[(?:The command completed|Command finished) with exit code -?[1-9]|^<returncode>-?[1-9]",
    re.MULTILINE,
)
_PASSED_AT_LAST = re.compile(
    rf"^(?:={{2,300}} )?{_COUNTS}[1-9]\d{{0,6}} passed\b[^\n]{{0,200}}? in \d"
    r"|^OK(?: \([^\n]{0,200}\))?\r?$|^ok {1,4}\t?\S|^ok\t\S|^PASS\r?$|^test result: ok\."
    r"|^ {0,8}Tests:? {1,12}(?:\d{1,7} \w{1,12}(?:,| \|) ){0,4}[1-9]\d{0,6} passed"
    r"|^ {1,4}[1-9]\d{0,6} passing\b|^# fail 0\r?$"
    r"|^BUILD SUCCESS|^\[INFO\] BUILD SUCCESS|^Passed! {1,4}- |^Build succeeded"
    r"|^\d{1,7} examples?, 0 failures|^\d{1,7} (?:runs|tests), \d{1,7} assertions, 0 failures, 0 errors"
    r"|^Success: no issues found|^All checks passed|^Found 0 errors"
    r"|^(?:[Ee]xit (?:code|status)|Process exited with code|Command exited with code):? 0\b"
    r"|^\[Command finished with exit code 0\b|^<returncode>0<",
    re.MULTILINE,
)
_EXCEPTION = r"[A-Za-z_][\w.]{0,120}(?:Error|Exception|Interrupt|Exit)(?:: |\r?$)"
_FAULT = re.compile(
    r"^(?:FAILED|ERROR) \S{1,300}(?:::| - )|^(?:FAIL|ERROR): \w{1,200} \(|^_{1,200} ERROR collecting |^E {1,8}\S"
    r"|^ {0,32}--- FAIL: |^test \S{1,300} \.\.\. FAILED|^error(?:\[E\d{4}\])?: \S"
    r"|^ {0,4}FAIL {1,4}\S|^ {0,8}[\N{MULTIPLICATION X}\N{HEAVY MULTIPLICATION X}\N{BULLET}] \S"
    r"|^[^\s:][^\n:]{0,300}:\d{1,7}:(?:\d{1,7}:)? (?:fatal )?error\b"
    r"|^(?:[A-Za-z]:)?[^\s(:][^\n(:]{0,300}\(\d{1,7},\d{1,7}\): error [A-Z]{1,6}\d"
    r"|^[^\s:][^\n:]{0,300}:\d{1,7}:\d{1,7} - error TS\d|^thread '[^'\n]{1,200}' panicked at "
    r"|^\[ERROR\] \S|^Traceback \(most recent call last\):\r?$"
    rf"|^{_EXCEPTION}",
    re.MULTILINE,
)


def _behind_a_line_end(sign: re.Pattern[str]) -> re.Pattern[str]:
    """*sign*, all of which begins a line, with the line end before it: what stands in between is skipped at once."""
    return re.compile(rf"\n(?:{sign.pattern})", re.MULTILINE)


_FAILED_IN, _PASSED_IN, _FAULT_IN = map(_behind_a_line_end, (_FAILED_AT_LAST, _PASSED_AT_LAST, _FAULT))
_KEPT = re.compile(
    r"\S{1,200}\.\w{1,8}:\d{1,7}: [A-Z]\w{0,60}(?:Error|Exception|Failure)\b| {4,16}\S{1,200}\.go:\d{1,7}: "
    r"| {1,8}--> \S{1,200}:\d| {1,4}Failed \S{1,200} \["
    r"|[\w./-]{1,80}: [^\n]{0,200}(?:not found|No such file or directory|Permission denied)$"
    r"|(?:=+ )?no tests ran\b|collected 0 items|Segmentation fault"
)
"""What failed, or where: kept, but no sign by itself."""
_FRAME = re.compile(r"\s{1,40}at \S.{0,300}(?::\d|:line \d)")
_RAISED = re.compile(_EXCEPTION)
_FRAME_ABOVE = re.compile(r'\s{1,40}File "[^"\n]{1,300}", line \d')
_CUT_SHORT = re.compile(
    r"^\s{0,99}(?:<tool_use_error>|\[Request interrupted|The user doesn't want|User rejected|Permission to use"
    r"|(?:Exit code \d{1,3}\s{1,9})?Command (?:timed out|running in background|was aborted)"
    r"|Error: (?:Command timed out|timeout))"
)
_GOES_ON = re.compile(r"^Process running with session ID", re.MULTILINE)
_HEAD_CHARS = 500
_PYTEST = rf"^(?:={{2,300}} )?{_COUNTS}\d{{1,7}} (?:passed|failed|errors?)\b[^\n]{{0,200}}? in \d"
_FAMILIES = {
    "pytest": re.compile(_PYTEST, re.MULTILINE),
    "unittest": re.compile(r"^Ran \d{1,7} tests? in ", re.MULTILINE),
    "go": re.compile(r"^(?:ok|FAIL|---)[ \t]+\S|^PASS\r?$", re.MULTILINE),
    "cargo": re.compile(r"^test result: ", re.MULTILINE),
    "jest": re.compile(r"^ {0,8}Tests:? {1,12}\d{1,7} \w", re.MULTILINE),
    "mocha": re.compile(r"^ {1,4}\d{1,7} (?:passing|failing)\b", re.MULTILINE),
    "gradle": re.compile(r"^BUILD (?:SUCCESSFUL|FAILED)", re.MULTILINE),
    "maven": re.compile(r"^\[INFO\] BUILD ", re.MULTILINE),
}
_TARGET = re.compile(
    r"(?<![\w-])[\w-]{1,80}(?:\.[\w-]{1,20}){0,2}\.(?:py|go|rs|jsx?|tsx?|rb|java|kt|cs|php|c|cc|cpp)\b"
)
_ENVELOPE = re.compile(r"\s{0,99}\{\s{0,99}\"(?:output|stdout|metadata|exit_code)\"")
_LINE_CHARS = 2000


def shown(text: str) -> str:
    """What a terminal showed: without escapes, and out of the JSON that some runners put around it."""
    if _ENVELOPE.match(text):
        text = _out_of(text)
    return without_ansi(text)


def verdict(text: str, *, is_error: bool) -> Verdict:
    """How the run ended whose output (see `shown`) is *text*; *is_error* where the result says that it is one.

    A last word counts more than lines on the way: a passed run may have printed a traceback.
    """
    if _CUT_SHORT.match(text) or _GOES_ON.search(text, 0, _HEAD_CHARS):
        return Verdict.CUT_SHORT
    if is_numbered(text) or is_diff(text):
        return Verdict.UNTOLD
    lines = f"\n{text}"
    if _FAILED_IN.search(lines):
        return Verdict.FAILED
    if not is_error and _PASSED_IN.search(lines):
        return Verdict.PASSED
    return Verdict.FAILED if is_error or _FAULT_IN.search(lines) else Verdict.UNTOLD


def faults(text: str) -> list[str]:
    """The lines of *text* that say what failed, in order, each once; the last lines where none does.

    Of the frames of a stack the one in which it happened: the first of those with `at`, the last of Python's.
    """
    lines = [line for row in text.split("\n") if (line := row[:_LINE_CHARS].strip("\r"))]
    found = dict.fromkeys(line.strip() for line in _telling(lines))
    return [line for line in found if line] or [line.strip() for line in lines[-3:] if line.strip()]


def _telling(lines: list[str]) -> Iterator[str]:
    above = ""
    is_below_frame = False
    for line in lines:
        is_frame = _FRAME.match(line) is not None
        if _FRAME_ABOVE.match(line):
            above = line
        elif any(sign.match(line) for sign in (_FAULT, _FAILED_AT_LAST, _KEPT)):
            if above and _RAISED.match(line):
                yield above
                above = ""
            yield line
        elif is_frame and not is_below_frame:
            yield line
        is_below_frame = is_frame


def family(text: str) -> str | None:
    """The runner whose last word stands in *text*; None where that is no known one."""
    return next((name for name, pattern in _FAMILIES.items() if pattern.search(text)), None)


def targets(text: str) -> frozenset[str]:
    """The source files that *text* names, without their folders."""
    return frozenset(_TARGET.findall(text))


def _out_of(text: str) -> str:
    """The output in a JSON envelope, with its exit code as a line of its own; *text* itself where it is none."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(tree, dict):
        return text
    output = next((tree[key] for key in ("output", "stdout") if isinstance(tree.get(key), str)), None)
    if output is None:
        return text
    metadata = tree.get("metadata")
    code = (metadata if isinstance(metadata, dict) else tree).get("exit_code")
    return f"Exit code {code}\n{output}" if isinstance(code, int) and not isinstance(code, bool) else output
