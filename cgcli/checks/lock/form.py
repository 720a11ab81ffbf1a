"""What stands in a `cg.lock`, and its spelling: JSON, sorted, one fact a line, digests only.

A digest is the first 16 hex digits of a sha256. No text of a transcript is in it, not even the name of a tool.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from cgcli.errors import InputError, UsageError
from cgcli.model import value
from cgcli.prefix import CHAIN

if TYPE_CHECKING:
    from collections.abc import Iterable

LOCK = "cg-lock/1"
DIGITS = 16
_DIGEST = re.compile(r"[0-9a-f]{16}")
_HINT = "write it again: cg check FILE --write-baseline cg.lock"


@value
class Head:
    """What stands before the messages, and the parameters."""

    model: str | None
    """The digest of its name; None where the request names none."""
    tools: tuple[tuple[str, str], ...] | None
    """The digest of each tool's name and of the tool, in order; None where they are not recorded."""
    system: tuple[str, ...] | None
    """The digest of each block; None where it is not recorded."""
    params: tuple[tuple[str, str], ...]
    """Path and digest of each parameter that the cache depends on and that is set."""


@value
class Lane:
    """One epoch of a lane; a request that was only sent again counts once.

    Which epochs make up a lane depends on what else was sent meanwhile, so a baseline keeps them apart.
    """

    label: str
    first: str
    """The digest of the first message that is no system prompt: with the label, what the lane is known by."""
    heads: tuple[tuple[int, str], ...]
    """From which request on (from 1) which head stands, by its key in `Lock.heads`."""
    requests: tuple[tuple[int, str], ...]
    """How many messages each request has, and its chain after the last one."""

    def head_at(self, i_request: int) -> str:
        """The key of the head of a request, from 0."""
        return [key for since, key in self.heads if since <= i_request + 1][-1]


@value
class Lock:
    """The baseline of a file."""

    heads: dict[str, Head]
    """Under the digest of what they say."""
    lanes: tuple[Lane, ...]
    """Sorted by what they say, so that neither their names nor their order in the file counts."""


def write(lock: Lock) -> bytes:
    """*lock* as it is stored."""
    document = {
        "lock": LOCK,
        "chain": CHAIN,
        "heads": {key: _head(head) for key, head in lock.heads.items()},
        "lanes": [
            {
                "label": lane.label,
                "first": lane.first,
                "heads": _joined(lane.heads),
                "requests": _joined(lane.requests),
            }
            for lane in lock.lanes
        ],
    }
    return (json.dumps(document, indent=1, sort_keys=True) + "\n").encode()


def _head(head: Head) -> dict[str, Any]:
    return {
        "model": head.model,
        "tools": None if head.tools is None else _joined(head.tools),
        "system": head.system,
        "params": dict(head.params),
    }


def key_of(head: Head) -> str:
    """The digest of what *head* says."""
    return sha256(json.dumps(_head(head), sort_keys=True).encode()).hexdigest()[:DIGITS]


def _joined(pairs: Iterable[tuple[object, str]]) -> list[str]:
    return [f"{one} {other}" for one, other in pairs]


class _StoredHead(msgspec.Struct, forbid_unknown_fields=True):
    model: str | None
    tools: list[str] | None
    system: list[str] | None
    params: dict[str, str]


class _StoredLane(msgspec.Struct, forbid_unknown_fields=True):
    label: str
    first: str
    heads: list[str]
    requests: list[str]


class _Stored(msgspec.Struct, forbid_unknown_fields=True):
    lock: str
    chain: str
    heads: dict[str, _StoredHead]
    lanes: list[_StoredLane]


def read(data: bytes, *, file: str = "cg.lock") -> Lock:
    """The baseline in *data*, the bytes of *file*.

    Raises:
        InputError: it is no lock, or it is damaged.
        UsageError: another version of the lock or of the chain wrote it.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError("not a baseline: no JSON", where=file, hint=_HINT) from error
    _check_versions(found, file)
    try:
        stored = msgspec.convert(found, _Stored)
        lock = Lock(
            heads={_digest(key): _stored_head(head) for key, head in stored.heads.items()},
            lanes=tuple(map(_stored_lane, stored.lanes)),
        )
        if not {key for lane in lock.lanes for _, key in lane.heads} <= lock.heads.keys():
            raise ValueError("a lane has a head that is not in it")  # noqa: TRY301 - told as any other damage
    except ValueError as error:
        raise InputError(f"the baseline is damaged: {error}", where=file, hint=_HINT) from error
    return lock


def _check_versions(found: Any, file: str) -> None:
    """Refuse what is no lock, and what was written by other rules."""
    if not isinstance(found, dict) or not isinstance(found.get("lock"), str):
        raise InputError("not a baseline: it does not say `lock`", where=file, hint=_HINT)
    for key, mine in (("lock", LOCK), ("chain", CHAIN)):
        theirs = found.get(key)
        if theirs != mine:
            raise UsageError(f"the baseline is {theirs!r}, this version compares {mine!r}", where=file, hint=_HINT)


def _stored_head(stored: _StoredHead) -> Head:
    tools = None if stored.tools is None else tuple(_pair(text) for text in stored.tools)
    return Head(
        model=None if stored.model is None else _digest(stored.model),
        tools=None if tools is None else tuple((_digest(name), spec) for name, spec in tools),
        system=None if stored.system is None else tuple(map(_digest, stored.system)),
        params=tuple((path, _digest(digest)) for path, digest in stored.params.items()),
    )


def _stored_lane(stored: _StoredLane) -> Lane:
    lane = Lane(
        label=stored.label,
        first=_digest(stored.first),
        heads=tuple((int(since), key) for since, key in map(_pair, stored.heads)),
        requests=tuple((int(n), state) for n, state in map(_pair, stored.requests)),
    )
    if not lane.heads or lane.heads[0][0] != 1 or not lane.requests:
        raise ValueError("a lane without its first request")
    return lane


def _pair(text: str) -> tuple[str, str]:
    one, _, other = text.partition(" ")
    return one, _digest(other)


def _digest(text: str) -> str:
    if not _DIGEST.fullmatch(text):
        raise ValueError(f"{text[:20]!r} is no digest")
    return text
