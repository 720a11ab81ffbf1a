"""How many tokens a request was answered with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.model import Basis
from cgcli.replay.paired.recorded_answer import told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Exchange
    from cgcli.tokens.ruler import Ruler

_CONTENT = ("content", "choices", "output")
_NO_TEXT = frozenset({"id", "call_id", "type", "role", "signature", "finish_reason", "status", "encrypted_content"})


def output_tokens(exchange: Exchange, ruler: Ruler) -> int | None:
    """As the provider billed it, else counted from the recorded answer; None where neither is recorded."""
    usage = exchange.usage
    if usage is not None and usage.basis is Basis.MEASURED and usage.output is not None:
        return usage.output
    answer = told(exchange.answer) or {}
    content = next((answer[key] for key in _CONTENT if key in answer), None)
    return None if content is None else ruler.tokens(sum(map(ruler.count, _texts(content))))


def _texts(value: Any) -> Iterator[str]:
    """The strings in *value* that a model wrote."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += [each for key, each in one.items() if key not in _NO_TEXT]
