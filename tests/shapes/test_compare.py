"""What each shape comes to, from captures of which the figures are known."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from cgcli.calls.call import CallMode
from cgcli.model import Refusal
from cgcli.report.shapes import cheapest
from tests.calls.asking import claude, compact, user
from tests.running import FIXTURES
from tests.shapes.comparing import compare, generated, one, shape

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.cachesim.bill import Billed
    from cgcli.cachesim.simulated import Simulated
    from cgcli.shapes.comparison import Comparison

STANDALONE, FORK = CallMode.STANDALONE, CallMode.FORK
THRESHOLD, ON_DEMAND, ENDPOINT = CallMode.NATIVE_THRESHOLD, CallMode.NATIVE_ON_DEMAND, CallMode.NATIVE_ENDPOINT
AGENT = FIXTURES / "context-guru" / "agent.jsonl"
COLD = FIXTURES / "claude-trace" / "cold.jsonl"
SONNET_USD = {"fresh": 3e-6, "read": 0.3e-6, "write": 3.75e-6, "output": 15e-6}
"""A token, from Anthropic's price page."""


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A conversation of a model with compaction of its own: marks move with it, and it has over 50,000 tokens."""
    path = tmp_path / "long.jsonl"
    path.write_bytes(generated("claude-opus-5-5", turns=40, parallel=2, moving_marks=True, seed=2))
    return path


@pytest.fixture
def gpt(tmp_path: Path) -> Path:
    """A conversation in Responses, of a model whose cache is simulated."""
    path = tmp_path / "gpt.jsonl"
    path.write_bytes(generated("gpt-5.6-sol", dialect="responses", turns=14, seed=3))
    return path


def told(bill: Billed | None) -> Simulated:
    """What the simulated cache says; it must say something."""
    assert bill is not None
    assert not isinstance(bill.simulated, Refusal)
    return bill.simulated


def usd(bill: Billed | None) -> float:
    """The dollars, which must be known."""
    assert bill is not None
    assert bill.usd is not None
    return float(bill.usd)


def by_hand(bill: Billed | None, prices: dict[str, float]) -> float:
    """The same by the prices that the test has."""
    found = told(bill)
    assert bill is not None
    return (
        found.read_tokens * prices["read"]
        + found.fresh_tokens * prices["fresh"]
        + found.written_tokens * prices["write"]
        + bill.output_tokens * prices["output"]
    )


def ratio_by_hand(found: Comparison, fresh_usd: float) -> float:
    """From which share of the parent on a fork costs no more, from the two calls and a price of the test's."""
    fork, standalone = shape(found, FORK).billed, shape(found, STANDALONE).billed
    assert found.span_tokens is not None
    return (found.span_tokens + (usd(fork) - usd(standalone)) / fresh_usd) / found.parent_tokens


def test_a_fork_has_all_of_its_parent_and_a_standalone_call_nothing() -> None:
    """25 messages, 7 tools and 59 blocks in the parent; the call has one message of its own, a fork one more."""
    found = one(compare(AGENT))
    fork, standalone = shape(found, FORK), shape(found, STANDALONE)

    assert (found.lane, found.turn, found.line) == ("L1", 13, 18)
    assert (fork.n_messages, fork.n_tools, standalone.n_messages, standalone.n_tools) == (26, 7, 1, 0)
    assert fork.sharing is not None
    assert standalone.sharing is not None
    assert (fork.sharing.blocks, fork.sharing.tokens) == (59, found.parent_tokens)
    assert (standalone.sharing.blocks, standalone.sharing.tokens) == (0, 0)
    assert (fork.sharing.parts_at, standalone.sharing.parts_at) == (None, "tools.0")
    assert (fork.sharing.is_exact, standalone.sharing.is_exact) == (True, False)


def test_a_fork_reads_what_its_parent_wrote() -> None:
    """All of the parent, whose mark stands at its end; only the instruction is fresh, and nothing is written."""
    found = one(compare(AGENT))
    fork, standalone = told(shape(found, FORK).billed), told(shape(found, STANDALONE).billed)

    assert fork.read_tokens == found.parent_tokens
    assert fork.read_tokens + fork.fresh_tokens == shape(found, FORK).tokens
    assert fork.written_tokens == 0
    assert (standalone.read_tokens, standalone.written_tokens) == (0, 0)
    assert standalone.fresh_tokens == shape(found, STANDALONE).tokens


