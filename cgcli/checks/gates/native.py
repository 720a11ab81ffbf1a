"""G-NATIVE: what the provider compacted is brought along, once, in its place, and nothing of it is sent again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.native_blocks import Compaction, asked, compactions, is_trigger, refused, settings_of
from cgcli.checks.base import Rule
from cgcli.checks.faults import Faults
from cgcli.checks.folding import Folding
from cgcli.checks.places import Place
from cgcli.checks.verdict import settle
from cgcli.model import Section
from cgcli.providers.compaction_support import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.calls.native_blocks import Asked
    from cgcli.checks.base import Context, Finding, Result
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane
    from cgcli.model import Digest, Item

RULE = Rule(
    gate="G-NATIVE",
    title="The provider's own compaction is brought along, once, and in its place",
    checks=(
        "Each request that asks for compaction by the provider, or brings its result along (a `compaction` block or "
        "item). Claude on demand: one signed block, unchanged, first of all, nothing that it summarises behind it; no "
        "`context_management`, stop sequences, forced tool or output format beside the call. Claude at a threshold: a "
        "trigger of 50,000 or more, no signed block beside it, no empty block. OpenAI: a trigger item comes last. All: "
        "a later request that goes on from behind the block still has it."
    ),
    why=(
        "A block in the wrong place, twice or changed is answered with 400. Two mistakes are silent: what was "
        "summarised and is sent again is billed twice over, and a request without the block has lost the summary."
    ),
    failing=(
        "turn 8  [compaction block, user, assistant, user]\n"
        "turn 9  [user, assistant, user, assistant, user]      the block is gone, and the model knows nothing of before"
    ),
    passing="turn 9  [compaction block, user, assistant, user, assistant, user]",
    fix=(
        "Keep the answer's block byte for byte, as the first message; drop what it summarises and keep what follows. "
        "After another compaction keep only the newest block."
    ),
    proves_not="That the summary is a good one, or that the header of the beta was sent: headers are not recorded.",
    source=f"{SOURCE}.",
    since="0.2.0",
)
_UNIT = "requests with compaction by the provider"
_MOST_KEPT = 8


def _step(found: tuple[Compaction, ...], item: Item, i: int) -> tuple[Compaction, ...]:
    more = compactions(item, i)
    return (*found, *more)[-_MOST_KEPT:] if more else found


class Native:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-NATIVE at work."""

    def __init__(self, context: Context) -> None:
        """Nothing is checked yet."""
        self._blocks: Folding[tuple[Compaction, ...]] = Folding((), _step)
        self._faults = Faults(context)
        self._checked = 0
        self._digests: dict[str, bytes] = {}
        self._calls: dict[Digest, frozenset[Digest]] = {}
        """What each call on demand covers, by tools and system; until its block is met."""
        self._passed_over: set[Digest] = set()
        """The calls behind which requests went on without a block."""
        self._covered: dict[str, frozenset[Digest]] = {}
        """The answers that each block stands for, as far as they were seen."""
        self._behind: dict[Digest, str] = {}
        """Answers that stood behind a block."""
        self._openings: set[Digest] = set()
        """The first messages of conversations without a block."""

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Look at what the request asks for, and at the blocks it has."""
        request = turn.request
        if request.dialect == "openai-chat":
            return
        found, _ = self._blocks.advance(turn)
        outside = settings_of(request)
        wants = asked(request, outside)
        self._checked += bool(found or wants.on_demand or wants.threshold)
        if request.dialect == "anthropic":
            if wants.on_demand or wants.threshold:
                for kind, says, path in refused(request, outside):
                    yield from self._faults.once(turn, kind, says, says, place=path)
            yield from self._claude(turn, found, wants)
        else:
            yield from self._triggers(turn)
        if found:
            yield from self._with_block(turn, found)
        else:
            yield from self._without_block(turn, wants)
        if wants.on_demand:
            self._calls[request.static] = frozenset(_answers(request.messages))

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on a block that is refused, lost, or sent beside what it stands for."""
        del lanes
        n_lost = len(self._passed_over)
        return settle(
            RULE,
            unit=_UNIT,
            checked=self._checked,
            findings=findings,
            nothing="no request asks for compaction by the provider, or has a block of one",
            unknown=f"no later request has the block of a compaction call ({n_lost}), and answers are not recorded"
            if n_lost
            else None,
        )

    def _claude(self, turn: Turn, found: tuple[Compaction, ...], wants: Asked) -> Iterator[Finding]:
        signed = [block for block in found if block.is_signed]
        for block in found:
            if block.is_empty:
                yield from self._faults.once(
                    turn, "empty_block", block.seal, "a compaction block without content: refused", place=_place(block)
                )
        if not signed:
            return
        first = signed[0]
        if len(signed) > 1:
            says = f"{len(signed)} signed compaction blocks, one may be sent: answered with 400"
            yield from self._faults.once(turn, "several_blocks", signed[1].seal, says, place=_place(signed[1]))
        if (first.i_message, first.i_block) != (0, 0):
            says = "a signed compaction block is not the first of all: answered with 400 (compaction_block_misplaced)"
            yield from self._faults.once(turn, "misplaced", first.seal, says, place=_place(first))
        if first.null_members:
            says = f"the block has `{first.null_members[0]}: null`, which the answer did not have: answered with 400"
            yield from self._faults.once(turn, "null_member", first.seal, says, place=_place(first))
        if wants.threshold:
            says = "compaction at a threshold cannot run on a request with a signed block"
            yield from self._faults.once(turn, "both_kinds", first.seal, says, place=_place(first))

    def _triggers(self, turn: Turn) -> Iterator[Finding]:
        messages = turn.request.messages
        for i in range(max(0, turn.fresh.start - 1), len(messages) - 1):
            if is_trigger(messages[i]):
                place = Place(section=Section.MESSAGES, i_item=i)
                yield from self._faults.once(
                    turn, "trigger_not_last", i, "the trigger of a compaction must be the last item", place=place
                )

    def _with_block(self, turn: Turn, found: tuple[Compaction, ...]) -> Iterator[Finding]:
        """The newest block is what it was, and nothing that it stands for comes behind it."""
        request, block = turn.request, found[-1]
        for one in found:
            if self._digests.setdefault(one.seal, one.digest) != one.digest:
                says = "a compaction block is not what was sent before under the same signature or id: refused"
                yield from self._faults.once(turn, "block_changed", one.seal, says, place=_place(one))
        if block.seal not in self._covered:
            before = frozenset(_answers(request.messages[: block.i_message]))
            self._covered[block.seal] = self._calls.pop(request.static, frozenset()) | before
            self._passed_over.discard(request.static)
        covered = self._covered[block.seal]
        for i in range(max(turn.fresh.start, block.i_message + 1), len(request.messages)):
            item = request.messages[i]
            is_first = not covered and i == block.i_message + 1 and item.rendered in self._openings
            if is_first or item.rendered in covered:
                place = Place(section=Section.MESSAGES, i_item=i)
                says = (
                    "what the compaction block stands for is sent again behind it: billed twice, and no error says so"
                )
                yield from self._faults.once(turn, "sent_again", block.seal, says, place=place)
            elif _is_answer(item):
                self._behind.setdefault(item.rendered, block.seal)

    def _without_block(self, turn: Turn, wants: Asked) -> Iterator[Finding]:
        """No block: rightly so, unless the request goes on from behind one and has not what it stands for."""
        request = turn.request
        if request.static in self._calls and not wants.on_demand:
            self._passed_over.add(request.static)
        seals = (self._behind.get(request.messages[i].rendered) for i in turn.fresh) if self._behind else ()
        seal = next((seal for seal in seals if seal is not None), None)
        if seal is not None and not self._has_all(request.messages, seal):
            says = "the compaction block that stood before these messages is gone: the summary is lost"
            place = Place(section=Section.MESSAGES, i_item=0)
            yield from self._faults.once(turn, "omitted", seal, says, place=place)
        elif turn.before is None and request.messages:
            self._openings.add(request.messages[0].rendered)

    def _has_all(self, messages: tuple[Item, ...], seal: str) -> bool:
        """True where the messages still have what the block stood for."""
        covered = self._covered[seal]
        return messages[0].rendered in self._openings or any(item.rendered in covered for item in messages)


def _place(block: Compaction) -> Place:
    return Place(section=Section.MESSAGES, i_item=block.i_message, inner=block.inner)


def _is_answer(item: Item) -> bool:
    """True for what a model said: no two of them are the same by chance."""
    return item.role == "assistant"


def _answers(messages: tuple[Item, ...]) -> Iterator[Digest]:
    return (item.rendered for item in messages if _is_answer(item))
