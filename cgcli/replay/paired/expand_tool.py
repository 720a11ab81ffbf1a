"""The tool by which a model asks for what a marker stands for, put into the requests that need it."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from cgcli.calls.edits import set_member
from cgcli.calls.obstacles import forced_choice
from cgcli.dialects.settings import settings
from cgcli.markers import EXPAND_TOOL, has_marker_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cgcli.calls.edits import Edit
    from cgcli.model import Request

DESCRIPTION = "Retrieve the full original content that was compressed and replaced by a <<cg:HASH>> marker."
_SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string", "description": "The hash inside the marker."}},
    "required": ["id"],
}


class Inject(StrEnum):
    """Which requests get the tool (context-guru's `INJECT_EXPAND`)."""

    AUTO = "auto"
    """Those that have tools, and a marker of this run in them."""
    ALWAYS = "always"
    """All but those whose tools are not recorded."""
    NEVER = "never"


def injection(request: Request, new: Iterable[bytes], inject: Inject) -> Edit | None:
    """The edit that puts the tool last in *request*'s tools; None where it is not wanted, or cannot be.

    *new* are the literals that the policy puts into the request. A request whose tools are not recorded, that forces
    a tool call or has the tool already stays as it is.
    """
    if inject is Inject.NEVER or request.tools is None:
        return None
    if inject is Inject.AUTO and not (request.tools and any(map(has_marker_bytes, new))):
        return None
    if any(part.name == EXPAND_TOOL for item in request.tools for part in item.parts):
        return None
    outside = settings(request)
    if forced_choice(request.dialect, outside) is not None:
        return None
    spec = json.dumps(_spec(request.dialect), separators=(",", ":")).encode()
    if request.tools:
        end = request.tools_starts[-1] + request.tools[-1].size_bytes
        return end, end, b"," + spec
    return set_member(request, "tools", b"[" + spec + b"]") if outside.get("tools") is None else None


def _spec(dialect: str) -> dict[str, Any]:
    if dialect == "anthropic":
        return {"name": EXPAND_TOOL, "description": DESCRIPTION, "input_schema": _SCHEMA}
    named = {"name": EXPAND_TOOL, "description": DESCRIPTION, "parameters": _SCHEMA}
    return {"type": "function", "function": named} if dialect == "openai-chat" else {"type": "function", **named}
