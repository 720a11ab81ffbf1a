"""Who makes a model, and whose own requests have which shape."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.providers.model_names import named

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAKERS = (
    (re.compile(r"claude-"), "Anthropic"),
    (re.compile(r"(?:chat)?gpt-(?!oss)|o\d(?:-|$)|codex-"), "OpenAI"),
    (re.compile(r"gemini-"), "Google"),
    (re.compile(r"grok-"), "xAI"),
    (re.compile(r"deepseek-"), "DeepSeek"),
)
SHAPES: Mapping[str, str] = MappingProxyType({"anthropic": "Anthropic", "openai-responses": "OpenAI"})
"""By dialect, the one maker who takes it of itself. Chat Completions are everybody's."""


def maker(model: str | None) -> str | None:
    """Who makes *model*, by its name; None where that is not known, and for models that many serve.

    >>> maker("openrouter/openai/gpt-4.1"), maker("us.anthropic.claude-sonnet-4-5"), maker("my-model")
    ('OpenAI', 'Anthropic', None)
    """
    names = named(model).names if model else ()
    return next((who for pattern, who in _MAKERS if names and pattern.match(names[0])), None)


def misshaped(dialect: str, model: str | None, parent: str | None) -> str | None:
    """Why a body of that *dialect* is not for *model*, where it is for *parent*; None where nothing speaks against it.

    A proxy may translate it, so it is no reason to refuse. Where *parent* itself is another maker's, one does.
    """
    shape, made_by = SHAPES.get(dialect), maker(model)
    if shape is None or made_by is None or made_by == shape or maker(parent) != shape:
        return None
    return f"{model} is {made_by}'s, and the body has the shape of {shape}'s requests: only a proxy may take it"
