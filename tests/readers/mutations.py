"""What may happen between two requests of a capture, and to the bytes of one."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from cgcli.readers.bodies import Bodies
from cgcli.readers.claude_trace import ClaudeTrace
from cgcli.readers.context_guru import ContextGuru
from cgcli.readers.envelope import Envelope
from tests.captures import SPELLINGS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from tests.captures import Json
    from tests.readers.comparing import Open

    Bodies_ = list[Json]
    Mutation = Callable[[random.Random, Bodies_], Bodies_]

NEEDLE = 'look: "messages": [{"role":"user", and "messages":[{"role" and \\"input\\":[ and {"messages": [0'


def _key(body: Json) -> str:
    return "messages" if "messages" in body else "input"


def _history(body: Json) -> list[Any]:
    held = body[_key(body)]
    return list(held) if isinstance(held, list) else []


def _with(body: Json, history: list[Any]) -> Json:
    return {**body, _key(body): history}


def _one(change: Callable[[random.Random, Json], Json]) -> Mutation:
    """Change one body."""

    def mutate(rng: random.Random, bodies: Bodies_) -> Bodies_:
        at = rng.randrange(len(bodies))
        return [*bodies[:at], change(rng, bodies[at]), *bodies[at + 1 :]]

    return mutate


def _each(change: Callable[[random.Random, Json], Json]) -> Mutation:
    """Change every body."""
    return lambda rng, bodies: [change(rng, body) for body in bodies]


def _also(change: Callable[[random.Random, Json], Json]) -> Mutation:
    """Put a changed copy of one body anywhere behind it."""

    def mutate(rng: random.Random, bodies: Bodies_) -> Bodies_:
        source = rng.randrange(len(bodies))
        at = rng.randint(source + 1, len(bodies))
        return [*bodies[:at], change(rng, bodies[source]), *bodies[at:]]

    return mutate


def _edited(rng: random.Random, body: Json) -> Json:
    """One message with other words in it."""
    history = _history(body)
    if not history:
        return body
    at = rng.randrange(len(history))
    return _with(body, [*history[:at], {"role": "user", "content": f"edited {rng.random()}"}, *history[at + 1 :]])


def _marked(rng: random.Random, body: Json) -> Json:
    """A mark on the last block of one message."""
    history = json.loads(json.dumps(_history(body)))
    listed = [message for message in history if isinstance(message.get("content"), list) and message["content"]]
    if listed:
        rng.choice(listed)["content"][-1]["cache_control"] = {"type": "ephemeral"}
    return _with(body, history) if history else body


def _shortened(rng: random.Random, body: Json) -> Json:
    history = _history(body)
    return _with(body, history[: rng.randint(1, len(history))]) if history else body


def _shifted(rng: random.Random, body: Json) -> Json:
    """The first messages are gone."""
    history = _history(body)
    return _with(body, history[rng.randrange(len(history)) :]) if history else body


def _interjected(rng: random.Random, body: Json) -> Json:
    """A system message between the others, behind the first."""
    history = _history(body)
    at = rng.randint(1, len(history)) if history else 0
    said = {"role": "system", "content": "From now on, be brief."}
    return _with(body, [*history[:at], said, *history[at:]]) if history else body


def _needled(_rng: random.Random, body: Json) -> Json:
    """A first message whose text looks like the bytes before a first message."""
    return _with(body, [{"role": "user", "content": NEEDLE}, *_history(body)[1:]])


def _crowded(_rng: random.Random, body: Json) -> Json:
    """So many short messages first that the rest says nothing of the dialect."""
    first = [{"role": ("user", "assistant")[i % 2], "content": f"m{i}"} for i in range(64)]
    return _with(body, [*first, *_history(body)])


def _short_talk(rng: random.Random, body: Json) -> Json:
    """A talk that any provider could have had."""
    said = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "?"},
    ]
    model = rng.choice(["claude-sonnet-4-5", "gpt-4.1", body["model"]])
    return {"model": model, "messages": said[: rng.choice([1, 3])]}


def _said_once(rng: random.Random, body: Json) -> Json:
    """The whole input a string."""
    return {"model": body["model"], "input": rng.choice(["Say hi", "Say ho"])}


def _headless(_rng: random.Random, body: Json) -> Json:
    """Neither tools nor a system prompt."""
    return {key: value for key, value in body.items() if key not in ("tools", "system", "instructions")}


MUTATIONS: dict[str, Mutation] = {
    "an edit in the middle": _one(_edited),
    "an edit in another branch": _also(_edited),
    "a mark in one": _one(_marked),
    "marks in all": _each(_marked),
    "a nonce before the messages": _each(lambda rng, body: {"metadata": {"n": "x" * rng.randrange(40)}, **body}),
    "fields after the messages": _each(
        lambda rng, body: {**body, "metadata": {"n": "y" * rng.randrange(40)}, "input_": [{"role": "user"}]}
    ),
    "a needle in the text": _each(_needled),
    "a needle in one text": _also(_needled),
    "a shortened history": _also(_shortened),
    "a sliding window": _one(_shifted),
    "a retry": _also(lambda _, body: body),
    "no message": _also(lambda _, body: _with(body, [])),
    "a system message between": _one(_interjected),
    "another model": _one(lambda _, body: {**body, "model": "claude-haiku-4-5"}),
    "model last": _one(lambda _, body: {**{k: v for k, v in body.items() if k != "model"}, "model": body["model"]}),
    "other parameters": _also(lambda rng, body: {**body, "tool_choice": {"type": rng.choice(["auto", "any"])}}),
    "no head": _also(_headless),
    "a short talk": _also(_short_talk),
    "another short talk": _also(_short_talk),
    "a string input": _also(_said_once),
    "another string input": _also(_said_once),
    "many messages first": _each(_crowded),
}


def _mixed(body: Json) -> str:
    """Every other body, more or less, in another spelling."""
    text = SPELLINGS["bodies"](body)
    return text if zlib.crc32(text.encode()) % 2 else SPELLINGS["ascii-bodies"](body)


def _logged(body: Json) -> str:
    """A pair of claude-trace's log, with an answer that repeats the question."""
    end = {"messages": "/v1/messages?beta=true", "input": "/v1/responses"}[_key(body)]
    sent = {"timestamp": 1.5, "method": "POST", "url": f"https://api.example{end}", "headers": {}, "body": body}
    answer = {
        "timestamp": 2.5,
        "status_code": 200,
        "body": {"messages": _history(body)[:2], "usage": {"input_tokens": 1}},
    }
    return json.dumps({"request": sent, "response": answer, "logged_at": "t"}, ensure_ascii=False)


