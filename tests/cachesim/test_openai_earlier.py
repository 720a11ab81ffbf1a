"""OpenAI before GPT-5.6: steps of 128 from 1,024 on, every figure written out."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.cachesim.options import Reuse
from tests.cachesim.caching import Json, Sent, measured, words
from tests.cachesim.prefixes import chat, headed, plain, read_if_edited, said, sent

GPT = "gpt-4.1-2025-04-14"
DEV = said("developer", 1000, "d")


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (1023, (0, 1023, "below_minimum")),
        (1024, (1024, 0, None)),
        (1151, (1024, 127, None)),
        (1152, (1152, 0, None)),
        (9789, (9728, 61, None)),
    ],
)
def test_what_is_sent_again_is_read_in_steps_of_128(size: int, expected: tuple[int, int, str | None]) -> None:
    """From 1,024 tokens on, rounded down; the first time nothing is read, and nothing is ever billed for writing."""
    of = sent()
    body = chat(GPT, said("user", size))
    assert plain(of.send(body))[:2] == (0, size)
    assert plain(of.send(body)) == expected


def test_an_appended_message_reads_all_before_it() -> None:
    """1,300 tokens were sent: ten steps, 1,280, are read of 1,500."""
    of = sent()
    assert plain(of.send(chat(GPT, DEV, said("user", 300)))) == (0, 1300, "first_request")
    found = of.send(chat(GPT, DEV, said("user", 300), said("assistant", 100, "a"), said("user", 100)))
    assert (plain(found), found.read_from) == ((1280, 220, None), 0)


def test_the_head_of_an_edited_output_is_read() -> None:
    """Both begin alike for 1,000 + 3 + 500 tokens: 1,408 are eleven steps of the 1,503."""
    of = sent()
    of.send(chat(GPT, DEV, headed("user", 500, 1000, "full")))
    assert plain(of.send(chat(GPT, DEV, headed("user", 500, 600, "cut")))) == (1408, 192, "messages_changed")
    assert plain(of.send(chat(GPT, DEV, headed("user", 500, 1000, "full"))))[0] == 1920


def test_a_word_that_goes_on_differently_is_not_shared() -> None:
    """`cat` and `cats` are other tokens from their first character on: 1,023 are alike, one too few."""
    of = sent()
    of.send(chat(GPT, {"role": "user", "content": f"{words(1020)} cat {words(200)}"}))
    assert plain(of.send(chat(GPT, {"role": "user", "content": f"{words(1020)} cats {words(200)}"})))[0] == 0
    assert plain(of.send(chat(GPT, {"role": "user", "content": f"{words(1021)} cats {words(200)}"})))[0] == 0
    assert plain(of.send(chat(GPT, {"role": "user", "content": f"{words(1021)} dogs {words(200)}"})))[0] == 1024


def test_another_role_shares_nothing() -> None:
    """The same words of a user and of an assistant."""
    of = sent()
    of.send(chat(GPT, said("user", 1500), said("user", 1500)))
    assert plain(of.send(chat(GPT, said("user", 1500), said("assistant", 1500))))[0] == 1408


def test_a_cut_reads_what_is_left() -> None:
    """A beginning of an earlier request, and a message from its middle dropped."""
    of = sent()
    of.send(chat(GPT, DEV, said("user", 600, "a"), said("assistant", 600, "b"), said("user", 600, "c")))
    assert plain(of.send(chat(GPT, DEV, said("user", 600, "a")))) == (1536, 64, "messages_changed")
    assert plain(of.send(chat(GPT, DEV, said("user", 600, "a"), said("user", 600, "c"))))[0] == 1536


def test_grow_only_reads_an_earlier_request_whole_or_not_at_all() -> None:
    """As measured: the same again and an append hit, a strict cut and a dropped message miss."""
    of = sent(openai_reuse=Reuse.GROW_ONLY)
    messages = [DEV, said("user", 600, "a"), said("assistant", 600, "b"), said("user", 600, "c")]
    of.send(chat(GPT, *messages))
    assert plain(of.send(chat(GPT, *messages))) == (2688, 112, None)
    assert plain(of.send(chat(GPT, *messages, said("user", 100)))) == (2688, 212, None)
    assert plain(of.send(chat(GPT, *messages[:3])))[0] == 0
    assert plain(of.send(chat(GPT, *messages[:2], messages[3])))[0] == 0


def test_gpt_5_5_writes_every_2048_tokens() -> None:
    """Of 5,000 tokens 4,096 are read; of 2,047 none; it keeps them for a day."""
    of = sent()
    body = chat("gpt-5.5", said("user", 5000))
    assert plain(of.send(body, 0.0))[0] == 0
    assert plain(of.send(body, 86_400.0)) == (4096, 904, None)
    assert plain(of.send(body, 172_801.0)) == (0, 5000, "expired")
    small = chat("gpt-5.5", said("user", 2047, "v"))
    of.send(small)
    assert plain(of.send(small))[0] == 0


@pytest.mark.parametrize(
    ("fields", "options", "life_s"),
    [
        ({}, {}, 600),
        ({}, {"openai_in_memory_s": 300}, 300),
        ({"prompt_cache_retention": "in_memory"}, {"openai_retention": "24h"}, 600),
        ({"prompt_cache_retention": "24h"}, {}, 86_400),
        ({}, {"openai_retention": "24h"}, 86_400),
    ],
)
def test_time_runs_from_the_last_use(fields: Json, options: dict[str, Any], life_s: int) -> None:
    """Ten minutes in memory, a day where that is asked for; each use begins it anew."""
    of = sent(**options)
    body = chat(GPT, said("user", 2048), **fields)
    of.send(body, 0.0)
    assert plain(of.send(body, life_s)) == (2048, 0, None)
    assert plain(of.send(body, 2 * life_s)) == (2048, 0, None)
    assert plain(of.send(body, 3 * life_s + 1)) == (0, 2048, "expired")
    assert plain(of.send(body, 3 * life_s + 2)) == (2048, 0, None)


def test_a_part_that_others_read_stays_warm() -> None:
    """The system prompt is read at 400 by another conversation; at 800 it is warm, what followed it is not."""
    of = sent()
    long = said("developer", 2048, "d")
    of.send(chat(GPT, long, said("user", 1024, "a")), 0.0)
    assert plain(of.send(chat(GPT, long, said("user", 1024, "b")), 400.0))[0] == 2048
    assert plain(of.send(chat(GPT, long, said("user", 1024, "a")), 800.0)) == (2048, 1024, "messages_changed")


def test_parallel_cold_requests_all_miss() -> None:
    """What is written is readable when the first answer to one that writes it begins."""
    of = sent()
    body = chat(GPT, said("user", 2048))
    of.send(body, 0.0, readable_s=5.0)
    assert plain(of.send(body, 1.0, readable_s=4.0)) == (0, 2048, "not_yet_readable")
    found = of.send(body, 4.0, readable_s=9.0)
    assert (plain(found), found.read_from) == ((2048, 0, None), 0)
    assert plain(of.send(body, 4.5))[0] == 2048


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"tools": [{"type": "function", "function": {"name": "B"}}]}, "tools_changed"),
        ({"reasoning_effort": "high"}, "reasoning_effort_changed"),
        ({"prompt_cache_key": "k"}, "prompt_cache_key_changed"),
        ({"model": "gpt-5"}, "model_changed"),
        ({"temperature": 0.5}, None),
    ],
)
def test_a_setting_that_the_prefix_depends_on_breaks_all(change: Json, why: str | None) -> None:
    """In the words that OpenAI has for later models."""
    of = sent()
    of.send(chat(GPT, said("user", 2048)))
    found = of.send({**chat(GPT, said("user", 2048)), **change})
    assert (found.read_tokens, found.why) == (0 if why else 2048, why)


def test_a_recorded_input_is_what_the_next_request_reads() -> None:
    """1,400 tokens by the provider's count: ten steps are read, whatever a tokenizer counts."""
    of = sent()
    of.send(chat(GPT, said("user", 1100)), usage=measured(read=0, write=0, fresh=1400))
    found = of.send(chat(GPT, said("user", 1100), said("assistant", 100, "a"), said("user", 100)))
    assert (found.read_tokens, found.read_from, found.is_recorded, found.why) == (1280, 0, True, None)


