"""Replay files as it was asked for on the command line: one after the other, or one a core."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgcli.cachesim.options import CacheOptions
from cgcli.checks.registry import GATES
from cgcli.checks.run import Allowed, Checking
from cgcli.cli.many import n_cores, results
from cgcli.cli.mode_options import Given
from cgcli.cli.opening import anew_from
from cgcli.cli.replay_modes import swept, wished
from cgcli.cli.replay_policies import planned
from cgcli.config import load
from cgcli.errors import CgError, InputError, UsageError, did_you_mean
from cgcli.model import unique, value
from cgcli.pricing.file import read_rates
from cgcli.providers.prefix_caches import VLLM_BLOCK_TOKENS
from cgcli.replay.output import refuse_input_as_output
from cgcli.replay.paired.clock import Clock
from cgcli.replay.paired.expand_tool import Inject
from cgcli.replay.paired.replay import OFF, Wanted, replay
from cgcli.report.replay.arms import Shown
from cgcli.report.replay.document import document, file_document
from cgcli.report.replay.gates import gate_document
from cgcli.report.replay.next_command import Again

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cgcli.model import Exchange
    from cgcli.readers import Capture

_FILE = "file"


@value
class Asked:
    """What was asked for."""

    policies: tuple[str, ...]
    held: str | None
    clock: str
    provider: str | None
    cache_tokens: int | None
    inject: str
    summarizer: str | None
    budget_tokens: int | None
    ask_at: float | None
    apply_at: float | None
    rates: Path | None
    config: Path | None
    format_name: str | None
    shown: Shown
    modes: Given = Given()


@unique
class Work:
    """What *asked* comes to: the same for every file."""

    asked: Asked
    wanted: Wanted
    labels: tuple[str, ...]
    """What each policy is called, doing nothing first."""


def work(asked: Asked) -> Work:
    """What *asked* comes to.

    Raises:
        UsageError: an option is wrong.
    """
    modes = wished(asked.modes)
    plans = tuple(planned(asked, load(asked.config, cwd=Path.cwd()), modes))
    wanted = Wanted(
        planned=tuple(plan for _, plan in plans),
        cache=_cache(asked),
        clock=_clock(asked.clock),
        inject=_inject(asked.inject),
        prices=read_rates(asked.rates) if asked.rates is not None else None,
        modes=modes.options,
    )
    return Work(asked=asked, wanted=wanted, labels=(OFF, *(label for label, _ in plans)))


def check(files: Sequence[str], html: str | None, *, json: bool) -> None:
    """Refuse what means nothing before anything is read.

    Raises:
        UsageError: stdin or stdout is wanted twice, or a page would be written over what is read.
    """
    if json and html == "-":
        raise UsageError("--json and --html exclude each other: stdout takes one", hint="give a file in place of -")
    if files.count("-") > 1:
        raise UsageError("stdin can be read once", hint="give `-` once")
    for file in files:
        refuse_input_as_output(file, html)


def replayed(doing: Work, files: Sequence[str], *, jobs: int | None) -> dict[str, Any]:
    """The document about all *files*, in their order; one that cannot be read does not keep the others from it."""
    n_jobs = min(jobs or n_cores(), len(files))
    if n_jobs <= 1 or "-" in files:
        done = [one(doing, file) for file in files]
    else:
        done = results(partial(one, doing), files, n_jobs=n_jobs, doing="replaying")
    failed = [found for found in done if "error" in found]
    return document([found for found in done if "error" not in found], failed, doing.labels)


def one(doing: Work, file: str) -> dict[str, Any]:
    """The document about *file*, or what is wrong with it."""
    try:
        with anew_from(file, doing.asked.format_name) as anew:
            return _document(doing, file, anew)
    except InputError as error:
        return {"file": file, "error": error.message, "where": error.where or file, "hint": error.hint}


def _document(doing: Work, file: str, anew: Callable[[], Capture]) -> dict[str, Any]:
    asked = doing.asked
    gates = Gates(anew) if asked.shown is Shown.TEXTS else None
    done = replay(anew, doing.wanted) if gates is None else replay(gates.anew, doing.wanted, watch=gates.see)
    if not done.arms[0].turns:
        raise InputError("no request in the file", where=file, hint="cg inspect tells what is in a file")
    told = file_document(
        done,
        _told(doing),
        labels=doing.labels,
        shown=asked.shown,
        gates=gates.documents() if gates is not None else None,
    )
    if asked.modes.sweep:
        told["sweep"] = swept(done, doing.wanted, anew, doing.labels)
    return told


class Gates:
    """What the gates of `cg check` say of the requests that each policy sends."""

    def __init__(self, anew: Callable[[], Capture]) -> None:
        """*anew* opens the file."""
        self._anew = anew
        self._capture: Capture
        self._by_arm: dict[int, Checking] = {}

    def anew(self) -> Capture:
        """The file, opened, and known to be what is replayed."""
        self._capture = self._anew()
        return self._capture

    def see(self, arm: int, exchange: Exchange) -> None:
        """Take the next request of one policy."""
        if arm not in self._by_arm:
            self._by_arm[arm] = Checking(self._capture, GATES, Allowed(), {})
        self._by_arm[arm].see(exchange)

    def documents(self) -> list[list[dict[str, Any]]]:
        """By policy and gate: the verdict, and its first reason."""
        return [[gate_document(result) for result in one.checked().results] for _, one in sorted(self._by_arm.items())]


def errors(report: Mapping[str, Any], *, strict: bool) -> Iterator[CgError]:
    """What ends the run with exit 4: files that were not read, and with *strict* each file's first unusable record."""
    for one_failed in report["failed"]:
        yield InputError(one_failed["error"], where=one_failed["where"], hint=one_failed["hint"])
    for file in report["files"] if strict else ():
        for skipped in file["skipped_records"][:1]:
            detail = f": {skipped['detail']}" if skipped["detail"] else ""
            yield InputError(
                f"{skipped['reason']}{detail}",
                where=f"{file['file']}:{skipped['line']}",
                hint="leave --strict away: unusable records are then left out",
            )


