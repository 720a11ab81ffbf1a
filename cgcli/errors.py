"""Every error of `cg`, and the exit code each one ends in.

CgError                 1  the base; also what is raised for the unexpected
├── UsageError          2  the command line or the configuration is wrong
├── InputError          4  the input cannot be read
│   └── FormatError     4  read, but not a format with requests in it
└── StashError          5  the stash cannot be used
    ├── StashMiss       5  nothing stands under that key
    ├── StashCorrupt    5  what stands there is not what was written
    └── StashUnwritable 5  an original could not be made safe
OutputError             1  the output cannot be written (full disk, closed pipe)
LiveError               1  a provider does not answer, or answers with an error

A refusal is a value and never stands here: these are for input that is wrong and a world that fails.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class ExitCode(IntEnum):
    """What `cg` ends with; the table of docs/reference/exit-codes.md."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    FAILED = 3
    UNREADABLE = 4
    STASH = 5
    VACUOUS = 6
    INTERRUPTED = 130


class CgError(Exception):
    """An error that a person can act on: one line, where it is, and what to try next."""

    exit_code = ExitCode.UNEXPECTED

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        """Keep *message* (one line), *where* (`file:line`) and *hint* (what to try next)."""
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        """`where: message`, without the hint."""
        return f"{self.where}: {self.message}" if self.where else self.message


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A hint for a name that nobody knows: the one that was likely meant, else all of them."""
    from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

    names = list(known)
    close = get_close_matches(given, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"


class UsageError(CgError):
    """The command line or a parameter is wrong."""

    exit_code = ExitCode.USAGE


class InputError(CgError):
    """The input cannot be read: missing, cut, not text that holds JSON."""

    exit_code = ExitCode.UNREADABLE


class FormatError(InputError):
    """The input is readable, but no request can be found in it."""


class OutputError(CgError):
    """The output cannot be written."""


class StashError(CgError):
    """The stash cannot be used."""

    exit_code = ExitCode.STASH


class StashMiss(StashError):
    """Nothing in the stash has that key, or the key is ambiguous."""


class StashCorrupt(StashError):
    """An object's content does not have the digest it is stored under."""


class StashUnwritable(StashError):
    """An original could not be written, so nothing that needs it may leave the request."""


class LiveError(CgError):
    """A provider cannot be reached, or does not answer a request, under `--live`."""

    def __init__(
        self, message: str, *, where: str | None = None, hint: str | None = None, status: int | None = None
    ) -> None:
        """Keep what every error has, and the HTTP *status*; None where no answer came."""
        super().__init__(message, where=where, hint=hint)
        self.status = status
