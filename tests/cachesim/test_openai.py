"""GPT-5.6 and later: what OpenAI's guide says is reused, and what is not, with every number written out."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.cachesim.simulator import CacheOptions, Simulator
from cgcli.providers.cache_rules import OPENAI_LOOKUP_SDK
from tests.cachesim.caching import SOL, Json, Sent, Words, told, words

POINT: Json = {"prompt_cache_breakpoint": {"mode": "explicit"}}
EXPLICIT: Json = {"prompt_cache_options": {"mode": "explicit"}}
ALL_NEW = "first_request"


def said(role: str, n: int, word: str = "w", /, **more: Any) -> Json:
    """A Chat message of *n* tokens, its three included; *more* goes to its text part."""
    return {"role": role, "content": [{"type": "text", "text": words(n - 3, word), **more}]}


def body(*messages: Json, **fields: Any) -> Json:
    """A Chat body."""
    return {"model": SOL, "messages": list(messages), **fields}


def turns(n: int, **fields: Any) -> Json:
    """A developer message of 2,000 tokens, then n user messages of 100 with n - 1 answers of 100 between them."""
    roles = ["user" if i % 2 == 0 else "assistant" for i in range(2 * n - 1)]
    return body(DEV, *(said(role, 100, f"m{i}") for i, role in enumerate(roles)), **fields)


DEV = said("developer", 2000, "d")


def test_each_turn_reads_the_end_of_the_one_before() -> None:
    """Implicitly, without any option: one entry at the end of the last user message."""
    sent = Sent()
    assert told(sent.send(turns(1))) == (0, {1800: 2100}, 0, ALL_NEW)
    assert told(sent.send(turns(2))) == (2100, {1800: 200}, 0, None)
    assert told(sent.send(turns(3))) == (2300, {1800: 200}, 0, None)


def test_a_shared_prefix_behind_a_varying_last_message_is_not_reused() -> None:
    """Nothing is written at the end of the shared part, although it is looked at there; an explicit breakpoint is."""
    sent = Sent()
    sent.send(body(DEV, said("user", 100, "one")))
    assert told(sent.send(body(DEV, said("user", 100, "two")))) == (0, {1800: 2100}, 0, "messages_changed")
    marked = said("developer", 2000, "d", **POINT)
    sent = Sent()
    assert told(sent.send(body(marked, said("user", 100, "one")))) == (0, {1800: 2100}, 0, ALL_NEW)
    found = sent.send(body(marked, said("user", 100, "two")))
    assert told(found) == (2000, {1800: 100}, 0, "messages_changed")


def test_a_shared_part_of_one_message_is_reused_with_a_breakpoint_behind_it() -> None:
    """The boundary stands inside the message and is not rounded: 1,503 tokens."""
    shared = {"type": "text", "text": words(1500, "s"), **POINT}
    sent = Sent()
    for word, expected in (("one", (0, {1800: 1553}, 0, ALL_NEW)), ("two", (1503, {1800: 50}, 0, None))):
        content = [shared, {"type": "text", "text": words(50, word)}]
        assert told(sent.send(body({"role": "user", "content": content}))) == expected


def test_explicit_mode_does_not_see_an_implicit_entry() -> None:
    """Unless a breakpoint stands at that point."""
    first = body(DEV, said("user", 100))
    there = body(DEV, said("user", 100, **POINT), said("assistant", 100, "a"), said("user", 100, "b"), **EXPLICIT)
    elsewhere = body(DEV, said("user", 100), said("assistant", 100, "a"), said("user", 100, "b", **POINT), **EXPLICIT)
    for second, expected in (
        (there, (2100, {}, 200, None)),
        (elsewhere, (0, {1800: 2300}, 0, "out_of_lookback")),
    ):
        sent = Sent()
        sent.send(first)
        assert told(sent.send(second)) == expected


def test_explicit_mode_without_a_breakpoint_caches_nothing() -> None:
    """Neither write nor read, whatever is held."""
    sent = Sent()
    sent.send(turns(1))
    assert told(sent.send(turns(1, **EXPLICIT))) == (0, {}, 2100, "no_breakpoint")
    assert told(sent.send(turns(2, **EXPLICIT))) == (0, {}, 2300, "no_breakpoint")


def test_a_message_that_is_extended_in_place_loses_its_old_end() -> None:
    """What was the end of a message is no boundary any more."""
    sent = Sent()
    sent.send(body(DEV, said("user", 100)))
    longer = said("user", 100)
    longer["content"].append({"type": "text", "text": words(50, "more")})
    assert told(sent.send(body(DEV, longer))) == (0, {1800: 2150}, 0, "out_of_lookback")


def test_a_later_developer_message_is_no_boundary() -> None:
    """The entry stands at the last user message before it; the initial developer run ends with the first user."""
    sent = Sent()
    late = said("developer", 100, "late")
    assert told(sent.send(body(DEV, said("user", 100), late))) == (0, {1800: 2100}, 100, ALL_NEW)
    found = sent.send(body(DEV, said("user", 100), late, said("user", 100, "b")))
    assert told(found) == (2100, {1800: 200}, 0, None)


def test_the_end_of_the_initial_developer_run_is_written_where_nothing_follows() -> None:
    """And it is looked at however many messages stand behind it."""
    run = [DEV, said("system", 100, "s")]
    sent = Sent()
    assert told(sent.send(body(*run))) == (0, {1800: 2100}, 0, ALL_NEW)
    many = [said("user", 100, f"u{i}") for i in range(30)]
    assert told(sent.send(body(*run, *many))) == (2100, {1800: 3000}, 0, None)


def test_a_strict_truncation_reads_only_what_was_written_at_its_end() -> None:
    """Turns 1 and 3 were sent: cut in mid-turn 2 an earlier end is found, cut after turn 1 that end."""
    sent = Sent()
    sent.send(turns(3))
    cut = turns(2)
    assert told(sent.send(cut)) == (0, {1800: 2300}, 0, "messages_changed")
    assert told(sent.send(turns(1))) == (0, {1800: 2100}, 0, "messages_changed")
    assert told(sent.send(cut))[:3] == (2300, {}, 0)


def test_a_fork_that_appends_a_user_message_reads_its_parent() -> None:
    """The parent's end is one of the earlier endings."""
    sent = Sent()
    parent = turns(3)
    sent.send(parent)
    found = sent.send(body(*parent["messages"], said("user", 100, "summarise")))
    assert (told(found), found.read_from) == ((2500, {1800: 100}, 0, None), 0)


