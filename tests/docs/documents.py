"""JSON documents of every schema, printed by real runs, so that together they have every key that can be printed."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, ClassVar

from cgcli.cli.run import main
from cgcli.compaction.component import Loss, Reduction
from cgcli.compaction.policy import Policy
from tests.running import FIXTURES, compact

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from cgcli.compaction.component import Skip, Slot

AGENT = str(FIXTURES / "context-guru" / "agent.jsonl")
_STALE_S = 3 * 86_400


class Doubling:
    """A component that makes every text longer, so that each of its proposals is reverted."""

    name: ClassVar[str] = "doubling"
    loss: ClassVar[Loss] = Loss.NONE

    @property
    def gated(self) -> bool:
        """It decides by the text alone."""
        return False

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The text twice."""
        return Reduction(text=slot.text * 2)


class Printer:
    """Runs commands in one folder and keeps the documents that they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Read what is printed from *capsys*."""
        self._capsys = capsys

    def run(self, *words: str) -> dict[str, Any]:
        """The document that `cg` prints for *words*, on stdout or, where it fails, on stderr."""
        main([*words, "--json"])
        printed = self._capsys.readouterr()
        document: dict[str, Any] = json.loads(printed.out or printed.err)
        return document


def documents(folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[dict[str, Any]]:
    """Documents of all schemas; *folder* is the working directory."""
    run = Printer(capsys).run
    yield run("compact", AGENT, "-o", "out.jsonl")
    yield run("compact", AGENT, "--policy", "agent", "--held", "ignore", "--dry-run")
    yield run("compact", str(FIXTURES / "lanes" / "eliding.jsonl"), "--dry-run")
    for name in ("claude-trace/seven-lanes.jsonl", "ugly/half-line.jsonl"):
        yield run("compact", str(FIXTURES / name), "--dry-run")
        yield run("inspect", str(FIXTURES / name))
    yield compact(
        FIXTURES / "bodies" / "chat.jsonl", folder, Policy(name="p", components=(Doubling(),)), name="doubled"
    ).report
    yield run("inspect", "out.jsonl")
    key = run("stash", "ls")["objects"][0]["key"]
    yield run("expand", key)
    yield run("expand", "--all", "out.jsonl", "-o", "back.jsonl")
    yield run("expand", "--all", "out.jsonl", "-o", "back.jsonl", "--stash", _other_stash(folder, run))
    yield run("check", AGENT, str(FIXTURES / "ugly" / "empty.jsonl"), str(FIXTURES / "ugly" / "half-line.jsonl"))
    yield run("check", str(FIXTURES / "lanes" / "dated-system.jsonl"), "--allow-epoch", "2")
    yield run("check", str(FIXTURES / "anthropic-batch" / "input.jsonl"))
    yield run("explain", "--all")
    yield run("expand", "no hash")
    yield from _of_the_stash(folder, run, key)


def _other_stash(folder: Path, run: Any) -> str:
    """A stash that does not have the originals of `out.jsonl`."""
    run(
        "compact",
        str(FIXTURES / "context-guru" / "openai.jsonl"),
        "-o",
        "other.jsonl",
        "--stash",
        str(folder / "other"),
    )
    return str(folder / "other")


def _of_the_stash(folder: Path, run: Any, key: str) -> Iterator[dict[str, Any]]:
    yield run("stash", "ls")
    yield run("stash", "show", key)
    yield run("stash", "export", "all.tar")
    yield run("stash", "import", "all.tar", "--stash", "elsewhere")
    for undo in (folder / "elsewhere" / "undo").iterdir():
        undo.unlink()
    yield run("stash", "gc", AGENT, "--dry-run", "--stash", "elsewhere")
    damaged = next(path for path in (folder / ".cg" / "objects").rglob("*") if path.is_file())
    damaged.write_bytes(b"damaged")
    os.utime(damaged, (_STALE_S, _STALE_S))
    yield run("stash", "verify")
