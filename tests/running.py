"""Run `cg` in this process, and find the files to run it on."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgcli.compaction.policy import Policy, named
from cgcli.compaction.state import HeldRule
from cgcli.errors import CgError
from cgcli.readers import open_bytes, read
from cgcli.replay.compact import Writer, Written
from cgcli.replay.expand import expand
from cgcli.replay.output import Output
from cgcli.replay.run import Run
from cgcli.report.compaction import Place, document
from cgcli.stash.store import Stash

if TYPE_CHECKING:
    from collections.abc import Callable

    from cgcli.summarisers.protocol import Summariser

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
_CORPUS = Path(os.environ.get("CG_CORPUS", Path(__file__).resolve().parents[2] / "shared" / "corpus"))
CORPUS = _CORPUS if _CORPUS.is_dir() else None
"""The public files; None where they are absent."""
NO_CORPUS = "the corpus is absent: set CG_CORPUS to its folder"

FIXTURE_FILES = sorted(
    path for path in FIXTURES.glob("*/*") if path.is_file() and path.parent.name != "build" and path.suffix != ".md"
)
CORPUS_FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file()) if CORPUS else []


def _is_in_place(path: Path) -> bool:
    """False for a file whose requests are derived; True for what is no capture."""
    try:
        with open_bytes(str(path)) as stream:
            return not read(stream, file=str(path)).is_derived
    except CgError:
        return True


FIXTURE_CAPTURES = [path for path in FIXTURE_FILES if _is_in_place(path)]
CORPUS_CAPTURES = [path for path in CORPUS_FILES if _is_in_place(path)]
"""The files whose own bytes are edited, and what is no capture."""


@dataclass
class Compacted:
    """One compaction: its output, its account and its stash."""

    source: Path
    output: Path
    stash: Path
    run: Run
    written: Written

    @property
    def report(self) -> dict[str, Any]:
        """The JSON document."""
        return document(
            self.run, self.written, Place(output=str(self.output), stash=str(self.stash), stash_how="option")
        )


def compact(
    source: Path,
    folder: Path,
    policy: str | Policy,
    held: str = "respect",
    *,
    name: str = "out",
    summariser: Summariser | None = None,
) -> Compacted:
    """Compact *source* into *folder*; without a *summariser* nothing is summarised."""
    output, stash = folder / f"{name}.jsonl", folder / "stash"
    chosen = named(policy) if isinstance(policy, str) else policy
    with open_bytes(str(source)) as stream:
        run = Run(read(stream, file=str(source)), chosen, rule=HeldRule(held), summariser=summariser)
        with Output(str(output)) as sink:
            written = Writer(run, sink, lambda: Stash.open(stash, create=True)).write()
    return Compacted(source=source, output=output, stash=stash, run=run, written=written)


def expand_all(done: Compacted, back: Path, *, change: Callable[[bytes], bytes] | None = None) -> bytes:
    """Give back *done*'s input, from its output after *change*."""
    if change is not None:
        done.output.write_bytes(change(done.output.read_bytes()))
    stash = Stash.open(done.stash, create=False) if done.stash.exists() else None
    with Output(str(back)) as sink:
        expand(str(done.output), stash, sink)
        sink.finish()
    return back.read_bytes()