@pytest.mark.parametrize("mode", [STANDALONE, FORK])
def test_dollars_are_those_of_the_prices(mode: CallMode) -> None:
    """Of the call and of the request that follows, by prices that stand in the test."""
    found = shape(one(compare(AGENT)), mode)
    assert found.following is not None

    assert usd(found.billed) == pytest.approx(by_hand(found.billed, SONNET_USD))
    assert usd(found.following.billed) == pytest.approx(by_hand(found.following.billed, SONNET_USD))
    assert found.usd is not None
    assert float(found.usd) == pytest.approx(usd(found.billed) + usd(found.following.billed))


def test_the_prediction_is_what_the_provider_recorded() -> None:
    """Where the parent's usage is recorded, a fork reads exactly what that read and wrote; no tokenizer is involved."""
    usages = [json.loads(line)["response"] for line in COLD.read_bytes().splitlines()]
    found = compare(COLD, every=True)
    reads = [(item.turn, shape(item, FORK).billed) for item in found if shape(item, FORK).call is not None]

    assert len(usages) == 5
    # cache_read_input_tokens + cache_creation_input_tokens of turns 3, 4 and 5: 2166 + 584, 0 + 3065, 3065 + 332.
    assert [(turn, told(bill).read_tokens, told(bill).is_recorded) for turn, bill in reads] == [
        (3, 2750, True),
        (4, 3065, True),
        (5, 3397, True),
    ]


def test_break_even_is_that_of_the_prices() -> None:
    """In every turn, worked out from the two calls and $3 a million for the span."""
    found = [item for item in compare(AGENT, every=True) if item.span_tokens is not None]

    assert len(found) == 12
    for item in found:
        assert item.min_span_ratio == pytest.approx(ratio_by_hand(item, 3e-6))


def test_break_even_where_openai_writes_the_span(gpt: Path) -> None:
    """A standalone call's message is written at $5 a million there, and not fresh at $4."""
    found = one(compare(gpt))
    standalone = shape(found, STANDALONE)

    assert told(standalone.billed).written_tokens == standalone.tokens
    assert found.min_span_ratio == pytest.approx(ratio_by_hand(found, 5e-6))


@pytest.mark.parametrize("n_messages", [1, 4, 8, 16])
def test_auto_forks_from_break_even_on(n_messages: int) -> None:
    """Below it is a decline to standalone, and never a fallback; the predicate is told."""
    found = one(compare(AGENT, calls=("auto",), span_messages=n_messages, keep_last=1))
    stats = found.asked
    assert stats is not None
    assert stats.span_measure is not None
    assert found.min_span_ratio is not None
    assert found.span_ratio is not None
    pays = found.span_ratio >= ratio_by_hand(found, 3e-6)

    assert stats.mode_used is (FORK if pays else STANDALONE)
    assert (stats.fork_declines, stats.fork_fallbacks) == (0 if pays else 1, 0)
    assert (usd(shape(found, FORK).billed) <= usd(shape(found, STANDALONE).billed)) is pays
    assert pays is (n_messages > 4)


def test_a_fork_is_not_always_cheaper() -> None:
    """A small span of a long prefix: the standalone call costs less, and the table says from where on it would not."""
    found = one(compare(AGENT, span_messages=2))
    assert found.min_span_ratio is not None
    assert found.span_ratio is not None

    assert usd(shape(found, FORK).billed) > usd(shape(found, STANDALONE).billed)
    assert found.span_ratio < found.min_span_ratio < 1
    assert cheapest(found) is STANDALONE


def test_a_fork_without_a_mark_behind_it_reads_nothing() -> None:
    """No cache was asked for, so a fork sends the whole history again at the full price: no span would pay."""
    found = one(compare(FIXTURES / "bodies" / "anthropic.jsonl"))
    assert found.min_span_ratio is not None

    assert told(shape(found, FORK).billed).read_tokens == 0
    assert found.min_span_ratio > 1
    assert cheapest(found) is STANDALONE


