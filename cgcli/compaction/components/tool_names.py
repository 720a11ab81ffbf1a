"""What tools are called, which of them a list of patterns means, and where a request names them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cgcli.compaction.components.volatile import system_text, tail_start
from cgcli.dialects.content import decoded
from cgcli.dialects.settings import settings
from cgcli.model import Kind
from cgcli.wire.spans import decode_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cgcli.model import Item, Request

_NAMED_BY = ("mcp_server_name", "server_label", "type")
"""What a tool without a name is known by: those that the provider runs."""
_HEADER = "x-anthropic-billing-header:"
"""A block of Claude Code's system prompt that is no prose, and changes when the agent updates itself."""
_MENTIONING = (b"tool_reference", b"tool_addition", b"tool_removal")
"""Blocks that name a declared tool, in a message."""
_FOUND = b"tool_search_output"
"""The item with the tools that a search declared (Responses)."""
_SYSTEM_ROLES = ("system", "developer")
_MCP = "mcp__"
_MOST_KEPT = 64


@lru_cache(maxsize=_MOST_KEPT)
def declared(tools: tuple[Item, ...]) -> tuple[str, ...]:
    """The name of each of *tools*; empty where it has none."""
    return tuple(_declared(item) for item in tools)


def _declared(item: Item) -> str:
    if item.parts[0].name:
        return item.parts[0].name
    tree = decoded(item)
    said = (tree.get(key) for key in _NAMED_BY) if isinstance(tree, dict) else ()
    return next((name for name in said if isinstance(name, str)), "")


def is_meant(name: str, pattern: str) -> bool:
    """True where *pattern* is *name*, matches it (a `*` is any run), or is the MCP server that the tool is of.

    >>> [is_meant("mcp__hub__open", pattern) for pattern in ("mcp__hub", "mcp__*open", "open")]
    [True, True, False]
    """
    if pattern.startswith(_MCP) and "__" not in pattern[len(_MCP) :] and "*" not in pattern:
        return name == pattern or name.startswith(f"{pattern}__")
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    last = rest.pop()
    at, stop = len(first), len(name) - len(last)
    if at > stop or not name.startswith(first) or not name.endswith(last):
        return False
    for piece in rest:
        found = name.find(piece, at, stop)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def forced(request: Request) -> frozenset[str]:
    """Every name that the request's `tool_choice` has in it."""
    outside = settings(request)
    return frozenset(_strings([outside.get("tool_choice"), outside.get("function_call")]))


def called(messages: Sequence[Item], start: int) -> frozenset[str]:
    """The tools that *messages* from *start* on call, or name in a block that only a declared tool may be named in."""
    found: set[str] = set()
    for item in messages[start:]:
        found.update(part.name for part in item.parts if part.kind is Kind.TOOL_CALL and part.name)
        if any(item.has(word) for word in _MENTIONING):
            found.update(_strings(_mentions(decoded(item))))
    return frozenset(found)


def loads_tools(item: Item) -> bool:
    """True for a message without which tools are not declared any more: a search found them, or a block added them."""
    if any(item.has(word) for word in _MENTIONING):
        return next(_mentions(decoded(item)), None) is not None
    tree = decoded(item) if item.has(_FOUND) else None
    return isinstance(tree, dict) and str(tree.get("type")).encode("utf-8", "replace") == _FOUND


def _mentions(tree: Any) -> Iterator[Any]:
    """The blocks of those types anywhere in a message; not what is quoted inside a string."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if str(node.get("type")).encode("utf-8", "replace") in _MENTIONING:
                yield node
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


def _strings(trees: Iterable[Any]) -> Iterator[str]:
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


def instructions(request: Request) -> tuple[Item, ...]:
    """The system prompt: its own blocks, and the system messages that the conversation begins with."""
    leading = 0
    while leading < len(request.messages) and request.messages[leading].role in _SYSTEM_ROLES:
        leading += 1
    return (*(request.system or ()), *request.messages[:leading])


@lru_cache(maxsize=_MOST_KEPT)
def in_prose(items: tuple[Item, ...], names: tuple[str, ...]) -> frozenset[str]:
    """Those of *names* that stand as a word in the texts of *items*, volatile tails left out."""
    prose = "\n".join(text[: tail_start(text)] for item in items for text in _texts(item))
    return frozenset(name for name in names if _is_word(name, prose))


def _texts(item: Item) -> Iterator[str]:
    if item.section != "messages":
        text = system_text(item)
        if text is not None and not text.startswith(_HEADER):
            yield text
        return
    for part in item.parts:
        if part.slot is not None:
            yield decode_text(item.wire[part.slot.start : part.slot.stop])


def _is_word(name: str, prose: str) -> bool:
    """True where *name* stands in *prose*, and is no piece of a longer name (`Read` in `already` or `ReadMcp`)."""
    at = prose.find(name)
    while at >= 0:
        stop = at + len(name)
        if not _goes_on(prose[at - 1 : at]) and not _goes_on(prose[stop : stop + 1]):
            return True
        at = prose.find(name, at + 1)
    return False


def _goes_on(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())
