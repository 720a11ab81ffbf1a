"""The nouns: how a summary can be asked for, what it is asked from, and the request that asks."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from msgspec import field

from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.model import Request, Source
    from cgcli.select.selection import Selection
    from cgcli.tokens.ruler import Ruler
    from cgcli.wire.strings import Style


class CallMode(StrEnum):
    """How a summary is asked for."""

    STANDALONE = "standalone"
    """A request of its own: its own system prompt, the span as text."""
    FORK = "fork"
    """The parent's bytes and one user message."""
    NATIVE_THRESHOLD = "native-threshold"
    """The provider compacts by itself when a request crosses a number of tokens."""
    NATIVE_ON_DEMAND = "native-on-demand"
    """The provider compacts now: a parameter (Anthropic), or a last input item (OpenAI Responses)."""
    NATIVE_ENDPOINT = "native-endpoint"
    """The provider compacts now, at an address of its own (OpenAI's `/responses/compact`)."""


NATIVE = frozenset({CallMode.NATIVE_THRESHOLD, CallMode.NATIVE_ON_DEMAND, CallMode.NATIVE_ENDPOINT})
"""Irreversible: what the provider drops is in no stash."""
ALIASES: Mapping[str, CallMode] = {"inline": CallMode.STANDALONE}
"""amplifier's other word for today's behaviour."""


class PrefixSource(StrEnum):
    """Where a parent's bytes come from (amplifier's `prefix_source`)."""

    WIRE_RECORD = "wire_record"
    """They were saved as they were sent."""
    MODULE_VIEW = "module_view"
    """They were rebuilt from a history: that they were sent so is not known."""


@unique
class Parent:
    """The request that a summary is asked from, and what the file says of it: the seam's facts."""

    request: Request
    source: Source
    tools_recorded: bool
    """The file says which tools were sent; with `request.tools` empty, that there were none."""
    prefix_source: PrefixSource | None
    """None: nothing of the lane was sent before; `request` is then the first one, not sent yet."""
    views_since_send: int = 0
    """How many requests the lane sent since this one; more than 0 is stale."""
    window_tokens: int | None = None
    """The model's context window."""
    tokens: int | None = None
    """Of the request, for the model."""


@value
class CallOptions:
    """What the caller decides."""

    model: str | None = None
    """The summariser's model where it is another than the parent's; a fork of another model shares nothing."""
    prompt: str | None = None
    """In place of the built-in one."""
    max_summary_tokens: int = 4096
    """What a standalone call allows for its answer; a fork keeps the parent's setting."""
    reserve_tokens: int = 8000
    """Kept free in the window beside the parent and the instruction, by a fork."""
    trigger_tokens: int | None = None
    """When native compaction at a threshold fires; None: the provider's default."""
    pause: bool = False
    """`pause_after_compaction`: the provider answers with the compaction alone, an extra round trip."""
    platform: str | None = None
    """`anthropic`, `bedrock`, `vertex`, `foundry`, `openai`, … where the file does not say; None: not known."""
    require_reversible: bool = False
    other_editor: str | None = None
    """What else edits the same history, such as a component that offloads; None: nothing."""
    style: Style | None = None
    """How new strings are spelled; None: as `json.dumps` does."""


@unique
class Call:
    """A request that asks for a summary."""

    mode: CallMode
    body: bytes
    """One JSON object."""
    path: str
    """The address below the provider's: `/v1/messages`."""
    parent: Source
    scope: tuple[int, int] | Literal["all"]
    """The messages of the parent that the summary is meant to cover, half-open; `all`: the whole request."""
    scoped_by: Literal["construction", "instruction", "provider"]
    """What keeps the summary to the scope: it sees nothing else, it was told, or the provider cuts."""
    is_reversible: bool
    n_prefix_messages: int
    """How many of the parent's messages stand, as they are, at the head of the body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """That must be sent with it, beside the parent's own; no secrets."""
    extra_round_trips: int = 0
    """Requests more than without the call, beyond the call itself."""


@unique
class Asking:
    """All that a builder needs."""

    parent: Parent
    selection: Selection
    options: CallOptions
    span_request: Request | None = None
    """The request that the selection counts in, where that is another one than the parent's."""
    ruler: Ruler | None = None
    """What the tokens of the parent were counted with; None: the table's for its model."""

    @property
    def counted_in(self) -> Request:
        """The request whose messages the selection counts."""
        return self.span_request if self.span_request is not None else self.parent.request
