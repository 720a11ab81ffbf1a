"""The simulator across families: recorded usage, branches, edits, reasons, and what it does not simulate."""

from __future__ import annotations

import json
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from cgcli.cachesim.simulator import CacheOptions, Simulator
from cgcli.cachesim.why import Why
from cgcli.errors import InputError, UsageError
from cgcli.model import Basis, Refusal, Usage
from cgcli.providers.cache_rules import Family
from cgcli.readers import open_bytes, read
from cgcli.tokens.counter import counter
from cgcli.tokens.ruler import Ruler
from tests.cachesim.caching import (
    BOUNDLESS,
    SOL,
    SONNET,
    Json,
    Sent,
    Words,
    lane,
    mark,
    measured,
    message,
    request,
    simulator,
    text,
    told,
)
from tests.captures import capture
from tests.docs.pages import DOCS, rows, sections
from tests.running import CORPUS, CORPUS_CAPTURES, FIXTURES, NO_CORPUS

if TYPE_CHECKING:
    from cgcli.model import Request

PAGE = DOCS / "explanation" / "cache-simulator.md"


def test_a_recorded_usage_is_what_the_next_request_reads() -> None:
    """4,321 read and 1,000 written by the provider's count: the next request reads 5,321, whatever a tokenizer says."""
    sent = Sent()
    assert told(sent.send(lane(10, {8: None, 10: None}), usage=measured(read=4321, write=1000)))[1] == {300: 2000}
    found = sent.send(lane(12, {12: None}))
    assert (told(found), found.read_from, found.is_recorded) == ((5321, {300: 400}, 0, None), 0, True)
    other = lane(9, {9: None})
    other["messages"][8]["content"][0]["text"] = "changed"
    found = sent.send(other)
    assert (found.read_tokens, found.read_from, found.is_recorded) == (1600, 0, False)


def test_what_was_written_is_not_below_the_minimum() -> None:
    """A prompt of 1,000 counted tokens that the provider wrote as 1,100: it is read; without usage it is too small."""
    for usage, expected in ((measured(read=0, write=1100), 1100), (None, 0)):
        sent = Sent()
        assert told(sent.send(lane(5, {5: None}), usage=usage)) == (0, {}, 1000, "below_minimum")
        assert sent.send(lane(6, {5: None})).read_tokens == expected


def test_the_first_recorded_writer_is_named() -> None:
    """The third request marks the same place and has usage: from then on its numbers stand for the entry."""
    sent = Sent()
    sent.send(lane(10, {10: None}))
    found = sent.send(lane(10, {10: None}))
    assert (found.read_from, found.is_recorded) == (0, False)
    sent.send(lane(10, {10: None}), usage=measured(read=1900, write=0))
    sent.send(lane(10, {10: None}), usage=measured(read=1901, write=0))
    found = sent.send(lane(11, {11: None}))
    assert (found.read_tokens, found.read_from, found.is_recorded) == (1900, 2, True)


def test_a_lapsed_entry_is_forgotten_with_its_record() -> None:
    """Who wrote it anew is named, and what that one's usage says counts."""
    sent = Sent()
    sent.send(lane(10, {10: None}), 0.0, usage=measured(read=0, write=1900))
    sent.send(lane(10, {10: None}), 301.0)
    found = sent.send(lane(11, {11: None}), 302.0)
    assert (found.read_tokens, found.read_from, found.is_recorded) == (2000, 1, False)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (measured(read=0, write=0, fresh=2000), (0, {300: 2200}, 0, "nothing_written")),
        (measured(read=0, write=0, fresh=0), (2000, {300: 200}, 0, None)),
        (Usage(fresh=2000, read=None, write_by_ttl_s=None, output=1), (2000, {300: 200}, 0, None)),
        (Usage(fresh=1, read=7, write_by_ttl_s={}, output=1, basis=Basis.SIMULATED), (2000, {300: 200}, 0, None)),
        (
            Usage(fresh=1, read=7, write_by_ttl_s={}, output=1, iterations=(measured(read=7, write=0),)),
            (2000, {300: 200}, 0, None),
        ),
        (measured(read=7, write=0), (7, {300: 200}, 0, None)),
    ],
)
def test_only_what_is_measured_counts(usage: Usage, expected: tuple[int, dict[int, int], int, str | None]) -> None:
    """Neither read nor written: no entry. No tokens at all, no counts, not measured, or several calls: not recorded."""
    sent = Sent()
    sent.send(lane(10, {10: None}), usage=usage)
    assert told(sent.send(lane(11, {11: None}))) == expected


