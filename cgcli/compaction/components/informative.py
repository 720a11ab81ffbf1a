"""Lines that a reader acts on: errors, places in files, exit codes, counts of tests, addresses."""

from __future__ import annotations

import re

# Each pattern begins with something rare or is bounded, so that a megabyte without a match costs linear time.
_PLACE = re.compile(
    r"\.[A-Za-z]\w{0,9}[\"']?(?::|\(|, line )\d"  # a.py:3, A.java:12, a.ts(3,5), File "a.py", line 3
    r"|/[\w.-]{1,64}:\d"  # bin/run:3
    r"|\bMakefile:\d|\bDockerfile:\d"
    r"|\bline \d"
    r"|(?:^|\n)\s{0,40}at \S"  # a frame of a stack
)
_TESTS = re.compile(
    r"\b\d{1,9} (?:tests?|specs?|examples?|suites?|passed|passing|pending|skipped|xfailed|xpassed|assertions?)\b"
    r"|\b[Tt]ests?(?: [Rr]un| [Ss]uites)?: {0,9}\d|(?:^|\n)(?:PASS|ok|not ok)\b"
)
_FAULTS = tuple(
    "error|fail|exception|panic|fatal|traceback|warn|abort|denied|killed|exit code|exit_code|exit-code|exitcode|"
    "exit status|exit_status|exit-status|exitstatus|refused|rejected|forbidden|not found|no such|no tests|not ok|"
    "cannot|can't|can\N{RIGHT SINGLE QUOTATION MARK}t|could not|couldn't|couldn\N{RIGHT SINGLE QUOTATION MARK}t|"
    "unable to|timed out|segmentation|core dumped|exited with|non-zero".split("|")
)
"""What says, in any case, that something went wrong. Looked for one by one: ten times faster than an expression."""
_ADDRESS = "://"


def is_informative(text: str) -> bool:
    """True where *text* tells a fault, or has a count of tests or an address."""
    return _ADDRESS in text or tells_a_fault(text) or _TESTS.search(text) is not None


def tells_a_fault(text: str) -> bool:
    """True where *text* says that something went wrong, or has an exit code or a place in a file."""
    lowered = text.lower()
    return any(words in lowered for words in _FAULTS) or _PLACE.search(text) is not None
