"""Files with faults in them: records of a format's keys with any values, and good files with bytes or lines changed."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from cgcli.errors import CgError
from cgcli.readers import read

if TYPE_CHECKING:
    from collections.abc import Sequence

_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just("\ud83d")


def records_of(words: Sequence[str]) -> st.SearchStrategy[bytes]:
    """A line that holds an object with *words* as keys and as values, nested at random."""
    keys = st.sampled_from(words)
    values = st.recursive(
        _scalars | keys,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=12,
    )
    return st.dictionaries(keys, values, max_size=8).map(lambda record: json.dumps(record).encode())


def files_of(words: Sequence[str], good: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Random lines among the *good* ones of a real file."""
    lines = st.lists(records_of(words) | st.sampled_from(list(good)), max_size=12)
    return lines.map(lambda chosen: b"\n".join([good[0], *chosen]) + b"\n")


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """*data* with some bytes changed, lines lost, doubled or swapped, and its end cut off."""
    lines = data.split(b"\n")
    for _ in range(draw(st.integers(0, 3))):
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        kind = draw(st.sampled_from(["swap", "drop", "double"]))
        if kind == "swap":
            lines[i], lines[j] = lines[j], lines[i]
        elif kind == "drop" and len(lines) > 1:
            del lines[i]
        else:
            lines.insert(i, lines[i])
    changed = bytearray(b"\n".join(lines))
    for _ in range(draw(st.integers(0, 6)) if changed else 0):
        at = draw(st.integers(0, len(changed) - 1))
        changed[at] = draw(st.sampled_from(b'"{}[]:,\\0 \n\x00\xff') | st.integers(0, 255))
    return bytes(changed[: draw(st.integers(0, len(changed)) | st.just(len(changed)))])


def outcome(data: bytes, format_name: str | None = None) -> tuple[int, Any]:
    """How many requests are found in a file of these bytes, and the error that is told instead."""
    try:
        entries = list(read(BytesIO(data), file="f", format=format_name))
    except CgError as error:
        return 0, error
    return sum(entry.exchange is not None for entry in entries), None
