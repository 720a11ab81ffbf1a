r"""Regular expressions of filters: refused where a text could make them slow, compiled on first use.

An expression sees at most `LONGEST_CHARS` of a line and is tried at its beginning alone, so a text costs time in
proportion to its length as long as the work for one line is bounded. Repetitions inside repetitions, and alternatives
inside them, are refused: they are exponential. For all others the steps that backtracking may take are multiplied out;
a possessive repetition (`\S++`) takes none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from math import prod
from typing import Any

LONGEST_CHARS = 400
"""A longer line is never matched: it stays as it is."""
LONGEST_EXPRESSION = 1_000
MOST_STEPS = 200_000
"""On one line: two open repetitions, and little beside them."""

_FEW = 4
"""A group that is repeated at most so often may repeat something itself: `(\\d{1,3}\\.){3}`."""
_BACKTRACKING = frozenset({"MAX_REPEAT", "MIN_REPEAT"})
_REPEATS = _BACKTRACKING | {"POSSESSIVE_REPEAT"}
_GROUPS = frozenset({"SUBPATTERN", "ASSERT", "ASSERT_NOT", "ATOMIC_GROUP"})


class Slow(ValueError):
    """An expression that a text could make slow; the message says why, `hint` what to write instead."""

    def __init__(self, message: str, hint: str) -> None:
        """Keep both."""
        super().__init__(message)
        self.hint = hint


@lru_cache(maxsize=512)
def compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One expression that matches where one of *patterns* does; of none of them, one that matches nothing."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) if patterns else r"(?!)")


def check(pattern: str) -> None:
    """Refuse a *pattern* that is wrong, or that a text could make slow.

    Raises:
        Slow: it is too long, refers back, repeats what repeats, or backtracks too much.
        re.error: it is no regular expression.
    """
    if len(pattern) > LONGEST_EXPRESSION:
        raise Slow(f"longer than {LONGEST_EXPRESSION:,} characters", "write several shorter ones")
    if steps(pattern) > MOST_STEPS:
        raise Slow("too many repetitions that backtrack", r"write `\S++` for `\S+` where what follows is none of them")


def steps(pattern: str) -> int:
    """How many ways there are to divide a line of `LONGEST_CHARS` among the repetitions of *pattern*.

    Raises:
        Slow: there is no such bound.
        re.error: it is no regular expression.
    """
    # The tree of an expression has no public name; with it no second grammar is needed.
    parser: Any = import_module("re._parser")
    re.compile(pattern)
    return _steps(parser.parse(pattern), repeated=False)


def _steps(nodes: Any, *, repeated: bool) -> int:
    """Those of *nodes* in a row; *repeated* says that they stand in a group that is repeated often."""
    return prod(_steps_of(str(op), argument, repeated=repeated) for op, argument in nodes)


def _steps_of(name: str, argument: Any, *, repeated: bool) -> int:
    if name in _REPEATS:
        return _steps_of_repeat(argument, backtracks=name in _BACKTRACKING, repeated=repeated)
    if name == "BRANCH":
        if repeated:
            raise Slow("alternatives inside a repetition", "repeat one set of characters: `[ab]*`")
        return sum(_steps(branch, repeated=False) for branch in argument[1])
    if name in _GROUPS:
        return _steps(argument if name == "ATOMIC_GROUP" else argument[-1], repeated=repeated)
    if name.startswith("GROUPREF"):
        raise Slow("a reference to a group", "write out what is to be found")
    return 1


def _steps_of_repeat(argument: Any, *, backtracks: bool, repeated: bool) -> int:
    fewest, most = int(argument[0]), int(argument[1])
    if repeated and (fewest != most or most > _FEW):
        raise Slow("a repetition inside a repetition", r"write it out, or in one set of characters: `[\w.]*`")
    inner = _steps(argument[2], repeated=repeated or most > _FEW)
    ways = min(most - fewest + 1, LONGEST_CHARS) if backtracks else 1
    return int(ways * inner ** min(most, _FEW))


def check_template(pattern: str, template: str) -> None:
    """Refuse a *template* that does not go with *pattern*.

    Raises:
        ValueError: it has more than one line, or names a group that is not there.
    """
    if "\n" in template or "\r" in template:
        raise ValueError("more than one line")
    n_groups = re.compile(pattern).groups
    for escaped in re.findall(r"\\(.?)", template):
        if not (escaped == "\\" or (escaped.isascii() and escaped.isdigit() and 0 < int(escaped) <= n_groups)):
            raise ValueError(f"`\\{escaped}` names none of the {n_groups} groups")
