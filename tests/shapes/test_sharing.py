"""What two requests have in common from the first byte on, by bodies that are written down here."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.prefix.difference import agreeing
from cgcli.readers.single import parse_body
from cgcli.shapes.sharing import sharing
from cgcli.tokens.ruler import Ruler
from tests.calls.asking import SESSION, assistant, claude, compact, result, text, user

if TYPE_CHECKING:
    from cgcli.shapes.comparison import Sharing

RULER = Ruler("claude-opus-4-8")
PARENT = claude(*SESSION)
N = len(SESSION)


def shared(call: dict[str, Any] | bytes, n_prefix: int = N) -> Sharing:
    """What *call* shares with the parent."""
    body = call if isinstance(call, bytes) else compact(call)
    return sharing(parse_body(compact(PARENT)), parse_body(body), RULER, n_prefix=n_prefix)


def test_a_fork_shares_all() -> None:
    """One tool, one system block, nine blocks of messages; the hash is the parent's own."""
    found = shared(claude(*SESSION, user("Sum up.")))
    parent = shared(PARENT)

    assert (found.blocks, found.parts_at, found.kind) == (11, None, None)
    assert (found.is_exact, found.is_same_bytes) == (True, True)
    assert found.prefix_sha256 == parent.prefix_sha256
    assert len(bytes.fromhex(found.prefix_sha256)) == sha256().digest_size


def test_other_spelling_is_exact_and_other_bytes() -> None:
    """Neither spaces nor a text as a list of one count for the provider; the bytes are told apart."""
    spaced = json.dumps(claude(*SESSION, user("Sum up.")), indent=1).encode()
    listed = claude(*SESSION[:-1], user(text("Now test them.")), user("Sum up."))

    for call in (spaced, listed):
        found = shared(call)
        assert (found.is_exact, found.is_same_bytes) == (True, False)


@pytest.mark.parametrize(
    ("call", "blocks", "parts_at", "kind"),
    [
        (claude(*SESSION, user("x"), tools=[]), 0, "tools.0", "tools_changed"),
        (claude(*SESSION, user("x"), system="You are another."), 1, "system", "system_changed"),
        (claude(*SESSION, user("x"), model="claude-haiku-4-5"), 0, "model", "model_changed"),
        (
            claude(user(text("Build none.")), *SESSION[1:], user("x")),
            2,
            "messages.0.content.0.text",
            "messages_changed",
        ),
        (claude(SESSION[0], assistant("Sure."), user("x")), 3, "messages.1.content", "messages_changed"),
        (claude(*SESSION[:3]), 6, "messages.3", None),
    ],
    ids=["tools", "system", "model", "first message", "second message", "cut"],
)
def test_the_first_difference_is_told(call: dict[str, Any], blocks: int, parts_at: str, kind: str | None) -> None:
    """How many blocks stand before it, where it is and of what kind."""
    found = shared(call, n_prefix=0)

    assert (found.blocks, found.parts_at, found.kind, found.is_exact) == (blocks, parts_at, kind, False)


def test_tokens_are_those_of_the_shared_blocks() -> None:
    """A cut after the third message shares what a request of three messages has; half of a message counts too."""
    cut = claude(*SESSION[:3])
    half = claude(*SESSION[:2], user(result("a", "part 1 compiled " * 40), text("more")))
    measured = RULER.tokens(RULER.measure(parse_body(compact(cut))).total)

    assert shared(cut, n_prefix=3).tokens == measured
    assert 0 < shared(claude(*SESSION[:1], user("x")), n_prefix=0).tokens < shared(half, n_prefix=0).tokens <= measured


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=9))
def test_common_bytes_are_counted(head: bytes, one: bytes, other: bytes) -> None:
    """As by comparing one by one."""
    a, b = head + one, head + other
    expected = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))

    assert agreeing(memoryview(a), memoryview(b)) == expected
