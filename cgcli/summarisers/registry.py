"""The summarisers by name, as `--summarizer` gives it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cgcli.errors import UsageError, did_you_mean
from cgcli.summarisers.absent import Absent
from cgcli.summarisers.extractive.summariser import Extractive
from cgcli.summarisers.modelled import Modelled
from cgcli.summarisers.recorded import Recorded

if TYPE_CHECKING:
    from cgcli.summarisers.protocol import Summariser

DEFAULT = Extractive.name
NAMES = (Extractive.name, f"{Recorded.name}:DIR", f"{Modelled.name}:RATIO", Absent.name)


def named(spec: str) -> Summariser:
    """The summariser *spec*: `extractive`, `recorded:DIR`, `modelled:RATIO` or `none`.

    Raises:
        UsageError: there is none of that name, its folder is missing, or its ratio is none.
    """
    name, colon, rest = spec.partition(":")
    if name == Recorded.name:
        return _recorded(rest)
    if name == Modelled.name:
        return _modelled(rest)
    if not colon:
        if name == Extractive.name:
            return Extractive()
        if name == Absent.name:
            return Absent()
    raise UsageError(f"no summarizer is called {spec!r}", hint=did_you_mean(spec, NAMES))


def _recorded(folder: str) -> Recorded:
    if not folder:
        raise UsageError("recorded: the folder is missing", hint="write recorded:DIR")
    path = Path(folder)
    if not path.is_dir():
        raise UsageError(f"recorded: there is no folder {folder!r}", hint="write recorded:DIR, DIR holding the answers")
    return Recorded(folder=path)


def _modelled(ratio: str) -> Modelled:
    if not ratio:
        raise UsageError("modelled: the ratio is missing", hint="write modelled:RATIO, as modelled:0.25")
    try:
        return Modelled(ratio=float(ratio))
    except ValueError:
        raise UsageError(f"modelled: {ratio!r} is no number", hint="write modelled:RATIO, as modelled:0.25") from None
