"""What a component may look at beside its slot: the calls and outputs of the same request, never of a later one."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, TypeVar

from cgcli.compaction.invoked import invocations, is_error
from cgcli.compaction.remembered import remembered
from cgcli.dialects.content import decoded
from cgcli.dialects.pairing import LEGACY
from cgcli.model import Kind, unique
from cgcli.tokens.meter import MESSAGE_TOKENS, slot_text

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from cgcli.compaction.invoked import Invoked
    from cgcli.model import Item, Part, Request

T = TypeVar("T")
Column = dict["Hashable", list[Any]]
"""By a component's key what it found out about each output, or each message, so far."""

EDITABLE_ROLES = frozenset({"user", "tool", "function"})
_TOKENS = "tokens"
_LAST_SAID = "last said"
_MOST_KEPT = 64
"""Of so many messages the outputs are remembered: one policy after the other looks at what is new in a turn."""


def is_editable(part: Part) -> bool:
    """True for a tool output whose text is a string of its own: a slot."""
    return part.kind is Kind.TOOL_RESULT and part.slot is not None and part.role in EDITABLE_ROLES


@unique
class Output:
    """A tool output, as slots see it: one for each text in a tool's result."""

    i_output: int
    i_result: int
    """Which tool result of the request it stands in, from 0: one with several texts is several outputs."""
    i_message: int
    i_part: int
    call: Invoked | None
    """What it answers; None where no call before it has its id."""
    is_error: bool
    """The result says so itself (`is_error`)."""


