"""Run one gate over a saved file, or over bodies in the making."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

from cgcli.checks.registry import gate
from cgcli.checks.run import Allowed, check
from cgcli.model import changed
from cgcli.readers import Capture, open_bytes, read
from cgcli.readers.base import Known
from tests.running import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from cgcli.checks.base import Finding, Result
    from cgcli.checks.run import Checked
    from cgcli.readers import Entry

Json = dict[str, Any]
NOTHING_ALLOWED = Allowed()


def fixture(name: str, file: str) -> Path:
    """`fixtures/gates/NAME/FILE.jsonl`."""
    return FIXTURES / "gates" / name / f"{file}.jsonl"


def checked(
    source: Path | bytes,
    *names: str,
    allowed: Allowed = NOTHING_ALLOWED,
    options: Mapping[str, object] | None = None,
) -> Checked:
    """What the gates *names* say of a file or of its bytes."""
    stream = BytesIO(source) if isinstance(source, bytes) else open_bytes(str(source))
    with stream:
        return check(read(stream, file="made.jsonl"), [gate(name) for name in names], allowed, options or {})


def result(
    source: Path | bytes,
    name: str,
    *,
    allowed: Allowed = NOTHING_ALLOWED,
    options: Mapping[str, object] | None = None,
) -> Result:
    """What the gate *name* says."""
    (found,) = checked(source, name, allowed=allowed, options=options).results
    return found


class Forgetting(Capture):
    """A capture of a format that does not record tools or system prompt."""

    forgets: tuple[str, ...] = ("tools", "system")

    def __iter__(self) -> Iterator[Entry]:
        """Every entry, its request without them."""
        for entry in super().__iter__():
            if entry.exchange is None:
                yield entry
                continue
            request = changed(entry.exchange.request, **dict.fromkeys(self.forgets))
            yield changed(entry, exchange=changed(entry.exchange, request=request))


def forgotten(
    source: bytes,
    name: str,
    *,
    forgets: tuple[str, ...],
    is_said: bool = True,
    options: Mapping[str, object] | None = None,
) -> Result:
    """What the gate *name* says of a file whose format does not record *forgets*; *is_said*: and says so."""
    whole = read(BytesIO(source), file="made.jsonl")
    recorded = {field: not (is_said and field in forgets) for field in ("tools", "system")}
    known = Known(**recorded, usage=True, response=True, time=True)
    about = changed(whole.about, known=known)
    capture = Forgetting(about, reader=whole.reader, pieces=whole._pieces, tally=whole.tally)
    capture.forgets = forgets
    (found,) = check(capture, [gate(name)], NOTHING_ALLOWED, options or {}).results
    return found


def lines(bodies: Iterable[Json]) -> bytes:
    """The bodies as a file, one a line."""
    return "".join(json.dumps(body, separators=(",", ":")) + "\n" for body in bodies).encode()


def failures(found: Result) -> list[Finding]:
    """The findings that are no notes."""
    return [finding for finding in found.findings if not finding.is_note]


def notes(found: Result) -> list[Finding]:
    """The findings that are."""
    return [finding for finding in found.findings if finding.is_note]


def body(*messages: Json, **fields: Any) -> Json:
    """A body of one agent with these messages; a field that is None is left out."""
    head: Json = {"model": "claude-sonnet-4-5", "max_tokens": 64, "system": "You are an agent.", "tools": [BASH]}
    return {key: item for key, item in {**head, **fields, "messages": list(messages)}.items() if item is not None}


def user(words: str) -> Json:
    """What a person says."""
    return {"role": "user", "content": words}


def said(words: str) -> Json:
    """What the assistant says."""
    return {"role": "assistant", "content": words}


def turn(number: int, words: str = "ok") -> tuple[Json, Json]:
    """A call and its output."""
    call = {"type": "tool_use", "id": f"call_{number}", "name": "Bash", "input": {"n": number}}
    output = {"type": "tool_result", "tool_use_id": f"call_{number}", "content": words}
    return {"role": "assistant", "content": [call]}, {"role": "user", "content": [output]}


BASH: Json = {"name": "Bash", "description": "Runs a command.", "input_schema": {"type": "object"}}
