"""How small a request can get: what no level takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from cgcli.compaction.body import Body
    from cgcli.compaction.components.ladder.conversation import Conversation, Result
    from cgcli.compaction.components.ladder.sizes import Sizes


def newest(results: Sequence[Result], removed: AbstractSet[int], n: int) -> Sequence[Result]:
    """The last *n* of *results* that are not in a *removed* message; none where *n* is 0 or less."""
    live = [one for one in results if one.i_message not in removed]
    return live[max(0, len(live) - max(0, n)) :]


def floor_tokens(
    protected_results: Sequence[Result], body: Body, talk: Conversation, sizes: Sizes, removed: AbstractSet[int]
) -> int:
    """Counted tokens of the fixed head with what the user said last, or of the largest protected result: which is more.

    The head are tools, system prompt and system messages. Each is larger than what a pass could ever get to.
    """
    fixed = {*talk.systems} - removed - talk.absent
    if talk.last_user is not None:
        fixed.add(talk.last_user)
    head = sizes.head_tokens + sum(sizes.messages(i, i + 1) for i in fixed)
    return max(head, *(sum(body.view.tokens(i) for i in one.i_outputs) for one in protected_results), 0)
