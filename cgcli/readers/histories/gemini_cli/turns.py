"""What a message of a Gemini CLI session says, in the words of Chat Completions.

Gemini's own request shape is none of those that are parsed. Tool calls stand in the answer that made them, with what
they gave; thoughts are summaries for the screen, and are not sent again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.model import changed, unique
from cgcli.readers import chat, spelling
from cgcli.readers.fields import count_at, elements_of, members_of, utf8_text
from cgcli.readers.histories.sound import check_message
from cgcli.readers.spelling import spell
from cgcli.readers.stamps import iso_s
from cgcli.readers.usage import inclusive
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.model import Usage
    from cgcli.wire.spans import Node

_CHAT = named("openai-chat")
_ANSWERS = frozenset({"gemini", "model"})


@unique
class Turn:
    """One message of the session."""

    identity: str | None
    line: int
    said: tuple[bytes, ...]
    """As it is sent with the next request."""
    model: str | None
    stamp_s: float | None
    is_answer: bool = False
    """The model said it; what stands in a model's name without a model or a bill was put in by the client."""
    has_results: bool = False
    text: str = ""
    calls: tuple[bytes, ...] = ()
    usage: Usage | None = None


def turn(node: Node, line: int, answered: set[str]) -> Turn | None:
    """The message at *node*; None for what is not sent, such as a warning.

    *answered* are the calls whose results stand with them; it grows by those of this message.

    Raises:
        Malformed: it cannot be used.
    """
    members = members_of(node)
    kind = string_of(members, "type")
    if kind == "user":
        return _made(members, line, tuple(_user(members, answered)))
    if kind not in _ANSWERS:
        return None
    text, parts = _text(members), elements_of(members.get("content"))
    calls, results = _calls(members, parts, answered)
    usage = _usage(members_of(members.get("tokens")))
    made = _made(members, line, (chat.assistant(spell(text), calls), *results))
    is_answer = usage is not None or made.model is not None
    return changed(made, is_answer=is_answer, has_results=bool(results), text=text, calls=tuple(calls), usage=usage)


def _made(members: Mapping[str, Node], line: int, said: tuple[bytes, ...]) -> Turn:
    for one in said:
        check_message(one, _CHAT)
    return Turn(
        identity=string_of(members, "id"),
        line=line,
        said=said,
        model=string_of(members, "model"),
        stamp_s=iso_s(string_of(members, "timestamp")),
    )


def _text(members: Mapping[str, Node]) -> str:
    content = members.get("content")
    if content is not None and content.kind == "string":
        return content.text()
    parts = (members_of(part) for part in elements_of(content))
    return "".join(string_of(part, "text") or "" for part in parts if "thought" not in part)


def _user(members: Mapping[str, Node], answered: set[str]) -> Iterator[bytes]:
    """The user's words; results of calls that the answer does not have come as the tool's."""
    content = members.get("content")
    if content is not None and content.kind == "string":
        yield spelling.object_of({"role": spell("user"), "content": content.bytes()})
        return
    blocks: list[bytes] = []
    for part in [content] if content is not None and content.kind == "object" else elements_of(content):
        inner = members_of(part)
        response = members_of(inner.get("functionResponse"))
        if response:
            call_id = string_of(response, "id") or ""
            if call_id not in answered:
                answered.add(call_id)
                yield chat.result(call_id, _output(response))
        else:
            blocks.append(_block(part, inner))
    if blocks:
        yield spelling.message("user", blocks)


def _block(part: Node, inner: Mapping[str, Node]) -> bytes:
    """A part of a message; what is no text stays as it is written."""
    if part.kind == "string":
        return spelling.text_block(part.bytes())
    if part.kind != "object":
        raise Malformed("bad_shape", f"the part at byte {part.start} is neither a string nor an object")
    words = inner.get("text")
    if words is not None and words.kind == "string":
        return spelling.text_block(words.bytes())
    return part.bytes()


def _calls(members: Mapping[str, Node], parts: list[Node], answered: set[str]) -> tuple[list[bytes], list[bytes]]:
    """The calls of an answer, and what they gave."""
    calls: list[bytes] = []
    results: list[bytes] = []
    seen: set[str] = set()
    for node in elements_of(members.get("toolCalls")):
        call = members_of(node)
        call_id = string_of(call, "id") or ""
        seen.add(call_id)
        calls.append(chat.call(call_id, string_of(call, "name") or "", _arguments(call)))
        found = list(_results(call.get("result"), call_id))
        if found:
            answered.add(call_id)
        results += found
    for part in parts:
        call = members_of(members_of(part).get("functionCall"))
        if call and (string_of(call, "id") or "") not in seen:
            calls.append(chat.call(string_of(call, "id") or "", string_of(call, "name") or "", _arguments(call)))
    return calls, results


def _arguments(call: Mapping[str, Node]) -> str:
    arguments = call.get("args")
    return utf8_text(arguments.bytes()) if arguments is not None and arguments.kind == "object" else "{}"


def _results(result: Node | None, call_id: str) -> Iterator[bytes]:
    """What one call gave: the tool's answer, and beside it what it showed."""
    if result is not None and result.kind == "string":
        yield chat.result(call_id, result.bytes())
    shown: list[bytes] = []
    for part in [result] if result is not None and result.kind == "object" else elements_of(result):
        inner = members_of(part)
        response = members_of(inner.get("functionResponse"))
        if response:
            yield chat.result(call_id, _output(response))
        else:
            shown.append(_block(part, inner))
    if shown:
        yield spelling.message("user", shown)


def _output(response: Mapping[str, Node]) -> bytes:
    """What a tool gave: its output where that is a string, else all that it answered, as a string."""
    node = response.get("response")
    output = members_of(node).get("output")
    if output is not None and output.kind == "string":
        return output.bytes()
    return spell(utf8_text(node.bytes())) if node is not None else b'""'


def _usage(tokens: Mapping[str, Node]) -> Usage | None:
    """What the answer billed: `input` includes what was read, `output` is without the thoughts.

    A turn that was given up has zeros: nothing is known of it.
    """
    total = count_at(tokens, "input")
    if not total:
        return None
    output = count_at(tokens, "output")
    return inclusive(
        total=total + (count_at(tokens, "tool") or 0),
        read=count_at(tokens, "cached") or 0,
        written=0,
        output=output + (count_at(tokens, "thoughts") or 0) if output is not None else None,
    )
