"""What was decided, and what the user forbade or demanded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.summarisers.extractive.fitting import Entry
from cgcli.summarisers.extractive.lines import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.summarisers.extractive.heard import Heard

_DEMANDS = re.compile(
    r"\b(?:must|never|always|do not|don.t|cannot|can.t|should(?:n.t)?|shall|only|without|avoid|unless|ensure|"
    r"make sure|keep|leave|ask before|before you|instead of|rather than|at (?:most|least)|no more than|required?|"
    r"not allowed|forbidden|prefer)\b|^(?:please |then )?use\b",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\b(?:decided?|decision|chose|choose|chosen|opt(?:ed)? for|(?:will|going to|.ll) (?:use|keep|leave|rename|"
    r"replace|remove|revert|skip|switch)|let.s use|instead of|rather than|must|never|do not|don.t|won.t|"
    r"root cause|(?:cause|reason|problem|issue|bug) (?:is|was)|turns? out|agreed|trade-?off)\b",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\b(?:because|since|so that|therefore|cannot|can.t|fixed|found|confirmed|unchanged|reverted|renamed|"
    r"removed|the fix|works? around|not needed)\b",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"(?:let me|let.s|let us|now|next|first|then|ok|okay|great|good|sure|perfect|i.ll|i will|i.m going|i am going|"
    r"i need to|we need to|we can|we should|here|this should|before|"
    r"i (?:start|begin|read|look|check|run|see|try|am))\b",
    re.IGNORECASE,
)
"""How a sentence begins that says what comes next, which what came next says better."""
_ITEM = re.compile(r"[#*|>+-]|\d{1,3}[.)]\s")
"""A heading, or an item of a list: they say little without the rest."""
_FEWEST_WORDS = 3
_FEWEST_OF_FINDING = 4
_BEHIND = 10_000
"""The assistant's findings rank behind its reasons, these behind its decisions, and these behind the user's demands."""


def decisions(heard: Heard, shown: Sequence[Entry]) -> tuple[Entry, ...]:
    """The user's demands, and the assistant's decisions, reasons and findings, without what is *shown* already.

    The newest rank first.
    """
    known = told(shown)
    found: dict[str, int] = {}
    for said in heard.said:
        who = "user" if said.is_user else "assistant"
        for sentence in sentences(said.text):
            behind = _behind(sentence, is_user=said.is_user)
            if behind is not None and sentence not in known:
                found.pop(f"{who}: {sentence}", None)
                found[f"{who}: {sentence}"] = behind
    return tuple(Entry(lines=(line,), rank=behind - i) for i, (line, behind) in enumerate(found.items()))


def told(shown: Sequence[Entry]) -> set[str]:
    """The sentences that entries show."""
    lines = (line.removeprefix("user: ").removeprefix("assistant: ") for entry in shown for line in entry.lines)
    return {sentence for line in lines for sentence in sentences(line)}


def _behind(sentence: str, *, is_user: bool) -> int | None:
    if sentence.endswith(("?", ":")) or sentence.count(" ") < _FEWEST_WORDS - 1:
        return None
    if is_user:
        return 0 if _DEMANDS.search(sentence) else None
    if _DECIDES.search(sentence):
        return _BEHIND
    if _ANNOUNCES.match(sentence):
        return None
    if _EXPLAINS.search(sentence):
        return 2 * _BEHIND
    is_finding = sentence.count(" ") >= _FEWEST_OF_FINDING - 1 and not _ITEM.match(sentence)
    return 3 * _BEHIND if is_finding else None
