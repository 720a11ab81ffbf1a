"""When the provider must not be asked to compact; such a refusal never falls back to another way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.call import CallMode
from cgcli.calls.native_blocks import asked, compactions, forbidden
from cgcli.calls.native_support import unsupported
from cgcli.calls.obstacles import forced_choice, history_elsewhere, structured_output
from cgcli.calls.open_calls import open_calls
from cgcli.calls.refusals import open_at_end
from cgcli.calls.span import in_parent
from cgcli.calls.why import Why, refuse
from cgcli.dialects.settings import settings
from cgcli.providers.compaction_support import LEAST_TRIGGER_TOKENS, MOST_INSTRUCTIONS_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from cgcli.calls.call import Asking
    from cgcli.calls.native_blocks import Compaction
    from cgcli.model import Refusal, Request

DEFAULT_TRIGGER_TOKENS = 150_000
"""Claude docs, compaction at a threshold: the trigger of a request that names none."""


def native_refusal(mode: CallMode, asking: Asking) -> Refusal | None:
    """The first reason why the parent must not ask for that kind of compaction."""
    request, options = asking.parent.request, asking.options
    refused = unsupported(mode, request, options)
    if refused is not None:
        return refused
    if options.require_reversible:
        return refuse(Why.REQUIRE_REVERSIBLE)
    if options.other_editor is not None:
        return refuse(Why.OTHER_EDITOR, options.other_editor)
    outside = settings(request)
    if not outside:
        return refuse(Why.BUILD_FAILED, "the settings of the parent cannot be read")
    return next(_of_request(mode, asking, outside), None)


def _of_request(mode: CallMode, asking: Asking, outside: dict[str, Any]) -> Iterator[Refusal]:
    request = asking.parent.request
    blocks = _blocks(request)
    is_claude = request.dialect == "anthropic"
    at_threshold = mode is CallMode.NATIVE_THRESHOLD
    if outside.get("context_management") is not None:
        yield refuse(Why.CONTEXT_MANAGEMENT)
    if at_threshold and any(block.is_signed for block in blocks):
        yield refuse(Why.SIGNED_BLOCK)
    span = in_parent(asking)
    if span is None and not at_threshold:
        yield refuse(Why.SPAN_NOT_IN_PARENT)
    yield from _pending(mode, asking, span.stop if span is not None else 0)
    if not at_threshold:
        yield from _settings(mode, request.dialect, outside)
    if asked(request, outside).on_demand:
        yield refuse(Why.BOTH_KINDS if at_threshold else Why.PARENT_IS_CALL)
    if is_claude and not at_threshold and any(not block.is_signed for block in blocks):
        yield refuse(Why.BOTH_KINDS, "the history has a block of compaction at a threshold")
    yield from _values(asking, at_threshold=at_threshold, is_claude=is_claude)


def _blocks(request: Request) -> list[Compaction]:
    return [block for i, item in enumerate(request.messages) for block in compactions(item, i)]


def _pending(mode: CallMode, asking: Asking, stop: int) -> Iterator[Refusal]:
    """Calls without a result where the request for compaction would end."""
    request = asking.parent.request
    if mode is CallMode.NATIVE_THRESHOLD or (mode is CallMode.NATIVE_ON_DEMAND and request.dialect != "anthropic"):
        refused = open_at_end(asking)
        if refused is not None:
            yield refused
    elif open_calls(request.dialect, request.messages, stop):
        yield refuse(Why.OPEN_TOOL_CALLS, "at the end of the span")


def _settings(mode: CallMode, dialect: str, outside: dict[str, Any]) -> Iterator[Refusal]:
    """What compaction on demand is refused together with; the endpoint is sent none of it but the history's name."""
    in_band = mode is CallMode.NATIVE_ON_DEMAND
    found = set(forbidden(outside)) if dialect == "anthropic" else set()
    if "stop_sequences" in found:
        yield refuse(Why.STOP_SEQUENCES)
    for why, name in (
        (Why.FORCED_TOOL_CHOICE, forced_choice(dialect, outside) if in_band else None),
        (Why.STRUCTURED_OUTPUT, structured_output(dialect, outside) if in_band else None),
        (Why.PREVIOUS_RESPONSE, history_elsewhere(outside)),
    ):
        if name is not None:
            yield refuse(why, name)
    if "output_config.task_budget.remaining" in found:
        yield refuse(Why.TASK_BUDGET)


def _values(asking: Asking, *, at_threshold: bool, is_claude: bool) -> Iterator[Refusal]:
    """What the caller asks for and the provider does not take."""
    options = asking.options
    trigger = options.trigger_tokens
    if at_threshold and is_claude and trigger is not None and trigger < LEAST_TRIGGER_TOKENS:
        yield refuse(Why.TRIGGER_TOO_LOW, f"{trigger:,} tokens, and {LEAST_TRIGGER_TOKENS:,} is the least")
    prompt = options.prompt
    if is_claude and not at_threshold and prompt is not None and len(prompt) > MOST_INSTRUCTIONS_CHARS:
        yield refuse(Why.INSTRUCTIONS_TOO_LONG, f"{len(prompt):,}, and {MOST_INSTRUCTIONS_CHARS:,} is the most")
