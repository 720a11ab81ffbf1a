"""How much a model takes and gives: its context window, and its longest answer."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.providers.model_names import named

if TYPE_CHECKING:
    from collections.abc import Mapping

READ_ON = "2026-11-30"
"""When the source below was read."""

SOURCE = "litellm 1.110.2, max_input_tokens and max_output_tokens; older Claude models as on Bedrock and Vercel"


@value
class Window:
    """What one model takes and gives, in its own tokens."""

    context_tokens: int
    """The most that a request may have as input. With Claude, Gemini and Grok, and with GPT-5.5 and 5.4, the answer
    must find room in it too; of other GPT models it is what the longest answer leaves of the window."""
    output_tokens: int
    """The most that an answer may have, thinking with it."""


_K = 1000
_MILLION = Window(context_tokens=1000 * _K, output_tokens=128 * _K)
_SMALL_CLAUDE = Window(context_tokens=200 * _K, output_tokens=64 * _K)
_OPUS_4 = Window(context_tokens=200 * _K, output_tokens=32 * _K)
_GPT_6 = Window(context_tokens=922 * _K, output_tokens=128 * _K)
_GPT_5_4 = Window(context_tokens=1050 * _K, output_tokens=128 * _K)
_GPT_5 = Window(context_tokens=272 * _K, output_tokens=128 * _K)
_CODEX = Window(context_tokens=400 * _K, output_tokens=128 * _K)
_GPT_4_1 = Window(context_tokens=1_047_576, output_tokens=32_768)
_GPT_4O = Window(context_tokens=128 * _K, output_tokens=16_384)
_REASONING = Window(context_tokens=200 * _K, output_tokens=100 * _K)
_GEMINI_3 = Window(context_tokens=1_048_576, output_tokens=65_536)
_GEMINI_2 = Window(context_tokens=1_048_576, output_tokens=65_535)
_GROK = Window(context_tokens=500 * _K, output_tokens=500 * _K)
_DEEPSEEK = Window(context_tokens=1000 * _K, output_tokens=393_216)

WINDOWS: Mapping[str, Window] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                "claude-fable-5-1",
                "claude-mythos-5-1",
                "claude-fable-5",
                "claude-mythos-5",
                "claude-mythos-preview",
                "claude-opus-5-5",
                "claude-opus-5",
                "claude-opus-4-8",
                "claude-opus-4-7",
                "claude-opus-4-6",
                "claude-sonnet-5-5",
                "claude-sonnet-5",
                "claude-sonnet-4-6",
                "claude-haiku-5-5",
            ),
            _MILLION,
        ),
        **dict.fromkeys(
            ("claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-sonnet-4", "claude-sonnet-3-7"),
            _SMALL_CLAUDE,
        ),
        **dict.fromkeys(("claude-opus-4-1", "claude-opus-4"), _OPUS_4),
        "claude-haiku-3-5": Window(context_tokens=200 * _K, output_tokens=8192),
        **dict.fromkeys(("gpt-6-astra", "gpt-6-sol", "gpt-6-luna", "gpt-6.1-sol", "gpt-6.1-terra"), _GPT_6),
        **dict.fromkeys(("gpt-5.6", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"), _GPT_6),
        **dict.fromkeys(("gpt-5.5", "gpt-5.4"), _GPT_5_4),
        **dict.fromkeys(("gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.3-codex", "gpt-5.2", "gpt-5.2-codex"), _GPT_5),
        **dict.fromkeys(("gpt-5.1", "gpt-5", "gpt-5-codex", "gpt-5-mini", "gpt-5-nano"), _GPT_5),
        **dict.fromkeys(("gpt-5.1-codex", "gpt-5.1-codex-max", "gpt-5.1-codex-mini"), _CODEX),
        **dict.fromkeys(("gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano"), _GPT_4_1),
        **dict.fromkeys(("gpt-4o", "gpt-4o-mini"), _GPT_4O),
        "gpt-4o-2024-05-13": Window(context_tokens=128 * _K, output_tokens=4096),
        **dict.fromkeys(("o3", "o4-mini"), _REASONING),
        **dict.fromkeys(("gemini-3.8-flash", "gemini-3.1-pro-preview"), _GEMINI_3),
        **dict.fromkeys(("gemini-2.5-pro", "gemini-2.5-flash"), _GEMINI_2),
        **dict.fromkeys(("grok-4.7", "grok-4.5"), _GROK),
        **dict.fromkeys(("deepseek-v4-flash", "deepseek-v4-pro"), _DEEPSEEK),
    }
)
"""By the model's name without platform and date."""


def window(model: str | None) -> Window | None:
    """The window of *model*, as requests, platforms and proxies write its name; None where the table does not have it.

    >>> window("us.anthropic.claude-sonnet-4-5-20250929-v1:0").context_tokens
    200000
    """
    names = named(model).names if model else ()
    return next((WINDOWS[name] for name in names if name in WINDOWS), None)
