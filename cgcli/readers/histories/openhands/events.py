"""What an OpenHands event says, in the words of Chat Completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.dialects.base import string_of
from cgcli.model import unique
from cgcli.readers import chat, usage
from cgcli.readers.fields import count_at, elements_of, members_of, utf8_text, value_at
from cgcli.readers.spelling import spell
from cgcli.readers.stamps import iso_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cgcli.model import Usage
    from cgcli.wire.spans import Node

Totals = tuple[int, int, int, int]
"""Prompt, output, read and written tokens, as the file says them: the prompt includes the last two."""

UNSENT = frozenset({"null", "change_agent_state", "agent_state_changed"})
"""Kinds that the agent's history leaves out altogether."""
_SILENT = frozenset({"recall", "condensation_request", "start", "pause", "resume", "stop", "loop_recovery"})
"""Kinds that stand in the history and say nothing that the file has word for word."""
_FENCES = {"run": ("execute_bash", "command"), "run_ipython": ("execute_ipython", "code")}
_BROWSE = ("execute_browse", "browser_actions")
_ERROR = "\n[Error occurred in processing last action]"
_TOTALS = ("prompt_tokens", "completion_tokens", "cache_read_tokens", "cache_write_tokens")


@unique
class Event:
    """One event."""

    identity: int | None
    line: int
    kind: str
    is_action: bool
    source: str | None
    arguments: Mapping[str, Node]
    """Of an action; older files have them beside its name."""
    members: Mapping[str, Node]
    response: Mapping[str, Node]
    """The model's whole answer, where the file has it."""
    call_id: str | None
    totals: Totals | None
    """What the model billed up to here, all calls together."""
    stamp_s: float | None

    @property
    def message(self) -> Mapping[str, Node]:
        """The message of the model's whole answer."""
        choices = elements_of(self.response.get("choices"))
        return members_of(members_of(choices[0]).get("message")) if choices else {}


def event(node: Node, line: int) -> Event | None:
    """The event at *node*; None where it is none.

    Raises:
        Malformed: it cannot be used.
    """
    members = members_of(node)
    action, observation = string_of(members, "action"), string_of(members, "observation")
    if action is None and observation is None:
        return None
    identity = value_at(members, "id")
    called = members_of(members.get("tool_call_metadata"))
    inner = members.get("args" if action is not None else "extras")
    return Event(
        identity=identity if isinstance(identity, int) and not isinstance(identity, bool) else None,
        line=line,
        kind=action if action is not None else observation or "",
        is_action=action is not None,
        source=string_of(members, "source"),
        arguments=members_of(inner) if inner is not None else members,
        members=members,
        response=members_of(called.get("model_response")),
        call_id=string_of(called, "tool_call_id"),
        totals=_totals(members_of(members.get("llm_metrics"))),
        stamp_s=iso_s(string_of(members, "timestamp")),
    )


def _totals(metrics: Mapping[str, Node]) -> Totals | None:
    so_far = members_of(metrics.get("accumulated_token_usage"))
    prompt, output, read, written = (count_at(so_far, key) for key in _TOTALS)
    if prompt is None or output is None:
        return None
    return prompt, output, read or 0, written or 0


def usage_between(before: Totals | None, after: Totals | None) -> Usage | None:
    """What one answer billed, from the totals before and after it; None where they do not grow, or one is missing."""
    if before is None or after is None or any(late < early for early, late in zip(before, after, strict=True)):
        return None
    total, output, read, written = (late - early for early, late in zip(before, after, strict=True))
    return usage.inclusive(total=total, read=read, written=written, output=output) if total else None


def usage_of(response: Mapping[str, Node]) -> Usage | None:
    """What the whole answer says that it billed."""
    return usage.of_answer({"usage": value_at(response, "usage")})


def usages_by_response(metrics: Mapping[str, Node]) -> dict[str, Usage]:
    """What each answer billed, by its id, as the metrics of a whole run list it."""
    found: dict[str, Usage] = {}
    for node in elements_of(metrics.get("token_usages")):
        listed = members_of(node)
        response_id = string_of(listed, "response_id")
        prompt, output, read, written = (count_at(listed, key) for key in _TOTALS)
        if response_id and prompt:
            found[response_id] = usage.inclusive(total=prompt, read=read or 0, written=written or 0, output=output)
    return found


def spoken(found: Event, *, is_agents: bool) -> bytes | None:
    """The message that an action without a whole answer makes; None where nothing of it is sent."""
    if found.kind in _SILENT:
        return None
    words = _words(found)
    if not is_agents and found.kind == "run":
        words = f"User executed the command:\n{string_of(found.arguments, 'command') or ''}"
    return chat.text("assistant" if is_agents else "user", words) if words else None


def _words(found: Event) -> str:
    """What the agent said: its thought, and the action in the fence that its prompt asks for."""
    arguments = found.arguments
    if found.kind == "message":
        return string_of(arguments, "content") or ""
    thought = string_of(arguments, "thought") or ""
    if found.kind in ("finish", "think"):
        return thought or string_of(arguments, "final_thought") or ""
    fence, key = _BROWSE if found.kind.startswith("browse") else _FENCES.get(found.kind, ("", ""))
    done = string_of(arguments, key) if key else None
    if done is not None:
        return f"{thought}\n<{fence}>\n{done}\n</{fence}>"
    rest = {name: utf8_text(node.bytes()) for name, node in arguments.items() if name not in _ASIDE}
    return "\n".join(filter(None, (thought, found.kind, *(f"{name}: {said}" for name, said in rest.items()))))


_ASIDE = frozenset(
    {
        "thought",
        "action",
        "id",
        "timestamp",
        "source",
        "message",
        "action_risk",
        "security_risk",
        "is_confirmed",
        "confirmation_state",
        "keep_prompt",
        "llm_metrics",
    }
)
"""What an action notes beside what it does."""


def observed(found: Event) -> bytes | None:
    """The message that an observation makes."""
    if found.kind in _SILENT:
        return None
    content = found.members.get("content")
    said = content.text() if content is not None and content.kind == "string" else ""
    if found.kind == "error":
        said += _ERROR
    if found.call_id is not None:
        return chat.result(found.call_id, spell(said))
    exit_code, command_id = value_at(found.members, "exit_code"), value_at(found.members, "command_id")
    if found.arguments is not found.members:
        return chat.text("user", said) if said else None
    ended = f"\n[Command {command_id} finished with exit code {exit_code}]" if _is_number(exit_code) else ""
    return chat.text("user", f"OBSERVATION:\n{said}{ended}")


def _is_number(found: Any) -> bool:
    return isinstance(found, int) and not isinstance(found, bool)


def call_ids(message: Mapping[str, Node]) -> frozenset[str]:
    """The ids of the calls in *message*."""
    ids = (string_of(members_of(call), "id") for call in elements_of(message.get("tool_calls")))
    return frozenset(one for one in ids if one is not None)


def forgotten(arguments: Mapping[str, Node], identities: Iterable[int | None]) -> set[int]:
    """Which of the events of those ids a condensation leaves out."""
    listed = value_at(arguments, "forgotten_event_ids")
    if isinstance(listed, list):
        return {one for one in listed if _is_number(one)}
    first, last = value_at(arguments, "forgotten_events_start_id"), value_at(arguments, "forgotten_events_end_id")
    if not (_is_number(first) and _is_number(last)):
        return set()
    return {one for one in identities if one is not None and first <= one <= last}
