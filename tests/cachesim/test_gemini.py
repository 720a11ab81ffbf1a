"""Gemini's implicit caching, every figure written out."""

from __future__ import annotations

import pytest

from tests.cachesim.prefixes import chat, headed, plain, said, sent


@pytest.mark.parametrize(
    ("model", "least"),
    [("gemini-2.5-flash", 2048), ("google/gemini-2.5-pro", 2048), ("gemini-3.8-flash", 4096), ("gemini-4-argon", 4096)],
)
def test_the_minimum(model: str, least: int) -> None:
    """A token less is not cached; at the minimum all is read, to the token."""
    for size, expected in ((least - 1, (0, least - 1, "below_minimum")), (least, (least, 0, None))):
        of = sent()
        of.send(chat(model, said("user", size)))
        assert plain(of.send(chat(model, said("user", size)))) == expected


def test_what_is_shared_is_read_to_the_token() -> None:
    """3 + 2,500 tokens of an edited output, and too short a head not at all."""
    of = sent()
    model = "gemini-2.5-pro"
    of.send(chat(model, headed("user", 2500, 4000, "full")))
    assert plain(of.send(chat(model, headed("user", 2500, 2600, "cut")))) == (2503, 97, None)
    assert plain(of.send(chat(model, headed("user", 2000, 2600, "less")))) == (0, 2600, "first_request")


def test_a_day_after_its_last_use_it_is_gone() -> None:
    """Or after the time that is chosen."""
    body = chat("gemini-2.5-pro", said("user", 3000))
    for options, life_s in (({}, 86_400.0), ({"gemini_life_s": 300}, 300.0)):
        of = sent(**options)
        of.send(body, 0.0)
        assert plain(of.send(body, life_s)) == (3000, 0, None)
        assert plain(of.send(body, 2 * life_s + 1)) == (0, 3000, "expired")


def test_an_explicit_cache_is_refused() -> None:
    """What it holds is not in the body."""
    found = sent().refused(chat("gemini-2.5-pro", said("user", 3000), cachedContent="cachedContents/1"))
    assert found.reason == "history_not_recorded"
