"""`--held pays` over whole captures: when a batch of decisions enters, what it costs there, and that it then stays."""

from __future__ import annotations

import json
from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.cachesim.simulator import Simulator
from cgcli.compaction.policy import named, pipeline
from cgcli.compaction.state import HeldRule
from cgcli.model import Refusal
from cgcli.pricing.file import parse_rates
from cgcli.readers import read
from cgcli.readers.single import parse_body
from cgcli.replay.run import Run
from cgcli.tokens.ruler import Ruler
from cgcli.wire.splice import splice
from tests import oracle
from tests.lanes.placing import Json, body, called, lines, output, turn, user
from tests.running import FIXTURES, compact, expand_all

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.cachesim.simulated import Simulated
    from cgcli.compaction.paying import Verdict
    from cgcli.compaction.policy import Policy
    from cgcli.pricing.table import Prices

MODEL = "claude-sonnet-4-5"
MARK = {"cache_control": {"type": "ephemeral"}}
MASK = pipeline(["mask"], {"mask": {"keep_recent": 3, "min_tokens": 10}})
MASKED = "[older tool output masked"
SONNET = {"fresh": 3, "read": 0.3, "write": 3.75, "write_1h": 6, "output": 15}


def _words(name: str, n: int = 500) -> str:
    return f"the output of {name}: " + " ".join(f"{name}{i}" for i in range(n))


def _history(n: int) -> list[Json]:
    return [user("go"), *(message for i in range(n) for message in turn(i, _words(chr(97 + i))))]


def _marked(messages: list[Json]) -> list[Json]:
    """The same, with a mark on the last block of the last message that is an output."""
    *others, last = messages
    if isinstance(last["content"], str):
        return messages
    *blocks, block = last["content"]
    return [*others, {**last, "content": [*blocks, {**block, **MARK}]}]


def _bodies(n: int, *, marks: bool = True, **fields: object) -> list[Json]:
    """A lane of so many turns whose mark moves with it."""
    histories = (_history(i) for i in range(n + 1))
    return [body(*(_marked(one) if marks else one), **fields) for one in histories]


def _run(
    data: bytes, policy: Policy = MASK, held: str = "pays", *, prices: Prices | None = None
) -> tuple[Run, list[Json]]:
    """The run, and the bodies that are sent."""
    run = Run(read(BytesIO(data), file="made.jsonl"), policy, rule=HeldRule(held), prices=prices)
    sent = []
    for one in run:
        if one.outcome is not None:
            at = one.entry.body_at
            edits = [(at + start, at + stop, decision.literal) for start, stop, decision in one.outcome.edits]
            sent += [found for _, found in oracle.bodies(splice(one.entry.raw, edits))]
    return run, sent


def _verdicts(run: Run) -> list[Verdict]:
    assert run.paying is not None
    return run.paying.verdicts


def _masked(sent: list[Json]) -> list[list[int]]:
    """Per request: the numbers of the outputs that are masked, from 0."""
    return [[i for i, (_, said) in enumerate(oracle.tool_outputs(one)) if said.startswith(MASKED)] for one in sent]


def _skipped(run: Run) -> dict[str, int]:
    return {why: n for (who, why), n in run.ledger.distinct.skipped.items() if who == "mask" and n}


def _prices(**models: dict[str, float]) -> Prices:
    return parse_rates(json.dumps({name.replace("_", "-"): row for name, row in models.items()}).encode(), file="rates")


def test_a_batch_enters_once_it_pays() -> None:
    """Outputs of one size, three of them kept: m of them pay at T requests left where m x T > 11.5 x 3, or little more.

    4 x 8 is enough for the first time and 4 x 12 for the second; nothing enters before, and what has entered stays.
    """
    _, sent = _run(lines(_bodies(13)))
    assert _masked(sent) == [[]] * 7 + [[0, 1, 2, 3]] * 4 + [[*range(8)]] * 3


