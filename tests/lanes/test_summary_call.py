"""Does a request ask for a summary? By wording."""

from __future__ import annotations

import pytest

from cgcli.lanes.summary_call import asks_for_summary
from tests.lanes.placing import body, output, request, said, turn, user

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
