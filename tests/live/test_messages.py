"""The local provider's Messages API: the documented examples, and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.live.asking import (
    HOUR,
    MARK,
    ON_DEMAND,
    THRESHOLD,
    Json,
    ask,
    assistant,
    counts,
    error_of,
    marked,
    message,
    split,
    text,
    user,
)

if TYPE_CHECKING:
    from tests.live.provider import Provider

COMPACT: Json = {"type": "summarize"}
CALL: Json = {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}
RESULT: Json = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}


def tool(letter: str, **more: Any) -> Json:
    """A tool of 16 tokens."""
    return {"name": letter * 20, "input_schema": {"type": "object"}, **more}


def test_the_documented_lookback(provider: Provider) -> None:
    """Written at 10, read at 15; at 35 the positions 35 to 16 hold nothing, and all is written anew."""
    assert counts(provider, marked(10)) == (0, 2000, 0)
    assert counts(provider, marked(15)) == (2000, 1000, 0)
    assert counts(provider, marked(35)) == (0, 7000, 0)


@pytest.mark.parametrize(("n_blocks", "read"), [(29, 2000), (30, 0)])
def test_twenty_positions_with_the_marks_own(provider: Provider, n_blocks: int, read: int) -> None:
    """From 29 the twentieth position is 10, from 30 it is 11."""
    assert counts(provider, marked(10)) == (0, 2000, 0)
    assert counts(provider, marked(n_blocks)) == (read, n_blocks * 200 - read, 0)


def test_an_earlier_mark_is_looked_up_from_next(provider: Provider) -> None:
    """The last mark finds nothing in its 20 positions, the one before it finds the entry."""
    assert counts(provider, marked(10)) == (0, 2000, 0)
    body = marked(35)
    body["messages"][0]["content"][11]["cache_control"] = MARK
    assert counts(provider, body) == (2000, 5000, 0)


@pytest.mark.parametrize(("is_tool", "read"), [(True, 2000), (False, 0)])
def test_a_run_of_tool_blocks_is_one_position(provider: Provider, is_tool: bool, read: int) -> None:  # noqa: FBT001
    """Twenty-five calls and their results are two positions, as many texts are fifty."""
    assert counts(provider, marked(10)) == (0, 2000, 0)
    ids = [f"toolu_{i:02d}" for i in range(25)]
    calls = [{**CALL, "id": name} for name in ids] if is_tool else [text(20)] * 25
    results = [{**RESULT, "tool_use_id": name} for name in ids] if is_tool else [text(20)] * 25
    results[-1] = {**results[-1], "cache_control": MARK}
    unmarked = [text(200, chr(97 + i)) for i in range(10)]
    assert counts(provider, message(user(*unmarked), assistant(*calls), user(*results)))[0] == read


def test_marks_do_not_count_in_the_prefix(provider: Provider) -> None:
    """A moved mark, a string in place of one text block, another order of keys in a block: the same prefix."""
    system = [text(1200, cache_control=MARK)]
    assert counts(provider, message(user("a"), system=system))[:2] == (0, 1200)
    plain = {key: system[0][key] for key in ("text", "type")}
    assert counts(provider, message(user("a"), system=[{"cache_control": MARK, **plain}]))[:2] == (1200, 0)
    moved = message(user({"type": "text", "text": "a", "cache_control": MARK}), system=plain["text"])
    assert counts(provider, moved)[0] == 1200


def test_what_is_written_ends_after_its_last_use(provider: Provider) -> None:
    """Five minutes from the last read; a second more and it is gone."""
    assert counts(provider, marked(10)) == (0, 2000, 0)
    provider.now_s = 300
    assert counts(provider, marked(10)) == (2000, 0, 0)
    provider.now_s = 600
    assert counts(provider, marked(10)) == (2000, 0, 0)
    provider.now_s = 901
    assert counts(provider, marked(10)) == (0, 2000, 0)


def test_mixed_lifetimes(provider: Provider) -> None:
    """Read to the highest hit, an hour to the last one-hour mark behind it, five minutes to the last mark."""

    def body(*sizes: int) -> Json:
        blocks = [text(n, "abc"[i]) for i, n in enumerate(sizes)]
        for block, mark in zip(blocks, (HOUR, HOUR, MARK), strict=False):
            block["cache_control"] = mark
        return message(user(*blocks, text(50, "z")))

    status, answer = ask(provider, body(1500))
    assert (status, split(answer["usage"])) == (200, (0, 1500, 50))
    usage = ask(provider, body(1500, 300, 400))[1]["usage"]
    assert split(usage) == (1500, 700, 50)
    assert usage["cache_creation"] == {"ephemeral_5m_input_tokens": 400, "ephemeral_1h_input_tokens": 300}
    provider.now_s = 3000
    assert counts(provider, body(1500, 300, 400)) == (1800, 400, 50)


@pytest.mark.parametrize(
    ("model", "minimum"),
    [
        ("claude-opus-5", 512),
        ("claude-sonnet-4-6", 1024),
        ("claude-sonnet-4-5-20250929", 1024),
        ("claude-opus-4-7", 2048),
        ("claude-haiku-4-5", 4096),
    ],
)
def test_a_prefix_below_the_minimum_is_silently_not_cached(provider: Provider, model: str, minimum: int) -> None:
    """A token less, and both counters are 0, twice; the minimum itself is written, and read."""
    for n, expected in ((minimum - 1, [(0, 0), (0, 0)]), (minimum, [(0, minimum), (minimum, 0)])):
        body = message(user(text(n, "ab"[n == minimum], cache_control=MARK)), model=model)
        assert [counts(provider, body)[:2] for _ in range(2)] == expected


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ({}, 2000 + 1216),
        ({"max_tokens": 5, "temperature": 0.5, "metadata": {"user_id": "u"}}, 2000 + 1216),
        ({"output_config": {"effort": "high"}}, 2000 + 1216),
        ({"tool_choice": {"type": "auto"}}, 2000 + 1216),
        ({"tool_choice": {"type": "none"}}, 1216),
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, 1216),
        ({"output_config": {"effort": "low"}}, 1216),
        ({"speed": "fast"}, 0),
        ({"model": "claude-sonnet-5"}, 0),
        ({"tools": [tool("b")]}, 0),
    ],
)
def test_what_breaks_the_cache(provider: Provider, change: Json, read: int) -> None:
    """Settings of messages leave tools and system, other tools or another model leave nothing."""
    base = marked(10, system=[text(1200, cache_control=MARK)], tools=[tool("a")])
    assert counts(provider, base) == (0, 2000 + 1216, 0)
    assert counts(provider, {**base, **change})[0] == read


def test_an_automatic_mark_takes_the_last_block_that_can_be_marked(provider: Provider) -> None:
    """It walks back over thinking; beside four others, or beside one of another lifetime there, it is refused."""
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    body = message(user(text(1500)), assistant(thought), cache_control=MARK)
    assert counts(provider, body)[:2] == (0, 1500)
    four = [text(300, "abcd"[i], cache_control=MARK) for i in range(4)]
    assert ask(provider, message(user(*four), cache_control=MARK))[0] == 200
    assert ask(provider, message(user(*four, text(9)), cache_control=MARK))[0] == 400
    assert ask(provider, message(user(*four), cache_control=HOUR))[0] == 400


FIVE = [text(300, "abcde"[i], cache_control=MARK) for i in range(5)]
REFUSED: list[tuple[str, Json, str]] = [
    ("five marks", message(user(*FIVE)), "A maximum of 4 blocks with cache_control may be provided. Found 5."),
    (
        "short before long",
        message(user(FIVE[0], text(9, cache_control=HOUR))),
        "a ttl='1h' cache_control block must not",
    ),
    ("no messages", message(), "messages: at least one message is required"),
    ("no limit", {"model": "claude-opus-5", "messages": [user("a")]}, "max_tokens: Field required"),
    ("assistant first", message(assistant("a")), 'messages: first message must use the "user" role'),
    ("system in the list", message(user("a"), {"role": "system", "content": "b"}), "role 'system' is not supported"),
    ("empty text", message(user({"type": "text", "text": " "})), "must contain non-whitespace text"),
    ("empty content", message({"role": "user", "content": []}), "all messages must have non-empty content"),
    ("trailing space", message(user("a"), assistant("b ")), "cannot end with trailing whitespace"),
    (
        "marked thinking",
        message(user("a"), assistant({"type": "thinking", "cache_control": MARK})),
        "cannot be set for",
    ),
    ("no result", message(user("a"), assistant(CALL), user("b")), "`tool_use` ids were found without `tool_result`"),
    ("open at the end", message(user("a"), assistant(CALL)), "`tool_use` ids were found without `tool_result`"),
    ("no call", message(user("a"), assistant("b"), user(RESULT)), "unexpected `tool_use_id` found in `tool_result`"),
    ("late result", message(user("a"), assistant(CALL), user(text(9), RESULT)), "must come first in the content"),
]


@pytest.mark.parametrize(("body", "said"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_refused(provider: Provider, body: Json, said: str) -> None:
    """400, in the API's words."""
    status, answer = ask(provider, body)
    assert status == 400
    assert said in error_of(answer)


