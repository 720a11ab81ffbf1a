"""Tokens: each distinct item counted once, and the sums those of an independent walk."""

from __future__ import annotations

import json
from io import BytesIO

import pytest

from cgcli.readers import read
from cgcli.tokens.counter import counter
from cgcli.tokens.meter import Meter
from tests import oracle
from tests.captures import capture
from tests.lanes.placing import Json, body, lines, output, request, said, turn, user
from tests.running import FIXTURES


class Counting:
    """Counts characters, and remembers what it was asked."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.asked: list[str] = []

    def __call__(self, text: str) -> int:
        """The characters of *text*."""
        self.asked.append(text)
        return len(text)


def test_each_distinct_item_is_counted_once() -> None:
    """A history that is sent again is not counted again, marked or not."""
    counting = Counting()
    meter = Meter(counting)
    marked = {"role": "user", "content": [{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}]}
    history = [said("fine"), user("more")]
    bodies = [body(marked), body(user("go"), *history), body(user("go"), *history, *turn(1, "out"))]
    sums = []
    for entry in read(BytesIO(lines(bodies)), file="made.jsonl"):
        assert entry.exchange is not None
        made = entry.exchange.request
        sums.append(sum(map(meter.item, made.messages)))
    call = _json(turn(1)[0]["content"][0])
    assert counting.asked == ["go", "fine", "more", call, "out"]
    assert sums == [3 + 2, 3 * 3 + 2 + 4 + 4, 5 * 3 + 2 + 4 + 4 + len(call) + 3]


def test_the_same_output_under_two_ids_is_counted_for_each() -> None:
    """The id is part of what the provider reads: two items, equal counts."""
    counting = Counting()
    meter = Meter(counting)
    made = request(body(output(1, "same"), output(2, "same")))
    assert [*map(meter.item, made.messages)] == [7, 7]
    assert counting.asked == ["same", "same"]


def test_an_image_counts_nothing_and_a_text_counts_as_it_reads() -> None:
    """Escapes do not count: the decoded text does. An image's size in tokens is not its bytes."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUFB" * 99}}
    made = request(body({"role": "user", "content": [image, {"type": "text", "text": "é\n"}]}))
    assert Meter(len).parts(made.messages[0]) == (0, 2)


@pytest.mark.parametrize(
    "file", ["context-guru/agent.jsonl", "claude-trace/seven-lanes.jsonl", "lanes/sliding-window.jsonl"]
)
def test_sums_are_those_of_a_plain_walk(file: str) -> None:
    """Over every request of a file: texts as they read, calls and tools as plain JSON, three a message."""
    count = counter("o200k_base").count
    meter = Meter(count)
    with (FIXTURES / file).open("rb") as stream:
        made = [entry.exchange.request for entry in read(stream, file=file) if entry.exchange is not None]
        for one, (_, parsed) in zip(made, oracle.bodies((FIXTURES / file).read_bytes()), strict=True):
            total = sum(meter.item(item) for _, item, _ in one.placed())
            assert total == sum(map(count, _texts(parsed))) + 3 * len(parsed["messages"])


def _texts(parsed: Json) -> list[str]:
    """All that is counted of an Anthropic body."""
    system = parsed.get("system", [])
    texts = [system] if isinstance(system, str) else [block["text"] for block in system]
    texts += [_json(tool) for tool in parsed.get("tools", [])]
    for message in parsed["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "text":
                texts.append(block["text"])
            elif block["type"] == "tool_result":
                inner = block["content"]
                texts += [inner] if isinstance(inner, str) else [part["text"] for part in inner]
            else:
                texts.append(_json(block))
    return texts


def _json(block: Json) -> str:
    """Without white space and the block's own mark."""
    kept = {key: value for key, value in block.items() if key != "cache_control"}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


def test_marks_and_spelling_do_not_count() -> None:
    """A tool call counts the same with a mark and white space as without: its mark moves on with the next turn."""
    call, answer = turn(1)
    block = call["content"][0]
    spaced = json.dumps(
        body(user("go"), {**call, "content": [{**block, "cache_control": {"type": "ephemeral"}}]}), indent=4
    )
    plain = json.dumps(body(user("go"), call, answer), separators=(",", ":"))
    counts = []
    for text in (spaced, plain):
        (entry,) = read(BytesIO(text.encode()), file="made")
        assert entry.exchange is not None
        made = entry.exchange.request
        counts.append(Meter(len).item(made.messages[1]))
    assert counts == [3 + len(_json(block))] * 2


def test_a_generated_lane_has_the_sum_of_its_texts() -> None:
    """Chat: system, user and tool texts; the calls as they are written."""
    data = capture(dialect="chat", turns=6, parallel=2)
    meter = Meter(len)
    for entry, (_, parsed) in zip(read(BytesIO(data), file="made"), oracle.bodies(data), strict=True):
        assert entry.exchange is not None
        made = entry.exchange.request
        calls = sum(len(_json(call)) for message in parsed["messages"] for call in message.get("tool_calls", []))
        texts = sum(len(text) for message in parsed["messages"] for text in _chat_texts(message["content"]))
        total = sum(map(meter.item, made.messages))
        assert total == texts + calls + 3 * len(parsed["messages"])


def _chat_texts(content: str | list[Json]) -> list[str]:
    return [content] if isinstance(content, str) else [part["text"] for part in content]