class View:
    """One request. Built once a turn, and only where a component asks; what is dear is built when it is asked for."""

    def __init__(
        self,
        request: Request,
        tokens_of: Callable[[int, int], int],
        *,
        request_tokens: int | None = None,
        is_cold: bool = False,
        before: View | None = None,
    ) -> None:
        """See *request*; *tokens_of* counts the part at (message, part), *request_tokens* are those of the whole.

        What *before*, the view of an earlier turn of the same lane, found out about the messages that both have is
        taken over. It is not kept itself.
        """
        self._request: Request | None = request
        self._messages = request.messages
        self._tokens_of = tokens_of
        self._request_tokens = request_tokens
        self.is_cold = is_cold
        """The provider's cache has lapsed by the recorded times."""
        self._memo: dict[Hashable, object] = {}
        self._n_shared = 0
        """So many leading messages need not be looked at again for calls and outputs."""
        self._found_calls: list[Invoked] = []
        self._found_outputs: list[Output] = []
        self._by_id: dict[str, Invoked] = {}
        self._is_found = False
        self._per_output: Column = {}
        self._per_message: Column = {}
        self._totals: list[int] = []
        self._walks: dict[Hashable, tuple[int, Any]] = {}
        if before is not None:
            self._take_over(before)

    @property
    def is_used(self) -> bool:
        """True where something was found out that the lane's next turn can take over."""
        return bool(self._is_found or self._n_shared or self._totals or self._per_message or self._walks)

    def let_go(self) -> View:
        """This view without the request's bytes: what is kept of it for the lane's next turn."""
        self._request = None
        self._tokens_of = _let_go
        return self

    def _take_over(self, before: View) -> None:
        n_shared = _n_shared(self._messages, before._messages)
        self._totals = before._totals[:n_shared]
        self._per_message = {key: column[:n_shared] for key, column in before._per_message.items()}
        self._walks = {key: walk for key, walk in before._walks.items() if walk[0] <= n_shared}
        n_known = before.n_messages if before._is_found else before._n_shared
        self._n_shared = min(n_shared, n_known)
        outputs, calls = before._found_outputs, before._found_calls
        self._found_outputs = outputs[: bisect_left(outputs, n_shared, key=_message_of)]
        self._found_calls = calls[: bisect_left(calls, n_shared, key=_message_of)]
        is_whole = n_shared >= n_known
        self._by_id = dict(before._by_id) if is_whole else {_id_of(call): call for call in self._found_calls}
        n_outputs = len(self._found_outputs)
        self._per_output = {key: column[:n_outputs] for key, column in before._per_output.items()}

    @property
    def calls(self) -> Sequence[Invoked]:
        """Every tool call, in order."""
        self._find()
        return self._found_calls

    @property
    def outputs(self) -> Sequence[Output]:
        """Every tool output, in order: `outputs[slot.i_output]` is the slot's own."""
        self._find()
        return self._found_outputs

    def outputs_in(self, i_message: int) -> Sequence[Output]:
        """The tool outputs in message *i_message*, in order."""
        outputs = self.outputs
        start = bisect_left(outputs, i_message, key=_message_of)
        return outputs[start : bisect_left(outputs, i_message + 1, start, key=_message_of)]

    def text(self, i_output: int) -> str:
        """The text of an output, before compaction."""
        output = self.outputs[i_output]
        assert self._request is not None, "a view that was let go has no texts"  # noqa: S101 - an impossible state
        part = self._messages[output.i_message].parts[output.i_part]
        return slot_text(part, self._request.raw, self._request.starts[output.i_message])

    def tokens(self, i_output: int) -> int:
        """The counted tokens of an output, before compaction."""
        return self.per_output(_TOKENS, self._count)[i_output]

    @property
    def request_tokens(self) -> int:
        """The counted tokens of the whole request before compaction; where not given, those of its messages."""
        if self._request_tokens is not None:
            return self._request_tokens
        return self.tokens_through(self.n_messages - 1)

    def tokens_through(self, i_message: int) -> int:
        """The counted tokens of the messages up to and with *i_message*, before compaction; 0 below the first."""
        totals = self._totals
        for i in range(len(totals), i_message + 1):
            parts = len(self._messages[i].parts)
            own = MESSAGE_TOKENS + sum(self._tokens_of(i, k) for k in range(parts))
            totals.append(own + (totals[-1] if totals else 0))
        return totals[i_message] if i_message >= 0 else 0

    @property
    def n_messages(self) -> int:
        """How many messages the request has."""
        return len(self._messages)

    def message(self, i_message: int) -> Item:
        """Message *i_message* as it was parsed."""
        return self._messages[i_message]

    def role(self, i_message: int) -> str:
        """Who says message *i_message*."""
        return self._messages[i_message].role

    def speaks(self, i_message: int) -> bool:
        """True where a user says something in message *i_message* that is no tool's output."""
        item = self._messages[i_message]
        return item.role == "user" and any(part.kind is Kind.USER_TEXT for part in item.parts)

    def is_unseen(self, i_output: int) -> bool:
        """True for an output that the model has not answered yet: no assistant's message stands behind it."""
        return self.outputs[i_output].i_message > self.once(_LAST_SAID, self._last_said)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What *make* gives, made once for this request and *key* (a component's own)."""
        if key not in self._memo:
            self._memo[key] = make()
        found: Any = self._memo[key]
        return found  # type: ignore[no-any-return]

    def per_output(self, key: Hashable, make: Callable[[int], T]) -> Sequence[T]:
        """What *make* gives of each output, by its number, made once for as long as the lane has it.

        It may depend on the output's text, its call and what stands before; *key* is a component's own.
        """
        return _extended(self._per_output.setdefault(key, []), len(self.outputs), make)

    def per_message(self, key: Hashable, make: Callable[[int], T]) -> Sequence[T]:
        """What *make* gives of each message, as `per_output`."""
        return _extended(self._per_message.setdefault(key, []), self.n_messages, make)

    def walked(self, key: Hashable, start: T, step: Callable[[T, int], T]) -> T:
        """What comes of *start* where *step* takes it past one message after the other, by their numbers.

        It goes on where the lane's turn before stopped: *step* must not see later messages nor change what it is given.
        """
        i_next, state = self._walks.get(key, (0, start))
        for i in range(i_next, self.n_messages):
            state = step(state, i)
        self._walks[key] = (self.n_messages, state)
        found: Any = state
        return found  # type: ignore[no-any-return]

    def _count(self, i_output: int) -> int:
        output = self.outputs[i_output]
        return self._tokens_of(output.i_message, output.i_part)

    def _last_said(self) -> int:
        last = range(self.n_messages - 1, -1, -1)
        return next((i for i in last if self.role(i) == "assistant"), -1)

    def _find(self) -> None:
        """Find the calls and outputs of the messages that are new."""
        if self._is_found:
            return
        self._is_found = True
        for i in range(self._n_shared, self.n_messages):
            item = self._messages[i]
            self._found_outputs += self._outputs_in(item, i)
            calls = [*invocations(item, i, len(self._found_calls))]
            self._found_calls += calls
            self._by_id.update((_id_of(call), call) for call in calls)

    def _outputs_in(self, item: Item, i_message: int) -> Iterator[Output]:
        found = self._found_outputs
        n_outputs = len(found)
        i_result = found[-1].i_result + 1 if found else 0
        for i_output, text in enumerate(_texts(item), start=n_outputs):
            yield Output(
                i_output=i_output,
                i_result=i_result + text.i_result,
                i_message=i_message,
                i_part=text.i_part,
                call=self._by_id.get(text.answered) if text.answered is not None else None,
                is_error=text.is_error,
            )


@unique
class _Text:
    """A tool output in one message."""

    i_part: int
    i_result: int
    """Which result of the message it stands in, from 0."""
    answered: str | None
    """What it names its call by."""
    is_error: bool


@remembered(_MOST_KEPT)
def _texts(item: Item) -> tuple[_Text, ...]:
    """The tool outputs in *item*."""
    found: list[_Text] = []
    i_result, before = -1, None
    for k, part in enumerate(item.parts):
        if is_editable(part):
            # A user's message may hold several results (Anthropic), any other is one.
            stands_in = ".".join(part.path.split(".")[:2]) if item.role == "user" else ""
            i_result += stands_in != before
            before = stands_in
            answered = _answered(item, part)
            found.append(_Text(i_part=k, i_result=i_result, answered=answered, is_error=is_error(item, part)))
    return tuple(found)


def _let_go(i_message: int, i_part: int) -> int:
    raise AssertionError(f"a view that was let go counts nothing: message {i_message}, part {i_part}")


def _n_shared(ours: tuple[Item, ...], theirs: tuple[Item, ...]) -> int:
    """How many leading messages are the very same objects."""
    n = min(len(ours), len(theirs))
    if ours[:n] == theirs[:n]:  # items are equal only to themselves
        return n
    return next(i for i in range(n) if ours[i] is not theirs[i])


def _extended(column: list[T], n: int, make: Callable[[int], T]) -> Sequence[T]:
    column.extend(make(i) for i in range(len(column), n))
    return column


def _message_of(one: Invoked | Output) -> int:
    return one.i_message


def _id_of(call: Invoked) -> str:
    """What an output names a call by; the old `function_call` has no id but its name."""
    return call.pair_id if call.pair_id is not None else LEGACY + call.name


def _answered(item: Item, part: Part) -> str | None:
    """What the result at *part* names its call by; None where it names none."""
    if part.pair_id is not None:
        return part.pair_id
    message = decoded(item)
    if not isinstance(message, dict):
        return None
    if item.role == "function":
        return f"{LEGACY}{message.get('name')}"
    saved = message.get("tool_call_ids")  # SWE-agent's histories
    return saved[0] if isinstance(saved, list) and len(saved) == 1 and isinstance(saved[0], str) else None
