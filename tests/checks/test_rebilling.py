"""What a break re-bills."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.checks.base import Finding
from cgcli.pricing.file import parse_rates
from cgcli.tokens import counter
from tests.checks.gated import Json, body, failures, fixture, lines, result, said, turn, user
from tests.forking import bodies, pair, usage

if TYPE_CHECKING:
    from cgcli.checks.base import Cost

GO = user("Go.")
CHAT: Json = {"model": "gpt-4.1", "max_tokens": None, "system": None}


def spec(name: str) -> Json:
    """A tool in Chat's shape."""
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}


def cost(before: Json, after: Json) -> Cost:
    """What the second request re-bills."""
    (finding,) = failures(result(lines([before, after]), "append"))
    assert finding.cost is not None
    return finding.cost


def counted(*items: Any) -> int:
    """The tokens of items as they are written, one by one."""
    count = counter("o200k_base").count
    return sum(count(json.dumps(item, separators=(",", ":"))) for item in items)


ONE, TWO, THREE = spec("one"), spec("two"), spec("three")
YES, MORE, DONE, BYE = said("Yes."), user("More."), said("Done."), user("Bye.")


@pytest.mark.parametrize(
    ("before", "after", "rebilled"),
    [
        # The edited message, and what stood behind it; not what is new at the end.
        ((GO, YES, MORE), (GO, YES, user("Less."), DONE, BYE), (user("Less."),)),
        ((GO, YES, MORE, DONE), (GO, said("No."), MORE, DONE, BYE), (said("No."), MORE, DONE)),
        ((GO, YES, MORE, DONE), (GO, MORE, DONE, BYE), (MORE, DONE)),
    ],
    ids=["last", "middle", "removed"],
)
def test_messages(before: tuple[Json, ...], after: tuple[Json, ...], rebilled: tuple[Json, ...]) -> None:
    """From the break to the last message that was sent before."""
    found = cost(body(*before, tools=[ONE], **CHAT), body(*after, tools=[ONE], **CHAT))
    assert (found.tokens, found.basis) == (counted(*rebilled), "counted: o200k_base")


@pytest.mark.parametrize(
    ("fields", "rebilled"),
    [
        ({"tools": [ONE, THREE]}, (THREE, GO, YES)),
        ({"tools": [THREE, TWO]}, (THREE, TWO, GO, YES)),
        ({"model": "gpt-4o"}, (ONE, TWO, GO, YES)),
        ({"reasoning_effort": "low"}, (ONE, TWO, GO, YES)),
    ],
    ids=["a tool", "the first tool", "the model", "a parameter"],
)
def test_what_stands_before_the_messages(fields: Json, rebilled: tuple[Json, ...]) -> None:
    """A change before the messages re-bills all that stands behind it, tools that did not change too."""
    head = {**CHAT, "tools": [ONE, TWO]}
    found = cost(body(GO, YES, **head), body(GO, YES, MORE, **{**head, **fields}))
    assert found.tokens == counted(*rebilled)


def test_another_tokenizer_is_estimated() -> None:
    """Claude's tokens are the count times its factor, and said to be estimated."""
    messages = (GO, *turn(1, "one"))
    edited = turn(1, "two")[1]
    found = cost(body(*messages), body(GO, messages[1], edited, *turn(2)))
    assert (found.tokens, found.basis) == (round(counted(edited) * 1.24), "estimated: o200k_base x 1.24")


OPENAI: Json = {**CHAT, "tools": [ONE]}


def marked(words: str, ttl: str | None) -> Json:
    """A user's message with a mark."""
    mark = {"type": "ephemeral"} if ttl is None else {"type": "ephemeral", "ttl": ttl}
    return {"role": "user", "content": [{"type": "text", "text": words, "cache_control": mark}]}


def parted(words: str, ttl: str) -> Json:
    """The same for OpenAI."""
    part = {"type": "text", "text": words, "prompt_cache_breakpoint": {"mode": "explicit", "ttl": ttl}}
    return {"role": "user", "content": [part]}


def each_usd(found: Cost, price: str) -> Decimal:
    """*found*'s tokens at *price* per million."""
    return Decimal(found.tokens) * Decimal(price) / 1_000_000


