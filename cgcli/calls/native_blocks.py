"""What a request asks of the provider's own compaction, and the blocks of it that it brings along."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from cgcli.dialects.content import decoded
from cgcli.dialects.settings import settings
from cgcli.model import value
from cgcli.providers.compaction_support import (
    BEDROCK_PREFIX,
    FORCED_CHOICES,
    ITEM,
    LEAST_TRIGGER_TOKENS,
    MOST_INSTRUCTIONS_CHARS,
    THRESHOLD_EDIT,
    TRIGGER_ITEM,
    has_compaction,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Item, Request

_NAME = b'"compaction'


@value
class Compaction:
    """A block (Anthropic) or an input item (OpenAI) that stands for what was compacted."""

    seal: str
    """What it is known by: its signature, the item's id, else its content."""
    is_signed: bool
    """Compaction on demand (Anthropic)."""
    digest: bytes
    """Over all of it but its cache mark."""
    i_message: int
    inner: str
    i_block: int
    """Its number in the content of its message."""
    null_members: tuple[str, ...]
    is_empty: bool
    """Its content is an empty string."""


@value
class Asked:
    """What a request asks for."""

    on_demand: bool = False
    """Compaction on demand (Anthropic), or a trigger item (OpenAI): this request itself is the call."""
    threshold: bool = False


def compactions(item: Item, i_message: int) -> list[Compaction]:
    """The compaction blocks of a message, in order; one whose content is null stands for nothing and is left out."""
    if not item.has(_NAME):
        return []
    tree = decoded(item)
    if not isinstance(tree, dict):
        return []
    if tree.get("type") == ITEM:
        return [_compaction(tree, i_message, "", 0)]
    content = tree.get("content")
    return [
        _compaction(block, i_message, f"content.{i}", i)
        for i, block in enumerate(content if isinstance(content, list) else ())
        if isinstance(block, dict) and block.get("type") == ITEM and block.get("content", "") is not None
    ]


def _compaction(block: dict[str, Any], i_message: int, inner: str, i_block: int) -> Compaction:
    signature = block.get("signature")
    is_signed = isinstance(signature, str) and bool(signature)
    content = block.get("content")
    seal = signature if is_signed else (block.get("id") or block.get("encrypted_content") or content)
    kept = {key: member for key, member in block.items() if key != "cache_control"}
    return Compaction(
        seal=str(seal),
        is_signed=is_signed,
        digest=sha256(repr(sorted(kept.items())).encode("utf-8", "surrogatepass")).digest(),
        i_message=i_message,
        inner=inner,
        i_block=i_block,
        null_members=tuple(key for key, member in kept.items() if member is None),
        is_empty=content == "",
    )


def is_trigger(item: Item) -> bool:
    """True for OpenAI's item that asks for compaction."""
    tree = decoded(item) if item.has(TRIGGER_ITEM.encode()) else None
    return isinstance(tree, dict) and tree.get("type") == TRIGGER_ITEM


def asked(request: Request, outside: dict[str, Any]) -> Asked:
    """What *request*, whose settings are *outside*, asks for."""
    if request.dialect == "openai-responses":
        managed = outside.get("context_management")
        edits = managed if isinstance(managed, list) else []
        on_demand = bool(request.messages) and is_trigger(request.messages[-1])
        return Asked(on_demand=on_demand, threshold=any(_type(edit) == ITEM for edit in edits))
    if request.dialect == "anthropic":
        return Asked(on_demand=outside.get(ITEM) is not None, threshold=_threshold(outside) is not None)
    return Asked()


def _threshold(outside: dict[str, Any]) -> dict[str, Any] | None:
    managed = outside.get("context_management")
    edits = managed.get("edits") if isinstance(managed, dict) else None
    found = [edit for edit in (edits if isinstance(edits, list) else ()) if _type(edit) == THRESHOLD_EDIT]
    return found[0] if found else None


def _type(edit: Any) -> Any:
    return edit.get("type") if isinstance(edit, dict) else None


def refused(request: Request, outside: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(kind, a line, path) for each reason why the compaction that an Anthropic *request* asks for is refused."""
    if has_compaction(request.model) is False:
        yield "model_unsupported", f"{request.model} has no compaction of its own", "model"
    edit = _threshold(outside)
    trigger = edit.get("trigger") if edit is not None else None
    tokens = trigger.get("value") if isinstance(trigger, dict) else None
    if isinstance(tokens, int) and tokens < LEAST_TRIGGER_TOKENS:
        says = f"a trigger of {tokens:,} tokens is refused: {LEAST_TRIGGER_TOKENS:,} is the least"
        yield "trigger_too_low", says, "context_management"
    on_demand = outside.get(ITEM)
    if on_demand is None:
        return
    if outside.get("context_management") is not None:
        yield "both_kinds", "`compaction` and `context_management` in one request: answered with 400", ITEM
    if BEDROCK_PREFIX in (request.model or ""):
        yield "platform_unsupported", "Bedrock has no compaction on demand", ITEM
    instructions = on_demand.get("instructions") if isinstance(on_demand, dict) else None
    if isinstance(instructions, str) and len(instructions) > MOST_INSTRUCTIONS_CHARS:
        says = f"instructions of more than {MOST_INSTRUCTIONS_CHARS:,} characters are refused"
        yield "instructions_too_long", says, f"{ITEM}.instructions"
    for name in forbidden(outside):
        yield "refused_setting", f"compaction on demand is refused together with `{name}`", name


def forbidden(outside: dict[str, Any]) -> Iterator[str]:
    """The settings that compaction on demand (Anthropic) is refused together with."""
    if outside.get("stop_sequences"):
        yield "stop_sequences"
    config = outside.get("output_config")
    if isinstance(config, dict) and config.get("format") is not None:
        yield "output_config.format"
    budget = config.get("task_budget") if isinstance(config, dict) else None
    if isinstance(budget, dict) and budget.get("remaining") is not None:
        yield "output_config.task_budget.remaining"
    if _type(outside.get("tool_choice")) in FORCED_CHOICES:
        yield "tool_choice"


def settings_of(request: Request) -> dict[str, Any]:
    """The settings that compaction can depend on; none for a dialect that has no compaction."""
    return {} if request.dialect == "openai-chat" else settings(request)
