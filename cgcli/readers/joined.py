"""Several files as one capture: a folder of sessions, or of logs with one call a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.errors import FormatError, InputError
from cgcli.model import changed
from cgcli.readers.base import Known, Passed
from cgcli.readers.capture import About, Capture, Tally, read
from cgcli.readers.files import open_bytes
from cgcli.readers.layout import Layout
from cgcli.readers.parts import histories, is_damaged_part, part_names, pieces_of
from cgcli.readers.piece import Piece
from cgcli.readers.requests import Requests, line_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence


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

    Those that are each one event of a history are read as one, folder by folder. A file that is no capture is passed,
    and counted; one that is damaged is skipped.

    Raises:
        InputError: none of them can be read.
        UsageError: no reader has the name *format_name*.
    """
    usable, failed = _looked_through(files, format_name)
    if not usable:
        raise _none_of(name, [error for _, error in failed])
    names = part_names(usable)
    passed = [_without(file, error, names) for file, error in failed]
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


def _none_of(name: str, errors: Sequence[InputError]) -> InputError:
    """The error for a folder of which no file can be read; says why, where that is the same of all."""
    what = f"none of {len(errors)} files is a capture or a history"
    if len({(error.message, error.hint) for error in errors}) == 1:
        return InputError(f"{what}: {errors[0].message}", where=name, hint=errors[0].hint)
    return InputError(what, where=name, hint="cg inspect FILE says why of each")


def _looked_through(files: Sequence[str], format_name: str | None) -> tuple[list[About], list[tuple[str, InputError]]]:
    """What each of *files* is; and those that cannot be read, with why not."""
    usable: list[About] = []
    failed: list[tuple[str, InputError]] = []
    for file in files:
        try:
            with open_bytes(file) as stream:
                usable.append(read(stream, file=file, format=format_name).about)
        except InputError as error:
            failed.append((file, error))
    return usable, failed


def _without(file: str, error: InputError, names: Collection[tuple[str, str]]) -> Piece:
    """What stands for *file*, which *error* keeps from being read; *names*: of the parts beside it."""
    is_other = isinstance(error, FormatError) and not is_damaged_part(file, names)
    reason = "not_a_capture" if is_other else "unreadable"
    detail = str(error) if error.where and error.where.startswith(file) else f"{file}: {error}"
    passed = Passed(reason=reason, usable=is_other, detail=detail)
    return Piece(raw=b"", line=1, is_record=False, passed=passed, file=file)


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
    for history in histories(usable):
        reader = history[0].part_of
        yield from pieces_of(reader, history, tally) if reader is not None else _file_pieces(history[0], tally)


def _file_pieces(about: About, tally: Tally) -> Iterator[Piece]:
    with open_bytes(about.file) as stream:
        capture = read(stream, file=about.file, format=about.format_name)
        for entry in capture:
            if entry.exchange is not None:
                raw = line_of(entry.exchange, format_name=about.format_name)
                yield Piece(raw=raw, line=entry.line, is_record=True, file=about.file)
            elif entry.passed is not None:
                passed = changed(entry.passed, detail=f"{about.file}:{entry.line}: {entry.passed.detail}")
                yield Piece(raw=b"", line=entry.line, is_record=False, passed=passed, file=about.file)
    tally.add(capture.tally.n_bytes)
