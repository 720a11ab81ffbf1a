"""Several files as one capture: a folder of sessions, or of logs with one call a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.errors import FormatError, InputError
from cgcli.readers.base import Known, Passed
from cgcli.readers.capture import About, Capture, Tally, read
from cgcli.readers.files import open_bytes
from cgcli.readers.layout import Layout
from cgcli.readers.piece import Piece
from cgcli.readers.requests import Requests, line_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


SEVERAL = "several"
"""What is said for the format where the files have not one."""


def join(
    name: str,
    files: Sequence[str],
    *,
    format_name: str | None,
    watch: Callable[[int], None] | None = None,
) -> Capture:
    """The capture that *files*, which *name* stands for, are together, one after the other.

    A file that is no capture is passed, and counted; one that is damaged is skipped.

    Raises:
        InputError: none of them can be read.
        UsageError: no reader has the name *format_name*.
    """
    usable, passed = _looked_through(files, format_name)
    if not usable:
        raise InputError(
            f"none of {len(files)} files is a capture or a history",
            where=name,
            hint="cg inspect FILE says why of each",
        )
    formats = {one.format_name for one in usable}
    about = About(
        file=name,
        format_name=formats.pop() if len(formats) == 1 else SEVERAL,
        layout=Layout.FILES,
        known=_all_know([one.known for one in usable]),
        is_independent=all(one.is_independent for one in usable),
        is_derived=True,
        is_reconstructed=any(one.is_reconstructed for one in usable),
    )
    tally = Tally(watch)
    return Capture(about, reader=Requests(), pieces=_pieces(usable, passed, tally), tally=tally)


def _looked_through(files: Sequence[str], format_name: str | None) -> tuple[list[About], list[Piece]]:
    usable: list[About] = []
    passed: list[Piece] = []
    for file in files:
        try:
            with open_bytes(file) as stream:
                usable.append(read(stream, file=file, format=format_name).about)
        except FormatError as error:
            passed.append(_without(file, Passed(reason="not_a_capture", usable=True, detail=f"{file}: {error}")))
        except InputError as error:
            passed.append(_without(file, Passed(reason="unreadable", usable=False, detail=f"{file}: {error}")))
    return usable, passed


def _without(file: str, why: Passed) -> Piece:
    return Piece(raw=b"", line=1, is_record=False, passed=why, file=file)


def _all_know(known: Sequence[Known]) -> Known:
    return Known(
        tools=all(one.tools for one in known),
        system=all(one.system for one in known),
        usage=all(one.usage for one in known),
        response=all(one.response for one in known),
        time=all(one.time for one in known),
    )


def _pieces(usable: Sequence[About], passed: Sequence[Piece], tally: Tally) -> Iterator[Piece]:
    yield from passed
    for one in usable:
        with open_bytes(one.file) as stream:
            capture = read(stream, file=one.file, format=one.format_name)
            for entry in capture:
                if entry.exchange is not None:
                    raw = line_of(entry.exchange, format_name=one.format_name)
                    yield Piece(raw=raw, line=entry.line, is_record=True, file=one.file)
                elif entry.passed is not None:
                    yield Piece(raw=b"", line=entry.line, is_record=False, passed=entry.passed, file=one.file)
        tally.add(capture.tally.n_bytes)
