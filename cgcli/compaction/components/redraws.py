r"""The states of a progress display that a `\r` overwrote, told apart from lines that end in a bare `\r`.

A state goes only where the next one says all that it said: the same words and numbers, and a percentage, an
amount (`3/9`) or a spinner that moved on. So a file with bare `\r` line ends keeps its rows.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cgcli.compaction.components.terminal import IMPORTANT
from cgcli.model import value

_LONGEST_STATE = 1000
_SIZE = r"(?:[kKMGTP]i?)?[bB](?:ytes|its?)?|[kKMGTP]"
_NUMBER = r"\d{1,15}(?:\.\d{1,6})?"
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,2})?) ?%")
_AMOUNT = re.compile(rf"(?<![\d/.])({_NUMBER}) ?(?:{_SIZE})? ?(?:/|of) ?({_NUMBER}) ?(?:(?:{_SIZE})\b)?(?![\d/])")
_RATES = re.compile(
    rf"\d{{1,3}}(?:,\d{{3}})++(?!\d)|{_NUMBER} ?(?:{_SIZE})(?:/s|ps)?\b|{_NUMBER}(?:it/s|s/it|ms|[smh]\b)"
    r"|(?<![\d:])\d{1,3}(?::\d\d){1,2}(?![\d:])|\?|\b(?:eta|ETA)\b|-?-:--(?::--)?"
)
# The rows of curl's meter: twelve columns of figures, three of them times.
_CURL = re.compile(
    r"\s{0,9}(\d{1,3})(?:\s{1,9}[\d.]{1,9}[kMGTP]?){7}(?:\s{1,9}[-\d]{1,3}:[-\d]{2}:[-\d]{2}){3}\s{1,9}[\d.]{1,9}[kMGTP]?\s{0,9}"
)
_SPINNER = re.compile(r"[\u2800-\u28ff◐◓◑◒◴◷◶◵]|^[|/\\-](?=\s|$)|(?<=\s)[|/\\-]$|\.{1,9}$")
_BAR = re.compile(r"[█▉▊▋▌▍▎▏▓▒░━╸╺■□▰▱]{2}|\[[=#>. -]{3}|[=#]{3}")
_WORD = re.compile(r"[^\W_]+")


@value
class _State:
    text: str
    words: tuple[str, ...]
    """Words and numbers that are no progress figures."""
    kind: str
    """What moves: `percent`, `amount 9`, `spinner`; empty where nothing does."""
    done: float


def without_redraws(text: str) -> str:
    r"""*text* with the last state of each display that was redrawn by `\r` inside a line.

    What stays is kept byte for byte: a line's end (`\n`, `\r\n`, `\r\r\n`) and states that are no redraws.
    """
    if "\r" not in text:
        return text
    return "\n".join(_last(line) if "\r" in line else line for line in text.split("\n"))


def _last(line: str) -> str:
    core = line.rstrip("\r")
    if "\r" not in core:
        return line
    written = [text for text in core.split("\r") if text.strip()]
    kept: list[_State] = []
    for state in map(_state, written):
        while kept and _redraws(state, kept[-1]):
            kept.pop()
        kept.append(state)
    if len(kept) == len(written):
        return line
    return "\r".join(state.text for state in kept) + line[len(core) :]


def _redraws(state: _State, before: _State) -> bool:
    return (
        before.kind != ""
        and state.kind == before.kind
        and state.done >= before.done
        and state.words[: len(before.words)] == before.words
        and not IMPORTANT.search(before.text)
    )


@lru_cache(maxsize=256)
def _state(text: str) -> _State:
    if len(text) > _LONGEST_STATE:
        return _State(text=text, words=(), kind="", done=0)
    curl = _CURL.fullmatch(text)
    if curl:
        return _State(text=text, words=(), kind="curl", done=float(curl[1]))
    percent, amount = _PERCENT.search(text), _AMOUNT.search(text)
    kind, done = "", 0.0
    if percent:
        kind, done = "percent", float(percent[1])
    elif amount:
        kind, done = f"amount {amount[2]}", float(amount[1])
    elif _SPINNER.search(text) or _BAR.search(text):
        kind = "spinner"
    rest = _RATES.sub(" ", _AMOUNT.sub(" ", _PERCENT.sub(" ", text)))
    return _State(text=text, words=tuple(_WORD.findall(rest)), kind=kind, done=done)
