"""What the simulated cache predicts is what the local provider reads, token for token.

The two know nothing of each other: the provider counts a token for every 4 bytes, the package counts with a vocabulary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cgcli.model import Refusal
from cgcli.probe.judging import Agreement, agreement, judge
from tests.live.asking import HOUR, MARK, text
from tests.probe.probed import YES_TOKENS, conversation, reads, reasons

if TYPE_CHECKING:
    from tests.live.provider import Provider
    from tests.probe.probed import Probing

Json = dict[str, Any]
OPUS, HAIKU = "claude-opus-4-8", "claude-haiku-4-5"
LONG = (1500, 400, 300, 200)
LONG_TOKENS = 2400 + 3 * YES_TOKENS


def marked_at(i_message: int, body: Json) -> Json:
    """*body* with one more mark, on that message."""
    body["messages"][i_message]["content"][0]["cache_control"] = MARK
    return body


def verdicts(probing: Probing, body: Json, **more: Any) -> list[str]:
    """What the two gates say."""
    return [judged.verdict for judged in judge(probing(body, "standalone", "fork", **more))]


@pytest.mark.parametrize(
    ("body", "n_read"),
    [
        (conversation(*LONG, mark=MARK), LONG_TOKENS),
        (conversation(*LONG, mark=HOUR), LONG_TOKENS),
        (conversation(*LONG, cache_control=MARK), LONG_TOKENS),
        (marked_at(4, conversation(*LONG, mark=MARK)), LONG_TOKENS),
        (conversation(*LONG, mark=MARK, thinking={"type": "enabled", "budget_tokens": 1024}), LONG_TOKENS),
        (conversation(*LONG, mark=MARK, model=OPUS, thinking={"type": "adaptive"}), LONG_TOKENS),
        (conversation(*LONG, mark=MARK, stream=True), LONG_TOKENS),
        (conversation(*LONG, system=[text(2000, "s", cache_control=MARK)]), 2000),
        (conversation(*LONG), 0),
        (conversation(300, 100, 100, 100, mark=MARK, model="claude-opus-5-5"), 600 + 3 * YES_TOKENS),
        (conversation(300, 100, 100, 100, mark=MARK), 0),
        (conversation(100, 100, 100, 100, mark=MARK, model="claude-opus-5-5"), 0),
        (conversation(3500, 400, 300, 200, mark=MARK, model=HAIKU), 4400 + 3 * YES_TOKENS),
        (conversation(*LONG, mark=MARK, model=HAIKU), 0),
    ],
    ids=[
        *("5m", "1h", "automatic", "moving", "thinking", "adaptive", "streamed", "system", "none", "above-512"),
        *("below-1024", "below-512", "above-4096", "below-4096"),
    ],
)
def test_a_fork_reads_what_was_predicted(probing: Probing, body: Json, n_read: int) -> None:
    """What its parent wrote; nothing without a mark, or below the model's minimum. A standalone call reads nothing."""
    probed = probing(body, "standalone", "fork")
    assert reads(probed) == {"standalone": (0, 0), "fork": (n_read, n_read)}
    assert [agreement(one) for one in probed.sent] == [None, Agreement.EXACT, Agreement.EXACT]


def test_nothing_is_predicted_of_the_parent(probing: Probing) -> None:
    """What the provider holds before the first request is not known: a second probe finds what the first one wrote."""
    for n_read in (0, LONG_TOKENS):
        probed = probing(conversation(*LONG, mark=MARK), "fork")
        parent = probed.sent[0]
        assert isinstance(parent.predicted, Refusal)
        assert parent.predicted.reason == "held_unknown"
        assert parent.usage is not None
        assert parent.usage.read == n_read
        assert reads(probed) == {"fork": (LONG_TOKENS, LONG_TOKENS)}


@pytest.mark.parametrize("key", ["messages", "input"])
def test_openai_reads_the_implicit_end(probing: Probing, key: str) -> None:
    """From GPT-5.6 on: up to the parent's last message; a call that differs from its start reads nothing."""
    turns = [{"role": "user" if i % 2 == 0 else "assistant", "content": chr(97 + i) * 4000} for i in range(5)]
    head = {"messages": {"messages": [{"role": "system", "content": "s" * 400}, *turns]}, "input": {"input": turns}}
    probed = probing({"model": "gpt-5.6-sol", "tools": [], **head[key]}, "standalone", "fork")
    parent = probed.sent[0].usage
    assert parent is not None
    assert parent.write_by_ttl_s is not None
    written = parent.write_by_ttl_s[1800]
    assert written >= 5000
    assert reads(probed) == {"standalone": (0, 0), "fork": (written, written)}


def test_openais_own_compaction(probing: Probing) -> None:
    """On demand it reads the parent, whose input it has whole; at its own address the history parts before its end."""
    turns = [{"role": "user" if i % 2 == 0 else "assistant", "content": chr(97 + i) * 4000} for i in range(5)]
    probed = probing({"model": "gpt-5.6-sol", "tools": [], "input": turns}, "native-on-demand", "native-endpoint")
    assert reasons(probed) == {"parent": None, "native-on-demand": None, "native-endpoint": None}
    assert all(predicted == measured for predicted, measured in reads(probed).values())


def test_compaction_on_demand_reads_up_to_the_last_mark_in_its_scope(probing: Probing) -> None:
    """Cut behind the span, and marked there: it reads the parent's mark before, or nothing where that stands later."""
    early = marked_at(2, conversation(*LONG, model=OPUS))
    n_early = 1500 + YES_TOKENS + 400
    assert reads(probing(early, "native-on-demand")) == {"native-on-demand": (n_early, n_early)}
    late = conversation(1600, 400, 300, 200, mark=MARK, model=OPUS)
    assert reads(probing(late, "native-on-demand")) == {"native-on-demand": (0, 0)}