def test_a_batch_pays_by_the_formula() -> None:
    """At the turn on which it enters and not on the one before: r*S*T > (w-r)*W at $0.30 and $3.75 a million."""
    run, _ = _run(lines(_bodies(8)))
    before, entering = _verdicts(run)[2:4]
    assert (before.from_message, before.n_left, entering.from_message, entering.n_left) == (None, 7, 2, 8)
    assert before.saved_tokens * 7 * 30 < (375 - 30) * before.rewritten_tokens
    assert entering.saved_tokens * 8 * 30 > (375 - 30) * entering.rewritten_tokens


@pytest.mark.parametrize(
    ("model", "read_cents", "write_cents", "before", "entering"),
    [
        ("claude-sonnet-4-5", 30, 375, (7, 3432, 3014), (8, 4576, 3152)),
        ("claude-opus-5-5", 20, 500, (10, 8851, 4429), (11, 10_331, 4603)),
        ("claude-fable-5-1", 25, 1250, (15, 16_232, 5320), (16, 17_709, 5497)),
    ],
)
def test_both_sides_of_break_even_at_the_tables_prices(
    model: str, read_cents: int, write_cents: int, before: tuple[int, int, int], entering: tuple[int, int, int]
) -> None:
    """A read costs 0.1, 0.05 and 0.025 of fresh input: T, S and W on the turn before a batch enters, and on its own."""
    run, _ = _run(lines(_bodies(18, model=model)))
    verdicts = _verdicts(run)
    i = next(i for i, one in enumerate(verdicts) if one.from_message is not None)
    assert [(one.n_left, one.saved_tokens, one.rewritten_tokens) for one in verdicts[i - 1 : i + 1]] == [
        before,
        entering,
    ]
    gains = [t * s * read_cents - (write_cents - read_cents) * w for t, s, w in (before, entering)]
    assert gains[0] < 0 < gains[1]
    usd = [Decimal(cents) / 100 / 1_000_000 for cents in gains]
    assert [one.gain_usd for one in verdicts[i - 1 : i + 1]] == usd


def test_the_example_of_the_documentation() -> None:
    """On the eleventh request of the demo's main lane, line 16: 2,738 tokens for 11 requests against 2,255 written."""
    source = FIXTURES / "context-guru" / "agent.jsonl"
    run, _ = _run(source.read_bytes(), pipeline(["format", "dedup", "mask", "extract"]))
    *others, (saved, left, rewritten, gain) = [
        (one.saved_tokens, one.n_left, one.rewritten_tokens, one.gain_usd) for one in _verdicts(run)
    ]
    assert (saved, left, rewritten, gain) == (2738, 11, 2255, Decimal("0.00125565"))
    assert others[-1][:3] == (2155, 10, 2691)
    assert all(one.from_message is None for one in _verdicts(run)[:-1])
    breaks = [row.output_break for row in run.ledger.rows if row.output_break is not None]
    assert [(one.line, one.message) for one in breaks] == [(16, 2)]


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.sampled_from([5, 60, 400, 900, 2500]), min_size=3, max_size=14),
    marks=st.lists(st.booleans(), min_size=15, max_size=15),
    read_usd=st.sampled_from(["0.3", "0.15", "0.075"]),
)
def test_what_enters_gains_by_the_formula(sizes: list[int], marks: list[bool], read_usd: str) -> None:
    """Whatever the outputs and the marks: what a verdict lets in gains, and by the figures that it tells."""
    turns = [turn(i, _words(chr(97 + i), n)) for i, n in enumerate(sizes)]
    histories = [[user("go"), *(part for both in turns[:n] for part in both)] for n in range(len(sizes) + 1)]
    data = lines(body(*(_marked(one) if mark else one)) for one, mark in zip(histories, marks, strict=False))
    run, sent = _run(data, prices=_prices(claude_sonnet_4_5={**SONNET, "read": float(read_usd)}))
    for one in _verdicts(run):
        assert one.read_usd is not None
        assert one.write_usd is not None
        removed = one.read_usd * one.saved_tokens * one.n_left
        assert one.gain_usd == removed - (one.write_usd - one.read_usd) * one.rewritten_tokens
        assert one.read_usd == Decimal(read_usd) / 1_000_000
        assert one.write_usd in (Decimal(3) / 1_000_000, Decimal("3.75") / 1_000_000) or one.rewritten_tokens
        assert (one.gain_usd > 0) == (one.from_message is not None)
        assert 1 <= one.n_left <= len(sent)
    assert [row.output_break is not None for row in run.ledger.rows].count(True) <= len(_verdicts(run))


