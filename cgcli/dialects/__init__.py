"""The provider body shapes; which one a body has is asked in this order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects.anthropic import Anthropic
from cgcli.dialects.base import glance
from cgcli.dialects.openai_chat import OpenAIChat
from cgcli.dialects.openai_responses import OpenAIResponses

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.dialects.base import Dialect, Glance
    from cgcli.wire.spans import Node

DIALECTS: tuple[Dialect, ...] = (OpenAIResponses(), Anthropic(), OpenAIChat())

LOOKED_AT = 64
"""How many messages are looked at to tell the dialect."""
_ANTHROPIC_PROVIDERS = frozenset({"anthropic", "bedrock", "vertex"})


def named(name: str) -> Dialect:
    """The dialect of that *name*; KeyError where there is none."""
    return {dialect.name: dialect for dialect in DIALECTS}[name]


def head_of(body: Mapping[str, Node], known: Sequence[Glance] = ()) -> tuple[Glance, ...] | None:
    """The first messages of *body*, or None where it has none that a message can be.

    *known* are those that stand before the ones in *body*; a number is a stand-in for them.

    Raises:
        Malformed: a key stands twice in a message.
    """
    node = body.get("messages") or body.get("input")
    if node is None or node.kind not in ("array", "string"):
        return None
    if node.kind == "string":
        return tuple(known)
    elements = [element for element in node.elements() if element.kind != "number"] if known else node.elements()
    elements = elements[: LOOKED_AT - len(known)]
    if any(element.kind != "object" for element in elements):
        return None
    return (*known, *(glance(element) for element in elements))


def detect(body: Mapping[str, Node], head: Sequence[Glance], *, provider: str | None = None) -> Dialect | None:
    """The dialect whose shape *body*, with *head* as its first messages, has; None where it has no known one.

    Where several fit and none is certain, *provider* (as the container says) decides, then the model's name, then a
    cache breakpoint in Anthropic's spelling.
    """
    fitting = [dialect for dialect in DIALECTS if dialect.fits(body, head)]
    certain = next((dialect for dialect in fitting if dialect.is_certain(body, head)), None)
    if certain is not None or len(fitting) < 2:  # noqa: PLR2004 - one that fits needs no tie-break
        return certain or next(iter(fitting), None)
    model = body["model"].string() if "model" in body else None
    if provider is not None:
        claude = provider in _ANTHROPIC_PROVIDERS
    elif model is not None:
        claude = "claude" in model.lower()
    else:
        claude = any(message.is_marked for message in head)
    return named("anthropic" if claude else "openai-chat")