@pytest.mark.parametrize(("n_more", "read"), [(20, 2100), (21, 0)])
def test_twenty_earlier_endings_are_looked_at(n_more: int, read: int) -> None:
    """20 user messages behind the written one are not too many, 21 are."""
    sent = Sent()
    sent.send(body(DEV, said("user", 100)))
    found = sent.send(body(DEV, said("user", 100), *(said("user", 10, f"u{i}") for i in range(n_more))))
    assert (found.read_tokens, found.why) == (read, None if read else "out_of_lookback")


def output(i: int, n: int) -> Json:
    """A tool's answer of n tokens."""
    return {"role": "tool", "tool_call_id": f"c{i}", "content": words(n - 3, f"o{i}")}


def call(*ids: int) -> Json:
    """Calls of three tokens and one each."""
    made = [{"id": f"c{i}", "type": "function", "function": {"name": "B", "arguments": "{}"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": made}


def test_the_last_of_a_group_of_tool_outputs_is_a_boundary() -> None:
    """Two parallel answers: the end of the second one is written, that of the first one never."""
    sent = Sent()
    opened = [DEV, said("user", 100), call(1, 2)]
    assert told(sent.send(body(*opened, output(1, 100), output(2, 100)))) == (0, {1800: 2305}, 0, ALL_NEW)
    assert told(sent.send(body(*opened, output(1, 100)))) == (0, {1800: 2205}, 0, "messages_changed")
    grown = body(*opened, output(1, 100), output(2, 100), call(3), output(3, 100))
    assert told(sent.send(grown)) == (2305, {1800: 104}, 0, None)


def test_the_id_that_an_output_answers_is_part_of_the_prefix() -> None:
    """The same output under another id is another beginning."""
    opened = [DEV, said("user", 100)]
    sent = Sent()
    assert sent.send(body(*opened, output(1, 100))).written_tokens == 2200
    assert told(sent.send(body(*opened, {**output(1, 100), "tool_call_id": "c2"})))[0] == 0
    assert told(sent.send(body(*opened, output(1, 100))))[0] == 2200


@pytest.mark.parametrize(("size", "expected"), [(1023, (0, {}, 1023, "below_minimum")), (1024, (1024, {}, 0, None))])
def test_the_minimum_is_1024(size: int, expected: tuple[int, dict[int, int], int, str | None]) -> None:
    """Of what the request shows."""
    sent = Sent()
    sent.send(body(said("user", size)))
    assert told(sent.send(body(said("user", size)))) == expected


def _points(n: int, marked: set[int]) -> list[Json]:
    """So many assistant messages of 100 tokens, some with a breakpoint: no eligible ending among them."""
    return [said("assistant", 100, f"a{i}", **(POINT if i in marked else {})) for i in range(n)]


@pytest.mark.parametrize(
    ("fields", "n_written"),
    [({}, 3), (EXPLICIT, 4)],
)
def test_the_latest_breakpoints_are_written(fields: Json, n_written: int) -> None:
    """Six of them: three beside the implicit one, four in explicit mode; the entry of the next one back is missing."""
    for i in range(6):
        sent = Sent()
        sent.send(body(DEV, *_points(6, set(range(6))), said("user", 100), **fields))
        probe = body(DEV, *_points(i + 1, {i}), said("user", 100, "other"), **EXPLICIT)
        expected = 2000 + 100 * (i + 1) if i >= 6 - n_written else 0
        assert sent.send(probe).read_tokens == expected


@pytest.mark.parametrize(
    ("options", "at", "is_read"),
    [
        (CacheOptions(), 0, True),
        (CacheOptions(), 1, True),
        (CacheOptions(), 2, False),
        (CacheOptions(), 9, False),
        (CacheOptions(), 10, True),
        (CacheOptions(openai_lookup=OPENAI_LOOKUP_SDK), 2, True),
    ],
)
def test_the_first_two_and_the_latest_fifty_are_looked_at(options: CacheOptions, at: int, is_read: bool) -> None:  # noqa: FBT001 - a column of the table
    """Of 60 breakpoints; or the latest eighty, as the SDK says."""
    sent = Sent(Simulator(Words, options=options))
    assert sent.send(body(DEV, *_points(at + 1, {at}), **EXPLICIT)).written_tokens == 2000 + 100 * (at + 1)
    found = sent.send(body(DEV, *_points(60, set(range(60))), **EXPLICIT))
    assert found.read_tokens == (2000 + 100 * (at + 1) if is_read else 0)


@pytest.mark.parametrize(
    ("options", "life_s"),
    [({}, 1800), ({"prompt_cache_options": {"ttl": "12h"}}, 43200), ({"prompt_cache_options": {"ttl": "30m"}}, 1800)],
)
def test_time_runs_from_the_last_use(options: Json, life_s: int) -> None:
    """30 minutes, or the 12 hours that are asked for; a reuse begins them anew."""
    sent = Sent()
    assert told(sent.send(turns(1, **options), 0.0)) == (0, {life_s: 2100}, 0, ALL_NEW)
    assert told(sent.send(turns(2, **options), life_s)) == (2100, {life_s: 200}, 0, None)
    assert told(sent.send(turns(3, **options), 2 * life_s + 1)) == (0, {life_s: 2500}, 0, "expired")


def test_a_breakpoint_may_have_a_life_of_its_own() -> None:
    """12 hours up to it, 30 minutes for the rest; where the implicit entry stands too, the longer life counts."""
    long, short = ({"prompt_cache_breakpoint": {"mode": "explicit", "ttl": ttl}} for ttl in ("12h", "30m"))
    found = Sent().send(body(said("developer", 2000, "d", **long), said("user", 100)))
    assert told(found) == (0, {43200: 2000, 1800: 100}, 0, ALL_NEW)
    found = Sent().send(body(DEV, said("user", 100, **long)))
    assert told(found) == (0, {43200: 2100}, 0, ALL_NEW)
    found = Sent().send(body(DEV, said("user", 100, **short), prompt_cache_options={"ttl": "12h"}))
    assert told(found) == (0, {43200: 2100}, 0, ALL_NEW)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"reasoning_effort": "high"}, "reasoning_effort_changed"),
        ({"verbosity": "low"}, "verbosity_changed"),
        ({"response_format": {"type": "json_object"}}, "text_format_changed"),
        ({"prompt_cache_key": "k"}, "prompt_cache_key_changed"),
        ({"service_tier": "flex"}, "service_tier_changed"),
        ({"parallel_tool_calls": False}, "params_changed"),
        ({"tools": [{"type": "function", "function": {"name": "B"}}]}, "tools_changed"),
        ({"model": "gpt-6"}, "model_changed"),
        ({"tool_choice": "none", "temperature": 0.5}, None),
    ],
)
def test_a_setting_that_the_prefix_depends_on_breaks_all(change: Json, why: str | None) -> None:
    """Each in the words of the provider; `tool_choice` does not."""
    sent = Sent()
    sent.send(turns(1))
    found = sent.send(turns(2, **change))
    assert (found.read_tokens, found.why) == (0 if why else 2100, why)


