"""Batch input: OpenAI's `{custom_id, method, url, body}`, Anthropic's `{custom_id, params}`; independent requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.readers.base import Known, Opened, Passed
from cgcli.readers.bodies import KNOWN
from cgcli.readers.fields import members_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.wire.spans import Node


class _Batch:
    known: ClassVar[Known] = KNOWN
    independent: ClassVar[bool] = True
    go_escapes: ClassVar[bool] = False
    key: ClassVar[str]

    def matches(self, sample: Sequence[Mapping[str, Node]]) -> bool:
        """True where the records have a `custom_id` and the body's key."""
        return any("custom_id" in members and self.key in members for members in sample)

    def open(self, record: Node) -> Opened | Passed:
        """The body; a record of a batch's *output* is passed."""
        members = members_of(record)
        body = members.get(self.key)
        if body is None or body.kind != "object":
            return Passed(reason="no_body", usable=False)
        return Opened(body=body)


class OpenAIBatch(_Batch):
    """OpenAI batch input."""

    name: ClassVar[str] = "openai-batch"
    key: ClassVar[str] = "body"


class AnthropicBatch(_Batch):
    """Anthropic batch input."""

    name: ClassVar[str] = "anthropic-batch"
    key: ClassVar[str] = "params"
