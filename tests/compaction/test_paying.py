"""Break-even of a decision inside the held prefix, and who is asked for it when."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

import pytest

from cgcli.compaction.component import Loss, Reduction, Skip, Slot
from cgcli.compaction.paying import Candidate, Cut, Economy, Unpaid, Verdict, best_cut, requests_left
from cgcli.compaction.state import HeldRule
from cgcli.markers import marker
from tests.compaction.stepping import Age, Drop, Walk, known, stepper, unknown
from tests.lanes.placing import Json, body, turn, user

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.compaction.component import Component
    from cgcli.compaction.splicing import Placed
    from cgcli.model import Request

WRITE = Decimal("1.25")
OUTPUTS = tuple(letter * 60 for letter in "abcdefgh")


def _economy(readable: Mapping[int, int], *, held: int, n_left: int, read: str = "0.1", factor: float = 1.0) -> Economy:
    return Economy(
        held_tokens=held,
        cut=lambda i: Cut(readable_tokens=readable[i], write_usd=WRITE),
        read_usd=Decimal(read),
        n_left=n_left,
        factor=factor,
    )


def _candidates(saved: Mapping[int, int]) -> list[Candidate]:
    return [Candidate(i_message=i, saved_tokens=tokens) for i, tokens in saved.items()]


@pytest.mark.parametrize(
    ("read", "saved", "gain"),
    [
        ("0.1", 1149, "-1.0"),
        ("0.1", 1150, "0"),
        ("0.1", 1151, "1.0"),
        ("0.05", 2399, "-0.5"),
        ("0.05", 2400, "0"),
        ("0.05", 2401, "0.5"),
        ("0.025", 4899, "-0.25"),
        ("0.025", 4900, "0"),
        ("0.025", 4901, "0.25"),
    ],
)
def test_break_even_at_each_read_price(read: str, saved: int, gain: str) -> None:
    """W = 1,000 and T = 10: S pays above 11.5, 24 or 49 tenths of W, as reads cost 1/12.5, 1/25 or 1/50 of a write.

    Where both sides are equal, nothing is gained, and nothing enters.
    """
    economy = _economy({4: 700}, held=700 + saved + 1000, n_left=10, read=read)
    found = best_cut(_candidates({4: saved}), economy)
    assert (found.saved_tokens, found.rewritten_tokens, found.n_left) == (saved, 1000, 10)
    assert (found.read_usd, found.write_usd, found.gain_usd) == (Decimal(read), WRITE, Decimal(gain))
    assert found.from_message == (4 if Decimal(gain) > 0 else None)
    assert found.why_not == (None if Decimal(gain) > 0 else Unpaid.DOES_NOT_PAY)


@pytest.mark.parametrize(("readable", "rewritten", "enters"), [(25_000, 3000, True), (0, 28_000, False)])
def test_what_is_written_anew_is_what_look_back_does_not_read(readable: int, rewritten: int, *, enters: bool) -> None:
    """An edit at token 25,000 of 30,000: were all before it read, 2,000 x 20 would pay; look-back finds nothing."""
    found = best_cut(_candidates({9: 2000}), _economy({9: readable}, held=30_000, n_left=20))
    assert (found.rewritten_tokens, found.from_message) == (rewritten, 9 if enters else None)


@pytest.mark.parametrize(
    ("n_left", "from_message", "saved", "rewritten", "gain"),
    [
        (10, None, 10, 990, "-1128.5"),
        (30, 9, 3010, 6990, "991.5"),
        (40, 3, 8010, 20_990, "7901.5"),
    ],
)
def test_the_cut_that_gains_most_is_taken(
    n_left: int, from_message: int | None, saved: int, rewritten: int, gain: str
) -> None:
    """The more requests are left, the shallower the cut; where none pays, the one that loses least is told."""
    economy = _economy({3: 1000, 9: 20_000, 15: 29_000}, held=30_000, n_left=n_left)
    found = best_cut(_candidates({9: 3000, 15: 10, 3: 5000}), economy)
    assert (found.from_message, found.saved_tokens, found.rewritten_tokens) == (from_message, saved, rewritten)
    assert found.gain_usd == Decimal(gain)


def test_outputs_of_one_message_go_together() -> None:
    """Two candidates in one message are one cut, and both are saved."""
    candidates = [Candidate(i_message=3, saved_tokens=n) for n in (300, 200)]
    found = best_cut(candidates, _economy({3: 0}, held=600, n_left=3))
    assert (found.saved_tokens, found.rewritten_tokens, found.gain_usd) == (500, 100, Decimal("35.0"))


def test_what_stands_behind_the_held_tokens_is_free_and_pays_for_nothing_before() -> None:
    """9,000 tokens behind all that is read go for nothing; they do not make the 4,500 before them fewer."""
    economy = _economy({5: 5000, 20: 10_000}, held=10_000, n_left=10)
    found = best_cut(_candidates({5: 500, 20: 9000}), economy)
    assert (found.from_message, found.saved_tokens, found.rewritten_tokens) == (20, 9000, 0)
    found = best_cut(_candidates({5: 500, 20: 9000}), _economy({5: 5000, 20: 10_000}, held=10_000, n_left=1000))
    assert (found.from_message, found.saved_tokens, found.rewritten_tokens) == (5, 9500, 4500)


def test_where_nothing_is_held_everything_pays() -> None:
    """One token, one request left."""
    found = best_cut(_candidates({2: 1}), _economy({2: 0}, held=0, n_left=1))
    assert (found.from_message, found.rewritten_tokens, found.gain_usd) == (2, 0, Decimal("0.1"))


def test_counted_tokens_become_those_of_the_model() -> None:
    """1,000 counted tokens are 1,240: held and readable are the model's already."""
    found = best_cut(_candidates({2: 1000}), _economy({2: 0}, held=2000, n_left=9, factor=1.24))
    assert (found.saved_tokens, found.rewritten_tokens, found.gain_usd) == (1240, 760, Decimal("242.00"))


