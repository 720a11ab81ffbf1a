"""A provider answers the calls for a summary: what each call mode reads, what is recorded, what is refused."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.calls.call import Call, CallMode
from cgcli.errors import LiveError, OutputError
from cgcli.live.spending import Budget
from cgcli.live.summariser import LiveSummariser
from cgcli.model import Basis, Refusal, Source, Usage
from cgcli.pricing.table import Listed, Prices
from cgcli.readers.single import parse_body
from cgcli.select.selection import Selection
from cgcli.summarisers.protocol import Summary, Task
from cgcli.summarisers.recorded import Recorded
from tests.live.asking import MARK, ON_DEMAND, THRESHOLD, Json, assistant, message, text, user
from tests.live.provider import Fault
from tests.live.sending import RATE, client, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from cgcli.live.bound import Bound
    from tests.live.provider import Provider

PRICES = Prices(
    rows={"claude-sonnet-4-6": Listed(rate=RATE), "gpt-5.6-sol": Listed(rate=RATE)},
    regions={},
    as_of="2026-11-30",
    source="the test",
)
OLD, NEW = text(1500, "o"), text(400, "n")
TASK = {"type": "text", "text": "Summarise the first message."}
PARENT = message(user(OLD), assistant("Yes."), user({**NEW, "cache_control": MARK}))
SPENT = 1500 + 400 + 8
"""Tokens of the parent: `{"text":"Yes.","type":"text"}` has 29 bytes."""


def task(body: Json, mode: CallMode = CallMode.FORK, path: str = "/v1/messages", **headers: str) -> Task:
    """A call with *body*."""
    raw = written(body)
    call = Call(
        mode=mode,
        body=raw,
        path=path,
        parent=Source(file="t.jsonl", line=1, wrap="object"),
        scope=(0, 1),
        scoped_by="instruction",
        is_reversible=True,
        n_prefix_messages=3,
        headers={name.replace("_", "-"): said for name, said in headers.items()},
    )
    return Task(request=parse_body(raw), selection=Selection(start=0, stop=1, tokens=1500, n_pinned=0), call=call)


def appended(**more: Any) -> Json:
    """The parent, and one user message."""
    return {**PARENT, "messages": [*PARENT["messages"], user(TASK)], **more}


@pytest.fixture
def ask(provider: Provider) -> Iterator[Callable[..., Summary | Refusal]]:
    """Ask the local provider for a summary; options are those of the summariser, with `budget` without a ceiling."""
    with client(provider.url, timeout_s=0.5) as sending:

        def asked(wanted: Task, **more: Any) -> Summary | Refusal:
            options: Json = {"prices": PRICES, "budget": Budget()} | more
            return LiveSummariser(sending, **options).summarise(wanted)

        yield asked


def summary(found: Summary | Refusal) -> Summary:
    """The summary that was answered."""
    assert isinstance(found, Summary), found
    return found


def refusal(found: Summary | Refusal) -> str:
    """The reason why there is none."""
    assert isinstance(found, Refusal), found
    return found.reason


def test_a_fork_reads_what_its_parent_wrote(ask: Callable[..., Summary | Refusal]) -> None:
    """1,908 tokens written by the parent, the same number read by the fork, as the recorded usage predicts."""
    sent = summary(ask(task(PARENT)))
    assert sent.usage == Usage(fresh=0, read=0, write_by_ttl_s={300: SPENT}, output=10)
    fork = summary(ask(task(appended())))
    # {"text":"Summarise the first message.","type":"text"}: 53 bytes.
    assert fork.usage == Usage(fresh=14, read=SPENT, write_by_ttl_s={}, output=10)
    assert (fork.basis, fork.block, fork.fault) == (Basis.MEASURED, None, None)
    assert fork.text.startswith("Summary ")
    assert fork.text.endswith(" of 4 messages.")


def test_a_standalone_call_reads_nothing(ask: Callable[..., Summary | Refusal]) -> None:
    """Its tokens are its own."""
    ask(task(PARENT))
    body = message(user(OLD["text"]), system="Summarise.")
    usage = summary(ask(task(body, CallMode.STANDALONE))).usage
    assert usage is not None
    assert (usage.read, usage.write_by_ttl_s, usage.fresh) == (0, {}, 1500 + 9)


def test_a_streamed_fork_is_read_whole(ask: Callable[..., Summary | Refusal]) -> None:
    """The parent's `stream` stays in a fork: text and usage are those of the answer in one piece."""
    whole = summary(ask(task(appended())))
    streamed = summary(ask(task(appended(stream=True))))
    assert streamed.text == whole.text
    assert streamed.usage == Usage(fresh=14, read=SPENT, write_by_ttl_s={}, output=10)


@pytest.mark.parametrize("stream", [False, True])
def test_compaction_on_demand_bills_in_its_iteration(
    ask: Callable[..., Summary | Refusal],
    stream: bool,  # noqa: FBT001
) -> None:
    """The block as it was written, the parent's prefix read, and dollars for what stands in `iterations` alone."""
    ask(task(PARENT))
    body = {**PARENT, "compaction": {"type": "summarize"}, "stream": stream}
    budget = Budget(Decimal(1))
    wanted = task(body, CallMode.NATIVE_ON_DEMAND, anthropic_beta=ON_DEMAND["anthropic-beta"])
    found = summary(ask(wanted, budget=budget))
    assert found.block is not None
    assert json.loads(found.block)["content"] == found.text
    assert found.usage is not None
    assert (found.usage.input, found.usage.output) == (0, 0)
    assert found.usage.iterations == (Usage(fresh=20, read=SPENT, write_by_ttl_s={}, output=10),)
    assert budget.account().usd == (20 * 3 + SPENT * Decimal("0.30") + 10 * 15) / Decimal(1_000_000)


