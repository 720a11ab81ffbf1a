"""Good files in which some values have another kind, or are gone."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator

_OTHERS: list[Any] = [None, True, 0, -1, 10**30, 1.5, "", "x", "\ud83d", [], {}, [[]], [{}], ["x"], {"a": 1}]
_OTHERS += [{"role": "user"}, {"type": "text"}, {"content": []}]


def records_in(data: bytes) -> list[Any]:
    """The JSON values of a file: one a line, or one in all."""
    try:
        return [json.loads(data)]
    except ValueError:
        return [json.loads(line) for line in data.splitlines()]


@st.composite
def mangled(draw: st.DrawFn, data: bytes) -> bytes:
    """*data* with up to four values taken out, or put in the place of others."""
    found = deepcopy(records_in(data))
    for _ in range(draw(st.integers(1, 4))):
        holder, key = draw(st.sampled_from(list(_places(found))))
        if draw(st.booleans()):
            holder[key] = deepcopy(draw(st.sampled_from(_OTHERS)))
        elif holder is not found:
            del holder[key]
    return b"\n".join(json.dumps(record).encode() for record in found) + b"\n"


def _places(held: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside *held*, as what holds it and the key or index it stands under."""
    keys = list(held) if isinstance(held, dict) else range(len(held))
    for key in keys:
        yield held, key
        if isinstance(held[key], dict | list):
            yield from _places(held[key])