def test_a_cheap_summariser_is_compared_with_a_fork_by_the_parent() -> None:
    """A fork of another model is refused; what one by the parent's own would cost says from where on that pays."""
    found = one(compare(AGENT, model="claude-haiku-4-5-20251001"))
    same = one(compare(AGENT))
    standalone, fork = shape(found, STANDALONE), shape(found, FORK)
    assert fork.refusal is not None
    assert standalone.call is not None
    assert found.span_tokens is not None
    haiku_usd = {"fresh": 1e-6, "read": 0.1e-6, "write": 1.25e-6, "output": 5e-6}

    assert fork.refusal.reason == "other_model"
    assert json.loads(standalone.call.body)["model"] == "claude-haiku-4-5-20251001"
    assert usd(standalone.billed) == pytest.approx(by_hand(standalone.billed, haiku_usd))
    assert usd(found.own_fork) == pytest.approx(usd(shape(same, FORK).billed))
    expected = (found.span_tokens + (usd(found.own_fork) - usd(standalone.billed)) / 1e-6) / found.parent_tokens
    assert found.min_span_ratio == pytest.approx(expected)
    assert found.span_ratio is not None
    assert found.span_ratio < expected
    assert found.asked is not None
    assert (found.asked.mode_used, found.asked.reason, found.asked.fork_fallbacks) == (STANDALONE, "other_model", 1)


def test_an_unpriced_model_has_everything_but_dollars(tmp_path: Path) -> None:
    """Tokens, blocks and cache are told; no price is guessed."""
    path = tmp_path / "c.jsonl"
    path.write_bytes(AGENT.read_bytes().replace(b"claude-sonnet-4-5-20250929", b"claude-sonnet-4-5-mystery"))
    found = one(compare(path))
    fork = shape(found, FORK)
    assert fork.billed is not None
    assert fork.following is not None

    assert fork.billed.usd is None
    assert (fork.usd, found.min_span_ratio, fork.break_even_turns, cheapest(found)) == (None, None, None, None)
    assert fork.sharing is not None
    assert fork.sharing.blocks == 59
    assert fork.tokens is not None
    assert fork.following.tokens > 0


def test_a_cache_that_is_not_simulated_has_no_figures(tmp_path: Path) -> None:
    """The reason is told, and the calls are built all the same."""
    path = tmp_path / "c.jsonl"
    path.write_bytes((FIXTURES / "bodies" / "chat.jsonl").read_bytes().replace(b'"gpt-4.1"', b'"grok-4.7"'))
    found = one(compare(path))
    fork = shape(found, FORK)
    assert fork.billed is not None
    assert isinstance(fork.billed.simulated, Refusal)

    assert fork.billed.simulated.reason == "no_cache_model"
    assert fork.billed.usd is None
    assert fork.sharing is not None
    assert fork.sharing.is_exact


def test_break_even_turns_are_those_of_the_prices() -> None:
    """The call and what the next request costs more, by what each later turn no longer reads at $0.30 a million."""
    found = one(compare(AGENT))
    fork = shape(found, FORK)
    assert fork.saved_tokens is not None
    extra = usd(fork.billed) + usd(fork.following.billed if fork.following else None) - usd(found.unchanged)
    turns = extra / (fork.saved_tokens * 0.3e-6)

    assert fork.break_even_turns is not None
    assert fork.break_even_turns - 1 < turns <= fork.break_even_turns


def test_native_compaction_is_irreversible_and_its_size_assumed(long: Path) -> None:
    """The threshold covers the whole request, on demand what goes up to the span's end; neither is answered offline."""
    found = one(compare(long, budget_tokens=60_000))
    threshold, on_demand = shape(found, THRESHOLD), shape(found, ON_DEMAND)
    assert threshold.call is not None
    assert on_demand.call is not None
    assert not isinstance(found.selection, Refusal)

    assert found.parent_tokens > 60_000
    assert threshold.fires is True
    assert (threshold.call.scope, on_demand.call.scope) == ("all", (0, found.selection.stop))
    assert (threshold.call.is_reversible, on_demand.call.is_reversible) == (False, False)
    assert [(one.summary_tokens, one.is_summary_assumed) for one in (threshold, on_demand)] == [(1000, True)] * 2
    assert json.loads(threshold.call.body)["context_management"]["edits"][0]["trigger"]["value"] == 55_200
    assert threshold.following is not None
    after = json.loads(threshold.following.body)
    assert after["context_management"]["edits"][0]["trigger"]["value"] == 55_200
    assert threshold.following.covers == (0, len(found.parent.request.messages))


