"""Which stash is meant: the option, the environment, the configuration, the nearest, a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from cgcli.model import value

NAME = ".cg"

How = Literal["option", "environment", "config", "found", "new"]


@value
class Where:
    """A stash's place, and how it was come by; reports say both."""

    path: Path
    how: How
    """`found`: the nearest `.cg` upwards; `new`: there is none yet, it begins in the working directory."""


def locate(*, option: Path | None, env: str | None, config: Path | None, cwd: Path) -> Where:
    """The first of `--stash`, `$CG_STASH` unless empty, the configuration, the nearest `.cg` upwards.

    Relative paths are taken from *cwd*. Nothing is made.
    """
    if option is not None:
        return Where(path=cwd / option, how="option")
    if env:
        return Where(path=cwd / Path(env), how="environment")
    if config is not None:
        return Where(path=cwd / config, how="config")
    for folder in (cwd, *cwd.parents):
        if (folder / NAME).is_dir():
            return Where(path=folder / NAME, how="found")
    return Where(path=cwd / NAME, how="new")
