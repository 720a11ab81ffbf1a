"""Requests of a known size for a simulated cache: a word is a token, a message three more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cgcli.cachesim.simulated import Simulated
from cgcli.cachesim.simulator import Edited, Simulator
from cgcli.model import Basis, Refusal, Usage, changed
from cgcli.readers.single import BodyParser
from cgcli.tokens.meter import Meter
from cgcli.tokens.ruler import Ruler

if TYPE_CHECKING:
    from cgcli.model import Request

Json = dict[str, Any]
SONNET = "claude-sonnet-4-5-20250929"
"""Caches from 1,024 tokens on."""
BOUNDLESS = "claude-opus-9"
"""A Claude whose minimum is not known."""
SOL = "gpt-5.6-sol"
MESSAGE = 200
"""Tokens of each message of a lane."""


class Words(Ruler):
    """Counts words, for any model, without a factor."""

    def __init__(self, model: str | None) -> None:
        """Needs no vocabulary."""
        self.model = model
        self.encoding = "words"
        self.basis = Basis.COUNTED
        self.factor = 1.0
        self.is_fitted = False
        self.n_fitted = 0
        self.meter = Meter(lambda text: len(text.split()))


def simulator() -> Simulator:
    """One that counts words."""
    return Simulator(Words)


def words(n: int, word: str = "w") -> str:
    """A text of *n* tokens."""
    return " ".join([word] * n)


def mark(ttl: str | None = None) -> Json:
    """Anthropic's cache mark, to be put into a block."""
    return {"cache_control": {"type": "ephemeral"} | ({"ttl": ttl} if ttl is not None else {})}


def text(n: int, word: str = "w", **more: Any) -> Json:
    """A text block of *n* tokens."""
    return {"type": "text", "text": words(n, word), **more}


def message(role: str, *content: Json) -> Json:
    """A message of these blocks: three tokens, and theirs."""
    return {"role": role, "content": list(content)}


def tool(n: int, word: str = "w", **more: Any) -> Json:
    """A tool spec of *n* tokens; its JSON has no other blank than those of the description."""
    return {"name": "Bash", "description": words(n, word), "input_schema": {}, **more}


def lane(n_messages: int, marks: dict[int, str | None] | None = None, **fields: Any) -> Json:
    """A body of so many messages of 200 tokens, one block and so one position each; *marks* are positions, from 1."""
    marks = marks or {}
    messages = [
        message(
            "assistant" if i % 2 else "user",
            text(MESSAGE - 3, f"m{i}", **(mark(marks[i + 1]) if i + 1 in marks else {})),
        )
        for i in range(n_messages)
    ]
    return {"model": SONNET, "max_tokens": 64, "messages": messages, **fields}


_PARSER = BodyParser()


def request(body: Json) -> Request:
    """*body* as it is read after the bodies before it."""
    return _PARSER.parse(json.dumps(body).encode())


def measured(*, read: int, write: int, fresh: int = 1) -> Usage:
    """A recorded usage."""
    return Usage(fresh=fresh, read=read, write_by_ttl_s={300: write} if write else {}, output=5)


class Sent:
    """A simulator that numbers what it is sent, from 0, and tells what became of it."""

    def __init__(self, of: Simulator | None = None) -> None:
        """Nothing was sent yet."""
        self.simulator = of if of is not None else simulator()
        self.n_sent = 0

    def send(
        self,
        body: Json,
        sent_s: float | None = None,
        *,
        readable_s: float | None = None,
        usage: Usage | None = None,
    ) -> Simulated:
        """What *body* reads and writes."""
        made = request(body)
        foreseen = self.simulator.what_if(made, sent_s=sent_s)
        unedited = self.simulator.edited(made, sent_s=sent_s)
        found = self.simulator.send(made, number=self.n_sent, sent_s=sent_s, readable_s=readable_s, usage=usage)
        assert found == foreseen
        assert isinstance(found, Simulated)
        assert isinstance(unedited, Edited)
        assert unedited.from_message(None) == changed(found, why=None)
        self.n_sent += 1
        return found

    def refused(self, body: Json) -> Refusal:
        """Why *body* cannot be simulated."""
        found = self.simulator.send(request(body), number=-1, sent_s=None)
        assert isinstance(found, Refusal)
        return found


def told(found: Simulated) -> tuple[int, dict[int, int], int, str | None]:
    """Read, written by lifetime, fresh, and why no more."""
    return found.read_tokens, dict(found.write_by_ttl_s), found.fresh_tokens, found.why
