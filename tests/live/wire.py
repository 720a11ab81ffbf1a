"""What the local provider's two halves share: errors, canonical bytes, tokens, and the entries of a cache.

Nothing in this folder but the tests imports the package: the provider is written from the providers' documentation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

Json = dict[str, Any]


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, kind: str, message: str, *, code: str | None = None) -> None:
        """Keep the HTTP *status*, the error's *kind*, its *message*, and OpenAI's *code*."""
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.message = message
        self.code = code


def invalid(message: str, *, code: str | None = None) -> Refused:
    """A 400."""
    return Refused(400, "invalid_request_error", message, code=code)


def canonical(tree: Any) -> bytes:
    """*tree* as compact JSON in UTF-8, the order of keys kept: a schema or a tool's input counts as it was sent."""
    return json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def tokens_of(tree: Any) -> int:
    """The provider's tokenizer: a token for every 4 bytes of canonical JSON, begun ones too."""
    return -(-len(canonical(tree)) // 4)


def grown(key: bytes, *trees: Any) -> bytes:
    """The prefix *key*, and *trees* behind it."""
    for tree in trees:
        key = sha256(key + sha256(canonical(tree)).digest()).digest()
    return key


@dataclass(frozen=True)
class Write:
    """A prefix that is to be kept, and for how long after its last use."""

    key: bytes
    ttl_s: int


@dataclass
class Entries:
    """The prefixes that a provider keeps, each until its life after the last use is over."""

    _kept: dict[bytes, tuple[float, int]] = field(default_factory=dict)

    def has(self, key: bytes, now_s: float) -> bool:
        """Whether *key* is kept at that time."""
        kept = self._kept.get(key)
        return kept is not None and now_s <= kept[0]

    def use(self, key: bytes, now_s: float) -> None:
        """Begin the life of *key* anew; of one that has lapsed nothing is left."""
        if self.has(key, now_s):
            ttl_s = self._kept[key][1]
            self._kept[key] = (now_s + ttl_s, ttl_s)

    def write(self, write: Write, now_s: float) -> None:
        """Keep one; where it is kept already for longer, it stays for longer."""
        ttl_s = max(write.ttl_s, self._kept[write.key][1] if self.has(write.key, now_s) else 0)
        self._kept[write.key] = (now_s + ttl_s, ttl_s)


@dataclass(frozen=True)
class Counts:
    """What one pass over a prompt billed, in disjoint tokens, and what it leaves in the cache."""

    read: int
    written_by_ttl_s: dict[int, int]
    fresh: int
    used: tuple[bytes, ...] = ()
    writes: tuple[Write, ...] = ()

    @property
    def total(self) -> int:
        """All of the prompt."""
        return self.read + sum(self.written_by_ttl_s.values()) + self.fresh

    @property
    def written(self) -> int:
        """Written for whatever time."""
        return sum(self.written_by_ttl_s.values())


@dataclass(frozen=True)
class Answer:
    """A whole answer, the passes that it took, and whether it goes out as events."""

    body: Json
    passes: tuple[Counts, ...]
    streamed: bool = False
