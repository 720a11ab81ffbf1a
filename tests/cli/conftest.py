"""`cg` in an empty folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.calling import Cg

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def cg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Cg:
    """`cg` in an empty folder that no stash is set for."""
    monkeypatch.delenv("CG_STASH", raising=False)
    monkeypatch.chdir(tmp_path)
    return Cg(tmp_path, capsysbinary)
