"""Anthropic's prompt cache, from its documentation: a prompt as blocks, marks, looking back, and what is billed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tests.live.wire import Counts, Entries, Json, Write, canonical, grown, invalid, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# "Cache limitations" of the prompt caching page: the smallest prefix that is cached.
MINIMUM = {
    **dict.fromkeys(("fable-5-1", "mythos-5-1", "opus-5-5", "opus-5", "fable-5", "mythos-5"), 512),
    **dict.fromkeys(("sonnet-5-5", "haiku-5-5"), 512),
    **dict.fromkeys(("opus-4-8", "sonnet-5", "sonnet-4-6", "sonnet-4-5", "opus-4-1", "opus-4", "sonnet-4"), 1024),
    **dict.fromkeys(("opus-4-7", "mythos-preview", "haiku-3-5"), 2048),
    **dict.fromkeys(("opus-4-6", "opus-4-5", "haiku-4-5"), 4096),
}
TTL_S = {"5m": 300, "1h": 3600}
HOUR_S = 3600
MOST_MARKS = 4
LOOK_BACK = 20
RUNS = ("tool_use", "tool_result")
UNMARKABLE = ("thinking", "redacted_thinking")


@dataclass(frozen=True)
class Block:
    """One block of the prompt in cache order."""

    path: str
    kind: str
    tree: Json
    """Without its mark; a string is the text block that it stands for."""
    role: str
    ttl_s: int | None
    """Of its mark; None where it has none."""


@dataclass(frozen=True)
class Placed:
    """A block with what stands up to it."""

    key: bytes
    tokens: int
    """From the prompt's start, this block included."""
    position: int
    ttl_s: int | None


