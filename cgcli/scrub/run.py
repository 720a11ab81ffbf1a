"""The three passes over a file: find, replace, check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.readers.files import split_lines
from cgcli.scrub.scrubber import Scrubber
from cgcli.scrub.survey import Check, Survey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO

    from cgcli.scrub.replacing import Replacements
    from cgcli.scrub.scrubber import Account

_BATCH_BYTES = 1 << 20


def scrub(
    opened: Callable[[], BinaryIO],
    write: Callable[[Sequence[bytes]], None],
    replacements: Replacements,
    *,
    file: str,
    with_keys: bool,
) -> Account:
    """Give the lines of a file, some at a time, to *write*, with what is found in the whole of it replaced.

    Each call of *opened* gives the file from its beginning: it is read twice, since what a late line shows is replaced
    in an early one. *file* is the name that errors say. Gives back an account of what was replaced.
    With *with_keys* what stands in the name of a JSON member is replaced too. Holds no more than the longest line, what
    is replaced, and a digest of each distinct text.

    Raises:
        InputError: the file cannot be read to its end.
        CgError: something that was found stands in a line that was written.
    """
    survey = Survey()
    survey.read(split_lines(opened(), file=file))
    scrubber = Scrubber(survey, replacements, with_keys=with_keys)
    batch: list[bytes] = []
    size_bytes = 0
    check = Check(survey, file=file, with_keys=with_keys)
    for number, line in scrubber.lines(split_lines(opened(), file=file)):
        check.line(line, number)
        batch.append(line)
        size_bytes += len(line)
        if size_bytes >= _BATCH_BYTES:
            write(batch)
            batch, size_bytes = [], 0
    write(batch)
    return scrubber.account