def test_a_branch_finds_what_its_parent_holds_and_keeps_its_own() -> None:
    """What the branch writes, and the time that it begins anew, the parent does not see; branches of branches, too."""
    parent = Sent()
    parent.send(lane(10, {10: None}), 0.0)
    child = Sent(parent.simulator.branch())
    assert child.send(lane(12, {12: None}), 200.0).read_tokens == 2000
    grandchild = Sent(child.simulator.branch())
    assert grandchild.send(lane(14, {14: None}), 400.0).read_tokens == 2400
    assert child.send(lane(10, {10: None}), 400.0).read_tokens == 2000
    assert told(parent.send(lane(14, {14: None}), 400.0)) == (0, {300: 2800}, 0, "expired")


def _read_if_edited(simulator: Simulator, made: Request, from_message: int) -> int:
    edited = simulator.edited(made, sent_s=None)
    assert not isinstance(edited, Refusal)
    return edited.from_message(from_message).read_tokens


@pytest.mark.parametrize(
    ("marks", "from_message", "expected"),
    [
        ({6: None, 15: None}, 15, 3000),
        ({6: None, 15: None}, 14, 1200),
        ({6: None, 15: None}, 10, 1200),
        ({6: None, 15: None}, 6, 1200),
        ({6: None, 15: None}, 5, 0),
        ({6: None, 15: None}, 0, 0),
        ({15: None}, 6, 1200),
        ({}, 6, 0),
    ],
)
def test_what_is_still_read_before_an_edit(marks: dict[int, str | None], from_message: int, expected: int) -> None:
    """Entries stand at 6 and 15; an edit in message 14 (from 0) leaves the first, one in message 5 none."""
    sent = Sent()
    sent.send(lane(15, {6: None, 15: None}))
    made = request(lane(15, marks))
    assert _read_if_edited(sent.simulator, made, from_message) == expected


@pytest.mark.parametrize(
    ("marks", "expected"),
    [({26: None}, 0), ({25: None}, 1200), ({6: None, 26: None}, 1200), ({7: None, 26: None}, 1200)],
)
def test_look_back_ends_before_a_far_entry_too(marks: dict[int, str | None], expected: int) -> None:
    """The entry at 6 is 20 positions before 26: an edit in between leaves nothing; with a mark in reach, all of it."""
    sent = Sent()
    sent.send(lane(6, {6: None}))
    made = request(lane(26, marks))
    assert _read_if_edited(sent.simulator, made, 7) == expected


def test_recorded_tokens_are_what_is_still_read() -> None:
    """Without a tokenizer in between."""
    sent = Sent()
    sent.send(lane(6, {6: None}), usage=measured(read=0, write=1234))
    assert _read_if_edited(sent.simulator, request(lane(9, {9: None})), 7) == 1234


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"model": "gpt-4-turbo", "messages": [{"role": "user", "content": "w"}]}, "gpt-4-turbo (openai-chat)"),
        ({"model": "grok-4.7", "input": "w"}, "grok-4.7 (openai-responses)"),
        ({"messages": [{"role": "tool", "content": "w"}]}, "a request without a model (openai-chat)"),
        ({"model": "glm-5", "system": "s", "messages": [message("user", text(9))]}, "glm-5 (anthropic)"),
        ({"model": SONNET, "messages": [{"role": "tool", "content": "w"}]}, f"{SONNET} (openai-chat)"),
    ],
)
def test_other_models_are_refused(body: Json, name: str) -> None:
    """Models without a cache that is known, others behind Anthropic's shape, Claude behind OpenAI's."""
    found = Sent().refused(body)
    assert (found.reason, found.is_decline) == ("no_cache_model", False)
    known = "anthropic, bedrock, openai, openai-earlier, gemini, deepseek, vllm, sglang"
    assert found.detail == f"the cache of {name} is not simulated: those of {known} are"
    assert simulator().edited(request(body), sent_s=None) == found