@pytest.mark.parametrize(
    ("fields", "end", "price"),
    [
        # Without a mark, with one that asks for nothing, for 5 minutes, for an hour; of another section; automatic.
        ({}, MORE, "3.45"),
        ({}, marked("More.", None), "3.45"),
        ({}, marked("More.", "5m"), "3.45"),
        ({}, marked("More.", "1h"), "5.70"),
        ({"cache_control": {"type": "ephemeral", "ttl": "1h"}}, MORE, "5.70"),
        ({"cache_control": {"type": "ephemeral"}}, marked("More.", "1h"), "5.70"),
        ({"cache_control": {"type": "ephemeral", "ttl": "3d"}}, MORE, "3.45"),
        ({"model": "claude-fable-5-1"}, MORE, "12.25"),
        ({"model": "claude-opus-5-5"}, MORE, "4.8"),
        ({"model": "us.anthropic.claude-opus-5"}, MORE, "6.325"),
        # Written as fresh; for half an hour; for twelve.
        (OPENAI, MORE, "1.5"),
        ({**OPENAI, "model": "gpt-6.1-sol"}, MORE, "2.4"),
        ({**OPENAI, "model": "gpt-6.1-sol"}, parted("More.", "12h"), "4.9"),
        ({**OPENAI, "model": "gpt-6.1-sol", "prompt_cache_options": {"ttl": "12h"}}, MORE, "4.9"),
        # A Claude behind OpenAI's interface.
        ({**OPENAI, "model": "anthropic/claude-sonnet-4-5"}, MORE, "3.45"),
    ],
)
def test_a_break_costs_the_writes_less_the_reads(fields: Json, end: Json, price: str) -> None:
    """For the lifetime that the marks ask for: `end` stands behind what is re-billed, and is part of its entry."""
    found = cost(body(GO, YES, DONE, **fields), body(GO, said("No."), DONE, end, **fields))
    assert found.usd == each_usd(found, price)


def test_each_token_is_written_for_its_own_lifetime() -> None:
    """An hour up to the last mark that asks for it, five minutes behind it; a mark before the break says nothing."""
    before = body(marked("Go.", "1h"), said("One."), marked("Two.", "1h"), said("Three."), marked("Four.", None))
    after = body(marked("Go.", "1h"), said("Uno."), marked("Two.", "1h"), said("Three."), marked("Four.", None))
    for_an_hour, for_minutes = (
        round(counted(*items) * 1.24)
        for items in ((said("Uno."), marked("Two.", "1h")), (said("Three."), marked("Four.", None)))
    )
    found = cost(before, after)
    assert found.tokens == for_an_hour + for_minutes
    assert found.usd == (for_an_hour * Decimal("5.70") + for_minutes * Decimal("3.45")) / 1_000_000


def test_a_mark_before_the_break_says_nothing() -> None:
    """Its entry is still held."""
    found = cost(body(marked("Go.", "1h"), YES, MORE), body(marked("Go.", "1h"), YES, user("Less."), DONE, BYE))
    assert found.usd == each_usd(found, "3.45")


@pytest.mark.parametrize(("n_words", "price"), [(1_000, "0.115"), (100_000, "0.575")])
def test_a_long_request_has_the_prices_of_its_tier(n_words: int, price: str) -> None:
    """Above 100,000 tokens each token of Haiku 5.5 costs five times as much, those of a small break too."""
    long = user("word " * n_words)
    fields = {"model": "claude-haiku-5-5"}
    found = cost(body(long, YES, MORE, **fields), body(long, YES, user("Less."), DONE, BYE, **fields))
    assert found.tokens < 100
    assert found.usd == each_usd(found, price)


def test_a_recorded_input_decides_the_tier() -> None:
    """What the provider counted comes before what is counted here."""
    records = [
        pair(body(GO, YES, end, model="claude-haiku-5-5"), used=usage(read=99_999, fresh=2)) for end in (MORE, DONE)
    ]
    (finding,) = failures(result(bodies(*records), "append"))
    assert finding.cost is not None
    assert finding.usd == each_usd(finding.cost, "0.575")


def test_a_model_without_a_price_has_no_dollars() -> None:
    """Its tokens are counted all the same; a finding that re-bills nothing has no dollars either."""
    found = cost(body(GO, YES, MORE, model="claude-fable-5-2"), body(GO, YES, DONE, model="claude-fable-5-2"))
    assert found.tokens > 0
    assert found.usd is None
    assert Finding(message="", line=1, i_exchange=0).usd is None


def test_a_file_of_rates_comes_first() -> None:
    """$9 to write and $2 to read."""
    rates = parse_rates(b'{"claude-sonnet-4-5": {"fresh": 3, "read": 2, "write": 9, "output": 15}}', file="rates.json")
    sent = lines([body(GO, YES, MORE), body(GO, YES, DONE)])
    (finding,) = failures(result(sent, "append", options={"rates": rates}))
    assert finding.cost is not None
    assert finding.usd == each_usd(finding.cost, "7")


@pytest.mark.parametrize(("name", "loads"), [("passing", False), ("failing", True)])
def test_no_vocabulary_is_loaded_unless_a_break_is_priced(name: str, *, loads: bool) -> None:
    """A capture that holds is checked without a tokenizer."""
    program = (
        "import sys\n"
        "from cgcli.checks.registry import GATES\n"
        "from cgcli.checks.run import Allowed, check\n"
        "from cgcli.readers import open_bytes, read\n"
        "with open_bytes(sys.argv[1]) as stream:\n"
        "    check(read(stream, file='made'), GATES, Allowed(), {})\n"
        "print('splintr' in sys.modules or 'tiktoken' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program, str(fixture("G-APPEND", name))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{loads}\n"
