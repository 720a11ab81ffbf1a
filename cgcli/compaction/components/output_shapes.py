"""What kind of text an output is, told by its lines: a numbered file, a diff, JSON, a log, plain command output."""

from __future__ import annotations

import re
from itertools import pairwise

_MOST_LINES = 2000
_LINE_CHARS = 300
"""As much of a line as is looked at."""

_NUMBER = re.compile(r"[ \t]{0,12}(\d{1,7})(?:[\t→│|:-]|  )")
_FEWEST_NUMBERED = 3
_DIFF = re.compile(
    r"^(?:diff --(?:git|cc|combined) |diff -|Index: |Only in \S|@@@? -\d|rename from )"
    r"|^\*{3} (?:\d+(?:,\d+)? \*{4}|Begin Patch)"
    r"|^--- \S[^\n]{0,4000}\n\+\+\+ \S",
    re.MULTILINE,
)
_CHANGED = re.compile(r"[+-](?![+-]{2})")
_JSON_BEGINS = re.compile(r"\s{0,99}(?:\{\s{0,99}[\"}]|\[\s{0,99}(?:[\[{\"\]]|-?\d|true|false|null))")
_TIME = r"\d{4}[-/]\d\d[-/]\d\d|\d{1,2}/\w{3}/\d{4}|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d|\d\d:\d\d:\d\d"
_LEVEL = r"TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|CRITICAL|FATAL|trace|debug|info|warn(?:ing)?|error"
_LOG_HEAD = re.compile(rf"[\[(<]?(?:{_TIME}|(?:{_LEVEL})\b[:\]> ]|[IWEF]\d{{4}} \d\d:)|time=|level=|ts=")
_KEYWORDS = (
    "def class import from return if elif else for while try except finally with async await raise yield pass assert "
    "func fn let const var public private protected static package use impl struct enum interface type export "
    "namespace template typedef void int switch case break continue throw new end require module do then fi esac"
)
# Code, configuration, markup, Markdown, tables and trees: lines that mean something where they stand.
_PLACED = re.compile(
    r"[ \t]{0,200}(?:"
    rf"(?:{'|'.join(_KEYWORDS.split())})\b(?!:)"
    r"|[#/*<|@&}\])│├└┌╭╰~`\"']|--?[ -]|[-+*] |\d{1,3}[.)] |\.\. |[\w.\[\]\"'$-]{1,80} ?(?:=|:=|\+=|=>|->)(?: |$)"
    r")"
)
_OPEN_END = re.compile(r"[{}\[(;,\\]\s{0,9}$|\|\s{0,9}$")
_INDENTED = re.compile(r"[ \t]+\S")
_PUNCTUATION = ".,;:!?()\"'"
_FEWEST_WORDS = 7
_FIELDS = re.compile(r"[^\t,;]+")

_BLOCKS = re.compile(r"\s{0,99}<|[^\0]{0,4000}-----BEGIN ")
"""Markup, and keys or certificates: blocks between lines that must match."""

_LOG_SHARE = 0.25
_PROSE_SHARE = 0.5
_PLACED_SHARE = 0.1
_INDENTED_SHARE = 0.34
_TABLE_SHARE = 0.8


def is_numbered(text: str) -> bool:
    """True for a file that was read with line numbers, and for a search in one file."""
    lines = _sample(text)
    numbers = [int(match[1]) for match in map(_NUMBER.match, lines) if match]
    if len(numbers) < max(_FEWEST_NUMBERED, len(lines) // 5):
        return False
    n_growing = sum(one < following for one, following in pairwise(numbers))
    return n_growing * 10 >= (len(numbers) - 1) * 9


def is_diff(text: str) -> bool:
    """True for unified and context diffs, in a commit too, and for hunks without their head."""
    if _DIFF.search(text):
        return True
    lines = _sample(text)
    n_changed = sum(1 for line in lines if _CHANGED.match(line))
    return n_changed * 10 >= max(1, len(lines)) and all(line[0] in "+- \\" for line in lines)


def is_json(text: str) -> bool:
    """True for what begins and ends as a JSON document does, and for JSON lines."""
    return text.rstrip()[-1:] in {"}", "]"} and _JSON_BEGINS.match(text) is not None


def is_log_or_plain(text: str) -> bool:
    """True for a log, and for command output in which no line depends on where it stands.

    Not so: code, configuration, markup, Markdown, prose, trees, tables, and what is mostly indented.
    """
    lines = _sample(text)
    if sum(1 for line in lines if _LOG_HEAD.match(line)) >= max(1, len(lines) * _LOG_SHARE):
        return True
    n_placed = sum(1 for line in lines if _PLACED.match(line) or _OPEN_END.search(line))
    n_indented = sum(1 for line in lines if _INDENTED.match(line))
    return (
        n_placed <= len(lines) * _PLACED_SHARE
        and n_indented <= len(lines) * _INDENTED_SHARE
        and sum(map(is_prose, lines)) < len(lines) * _PROSE_SHARE
        and not _BLOCKS.match(text)
        and not _is_table(lines)
    )


def is_prose(line: str) -> bool:
    """True where most of what white space parts are plain words, seven of them or more."""
    words = line.split()
    n_plain = sum(1 for word in words if word.strip(_PUNCTUATION).isalpha())
    return n_plain >= _FEWEST_WORDS and n_plain * 10 >= len(words) * 7


def _is_table(lines: list[str]) -> bool:
    """Rows with the same number of fields, two or more, parted by tabs, commas or semicolons."""
    if len(lines) < _FEWEST_NUMBERED:
        return False
    counts = [len(_FIELDS.findall(line)) for line in lines]
    most_common = max(set(counts), key=lambda n: (counts.count(n), n))
    return most_common > 1 and counts.count(most_common) >= len(lines) * _TABLE_SHARE


def _sample(text: str) -> list[str]:
    """The first lines that are not blank, cut to what is looked at."""
    return [line[:_LINE_CHARS] for line in text.split("\n", _MOST_LINES)[:_MOST_LINES] if line.strip()]