def test_compaction_at_a_threshold_reads_the_parent(probing: Probing) -> None:
    """The bill has two passes: over what was sent, which reads the parent whole, and over what is left."""
    body = conversation(*LONG, mark=MARK, model=OPUS)
    body["messages"][0]["content"][0]["text"] = "abc " * 60_000
    probed = probing(body, "native-threshold", asked={"budget_tokens": 60_000})
    # 240,000 bytes of text and 25 around it.
    n_read = 60_007 + 900 + 3 * YES_TOKENS
    assert reads(probed) == {"native-threshold": (n_read, n_read)}
    usage = probed.sent[1].usage
    assert usage is not None
    assert len(usage.iterations) == 2
    assert agreement(probed.sent[1]) is Agreement.EXACT


def test_a_mark_that_was_never_billed_by_itself_agrees_about(probing: Probing) -> None:
    """Of the two marks of the parent the first one is read: its tokens are in no usage, they are a count of ours."""
    body = conversation(*LONG, mark=MARK, model=OPUS, system=[text(4000, "s", cache_control=MARK)])
    probed = probing(body, "native-on-demand")
    predicted, measured = reads(probed)["native-on-demand"]
    assert measured == 4000
    assert predicted not in (None, 0, 4000)
    assert agreement(probed.sent[1]) is Agreement.ABOUT


def test_what_lapsed_is_not_read(probing: Probing) -> None:
    """More than five minutes behind the parent: no read, as predicted, and G-FORK-CACHED fails; within them, all."""
    body = conversation(*LONG, mark=MARK)
    late = probing(body, "fork", after=lambda _: probing.wait(301))
    assert reads(late) == {"fork": (0, 0)}
    assert [judged.verdict for judged in judge(late)] == ["fail"]
    in_time = probing(body, "fork", after=lambda _: probing.wait(300))
    assert reads(in_time) == {"fork": (LONG_TOKENS, LONG_TOKENS)}
    assert [judged.verdict for judged in judge(in_time)] == ["pass"]


def test_a_provider_that_forgets_reads_less(probing: Probing, provider: Provider) -> None:
    """Its clock alone goes on: predicted is a read that does not come."""

    def forget(_: bytes) -> None:
        provider.now_s += 301

    probed = probing(conversation(*LONG, mark=MARK), "fork", after=forget)
    assert reads(probed) == {"fork": (LONG_TOKENS, 0)}
    assert agreement(probed.sent[1]) is Agreement.LESS


def test_what_another_run_left_reads_more(probing: Probing) -> None:
    """Under automatic marks the fork's own end is written, and the next probe's fork finds it."""
    body = conversation(*LONG, cache_control=MARK)
    probing(body, "fork")
    again = probing(body, "fork")
    predicted, measured = reads(again)["fork"]
    assert predicted == LONG_TOKENS
    assert measured is not None
    assert measured > LONG_TOKENS
    assert agreement(again.sent[1]) is Agreement.MORE


def test_the_gates_pass_and_fail(probing: Probing) -> None:
    """Cached: by the minimum. Cost: a fork of much for little costs more than to send that little by itself."""
    assert verdicts(probing, conversation(*LONG, mark=MARK)) == ["pass", "pass"]
    assert verdicts(probing, conversation(200, 200, 150, 100, mark=MARK)) == ["fail", "fail"]
    small = {"span_messages": 2}
    assert verdicts(probing, conversation(12_000, 100, 100, 100, 100, mark=MARK), asked=small) == ["pass", "fail"]


def test_bodies_go_out_as_they_were_saved(probing: Probing, provider: Provider) -> None:
    """The parent byte for byte, and the fork's prefix is the parent's."""
    probing(conversation(*LONG, mark=MARK), "fork")
    saved = (probing.folder / "parent.jsonl").read_bytes().rstrip(b"\n")
    assert provider.seen[0].body == saved
    until = saved.rindex(b"]}, ") if b"]}, " in saved[-40:] else saved.rindex(b"}]")
    assert provider.seen[1].body.startswith(saved[:until])


def test_gates_that_no_shape_tells_of_are_left_out(probing: Probing) -> None:
    """Without a fork there is nothing to judge; without a standalone call there is no cost to hold its own against."""
    body = conversation(*LONG, mark=MARK, model=OPUS)
    for calls, gates in (
        (("native-on-demand", "standalone"), []),
        (("fork",), ["G-FORK-CACHED"]),
        (("fork", "standalone"), ["G-FORK-CACHED", "G-FORK-COST"]),
    ):
        assert [judged.gate for judged in judge(probing(body, *calls))] == gates


def test_a_refused_fork_is_vacuous(probing: Probing) -> None:
    """Another summariser's model cannot be forked to: neither gate has anything to check."""
    body = conversation(*LONG, mark=MARK)
    probed = probing(body, "standalone", "fork", asked={"model": HAIKU})
    assert reasons(probed) == {"parent": None, "standalone": None}
    assert [judged.verdict for judged in judge(probed)] == ["vacuous", "vacuous"]


def test_where_no_shape_may_be_sent_the_parent_is_not_either(probing: Probing, provider: Provider) -> None:
    """It would cost money for nothing."""
    probed = probing(conversation(*LONG, mark=MARK, model=HAIKU), "native-on-demand")
    assert (probed.sent, provider.seen) == ((), [])
