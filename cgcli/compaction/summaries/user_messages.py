"""What the user said in a span, as the messages that stand before its summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.compaction.components.cuts import cut_before, cut_behind
from cgcli.select.staying import SYSTEM_ROLES, without_reminders
from cgcli.select.summaries import is_summary
from cgcli.select.texts import BY_USER, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cgcli.model import Item

    Count = Callable[[str], int]

_FRAGMENTS = (
    ("# AGENTS.md instructions", "</INSTRUCTIONS>"),
    ("<user_instructions>", "</user_instructions>"),
    ("<environment_context>", "</environment_context>"),
    ("<skill>", "</skill>"),
    ("<user_shell_command>", "</user_shell_command>"),
    ("<turn_aborted>", "</turn_aborted>"),
    ("<subagent_notification>", "</subagent_notification>"),
)
"""What Codex puts into messages of the user's: beginning and end of the text, in either case (read 2026-11-30)."""


def kept_texts(messages: Sequence[Item], *, most_tokens: int, count: Count, mark: str = "") -> tuple[str, ...]:
    """The texts of the user's *messages*, the newest that fit into *most_tokens*, in order.

    The newest one that does not fit is cut in the middle, with *mark* where it was cut; those before it are left out.
    An earlier summary is none of them, nor is what only an agent put there.

    Source: Codex, `build_compacted_history_with_limit`; it counts a token for four bytes.
    """
    found: list[str] = []
    left = most_tokens
    for item in reversed(messages):
        if left <= 0:
            break
        text = said(item)
        if text is None:
            continue
        tokens = count(text)
        if tokens > left:
            found.append(cut_in_the_middle(text, left, count=count, mark=mark))
            break
        found.append(text)
        left -= tokens
    return tuple(reversed(found))


def said(item: Item) -> str | None:
    """The text of a message in which the user speaks, whole; None where the user does not, or shows only images."""
    if item.role != "user" or is_summary(item):
        return None
    found = [text for text in texts(item, BY_USER) if text]
    return "\n".join(found) if any(map(_has_words, found)) else None


def n_context(messages: Sequence[Item]) -> int:
    """How many of *messages* lead the others as initial context: system messages, and what only an agent put there."""
    return next((i for i, item in enumerate(messages) if not _is_context(item)), len(messages))


def _is_context(item: Item) -> bool:
    if item.role in SYSTEM_ROLES:
        return True
    if item.role != "user" or is_summary(item) or any(part.kind not in BY_USER for part in item.parts):
        return False
    return not any(map(_has_words, texts(item, BY_USER)))


def cut_in_the_middle(text: str, most_tokens: int, *, count: Count, mark: str = "") -> str:
    """The head and the tail of *text*, together at most *most_tokens*, with how much went between them, and *mark*."""
    tokens = count(text)
    n_chars = len(text) * most_tokens // max(1, tokens)
    head, tail = _ends(text, n_chars)
    while n_chars and count(head) + count(tail) > most_tokens:
        n_chars = min(n_chars - 1, n_chars * most_tokens // (count(head) + count(tail)))
        head, tail = _ends(text, n_chars)
    return f"{head}…{tokens - count(head) - count(tail)} tokens truncated{mark}…{tail}"


def _ends(text: str, n_chars: int) -> tuple[str, str]:
    n_head = n_chars // 2
    return text[: cut_before(text, n_head)], text[cut_behind(text, len(text) - n_chars + n_head) :]


def _has_words(text: str) -> bool:
    words = without_reminders(text).strip()
    return bool(words) and not any(_is_between(words, opens, closes) for opens, closes in _FRAGMENTS)


def _is_between(text: str, opens: str, closes: str) -> bool:
    head, tail = text[: len(opens)], text[-len(closes) :]
    return head.casefold() == opens.casefold() and tail.casefold() == closes.casefold()
