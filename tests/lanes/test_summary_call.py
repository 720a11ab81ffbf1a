"""Does a request ask for a summary? By wording."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from cgcli.calls.call import CallMode, CallOptions
from cgcli.calls.instruction import PROMPT
from cgcli.errors import CgError
from cgcli.lanes.summary_call import OPENING, asks_for_summary
from cgcli.readers import open_bytes, read
from cgcli.readers.single import parse_body
from tests.calls.asking import asking, built
from tests.captures import capture
from tests.lanes.placing import body, output, request, said, turn, user
from tests.running import CORPUS, CORPUS_CAPTURES, NO_CORPUS

if TYPE_CHECKING:
    from tests.captures import Dialect

ASKS = [
    # Claude Code, Cline, Roo
    "Your task is to create a detailed summary of the conversation so far, paying close attention to the requests.",
    # Codex
    "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary for another LLM that will resume.",
    # Gemini CLI
    "First, reason in your scratchpad. Then, generate the <state_snapshot>.",
    # opencode
    "Provide a detailed prompt for continuing our conversation above.",
    # pi
    "The messages above are a conversation to summarize. Create a structured context checkpoint summary.",
    "Summarise the session for a successor.",
    "Please compact the context now.",
    "SUMMARIZE THE TRANSCRIPT",
]
DOES_NOT_ASK = [
    "Write a summary function.",
    "Summarize README.md in one line.",
    "What does the compact() method of this class do?",
    "Continue with the tests.",
    "Is this a new topic?",
    "",
]


@pytest.mark.parametrize("words", ASKS)
def test_a_request_for_a_summary_of_the_conversation_is_recognised(words: str) -> None:
    """The wordings of known agents, as the last user message."""
    assert asks_for_summary(request(body(user("go"), *turn(1), user(words))))


@pytest.mark.parametrize("words", DOES_NOT_ASK)
def test_other_requests_are_not(words: str) -> None:
    """A summary of something else, or none."""
    assert not asks_for_summary(request(body(user("go"), *turn(1), user(words))))


def test_only_the_last_message_counts() -> None:
    """A conversation that went on after its summary is no summary call."""
    assert not asks_for_summary(request(body(user(ASKS[0]), said("It went well."), user("Thanks."))))


def test_a_tool_output_that_quotes_the_wording_is_no_request() -> None:
    """Only what a person says counts, not what a tool printed."""
    assert not asks_for_summary(request(body(user("go"), turn(1)[0], output(1, ASKS[0]))))


def test_a_short_system_prompt_can_set_the_task() -> None:
    """A system block of one line that asks for it counts, a long one that mentions it does not."""
    task = "You summarise the conversation that you are given."
    assert asks_for_summary(request(body(user("A and B."), system=task)))
    assert not asks_for_summary(request(body(user("A and B."), system=task + " Be brief." * 40)))


def test_a_request_that_ends_with_the_assistant_asks_nothing() -> None:
    """A prefilled answer is no request for a summary."""
    assert not asks_for_summary(request(body(user(ASKS[0]), said("Summary of the conversation:"))))


def test_the_prompt_of_our_own_calls_is_known() -> None:
    """What is looked for is how the built-in prompt begins, whole sentence and all."""
    assert PROMPT.startswith(OPENING)
    assert "\n" not in OPENING


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
@pytest.mark.parametrize("mode", [CallMode.STANDALONE, CallMode.FORK])
def test_our_own_calls_are_recognised(dialect: Dialect, mode: CallMode) -> None:
    """A fork by its last message, a standalone call by its system prompt, wherever the dialect has that."""
    parent = capture(dialect=dialect, turns=6).splitlines()[-1]
    call = built(mode, asking(parent, 2, 4, options=CallOptions()))

    assert asks_for_summary(parse_body(call.body))
    assert not asks_for_summary(parse_body(parent))


@pytest.mark.parametrize("behind", [[], [user("B.")]], ids=["alone", "answered"])
def test_a_system_message_counts_in_a_call_of_two_messages_alone(behind: list[dict[str, object]]) -> None:
    """A conversation under the same system prompt is no call."""
    told = {"role": "system", "content": PROMPT}
    messages = [told, {"role": "user", "content": "A."}, *behind]
    chat = parse_body(json.dumps({"model": "gpt-4.1", "messages": messages}).encode())

    assert asks_for_summary(chat) is (not behind)


def test_a_system_prompt_that_quotes_ours_is_no_call() -> None:
    """It must begin with it."""
    assert not asks_for_summary(request(body(user("A."), system=f"You check prompts. This is one: {PROMPT}")))


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_no_saved_conversation_is_taken_for_a_call() -> None:
    """Of the 44 whole requests of the corpus none asks for a summary: no agent in it did."""
    asking_ones, n_requests = [], 0
    for path in CORPUS_CAPTURES:
        with suppress(CgError), open_bytes(str(path)) as stream:
            for entry in read(stream, file=path.name):
                if entry.exchange is not None:
                    n_requests += 1
                    if asks_for_summary(entry.exchange.request):
                        asking_ones.append((path.name, entry.exchange.source.line))

    assert n_requests == 44
    assert asking_ones == []
