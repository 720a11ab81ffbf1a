"""DeepSeek's whole units, every figure written out; the first two are the examples of its guide."""

from __future__ import annotations

import pytest

from tests.cachesim.prefixes import chat, headed, plain, read_if_edited, said, sent

V4 = "deepseek-v4-pro"
SYSTEM = said("system", 100, "s")


def test_a_conversation_reads_the_request_before_and_its_answer() -> None:
    """300 tokens were asked and 50 answered: 350 are read, the end of the answer is a unit."""
    of = sent()
    asked = [SYSTEM, said("user", 200, "q")]
    assert plain(of.send(chat(V4, *asked))) == (0, 300, "first_request")
    grown = [*asked, said("assistant", 50, "a"), said("user", 60, "r")]
    found = of.send(chat(V4, *grown))
    assert (plain(found), found.read_from) == ((350, 60, None), 0)
    assert plain(of.send(chat(V4, *grown[:3], said("user", 60, "other"))))[0] == 350


def test_a_shared_beginning_is_read_from_the_third_request_on() -> None:
    """A + B, A + C, A + D: the second finds no whole unit, and makes one of A, 100 + 3 + 300 tokens."""
    of = sent()
    assert plain(of.send(chat(V4, SYSTEM, headed("user", 300, 500, "b")))) == (0, 600, "first_request")
    assert plain(of.send(chat(V4, SYSTEM, headed("user", 300, 500, "c")))) == (0, 600, "messages_changed")
    assert plain(of.send(chat(V4, SYSTEM, headed("user", 300, 500, "d")))) == (403, 197, "messages_changed")
    assert plain(of.send(chat(V4, SYSTEM, headed("user", 200, 500, "e"))))[0] == 0


def test_another_answer_is_not_the_one_that_was_given() -> None:
    """Once an answer was seen, a changed one reads only up to the question."""
    of = sent()
    asked = [SYSTEM, said("user", 200, "q")]
    of.send(chat(V4, *asked))
    of.send(chat(V4, *asked, said("assistant", 50, "a"), said("user", 60, "r")))
    assert plain(of.send(chat(V4, *asked, said("assistant", 50, "edited"), said("user", 60, "r"))))[0] == 300


def test_a_request_that_goes_on_in_its_last_message_is_not_had_whole() -> None:
    """The message of 300 tokens is longer now: neither its end nor an answer to it is read."""
    of = sent()
    of.send(chat(V4, said("user", 300)))
    assert plain(of.send(chat(V4, said("user", 400), said("assistant", 50, "a"))))[0] == 0


@pytest.mark.parametrize(("interval", "expected"), [(8192, 8192), (1000, 9000), (None, 0)])
def test_long_texts_are_stored_at_intervals(interval: int | None, expected: int) -> None:
    """9,003 tokens are shared, and no request or answer ends there."""
    of = sent(deepseek_interval_tokens=interval)
    of.send(chat(V4, headed("user", 9000, 9500, "b")))
    assert plain(of.send(chat(V4, headed("user", 9000, 9500, "c"))))[0] == expected


@pytest.mark.parametrize(("size", "expected"), [(63, (0, 63, "below_minimum")), (64, (64, 0, None))])
def test_the_minimum_is_64(size: int, expected: tuple[int, int, str | None]) -> None:
    """By an earlier edition of the guide."""
    of = sent()
    of.send(chat(V4, said("user", size)))
    assert plain(of.send(chat(V4, said("user", size)))) == expected


def test_a_day_after_its_last_use_it_is_gone() -> None:
    """Or after the time that is chosen."""
    for options, life_s in (({}, 86_400.0), ({"deepseek_life_s": 7200}, 7200.0)):
        of = sent(**options)
        of.send(chat(V4, said("user", 300)), 0.0)
        assert plain(of.send(chat(V4, said("user", 300)), life_s)) == (300, 0, None)
        assert plain(of.send(chat(V4, said("user", 300)), 2 * life_s + 1)) == (0, 300, "expired")


def test_what_is_still_read_before_an_edit() -> None:
    """Units end at 300 (a request), 350 (its answer) and 410 (the next request)."""
    of = sent()
    asked = [SYSTEM, said("user", 200, "q")]
    of.send(chat(V4, *asked))
    grown = chat(V4, *asked, said("assistant", 50, "a"), said("user", 60, "r"))
    of.send(grown)
    assert [read_if_edited(of, grown, i) for i in range(5)] == [0, 0, 300, 350, 410]


def test_an_edit_behind_an_answer_that_was_not_sent_yet_reads_it() -> None:
    """The answer to the last request is held before it is sent back."""
    of = sent()
    of.send(chat(V4, SYSTEM, said("user", 200, "q")))
    grown = chat(V4, SYSTEM, said("user", 200, "q"), said("assistant", 50, "a"), said("user", 60, "r"))
    assert [read_if_edited(of, grown, i) for i in range(5)] == [0, 0, 300, 350, 350]