def test_compaction_at_a_threshold_bills_twice(ask: Callable[..., Summary | Refusal]) -> None:
    """Its bound is that of two passes, and both are counted."""
    edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}
    body = message(user(text(50_000)), context_management={"edits": [edit]})
    told: list[Bound] = []
    budget = Budget(Decimal(10))
    wanted = task(body, CallMode.NATIVE_THRESHOLD, anthropic_beta=THRESHOLD["anthropic-beta"])
    found = summary(ask(wanted, budget=budget, announce=lambda _, bound: told.append(bound)))
    assert found.block is not None
    assert json.loads(found.block)["type"] == "compaction"
    assert [(bound.input_tokens, bound.output_tokens) for bound in told] == [(2 * (len(wanted.call.body) + 2000), 2000)]
    account = budget.account()
    assert account.fresh_tokens > 50_020
    assert account.usd <= (told[0].usd or 0)


@pytest.mark.parametrize(
    ("mode", "path"),
    [
        (CallMode.NATIVE_ON_DEMAND, "/v1/responses"),
        (CallMode.NATIVE_ENDPOINT, "/v1/responses/compact"),
    ],
)
def test_openais_compaction_is_an_item(ask: Callable[..., Summary | Refusal], mode: CallMode, path: str) -> None:
    """Sealed: no text can be read, the item goes back as it came."""
    items = [user("Hello"), *([{"type": "compaction_trigger"}] if path == "/v1/responses" else [])]
    found = summary(ask(task({"model": "gpt-5.6-sol", "input": items}, mode, path)))
    assert found.text == ""
    assert found.block is not None
    assert json.loads(found.block).keys() == {"type", "id", "encrypted_content"}


def test_answers_are_recorded_and_read_again(ask: Callable[..., Summary | Refusal], tmp_path: Path) -> None:
    """`recorded:DIR` gives the same summary without the provider; another request has none."""
    live = summary(ask(task(appended()), record=tmp_path / "answers"))
    again = Recorded(folder=tmp_path / "answers")
    assert again.summarise(task(appended())) == live
    assert refusal(again.summarise(task(appended(max_tokens=5)))) == "not_recorded"


def test_an_answer_that_cannot_be_recorded_is_an_error(ask: Callable[..., Summary | Refusal], tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "answers").write_text("a file")
    with pytest.raises(OutputError):
        ask(task(appended()), record=tmp_path / "answers")


def test_an_empty_answer_has_no_text(ask: Callable[..., Summary | Refusal], provider: Provider) -> None:
    """It was billed; that it may not stand for anything is judged where every summary is."""
    provider.faults.append(Fault("empty"))
    found = summary(ask(task(appended())))
    assert found.text == ""
    assert found.usage is not None


def test_what_is_announced_comes_before_the_call(ask: Callable[..., Summary | Refusal], provider: Provider) -> None:
    """The most that it can come to, when nothing was sent yet."""
    told: list[tuple[CallMode, int, int]] = []

    def announce(call: Call, bound: Bound) -> None:
        told.append((call.mode, bound.input_tokens, len(provider.seen)))

    wanted = task(appended())
    ask(wanted, announce=announce)
    assert told == [(CallMode.FORK, len(wanted.call.body) + 2000, 0)]


@pytest.mark.parametrize(
    ("model", "most", "reason"),
    [
        ("claude-sonnet-4-6", Decimal("0.01"), "max_usd"),
        ("claude-opus-4-7", Decimal(100), "unpriced"),
    ],
)
def test_the_ceiling_holds_before_anything_is_sent(
    ask: Callable[..., Summary | Refusal], provider: Provider, model: str, most: Decimal, reason: str
) -> None:
    """Too dear, or of no known price: refused, and the provider has seen nothing."""
    found = ask(task(appended(model=model)), budget=Budget(most))
    assert (refusal(found), provider.seen) == (reason, [])


@pytest.mark.parametrize(
    ("faults", "reason", "detail"),
    [
        (
            [Fault("status", status=413, message="too large")],
            "provider_refused",
            "no summary from the provider: answered 413: too large",
        ),
        (
            [Fault("status", status=529, message="busy")] * 3,
            "provider_failed",
            "no summary from the provider: answered 529: busy",
        ),
        ([Fault("slow")] * 3, "provider_failed", "no summary from the provider: no whole answer in 0.5 s"),
        (
            [Fault("broken")],
            "provider_failed",
            "no summary from the provider: answered 200 with what is no whole answer",
        ),
    ],
)
def test_a_call_that_fails_is_refused(
    ask: Callable[..., Summary | Refusal], provider: Provider, faults: list[Fault], reason: str, detail: str
) -> None:
    """The request stays as it was: a refusal that says what the provider said; the next call is answered."""
    provider.faults.extend(faults)
    found = ask(task(appended()))
    assert isinstance(found, Refusal)
    assert (found.reason, found.detail) == (reason, detail)
    summary(ask(task(appended())))


def test_what_every_call_would_meet_is_an_error(provider: Provider) -> None:
    """A wrong key ends the run."""
    with client(provider.url, key="sk-wrong") as sending, pytest.raises(LiveError) as caught:
        LiveSummariser(sending, prices=PRICES, budget=Budget()).summarise(task(appended()))
    assert caught.value.status == 401