def test_messages_of_one_role_in_a_row_are_one_turn(provider: Provider) -> None:
    """The second result of a parallel call may stand in a message of its own, and a text behind it."""
    calls = [CALL, {**CALL, "id": "toolu_2"}]
    parts = (user(RESULT), user({**RESULT, "tool_use_id": "toolu_2"}), user("go on"))
    assert ask(provider, message(user("a"), assistant(*calls), *parts))[0] == 200
    assert ask(provider, message(user("a"), assistant(*calls), parts[0], parts[2]))[0] == 400


# Compaction on demand.


def test_compaction_on_demand_answers_with_the_block_alone(provider: Provider) -> None:
    """The prefix is read; at the top the usage is zero, and what it cost stands in `iterations`."""
    assert counts(provider, marked(10)) == (0, 2000, 0)
    status, answer = ask(provider, marked(10, compaction=COMPACT), ON_DEMAND)
    assert (status, answer["stop_reason"]) == (200, "compaction")
    assert [block.keys() for block in answer["content"]] == [{"type", "content", "signature"}]
    usage = answer["usage"]
    assert (split(usage), usage["output_tokens"]) == ((0, 0, 0), 0)
    assert [(spent["type"], *split(spent)) for spent in usage["iterations"]] == [("compaction", 2000, 0, 20)]


