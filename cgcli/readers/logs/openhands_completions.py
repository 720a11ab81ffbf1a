"""OpenHands' completion logs (`log_completions: true`): one file with one call to the model."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from cgcli.readers import answers, spelling, usage
from cgcli.readers.base import Known, Passed
from cgcli.readers.derived import Derived, Missed
from cgcli.readers.fields import members_of, or_missed, value_at
from cgcli.readers.logs.parameters import body_parameters
from cgcli.readers.records import Record, records
from cgcli.readers.stamps import number_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.piece import Piece
    from cgcli.wire.spans import Node


class OpenHandsCompletions:
    """OpenHands' log of one call."""

    name: ClassVar[str] = "openhands-completions"
    known: ClassVar[Known] = Known(tools=True, system=True, usage=True, response=True, time=False)
    independent: ClassVar[bool] = False
    reconstructs: ClassVar[bool] = False

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where a record has a call's messages, its other arguments and its response."""
        return any(_is_call(members) for members in sample)

    def derive(self, pieces: Iterable[Piece]) -> Iterator[Derived | Missed]:
        """One request a record."""
        for record in records(pieces):
            if isinstance(record, Missed):
                yield record
            elif not _is_call(record.members):
                passed = Passed(reason="no_body", usable=True)
                yield Missed(line=record.line, passed=passed)
            else:
                yield or_missed(record.line, partial(_call, record))


def _is_call(members: Mapping[str, Node]) -> bool:
    kinds = {"messages": "array", "kwargs": "object"}
    return "response" in members and all(key in members and members[key].kind == kind for key, kind in kinds.items())


def _call(record: Record) -> Derived:
    members = record.members
    given = members_of(members["kwargs"])
    answer = members["response"]
    replied = members_of(answer)
    model = next((node for node in (given.get("model"), replied.get("model")) if node is not None), None)
    body = {
        "model": model.bytes() if model is not None and model.kind == "string" else None,
        **body_parameters(given),
        "messages": members["messages"].bytes(),
    }
    return Derived(
        body=spelling.object_of(body),
        line=record.line,
        provider="openai",
        answered_s=number_s(value_at(members, "timestamp")),
        find_answer=partial(answers.of_body, answer.bytes()) if replied else None,
        usage=usage.of_answer({"usage": value_at(replied, "usage")}),
    )