def test_a_threshold_that_is_not_reached_costs_nothing(long: Path) -> None:
    """The call is built, and no bill, summary or following request is made up for it."""
    found = shape(one(compare(long)), THRESHOLD)

    assert found.call is not None
    assert (found.fires, found.billed, found.summary, found.summary_tokens, found.following) == (False, *[None] * 4)
    assert (found.usd, found.break_even_turns) == (None, None)


def test_a_threshold_takes_its_parents_place(long: Path) -> None:
    """It reads and writes what the parent did, and costs beside that its summary and a second pass, at Opus prices."""
    found = shape(one(compare(long, budget_tokens=60_000)), THRESHOLD)
    first, second, parent = (told(bill) for bill in (found.billed, found.second_pass, found.replaces))
    opus_usd = {"fresh": 4e-6, "read": 0.2e-6, "write": 5e-6, "output": 20e-6}

    assert (first.read_tokens, first.write_by_ttl_s, first.fresh_tokens) == (
        parent.read_tokens,
        parent.write_by_ttl_s,
        parent.fresh_tokens,
    )
    assert parent.read_tokens > 50_000
    assert 1000 < second.input_tokens < 3000
    assert [bill.output_tokens for bill in (found.billed, found.second_pass, found.replaces) if bill] == [1000, 0, 0]
    assert found.call_usd is not None
    assert float(found.call_usd) == pytest.approx(1000 * 20e-6 + by_hand(found.second_pass, opus_usd))
    assert found.usd is not None
    assert found.following is not None
    assert float(found.usd) == pytest.approx(float(found.call_usd) + by_hand(found.following.billed, opus_usd))


def test_a_pause_is_a_round_trip_more_and_no_token(long: Path) -> None:
    """The provider reads twice with it and without."""
    plain, paused = (shape(one(compare(long, budget_tokens=60_000, pause=pause)), THRESHOLD) for pause in (False, True))
    assert plain.call is not None
    assert paused.call is not None

    assert json.loads(paused.call.body)["context_management"]["edits"][0]["pause_after_compaction"] is True
    assert (plain.call.extra_round_trips, paused.call.extra_round_trips) == (0, 1)
    assert told(plain.second_pass) == told(paused.second_pass)
    assert plain.usd == paused.usd is not None


def test_only_a_threshold_that_fires_has_a_second_pass(long: Path) -> None:
    """What is asked after the parent is one request."""
    found = one(compare(long, budget_tokens=60_000))
    idle = shape(one(compare(long)), THRESHOLD)

    assert [one.mode for one in found.shapes if one.second_pass is not None or one.replaces is not None] == [THRESHOLD]
    assert (idle.fires, idle.second_pass, idle.replaces) == (False, None, None)


def test_a_first_threshold_of_openai_is_dearer_than_its_parent(gpt: Path) -> None:
    """Its parameter breaks the prefix: it writes anew what the parent reads."""
    found = shape(one(compare(gpt, budget_tokens=3000)), THRESHOLD)

    assert told(found.replaces).read_tokens > 0
    assert told(found.billed).read_tokens == 0
    assert usd(found.billed) > usd(found.replaces)


def test_native_compaction_saves_nothing_of_ours(long: Path) -> None:
    """Neither tokens nor turns: what the provider's block stands for is not known."""
    found = one(compare(long, budget_tokens=60_000))

    for mode in (THRESHOLD, ON_DEMAND):
        assert (shape(found, mode).saved_tokens, shape(found, mode).break_even_turns) == (None, None)
        assert shape(found, mode).usd is not None
    for mode in (STANDALONE, FORK):
        assert shape(found, mode).saved_tokens is not None
        assert shape(found, mode).break_even_turns is not None


def test_what_has_no_price_is_named() -> None:
    """It is left out of the comparison, and that is told; what is refused or does not fire is none of it."""
    found = one(compare(AGENT, model="some-model"))

    assert [item.mode for item in found.shapes if item.is_unpriced] == [STANDALONE]
    assert [item.mode for item in one(compare(AGENT)).shapes if item.is_unpriced] == []