def _resent(bodies: list[Json]) -> list[Simulated]:
    """What each of *bodies* reads and writes, by a simulator that sees nothing else."""
    ruler = Ruler(MODEL)
    simulator = Simulator(lambda _: ruler)
    found = [
        simulator.send(parse_body(json.dumps(one).encode()), number=i, sent_s=None) for i, one in enumerate(bodies)
    ]
    assert not any(isinstance(one, Refusal) for one in found)
    return [one for one in found if not isinstance(one, Refusal)]


def _without_marks(message: Json) -> Json:
    if isinstance(message["content"], str):
        return message
    blocks = [{key: held for key, held in block.items() if key != "cache_control"} for block in message["content"]]
    return {**message, "content": blocks}


def test_the_cache_holds_what_was_sent() -> None:
    """W of each batch is what a simulator finds that is sent the requests as they went out, with the batch and without.

    Without it, the request is the one before, as sent, and the turn's own two messages.
    """
    bodies = _bodies(16)
    run, sent = _run(lines(bodies))
    entered = [one for one in _verdicts(run) if one.from_message is not None]
    turns = [i for i in range(1, 17) if not oracle.is_append(sent[i - 1], sent[i])]
    assert turns == [7, 11, 14]
    for i, one in zip(turns, entered, strict=True):
        stands = [*map(_without_marks, sent[i - 1]["messages"]), *bodies[i]["messages"][-2:]]
        held = _resent([*sent[:i], {**bodies[i], "messages": stands}])[i].read_tokens
        readable = _resent(sent[: i + 1])[i].read_tokens
        assert abs(one.rewritten_tokens - (held - readable - one.saved_tokens)) <= 2
        assert one.rewritten_tokens > 2000


def test_between_batches_each_request_extends_the_one_before() -> None:
    """What was let in is replayed byte for byte: in its place, in each later request."""
    _, sent = _run(lines(_bodies(16)))
    texts = [dict(oracle.tool_outputs(one)) for one in sent]
    for i in (8, 9, 10, 12, 13, 15, 16):
        assert oracle.is_append(sent[i - 1], sent[i])
        assert texts[i - 1].items() <= texts[i].items()


def test_where_nothing_is_cached_everything_may_enter() -> None:
    """Without a mark the provider reads nothing, so each output is masked as soon as it is old."""
    data = lines(_bodies(8, marks=False))
    run, sent = _run(data)
    assert _masked(sent) == _masked(_run(data, held="ignore")[1]) == [[*range(n - 3)] for n in range(9)]
    assert [one.rewritten_tokens for one in _verdicts(run)] == [0] * 5


@pytest.mark.parametrize(("marked", "masked"), [((2,), [1]), ((), [])])
def test_look_back_decides_what_is_still_read(marked: tuple[int, ...], masked: list[int]) -> None:
    """The first request left an entry at message 2; from the third's last mark, on message 22, that is out of reach.

    With a second mark there it is read, and masking the output behind it pays. Without, all that stands before that
    output would have to be written again too, and it does not pay.
    """
    sizes = [1, 3000, *(1 for _ in range(9))]
    made = [user(_words("q", 3000)), *(part for i, n in enumerate(sizes) for part in turn(i, _words(f"x{i}y", n)))]

    def body_of(n_messages: int) -> Json:
        messages = [*made[:2], *(_marked(made[2:3]) if marked else made[2:3]), *made[3:]]
        return body(*_marked(messages[:n_messages]))

    data = lines([body_of(3), body_of(21), body_of(23)])
    policy = pipeline(["mask"], {"mask": {"keep_recent": 9, "min_tokens": 10}})
    run, sent = _run(data, policy)
    assert _masked(sent) == [[], [], masked]
    (verdict,) = _verdicts(run)
    assert (verdict.rewritten_tokens > 9000) == (not marked)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"model": "claude-fable-5-2"}, "unpriced"),
        ({"cache_control": {"type": "ephemeral", "ttl": "9h"}}, "bad_breakpoints"),
    ],
)
def test_what_cannot_be_reckoned_keeps_everything_out(fields: Json, why: str) -> None:
    """Without a price, or with marks that the provider refuses; the outputs say so."""
    run, sent = _run(lines(_bodies(9, **fields)))
    assert _masked(sent) == [[]] * 10
    assert _skipped(run) == {"recent": 3, why: 6}
    assert {(one.why_not, one.gain_usd) for one in _verdicts(run)} == {(why, None)}