def responses(*items: Json | str, **fields: Any) -> Json:
    """A Responses body with instructions of 1,500 tokens."""
    return {"model": SOL, "instructions": words(1500, "i"), "input": list(items), **fields}


def asked(n: int, word: str, **more: Any) -> Json:
    """A user item of n tokens."""
    content = [{"type": "input_text", "text": words(n - 3, word), **more}]
    return {"type": "message", "role": "user", "content": content}


def test_responses_work_alike() -> None:
    """The instructions are no boundary by themselves; outputs and user messages are; a call's end is none."""
    called = {"type": "function_call", "call_id": "c", "name": "B", "arguments": "{}"}
    answered = {"type": "function_call_output", "call_id": "c", "output": words(97, "o")}
    sent = Sent()
    assert told(sent.send(responses(asked(100, "a")))) == (0, {1800: 1600}, 0, ALL_NEW)
    assert told(sent.send(responses(asked(100, "b")))) == (0, {1800: 1600}, 0, ALL_NEW)
    assert told(sent.send(responses(asked(100, "a"), called, answered))) == (1600, {1800: 104}, 0, None)
    assert told(sent.send(responses(asked(100, "a"), called))) == (1600, {}, 4, "messages_changed")


def test_a_breakpoint_on_a_tool_output_of_responses() -> None:
    """It stands on a part of the output; that is the item's end."""
    called = {"type": "function_call", "call_id": "c", "name": "B", "arguments": "{}"}
    parts = [{"type": "input_text", "text": words(97, "o"), **POINT}]
    answered = {"type": "function_call_output", "call_id": "c", "output": parts}
    sent = Sent()
    sent.send(responses(asked(100, "a"), called, answered, **EXPLICIT))
    found = sent.send(responses(asked(100, "a"), called, answered, asked(100, "b"), **EXPLICIT))
    assert told(found) == (1704, {}, 100, None)


@pytest.mark.parametrize(
    ("made", "reason", "detail"),
    [
        (
            responses(asked(2000, "a"), previous_response_id="resp_1"),
            "history_not_recorded",
            "`previous_response_id` stands for messages that are not here",
        ),
        (
            turns(1, prompt_cache_options={"mode": "sometimes"}),
            "bad_breakpoints",
            "no prompt cache has the mode 'sometimes'",
        ),
        (
            turns(1, prompt_cache_options={"ttl": "1h"}),
            "bad_breakpoints",
            "no prompt cache has a life of '1h': 30m and 12h exist",
        ),
    ],
)
def test_what_cannot_be_simulated_is_refused(made: Json, reason: str, detail: str) -> None:
    """With the reason in a line."""
    found = Sent().refused(made)
    assert (found.reason, found.detail) == (reason, detail)


def test_claudes_marks_are_none_here() -> None:
    """`cache_control` on a Chat message of GPT: not a breakpoint."""
    marked = said("developer", 2000, "d", cache_control={"type": "ephemeral"})
    sent = Sent()
    sent.send(body(marked, said("user", 100, "one")))
    assert sent.send(body(marked, said("user", 100, "two"))).read_tokens == 0
