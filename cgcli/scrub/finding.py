"""What was found in a text, and which of several that overlap is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterable

HEADER = "header"
COOKIE = "cookie"
ASSIGNED = "assigned"
URL_PASSWORD = "url_password"  # noqa: S105 - a kind
BEARER = "bearer"
JWT = "jwt"
PRIVATE_KEY = "private_key"
EMAIL = "email"
USER = "user"
EMBEDDED = "embedded"
"""Base64 that holds JSON: not replaced itself, but read."""


@value
class Finding:
    """A stretch of a text that is to be replaced; in characters, half-open."""

    start: int
    stop: int
    kind: str
    """A name of the table `issued`, or one of this module."""
    spreads: bool = True
    """True where the same text is replaced wherever it stands, also without what it was recognised by here."""


def disjoint(found: Iterable[Finding]) -> list[Finding]:
    """Those of *found* that are taken, in order: of two that overlap the first, then the longer."""
    kept: list[Finding] = []
    for one in sorted(found, key=lambda one: (one.start, -one.stop)):
        if not kept or one.start >= kept[-1].stop:
            kept.append(one)
    return kept
