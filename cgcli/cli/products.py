"""Where the product of a command goes."""

from __future__ import annotations

import sys

from cgcli.errors import UsageError


def place(output: str | None, *, dry_run: bool, json: bool) -> str | None:
    """What -o says, else stdout where that is no terminal; None for nowhere.

    Raises:
        UsageError: the report takes stdout already.
    """
    if dry_run:
        return None
    if json and output in (None, "-"):
        raise UsageError("--json puts the report on stdout", hint="give -o OUT for the product, or --dry-run")
    return "-" if output is None and not sys.stdout.isatty() else output
