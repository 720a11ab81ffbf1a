"""The lines that stay whatever a filter says: failures, places in files, exit codes, counts of tests.

Being wrong in one direction only costs tokens: a line that merely looks important stays.
"""

from __future__ import annotations

import re

from cgcli.compaction.components.terminal import without_ansi

WORDS = tuple(
    "error|err!|fail|exception|panic|fatal|traceback|warn|abort|denied|killed|assert|undefined|unresolved|unreachable|"
    "not found|no such|no tests|not ok|cannot|can't|can\N{RIGHT SINGLE QUOTATION MARK}t|could not|couldn't|unable to|"
    "refused|rejected|timed out|timeout|missing|conflict|segfault|segmentation|core dumped|unsupported|unexpected|"
    "invalid|illegal|mismatch|corrupt|forbidden|unauthorized|not permitted|incompatible|deprecat|vulnerabilit|critical|"
    "severe|violat|exit code|exit status|exit_code|exit-code|exitcode|exited with|returned non-zero|returncode|destroy|"
    "✗|✕|✖|✘|\N{MULTIPLICATION SIGN}|❌".split("|")
)
"""A line with one of them, in any case, stays."""

_COUNTED = (
    "passed|passing|skipped|pending|ignored|todo|tests?|specs?|examples?|suites?|assertions?|items|added|removed|"
    "changed?|to change|upgraded|newly|imported"
)
_FACTS = (
    (re.compile(r"\.[A-Za-z]\w{0,9}(?:[:(]|[: ]\d{1,7}:)\d"), (".",)),  # a place: main.c:3, t.ts(1,7), index.js 2:0
    (re.compile(r"\bline \d"), ("line ",)),
    (
        re.compile(r"(?:[Ee]xit|EXIT|[Rr]eturned|[Ss]tatus|[Cc]ode)[ =:]{1,2}-?\d"),
        ("exit", "returned", "status", "code"),
    ),
    (
        re.compile(r"\b(?:[Aa]dded|[Rr]emoved|[Cc]hanged|[Aa]udited|[Ii]nstalled) \d"),
        ("added", "removed", "changed", "audited", "installed"),
    ),
    (re.compile(rf"\d (?:{_COUNTED})\b"), tuple(_COUNTED.replace("?", "").split("|"))),
    (
        re.compile(r"\b(?:Passed|Skipped|Total|Ran|[Tt]ests|Suites|Files)[!:]?[\s:-]{1,12}\d"),
        ("passed", "skipped", "total", "ran", "tests", "suites", "files"),
    ),
)
"""Expressions for facts with a number in them; where none of its words is in a text, one need not be tried."""

_NOTE = re.compile(r"(?:\.\.\. \(\d{1,9} (?:more like this|lines? omitted)\)|.{1,200} \(\d{1,9} lines? omitted\))\s*")
_GUTTER = re.compile(r"\s{0,8}(?:\d{1,7}\s{0,4})?[|│>╰╭╷╵]|E  ")
_MOST_BELOW = 20
"""Indented lines that stay under a line that stays."""


def note(n_lines: int, *, said: str = "...") -> str:
    """What stands where *n_lines* were taken out."""
    return f"{said} ({n_lines} {'line' if n_lines == 1 else 'lines'} omitted)"


class Guard:
    """The rule for one text: what is nowhere in it need not be looked for in its lines."""

    def __init__(self, text: str) -> None:
        """Look at *text* as a whole, once."""
        lowered = without_ansi(text).lower()
        self._words = tuple(word for word in WORDS if word in lowered)
        self._facts = tuple(fact for fact, needles in _FACTS if any(needle in lowered for needle in needles))
        self._known: dict[str, bool] = {"": False}

    def protects(self, line: str) -> bool:
        """True where *line* stays."""
        known = self._known.get(line)
        if known is None:
            known = self._known[line] = self._protects(without_ansi(line))
        return known

    def _protects(self, line: str) -> bool:
        lowered = line.lower()
        if any(word in lowered for word in self._words) or any(fact.search(line) for fact in self._facts):
            return True
        return line.rstrip().endswith(")") and _NOTE.fullmatch(line) is not None

    def protected(self, lines: list[str]) -> list[bool]:
        """For each line whether it stays."""
        return [self.protects(line) for line in lines]

    def protected_with_details(self, lines: list[str]) -> list[bool]:
        """As `protected`, and the lines below one that stays where they are indented deeper or stand behind a gutter.

        They are the code of a traceback, the line a compiler points at: a stage that drops lines without naming them
        must not part them from what they explain.
        """
        kept = []
        indent, n_below = -1, 0
        for line in lines:
            stays = self.protects(line)
            if stays:
                indent, n_below = _indent(line), 0
            elif indent >= 0 and n_below < _MOST_BELOW and line.strip():
                n_below += 1
                stays = _indent(line) > indent or _GUTTER.match(line) is not None
            if not stays:
                indent = -1
            kept.append(stays)
        return kept


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
