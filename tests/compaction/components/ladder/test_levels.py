"""`ladder`: what each level does, to which messages, and where it stops."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from cgcli.compaction.components.ladder.ladder import Ladder
from cgcli.errors import UsageError
from tests.compaction.components.bodies import compact, pretty
from tests.compaction.components.ladder.lanes import (
    DIALECTS,
    Json,
    Lane,
    body,
    ladder,
    said,
    shown,
    size,
    turn,
    user,
)
from tests.oracle import marker_key

TASK = "task " * 40
HINT = " [full output: call context_guru_expand]"


def conversation(dialect: str = "anthropic") -> Json:
    """A task, three outputs, another wish, five outputs, and a last word: about 9,000 tokens."""
    messages = [user(TASK)]
    for i in range(8):
        messages += turn(dialect, (f"call_{i}", "abcdefgh"[i] * 1000))
        if i == 2:
            messages.append(user("and " * 50))
    return body([*messages, user("go on")], dialect)


LEVELS = [
    (8500, 1, "U A T A R A R U A R A R A R A R A R U"),
    (7900, 1, "U A T A T A R U A R A R A R A R A R U"),
    (7300, 2, "U A T A T A T U A R A R A R A R A R U"),
    (6700, 2, "U A T A T A T U A T A R A R A R A R U"),
    (6300, 3, "U N2 A T A T U A T A R A R A R A R U"),
    (5340, 3, "U N6 U A T A R A R A R A R U"),
    (4500, 3, "U N6 U N4 A R A R A R U"),
    (3500, 4, "U N6 S N4 A R A T A R U"),
    (2500, 5, "U N6 S N6 A T A R U"),
    (1740, 5, "U N6 S N8 A R U"),
    (1200, 6, "U N6 S N8 A T U"),
    (700, 7, "U N6 S N10 U"),
    (580, 8, "S N6 S N10 U"),
]
"""Target, the level in which it is reached, and what is sent."""


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("target", "level", "expected"), LEVELS)
def test_levels_are_taken_one_by_one(dialect: str, target: int, level: int, expected: str) -> None:
    """After each operation the size is looked at, and nothing more is done once it is reached."""
    lane = Lane(ladder(target))
    before = conversation(dialect)
    got = lane.send(before)
    assert shown(got) == ("Y " if dialect == "chat" else "") + expected
    assert lane.level == level
    assert lane.reasons[0] == f"level_{level}"
    assert lane.saved_tokens == size(before) - size(got)
    # At level 8 Claude's is still over it: its results stand in user messages, which are not that much shorter.
    assert size(got) <= target or (level == 8 and lane.reasons[1] == "target_not_reached")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_below_the_threshold_nothing_is_done(dialect: str) -> None:
    """At the threshold less one token; at the threshold itself something is."""
    before = conversation(dialect)
    n = size(before)
    lane = Lane(ladder(8000, at=n + 1))
    assert lane.send(before) == compact(before)
    assert lane.reasons == ["below_threshold"]
    assert Lane(ladder(8000, at=n)).send(before) != compact(before)


def test_output_keeps_its_first_characters_behind_a_marker() -> None:
    """The size, the way back, 250 characters and three dots; no other byte changes, whatever the spelling."""
    text = 'line with "quotes" and a café\n' * 100
    before = body([user(TASK), *turn("anthropic", ("a", text)), *turn("anthropic", ("b", "x" * 900)), user("go on")])
    raw = pretty(before)
    lane = Lane(ladder(3000, at=3500))
    says = "[tool output truncated: about 3,000 tokens; the first 250 characters follow]"
    new = f"{says} <<cg:{marker_key(text)}>>{HINT}\n{text[:250]}..."
    expected = raw.replace(json.dumps(text).encode(), json.dumps(new, ensure_ascii=False).encode())
    assert lane.send(raw) == expected != raw
    assert (lane.level, lane.n_fired, lane.saved_tokens) == (2, 1, 3000 - len(new))


@pytest.mark.parametrize(("n_chars", "kept"), [(250, 250), (1, 1), (0, 0), (998, None), (5000, None)])
def test_short_output_is_left_alone(n_chars: int, kept: int | None) -> None:
    """It has no more characters than would stay, or would not get smaller by its marker."""
    before = conversation()
    lane = Lane(ladder(8500, truncate_chars=n_chars))
    outputs = [block["content"] for message in json.loads(lane.send(before))["messages"] for block in _results(message)]
    if kept is None:
        assert not any(text.startswith("[tool output truncated") for text in outputs)
        assert ("not_smaller" if n_chars < 1000 else "below_truncate_chars") in lane.reasons
    else:
        assert outputs[0].endswith("\n" + "a" * kept + "...")


def _results(message: Json) -> list[Json]:
    content = message["content"]
    return [one for one in content if one["type"] == "tool_result"] if isinstance(content, list) else []


def test_messages_give_way_to_one_that_counts_them() -> None:
    """With a marker for their bytes as they were written, from the first to the last of them."""
    before = conversation()
    raw = compact(before)
    got = json.loads(Lane(ladder(5340)).send(raw))["messages"]
    start, stop = raw.index(b'{"role":"assistant"'), raw.index(b',{"role":"user","content":"and and')
    key = sha256(raw[start:stop]).hexdigest()[:16]
    text = f"[6 earlier messages left out] <<cg:{key}>> [as they were: call context_guru_expand]"
    assert got[1] == {"role": "user", "content": [{"type": "text", "text": text}]}
    assert got[0] == before["messages"][0]
    assert got[2] == before["messages"][7]


@pytest.mark.parametrize(
    ("dialect", "content"), [("chat", "{}"), ("responses", [{"type": "input_text", "text": "{}"}])]
)
def test_note_has_the_shape_of_its_dialect(dialect: str, content: Any) -> None:
    """A user's message, never a system message."""
    sent = json.loads(Lane(ladder(5340)).send(conversation(dialect)))
    note = next(one for one in sent.get("messages", sent.get("input")) if "left out]" in json.dumps(one))
    text = note["content"] if isinstance(note["content"], str) else note["content"][0]["text"]
    assert note == {"role": "user", "content": json.loads(json.dumps(content).replace("{}", text))}


