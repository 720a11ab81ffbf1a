"""The provider's own compaction, whichever it is."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.calls import anthropic_native, openai_native
from cgcli.calls.attempt import attempt
from cgcli.calls.call import CallMode
from cgcli.calls.native_refusals import native_refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cgcli.calls.call import Asking, Call
    from cgcli.model import Refusal

BUILDERS: Mapping[tuple[str, CallMode], Callable[[Asking], Call]] = MappingProxyType(
    {
        ("anthropic", CallMode.NATIVE_THRESHOLD): anthropic_native.at_threshold,
        ("anthropic", CallMode.NATIVE_ON_DEMAND): anthropic_native.on_demand,
        ("openai-responses", CallMode.NATIVE_THRESHOLD): openai_native.at_threshold,
        ("openai-responses", CallMode.NATIVE_ON_DEMAND): openai_native.on_demand,
        ("openai-responses", CallMode.NATIVE_ENDPOINT): openai_native.endpoint,
    }
)
"""By dialect and mode."""


def native(mode: CallMode, asking: Asking) -> Call | Refusal:
    """The request that has the provider compact, or the first reason why it must not be sent."""
    refused = native_refusal(mode, asking)
    if refused is not None:
        return refused
    return attempt(lambda: BUILDERS[asking.parent.request.dialect, mode](asking))
