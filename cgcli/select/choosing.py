"""Choose the span: the contiguous oldest run of messages that may go, whole groups of tool calls only."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from cgcli.model import Refusal
from cgcli.select.joined import joined
from cgcli.select.selection import DEFAULT_FRACTION, Selection, SpanOptions
from cgcli.select.staying import SYSTEM_ROLES, staying

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.model import Request
    from cgcli.select.joined import Joined
    from cgcli.select.staying import Why

NOTHING_TO_SELECT = "nothing_to_select"
_DEFAULT = SpanOptions()


def select(request: Request, tokens: Sequence[int], options: SpanOptions = _DEFAULT) -> Selection | Refusal:
    """The messages of *request* that a summary is to stand for; *tokens* are the counted ones of each message.

    The messages that stay at the head (a leading run) are left out, and the span ends before the next one that stays.
    Up to there it takes messages until the wanted amount is reached, the one that reaches it included; where that cuts
    a group, it takes the rest of the group, and where that cannot be had, it ends before the group. An amount that is
    not reached gives all that may go. Refused with `nothing_to_select`.

    Source: amplifier-module-context-simple, `_select_summary_absorb_seqs`, with its gaps closed (tool calls in content
    blocks, partly answered groups, the first message).
    """
    messages = request.messages
    n = len(messages)
    if len(tokens) != n:
        raise ValueError(f"{len(tokens)} counts for {n} messages")
    together = joined(request)
    stays = staying(messages, options, together)
    start = next((i for i in range(n) if i not in stays), n)
    limit = next((i for i in range(start, n) if i in stays), n)
    found = ends(together, start, limit, n)
    if not found:
        return Refusal(reason=NOTHING_TO_SELECT, detail=_why_nothing(stays, start, limit, n))
    total = sum(count for count, item in zip(tokens, messages, strict=True) if item.role not in SYSTEM_ROLES)
    wanted = _wanted(tokens[start:limit], total, options) + start
    stop = next((end for end in found if end >= wanted), found[-1])
    return Selection(start=start, stop=stop, tokens=sum(tokens[start:stop]), n_pinned=start)


def ends(together: Joined, start: int, limit: int, n: int) -> list[int]:
    """Where a span that begins at *start* may end, up to *limit*: nowhere inside a group, nor before a result."""
    reach = list(range(n))
    for a, b in together.links:
        reach[a] = max(reach[a], b)
    farthest = list(accumulate(reach[start:limit], max))
    return [
        stop
        for stop in range(start + 1, limit + 1)
        if farthest[stop - 1 - start] < stop and (stop == n or stop not in together.answering)
    ]


def _wanted(tokens: Sequence[int], total: int, options: SpanOptions) -> int:
    """How many of the messages with these *tokens* it takes to reach the wanted amount; all where it is not reached."""
    if options.messages is not None:
        return min(options.messages, len(tokens))
    amount: float | int
    if options.tokens is not None:
        amount = options.tokens
    else:
        amount = total * (DEFAULT_FRACTION if options.fraction is None else options.fraction)
    reached = (i for i, so_far in enumerate(accumulate(tokens), 1) if so_far >= amount)
    return next(reached, len(tokens))


def _why_nothing(stays: Mapping[int, Why], start: int, limit: int, n: int) -> str:
    if start < n:
        bound = f"message {limit} ({stays[limit]})" if limit < n else "the end"
        return f"no group of messages from message {start} on is whole before {bound}"
    if not n:
        return "there are no messages"
    if n == 1:
        return f"the only message stays: {stays[0]}"
    counted = Counter(stays.values())
    return f"all {n} messages stay: " + ", ".join(f"{count} {why}" for why, count in counted.items())
