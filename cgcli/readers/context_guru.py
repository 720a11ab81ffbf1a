"""context-guru's capture (`CONTEXT_GURU_CAPTURE`): `{"body": …, "model": …, "provider": …}`, one request a line.

Go's encoder escapes `<`, `>`, `&`, U+2028 and U+2029; a body that was no JSON leaves a blank line. No time, session,
usage or answer is recorded; several conversations interleave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.readers.base import Known, Opened, Passed, stamp_s
from cgcli.readers.bodies import KNOWN, is_body
from cgcli.readers.fields import members_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.wire.spans import Node

_KEYS = frozenset({"body", "model", "provider", "ts"})


class ContextGuru:
    """context-guru's capture."""

    name: ClassVar[str] = "context-guru"
    known: ClassVar[Known] = KNOWN
    independent: ClassVar[bool] = False
    go_escapes: ClassVar[bool] = True

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where each record has a `body` and beside it at most `model`, `provider` and `ts`."""
        fitting = [members for members in sample if "body" in members and members.keys() <= _KEYS]
        return bool(fitting) and len(fitting) * 2 >= len(sample) and any(_holds_body(members) for members in fitting)

    def open(self, record: Node) -> Opened | Passed:
        """The body under `body`; a missing provider is Anthropic's."""
        members = members_of(record)
        body = members.get("body")
        if body is None or body.kind not in ("object", "string"):
            return Passed(reason="no_body", usable=False)
        provider = members.get("provider")
        return Opened(
            body=body,
            provider=provider.string() if provider is not None else "anthropic",
            sent_s=stamp_s(members.get("ts"), units_per_s=1000),
        )


def _holds_body(members: Mapping[str, Node]) -> bool:
    body = members["body"]
    return body.kind == "string" or (body.kind == "object" and is_body(body.members()))