def test_nothing_to_decide_pays_nothing() -> None:
    """No candidate, no figures."""
    assert best_cut([], _economy({}, held=100, n_left=5)) == Verdict(from_message=None, why_not=Unpaid.DOES_NOT_PAY)


@pytest.mark.parametrize(
    ("n_sent", "tokens", "first_tokens", "window_tokens", "expected"),
    [
        (0, 5000, 5000, 200_000, 1),
        (9, 50_000, 5000, None, 10),
        (9, 50_000, 5000, 200_000, 10),
        (9, 185_000, 5000, 200_000, 1),
        (19, 100_000, 5000, 200_000, 20),
        (19, 180_000, 5000, 200_000, 3),
        (9, 4000, 5000, 200_000, 10),
        (9, 250_000, 5000, 200_000, 1),
    ],
)
def test_as_many_are_left_as_there_were_and_fit_into_the_window(
    n_sent: int, tokens: int, first_tokens: int, window_tokens: int | None, expected: int
) -> None:
    """This one included; growing by 5,000 from 50,000 on, 30 more fit; from 185,000 by 20,000, none."""
    left = requests_left(n_sent, tokens=tokens, first_tokens=first_tokens, window_tokens=window_tokens)
    assert left == expected


class Judging:
    """Lets in what stands in or behind a message, and remembers what it was asked."""

    def __init__(self, from_message: int | None = None, why_not: Unpaid | None = Unpaid.DOES_NOT_PAY) -> None:
        """Say the same each time."""
        self.from_message = from_message
        self.why_not = why_not
        self.asked: list[list[tuple[int, int]]] = []

    def judge(self, request: Request, placed: Sequence[Placed], candidates: Sequence[Candidate]) -> Verdict:
        """What it was told to say."""
        del request, placed
        self.asked.append([(one.i_message, one.saved_tokens) for one in candidates])
        return Verdict(from_message=self.from_message, why_not=self.why_not if self.from_message is None else None)


def _history(n: int, **fields: object) -> Json:
    return body(user("go"), *(part for i in range(n) for part in turn(i, OUTPUTS[i])), **fields)


def _walk(judge: Judging, *components: Component) -> Walk:
    return Walk(stepper(*components, rule=HeldRule.PAYS), judge=judge)


