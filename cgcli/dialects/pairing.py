"""Tool calls and their results along a history, as each dialect pairs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.dialects.content import decoded
from cgcli.model import Kind, changed, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgcli.model import Item

LEGACY = "function "
"""Before a function's name, which stands for the id that the old `function_call` does not have."""
_REFERENCE = b'"item_reference"'


@value
class Event:
    """A call or a result in a message."""

    is_call: bool
    id: str | None
    inner: str


@value
class Call:
    """A call, and where it was made."""

    id: str
    i_message: int
    inner: str


@value
class Fault:
    """Something that a message shows to be wrong."""

    kind: str
    ids: tuple[str, ...]
    i_message: int
    inner: str


@value
class Group:
    """The calls that wait for their results, and what the last message showed."""

    calls: tuple[Call, ...] = ()
    answered: frozenset[str] = frozenset()
    is_answering: bool = False
    """A message that may answer has come; calls made after it begin a new group."""
    has_reference: bool = False
    """Some item stands in for one that is not here, so a call may be missing rightly (Responses)."""
    events: tuple[Event, ...] = ()
    """Of the last message."""
    faults: tuple[Fault, ...] = ()
    """Of the last message."""

    @property
    def missing(self) -> tuple[Call, ...]:
        """The calls without a result."""
        return tuple(call for call in self.calls if call.id not in self.answered)


def stepper(dialect: str) -> Callable[[Group, Item, int], Group]:
    """How a message of *dialect* changes a group."""
    return {"anthropic": _anthropic, "openai-chat": _chat, "openai-responses": _responses}[dialect]


def _anthropic(group: Group, item: Item, i: int) -> Group:
    """Results stand in the user messages right behind the assistant messages with the calls."""
    events = tuple(_blocks(item)) if _may_pair(item) else ()
    if item.role == "assistant":
        closes = group.is_answering and bool(group.calls)
        return _take(_close(group) if closes else changed(group, faults=(), is_answering=False), events, i)
    is_user = item.role == "user"
    return _take(changed(group, faults=(), is_answering=group.is_answering or is_user), events, i)


def _chat(group: Group, item: Item, i: int) -> Group:
    """Results are the tool messages right behind the assistant message."""
    if item.role in ("tool", "function"):
        return _take(changed(group, faults=(), is_answering=True), tuple(_chat_result(item)), i)
    events = tuple(_chat_calls(item)) if item.role == "assistant" and _may_pair(item) else ()
    return _take(_close(group), events, i)


def _responses(group: Group, item: Item, i: int) -> Group:
    """A result stands anywhere behind its call."""
    if not _may_pair(item):
        referring = group.has_reference or item.has(_REFERENCE)
        return changed(group, faults=(), events=(), has_reference=referring)
    after = _take(changed(group, faults=()), tuple(_item(item)), i)
    return changed(after, calls=after.missing, answered=frozenset())


def _may_pair(item: Item) -> bool:
    return any(part.kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT) or part.pair_id is not None for part in item.parts)


def _close(group: Group) -> Group:
    """The group is over: what it still waits for will not come."""
    missing = group.missing
    faults: tuple[Fault, ...] = ()
    if missing:
        kind = "partly_answered" if group.answered else "unanswered"
        ids = tuple(call.id for call in missing)
        faults = (Fault(kind=kind, ids=ids, i_message=missing[0].i_message, inner=missing[0].inner),)
    return Group(has_reference=group.has_reference, faults=faults)


def _take(group: Group, events: tuple[Event, ...], i: int) -> Group:
    calls, answered = list(group.calls), set(group.answered)
    faults = list(group.faults)
    open_ids = {call.id for call in calls}
    for event in events:
        if event.id is None:
            kind = "call_without_id" if event.is_call else "result_without_id"
            faults.append(Fault(kind=kind, ids=(), i_message=i, inner=event.inner))
        elif event.is_call:
            calls.append(Call(id=event.id, i_message=i, inner=event.inner))
            open_ids.add(event.id)
        elif event.id in answered:
            faults.append(Fault(kind="answered_twice", ids=(event.id,), i_message=i, inner=event.inner))
        elif event.id in open_ids:
            answered.add(event.id)
        else:
            faults.append(Fault(kind="uncalled", ids=(event.id,), i_message=i, inner=event.inner))
    if not events and not faults:
        return changed(group, events=()) if group.events or group.faults else group
    return changed(group, calls=tuple(calls), answered=frozenset(answered), events=events, faults=tuple(faults))


def _blocks(item: Item) -> Iterator[Event]:
    """The client tools' calls and results of an Anthropic message; the provider pairs its own tools itself."""
    message = decoded(item)
    content = message.get("content") if isinstance(message, dict) else None
    for i, block in enumerate(content if isinstance(content, list) else ()):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_use":
            yield Event(is_call=True, id=_id(block, "id"), inner=f"content.{i}")
        elif kind == "tool_result":
            yield Event(is_call=False, id=_id(block, "tool_use_id"), inner=f"content.{i}")


def _chat_calls(item: Item) -> Iterator[Event]:
    message = decoded(item)
    if not isinstance(message, dict):
        return
    calls = message.get("tool_calls")
    for i, call in enumerate(calls if isinstance(calls, list) else ()):
        yield Event(is_call=True, id=_id(call, "id") if isinstance(call, dict) else None, inner=f"tool_calls.{i}")
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        yield Event(is_call=True, id=LEGACY + (_id(legacy, "name") or ""), inner="function_call")


def _chat_result(item: Item) -> Iterator[Event]:
    """What a tool's message answers; histories that SWE-agent saved name the calls in `tool_call_ids`."""
    message = decoded(item)
    if not isinstance(message, dict):
        return
    saved = message.get("tool_call_ids")
    if item.role == "function":
        ids = [LEGACY + (_id(message, "name") or "")]
    elif "tool_call_id" not in message and isinstance(saved, list):
        ids = [call_id for call_id in saved if isinstance(call_id, str)]
    else:
        yield Event(is_call=False, id=_id(message, "tool_call_id"), inner="")
        return
    for call_id in ids:
        yield Event(is_call=False, id=call_id, inner="")


def _item(item: Item) -> Iterator[Event]:
    """A Responses item; an output of a local shell names its call by `id`."""
    tree = decoded(item)
    if isinstance(tree, dict):
        is_call = not str(tree.get("type")).endswith("_output")
        yield Event(is_call=is_call, id=_id(tree, "call_id") or _id(tree, "id"), inner="")


def _id(tree: dict[str, Any], key: str) -> str | None:
    found = tree.get(key)
    return found if isinstance(found, str) else None