def shown(html: str | None, *, turns: bool) -> Shown:
    """How much is wanted; a page shows all of it."""
    if html is not None:
        return Shown.TEXTS
    return Shown.TURNS if turns else Shown.SUMS


def again(asked: Asked) -> Again:
    """The options that were given, for the command that is to come next."""
    answers = {"--summarizer": asked.summarizer}
    summaries = {"--budget": asked.budget_tokens, "--ask-at": asked.ask_at, "--apply-at": asked.apply_at}
    both = {"--rates": asked.rates, "--config": asked.config, "--format": asked.format_name}
    here = {
        "--policy": ",".join(asked.policies) or None,
        "--held": asked.held,
        "--clock": asked.clock if asked.clock != _FILE else None,
        "--provider": asked.provider,
        "--cache-tokens": asked.cache_tokens,
        "--inject-expand": asked.inject if asked.inject != Inject.AUTO else None,
        "--mode": asked.modes.mode,
        **asked.modes.options(),
    }
    return Again(
        replay=tuple(_words({**here, **answers, **summaries, **both})),
        compact=tuple(_words(both)),
        answers=tuple(_words(answers)),
        summaries=tuple(_words(summaries)),
    )


def _words(given: Mapping[str, object]) -> Iterator[str]:
    for option, said in given.items():
        if said is not None:
            yield from (option, str(said)) if said is not True else (option,)


def _told(doing: Work) -> dict[str, Any]:
    asked, gap_s = doing.asked, doing.wanted.clock.gap_s
    return {
        "clock": {"kind": "gap" if gap_s is not None else _FILE, "gap_s": gap_s},
        "provider": asked.provider,
        "cache_tokens": asked.cache_tokens,
        "expand_tool": asked.inject,
    }


def _cache(asked: Asked) -> CacheOptions:
    most = asked.cache_tokens
    if most is not None and asked.provider not in ("vllm", "sglang"):
        raise UsageError(
            "--cache-tokens is for a cache that is full some time", hint="--provider vllm, or --provider sglang"
        )
    cache = CacheOptions(
        provider=asked.provider,
        vllm_capacity_blocks=max(1, most // VLLM_BLOCK_TOKENS) if most is not None else None,
        sglang_capacity_tokens=most,
    )
    _ = cache.family  # an unknown provider is refused
    return cache


def _clock(told: str) -> Clock:
    if told == _FILE:
        return Clock()
    try:
        gap_s = float(told.removesuffix("s"))
    except ValueError:
        gap_s = -1.0
    if not 0 <= gap_s < 1e9:  # noqa: PLR2004 - thirty years
        raise UsageError(f"--clock is {told!r}", hint="write file, or seconds between two requests, as 30")
    return Clock(gap_s=gap_s)


def _inject(told: str) -> Inject:
    try:
        return Inject(told)
    except ValueError:
        hint = did_you_mean(told, [one.value for one in Inject])
        raise UsageError(f"--inject-expand is {told!r}", hint=hint) from None
