"""What was worked out for a text that stands in many lines, kept within bounds."""

from __future__ import annotations

from hashlib import sha256
from typing import Generic, TypeVar

T = TypeVar("T")

_MOST_ENTRIES = 1 << 17
_MOST_BYTES = 64 << 20
_LONG_BYTES = 64


class Memory(Generic[T]):
    """Results by the bytes that they are of; begins anew where it has grown too large."""

    def __init__(self) -> None:
        """With nothing in it."""
        self._held: dict[tuple[object, bytes], T] = {}
        self._size_bytes = 0

    @staticmethod
    def key(role: object, content: bytes) -> tuple[object, bytes]:
        """What *content* is kept under: itself where it is short, else its digest."""
        return role, content if len(content) <= _LONG_BYTES else sha256(content).digest()

    def get(self, key: tuple[object, bytes]) -> T | None:
        """What is kept under *key*; None where nothing is."""
        return self._held.get(key)

    def keep(self, key: tuple[object, bytes], result: T, *, size_bytes: int = 0) -> T:
        """Keep *result*, which holds *size_bytes*, and give it back."""
        if len(self._held) >= _MOST_ENTRIES or self._size_bytes + size_bytes > _MOST_BYTES:
            self._held.clear()
            self._size_bytes = 0
        self._held[key] = result
        self._size_bytes += size_bytes
        return result