def test_user_is_never_left_out_and_keeps_a_beginning() -> None:
    """A line with 50 characters and a marker for the whole text."""
    got = json.loads(Lane(ladder(580)).send(conversation()))["messages"]
    assert got[0]["content"] == (
        f"[earlier message of the user, shortened; it begins: {('task ' * 10).rstrip()} …] "
        f"<<cg:{marker_key(TASK)}>> [full message: call context_guru_expand]"
    ).replace("task …", "task …")
    assert got[-1] == user("go on")


def test_texts_of_a_list_are_stubbed_one_by_one() -> None:
    """A user's message that is a list of blocks; short texts, images and documents stay."""
    image: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    blocks: list[Json] = [
        {"type": "text", "text": "short"},
        image,
        {"type": "text", "text": "x" * 600, "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "y" * 600},
    ]
    lane = Lane(ladder(700))
    got = json.loads(lane.send(body([user(blocks), *turn("anthropic", ("a", "r" * 200)), user("go on")])))
    first, second, third, fourth = got["messages"][0]["content"]
    assert (first, second) == (blocks[0], image)
    assert third["cache_control"] == {"type": "ephemeral"}
    assert [third["text"][52:60], fourth["text"][52:60]] == ["x" * 8, "y" * 8]
    assert lane.level == 8


def test_only_user_is_never_stubbed() -> None:
    """The first message is the last one, too."""
    lane = Lane(ladder(1500, budget=5000))
    before = body([user("x" * 1400), *turn("anthropic", ("a", "y" * 300), ("b", "z" * 300))])
    assert json.loads(lane.send(before))["messages"][0] == before["messages"][0]
    assert "last_user" in lane.reasons


@pytest.mark.parametrize("n", [0, -1, -5])
def test_no_result_is_protected_at_zero_and_below(n: int) -> None:
    """The slice `[-0:]` is the whole list: once all results were protected so."""
    assert shown(Lane(ladder(1200, protected_tool_results=n)).send(conversation())) == "U N6 S N8 A T U"


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, "S N6 S N8 A R U"),
        (2, "S N6 S N6 A R A R U"),
        (5, "S N6 S A R A R A R A R A R U"),
        (50, "S A R A R A R S A R A R A R A R A R U"),
    ],
)
def test_newest_results_are_neither_truncated_nor_left_out(n: int, expected: str) -> None:
    """On no level."""
    lane = Lane(ladder(1200, protected_tool_results=n))
    assert shown(lane.send(conversation())) == expected
    assert lane.reasons.count("protected_result") >= min(n, 8)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_protected_sibling_keeps_its_whole_group(dialect: str) -> None:
    """Of three parallel calls the last result is protected: neither of them is left out, two are truncated."""
    texts = [(f"call_{i}", "xyz"[i] * 1000) for i in range(3)]
    before = body([user(TASK), *turn(dialect, *texts), said("done"), user("go on")], dialect)
    lane = Lane(ladder(1500, protected_tool_results=1, protected_recent=0.0, budget=4000))
    sent = shown(lane.send(before))
    calls = "A A A" if dialect == "responses" else "A"
    assert sent.removeprefix("Y ") == f"S {calls} T T R A U"
    assert ("protected_result" if dialect == "anthropic" else "protected_sibling") in lane.reasons


