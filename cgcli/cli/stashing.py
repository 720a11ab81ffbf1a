"""Which stash a command means."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cgcli.stash.locate import Where


def located(option: Path | None, config: Path | None = None) -> Where:
    """The stash by `--stash`, `$CG_STASH`, the configuration, the nearest `.cg` upwards, or a new one here.

    *config* is a configuration file; else the nearest pyproject.toml that has one.
    """
    from cgcli.config import stash_of  # noqa: PLC0415 - imported when a stash is meant
    from cgcli.stash.locate import locate  # noqa: PLC0415

    env = os.environ.get("CG_STASH")
    said = stash_of(config, cwd=Path.cwd()) if option is None and not env else None
    return locate(option=option, env=env, config=said, cwd=Path.cwd())
