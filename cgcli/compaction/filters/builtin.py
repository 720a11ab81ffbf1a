"""The filters that come with the program.

They are written in `data/FAMILY/NAME.yaml`. A run reads them from one table made of these, in a hundredth of the time;
`python -m tests.compaction.filters.table` makes it anew, and a test holds it to them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import json

from cgcli.compaction.filters.document import read_document
from cgcli.compaction.filters.filter import made

if TYPE_CHECKING:
    from cgcli.compaction.filters.filter import Filter

DATA = Path(__file__).with_name("data")
TABLE = DATA / "builtins.json"


@lru_cache(maxsize=1)
def builtins() -> tuple[Filter, ...]:
    """All of them, by family and name."""
    rows: list[dict[str, Any]] = json.decode(TABLE.read_bytes())
    return tuple(made(row, where=f"{row['family']}/{row['name']}.yaml") for row in rows)


def sources() -> tuple[Path, ...]:
    """The files that they are written in."""
    return tuple(sorted(DATA.glob("*/*.yaml")))


def table() -> bytes:
    """What `TABLE` must hold: every file, checked.

    Raises:
        UsageError: a file is wrong.
    """
    rows = [read_document(path) for path in sources()]
    return json.format(json.encode(rows), indent=1) + b"\n"