def _take(walk: Walk, n: int, **fields: object) -> list[int]:
    """The messages whose output is changed in a request with *n* outputs, the last of which is new."""
    sent = walk.send(_history(n, **fields), shared=2 * n - 1, held=known(2 * n - 1))
    return [i for i, said in sent.items() if said != OUTPUTS[i // 2 - 1]]


def _why(walk: Walk) -> list[str]:
    """Why each output was left alone, by `age`."""
    return [dict(slot.skips).get("age", "") for slot in walk.state.slots]


def test_the_judge_is_told_what_could_be_decided_and_is_obeyed() -> None:
    """Each old output, 60 characters that 27 would stand for; what is let in stays in."""
    judge = Judging()
    walk = _walk(judge, Age())
    assert [_take(walk, n) for n in (1, 2, 3)] == [[], [], []]
    judge.from_message = 4
    assert _take(walk, 4) == [4, 6]
    judge.from_message = None
    assert _take(walk, 5) == [4, 6]
    assert judge.asked == [[(2, 33)], [(2, 33), (4, 33)], [(2, 33), (4, 33), (6, 33)], [(2, 33), (8, 33)]]


@pytest.mark.parametrize("why_not", list(Unpaid))
def test_outputs_say_why_they_were_not_let_in(why_not: Unpaid) -> None:
    """The word is the judge's, also for an output that was met before it could be judged."""
    walk = _walk(Judging(why_not=why_not), Age())
    walk.send(_history(2), shared=0, held=unknown(4))
    assert _why(walk) == ["prefix_unknown", "recent"]
    walk.send(_history(3), shared=5, held=known(5))
    assert _why(walk) == [why_not, why_not, "recent"]
    assert [one.slot.i_message for one in walk.last.considered] == [2, 4, 6]
    walk.send(_history(4), shared=7, held=known(7))
    assert [one.slot.i_message for one in walk.last.considered] == [6, 8]


def test_what_stands_before_the_cut_does_not_pay() -> None:
    """Let in from message 4 on, the output in message 2 says so."""
    judge = Judging()
    walk = _walk(judge, Age())
    _take(walk, 1)
    _take(walk, 2)
    judge.from_message = 4
    assert _take(walk, 3) == [4]
    assert _why(walk) == ["does_not_pay", "", "recent"]


def test_on_a_cold_turn_nobody_is_asked() -> None:
    """All may enter, as with the held prefix respected."""
    judge = Judging()
    walk = _walk(judge, Age())
    _take(walk, 1)
    sent = walk.send(_history(2), shared=3, held=known(3, is_cold=True))
    assert sent[2] != OUTPUTS[0]
    assert judge.asked == []


class Counting:
    """Does what `Age` does, and counts how often it is asked about each output."""

    name: ClassVar[str] = "age"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True

    def __init__(self, *, settles: bool) -> None:
        """It says of itself that it *settles*."""
        self.settles = settles
        self.asked: dict[str, int] = {}

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The marker, from the second newest on."""
        self.asked[slot.text[0]] = self.asked.get(slot.text[0], 0) + 1
        if slot.i_output == slot.n_outputs - 1:
            return Skip(reason="recent")
        return Reduction(text=f"old {marker(slot.key)}")


def test_work_follows_what_is_new() -> None:
    """An output is asked about when it is new, and when it is old with and without the gate; not on every turn."""
    counting = Counting(settles=True)
    walk = _walk(Judging(), counting)
    for n in range(1, 9):
        _take(walk, n)
    assert counting.asked == {**dict.fromkeys("abcdefg", 3), "h": 1}


def test_what_may_change_is_asked_again() -> None:
    """A component that does not say that its answers settle is asked on each turn what it would save."""
    counting = Counting(settles=False)
    walk = _walk(Judging(), counting)
    for n in range(1, 5):
        _take(walk, n)
    assert counting.asked == {"a": 5, "b": 4, "c": 3, "d": 1}


def test_what_is_let_in_is_not_evaluated_twice() -> None:
    """What the judge was told is what is taken: once when it is new, once when it is old."""
    counting = Counting(settles=True)
    walk = _walk(Judging(from_message=0), counting)
    for n in range(1, 5):
        _take(walk, n)
    assert counting.asked == {"a": 2, "b": 2, "c": 2, "d": 1}


def test_an_earlier_depth_forgets_what_could_be_saved() -> None:
    """Back at two outputs the second is the newest again, so it is no candidate."""
    judge = Judging()
    walk = _walk(judge, Age())
    for n in range(1, 5):
        _take(walk, n)
    walk.send(_history(2), shared=5, held=known(5))
    assert judge.asked[-1] == [(2, 33)]


def test_pure_decisions_are_replayed_beside() -> None:
    """What a component decided at first send is no candidate, and stays."""
    judge = Judging()
    walk = _walk(judge, Drop())
    assert [_take(walk, n) for n in (1, 2, 3)] == [[2], [2, 4], [2, 4, 6]]
    assert judge.asked == []


def _thinking(n: int, model: str) -> Json:
    """A history with signed thinking in its second answer."""
    made = _history(n, model=model)
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    made["messages"][3]["content"].insert(0, thought)
    return made


@pytest.mark.parametrize("rule", [HeldRule.PAYS, HeldRule.IGNORE])
@pytest.mark.parametrize(
    ("model", "changed", "why"),
    [
        ("claude-opus-5-5", [4], ["thinking_bound", "", "recent"]),
        ("claude-opus-5", [2, 4], ["", "", "recent"]),
    ],
)
def test_nothing_enters_before_signed_thinking(model: str, changed: list[int], why: list[str], rule: HeldRule) -> None:
    """On a model that binds thinking to what stands before it, the provider would answer with 400."""
    walk = Walk(stepper(Age(), rule=rule), judge=Judging(from_message=0))
    walk.send(_thinking(2, model), shared=0, held=unknown(4))
    sent = walk.send(_thinking(3, model), shared=5, held=known(5))
    assert [i for i, said in sent.items() if said != OUTPUTS[i // 2 - 1]] == changed
    assert _why(walk) == why
