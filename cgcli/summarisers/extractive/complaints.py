"""Which lines of an output say that something went wrong, and which one says how it ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.summarisers.extractive.lines import LINE_CHARS, lines, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_LINES = 6
"""Of one output."""
_LOOKED_AT_CHARS = 400
"""A line's beginning decides."""

# Each is anchored at the line's beginning or begins with a literal, and has no repetition inside of one.
_STRONG = re.compile(
    r"\s*(?:E\s{1,12})?(?:[\w.]{0,80}(?:Error|Exception|Interrupt|Panic|Failure)\b(?::|$|\s\()"
    r"|(?:fatal|panic|error|ERROR|Error|FATAL|thread '[^']{1,60}' panicked|abort)\b[^:\n]{0,24}[:!]"
    r"|npm ERR!|Exception in thread|E\s{3,8}\S|FAIL(?:ED|URE)?\b[:\s!]|--- FAIL"
    r"|[\u2717\u2718\u2716\u00d7]\s|Failed!?\s{1,4}-)"
)
_INSIDE = re.compile(
    r":\d{1,7}(?::\d{1,5})?:\s{1,4}(?:fatal )?(?:error(?::|\s[A-Z]{1,4}\d)|\w{0,40}Error\b)"
    r"|\bTS\d{4}:|\b[Ee]rror[:\[ ]{1,2}[EC]?\d"
    r"|::\w{1,200}(?:\[.{1,100}\])? FAILED\b|<returncode>[1-9]|\*\*\* \[.{1,200}\] Error \d"
)
_ENDS = re.compile(
    r"\bsegmentation fault\b|\bcore dumped\b|\bcommand not found\b|\bno such file or directory\b|\bpermission denied\b"
    r"|\bundefined reference\b|\bout of memory\b|\btimed out\b|\bconnection refused\b"
    r"|\bexit(?:ed)?[ _](?:with )?(?:code|status)[:= ]{0,3}[1-9]",
    re.IGNORECASE,
)
_LOGGED = re.compile(r".{0,60}?\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b")
_PLACE = re.compile(r'\s*File "([^"\n]{1,200})", line (\d{1,7})')
_NO_ERROR = re.compile(r"\b(?:0|[Nn]o) (?:errors?|failures?|failed)\b|\bPASSED\b|\bNoError\b")
_VARYING = re.compile(r"0x[0-9a-f]{1,16}|[0-9a-f]{8,40}|\d{1,20}", re.IGNORECASE)

_RESULT = re.compile(
    r"\b\d[\d,.]{0,12}\+?\s(?:passed|failed|errors?|failures?|tests?|warnings?|skipped|examples|files? changed)\b"
    r"|\b(?:finished|build|success(?:ful(?:ly)?)?|done|compiled|installed|no issues|all checks)\b|\btests?:|\berror:"
    r"|\b(?:ran|found|error) \d|\bexit(?:ed)?[ _](?:with )?(?:code|status)\b|^ok\b",
    re.IGNORECASE,
)
_PADDING = "=-_*# \t"
_SAYS = re.compile(r"\w.{0,80}?\w.{0,80}?\w")
_DATA = ("{", "[{", "}", "]")
"""How JSON begins and ends."""
_MOST_LINES_BACK = 40


def complaints(output: str) -> list[str]:
    """The lines of *output* that name an error, verbatim; at most 6, of which the last ones are kept.

    A Python traceback's last place stands before its exception. Lines that differ in numbers alone count once.
    """
    strong: dict[str, tuple[str, ...]] = {}
    weak: dict[str, tuple[str, ...]] = {}
    place: str | None = None
    for line in lines(output):
        head = line[:_LOOKED_AT_CHARS]
        if _PLACE.match(head):
            place = quoted(head)
        elif _NO_ERROR.search(head):
            continue
        elif _STRONG.match(head) or _INSIDE.search(head) or _ENDS.search(head):
            _take(strong, line, place)
            place = None
        elif _LOGGED.match(head):
            _take(weak, line, None)
    kept = _last(strong.values(), MOST_LINES)
    return kept + _last(weak.values(), MOST_LINES // 2 - len(kept))


def _take(kept: dict[str, tuple[str, ...]], line: str, place: str | None) -> None:
    """Keep *line* as the last one of its kind."""
    single = quoted(line)
    if not single:
        return
    kind = kind_of(single)
    kept.pop(kind, None)
    kept[kind] = (place, single) if place else (single,)


def kind_of(line: str) -> str:
    """*line* without what varies from run to run."""
    return _VARYING.sub("0", line)


def _last(groups: Iterable[tuple[str, ...]], most: int) -> list[str]:
    """The lines of the last groups that have at most *most* lines together, in order."""
    kept: list[tuple[str, ...]] = []
    for group in reversed(tuple(groups)):
        if sum(map(len, kept)) + len(group) > most:
            break
        kept.append(group)
    return [line for group in reversed(kept) for line in group]


def ending(output: str) -> str | None:
    """The line of *output* that says how it ended: `12 passed`, else the last one with words in it."""
    last = [bare for bare in map(_bare, _last_lines(output)) if bare and not bare.startswith(_DATA)]
    told = next((line for line in last if _RESULT.search(line)), None)
    return told or next((line for line in last if _SAYS.search(line)), None) or next(iter(last), None)


def _last_lines(output: str) -> Iterator[str]:
    """The last lines, from the end."""
    tail = list(lines(output[-_MOST_LINES_BACK * LINE_CHARS :]))
    if len(output) > _MOST_LINES_BACK * LINE_CHARS:
        tail = tail[1:]  # its beginning was cut off
    return reversed(tail[-_MOST_LINES_BACK:])


def _bare(line: str) -> str:
    return quoted(line.strip(_PADDING))
