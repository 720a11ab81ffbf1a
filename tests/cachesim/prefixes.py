"""Chat bodies of a known size for the caches without breakpoints: a word is a token, a message three more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.cachesim.options import CacheOptions
from cgcli.cachesim.simulator import Simulator
from cgcli.model import Refusal
from tests.cachesim.caching import Json, Sent, Words, request, words

if TYPE_CHECKING:
    from cgcli.cachesim.simulated import Simulated


def sent(**options: Any) -> Sent:
    """A simulator with these options, which numbers what it is sent."""
    return Sent(Simulator(Words, options=CacheOptions(**options)))


def said(role: str, n: int, word: str = "w") -> Json:
    """A message of *n* tokens."""
    return {"role": role, "content": words(n - 3, word)}


def headed(role: str, n_alike: int, n: int, word: str) -> Json:
    """A message of *n* tokens whose first *n_alike* words are those of every such message."""
    return {"role": role, "content": f"{words(n_alike)} {words(n - 3 - n_alike, word)}"}


def chat(model: str, *messages: Json, **fields: Any) -> Json:
    """A Chat Completions body."""
    return {"model": model, "messages": list(messages), **fields}


def plain(found: Simulated) -> tuple[int, int, str | None]:
    """Read, fresh, and why no more; nothing is ever written at a price."""
    assert not found.write_by_ttl_s
    return found.read_tokens, found.fresh_tokens, found.why


def read_if_edited(of: Sent, body: Json, from_message: int) -> int:
    """What *body* would read if its messages from there on were other ones."""
    edited = of.simulator.edited(request(body), sent_s=None)
    assert not isinstance(edited, Refusal)
    return edited.from_message(from_message).read_tokens