def test_a_claude_body_without_a_model_is_simulated() -> None:
    """As Bedrock and Google Cloud have it; no minimum is known then."""
    body = {"anthropic_version": "x", "max_tokens": 9, "messages": [message("user", text(7, **mark()))]}
    sent = Sent()
    sent.send(body)
    assert told(sent.send(body)) == (10, {}, 0, None)


def test_one_request_of_each_family_share_no_entry() -> None:
    """One simulator holds the caches of all models."""
    chat = {"model": SOL, "messages": [{"role": "user", "content": " ".join(["w"] * 1997)}]}
    claude = {"model": SONNET, "max_tokens": 9, "messages": [message("user", text(1997, **mark()))]}
    sent = Sent()
    assert [sent.send(body).read_tokens for body in (chat, claude, chat, claude)] == [0, 0, 2000, 2000]


def test_a_request_without_messages_is_simulated() -> None:
    """Only a marked system prompt."""
    body = {"model": SONNET, "max_tokens": 9, "system": [text(1500, **mark())], "messages": []}
    sent = Sent()
    assert [told(sent.send(body))[0] for _ in range(2)] == [0, 1500]


def test_sent_twice_is_nothing_lost() -> None:
    """The same request again, and again behind a question on the side."""
    sent = Sent()
    sent.send(lane(10, {10: None}))
    assert told(sent.send(lane(10, {10: None}))) == (2000, {}, 0, None)
    aside = lane(10, {10: None})
    aside["messages"].append(message("user", text(97, "aside")))
    assert told(sent.send(aside)) == told(sent.send(aside)) == (2000, {}, 100, None)
    assert told(sent.send(lane(10, {10: None}))) == (2000, {}, 0, None)


def test_tokens_are_those_of_the_models_ruler() -> None:
    """o200k_base times 1.6 for a new Claude, rounded at each place; the parts add up to the whole."""
    data = capture(turns=8, moving_marks=True, parallel=2).replace(b"claude-sonnet-4-5-20250929", BOUNDLESS.encode())
    cache = Simulator(Ruler)
    count = counter("o200k_base").count
    for number, (entry, line) in enumerate(zip(read(BytesIO(data), file="made"), data.splitlines(), strict=True)):
        assert entry.exchange is not None
        found = cache.send(entry.exchange.request, number=number, sent_s=None)
        assert not isinstance(found, Refusal)
        body = json.loads(line)
        counted = sum(map(count, _texts(body))) + 3 * len(body["messages"])
        assert found.input_tokens == round(counted * 1.6)
        assert found.fresh_tokens == 0
        assert found.read_from == (number - 1 if number else None)


def _texts(body: Json) -> list[str]:
    """All that is counted: texts as they read, calls and tools as plain JSON without marks."""
    found = [json.dumps(spec, ensure_ascii=False, separators=(",", ":")) for spec in body["tools"]]
    found += [block["text"] for block in body["system"]]
    for block in (block for one in body["messages"] for block in one["content"]):
        kept = {key: told for key, told in block.items() if key != "cache_control"}
        plain = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
        found.append({"text": block.get("text"), "tool_result": block.get("content")}.get(block["type"]) or plain)
        if block["type"] == "tool_result" and not block["content"]:
            found.pop()
    return found


