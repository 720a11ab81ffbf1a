"""What is true of a capture, worked out a second time with the standard library and nothing of `cgcli`.

Slow and plain on purpose. Number spelling and the escapes of strings are not kept by `bodies`; where bytes
matter, `json_tokens` and `diff_paths` are the tools.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]


def loads(text: str | bytes) -> Any:
    """Strict JSON: ValueError for NaN, duplicate keys, bytes that are not UTF-8, nesting too deep."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def plain_bytes(data: bytes) -> bytes:
    """UTF-8 without a byte order mark: gzip and UTF-16 undone."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        data = data.decode("utf-16").encode("utf-8")
    return data.removeprefix(b"\xef\xbb\xbf")


def bodies(data: bytes) -> list[tuple[int, Json]]:
    """The line (from 1) and the body of each request; a file that is one JSON value is all at line 1."""
    data = plain_bytes(data)
    try:
        whole = loads(data)
    except ValueError:
        return [(i, body) for i, line in enumerate(data.split(b"\n"), 1) for body in _of_line(line)]
    return [(1, body) for _, body in _find_all(whole)]


def _find_all(whole: Any) -> list[tuple[str, Json]]:
    """The bodies of a record, of an array of records, or of an object of bodies, with their paths."""
    if isinstance(whole, dict) and whole and all(_is_body(item) for item in whole.values()):
        return list(whole.items())
    records = {f"{i}.": record for i, record in enumerate(whole)} if isinstance(whole, list) else {"": whole}
    found = ((at, find_body(record)) for at, record in records.items())
    return [((at + inner[0]).rstrip("."), inner[1]) for at, inner in found if inner]


def _of_line(line: bytes) -> Iterator[Json]:
    try:
        found = find_body(loads(line))
    except ValueError:
        return
    if found:
        yield found[1]


def find_body(record: Any) -> tuple[str, Json] | None:
    """The nearest thing to the top that looks like a body, and its path: `request.body`, or nothing."""
    sent = record.get("request") if isinstance(record, dict) else None
    url = sent.get("url") if isinstance(sent, dict) else None
    if isinstance(url, str) and not re.search(r"/(messages|completions|responses)(\?|$)", url):
        return None
    level: list[tuple[str, Any]] = [("", record)]
    while level:
        for path, item in level:
            if _is_body(item):
                return path, item
        level = [
            (f"{path}.{key}".lstrip("."), _opened(value))
            for path, item in level
            if isinstance(item, dict)
            for key, value in item.items()
            if key != "response"
        ]
    return None


def _opened(value: Any) -> Any:
    """*value*, or what it holds where it is a string with a JSON object in it."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return loads(value)
        except ValueError:
            return value
    return value


