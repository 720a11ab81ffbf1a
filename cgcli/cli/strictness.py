"""What a report makes an error: with `--strict` a record that is not usable; always, that none is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping


def refuse_skipped(report: Mapping[str, Any]) -> None:
    """End with the first unusable record of a *report*, which has `file` and `skipped_records`.

    Raises:
        InputError: there is one.
    """
    skipped = report["skipped_records"]
    if not skipped:
        return
    first = skipped[0]
    more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
    detail = f": {first['detail']}" if first["detail"] else ""
    raise InputError(
        f"{first['reason']}{detail}{more}",
        where=f"{report['file']}:{first['line']}",
        hint="leave --strict away: unusable records then pass through as they are",
    )


def refuse_empty(report: Mapping[str, Any]) -> None:
    """End where a *report*, which has `file`, `format`, `requests` and the records that are none, has no request.

    Raises:
        FormatError: there is none.
    """
    if report["requests"]:
        return
    from cgcli.report.figures import counted  # noqa: PLC0415 - only where something is wrong

    unusable, passed = len(report["skipped_records"]), sum(report["passed_records"].values())
    raise FormatError(
        f"no request in the file, read as {report['format']}: {counted(unusable, 'unusable record')}, "
        f"{counted(passed, 'record')} of another kind",
        where=report["file"],
        hint="where --format is given, leave it away; docs/reference/formats.md has every format that is read",
    )