@pytest.mark.parametrize("file", ["cold.jsonl", "odd.jsonl"])
def test_recorded_reads_are_foreseen(file: str) -> None:
    """Where an entry's writer has usage, the file's own numbers are what is foreseen, request by request."""
    path = FIXTURES / "claude-trace" / file
    cache, n_foreseen = Simulator(Ruler), 0
    with open_bytes(str(path)) as stream:
        for number, entry in enumerate(read(stream, file=str(path))):
            exchange = entry.exchange
            if exchange is None:
                continue
            found = cache.send(exchange.request, number=number, sent_s=exchange.sent_s, usage=exchange.usage)
            assert not isinstance(found, Refusal)
            if exchange.usage is not None and (found.is_recorded or found.read_from is None):
                assert found.read_tokens == exchange.usage.read
                n_foreseen += 1
    assert n_foreseen >= 2


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_every_public_request_has_an_outcome_or_a_reason() -> None:
    """Over the corpus: parts that add up to the input, or a named refusal."""
    n_told, reasons = 0, set()
    for path in CORPUS_CAPTURES:
        if path.parent.name not in ("anthropic-request-body", "context-lens", "vcr-py-cassette", "openai-batch"):
            continue
        cache = Simulator(Ruler)
        with suppress(InputError), open_bytes(str(path)) as stream:
            for number, entry in enumerate(read(stream, file=str(path))):
                if entry.exchange is None:
                    continue
                made = entry.exchange.request
                found = cache.send(made, number=number, sent_s=None)
                if isinstance(found, Refusal):
                    reasons.add(found.reason)
                    continue
                ruler = Ruler(made.model)
                assert found.input_tokens == ruler.tokens(ruler.measure(made).total)
                n_told += 1
    assert n_told > 5
    assert reasons == {"no_cache_model", "bad_breakpoints"}


def test_every_reason_is_documented() -> None:
    """The page has a table of the words, all of them and no other."""
    table = rows(sections(PAGE.read_text(encoding="utf-8"))["Why no more is read"])
    assert {row[0] for row in table} == {why.value for why in Why}


def test_every_provider_is_documented() -> None:
    """The page has a row and a section for each that can be named, in their order."""
    told = sections(PAGE.read_text(encoding="utf-8"))
    assert [row[0] for row in rows(told["Which provider"])] == [one.value for one in Family]


@pytest.mark.parametrize("name", [one.value for one in Family])
def test_any_provider_can_be_named_for_any_body(name: str) -> None:
    """Each tells what a body of 2,000 tokens reads when it is sent again, in three shapes."""
    bodies: list[Json] = [
        lane(10),
        {"model": "gpt-4.1", "messages": [{"role": "user", "content": " ".join(["w"] * 1997)}]},
        {"model": "m", "input": " ".join(["w"] * 1997)},
    ]
    sent = Sent(Simulator(Words, options=CacheOptions(provider=name, minimum_tokens=100)))
    expected = {"openai-earlier": 1920, "vllm": 1984, "sglang": 1999, "gemini": 2000, "deepseek": 2000, "openai": 2000}
    for body in bodies:
        assert sent.send(body).read_tokens == 0
        found = sent.send(body)
        if name in ("anthropic", "bedrock"):
            assert told(found) == (0, {}, 2000, "no_breakpoint")
        elif name == "openai" and body is bodies[0]:
            assert told(found) == (1800, {}, 200, None)  # the end of the last user message
        else:
            assert found.read_tokens == expected[name]


def test_an_unknown_provider_is_an_error() -> None:
    """With the one that was likely meant."""
    with pytest.raises(UsageError) as caught:
        Simulator(Words, options=CacheOptions(provider="antropic"))
    assert caught.value.message == "the cache of 'antropic' cannot be simulated"
    assert caught.value.hint == "did you mean 'anthropic'?"


def test_a_simulator_beside_another_holds_nothing_of_it_and_says_the_same() -> None:
    """They measure each request once, together; what each was sent stays its own."""
    first = simulator()
    second = first.beside()
    turns = [lane(n, {n: None}) for n in (6, 8, 10)]
    told_first = [told(Sent(first).send(body)) for body in turns]
    assert [told(Sent(second).send(body)) for body in turns] == told_first
    assert told_first == [
        (0, {300: 1200}, 0, "first_request"),
        (1200, {300: 400}, 0, None),
        (1600, {300: 400}, 0, None),
    ]
