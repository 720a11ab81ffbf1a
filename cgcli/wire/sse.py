"""Event streams: the `data:` lines of server-sent events, syntax only."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Not `splitlines`: a JSON text may have U+2028 and the like in it.
_LINE_END = re.compile("\r\n|\n|\r")


def data(stream: str) -> Iterator[str]:
    """The data of each event in *stream*, several data lines of one event joined by newlines."""
    lines: list[str] = []
    for line in _LINE_END.split(stream):
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)