def test_a_summariser_of_another_maker_is_warned_of() -> None:
    """The body keeps Anthropic's shape, which a proxy may translate: a note, and no refusal."""
    found = shape(one(compare(AGENT, model="gpt-4.1")), STANDALONE)
    assert found.call is not None

    assert found.note == (
        "gpt-4.1 is OpenAI's, and the body has the shape of Anthropic's requests: only a proxy may take it"
    )
    assert [item.note for item in one(compare(AGENT, model="claude-haiku-4-5")).shapes] == [None] * 4


def test_openai_shapes_share_what_their_rules_say(gpt: Path) -> None:
    """On demand is fork-shaped, a parameter breaks the prefix of the threshold, and the endpoint takes no tools."""
    found = one(compare(gpt))
    shared = {one.mode: one.sharing.blocks for one in found.shapes if one.sharing is not None}
    parts = {one.mode: one.sharing.parts_at for one in found.shapes if one.sharing is not None}

    assert shared == {STANDALONE: 0, FORK: 42, THRESHOLD: 0, ON_DEMAND: 42, ENDPOINT: 0}
    assert (parts[ON_DEMAND], parts[THRESHOLD], parts[ENDPOINT]) == (None, "context_management", "tools.0")


def test_without_a_summariser_only_the_provider_is_left(long: Path) -> None:
    """Ours are refused, nothing is said of a choice between them, and native ones stay."""
    found = one(compare(long, summarizer="none", budget_tokens=60_000))
    reasons = {item.mode: item.refusal.reason if item.refusal is not None else None for item in found.shapes}

    assert reasons == {STANDALONE: "no_model", FORK: "no_model", THRESHOLD: None, ON_DEMAND: None}
    assert (found.asked, found.min_span_ratio) == (None, None)


def test_what_must_be_reversible_is_never_native(long: Path) -> None:
    """Both are refused for it."""
    found = one(compare(long, require_reversible=True))
    reasons = [item.refusal.reason for item in found.shapes if item.refusal is not None]

    assert reasons == ["require_reversible"] * 2


def test_one_request_stands_for_the_next() -> None:
    """Where no request follows, the parent itself is what would be sent again; that is told."""
    found = one(compare(FIXTURES / "bodies" / "single.json"))
    fork = shape(found, FORK)

    assert fork.following is not None
    assert fork.following.is_recorded is False


def test_a_request_with_nothing_that_may_go_refuses_every_shape(tmp_path: Path) -> None:
    """The reason is the selection's; no figure is made up."""
    path = tmp_path / "c.jsonl"
    path.write_bytes(compact(claude(user("Hello."))))
    found = one(compare(path))

    assert {item.refusal.reason for item in found.shapes if item.refusal is not None} == {"nothing_to_select"}
    assert all(item.call is None for item in found.shapes)
    assert (found.span_tokens, found.span_ratio, found.asked, found.unchanged) == (None, None, None, None)


def test_a_window_that_is_only_assumed_refuses_no_fork(tmp_path: Path) -> None:
    """`--budget` does not lift a window that is known, and an unknown one is not made up to refuse by."""
    path = tmp_path / "c.jsonl"
    big = "word " * 210_000
    body = claude(user("Go."), {"role": "assistant", "content": "Yes."}, user(big), model="MODEL")
    sent = compact(body)
    reasons = []
    for model in (b"claude-sonnet-4-5", b"some-model"):
        path.write_bytes(sent.replace(b"MODEL", model))
        fork = shape(one(compare(path, budget_tokens=100_000, keep_last=0, span_messages=1)), FORK)
        reasons.append(fork.refusal.reason if fork.refusal is not None else None)

    assert reasons == ["window", None]


def test_costs_are_exact() -> None:
    """Sums of decimals: the parts add up to the last digit."""
    fork = shape(one(compare(AGENT)), FORK)
    assert fork.billed is not None
    assert fork.following is not None
    assert fork.following.billed is not None
    parts = (fork.billed.usd, fork.following.billed.usd)

    assert all(isinstance(part, Decimal) for part in parts)
    assert fork.usd == sum((part for part in parts if part is not None), start=Decimal(0))
