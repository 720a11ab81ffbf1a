"""What a probe says of the two gates that need measured usage, and of its own predictions."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from cgcli.calls.call import CallMode
from cgcli.checks.gates.fork_cached import LEAST_PERCENT
from cgcli.model import Refusal, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Usage
    from cgcli.probe.probing import Probed, Sent

Verdict = Literal["pass", "fail", "vacuous", "unknown"]
_BEFORE_SENDING = frozenset({"max_usd", "unpriced", "not_sent"})


@value
class Judged:
    """A verdict, and its figures in a line."""

    gate: str
    verdict: Verdict
    says: str


class Agreement(StrEnum):
    """A measured read beside the predicted one."""

    EXACT = "exact"
    """The same, token for token."""
    ABOUT = "about"
    """Read as predicted; how much of it is a count of ours, so that the figures need not be equal."""
    MORE = "more"
    """More than this probe wrote: the provider held it from before."""
    LESS = "less"
    """Less than the documented rules give."""


def judge(probed: Probed) -> Iterator[Judged]:
    """Each gate that the compared shapes can tell something of."""
    modes = {shape.mode for shape in probed.comparison.shapes}
    if CallMode.FORK in modes:
        yield cached(probed)
        if CallMode.STANDALONE in modes:
            yield cost(probed)


def cached(probed: Probed) -> Judged:
    """G-FORK-CACHED: the fork read at least half of its prompt from the cache, measured."""
    gate = "G-FORK-CACHED"
    fork = _sent(probed, CallMode.FORK)
    if fork is None:
        return Judged(gate=gate, verdict="vacuous", says="no fork was sent")
    found = prompt_tokens(fork.usage)
    if found is None or not found[1]:
        return Judged(gate=gate, verdict="unknown", says=_why(fork))
    read, total = found
    return Judged(
        gate=gate,
        verdict="pass" if read * 100 >= LEAST_PERCENT * total else "fail",
        says=f"the fork read {read:,} of {total:,} tokens ({read * 100 / total:.1f} %), measured; "
        f"{LEAST_PERCENT} % are needed",
    )


def cost(probed: Probed) -> Judged:
    """G-FORK-COST, of this one pair: the fork cost no more than the standalone call, measured."""
    gate = "G-FORK-COST"
    fork, standalone = _sent(probed, CallMode.FORK), _sent(probed, CallMode.STANDALONE)
    if fork is None or standalone is None:
        missing = "fork" if fork is None else "standalone call"
        return Judged(gate=gate, verdict="vacuous", says=f"no {missing} was sent")
    if fork.usd is None or standalone.usd is None:
        return Judged(gate=gate, verdict="unknown", says=_why(fork if fork.usd is None else standalone))
    return Judged(
        gate=gate,
        verdict="pass" if fork.usd <= standalone.usd else "fail",
        says=f"the fork cost ${fork.usd:.6f}, the standalone call ${standalone.usd:.6f}, measured",
    )


def prompt_tokens(usage: Usage | None) -> tuple[int, int] | None:
    """(read, all input) of a request, its iterations together; None where that is not recorded."""
    parts = each_pass(usage)
    if not parts or any(part.input is None for part in parts):
        return None
    return sum(part.read or 0 for part in parts), sum(part.input or 0 for part in parts)


def each_pass(usage: Usage | None) -> tuple[Usage, ...]:
    """What was billed, one after the other: the iterations, where the answer has them."""
    if usage is None:
        return ()
    return usage.iterations or (usage,)


def agreement(sent: Sent) -> Agreement | None:
    """Whether the read was the predicted one; None where one of the two is not known.

    A provider that compacts at a threshold reads twice; predicted is the first time, of the very body that was sent.
    """
    parts = each_pass(sent.usage)
    if not parts or parts[0].input is None or isinstance(sent.predicted, Refusal):
        return None
    read, predicted = parts[0].read or 0, sent.predicted.read_tokens
    if read == predicted:
        return Agreement.EXACT
    if read and predicted and not sent.predicted.is_recorded:
        return Agreement.ABOUT
    return Agreement.MORE if read > predicted else Agreement.LESS


def _sent(probed: Probed, mode: CallMode) -> Sent | None:
    return next((one for one in probed.sent if one.mode is mode), None)


def _why(sent: Sent) -> str:
    if sent.refusal is not None:
        what = "sent" if sent.refusal.reason in _BEFORE_SENDING else "answered"
        return f"{sent.name} was not {what}: {sent.refusal.detail}"
    if prompt_tokens(sent.usage) is None:
        return f"the answer to {sent.name} does not say what was read"
    return f"what {sent.name} cost is not known"