READERS: dict[str, tuple[Callable[[Json], bytes], Open]] = {
    "compact bodies": (lambda body: SPELLINGS["bodies"](body).encode(), Bodies().open),
    "ascii bodies": (lambda body: SPELLINGS["ascii-bodies"](body).encode(), Bodies().open),
    "mixed bodies": (lambda body: _mixed(body).encode(), Bodies().open),
    "pretty bodies": (lambda body: json.dumps(body, indent=9).encode(), Bodies().open),
    "context-guru": (lambda body: SPELLINGS["context-guru"](body).encode(), ContextGuru().open),
    "context-guru, quoted": (
        lambda body: json.dumps({"body": json.dumps(body), "provider": "anthropic"}).encode(),
        ContextGuru().open,
    ),
    "envelope": (lambda body: SPELLINGS["envelope"](body).encode(), Envelope().open),
    "quoted": (lambda body: SPELLINGS["string-envelope"](body).encode(), Envelope().open),
    "claude-trace": (lambda body: _logged(body).encode(), ClaudeTrace().open),
}

_PUT_IN = [b'"', b"{", b"}", b"[", b"]", b",", b":", b"0", b" ", b"\\", b"\xff", b"\x00", b"\n", b"NaN", b"\\ud83d"]
_PUT_IN += [b',"model":"x"', b',"messages":[]', b'"messages":[0],', b'{"role":"user"},', b"0,", b'"sessionId":"s",']


def damaged(rng: random.Random, raw: bytes) -> bytes:
    """*raw* with something wrong in it, perhaps."""
    at = rng.randrange(len(raw)) if rng.random() < 0.7 else max(0, len(raw) - rng.randint(1, 40))
    size = rng.choice([1, 1, 2, 9, 200])
    return rng.choice(
        [
            raw[:at] + rng.choice(_PUT_IN) + raw[at:],
            raw[:at] + rng.choice(_PUT_IN) + raw[at + 1 :],
            raw[:at] + raw[at + size :],
            raw[: at + size] + raw[at:],
            raw[:at],
            raw[:-1] + b',"model":"twice"}',
            raw + b" {}",
        ]
    )
