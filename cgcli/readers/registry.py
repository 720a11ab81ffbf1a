"""The readers, in the order in which they are asked; the more particular first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.readers.batch import AnthropicBatch, OpenAIBatch
from cgcli.readers.bodies import Bodies
from cgcli.readers.claude_trace import ClaudeTrace
from cgcli.readers.context_guru import ContextGuru
from cgcli.readers.envelope import Envelope
from cgcli.readers.requests import Requests

if TYPE_CHECKING:
    from cgcli.readers.base import Reader
    from cgcli.readers.derived import Deriving, DerivingText

READERS: tuple[Reader | Deriving, ...] = (
    Requests(),
    OpenAIBatch(),
    AnthropicBatch(),
    ContextGuru(),
    ClaudeTrace(),
    Bodies(),
    Envelope(),
)
TEXTS: tuple[DerivingText, ...] = ()
"""For files that are no JSON."""
