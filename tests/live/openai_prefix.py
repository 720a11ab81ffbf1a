"""OpenAI's prompt cache from GPT-5.6 on, from its guide: implicit ends, explicit breakpoints, and what is billed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.live.wire import Counts, Entries, Json, Write, grown, invalid, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MINIMUM = 1024
TTL_S = {"30m": 1800, "12h": 43_200}
MOST_WRITES = 4
FIRST_MARKS, LATEST_MARKS = 2, 50
EARLIER_ENDS = 20
DEVELOPER = ("system", "developer")
OUTPUTS = ("function_call_output", "custom_tool_call_output")
TEXTS = ("text", "input_text", "output_text")

# "Settings that affect the prefix", with the value that means the same as leaving one out.
SETTINGS: tuple[tuple[str, Any], ...] = (
    ("parallel_tool_calls", True),
    ("response_format", {"type": "text"}),
    ("reasoning_effort", None),
    ("verbosity", None),
    ("text.format", {"type": "text"}),
    ("text.verbosity", None),
    ("reasoning.effort", None),
    ("context_management", None),
    ("prompt_cache_key", None),
    ("service_tier", "auto"),
)


@dataclass(frozen=True)
class Point:
    """The end of a content part."""

    key: bytes
    tokens: int
    i_item: int
    is_item_end: bool
    mark_ttl: str | None
    """Of an explicit breakpoint; empty where it leaves that to the request."""


def points(body: Json, items: Sequence[Json]) -> list[Point]:
    """Every point of *items* that a prefix can end at."""
    static = [body.get("tools") or [], body.get("instructions")]
    key = grown(b"", body["model"], *static, *(_setting(body, path, default) for path, default in SETTINGS))
    tokens = sum(tokens_of(tree) for tree in static if tree)
    found = []
    for i, item in enumerate(items):
        head, parts = _split(item)
        key = grown(key, head)
        tokens += tokens_of(head)
        for j, part in enumerate(parts):
            mark = part.get("prompt_cache_breakpoint")
            plain = _plain(part)
            key = grown(key, plain)
            tokens += tokens_of(plain)
            found.append(Point(key, tokens, i, j == len(parts) - 1, _mark_ttl(mark)))
        if not parts:
            found.append(Point(key, tokens, i, is_item_end=True, mark_ttl=None))
    return found


def _setting(body: Json, path: str, default: Any) -> Any:
    tree: Any = body
    for name in path.split("."):
        tree = tree.get(name) if isinstance(tree, dict) else None
    return default if tree is None else tree


def _split(item: Json) -> tuple[Json, list[Json]]:
    """An item without its content, and its content as parts: a string is one text part."""
    name = "output" if item.get("type") in OUTPUTS else "content"
    content = item.get(name)
    head = {key: item[key] for key in sorted(item) if key not in (name, "id", "status")}
    head.setdefault("type", "message")
    if content is None:
        return head, []
    return head, [{"type": "text", "text": content}] if isinstance(content, str) else content


def _plain(part: Json) -> Json:
    if part.get("type") in TEXTS:
        return {"type": "text", "text": part["text"]}
    return {key: part[key] for key in sorted(part) if key != "prompt_cache_breakpoint"}


def _mark_ttl(mark: Any) -> str | None:
    if mark is None:
        return None
    if not isinstance(mark, dict) or mark.get("mode") != "explicit":
        raise invalid("prompt_cache_breakpoint.mode: expected 'explicit'")
    return str(mark.get("ttl") or "")


def _is_output(item: Json) -> bool:
    return item.get("type") in OUTPUTS or item.get("role") == "tool"


def eligible(items: Sequence[Json]) -> Iterator[int]:
    """Where an implicit write can end: user messages, a group's last tool output, the developer run's end."""
    n_developer = next((i for i, item in enumerate(items) if item.get("role") not in DEVELOPER), len(items))
    for i, item in enumerate(items):
        is_last_output = _is_output(item) and not (i + 1 < len(items) and _is_output(items[i + 1]))
        if item.get("role") == "user" or is_last_output or i == n_developer - 1:
            yield i


def looked_up(body: Json, items: Sequence[Json], held: Entries, now_s: float) -> Counts:
    """What the prompt reads and writes; nothing is written yet. The boundary is exact, never rounded."""
    options = body.get("prompt_cache_options") or {}
    is_implicit = options.get("mode", "implicit") == "implicit"
    found = points(body, items)
    ends = {point.i_item: point for point in found if point.is_item_end}
    marks = [point for point in found if point.mark_ttl is not None]
    implicit = [ends[i] for i in eligible(items)] if is_implicit else []
    n_explicit = MOST_WRITES - is_implicit
    to_write = [*marks[-n_explicit:], *implicit[-1:]]
    developer_end = implicit[:1] if items and items[0].get("role") in DEVELOPER else []
    looked = [*marks[:FIRST_MARKS], *marks[-LATEST_MARKS:], *implicit[-1 - EARLIER_ENDS :], *developer_end]
    hits = [point for point in looked if point.tokens >= MINIMUM and held.has(point.key, now_s)]
    hit = max(hits, key=lambda point: point.tokens, default=None)
    read = hit.tokens if hit is not None else 0
    kept = sorted((p for p in to_write if p.tokens >= MINIMUM), key=lambda point: point.tokens)
    written: dict[int, int] = {}
    at = read
    for point in kept:
        ttl_s = _ttl_s(point, options)
        if point.tokens > at:
            written[ttl_s] = written.get(ttl_s, 0) + point.tokens - at
            at = point.tokens
    total = found[-1].tokens if found else 0
    return Counts(
        read=read,
        written_by_ttl_s=written,
        fresh=total - at,
        used=(hit.key,) if hit is not None else (),
        writes=tuple(Write(point.key, _ttl_s(point, options)) for point in kept),
    )


def _ttl_s(point: Point, options: Json) -> int:
    ttl = point.mark_ttl or options.get("ttl") or "30m"
    if ttl not in TTL_S:
        raise invalid(f"prompt_cache_options.ttl: expected '30m' or '12h', not {ttl!r}")
    return TTL_S[ttl]
