"""Which of the user's texts stay before a summary, and what of the one that does not fit."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.compaction.summaries.user_messages import cut_in_the_middle, kept_texts, n_context, said
from tests.lanes.placing import body, request, turn, user
from tests.lanes.placing import said as answer

if TYPE_CHECKING:
    from tests.lanes.placing import Json

MARK = " <<cg:0123456789abcdef>>"
RULES = "# AGENTS.md instructions for /src\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"
PLACE = "<environment_context>\n<cwd>/src</cwd>\n</environment_context>"


def _kept(*messages: Json, most: int = 100) -> tuple[str, ...]:
    return kept_texts(request(body(*messages)).messages, most_tokens=most, count=len, mark=MARK)


def _block(text: str) -> Json:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("most", "kept"),
    [
        (0, ()),
        (4, ("nine",)),
        (9, ("seven", "nine")),
        (13, (f"ab…20 tokens truncated{MARK}…wx", "seven", "nine")),
        (33, ("abcdefghijklmnopqrstuvwx", "seven", "nine")),
        (34, (f"…5 tokens truncated{MARK}…k", "abcdefghijklmnopqrstuvwx", "seven", "nine")),
        (39, ("xxxxxk", "abcdefghijklmnopqrstuvwx", "seven", "nine")),
    ],
)
def test_the_newest_that_fit_stay_in_order(most: int, kept: tuple[str, ...]) -> None:
    """The newest one that does not fit is cut in the middle, and nothing older stays; a token is a character here."""
    messages = [user("xxxxxk"), user("abcdefghijklmnopqrstuvwx"), *turn(1, "output"), user("seven"), user("nine")]
    assert _kept(*messages, most=most) == kept


def test_only_what_a_user_says_stays() -> None:
    """Neither answers, outputs and images, nor what an agent or an earlier summary puts into a user's message."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": "output"}
    messages = [
        user(RULES),
        user(PLACE),
        user("<system-reminder>Use tabs.</system-reminder>\n"),
        {"role": "user", "content": [image]},
        user("=== History Summary ===\nAll went well."),
        answer("I say."),
        turn(1)[0],
        {"role": "user", "content": [result, _block("And hurry.")]},
        {"role": "user", "content": [_block("Look:"), image, _block("what is this?")]},
        {"role": "user", "content": [_block("<system-reminder>Use tabs.</system-reminder>"), _block("Go on.")]},
        user(" \n"),
    ]
    assert _kept(*messages, most=1000) == (
        "And hurry.",
        "Look:\nwhat is this?",
        "<system-reminder>Use tabs.</system-reminder>\nGo on.",
    )


@pytest.mark.parametrize(
    "text",
    [
        RULES,
        PLACE,
        "  <ENVIRONMENT_CONTEXT>cwd</ENVIRONMENT_CONTEXT>\n",
        "<user_instructions>Be brief.</user_instructions>",
        "<turn_aborted>by the user</turn_aborted>",
        "<system-reminder>a</system-reminder> <system-reminder>b</system-reminder>",
        '<system-reminder source="context-replay">a</system-reminder>',
    ],
)
def test_what_an_agent_puts_there_is_no_users_text(text: str) -> None:
    """A text that is one such fragment; with a word beside it the user speaks, and the whole text stays."""
    (alone,) = request(body(user(text))).messages
    assert said(alone) is None
    (spoken,) = request(body(user(f"Do it. {text}"))).messages
    assert said(spoken) == f"Do it. {text}"


def test_the_initial_context_is_what_leads() -> None:
    """System messages, and messages with nothing but an agent's fragments, up to the first other one."""
    system: Json = {"role": "developer", "content": "You may write."}
    items: list[Any] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        for text in (RULES, PLACE, "Build it.", PLACE)
    ]
    responses = request({"model": "gpt-5.6-sol", "input": [system, *items]})
    assert n_context(responses.messages) == 3
    assert n_context(responses.messages[:3]) == 3
    assert n_context(responses.messages[3:]) == 0
    assert n_context(request(body(*turn(1))).messages) == 0


def test_a_cut_is_not_inside_a_marker() -> None:
    """What is quoted goes whole, or stays whole."""
    quoted = "a" * 10 + "<<cg:fedcba9876543210>>" + "b" * 27
    assert cut_in_the_middle(quoted, 30, count=len) == f"{'a' * 10}…35 tokens truncated…{'b' * 15}"


@given(st.text(max_size=300), st.integers(min_value=0, max_value=100), st.integers(min_value=1, max_value=5))
def test_what_is_kept_of_a_text_is_its_ends(text: str, most: int, width: int) -> None:
    """Never more tokens than there is room for, whatever a token is; what is told to be gone is what is gone."""

    def count(piece: str) -> int:
        return -(-len(piece.encode("utf-8", "surrogatepass")) // width)

    found = cut_in_the_middle(text, most, count=count, mark=MARK)
    head, _, rest = found.partition(f" tokens truncated{MARK}…")
    head, _, n_gone = head.rpartition("…")
    assert text.startswith(head)
    assert text.endswith(rest)
    if count(text) > most:
        assert count(head) + count(rest) <= most
    assert int(n_gone) == count(text) - count(head) - count(rest)


def test_a_megabyte_of_one_character_is_cut_at_once() -> None:
    """Linear in the text, also where beginnings of fragments and reminders repeat."""
    before = process_time()
    for text in ("x" * 1_000_000, "<system-reminder>" * 60_000, "<<cg:" * 200_000):
        (kept,) = _kept(user(text), most=1000)
        assert len(kept) < 1100
    assert process_time() - before < 5
