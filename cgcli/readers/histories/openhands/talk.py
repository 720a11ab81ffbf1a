"""One OpenHands conversation: what was sent, put together event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.dialects import named
from cgcli.dialects.base import string_of
from cgcli.model import Section, unique
from cgcli.readers import chat, spelling
from cgcli.readers.derived import Derived
from cgcli.readers.fields import value_at
from cgcli.readers.histories.openhands.events import (
    UNSENT,
    Event,
    Totals,
    call_ids,
    forgotten,
    observed,
    spoken,
    usage_between,
    usage_of,
)
from cgcli.readers.histories.sound import check_message
from cgcli.readers.spelling import spell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cgcli.model import Usage

_CHAT = named("openai-chat")
_AGENT = "agent"


@unique
class _Said:
    """What an event adds to the messages."""

    identity: int | None
    written: bytes | None
    calls: frozenset[str] = frozenset()
    answers: str | None = None
    """The call whose result it is."""
    is_summary: bool = False


class Talk:
    """A conversation, or that of a delegate."""

    def __init__(self, *, session_id: str | None, model: str | None, billed: Mapping[str, Usage]) -> None:
        """Nothing was said yet; *billed* has the usage of answers by their id, where the run lists it."""
        self.session_id = session_id
        self._model = model
        self._billed = billed
        self._said: list[_Said] = []
        self._response_id: str | None = None
        self._tools: bytes | None = None
        self._has_system = False
        self._last_s: float | None = None
        self._last_role = ""
        self._totals: Totals | None = (0, 0, 0, 0)

    def take(self, event: Event) -> Derived | None:
        """The request that *event* tells of, where it is an answer.

        Raises:
            Malformed: it cannot be used.
        """
        if event.kind in UNSENT:
            return None
        if not event.is_action:
            self._add(_Said(identity=event.identity, written=observed(event), answers=event.call_id), "user")
            found = None
        elif event.kind == "system":
            self._system(event)
            found = None
        elif event.kind == "condensation":
            self._condense(event)
            return None
        else:
            found = self._act(event)
        self._last_s = event.stamp_s if event.stamp_s is not None else self._last_s
        return found

    def forget_totals(self) -> None:
        """Another conversation bills in between: the next difference is not of one answer."""
        self._totals = None

    def _add(self, said: _Said, role: str) -> None:
        self._said.append(said)
        if said.written is not None:
            self._last_role = role

    def _system(self, event: Event) -> None:
        content = string_of(event.arguments, "content")
        if content is not None:
            self._has_system = True
            self._add(_Said(identity=event.identity, written=chat.text("system", content)), "system")
        tools = event.arguments.get("tools")
        self._tools = tools.bytes() if tools is not None and tools.kind == "array" else self._tools

    def _act(self, event: Event) -> Derived | None:
        message = event.message
        if not message:
            return self._spoken(event)
        response_id = string_of(event.response, "id")
        if response_id is not None and response_id == self._response_id:
            # One answer with several calls: the first one's event has brought it.
            self._said.append(_Said(identity=event.identity, written=None))
            self._totals = event.totals if event.totals is not None else self._totals
            return None
        self._response_id = response_id
        whole = chat.sent(message)
        check_message(whole, _CHAT)
        bill = usage_of(event.response) or self._billed.get(response_id or "")
        found = self._derived(event, whole, bill)
        if event.kind == "finish":
            closing = string_of(message, "content") or string_of(event.arguments, "final_thought") or ""
            self._add(_Said(identity=event.identity, written=chat.text("assistant", closing)), "assistant")
        else:
            self._add(_Said(identity=event.identity, written=whole, calls=call_ids(message)), "assistant")
        return found

    def _spoken(self, event: Event) -> Derived | None:
        is_agents = self._is_agents(event)
        written = spoken(event, is_agents=is_agents)
        found = None
        if is_agents and written is not None:
            found = self._derived(event, written if event.kind == "message" else None, None)
        self._add(_Said(identity=event.identity, written=written), "assistant" if is_agents else "user")
        return found

    def _is_agents(self, event: Event) -> bool:
        """True where the agent acts; files that do not say who did begin with the user, who also answers it."""
        if event.source is not None:
            return event.source == _AGENT
        return event.kind != "message" or self._last_role not in ("", "system", "assistant")

    def _derived(self, event: Event, answer: bytes | None, bill: Usage | None) -> Derived | None:
        usage = bill or usage_between(self._totals, event.totals)
        self._totals = event.totals
        messages = [said.written for said in self._said if said.written is not None]
        if not messages:
            return None
        given = value_at(event.response, "model")
        model = self._model or (given if isinstance(given, str) else None)
        unrecorded = {Section.TOOLS: self._tools is None, Section.SYSTEM: not self._has_system}
        return Derived(
            body=spelling.body(messages, model=spell(model) if model else None, tools=self._tools),
            line=event.line,
            provider="openai",
            session_id=self.session_id,
            sent_s=self._last_s,
            answered_s=event.stamp_s,
            find_answer=(lambda: chat.answer(answer)) if answer is not None else None,
            usage=usage,
            unrecorded=frozenset(section for section, is_missing in unrecorded.items() if is_missing),
        )

    def _condense(self, event: Event) -> None:
        """Leave out what is forgotten; a summary takes the place of the one before."""
        gone = forgotten(event.arguments, (said.identity for said in self._said))
        kept = [said for said in self._said if said.identity is None or said.identity not in gone]
        summary = string_of(event.arguments, "summary")
        if summary is not None:
            offset = value_at(event.arguments, "summary_offset")
            kept = [said for said in kept if not said.is_summary]
            at = offset if isinstance(offset, int) and offset >= 0 else 0
            kept.insert(at, _Said(identity=None, written=chat.text("user", summary), is_summary=True))
        self._said = _matched(kept)
        self.forget_totals()


def _matched(said: list[_Said]) -> list[_Said]:
    """*said* without results whose call is gone, and calls of which a result is."""
    answered = {one.answers for one in said if one.answers is not None}
    called = {call for one in said for call in one.calls if one.calls <= answered}
    return [one for one in said if one.calls <= answered and (one.answers is None or one.answers in called)]
