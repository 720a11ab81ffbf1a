"""The tokens before any place of a model's requests, and what their items look like; each distinct thing once."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

from cgcli.cachesim.bare import Bare, bare
from cgcli.cachesim.layout import layout
from cgcli.cachesim.marked_items import MarkedItems
from cgcli.dialects.content import decoded
from cgcli.model import Digest, Section, unique, value
from cgcli.prefix.chain import extend
from cgcli.tokens.meter import MESSAGE_TOKENS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cgcli.cachesim.layout import Layout
    from cgcli.cachesim.places import Places
    from cgcli.cachesim.plan import Plan
    from cgcli.cachesim.rule import PrefixRule
    from cgcli.model import Item, Mark, Refusal, Request
    from cgcli.tokens.ruler import Ruler

    Asked: TypeAlias = Plan | PrefixRule | Refusal

_WEB_TOOLS = ("web_search_", "web_fetch_")
_DEFERRED = b'"defer_loading"'
_Statics = tuple[tuple["Item", ...] | None, tuple["Item", ...] | None]


@value
class Spot:
    """One block before the messages."""

    section: Section
    i_item: int
    i_block: int
    running: Digest
    """Over model and all blocks up to this one."""
    counted: int
    """Tokens up to and with this one, without the ruler's factor."""
    mark: Mark | None
    is_markable: bool


@unique
class Head:
    """Tools and system prompt."""

    spots: tuple[Spot, ...]
    tools: Digest
    """Over the tools, to tell whether they changed."""
    system: Digest
    counted: int
    """Tokens of all, without the ruler's factor."""
    running: Digest
    """Over model, tools and system prompt."""
    web: bytes
    """Over the tools that search or fetch the web, which Claude's API puts into the system prompt; empty for none."""


@value
class Seen:
    """What there is somewhere in the messages."""

    server_result: tuple[int, int] | None = None
    """Message and block of the last result of a server tool."""
    has_image: bool = False
    cites: bool = False
    """A document asks for citations."""
    has_cache_point: bool = False
    """A mark in the shape of Bedrock's Converse."""