def test_its_instructions_are_counted(provider: Provider) -> None:
    """Blank ones are as none; others take the place of the default prompt, of 20 tokens here."""
    for instructions, n in (("  ", 20), ("y" * 398, 100)):
        body = message(user(text(50)), compaction={**COMPACT, "instructions": instructions})
        assert ask(provider, body, ON_DEMAND)[1]["usage"]["iterations"][0]["input_tokens"] == 50 + n


FORMAT = {"output_config": {"format": {"type": "json_schema", "schema": {}}}}
MANAGED: Json = {"context_management": {"edits": []}}


@pytest.mark.parametrize(
    "more",
    [
        {"stop_sequences": ["END"]},
        {"tool_choice": {"type": "any"}},
        {"tool_choice": {"type": "tool", "name": "ls"}},
        FORMAT,
        {"output_config": {"task_budget": {"remaining": 5}}},
        MANAGED,
        {"model": "claude-sonnet-4-5"},
        {"compaction": {**COMPACT, "instructions": "y" * 16_385}},
        {"compaction": {"type": "now"}},
        {"messages": [user("a"), assistant(CALL)]},
    ],
)
def test_what_compaction_on_demand_is_refused_with(provider: Provider, more: Json) -> None:
    """400 with each; without them 200."""
    body = message(user("a"), compaction=COMPACT)
    assert ask(provider, body, ON_DEMAND)[0] == 200
    assert ask(provider, {**body, **more}, ON_DEMAND)[0] == 400


def test_it_needs_its_header(provider: Provider) -> None:
    """The parameter is unknown without it; another beta beside it does no harm."""
    body = message(user("a"), compaction=COMPACT)
    assert error_of(ask(provider, body)[1]) == "compaction: Extra inputs are not permitted"
    assert ask(provider, body, {"anthropic-beta": "other-2026-01-01, compact-2026-09-04"})[0] == 200


@pytest.fixture
def block(provider: Provider) -> Json:
    """A block that the provider signed."""
    content: list[Json] = ask(provider, message(user("a"), compaction=COMPACT), ON_DEMAND)[1]["content"]
    return content[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"signature": "sig_none"}, "compaction_signature_invalid"),
        ({"content": "other"}, "compaction_content_mismatch"),
        ({"citations": None}, "Extra inputs are not permitted"),
    ],
)
def test_the_block_must_come_back_as_it_was(provider: Provider, block: Json, change: Json, said: str | None) -> None:
    """Byte for byte, with its signature, and without members of null."""
    body = message(assistant({**block, **change}), user("b"))
    status, answer = ask(provider, body, ON_DEMAND)
    assert status == (400 if said else 200)
    assert said is None or said in error_of(answer)


def test_where_the_block_may_stand(provider: Provider, block: Json) -> None:
    """First of all, in the user's message too, two assistant messages in a row; not behind another message."""
    assert ask(provider, message(assistant(block), assistant("b"), user("c")), ON_DEMAND)[0] == 200
    assert ask(provider, message(user(block, text(9))), ON_DEMAND)[0] == 200
    assert "header" in error_of(ask(provider, message(assistant(block), user("b")))[1])
    late = ask(provider, message(user("a"), assistant(block), user("b")), ON_DEMAND)[1]
    assert "compaction_block_misplaced" in error_of(late)
    assert ask(provider, message(assistant(block, block), user("b")), ON_DEMAND)[0] == 400


