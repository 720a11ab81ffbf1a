"""Which answer a `token_count` tells of.

It has the usage of the last answer (`last_token_usage`) and of all so far (`total_token_usage`), which is not summed
again. It is told anew with every change of the rate limits: identical totals count once. Versions up to autumn 2025
write it before the items of its answer, later ones after them and after the outputs of its calls; the first one in the
file decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.model import value
from cgcli.readers import usage
from cgcli.readers.fields import members_of, value_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.model import Usage
    from cgcli.wire.spans import Node


@value
class Told:
    """What one event told."""

    is_new: bool
    """False where it told nothing, or the same again."""
    usage: Usage | None = None
    """The usage of the answer before it."""
    is_lost: bool = False
    """Usage was told, now or before, that belongs to no answer: a call for a summary, say."""


class Meter:
    """The usage that the file has told so far."""

    def __init__(self) -> None:
        """Nothing told yet."""
        self._totals: Any = None
        self._ahead: Usage | None = None
        self._comes_first: bool | None = None

    def told(self, event: Mapping[str, Node], *, unbilled: bool) -> Told:
        """What *event* tells; *unbilled*: there is an answer before it that none was told of yet.

        Raises:
            Malformed: the event cannot be used.
        """
        found = self._read(members_of(event.get("info")))
        if found is None:
            return Told(is_new=False)
        if unbilled and not self._comes_first:
            self._comes_first = False
            return Told(is_new=True, usage=found)
        if self._comes_first is False:
            return Told(is_new=True, is_lost=True)
        lost = self._ahead is not None
        self._ahead = found
        return Told(is_new=True, is_lost=lost)

    def answer_begins(self) -> Usage | None:
        """The usage that was told right before an answer, which is its own."""
        found, self._ahead = self._ahead, None
        if found is not None:
            self._comes_first = True
        return found

    def input_comes(self) -> bool:
        """Forget what was told right before something that is no answer; True where there was something."""
        was_told, self._ahead = self._ahead is not None, None
        return was_told

    def _read(self, info: Mapping[str, Node]) -> Usage | None:
        totals = value_at(info, "total_token_usage")
        if totals is not None and totals == self._totals:
            return None
        self._totals = totals
        last = value_at(info, "last_token_usage")
        return _usage(last) if isinstance(last, dict) else None


def _usage(last: Mapping[str, Any]) -> Usage | None:
    """Codex' counts, of which the input includes what was read and written; None where there was no input."""
    if not last.get("input_tokens"):
        return None
    details = {
        "cached_tokens": last.get("cached_input_tokens"),
        "cache_write_tokens": last.get("cache_write_input_tokens"),
    }
    counts = {"input_tokens": last["input_tokens"], "output_tokens": last.get("output_tokens")}
    return usage.of_answer({"usage": {**counts, "input_tokens_details": details}})