def test_a_recorded_request_is_read_behind_a_longer_one() -> None:
    """After one that went on to 2,000 tokens the first is sent again: 1,280 of its 1,400 recorded ones, 76 counted."""
    of = sent()
    of.send(chat(GPT, said("user", 1100)), usage=measured(read=0, write=0, fresh=1400))
    of.send(chat(GPT, said("user", 1100), said("assistant", 400, "a"), said("user", 500)))
    found = of.send(chat(GPT, said("user", 1100)))
    assert (plain(found), found.read_from, found.is_recorded) == ((1280, 76, "messages_changed"), 0, True)


def test_a_recorded_input_below_the_minimum_leaves_all_fresh() -> None:
    """1,000 tokens by the provider's count are not cached, though 1,100 are counted."""
    of = sent()
    of.send(chat(GPT, said("user", 1100)), usage=measured(read=0, write=0, fresh=1000))
    found = of.send(chat(GPT, said("user", 1100), said("assistant", 100, "a"), said("user", 100)))
    assert (found.read_tokens, found.fresh_tokens, found.read_from, found.is_recorded) == (0, 1300, None, False)


def test_a_model_of_another_kind_went_before() -> None:
    """What GPT-5.6 was sent, which holds entries, is not read."""
    of = sent()
    of.send(chat("gpt-5.6-sol", said("user", 2048)))
    assert plain(of.send(chat(GPT, said("user", 2048)))) == (0, 2048, "model_changed")


