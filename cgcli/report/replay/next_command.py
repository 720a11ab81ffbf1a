"""What to run next, with the options that led here."""

from __future__ import annotations

from decimal import Decimal
from shlex import quote
from typing import TYPE_CHECKING, Any

from cgcli.compaction.presets import BUILT_IN
from cgcli.model import value
from cgcli.report.safe import pasted, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

CALLS = ("standalone", "fork", "native")
"""Policies that are `summarize` with that way to ask."""


@value
class Again:
    """The options that were given, as words of a command line."""

    replay: tuple[str, ...] = ()
    compact: tuple[str, ...] = ()
    """Of these, what `cg compact` takes too, whatever the policy; it says policy and rule itself."""
    answers: tuple[str, ...] = ()
    """What it takes for a policy that asks a model."""
    summaries: tuple[str, ...] = ()
    """What it takes for a policy that summarises."""


def next_command(report: Mapping[str, Any], again: Again) -> Iterator[str]:
    """The command that follows from the first file: write the cheapest policy's product, or look closer.

    Stdin cannot be read again: then there is none.
    """
    file = report["files"][0]
    if file["file"] == "-":
        return
    arms = file["arms"]
    priced = [arm for arm in arms if arm["totals"]["usd"] is not None]
    best = min(priced, key=lambda arm: Decimal(arm["totals"]["usd"]), default=None)
    name = pasted(file["file"])
    if not arms[0]["totals"]["simulated_requests"] and file["provider"] is None:
        yield f"next    cg replay {name} --provider vllm{_words(again.replay)}"
    elif file["modes"]:
        yield f"next    cg replay {name}{_words([*again.replay, *_of_modes(file)])}"
    elif best is None or best["policy"] == "off":
        yield f"next    cg replay {name}{_words(again.replay)} --turns --html replay.html"
    else:
        yield f"next    cg compact {name}{_words([*_policy(best), *_own(best, again)])} -o compacted.jsonl"


def _of_modes(file: Mapping[str, Any]) -> tuple[str, ...]:
    """What to ask of modes next: how long a job may take, else every turn."""
    is_async = any(one["mode"] == "async" for one in file["modes"])
    return ("--sweep",) if is_async and file["sweep"] is None else ("--turns", "--html", "replay.html")


def _policy(arm: Mapping[str, Any]) -> Iterator[str]:
    """What `cg compact` calls the policy of *arm*."""
    name, _, _ = arm["policy"].partition("@")
    if name in CALLS:
        yield from ("--policy", "summarize", "--call", name)
    elif name in BUILT_IN or name.endswith(".toml"):
        yield from ("--policy", name)
    else:
        yield from ("--pipeline", name.replace("+", ","))
    if arm["held"] != "respect":
        yield from ("--held", arm["held"])


def _own(arm: Mapping[str, Any], again: Again) -> Iterator[str]:
    """The options that `cg compact` takes with the policy of *arm*."""
    summarises = arm["call"] is not None
    if summarises or "extract_llm" in arm["steps"]:
        yield from again.answers
    if summarises:
        yield from again.summaries
    yield from again.compact


def _words(words: Sequence[str]) -> str:
    """Each behind a blank, as a shell takes it."""
    return "".join(f" {quote(safe(word))}" for word in words)
