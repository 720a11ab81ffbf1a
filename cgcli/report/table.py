"""Aligned columns of hostile text, by Rich: no markup, no wrapping, colour only where a terminal takes it."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDTH = 400


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> list[str]:
    """The lines of a table; the columns in *right* are flush right. Cells must be safe to show."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="", show_edge=False)
    for i, name in enumerate(head):
        grid.add_column(Text(name), justify="right" if i in right else "left", no_wrap=True)
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    out = StringIO()
    Console(file=out, width=_WIDTH, color_system=None, markup=False, highlight=False, emoji=False).print(grid)
    return [line.rstrip() for line in out.getvalue().splitlines()]