class Tape:
    """Measures the requests of one model; remembers little more than one number a message."""

    def __init__(self, ruler: Ruler) -> None:
        """Measure with *ruler*."""
        self.ruler = ruler
        self._heads: dict[_Statics, Head] = {}
        self._layouts: dict[Digest, Layout] = {}
        self._upto: dict[Digest, int] = {}
        """Tokens of the messages up to a state."""
        self._seen: dict[Digest, Seen] = {}
        self._bares: dict[Digest, Bare] = {}
        self._stripped: dict[Digest, tuple[Digest, int]] = {}
        """By state: the state without thinking, and the tokens of that."""
        self._behind_stripped: dict[tuple[Digest, Digest], Digest] = {}
        """By the state behind the last message without its thinking, and the state as sent: the state as read."""
        self.marked = MarkedItems()
        self.latest: tuple[Places, Asked] | None = None
        """The request that was looked at last, and what it asks of its cache: several policies send the same one."""

    def tokens(self, counted: int) -> int:
        """What *counted* tokens are for the model."""
        return self.ruler.tokens(counted)

    def layout(self, item: Item) -> Layout:
        """The blocks of *item*'s content."""
        known = self._layouts.get(item.rendered)
        if known is None:
            known = self._layouts[item.rendered] = layout(item)
        return known

    def bare(self, item: Item) -> Bare:
        """Message *item* as it is without its thinking."""
        known = self._bares.get(item.rendered)
        if known is None:
            known = self._bares[item.rendered] = bare(item, self.layout(item).thinking)
        return known

    def head(self, request: Request) -> Head:
        """What stands before the messages of *request*, its marks too: the same text marked otherwise is another."""
        statics = request.tools, request.system
        known = self._heads.get(statics)
        if known is None:
            known = self._heads[statics] = self._head(request)
        return known

    def messages(self, request: Request, n_messages: int) -> int:
        """The tokens of the first *n_messages* messages; costs what is new."""
        states, upto = request.states, self._upto
        first = _n_known(states, n_messages, upto)
        total = upto[states[first - 1]] if first else 0
        for i in range(first, n_messages):
            total += self.ruler.meter.item(request.messages[i])
            upto[states[i]] = total
        return total

    def within(self, request: Request, i_message: int, stop: int) -> int:
        """The tokens of message *i_message* up to its part *stop*."""
        parts = self.ruler.meter.parts(request.messages[i_message])
        return MESSAGE_TOKENS + sum(parts[:stop])

    def seen(self, request: Request) -> Seen:
        """What there is in all messages of *request*; costs what is new."""
        first = _n_known(request.states, len(request.states), self._seen)
        found = self._seen[request.states[first - 1]] if first else Seen()
        for i in range(first, len(request.messages)):
            own = self.layout(request.messages[i])
            if own.is_special:
                at = (i, own.i_server_result) if own.i_server_result is not None else found.server_result
                found = Seen(
                    server_result=at,
                    has_image=found.has_image or own.has_image,
                    cites=found.cites or own.cites,
                    has_cache_point=found.has_cache_point or own.has_cache_point,
                )
            self._seen[request.states[i]] = found
        return found

    def before(self, request: Request, i_message: int, n_stripped: int) -> bytes:
        """The state before message *i_message*, the thinking of the first *n_stripped* ones taken out."""
        if not i_message or not n_stripped:
            return request.states[i_message - 1] if i_message else b""
        first = min(i_message, n_stripped)
        stripped, _ = self._without_thinking(request, first)
        states, behind, n = request.states, self._behind_stripped, i_message
        while n > first and (stripped, states[n - 1]) not in behind:
            n -= 1
        state = behind[stripped, states[n - 1]] if n > first else stripped
        for i in range(n, i_message):
            state = behind[stripped, states[i]] = extend((state,), request.messages[i : i + 1])[-1]
        return state

    def thinking(self, request: Request, n_messages: int) -> int:
        """The tokens of the thinking in the first *n_messages* messages."""
        return self._without_thinking(request, n_messages)[1] if n_messages else 0

    def _without_thinking(self, request: Request, n_messages: int) -> tuple[Digest, int]:
        """The state behind so many messages without their thinking, and the tokens of that; costs what is new."""
        states: tuple[Digest, ...] = ()
        counted = 0
        first = _n_known(request.states, n_messages, self._stripped)
        if first:
            state, counted = self._stripped[request.states[first - 1]]
            states = (state,)
        for i in range(first, n_messages):
            item = request.messages[i]
            states = extend(states, (self.bare(item),))[-1:]
            counted += self.thinking_in(request, i, len(self.layout(item).thinking))
            self._stripped[request.states[i]] = states[-1], counted
        return states[-1], counted

    def thinking_in(self, request: Request, i_message: int, n_blocks: int) -> int:
        """The tokens of the thinking in the first *n_blocks* blocks of message *i_message*."""
        found = self.layout(request.messages[i_message])
        if not any(found.thinking[:n_blocks]):
            return 0
        parts = self.ruler.meter.parts(request.messages[i_message])
        return sum(sum(parts[found.starts[k] : found.stop(k)]) for k in range(n_blocks) if found.thinking[k])

    def _head(self, request: Request) -> Head:
        running = sha256(repr(request.model).encode("utf-8", "surrogatepass")).digest()
        elsewhere = frozenset(item for item in request.tools or () if _is_elsewhere(request, item))
        counted = 0
        spots: list[Spot] = []
        for section, items in ((Section.TOOLS, request.tools), (Section.SYSTEM, request.system)):
            running = sha256(running + section.value.encode() + (b"?" if items is None else b"")).digest()
            behind = 0
            for i_item, item in enumerate(items or ()):
                found = self.layout(item)
                parts = self.ruler.meter.parts(item)
                marks = marks_of(item, found)
                if item in elsewhere:
                    behind += sum(parts)
                    parts = (0,) * len(parts)
                for i_block, digest in enumerate(found.digests):
                    running = running if item in elsewhere else sha256(running + digest).digest()
                    spots.append(
                        Spot(
                            section=section,
                            i_item=i_item,
                            i_block=i_block,
                            running=Digest(running),
                            counted=counted + sum(parts[: found.stop(i_block)]),
                            mark=marks.get(i_block),
                            is_markable=found.markable[i_block],
                        )
                    )
                counted += sum(parts)
            counted += behind
        tools = request.tools
        if tools is not None:
            tools = tuple(item for item in tools if item not in elsewhere)
        web = [item.rendered for item in request.tools or () if _is_web(request, item)]
        return Head(
            spots=tuple(spots),
            tools=_digest(tools),
            system=_digest(request.system),
            counted=counted,
            running=Digest(running),
            web=b"".join(web),
        )


def _n_known(states: Sequence[Digest], n: int, known: Mapping[Digest, object]) -> int:
    """Up to which of the first *n* messages something is *known*, by the state behind each."""
    while n and states[n - 1] not in known:
        n -= 1
    return n


def _is_elsewhere(request: Request, item: Item) -> bool:
    """True for a tool that Claude's API does not put among the tools: one of the web, or one that is loaded later."""
    return _is_web(request, item) or (item.has(_DEFERRED) and bool(_told(request, item).get("defer_loading")))


def _is_web(request: Request, item: Item) -> bool:
    is_near = any(item.has(name.encode()) for name in _WEB_TOOLS)
    return is_near and str(_told(request, item).get("type")).startswith(_WEB_TOOLS)


def _told(request: Request, item: Item) -> dict[str, Any]:
    """The members of a tool in Anthropic's shape."""
    told = decoded(item) if request.dialect == "anthropic" and item.section is Section.TOOLS else None
    return told if isinstance(told, dict) else {}


def marks_of(item: Item, found: Layout) -> dict[int, Mark]:
    """The marks of *item* by the block that they stand on; of several inside one block, the last."""
    return {found.block_of(i): part.mark for i, part in enumerate(item.parts) if part.mark is not None}


def _digest(items: Iterable[Item] | None) -> Digest:
    told = b"?" if items is None else b"".join(item.rendered for item in items)
    return Digest(sha256(told).digest())
