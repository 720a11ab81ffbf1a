"""Call `cg` in this process, in a folder of its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgcli.cli.run import main
from tests.running import FIXTURES

if TYPE_CHECKING:
    import pytest


class Cg:
    """The command, run in `folder`; `out` and `err` are what the last run printed."""

    def __init__(self, folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
        """Run in *folder*, which must be the working directory."""
        self.folder = folder
        self._captured = capsysbinary
        self.out = b""
        self.err = b""

    def __call__(self, *arguments: str) -> int:
        """The exit code of `cg` with *arguments*."""
        code = main(list(arguments))
        self.out, self.err = self._captured.readouterr()
        return code

    def report(self, *arguments: str) -> dict[str, Any]:
        """The JSON document that a run with *arguments*, which must succeed, prints."""
        assert self(*arguments, "--json") == 0, self.err
        document: dict[str, Any] = json.loads(self.out)
        return document

    def fixture(self, name: str) -> str:
        """A copy of a fixture in the folder; its name there."""
        shutil.copy(FIXTURES / name, self.folder)
        return Path(name).name

    def write(self, name: str, content: str | bytes) -> str:
        """A file in the folder; its name."""
        (self.folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    def read(self, name: str) -> bytes:
        """The content of a file in the folder."""
        return (self.folder / name).read_bytes()

    def names(self) -> list[str]:
        """What the folder holds."""
        return sorted(path.name for path in self.folder.iterdir())
