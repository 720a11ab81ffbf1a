"""Run `cg` in this process, in a folder and with streams of its own: most of the time of a short run is its start."""

from __future__ import annotations

import io
import os
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING
from unittest.mock import patch

from cgcli.cli.run import main

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def called(arguments: Sequence[str], folder: Path, env: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    """The exit code of `cg` with *arguments*, and what it writes on stdout and on stderr; stdin is empty."""
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with (
        chdir(folder),
        patch.dict(os.environ, env, clear=True),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO())),
        redirect_stdout(stdout),
        redirect_stderr(stderr),
    ):
        code = main(list(arguments))
    return code, _written(stdout), _written(stderr)


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    stream.seek(0)
    return bytes(stream.buffer.read())
