"""What each step of a policy took out, in tokens of the model that would have been sent it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.replay.ledger import Ledger


class Removed:
    """Follows a ledger turn by turn, so that what a turn brought is weighed as its model's tokens."""

    def __init__(self) -> None:
        """Nothing was taken out yet."""
        self._once: dict[str, int] = {}
        self._gross: dict[str, int] = {}
        self._once_tokens: dict[str, float] = {}
        self._gross_tokens: dict[str, float] = {}

    def turn(self, ledger: Ledger, factor: float) -> None:
        """Take one turn into account, a counted token being *factor* tokens for its model."""
        _add(self._once_tokens, self._once, ledger.distinct.saved_tokens, factor)
        _add(self._gross_tokens, self._gross, ledger.saved_gross, factor)

    def once(self, step: str) -> int:
        """What *step* took out, each thing once."""
        return round(self._once_tokens.get(step, 0))

    def gross(self, step: str) -> int:
        """The same, again in each request that would have repeated it."""
        return round(self._gross_tokens.get(step, 0))

    @property
    def in_all(self) -> int:
        """What all steps took out, each thing once."""
        return round(sum(self._once_tokens.values()))


def _add(tokens: dict[str, float], before: dict[str, int], now: Mapping[str, int], factor: float) -> None:
    """Add to *tokens* what *now* has more than *before*, which is as *now* from then on."""
    for name, counted in now.items():
        more = counted - before.get(name, 0)
        if more:
            tokens[name] = tokens.get(name, 0) + more * factor
            before[name] = counted