def _is_body(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    messages = value.get("messages")
    if isinstance(messages, list) and messages:
        return all(isinstance(message, dict) and "role" in message for message in messages)
    return "model" in value and isinstance(value.get("input"), str | list)


def tool_outputs(body: Json) -> list[tuple[str, str]]:
    """Path and text of every tool output that is text, in order."""
    found: list[tuple[str, str]] = []
    for i, message in enumerate(body.get("messages", [])):
        if message["role"] == "tool":
            found += _texts(f"messages.{i}.content", message.get("content"))
        for j, block in enumerate(message["content"] if isinstance(message.get("content"), list) else []):
            if block.get("type") == "tool_result":
                found += _texts(f"messages.{i}.content.{j}.content", block.get("content"))
    items = body.get("input", [])
    for i, item in enumerate(items if isinstance(items, list) else []):
        if str(item.get("type")).endswith("_call_output"):
            found += _texts(f"input.{i}.output", item.get("output"))
    return found


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for i, part in enumerate(value):
            if isinstance(part.get("text"), str):
                yield f"{path}.{i}.text", part["text"]


def check_tool_pairs(body: Json) -> list[str]:
    """What is wrong with the tool pairs; nothing where each call is answered right after it, once."""
    if "messages" not in body:
        return _wrong_runs([_of_item(item) for item in body["input"]] if isinstance(body["input"], list) else [])
    return _wrong_runs([_of_message(message) for message in body["messages"]])


Step = tuple[list[str], list[str], bool]
"""Ids called, ids answered, and whether the step may stand while calls are open."""


def _of_message(message: Json) -> Step:
    if message["role"] == "tool":
        return [], message.get("tool_call_ids") or [message.get("tool_call_id", "")], True
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    called = [block["id"] for block in blocks if block.get("type") == "tool_use"]
    called += [call["id"] for call in message.get("tool_calls") or []]
    return called, [block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"], False


def _of_item(item: Json) -> Step:
    kind = str(item.get("type", "message"))
    if kind.endswith("_call_output"):
        return [], [item["call_id"]], True
    if kind.endswith("_call") and "call_id" in item:
        return [item["call_id"]], [], True
    return [], [], kind == "reasoning"


def _wrong_runs(steps: list[Step]) -> list[str]:
    """Walk the steps with the calls that are open."""
    wrong: list[str] = []
    still_open: Counter[str] = Counter()
    for i, (called, answered, may_wait) in enumerate(steps):
        for call_id in answered:
            if still_open[call_id]:
                del still_open[call_id]
            else:
                wrong.append(f"{i}: {call_id} is answered but not called just before")
        if not may_wait and still_open:
            wrong += [f"{i}: {call_id} is not answered in time" for call_id in still_open]
            still_open.clear()
        still_open.update(called)
    return wrong + [f"end: {call_id} is not answered" for call_id in still_open]


def rendered_messages(body: Json) -> list[str]:
    """Each message in a form in which marks, key order and string against one block do not count."""
    history = body["messages"] if "messages" in body else body["input"]
    if isinstance(history, str):
        history = [{"role": "user", "content": history}]
    return [json.dumps(_rendered({"type": "message", **message})) for message in history]


def _rendered(envelope: Json) -> Json:
    """The envelope's own keys sorted and without a mark; what stands in it is left in its order."""
    out = {key: value for key, value in sorted(envelope.items()) if key != "cache_control"}
    content = out.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if isinstance(content, list):
        out["content"] = [_rendered({**block, "type": _kind(block)}) for block in content]
    return out


def _kind(block: Json) -> str:
    return re.sub(r"^(input|output)_text$", "text", str(block.get("type")))


def is_append(earlier: Json, later: Json) -> bool:
    """True where *later* has *earlier*'s model, tools and system, and starts with all its messages."""
    old, new = rendered_messages(earlier), rendered_messages(later)
    return _head(earlier) == _head(later) and new[: len(old)] == old


def _head(body: Json) -> str:
    system = body.get("system")
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) else system or []
    parts = (body.get("tools") or [], blocks)
    return json.dumps([body.get("model"), body.get("instructions"), [[_rendered(part) for part in p] for p in parts]])


def lanes_by_first_message(found: list[tuple[int, Json]]) -> list[list[int]]:
    """Lines of the requests that share their first message, system prompts apart; lanes as they arrive."""
    lanes: dict[str, list[int]] = {}
    for line, body in found:
        told = [text for text in rendered_messages(body) if json.loads(text).get("role") not in {"system", "developer"}]
        lanes.setdefault(told[0] if told else "", []).append(line)
    return list(lanes.values())


def marker_key(text: str) -> str:
    """The key that a marker for *text* carries."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


_TOKEN = re.compile(
    rb'(?P<space>[ \t\r\n]+)|(?P<mark>[{}\[\]:,])|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")'
    rb'|(?P<bare>[^\s{}\[\]:,"]+)',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece of a JSON text; all of them together are the text."""

    kind: str
    """`space`, `mark`, `key`, `string` or `bare` (a number or a literal)."""
    path: str
    start: int
    stop: int


def json_tokens(data: bytes) -> list[Token]:
    """The tokens of a JSON text with the path that each stands at. That it is JSON, `loads` has to check."""
    tokens: list[Token] = []
    stack: list[int | str] = []
    at = 0
    awaits_key = False
    while at < len(data):
        match = _TOKEN.match(data, at)
        if match is None:
            raise ValueError(f"no JSON at byte {at}")
        kind, text = str(match.lastgroup), match.group()
        if text in b"}]" and kind == "mark":
            stack.pop()
        if kind == "string" and awaits_key:
            kind, stack[-1] = "key", loads(text)
        tokens.append(Token(kind=kind, path=".".join(map(str, stack)), start=at, stop=match.end()))
        if kind == "mark":
            awaits_key = _step(stack, text)
        elif kind != "space":
            awaits_key = False
        at = match.end()
    return tokens


def _step(stack: list[int | str], text: bytes) -> bool:
    """Move *stack* past a mark; True where a key comes next."""
    if text == b"{":
        stack.append("")
        return True
    if text == b"[":
        stack.append(0)
    elif text == b"," and isinstance(stack[-1], int):
        stack[-1] += 1
    elif text == b",":
        return True
    return False


def diff_paths(one: bytes, other: bytes) -> list[str]:
    """The paths of the values whose bytes differ; ValueError where anything but values differs."""
    mine, theirs = json_tokens(one), json_tokens(other)
    if [(token.kind, token.path) for token in mine] != [(token.kind, token.path) for token in theirs]:
        raise ValueError("the structure differs")
    paths = []
    for a, b in zip(mine, theirs, strict=True):
        if one[a.start : a.stop] == other[b.start : b.stop]:
            continue
        if a.kind not in {"string", "bare"}:
            raise ValueError(f"{a.kind} differs at {a.path or 'the top'}")
        paths.append(a.path)
    return paths


def mask_slots(line: bytes) -> bytes:
    """The record (or array or object of them) with every tool output's string literal replaced by `<slot>`.

    Two lines that differ in nothing but tool outputs have the same mask. Of a body inside a string, the
    string is replaced by the body's own mask. Where no body is found, nothing is masked.
    """
    found = dict(_find_all(loads(line)))
    slots = {f"{at}.{path}".lstrip(".") for at, body in found.items() for path, _ in tool_outputs(body)}
    pieces = []
    for token in json_tokens(line):
        piece = line[token.start : token.stop]
        if token.kind == "string" and token.path in slots:
            piece = b"<slot>"
        elif token.kind == "string" and token.path in found:
            piece = mask_slots(loads(piece).encode("utf-8", "surrogatepass"))
        pieces.append(piece)
    return b"".join(pieces)
