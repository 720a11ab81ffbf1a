"""What `cg check` leaves beside its report: files, and what GitHub takes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgcli import __version__
from cgcli.cli.console import write_line
from cgcli.errors import OutputError
from cgcli.replay.output import Output, refuse_input_as_output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.checks.base import Gate
    from cgcli.cli.checking import Checker


def write(
    report: Mapping[str, Any], gates: Sequence[Gate], files: Sequence[str], *, junit: str | None, sarif: str | None
) -> None:
    """Write *report* as JUnit XML and as SARIF, each where it is asked for; `-` is stdout.

    Raises:
        UsageError: a target is one of the input *files*.
        OutputError: it cannot be written.
    """
    if junit is not None:
        from cgcli.report import junit as as_junit  # noqa: PLC0415 - only where it is asked for

        _put(junit, as_junit.document(report), files)
    if sarif is not None:
        from cgcli.report import sarif as as_sarif  # noqa: PLC0415 - only where it is asked for

        log = as_sarif.document(report, [gate.rule for gate in gates], version=__version__)
        _put(sarif, json.dumps(log, indent=2).encode() + b"\n", files)


def write_baseline(checker: Checker, file: str, target: str) -> None:
    """Write the baseline of the one *file* that was checked; none where it could not be read.

    Raises:
        UsageError: the target is the input.
        OutputError: it cannot be written.
    """
    from cgcli.checks import lock  # noqa: PLC0415 - only where it is asked for

    for done, collecting in zip(checker.checked, checker.collected, strict=True):
        _put(target, lock.write(collecting.finish(done.lanes).lock), [file])


def _put(target: str, content: bytes, files: Sequence[str]) -> None:
    for file in files:
        refuse_input_as_output(file, target)
    with Output(target) as sink:
        sink.write([content])
        sink.finish()


def print_github(report: Mapping[str, Any]) -> None:
    """Print the workflow annotations and the verdict, and append the job summary to `$GITHUB_STEP_SUMMARY`.

    Raises:
        OutputError: the summary cannot be written.
    """
    from cgcli.report.check import conclusion  # noqa: PLC0415 - only where it is asked for
    from cgcli.report.github import summary, workflow_commands  # noqa: PLC0415

    for line in workflow_commands(report):
        write_line(line)
    write_line(conclusion(report))
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if not target:
        return
    try:
        with Path(target).open("a", encoding="utf-8") as sink:
            sink.write(summary(report))
    except OSError as error:
        hint = "look at what GITHUB_STEP_SUMMARY says"
        raise OutputError(f"cannot write: {error.strerror or error}", where=target, hint=hint) from error
