"""JSON documents of every schema, printed by real runs, so that together they have every key that can be printed."""

from __future__ import annotations

import json
import os
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from cgcli.cachesim.options import CacheOptions
from cgcli.cli.run import main
from cgcli.compaction.component import Loss, Reduction
from cgcli.compaction.components.extract_llm import ExtractLlm
from cgcli.compaction.policy import Policy
from cgcli.compaction.state import HeldRule
from cgcli.readers import read
from cgcli.replay.paired.replay import Planned, Wanted, replay
from cgcli.report.replay.arms import Shown
from cgcli.report.replay.document import document, file_document
from cgcli.summarisers.recorded import Recorded
from tests.compaction.filters.writing import MINE
from tests.live.asking import MARK
from tests.live.provider import KEY, Provider
from tests.probe.probed import conversation
from tests.report.shaped import CASES, shaped
from tests.running import FIXTURES, compact

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
    yield run("compact", AGENT, "--policy", "agent", "--held", "pays", "--dry-run")
    yield run("compact", AGENT, "--policy", "summarize", "--dry-run")
    yield run("compact", AGENT, "--policy", "summarize", "--budget", "3000", "--call", "auto", "--dry-run")
    yield run("compact", str(FIXTURES / "lanes" / "eliding.jsonl"), "--dry-run")
    for name in ("claude-trace/seven-lanes.jsonl", "ugly/half-line.jsonl"):
        yield run("compact", str(FIXTURES / name), "--dry-run")
        yield run("inspect", str(FIXTURES / name))
    yield compact(
        FIXTURES / "bodies" / "chat.jsonl", folder, Policy(name="p", components=(Doubling(),)), name="doubled"
    ).report
    yield _of_outputs(folder)
    yield run("inspect", "out.jsonl")
    yield run("convert", str(FIXTURES / "claude-trace" / "seven-lanes.jsonl"), "-o", "requests.jsonl")
    yield run("convert", str(FIXTURES / "ugly" / "half-line.jsonl"), "--dry-run")
    key = run("stash", "ls")["objects"][0]["key"]
    yield run("expand", key)
    yield run("expand", "--all", "out.jsonl", "-o", "back.jsonl")
    yield run("expand", "--all", "out.jsonl", "-o", "back.jsonl", "--stash", _other_stash(folder, run))
    yield run("check", AGENT, str(FIXTURES / "ugly" / "empty.jsonl"), str(FIXTURES / "ugly" / "half-line.jsonl"))
    yield run("check", str(FIXTURES / "lanes" / "dated-system.jsonl"), "--allow-epoch", "2")
    yield run("check", str(FIXTURES / "anthropic-batch" / "input.jsonl"))
    yield run("check", _unpriced(folder))
    yield run("scrub", str(FIXTURES / "claude-trace" / "seven-lanes.jsonl"), "--dry-run")
    yield run("replay", AGENT, _unpriced(folder), str(FIXTURES / "ugly" / "empty.jsonl"), "--budget", "9000", "-j", "1")
    yield run("replay", str(FIXTURES / "claude-trace" / "seven-lanes.jsonl"), "--policy", "mask@ignore,fork")
    yield run("replay", str(FIXTURES / "ugly" / "half-line.jsonl"), "--policy", "native", "--clock", "30")
    yield run("replay", AGENT, "--policy", "codesafe,native", "--budget", "9000", "--html", "replay.html")
    yield run("replay", AGENT, "--mode", "sync,observe,async", "--sweep")
    yield _replayed(Policy(name="p", components=(Doubling(),)))
    yield run("explain", "--all")
    yield run("expand", "no hash")
    yield from _of_the_stash(folder, run, key)
    yield from _of_a_provider(folder, run)
    yield from _of_the_filters(folder, run)
    yield run("config", "show")
    (folder / "cg.toml").write_text('held = "pays"\n[components.mask]\nkeep_recent = 2\n')
    yield run("config", "show", "--config", "cg.toml", "--pipeline", "linecap,mask")
    (folder / "waits.toml").write_text('[triggers]\nevery = { turns = 5 }\n[[steps]]\ncomponent = "mask"\n')
    yield run("config", "show", "--policy", "waits.toml")
    yield run("compact", AGENT, "--policy", "waits.toml", "--dry-run")
    yield from (shaped(name) for name in CASES)


def _of_outputs(folder: Path) -> dict[str, Any]:
    """Calls about outputs, one of which is not answered."""
    asks = ExtractLlm(fire_on="size", min_tokens=100, economic_gate=False, allow_on_caching_backend=True)
    source = FIXTURES / "bodies" / "anthropic.jsonl"
    return compact(
        source, folder, Policy(name="p", components=(asks,)), name="asked", summariser=Recorded(folder=folder)
    ).report


def _replayed(policy: Policy) -> dict[str, Any]:
    """A replay of one policy."""
    plan = Planned(policy=policy, rule=HeldRule.RESPECT, summariser=None)
    wanted = Wanted(planned=(plan,), cache=CacheOptions())
    content = (FIXTURES / "bodies" / "chat.jsonl").read_bytes()
    done = replay(lambda: read(BytesIO(content), file="chat.jsonl"), wanted)
    told = {"clock": {"kind": "file", "gap_s": None}}
    return document([file_document(done, told, labels=["off", "p"], shown=Shown.TURNS)], [], ["off", "p"])


def _unpriced(folder: Path) -> str:
    """A capture of a model that no table has."""
    path = folder / "unpriced.jsonl"
    path.write_bytes((FIXTURES / "lanes" / "eliding.jsonl").read_bytes().replace(b"claude-sonnet-4-5", b"claude-next"))
    return str(path)


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


def _of_a_provider(folder: Path, run: Any) -> Iterator[dict[str, Any]]:
    """What is sent goes to the local provider of the tests."""
    bodies = [conversation(*(400 for _ in range(n)), mark=MARK) for n in range(1, 9)]
    (folder / "lane.jsonl").write_text("".join(f"{json.dumps(body)}\n" for body in bodies))
    with Provider() as provider, pytest.MonkeyPatch.context() as environment:
        environment.setenv("CG_LIVE_KEY", KEY)
        live = ("--live", provider.url)
        yield run("probe", "lane.jsonl", *live)
        yield run("diff-modes", "lane.jsonl", *live)
        yield run("compact", "lane.jsonl", "--policy", "summarize", "--budget", "3000", *live, "-o", "live.jsonl")


def _of_the_filters(folder: Path, run: Any) -> Iterator[dict[str, Any]]:
    yield run("filters", "ls")
    yield run("filters", "test")
    (folder / "wrong.yaml").write_text(MINE.replace("      out\n      error", "      out\n      eror"))
    yield run("filters", "test", "wrong.yaml")
    (folder / "make.log").write_text("".join(f"cc -c part{i}.c\n" for i in range(60)))
    yield run("filters", "try", "make.log", "--command", "make")


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
