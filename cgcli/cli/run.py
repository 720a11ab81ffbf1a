"""The one error boundary: an error becomes a line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cgcli.cli.console import safe, say
from cgcli.errors import CgError, ExitCode, OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    from typer import Typer


def report_error(error: CgError, *, as_json: bool) -> None:
    """Say what went wrong, where, and what to try next; one JSON object under `--json`."""
    if as_json:
        document = {
            "schema": "cgcli/error/v1",
            "error": type(error).__name__,
            "message": error.message,
            "where": error.where,
            "hint": error.hint,
            "exit_code": int(error.exit_code),
        }
        say(json.dumps(document))
        return
    say(f"cg: {safe(str(error))}")
    if error.hint:
        say(f"  try: {safe(error.hint)}")


def _failed(error: OSError, *, as_json: bool) -> int:
    """End after an operating-system error that no layer below has named; silently where our reader has gone."""
    if error.filename is not None:
        report_error(CgError(error.strerror or str(error), where=str(error.filename)), as_json=as_json)
        return int(ExitCode.UNEXPECTED)
    # Every file is named where it is opened, so this is stdout. What it still holds would fail again at the very end.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    if not isinstance(error, BrokenPipeError):
        lost = OutputError(f"cannot write: {error.strerror or error}", where="stdout", hint="redirect it elsewhere")
        report_error(lost, as_json=as_json)
    return int(ExitCode.UNEXPECTED)


def _call(app: Typer, arguments: list[str]) -> int:
    """Run *app* and flush what it wrote.

    Raises:
        UsageError: the command line is wrong.
    """
    # Typer has no public names for them.
    from typer._click.exceptions import ClickException, NoArgsIsHelpError  # noqa: PLC0415 - Typer is slow to load

    try:
        code: int | None = app(arguments, prog_name="cg", standalone_mode=False)
    except NoArgsIsHelpError as error:
        say(error.format_message())
        return int(ExitCode.USAGE)
    except ClickException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "cg"
        raise UsageError(error.format_message().removesuffix("."), hint=f"{command} --help") from error
    sys.stdout.flush()
    return code or 0


def _check_streams() -> None:
    """A closed stderr loses the talk and nothing else; without a stdout there is no place for a product.

    Raises:
        OutputError: stdout is closed.
    """
    # Python gives None for a stream whose descriptor is closed; typeshed does not know that.
    streams: dict[str, object] = vars(sys)
    if streams["stderr"] is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the process's life
    if streams["stdout"] is None:
        raise OutputError("stdout is closed", hint="redirect it: >/dev/null")


@contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    """SIGTERM ends the work as an interrupt does, so that what is half-written is taken away; the code is the shell's.

    Left as it is where somebody handles or ignores it already.
    """
    is_ours = (
        threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    )
    if is_ours:
        signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    sys.exit(128 + number)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in *argv* (default: the process's own) and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in arguments
    try:
        _check_streams()
        from cgcli.cli.app import app  # noqa: PLC0415 - the import of Typer is inside the boundary

        with _ending_on_sigterm():
            return _call(app, arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        return int(ExitCode.INTERRUPTED)
    except CgError as error:
        report_error(error, as_json=as_json)
        return int(error.exit_code)
    except OSError as error:
        return _failed(error, as_json=as_json)
    except Exception as error:
        if os.environ.get("CG_DEBUG"):
            raise
        report_error(
            CgError(
                f"unexpected: {type(error).__name__}: {error}",
                hint="set CG_DEBUG=1 for the traceback, and report it",
            ),
            as_json=as_json,
        )
        return int(ExitCode.UNEXPECTED)
