"""Check several files, of which some may not be readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.checks.lock import Collecting
from cgcli.checks.run import check
from cgcli.cli.opening import opened
from cgcli.errors import InputError
from cgcli.report.check import Unread, document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cgcli.checks.base import Gate
    from cgcli.checks.run import Allowed, Checked


class Checker:
    """Checks one file after the other; one that cannot be read does not keep the others from it."""

    def __init__(
        self,
        *,
        gates: Sequence[Gate],
        allowed: Allowed,
        told: Mapping[str, object],
        format_name: str | None,
        collects: bool,
    ) -> None:
        """Run *gates*; *collects* says that a baseline will be wanted."""
        self._gates = gates
        self._allowed = allowed
        self._told = told
        self._format = format_name
        self._collects = collects
        self.checked: list[Checked] = []
        self.collected: list[Collecting] = []
        """For each of `checked`, where baselines are collected."""
        self._failed: list[tuple[str, InputError]] = []

    def check(self, file: str) -> None:
        """Check *file*, or remember why it cannot be read.

        Raises:
            UsageError: there is no such format.
        """
        collecting = [Collecting()] if self._collects else []
        try:
            with opened(file, self._format) as capture:
                done = check(capture, self._gates, self._allowed, self._told, observers=collecting)
            if not done.n_requests:
                raise _without_requests(done)
        except InputError as error:
            self._failed.append((file, error))
        else:
            self.checked.append(done)
            self.collected += collecting

    def report(self, *, strict: bool, exit_zero: bool) -> dict[str, Any]:
        """The document `cgcli/check/v1` about all files."""
        unread = [
            Unread(file=file, message=error.message, where=error.where or file, hint=error.hint)
            for file, error in self._failed
        ]
        return document(self.checked, unread, strict=strict, exit_zero=exit_zero)

    def errors(self, *, strict: bool) -> Iterator[InputError]:
        """What ends the run with exit 4: unread files, and under *strict* each file's first unusable record."""
        yield from (error for _, error in self._failed)
        for done in self.checked if strict else ():
            if done.skipped:
                yield _skipped(done, hint="leave --strict away: unusable records are then only reported")


def _without_requests(done: Checked) -> InputError:
    if done.skipped:
        return _skipped(done, hint="no record of the file is usable: record it anew")
    return InputError("no request in the file", where=done.capture.file, hint="cg inspect tells what is in a file")


def _skipped(done: Checked, *, hint: str) -> InputError:
    line, reason, detail = done.skipped[0]
    more = f" (and {len(done.skipped) - 1} more)" if len(done.skipped) > 1 else ""
    return InputError(f"{reason}: {detail}{more}", where=f"{done.capture.file}:{line}", hint=hint)