def _openai(n: int) -> list[Json]:
    messages: list[Json] = [{"role": "system", "content": "You are an agent."}, {"role": "user", "content": "go"}]
    for i in range(n):
        call = {"id": f"c{i}", "type": "function", "function": {"name": "Bash", "arguments": "{}"}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{i}", "content": _words(chr(97 + i))},
        ]
    return messages


@pytest.mark.parametrize(("model", "why"), [("grok-4.7", "no_cache_model"), ("gpt-5.6-sol", "does_not_pay")])
def test_a_cache_that_is_not_simulated_keeps_everything_out(model: str, why: str) -> None:
    """Grok has a price and no simulated cache; GPT-5.6 has both, and its six turns are too few to pay."""
    run, sent = _run(lines({"model": model, "messages": _openai(n)} for n in range(6)))
    assert _masked(sent) == [[]] * 6
    assert _skipped(run) == {"recent": 3, why: 2}


def test_a_response_that_is_stored_elsewhere_keeps_everything_out() -> None:
    """`previous_response_id` stands for input that is not in the file."""
    items = [{"type": "message", "role": "user", "content": "go"}]
    for i in range(6):
        items += [
            {"type": "function_call", "call_id": f"c{i}", "name": "Bash", "arguments": "{}"},
            {"type": "function_call_output", "call_id": f"c{i}", "output": _words(chr(97 + i))},
        ]
    fields: Json = {"model": "gpt-5.6-sol", "previous_response_id": "resp_1"}
    run, sent = _run(lines({**fields, "input": items[: 1 + 2 * n]} for n in range(7)))
    assert _masked(sent) == [[]] * 7
    assert _skipped(run) == {"recent": 3, "history_not_recorded": 3}


def test_an_unknown_prefix_is_not_judged() -> None:
    """On the first turn of a file that begins in mid-conversation; from the second on it is known what is held."""
    bodies = _bodies(9)[6:]
    run, sent = _run(lines(bodies[:1]))
    assert (_masked(sent), _skipped(run), _verdicts(run)) == ([[]], {"recent": 3, "prefix_unknown": 3}, [])
    run, sent = _run(lines(bodies))
    assert [one.n_left for one in _verdicts(run)] == [2, 3, 4]
    assert _skipped(run) == {"recent": 3, "does_not_pay": 6}


def test_a_cold_turn_is_as_under_respect(tmp_path: Path) -> None:
    """With prices at which nothing pays, both rules send the same bytes, also where the cache has lapsed."""
    source = FIXTURES / "claude-trace" / "cold.jsonl"
    respected = compact(source, tmp_path, "agent").output.read_bytes()
    dear = _prices(claude_sonnet_4={**SONNET, "read": 0.001, "write": 3000.0})
    _, sent = _run(source.read_bytes(), named("agent"), prices=dear)
    assert sent == [found for _, found in oracle.bodies(respected)]
    assert [len(one) for one in _masked(sent)] == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("rate", "n_masked"),
    [
        ({**SONNET, "write": 3.75}, 4),
        ({**SONNET, "write": 37.5}, 0),
        ({**SONNET, "read": 0.6}, 5),
        ({**SONNET, "read": 0.15}, 0),
    ],
)
def test_the_prices_decide(rate: dict[str, float], n_masked: int) -> None:
    """Eight turns: the dearer a write for the price of a read, the later a batch pays."""
    _, sent = _run(lines(_bodies(8)), prices=_prices(claude_sonnet_4_5=rate))
    assert len(_masked(sent)[-1]) == n_masked


