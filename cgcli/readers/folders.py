"""Which files a folder or a pattern stands for."""

from __future__ import annotations

import glob
import os
import shlex

from cgcli.errors import InputError

_PATTERN = frozenset("*?[")


def files_of(name: str) -> list[str] | None:
    """The files in the folder *name*, or that the pattern *name* fits, by path; None where it is a file itself.

    Hidden files and folders are left out, unless they are named.

    Raises:
        InputError: there is none.
    """
    if name != "-" and os.path.isdir(name):  # noqa: PTH112 - a name, kept as it was given
        found = sorted(_below(name))
        if not found:
            raise InputError("no file in the folder", where=name, hint=f"look into it: ls -a {shlex.quote(name)}")
        return found
    if name == "-" or os.path.exists(name) or not _PATTERN & set(name):  # noqa: PTH110 - as above
        return None
    found = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))  # noqa: PTH113, PTH207
    if not found:
        raise InputError("no file fits the pattern", where=name, hint="`*` stops at a folder, `**` does not")
    return found


def _below(folder: str) -> list[str]:
    found: list[str] = []
    for at, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if not one.startswith(".")]
        found += [os.path.join(at, one) for one in names if not one.startswith(".")]  # noqa: PTH118 - as above
    return found
