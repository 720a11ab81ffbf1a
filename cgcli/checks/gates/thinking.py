"""G-THINKING: signed thinking goes back as it came, and nothing that it is bound to is edited."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cgcli.checks.base import Rule
from cgcli.checks.faults import Faults
from cgcli.checks.places import Place
from cgcli.checks.signed import first_other, fixed_head, same_words, signed_in, unsigned_in
from cgcli.checks.verdict import INDEPENDENT, settle, without_head
from cgcli.dialects.content import content_blocks
from cgcli.lanes import Relation
from cgcli.model import Section
from cgcli.prefix import common_messages
from cgcli.providers.compaction_support import ITEM
from cgcli.providers.thinking import DROPS_INSTEAD, SOURCE, binds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Finding, Result
    from cgcli.checks.signed import Signed
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane
    from cgcli.lanes.snapshot import Snapshot

RULE = Rule(
    gate="G-THINKING",
    title="Signed thinking comes back unchanged, behind an unchanged prefix",
    checks=(
        "Each request that goes on from another. On every model: a thinking block that was sent before has the same "
        "text under the same signature, and keeps its signature; a reasoning item (Responses) keeps what is sealed. "
        "On models that bind thinking to what stands before it: no tool, system block or message before a block that "
        "is kept has changed, and thinking was dropped only from the start, from the end, or all of it."
    ),
    why=(
        "Changed thinking is answered with 400. On models that bind it, so is thinking behind an edited prefix: there, "
        "shortening an old tool result is no mere cache miss. Dropped blocks are thought again, and billed again."
    ),
    failing=(
        'turn 1  [user, assistant: thinking + call, result "120 lines"]\n'
        'turn 2  [user, assistant: thinking + call, result "(left out)", assistant: thinking + call, …]'
    ),
    passing=(
        'turn 2  [user, assistant: thinking + call, result "120 lines", assistant: thinking + call, …]\n'
        'or      [user, assistant: call, result "(left out)", assistant: call, …]      no thinking is kept'
    ),
    fix=(
        "Reduce an output before it is sent first. To edit what was sent, drop the thinking behind the edit too, or "
        "let the server edit (context editing, compaction)."
    ),
    proves_not=("That signatures are valid, or that the account enforces the binding (older accounts ask for it)."),
    source=f"{SOURCE}; the error `thinking blocks in the latest assistant message cannot be modified`.",
    since="0.2.0",
)


class Thinking:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-THINKING at work."""

    def __init__(self, context: Context) -> None:
        """Nothing is checked yet."""
        self._context = context
        self._digests: dict[str, bytes] = {}
        """What was sent under each seal."""
        self._reused: set[str] = set()
        """Seals that stand over several thoughts: no provider's, so nothing is known by them."""
        self._new: dict[int, int] = {}
        """For each thread, how many blocks its next request can change."""
        self._faults = Faults(context)
        self._checked = 0
        self._has_bound = False

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Compare the request's thinking with what was sent before."""
        if self._context.is_independent:
            return
        if turn.before is not None:
            self._checked += self._new.pop(turn.thread, 0)
        yield from self._unsealed(turn)
        if binds(turn.request.model) and turn.request.dialect == "anthropic":
            yield from self._bound(turn)
        yield from self._remember(turn)

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on changed thinking, and on an edited prefix where it counts."""
        del lanes
        return settle(
            RULE,
            unit="signed thinking blocks",
            checked=self._checked,
            findings=findings,
            nothing=INDEPENDENT if self._context.is_independent else "no signed thinking is sent a second time",
            unknown=without_head(self._context) if self._has_bound else None,
        )

    def _remember(self, turn: Turn) -> Iterator[Finding]:
        """Look at the thinking of the new messages; a seal is known in the whole file."""
        for i in turn.fresh:
            for one in signed_in(turn.request.messages[i]):
                if one.seal in self._reused:
                    continue
                known = self._digests.setdefault(one.seal, one.digest)
                if known is one.digest:
                    self._new[turn.thread] = self._new.get(turn.thread, 0) + 1
                elif known != one.digest and self._still_stands(turn, one.seal, known):
                    self._reused.add(one.seal)
                elif known != one.digest:
                    yield from self._faults.once(
                        turn,
                        "thinking_changed",
                        one.seal,
                        "signed thinking is not what was sent before under the same signature: answered with 400",
                        place=_place(i, one.inner),
                    )

    @staticmethod
    def _still_stands(turn: Turn, seal: str, digest: bytes) -> bool:
        """True where the request has what was sent under *seal* first too: a stand-in, as in scrubbed files."""
        signed = (one for item in turn.request.messages for one in signed_in(item))
        return any(one.seal == seal and one.digest == digest for one in signed)

    def _unsealed(self, turn: Turn) -> Iterator[Finding]:
        """At the first message that differs: thinking whose signature or sealed data is another one now, or gone."""
        before = turn.before
        if before is None or before.states == turn.request.states[: len(before.states)]:
            return
        i = common_messages(before.states, turn.request.states)
        now = turn.request.messages
        if i >= len(before.messages) or i >= len(now) or not same_words(before.messages[i], now[i]):
            return
        was_signed, is_signed = signed_in(before.messages[i]), signed_in(now[i])
        for inner in unsigned_in(now[i]) if was_signed else ():
            yield from self._faults.once(
                turn,
                "signature_removed",
                (i, inner),
                "thinking that was signed has no signature any more: answered with 400",
                place=_place(i, inner),
            )
        for was, one in zip(was_signed, is_signed, strict=False):
            same_place = was.inner == one.inner and len(was_signed) == len(is_signed)
            if same_place and was.seal != one.seal and was.digest == one.digest and one.seal not in self._digests:
                yield from self._faults.once(
                    turn,
                    "signature_changed",
                    one.seal,
                    "the same thinking has another signature than it had: answered with 400",
                    place=_place(i, one.inner),
                )

    def _bound(self, turn: Turn) -> Iterator[Finding]:
        """On a model that binds thinking: was something before it edited, or thinking dropped from the middle?"""
        self._has_bound = True
        before = turn.before
        request = turn.request
        if before is None:
            # Nothing leads over from an earlier request, so thinking that one had stands behind another prefix here.
            yield from self._edited(turn, 0, None)
            return
        if turn.breaks is None or _compacted_by_server(turn):
            return
        head = _changed_head(before, turn)
        if head is not None:
            yield from self._edited(turn, 0, head)
            return
        start = common_messages(before.states, request.states)
        other = first_other(before.messages, request.messages, start)
        if other is not None:
            yield from self._edited(turn, other, None)
        elif turn.placement.relation is not Relation.BRANCHES:
            yield from self._dropped(turn, before, start)

    def _edited(self, turn: Turn, start: int, head: str | None) -> Iterator[Finding]:
        """Is thinking kept from message *start* on, behind the edit?"""
        messages = turn.request.messages
        goes_on = turn.before is not None and turn.placement.relation in (Relation.EXTENDS, Relation.EDITS)
        answered = len(turn.before.messages) if turn.before is not None and goes_on else None
        if turn.before is None and _compacted_by_server(turn):
            return
        for i in range(start, len(messages)):
            kept = [one for one in signed_in(messages[i]) if one.seal in self._digests or i == answered]
            if not kept:
                continue
            place = _place(start) if head is None else _place_of_break(turn)
            where = place.path if turn.before is not None else "the conversation"
            says = "has changed" if turn.before is not None else "begins otherwise"
            yield from self._faults.once(
                turn,
                "bound_prefix_edited",
                where,
                f"{where} {says}, and the thinking at {_place(i, kept[0].inner).path} is bound to what stood there",
                place=place,
                is_note=_drops_instead(turn),
            )
            return

    def _dropped(self, turn: Turn, before: Snapshot, start: int) -> Iterator[Finding]:
        """Thinking that is gone between two blocks that are kept."""
        messages = turn.request.messages
        kept = {one.seal for i in range(start, len(messages)) for one in signed_in(messages[i])}
        follows_kept = any(signed_in(item) for item in messages[:start])
        gap: tuple[int, Signed] | None = None
        for i in range(start, len(before.messages)):
            for one in signed_in(before.messages[i]):
                if one.seal not in kept:
                    gap = gap or ((i, one) if follows_kept else None)
                elif gap is not None:
                    yield from self._faults.once(
                        turn,
                        "dropped_from_middle",
                        gap[1].seal,
                        f"thinking was dropped at messages.{gap[0]}, and is kept before and behind it",
                        place=_place(min(gap[0], len(messages) - 1)),
                        is_note=_drops_instead(turn),
                    )
                    return
                else:
                    follows_kept = True


def _place(i_message: int, inner: str = "") -> Place:
    return Place(section=Section.MESSAGES, i_item=i_message, inner=inner)


def _place_of_break(turn: Turn) -> Place:
    found = turn.breaks
    if found is None:
        return _place(0)
    inner = ".".join(found.path.split(".")[2:])
    return Place(section=found.section, i_item=found.i_item, inner=inner)


def _changed_head(before: Snapshot, turn: Turn) -> str | None:
    """`system` or `tools`, where it has changed."""
    request = turn.request
    for name, was, now in (("tools", before.tools, request.tools), ("system", before.system, request.system)):
        mine, theirs = fixed_head(was), fixed_head(now)
        if mine is not None and theirs is not None and mine != theirs:
            return name
    return None


def _compacted_by_server(turn: Turn) -> bool:
    """True where the request begins with a compaction block: the server edited, and knows what it did."""
    messages = turn.request.messages
    if not messages or not messages[0].has(b'"compaction"'):
        return False
    return any(block.get("type") == ITEM for block in content_blocks(messages[0]))


def _drops_instead(turn: Turn) -> bool:
    """True where the request asks that mismatching blocks be dropped instead of refused."""
    written = next((param.written for param in turn.request.params if param.path == "thinking"), b"{}")
    thinking = json.loads(written)
    binding = thinking.get("block_binding") if isinstance(thinking, dict) else None
    return isinstance(binding, dict) and binding.get("prefix_mismatch_behavior") == DROPS_INSTEAD