@pytest.mark.parametrize("dialect", DIALECTS)
def test_parallel_group_goes_as_one(dialect: str) -> None:
    """Calls and results of one run, by ids and by blocks."""
    texts = [(f"call_{i}", "xyz"[i] * 1000) for i in range(3)]
    before = body([user(TASK), *turn(dialect, *texts), *turn(dialect, ("b", "ok")), user("go on")], dialect)
    lane = Lane(ladder(600, budget=4000))
    n = {"anthropic": 2, "chat": 4, "responses": 6}[dialect]
    assert shown(lane.send(before)).removeprefix("Y ") == f"U N{n} A R U"


@pytest.mark.parametrize("n_texts", [1, 3])
def test_results_in_blocks_are_truncated(n_texts: int) -> None:
    """Each text of a result that is a list; an image beside them stays."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    result = [*({"type": "text", "text": letter * 1000} for letter in "abc"[:n_texts]), image]
    messages = turn("anthropic", ("call", ""))
    messages[1]["content"][0]["content"] = result
    lane = Lane(ladder(n_texts * 600, protected_recent=1.0, budget=4000))
    got = json.loads(lane.send(body([user("go"), *messages, user("go on")])))["messages"][2]["content"][0]["content"]
    assert [block["text"][:22] for block in got[:-1]] == ["[tool output truncated"] * n_texts
    assert got[-1] == image
    assert lane.level == 6


@pytest.mark.parametrize(
    ("n_freed", "level", "expected"),
    [
        (1, 3, "U N1 U A U A U A U A"),
        (3, 3, "U N1 U N1 U N1 U A U A"),
        (4, 5, "U N1 U N1 U N1 U N1 U A"),
        (5, 5, "U N1 U N1 U N1 U N1 U A"),
    ],
)
def test_recent_messages_are_left_in_by_their_share(n_freed: int, level: int, expected: str) -> None:
    """30 % and 18 % of what is sent, rounded up, and the last message always: each that goes frees some 110 tokens."""
    messages = [said("w" * 200) if i % 2 else user(f"u{i}") for i in range(10)]
    lane = Lane(ladder(size(body(messages)) - 100 * n_freed, budget=4000))
    assert shown(lane.send(body(messages))) == expected
    assert lane.level == level


@pytest.mark.parametrize(
    "params",
    [
        {"budget_tokens": 0},
        {"budget_tokens": True},
        {"compact_threshold": 1.1},
        {"compact_threshold": 0.5},
        {"target_usage": 0},
        {"target_usage": 0.92},
        {"protected_recent": -0.1},
        {"protected_tool_results": 1.5},
        {"protected_tool_results": True},
        {"truncate_chars": -1},
        {"runaway_after": 0},
    ],
)
def test_parameter_that_means_nothing_is_refused(params: dict[str, Any]) -> None:
    """With its name."""
    with pytest.raises(UsageError, match=r"^ladder: \w+ is .*, but must be "):
        Ladder(**params)


def test_defaults_are_those_of_amplifier() -> None:
    """Budget by the model's window: 200,000 less half of 64,000 less 4,096, in the model's own tokens (1.24 each)."""
    made = Ladder()
    shares = (made.compact_threshold, made.target_usage, made.protected_recent)
    assert shares == (0.92, 0.50, 0.30)
    assert (made.protected_tool_results, made.truncate_chars, made.budget_tokens) == (5, 250, None)
    base = size(body([user(""), user("go")], model="claude-sonnet-4-5"))
    # The threshold, 0.92 * 163,904, is 150,791 of the model's tokens; 121,605 counted ones are 150,790 of those.
    for n, reasons in ((121_605, ["below_threshold"]), (121_606, ["level_8"])):
        lane = Lane(made)
        lane.send(body([user("x" * (n - base)), user("go")], model="claude-sonnet-4-5"))
        assert lane.reasons[:1] == reasons