def test_compacting_again(provider: Provider, block: Json) -> None:
    """A block and messages behind it can be compacted, a block alone has nothing to summarise."""
    again = message(assistant(block), user("b"), compaction=COMPACT)
    assert ask(provider, again, ON_DEMAND)[1]["stop_reason"] == "compaction"
    alone = ask(provider, message(assistant(block), compaction=COMPACT), ON_DEMAND)[1]
    assert "compaction_nothing_to_summarize" in error_of(alone)


# Compaction at a threshold.


def managed(**more: Any) -> Json:
    """The edit that asks for it at 50,000 tokens."""
    edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}, **more}
    return {"context_management": {"edits": [edit]}}


def test_compaction_at_a_threshold(provider: Provider) -> None:
    """A token below it nothing happens; at it the block comes first, and two iterations are billed."""
    below = ask(provider, message(user(text(49_999)), **managed()), THRESHOLD)[1]
    assert [block["type"] for block in below["content"]] == ["text"]
    assert [one["type"] for one in below["usage"]["iterations"]] == ["message"]
    answer = ask(provider, message(user(text(50_000)), **managed()), THRESHOLD)[1]
    assert [block["type"] for block in answer["content"]] == ["compaction", "text"]
    spent, left = answer["usage"]["iterations"]
    assert (spent["type"], *split(spent)) == ("compaction", 0, 0, 50_020)
    assert (left["type"], left["input_tokens"]) == ("message", answer["usage"]["input_tokens"])
    assert left["input_tokens"] < 100


def test_a_pause_answers_with_the_block_alone(provider: Provider) -> None:
    """`stop_reason` says so, and only the compaction is billed."""
    body = message(user(text(50_000)), **managed(pause_after_compaction=True))
    answer = ask(provider, body, THRESHOLD)[1]
    assert ([b["type"] for b in answer["content"]], answer["stop_reason"]) == (["compaction"], "compaction")
    assert [one["type"] for one in answer["usage"]["iterations"]] == ["compaction"]
    assert split(answer["usage"]) == (0, 0, 0)


def test_what_stands_before_its_block_is_ignored(provider: Provider) -> None:
    """The client may keep it; a block of null stands for nothing, an empty string is refused."""
    old, new = {"type": "compaction", "content": "Old."}, {"type": "compaction", "content": "New."}
    kept = message(user(text(9000)), assistant(old, text(500)), user("b"), assistant(text(70), new), user("c"))
    dropped = message(assistant(new), user("c"))
    assert counts(provider, kept) == counts(provider, dropped)
    nothing = {"type": "compaction", "content": None}
    assert counts(provider, message(user(text(90)), assistant(nothing, text(50)))) == (0, 0, 140)
    assert ask(provider, message(user("a"), assistant({**nothing, "content": ""})))[0] == 400


def test_what_compaction_at_a_threshold_is_refused_with(provider: Provider, block: Json) -> None:
    """No header, a trigger below 50,000, a model without it, a signed block in the request."""
    low = managed(trigger={"type": "input_tokens", "value": 49_999})
    both = {"anthropic-beta": "compact-2026-01-12,compact-2026-09-04"}
    for body, headers in (
        (message(user("a"), **managed()), {}),
        (message(user("a"), **low), THRESHOLD),
        (message(user("a"), model="claude-opus-4-5", **managed()), THRESHOLD),
        (message(assistant(block), user("a"), **managed()), both),
    ):
        assert ask(provider, body, headers)[0] == 400
    assert ask(provider, message(user("a"), **managed()), THRESHOLD)[0] == 200


def test_a_request_without_an_answer_fills_the_cache(provider: Provider) -> None:
    """`max_tokens` 0 writes and answers nothing; the same with an answer reads it. It is not for every request."""
    body = message(user(text(1500, "o", cache_control=MARK)))
    status, answer = ask(provider, {**body, "max_tokens": 0})
    assert (status, answer["content"], answer["stop_reason"]) == (200, [], "max_tokens")
    assert (split(answer["usage"]), answer["usage"]["output_tokens"]) == ((0, 1500, 0), 0)
    assert counts(provider, body) == (1500, 0, 0)
    for more in ({"stream": True}, {"thinking": {"type": "adaptive"}}, {"tool_choice": {"type": "any"}}):
        assert ask(provider, {**body, "max_tokens": 0, **more})[0] == 400
