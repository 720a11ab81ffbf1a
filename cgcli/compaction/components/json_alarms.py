"""Items of a JSON array that must be seen: faults, and those that are not made as the others are."""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from cgcli.compaction.components.informative import tells_a_fault
from cgcli.compaction.components.terminal import IMPORTANT

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXIT_KEY = re.compile(r"^(?:exit(?:[_ -]?(?:code|status))?|return[_ -]?code|rc)$", re.IGNORECASE)
_STATUS_KEY = re.compile(r"^(?:http[_ -]?)?(?:response[_ -]?)?(?:status(?:[_ -]?code)?|code)$", re.IGNORECASE)
_SUCCESS_KEY = re.compile(r"^(?:ok|success|successful|succeeded|passed|healthy|valid)$", re.IGNORECASE)
_BAD_STATUS = re.compile(r"[45]\d\d(?!\d)")
_BETWEEN = "\n"
"""Between texts that are looked at together: no sign of a fault goes past the end of a line."""
_NOTHING = frozenset({"", "0", "0.0", "none", "null", "false", "no"})


def alarming_ones(items: Sequence[Any]) -> set[int]:
    """The indices of those of *items*, as `json_text.parse` reads them, that tell of a fault at any depth.

    An error word or a place in a file (`a.py:12`) in a string; a key with an error word that says something; an exit
    code that is not 0; a status from 400 to 599; `"ok": false`.
    """
    telling = _Telling()
    texts = [_text(item, telling) for item in items]
    told = [text for text in texts if text is not None]
    # Most arrays tell of no fault: then one look is enough.
    tells = tells_a_fault if tells_a_fault(_BETWEEN.join(told)) else _tells_nothing
    return {i for i, text in enumerate(texts) if text is None or tells(text)}


def _tells_nothing(_: str) -> bool:
    return False


class _Telling(dict[str, "_Key | None"]):
    """What keys say about their values; None where nothing. The items of an array have the same few keys."""

    def __missing__(self, key: str) -> _Key | None:
        found = self[key] = _key(key)
        return found


def _text(parsed: Any, telling: _Telling) -> str | None:
    """Every string in *parsed*, each on a line of its own; None where a member says that something went wrong."""
    texts: list[str] = []
    waiting = [parsed]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            texts.append(node)
        elif isinstance(node, list):
            waiting += node
        elif is_object(node):
            for key, member in node:
                kind = telling[key]
                if kind is not None and _is_alarming_member(kind, member):
                    return None
                if isinstance(member, str):
                    texts.append(member)
                elif isinstance(member, (list, tuple)):
                    waiting.append(member)
    return _BETWEEN.join(texts)


def is_object(parsed: Any) -> bool:
    """True for an object that is not empty; numbers are tuples of characters."""
    return isinstance(parsed, tuple) and bool(parsed) and isinstance(parsed[0], tuple)


class _Key(StrEnum):
    """What a key says its value is."""

    FAULT = "fault"
    EXIT = "exit"
    STATUS = "status"
    SUCCESS = "success"


def _is_alarming_member(kind: _Key, member: Any) -> bool:
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


def _key(key: str) -> _Key | None:
    if _EXIT_KEY.match(key):
        return _Key.EXIT
    if IMPORTANT.search(key):
        return _Key.FAULT
    if _STATUS_KEY.match(key):
        return _Key.STATUS
    return _Key.SUCCESS if _SUCCESS_KEY.match(key) else None


def _scalar(parsed: Any) -> str | None:
    """*parsed* as text in lower case; None for arrays and objects."""
    if isinstance(parsed, str):
        return parsed.strip().lower()
    if parsed is None or isinstance(parsed, bool):
        return str(parsed).lower()
    return "".join(parsed) if isinstance(parsed, tuple) and parsed and not is_object(parsed) else None


def odd_ones(items: Sequence[Any]) -> set[int]:
    """The indices of *items* that are not made as most are: other keys, or an array or object in another place."""
    shapes = [_shape(item) for item in items]
    usual, _ = Counter(shapes).most_common(1)[0]
    return {i for i, shape in enumerate(shapes) if shape != usual}


def _shape(parsed: Any) -> Any:
    if is_object(parsed):
        return frozenset([(key, _KINDS.get(type(member)) or _kind(member)) for key, member in parsed])
    return _kind(parsed)


def _kind(parsed: Any) -> str:
    if isinstance(parsed, tuple):
        return "object" if not parsed or isinstance(parsed[0], tuple) else "scalar"
    return "array" if isinstance(parsed, list) else "scalar"


_KINDS: dict[type, str] = {str: "scalar", list: "array"}
"""The kinds of most values, without a call for each."""
