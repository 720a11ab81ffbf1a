"""What stands in the place of a truncated output, of a user's message, and of messages that were left out."""

from __future__ import annotations

from cgcli.compaction.components.cuts import cut_before
from cgcli.compaction.components.marks import HINT
from cgcli.compaction.components.mask import peek
from cgcli.markers import EXPAND_TOOL, KEY_HEX, key, marker

STUB_CHARS = 80
"""A user's text is stubbed where it is longer (amplifier)."""
_PREVIEW_CHARS = 50
_ANY_KEY = "f0e1d2c3b4a59687"
_MANY = 9999


def truncated(text: str, tokens: int, n_chars: int) -> str:
    """The first *n_chars* characters of an output with so many *tokens*, below a line that says so."""
    head = text[: cut_before(text, n_chars)]
    says = f"[tool output truncated: about {tokens:,} tokens; the first {len(head)} characters follow]"
    return f"{says} {marker(key(text))}{HINT}\n{head}..."


def stub(text: str) -> str:
    """One line for what a user said, with its beginning."""
    begins = peek(text, _PREVIEW_CHARS)
    return (
        f"[earlier message of the user, shortened; it begins: {begins}] "
        f"{marker(key(text))} [full message: call {EXPAND_TOOL}]"
    )


def note(n_messages: int, key: str) -> str:
    """One line for *n_messages* that were left out, whose bytes have that *key*."""
    noun = "message" if n_messages == 1 else "messages"
    return f"[{n_messages} earlier {noun} left out] {marker(key)} [as they were: call {EXPAND_TOOL}]"


def longest_note() -> tuple[str, str, int]:
    """A note about many messages, the key in it, and the most tokens that a key can have: one for each hex digit."""
    return note(_MANY, _ANY_KEY), _ANY_KEY, KEY_HEX
