"""What a policy came to over a file, beside doing nothing."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from enum import StrEnum
from typing import TYPE_CHECKING

from cgcli.compaction.summaries.state import What
from cgcli.model import Refusal, value
from cgcli.replay.paired.turns import sum_usd

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.replay.paired.arm import Arm
    from cgcli.replay.paired.turns import ArmTurn


class BreakEven(StrEnum):
    """Whether a policy ever cost more than doing nothing, and whether that came back."""

    NOTHING_CHANGED = "nothing_changed"
    NEVER_BEHIND = "never_behind"
    """At no turn had it cost more."""
    REACHED = "reached"
    """It had cost more, and from some turn on never again."""
    NOT_REACHED = "not_reached"
    """At the end of the file it has cost more."""
    UNPRICED = "unpriced"


@value
class Totals:
    """Sums over the requests of a file; tokens for the model. What is not simulated or not priced is in no sum."""

    n_requests: int
    n_changed: int
    n_fired: int
    """Changes that the policy made, each once."""
    n_resets: int
    removed_gross_tokens: int
    """Taken from requests, again in each that would have repeated it."""
    removed_unique_tokens: int
    """The same, each thing once."""
    n_simulated: int
    """Requests whose cache is simulated; the next four are of these."""
    input_tokens: int
    read_tokens: int
    write_tokens: int
    fresh_tokens: int
    output_tokens: int
    n_own_calls: int
    own_usd: Decimal | None
    """None where a call of its own has no price."""
    n_priced: int
    """Requests that have a price; the dollars are of these, and of the policy's own calls."""
    usd: Decimal | None
    off_difference_usd: Decimal | None
    break_even: BreakEven
    break_even_turns: int | None
    """Requests from the first change on until it had cost no more for good; at `not_reached`, how many more it takes
    at the rate since the last reset. None: never, or nothing to wait for."""
    n_irreversible: int
    n_refetches: int
    n_cites: int
    regret_tokens: int

    @property
    def hit_rate(self) -> float | None:
        """The share of the input that is read from the cache; None where nothing is simulated."""
        return self.read_tokens / self.input_tokens if self.input_tokens else None


def totals(arm: Arm, off: Arm) -> Totals:
    """What *arm* came to, beside *off* on the same requests."""
    turns = arm.turns
    simulated = [one.simulated for one in turns if not isinstance(one.simulated, Refusal)]
    regrets = [one for turn in turns for one in turn.regrets]
    own = [one for turn in turns for one in turn.own_calls]
    own_usd = sum_usd(one.usd for one in own if one.refused is None)
    usd, off_usd = _usd(turns), _usd(off.turns)
    is_priced = any(turn.usd is not None for turn in turns)
    found, after = break_even(turns, off.turns)
    return Totals(
        n_requests=len(turns),
        n_changed=sum(turn.is_changed for turn in turns),
        n_fired=sum(sum(turn.fired.values()) for turn in turns),
        n_resets=sum(turn.is_reset for turn in turns),
        removed_gross_tokens=sum(turn.removed_tokens for turn in turns),
        removed_unique_tokens=_unique(arm),
        n_simulated=len(simulated),
        input_tokens=sum(one.input_tokens for one in simulated),
        read_tokens=sum(one.read_tokens for one in simulated),
        write_tokens=sum(one.written_tokens for one in simulated),
        fresh_tokens=sum(one.fresh_tokens for one in simulated),
        output_tokens=sum(turn.output_tokens or 0 for turn in turns),
        n_own_calls=sum(one.refused is None for one in own),
        own_usd=own_usd,
        n_priced=sum(turn.usd is not None for turn in turns),
        usd=usd if is_priced else None,
        off_difference_usd=usd - off_usd if is_priced and usd is not None and off_usd is not None else None,
        break_even=found,
        break_even_turns=after,
        n_irreversible=_irreversible(arm),
        n_refetches=sum(one.kind == "refetch" for one in regrets),
        n_cites=sum(one.kind == "cite" for one in regrets),
        regret_tokens=sum(one.tokens for one in regrets),
    )


def differences(turns: Sequence[ArmTurn], off: Sequence[ArmTurn]) -> list[Decimal]:
    """After each turn, what was spent beyond doing nothing so far; a turn without a price adds nothing to either."""
    found, total = [], Decimal(0)
    for one, other in zip(turns, off, strict=True):
        mine, its = one.all_usd, other.all_usd
        if mine is not None and its is not None:
            total += mine - its
        found.append(total)
    return found


def break_even(turns: Sequence[ArmTurn], off: Sequence[ArmTurn]) -> tuple[BreakEven, int | None]:
    """Whether, and after how many turns from the first change on, a policy had cost no more than doing nothing."""
    first = next((i for i, turn in enumerate(turns) if turn.is_changed or _answered(turn)), None)
    if first is None:
        return BreakEven.NOTHING_CHANGED, None
    if not any(turn.all_usd is not None for turn in turns):
        return BreakEven.UNPRICED, None
    ahead = differences(turns, off)
    behind = [i for i, spent in enumerate(ahead) if spent > 0]
    if not behind:
        return BreakEven.NEVER_BEHIND, None
    if behind[-1] < len(ahead) - 1:
        return BreakEven.REACHED, behind[-1] + 1 - first
    return BreakEven.NOT_REACHED, _more(turns, ahead)


def pareto(of: Mapping[str, Totals]) -> tuple[str, ...]:
    """The policies that no other beats in both dollars and regret.

    Those without a price are in no comparison. What changed nothing is the first of them over again.
    """
    first = next(iter(of), None)
    priced = {
        name: (one.usd, one.regret_tokens)
        for name, one in of.items()
        if one.usd is not None and (name == first or one.break_even is not BreakEven.NOTHING_CHANGED)
    }
    return tuple(
        name
        for name, (usd, regret) in priced.items()
        if not any(other <= usd and its <= regret and (other, its) != (usd, regret) for other, its in priced.values())
    )


def _more(turns: Sequence[ArmTurn], ahead: Sequence[Decimal]) -> int | None:
    """How many turns more it takes, at what was saved per turn since the last reset."""
    start = max((i for i, turn in enumerate(turns) if turn.is_reset or _answered(turn)), default=0)
    n = len(ahead) - 1 - start
    saved = ahead[start] - ahead[-1]
    if n <= 0 or saved <= 0:
        return None
    return int((ahead[-1] * n / saved).to_integral_value(rounding=ROUND_CEILING))


def _answered(turn: ArmTurn) -> bool:
    """True where the policy itself was answered, and billed; what nobody answers was not sent."""
    return any(one.refused is None for one in turn.own_calls)


def _usd(turns: Sequence[ArmTurn]) -> Decimal | None:
    """The sum of all that has a price; None where a call of the policy's own has none."""
    return sum_usd(turn.all_usd for turn in turns if turn.usd is not None)


def _unique(arm: Arm) -> int:
    """Each thing once. It is rounded once and each request by itself, and the part is not to look larger than all."""
    once, gross = arm.removed.in_all, sum(turn.removed_tokens for turn in arm.turns)
    return gross if 0 < once - gross <= len(arm.turns) else once


def _irreversible(arm: Arm) -> int:
    """Changes that cannot be given back, and lanes in which the provider drops what it likes."""
    if not arm.is_enforced:
        return 0
    ledger = arm.run.ledger
    ends = (What.APPLIED, What.SET_UP)
    told = sum(one.event.what in ends and not one.event.is_reversible for one in ledger.summaries)
    return ledger.distinct.n_irreversible + told
