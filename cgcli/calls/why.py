"""The reasons why a call, or the request that follows one, is not built; each documented once, here."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.model import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping


class Why(StrEnum):
    """A reason, by its short name."""

    # Of a fork, in the order in which they are looked for.
    TOOLS_NOT_RECORDED = "tools_not_recorded"
    OTHER_MODEL = "other_model"
    NO_PARENT = "no_parent"
    PARENT_NOT_SENT = "parent_not_sent"
    OPEN_TOOL_CALLS = "open_tool_calls"
    SPAN_NOT_IN_PARENT = "span_not_in_parent"
    WINDOW = "window"
    FORCED_TOOL_CHOICE = "forced_tool_choice"
    STRUCTURED_OUTPUT = "structured_output"
    PREVIOUS_RESPONSE = "previous_response"
    BUILD_FAILED = "build_failed"
    BELOW_MIN_SPAN_RATIO = "below_min_span_ratio"
    # Of the provider's own compaction; some of the above too.
    UNSUPPORTED_DIALECT = "unsupported_dialect"
    MODEL_UNSUPPORTED = "model_unsupported"
    MODEL_UNKNOWN = "model_unknown"
    PLATFORM_UNSUPPORTED = "platform_unsupported"
    REQUIRE_REVERSIBLE = "require_reversible"
    OTHER_EDITOR = "other_editor"
    CONTEXT_MANAGEMENT = "context_management"
    SIGNED_BLOCK = "signed_block"
    STOP_SEQUENCES = "stop_sequences"
    TASK_BUDGET = "task_budget"
    BOTH_KINDS = "both_kinds"
    PARENT_IS_CALL = "parent_is_call"
    TRIGGER_TOO_LOW = "trigger_too_low"
    INSTRUCTIONS_TOO_LONG = "instructions_too_long"
    # Of the request that follows.
    TOOL_GROUP_CUT = "tool_group_cut"
    REASONING_CUT = "reasoning_cut"
    SYSTEM_MISPLACED = "system_misplaced"
    THINKING_BOUND = "thinking_bound"
    BLOCK_UNUSABLE = "block_unusable"


SAYS: Mapping[Why, str] = MappingProxyType(
    {
        Why.TOOLS_NOT_RECORDED: "the file does not say which tools were sent, and they come first in the prefix",
        Why.OTHER_MODEL: "the summariser is another model, which shares no cache with the parent's",
        Why.NO_PARENT: "no request of the lane was sent yet",
        Why.PARENT_NOT_SENT: "the parent is not known to have been sent as it stands: it is rebuilt, or superseded",
        Why.OPEN_TOOL_CALLS: "the messages end on tool calls without a result (some of them, or all)",
        Why.SPAN_NOT_IN_PARENT: "the span does not stand in the parent, message for message and in order",
        Why.WINDOW: "parent, instruction and reserve do not fit into the model's window",
        Why.FORCED_TOOL_CHOICE: "the request forces a tool call, so no summary would be answered",
        Why.STRUCTURED_OUTPUT: "the request asks for output in a schema, so no summary would be answered",
        Why.PREVIOUS_RESPONSE: "the history stands with the provider (`previous_response_id`), not in the request",
        Why.BUILD_FAILED: "building the call failed",
        Why.BELOW_MIN_SPAN_RATIO: "the span is too small a part of the parent for a fork to pay (a decline)",
        Why.UNSUPPORTED_DIALECT: "requests of this shape have no compaction by the provider",
        Why.MODEL_UNSUPPORTED: "the model has no compaction of its own",
        Why.MODEL_UNKNOWN: "no table says whether the model has compaction of its own",
        Why.PLATFORM_UNSUPPORTED: "the platform does not have this kind of compaction",
        Why.REQUIRE_REVERSIBLE: "what the provider compacts cannot be given back, and that is required",
        Why.OTHER_EDITOR: "something else edits the same history",
        Why.CONTEXT_MANAGEMENT: "the parent asks for `context_management` already",
        Why.SIGNED_BLOCK: "compaction at a threshold cannot run on a request with a signed compaction block",
        Why.STOP_SEQUENCES: "compaction on demand is refused together with `stop_sequences`",
        Why.TASK_BUDGET: "compaction on demand is refused together with `output_config.task_budget.remaining`",
        Why.BOTH_KINDS: "both kinds of the provider's compaction in one request",
        Why.PARENT_IS_CALL: "the parent is itself a call for compaction",
        Why.TRIGGER_TOO_LOW: "the trigger is below the least one that the provider takes; it is never raised",
        Why.INSTRUCTIONS_TOO_LONG: "the instructions have more characters than the provider takes",
        Why.TOOL_GROUP_CUT: "the cut goes through a tool call and its results",
        Why.REASONING_CUT: "the cut goes between reasoning and the item that it belongs to",
        Why.SYSTEM_MISPLACED: "a system message would stand where the provider refuses it",
        Why.THINKING_BOUND: "thinking that is kept is bound to what would be replaced before it",
        Why.BLOCK_UNUSABLE: "what the provider answered is no compaction that can be sent back",
    }
)
"""One line for each."""


def refuse(why: Why, detail: str | None = None, *, is_decline: bool = False) -> Refusal:
    """The refusal for that reason; *detail* is put behind the reason's line."""
    said = SAYS[why]
    return Refusal(reason=why.value, detail=f"{said}: {detail}" if detail else said, is_decline=is_decline)
