"""Is a file's usage a provider's, or made up by whoever wrote the file?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.providers.answer_ids import is_claude_answer
from cgcli.replay.paired.recorded_answer import told

if TYPE_CHECKING:
    from cgcli.model import Exchange

_MOST_LOOKED_AT = 5


class Origin:
    """Looks at the first answers of a file: a provider's have names of a form that generators seldom take."""

    def __init__(self) -> None:
        """Nothing was looked at yet."""
        self._n_looked_at = 0
        self._n_given = 0

    def look(self, exchange: Exchange) -> None:
        """Take one answer into account."""
        if self.is_settled or exchange.request.dialect != "anthropic":
            return
        name = (told(exchange.answer) or {}).get("id")
        if isinstance(name, str):
            self._n_looked_at += 1
            self._n_given += is_claude_answer(name)

    @property
    def is_settled(self) -> bool:
        """True once no later answer counts."""
        return self._n_looked_at >= _MOST_LOOKED_AT

    @property
    def is_invented(self) -> bool:
        """True where answers have names, and none that Claude's API gives."""
        return self._n_looked_at > 0 and not self._n_given
