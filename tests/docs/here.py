"""The commands of a page that need no process of their own."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING

from tests.here import called

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_OF_THE_SHELL = frozenset("|<>;&$*?(){}`~#!")


def split(command: str) -> tuple[list[str], str] | None:
    """The arguments of `cg` in *command*, and what its product is piped into; None where it wants a shell itself."""
    own, _, behind = command.partition(" | ")
    if _OF_THE_SHELL & {*own} or not own.startswith("cg ") or "cg " in behind or ";" in behind:
        return None
    return shlex.split(own)[1:], behind


def run(arguments: Sequence[str], behind: str, folder: Path, env: Mapping[str, str]) -> bytes:
    """What `cg` with *arguments* writes in *folder* on both streams, the talk first; its product goes to *behind*."""
    _, given, talk = called(arguments, folder, env)
    if behind:
        told = ["bash", "-c", behind]
        given = subprocess.run(told, input=given, cwd=folder, env=dict(env), capture_output=True, check=False).stdout
    return talk + given