def test_what_is_still_read_before_an_edit() -> None:
    """Up to the message before it, in whole steps."""
    of = sent()
    body = chat(GPT, DEV, said("user", 600, "a"), said("assistant", 600, "b"), said("user", 600, "c"))
    of.send(body)
    assert [read_if_edited(of, body, i) for i in (0, 1, 2, 3, 4)] == [0, 0, 1536, 2176, 2688]


def test_a_branch_keeps_its_own() -> None:
    """It finds what its parent sent before and later; the parent does not find the branch's, texts in parts neither."""
    parent = sent()
    parent.send(chat(GPT, DEV, headed("user", 500, 1000, "one")))
    child = Sent(parent.simulator.branch())
    assert plain(child.send(chat(GPT, DEV, headed("user", 900, 1500, "two"))))[0] == 1408
    assert plain(parent.send(chat(GPT, DEV, headed("user", 900, 1600, "three"))))[0] == 1408
    assert plain(child.send(chat(GPT, DEV, headed("user", 900, 1600, "three"))))[0] == 2560


def test_a_branch_finds_the_first_request_of_a_model_that_its_parent_sends_later() -> None:
    """Also through a branch of the branch; and what a branch is sent is its own."""
    parent = sent()
    child = Sent(parent.simulator.branch())
    grandchild = Sent(child.simulator.branch())
    body = chat(GPT, said("user", 2048))
    parent.send(body)
    assert plain(grandchild.send(body)) == (2048, 0, None)
    other = chat("gpt-4o", said("user", 2048))
    child.send(other)
    assert plain(parent.send(other))[0] == 0


def test_stored_history_is_refused() -> None:
    """What the provider has and the file has not cannot be simulated."""
    found = sent().refused({"model": GPT, "input": [said("user", 2000)], "previous_response_id": "r"})
    assert (found.reason, found.detail) == (
        "history_not_recorded",
        "`previous_response_id` stands for messages that are not here",
    )