def test_each_mark_is_written_at_its_own_price() -> None:
    """A mark of an hour on the system prompt does not make the five-minute marks in the messages dearer."""
    system = [{"type": "text", "text": "You are an agent.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    run, _ = _run(lines(_bodies(8, system=system)))
    assert [one.write_usd for one in _verdicts(run)] == [Decimal("3.75") / 1_000_000] * 5
    hour = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    run, _ = _run(lines(_bodies(8, marks=False, **hour)))
    assert [one.write_usd for one in _verdicts(run)] == [Decimal(6) / 1_000_000] * 5


def test_no_verdict_looks_ahead() -> None:
    """A file that ends earlier has the same verdicts up to there."""
    bodies = _bodies(14)
    whole = _verdicts(_run(lines(bodies))[0])
    for n in (5, 8, 9, 12):
        assert _verdicts(_run(lines(bodies[:n]))[0]) == whole[: n - 4]


def test_a_side_call_has_no_past_of_the_main_line() -> None:
    """What branches off is the first request of a conversation of its own: one is left, and nothing enters.

    On the main line the batch of four enters at its eighth request, as it does without the branch.
    """
    main = _bodies(8)
    question = {"role": "user", "content": [{"type": "text", "text": "Which files were read?", **MARK}]}
    asks = body(*_history(5), called(99), output(99, "ok"), question)
    run, sent = _run(lines([*main[:7], asks, *main[7:]]))
    assert [one.n_left for one in _verdicts(run)] == [5, 6, 7, 1, 8, 9]
    assert [len(one) for one in _masked(sent)] == [0] * 8 + [4, 4]


def test_recorded_usage_does_not_mix_with_counts() -> None:
    """Where the provider recorded more or fewer tokens than are counted, the verdicts are the same."""
    counted = _verdicts(_run(_recorded(1.0))[0])
    assert _verdicts(_run(_recorded(0.5))[0]) == _verdicts(_run(_recorded(2.0))[0]) == counted
    assert [one.from_message for one in counted] == [None, None, None, 2, None]


def test_where_the_provider_says_that_nothing_was_cached_everything_may_enter() -> None:
    """It neither read nor wrote, whatever the marks ask for."""
    run, sent = _run(_recorded(0.0))
    assert _masked(sent)[-1] == [0, 1, 2, 3, 4]
    assert {one.rewritten_tokens for one in _verdicts(run)} == {0}


def _recorded(times: float) -> bytes:
    """A lane of eight turns whose answers record *times* the tokens that are counted as read and written."""
    bodies = _bodies(8)
    records = []
    for i, (one, found) in enumerate(zip(bodies, _resent(bodies), strict=True)):
        usage = {
            "input_tokens": 7,
            "cache_read_input_tokens": round(found.read_tokens * times),
            "cache_creation_input_tokens": round(found.written_tokens * times),
            "output_tokens": 5,
        }
        answer = {"id": "m", "type": "message", "role": "assistant", "content": [], "usage": usage}
        asked = {"timestamp": 10.0 * i, "method": "POST", "url": "https://api.example/v1/messages", "body": one}
        answered = {"timestamp": 10.0 * i + 1, "status_code": 200, "body": answer}
        records.append({"request": asked, "response": answered, "logged_at": "x"})
    return lines(records)


def test_everything_comes_back(tmp_path: Path) -> None:
    """`expand --all` gives back the input byte for byte."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_bodies(13)))
    done = compact(source, tmp_path, MASK, "pays")
    assert done.output.read_bytes() != source.read_bytes()
    assert expand_all(done, tmp_path / "back.jsonl") == source.read_bytes()


def test_a_policy_without_components_changes_nothing(tmp_path: Path) -> None:
    """The bytes of the input, and nothing was judged."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines(_bodies(9)))
    done = compact(source, tmp_path, "off", "pays")
    assert done.output.read_bytes() == source.read_bytes()
    assert _verdicts(done.run) == []