def blocks_of(body: Json) -> list[Block]:
    """Tools, then system, then the messages' content; marks checked, the automatic one set."""
    blocks = list(_all_blocks(body))
    marks = [block for block in blocks if block.ttl_s is not None]
    automatic = body.get("cache_control")
    if len(marks) > MOST_MARKS:
        raise invalid(f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
    if automatic is not None:
        blocks = _with_automatic(blocks, _ttl_s(automatic, "cache_control"), len(marks))
    _check_order(blocks)
    return blocks


def _all_blocks(body: Json) -> Iterator[Block]:
    for i, tool in enumerate(body.get("tools") or ()):
        yield _block(f"tools.{i}", tool, "tools", str(tool.get("type") or "custom"))
    for i, block in enumerate(_listed(body.get("system") or [])):
        yield _block(f"system.{i}", block, "system", "text")
    for i, message in enumerate(body["messages"]):
        for j, block in enumerate(_listed(message["content"])):
            yield _block(f"messages.{i}.content.{j}", block, message["role"], str(block.get("type")))


def _listed(content: Any) -> list[Json]:
    """*content* as blocks: a string is one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _block(path: str, block: Json, role: str, kind: str) -> Block:
    mark = block.get("cache_control")
    if mark is not None and (kind in UNMARKABLE or block.get("text") == ""):
        what = "empty text blocks" if kind == "text" else f"{kind} blocks"
        raise invalid(f"{path}: cache_control cannot be set for {what}")
    tree = {key: block[key] for key in sorted(block) if key != "cache_control"}
    if kind == "tool_result" and "content" in tree:
        inner = _listed(tree["content"])
        tree["content"] = [{key: one[key] for key in sorted(one) if key != "cache_control"} for one in inner]
    ttl_s = _ttl_s(mark, f"{path}.cache_control") if mark is not None else None
    return Block(path=path, kind=kind, tree=tree, role=role, ttl_s=ttl_s)


def _ttl_s(mark: Any, path: str) -> int:
    ttl = mark.get("ttl", "5m") if isinstance(mark, dict) and mark.get("type") == "ephemeral" else None
    if ttl not in TTL_S:
        raise invalid(f"{path}: Input should be an ephemeral cache_control with a ttl of '5m' or '1h'")
    return TTL_S[ttl]


def _with_automatic(blocks: list[Block], ttl_s: int, n_marks: int) -> list[Block]:
    """Mark the last block that can be: the top-level `cache_control`."""
    i = next(
        i
        for i in range(len(blocks) - 1, -1, -1)
        if blocks[i].kind not in UNMARKABLE and blocks[i].tree.get("text") != ""
    )
    there = blocks[i].ttl_s
    if there is not None and there != ttl_s:
        raise invalid(f"{blocks[i].path}: cache_control has another ttl than the top-level cache_control")
    if there is None and n_marks == MOST_MARKS:
        raise invalid("A maximum of 4 blocks with cache_control may be provided. Found 5.")
    blocks[i] = replace(blocks[i], ttl_s=ttl_s)
    return blocks


def _check_order(blocks: list[Block]) -> None:
    shortest = HOUR_S
    for block in blocks:
        if block.ttl_s is None:
            continue
        if block.ttl_s > shortest:
            raise invalid(
                f"{block.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
                "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, "
                "`messages`."
            )
        shortest = block.ttl_s


def placed(body: Json, blocks: list[Block]) -> list[Placed]:
    """Each block with the key of its prefix: parameters enter where the documented table says they break it."""
    seeds = _seeds(body, blocks)
    running = b""
    tokens, position, found = 0, 0, []
    before = ""
    for block in blocks:
        running = grown(running, block.role, block.tree)
        tokens += tokens_of(block.tree)
        position += not (block.kind in RUNS and block.kind == before)
        before = block.kind
        seed = seeds[block.path.partition(".")[0]]
        found.append(Placed(sha256(seed + running).digest(), tokens, position, block.ttl_s))
    return found


def _seeds(body: Json, blocks: list[Block]) -> dict[str, bytes]:
    """What invalidates tools, system and messages: the table of the prompt caching page."""
    thinking = body.get("thinking")
    effort = (body.get("output_config") or {}).get("effort", "high")
    has_image = any(b'"type":"image"' in canonical(block.tree) for block in blocks)
    tools = grown(b"", body["model"])
    system = grown(tools, body.get("speed"))
    messages = grown(
        system,
        body.get("tool_choice") or {"type": "auto"},
        None if thinking == {"type": "disabled"} else thinking,
        effort,
        has_image,
    )
    return {"tools": tools, "system": system, "messages": messages}


def looked_up(prompt: list[Placed], held: Entries, now_s: float, minimum: int, n_more: int = 0) -> Counts:
    """What *prompt*, and *n_more* tokens behind it, reads and writes; nothing is written yet.

    Reads: from each mark, the last one first, at most 20 positions back, its own included. Billing with A the highest
    hit, B the highest one-hour mark after it, C the last mark: read to A, written for an hour to B and for five minutes
    to C.
    """
    marks = [at for at in prompt if at.ttl_s is not None and at.tokens >= minimum]
    total = (prompt[-1].tokens if prompt else 0) + n_more
    hit = next(
        (
            at
            for mark in reversed(marks)
            for at in reversed(prompt)
            if 0 <= mark.position - at.position < LOOK_BACK and at.tokens <= mark.tokens and held.has(at.key, now_s)
        ),
        None,
    )
    read = hit.tokens if hit is not None else 0
    to_hour = max((at.tokens for at in marks if at.ttl_s == HOUR_S), default=0)
    b = max(read, to_hour)
    c = max(b, marks[-1].tokens if marks else 0)
    written = {ttl_s: n for ttl_s, n in ((HOUR_S, b - read), (TTL_S["5m"], c - b)) if n}
    return Counts(
        read=read,
        written_by_ttl_s=written,
        fresh=total - c,
        used=(hit.key,) if hit is not None else (),
        writes=tuple(Write(at.key, at.ttl_s) for at in marks if at.ttl_s is not None),
    )
