"""The readers, in the order in which they are asked; the more particular first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.readers.batch import AnthropicBatch, OpenAIBatch
from cgcli.readers.bodies import Bodies
from cgcli.readers.claude_trace import ClaudeTrace
from cgcli.readers.context_guru import ContextGuru
from cgcli.readers.envelope import Envelope
from cgcli.readers.histories.amplifier_transcript import AmplifierTranscript
from cgcli.readers.histories.atif import Atif
from cgcli.readers.histories.claude_code.reader import ClaudeCode
from cgcli.readers.histories.cline import Cline
from cgcli.readers.histories.codex.reader import Codex
from cgcli.readers.histories.gemini_cli.reader import GeminiCli
from cgcli.readers.histories.mini_swe_agent import MiniSweAgent
from cgcli.readers.histories.openhands.reader import OpenHands
from cgcli.readers.histories.pi.reader import Pi
from cgcli.readers.histories.stream_json import StreamJson
from cgcli.readers.histories.swe_agent import SweAgentHistory
from cgcli.readers.logs.amplifier.reader import Amplifier
from cgcli.readers.logs.claude_trace_html import ClaudeTraceHtml
from cgcli.readers.logs.har import Har
from cgcli.readers.logs.headroom import Headroom
from cgcli.readers.logs.langfuse.reader import Langfuse
from cgcli.readers.logs.lhar import Lhar
from cgcli.readers.logs.litellm import LiteLlm
from cgcli.readers.logs.openhands_completions import OpenHandsCompletions
from cgcli.readers.logs.proxy_records import LlmInterceptor, LlmProxy, Lunaroute
from cgcli.readers.logs.stored_responses import StoredResponses
from cgcli.readers.logs.swe_agent import SweAgent
from cgcli.readers.logs.vcr import Vcr, VcrJson
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
    Har(),
    VcrJson(),
    Amplifier(),
    AmplifierTranscript(),
    LiteLlm(),
    Langfuse(),
    StoredResponses(),
    Lhar(),
    LlmProxy(),
    Lunaroute(),
    LlmInterceptor(),
    Headroom(),
    ClaudeCode(),
    StreamJson(),
    SweAgent(),
    SweAgentHistory(),
    MiniSweAgent(),
    Atif(),
    OpenHandsCompletions(),
    OpenHands(),
    GeminiCli(),
    Cline(),
    Codex(),
    Pi(),
    Bodies(),
    Envelope(),
)
TEXTS: tuple[DerivingText, ...] = (Vcr(), ClaudeTraceHtml())
"""For files that are no JSON."""
