"""One pass: level by level, the size looked at after each operation, and no further than it must go."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from cgcli.compaction.components.ladder.floor import newest
from cgcli.compaction.components.ladder.gaps import Gaps
from cgcli.compaction.components.ladder.memory import Memory, Written, runs
from cgcli.compaction.components.ladder.placing import overlapping, slot_bytes
from cgcli.compaction.components.ladder.words import STUB_CHARS, stub, truncated
from cgcli.compaction.entering import THINKING_BOUND
from cgcli.markers import has_placeholder
from cgcli.model import Kind, changed
from cgcli.tokens.meter import slot_text
from cgcli.wire.strings import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from cgcli.compaction.body import Body
    from cgcli.compaction.components.ladder.conversation import Conversation, Result
    from cgcli.compaction.components.ladder.ladder import Ladder
    from cgcli.compaction.components.ladder.sizes import Sizes

LEVELS = 8
ALREADY_MARKED = "already_marked"
ALREADY_REDUCED = "already_reduced"
"""An earlier step has put something of its own into the output."""
BELOW_TRUNCATE_CHARS = "below_truncate_chars"
BELOW_STUB_CHARS = "below_stub_chars"
LAST_USER = "last_user"
NOT_SMALLER = "not_smaller"
PROTECTED_RESULT = "protected_result"
PROTECTED_SIBLING = "protected_sibling"
"""Another message of the same tool group is protected."""
RECENT = "recent"
SYSTEM_MISPLACED = "system_misplaced"
SHARES = (Fraction(1), Fraction("0.6"), Fraction("0.3"))
"""Of `protected_recent`, on levels 3, 5 and 7 (amplifier)."""


class Climb:
    """A lane's decisions, and the ones that one pass adds."""

    def __init__(
        self,
        settings: Ladder,
        body: Body,
        talk: Conversation,
        sizes: Sizes,
        memory: Memory,
        tokens: int,
        fits: Callable[[int], bool],
    ) -> None:
        """Go on from *memory*, by which the request has *tokens*, until it *fits*."""
        self.tokens = tokens
        """At most so many, counted: a note's key may have fewer than are assumed."""
        self.level = 0
        """In which the last operation was."""
        self.reasons: dict[tuple[str, int, int], str] = {}
        """Why a candidate is left alone, by what it is and where it stands."""
        self._settings = settings
        self._body = body
        self._talk = talk
        self._sizes = sizes
        self._memory = memory
        self._fits = fits
        self._removed = {i for i, _ in memory.removed}
        self._written = {(one.i_message, one.i_part): one for one in memory.written}
        self._gaps = Gaps(body, self._removed, talk.absent)

    def climb(self) -> None:
        """Do what has to be done."""
        for level, operations in enumerate(self._levels(), 1):
            for _ in operations:
                self.level = level
                if self._fits(self.tokens):
                    return

    def remembered(self) -> Memory:
        """The decisions as they are now."""
        states = self._body.request.states
        return changed(
            self._memory,
            n_messages=len(states),
            state=states[-1] if states else None,
            level=max(self._memory.level, self.level),
            removed=tuple((i, states[i]) for i in sorted(self._removed)),
            written=tuple(one for at, one in sorted(self._written.items()) if at[0] not in self._removed),
            notes=self._gaps.notes(self._memory.notes),
        )

    def _levels(self) -> Iterator[Iterator[None]]:
        """The operations of each level, in which a `None` stands for one; later levels look anew at what is left."""
        results = self._live_results()
        quarter, half = len(results) // 4, len(results) // 2
        yield self._truncate(results[:quarter])
        yield self._truncate(results[quarter:half])
        yield self._leave_out(SHARES[0])
        results = self._live_results()
        half, three_quarters = len(results) // 2, len(results) * 3 // 4
        yield self._truncate(results[half:three_quarters])
        yield self._leave_out(SHARES[1])
        yield self._truncate(self._live_results())
        yield self._leave_out(SHARES[2])
        yield self._stub_first()

    def _live_results(self) -> Sequence[Result]:
        return [one for one in self._talk.results if one.i_message not in self._removed]

    def _protected_results(self) -> Sequence[Result]:
        return newest(self._talk.results, self._removed, self._settings.protected_tool_results)

    def _truncate(self, results: Iterable[Result]) -> Iterator[None]:
        kept = set(map(id, self._protected_results()))
        for one in results:
            for i_output in one.i_outputs:
                if id(one) in kept:
                    self.reasons["output", i_output, 0] = PROTECTED_RESULT
                elif self._truncates(i_output):
                    yield

    def _truncates(self, i_output: int) -> bool:
        view, n_chars = self._body.view, self._settings.truncate_chars
        output = view.outputs[i_output]
        name = ("output", i_output, 0)
        place = (output.i_message, output.i_part)
        if place in self._written:
            return False
        text = view.text(i_output)
        reason = self._untouchable(*place, text)
        if reason is None and len(text) <= n_chars:
            reason = BELOW_TRUNCATE_CHARS
        if reason is not None:
            self.reasons[name] = reason
            return False
        tokens = view.tokens(i_output)
        return self._write(name, place, truncated(text, tokens, n_chars), tokens)

    def _untouchable(self, i_message: int, i_part: int, text: str) -> str | None:
        place = slot_bytes(self._body, i_message, i_part)
        if i_message < self._talk.n_bound:
            return THINKING_BOUND
        if place is None or overlapping(self._body, *place):
            return ALREADY_REDUCED
        return ALREADY_MARKED if has_placeholder(text) else None

    def _write(self, name: tuple[str, int, int], place: tuple[int, int], text: str, tokens: int) -> bool:
        """Put *text* in the *place* of one that has so many *tokens*, where it is smaller in tokens and in bytes."""
        i_message, i_part = place
        literal = encode(text, self._body.style)
        saved = tokens - self._body.count(text)
        slot = self._body.request.messages[i_message].parts[i_part].slot
        if saved <= 0 or slot is None or len(literal) >= slot.stop - slot.start:
            self.reasons[name] = NOT_SMALLER
            return False
        self.reasons.pop(name, None)
        self._written[place] = Written(
            i_message=i_message,
            i_part=i_part,
            state=self._body.request.states[i_message],
            literal=literal,
            saved_tokens=saved,
        )
        self.tokens -= saved
        return True

    def _leave_out(self, share: Fraction) -> Iterator[None]:
        """Take out whole groups, then stub what users said in between, all oldest first."""
        recent = self._recent(share)
        protected = self._protected(recent)
        for group in self._talk.groups:
            if group[0] in self._removed or group[0] in self._talk.absent:
                continue
            reason = _veto(group, protected)
            if reason is None:
                reason = self._take_out(group)
            if reason is None:
                yield
            else:
                self.reasons["group", group[0], 0] = reason
        for i in self._talk.users[1:]:
            if i == self._talk.last_user or i in recent:
                self.reasons["user", i, 0] = LAST_USER if i == self._talk.last_user else RECENT
            elif self._stubs(i):
                yield

    def _recent(self, share: Fraction) -> frozenset[int]:
        """The newest messages of what is sent; a share is rounded up, so that it is never less than was said."""
        live = self._talk.live(self._removed)
        n_old = int(len(live) * (1 - share * Fraction(str(self._settings.protected_recent))))
        return frozenset(live[n_old:])

    def _protected(self, recent: Iterable[int]) -> Mapping[int, str]:
        return {
            **dict.fromkeys(self._talk.users, PROTECTED_SIBLING),
            **dict.fromkeys(recent, RECENT),
            **dict.fromkeys((one.i_message for one in self._protected_results()), PROTECTED_RESULT),
            **self._talk.unmovable,
            **dict.fromkeys(range(self._talk.n_bound), THINKING_BOUND),
        }

    def _take_out(self, group: tuple[int, ...]) -> str | None:
        """Leave the messages of *group* out; or why not."""
        pieces = list(runs(group))
        added = self._gaps.added_tokens(pieces)
        if added is None:
            return SYSTEM_MISPLACED
        inside = set(group)
        freed = sum(self._sizes.messages(start, stop) for start, stop in pieces) - added
        freed -= sum(one.saved_tokens for one in self._written.values() if one.i_message in inside)
        if freed <= 0:
            return NOT_SMALLER
        self._gaps.add(pieces)
        self._removed |= inside
        self.tokens -= freed
        self.reasons.pop(("group", group[0], 0), None)
        return None

    def _stub_first(self) -> Iterator[None]:
        users = self._talk.users
        if users and users[0] == self._talk.last_user:
            self.reasons["user", users[0], 0] = LAST_USER
        elif users and self._stubs(users[0]):
            yield

    def _stubs(self, i: int) -> bool:
        """Put a line in the place of each long text of user's message *i*; false where none is."""
        item, start = self._body.request.messages[i], self._body.request.starts[i]
        self.reasons.pop(("user", i, 0), None)
        done = False
        for k, part in enumerate(item.parts):
            if part.kind is not Kind.USER_TEXT or part.slot is None or (i, k) in self._written:
                continue
            name = ("text", i, k)
            text = slot_text(part, self._body.request.raw, start)
            reason = self._untouchable(i, k, text)
            if reason is None and len(text) <= STUB_CHARS:
                reason = BELOW_STUB_CHARS
            if reason is not None:
                self.reasons[name] = reason
            else:
                done |= self._write(name, (i, k), stub(text), self._body.count(text))
        return done


def _veto(group: tuple[int, ...], protected: Mapping[int, str]) -> str | None:
    """Why a group stays whole: any protected sibling is enough."""
    own = [protected.get(i) for i in group]
    if THINKING_BOUND in own:
        return THINKING_BOUND
    first = next((reason for reason in own if reason is not None), None)
    return PROTECTED_SIBLING if first is not None and None in own else first
