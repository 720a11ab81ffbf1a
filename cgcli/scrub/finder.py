"""Everything in one text that is to be replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import unique
from cgcli.scrub import blobs
from cgcli.scrub.assigned import assigned, cookies, credential, found_at
from cgcli.scrub.finding import ASSIGNED, Finding, disjoint
from cgcli.scrub.issued import issued
from cgcli.scrub.named import Role
from cgcli.scrub.personal import Names, accounts, emails
from cgcli.scrub.plausible import is_named_secret, is_secret
from cgcli.scrub.replacing import is_replacement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@unique
class Known:
    """What was found somewhere, and is therefore replaced everywhere."""

    secrets: Mapping[str, str]
    """Each with its kind."""
    names: Names | None

    def __bool__(self) -> bool:
        """True where there is anything."""
        return bool(self.secrets) or self.names is not None


NOTHING = Known(secrets={}, names=None)


def find(text: str, role: Role, known: Known, *, known_only: bool = False) -> list[Finding]:
    """What is to be replaced in *text*, in order and disjoint; *role* is what its JSON name says of it.

    With *known_only* nothing else than what is *known* is looked for.
    """
    if role is Role.OPAQUE:
        return []
    spans = blobs.blobs(text)
    found = [
        one
        for one in (*(() if known_only else _candidates(text, role)), *_known(text, role, known))
        if not (spans and blobs.within(one, spans)) and not is_replacement(text[one.start : one.stop], one.kind)
    ]
    return disjoint(found if known_only else [*found, *blobs.embedded(text, spans)])


def _candidates(text: str, role: Role) -> Iterator[Finding]:
    yield from issued(text)
    yield from _by_role(text, role)
    yield from assigned(text)
    yield from emails(text)
    yield from accounts(text)


def _known(text: str, role: Role, known: Known) -> Iterator[Finding]:
    for secret, kind in known.secrets.items():
        at = text.find(secret)
        while at >= 0:
            yield Finding(start=at, stop=at + len(secret), kind=kind)
            at = text.find(secret, at + len(secret))
    if known.names is not None and role is not Role.STRUCTURE:
        yield from known.names.find(text)


def _by_role(text: str, role: Role) -> Iterator[Finding]:
    """What *text* is as a whole."""
    if role is Role.HEADER:
        yield from credential(text)
    elif role is Role.COOKIE:
        yield from cookies(text)
    elif (role is Role.SECRET and is_named_secret(text)) or (role is Role.TOKEN and is_secret(text, quoted=True)):
        yield found_at(0, text, ASSIGNED)
