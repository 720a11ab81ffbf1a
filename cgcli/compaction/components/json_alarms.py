"""Items of a JSON array that must be seen: faults, and those that are not made as the others are."""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from functools import lru_cache
from typing import Any

from cgcli.compaction.components.informative import tells_a_fault
from cgcli.compaction.components.terminal import IMPORTANT

_EXIT_KEY = re.compile(r"^(?:exit(?:[_ -]?(?:code|status))?|return[_ -]?code|rc)$", re.IGNORECASE)
_STATUS_KEY = re.compile(r"^(?:http[_ -]?)?(?:response[_ -]?)?(?:status(?:[_ -]?code)?|code)$", re.IGNORECASE)
_SUCCESS_KEY = re.compile(r"^(?:ok|success|successful|succeeded|passed|healthy|valid)$", re.IGNORECASE)
_BAD_STATUS = re.compile(r"[45]\d\d(?!\d)")
_KNOWN_CHARS = 64
"""A longer key is looked at each time."""
_NOTHING = frozenset({"", "0", "0.0", "none", "null", "false", "no"})


def is_alarming(parsed: Any) -> bool:
    """True where *parsed*, as `json_text.parse` reads it, tells of a fault at any depth.

    An error word or a place in a file (`a.py:12`) in a string; a key with an error word that says something; an exit
    code that is not 0; a status from 400 to 599; `"ok": false`.
    """
    if isinstance(parsed, str):
        return tells_a_fault(parsed)
    if isinstance(parsed, list):
        return any(map(is_alarming, parsed))
    if is_object(parsed):
        return any(_is_alarming_member(key, member) or is_alarming(member) for key, member in parsed)
    return False


def is_object(parsed: Any) -> bool:
    """True for an object that is not empty; numbers are tuples of characters."""
    return isinstance(parsed, tuple) and bool(parsed) and isinstance(parsed[0], tuple)


class _Key(StrEnum):
    """What a key says its value is."""

    FAULT = "fault"
    EXIT = "exit"
    STATUS = "status"
    SUCCESS = "success"
    OTHER = "other"


def _is_alarming_member(key: str, member: Any) -> bool:
    kind = _known_key(key) if len(key) <= _KNOWN_CHARS else _key(key)
    if kind is _Key.OTHER:
        return False
    text = _scalar(member)
    if kind is _Key.FAULT:
        return bool(member) if text is None else text not in _NOTHING
    if text is None:
        return False
    if kind is _Key.EXIT:
        return text not in _NOTHING
    if kind is _Key.STATUS:
        return _BAD_STATUS.match(text) is not None
    return member is False


def _key(key: str) -> _Key:
    if _EXIT_KEY.match(key):
        return _Key.EXIT
    if IMPORTANT.search(key):
        return _Key.FAULT
    if _STATUS_KEY.match(key):
        return _Key.STATUS
    return _Key.SUCCESS if _SUCCESS_KEY.match(key) else _Key.OTHER


# The items of an array have the same few keys.
_known_key = lru_cache(maxsize=1024)(_key)


def _scalar(parsed: Any) -> str | None:
    """*parsed* as text in lower case; None for arrays and objects."""
    if isinstance(parsed, str):
        return parsed.strip().lower()
    if parsed is None or isinstance(parsed, bool):
        return str(parsed).lower()
    return "".join(parsed) if isinstance(parsed, tuple) and parsed and not is_object(parsed) else None


def odd_ones(items: list[Any]) -> set[int]:
    """The indices of *items* that are not made as most are: other keys, or an array or object in another place."""
    shapes = [_shape(item) for item in items]
    usual, _ = Counter(shapes).most_common(1)[0]
    return {i for i, shape in enumerate(shapes) if shape != usual}


def _shape(parsed: Any) -> Any:
    if is_object(parsed):
        return frozenset((key, _kind(member)) for key, member in parsed)
    return _kind(parsed)


def _kind(parsed: Any) -> str:
    if isinstance(parsed, list):
        return "array"
    if is_object(parsed) or parsed == ():
        return "object"
    return "scalar"
