"""Captures of one request, and probes of them against the local provider whose time a test decides."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cgcli.cli.comparing import Comparing
from cgcli.cli.span_options import Asked
from cgcli.live.spending import Budget
from cgcli.model import Refusal
from cgcli.probe.probing import PARENT, Probed, Prober
from tests.live.asking import assistant, message, text, user
from tests.live.sending import Clock, client

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cgcli.probe.probing import Sent
    from tests.live.provider import Provider

Json = dict[str, Any]
YES_TOKENS = 8
"""Of the answer `Yes.`: `{"text":"Yes.","type":"text"}` has 29 bytes, and the provider a token for 4 of them."""


def conversation(*sizes: int, mark: Json | None = None, **more: Any) -> Json:
    """User texts of *sizes* tokens, each but the last answered `Yes.`; *mark* stands on the last one."""
    turns: list[Json] = []
    for i, n_tokens in enumerate(sizes):
        last = {"cache_control": mark} if mark is not None and i == len(sizes) - 1 else {}
        turns += [user(text(n_tokens, chr(97 + i), **last)), assistant("Yes.")]
    return message(*turns[:-1], tools=[], **more)


@dataclass
class Probing:
    """Probes of one provider; its clock is the provider's."""

    provider: Provider
    folder: Path
    clock: Clock = field(default_factory=Clock)
    budget: Budget = field(default_factory=Budget)

    def __call__(
        self,
        body: Json,
        *calls: str,
        after: Callable[[bytes], None] | None = None,
        most_usd: str | None = None,
        asked: Json | None = None,
        prewarm: bool = False,
        key: str | None = None,
        **timing: Any,
    ) -> Probed:
        """Probe *body*, which is written to a file first; *after* is told each body that was answered."""
        file = self.folder / "parent.jsonl"
        file.write_text(json.dumps(body) + "\n")
        comparing = Comparing(Asked(file=str(file), at=1, calls=calls, **(asked or {})))
        (comparison,) = comparing.comparisons()
        self.budget = Budget(Decimal(most_usd) if most_usd is not None else None)
        own = {"key": key} if key is not None else {}
        with client(self.provider.url, self.clock, **{"timeout_s": 0.5, **own, **timing}) as sending:
            prober = Prober(
                sending,
                self.budget,
                comparing.prices,
                comparing.ruler,
                clock=self.clock.read,
                keep=(lambda sent, _: after(sent)) if after is not None else None,
            )
            planned = prober.plan(comparison, prewarm=prewarm)
            assert not isinstance(planned, Refusal), planned
            return prober.probe(comparison, planned)

    def wait(self, seconds: float) -> None:
        """Let time pass, here and there."""
        self.clock.now_s += seconds
        self.provider.now_s += seconds


def reads(probed: Probed) -> dict[str, tuple[int | None, int | None]]:
    """Of each request behind the parent: the predicted read, and the measured one; None where it is not known."""
    return {one.name: (_predicted(one), _measured(one)) for one in probed.sent if one.name != PARENT}


def _predicted(one: Sent) -> int | None:
    return None if isinstance(one.predicted, Refusal) else one.predicted.read_tokens


def _measured(one: Sent) -> int | None:
    if one.usage is None:
        return None
    return one.usage.iterations[0].read if one.usage.iterations else one.usage.read


def reasons(probed: Probed) -> dict[str, str | None]:
    """Why each request has no answer; None where it has."""
    return {one.name: one.refusal.reason if one.refusal is not None else None for one in probed.sent}
