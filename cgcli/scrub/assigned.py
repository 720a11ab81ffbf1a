"""Secrets that are told by what stands before them: a header, a name and an equals sign, a scheme, an address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.scrub.finding import ASSIGNED, BEARER, COOKIE, HEADER, URL_PASSWORD, USER, Finding
from cgcli.scrub.personal import is_distinctive, is_shared
from cgcli.scrub.plausible import is_mask, is_named_secret, is_placeholder, is_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEME = re.compile(r"(?:bearer|basic|digest|negotiate|apikey|token)[ \t]+", re.IGNORECASE)
_HEADER = re.compile(
    r"(?<![\w-])(proxy-authorization|authorization|(?:set-)?cookie|(?:x-|anthropic-|openai-|azure-)?(?:goog-)?api-key"
    r"|x-auth-token|x-access-token|x-amz-security-token|x-csrf-token|x-xsrf-token|private-token)"
    r"([\"'])?\s{0,4}[:=,]\s{0,4}\[?\s{0,4}([\"'])?([^\"'\r\n\\]{1,2048})",
    re.IGNORECASE,
)
_HEADERS = (
    ("authorization", ("proxy-",)),
    ("cookie", ("set-",)),
    ("api-key", ("x-goog-", "anthropic-", "openai-", "azure-", "x-")),
    ("-token", ("x-auth", "x-access", "x-amz-security", "x-csrf", "x-xsrf", "private")),
)
"""How headers that hold a secret end, and how they may begin."""
_NAMES = ("password", "passwd", "passphrase", "pwd", "secret", "token", "key")
_NO_PASSWORDS = ("token", "key")
_KEY = re.compile(r"(?:api|access|private|signing|encryption|account|auth|secret)[_-]?\Z", re.IGNORECASE)
_LONGEST_KEY = 11
_VALUE = re.compile(r"[\"'`\]]{0,2}[ \t]{0,3}(?::=|=>|=|:)[ \t]{0,3}([\"'`])?([^\s\"'`\\,;&]{4,1024})")
_BEARER = re.compile(r"(?<![A-Za-z])bearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{8,4096})", re.IGNORECASE)
_FEWEST_BEARER_CHARS = 24
_ADDRESS = re.compile(r"://([^\s:/?#@\"'<>\\]{0,100}):([^\s/?#@\"'<>\\]{1,200})@")
_PAIR = re.compile(r"(?<![^;\s])([^=;\s]{1,200})=(\"?)([^;\"\s]{1,4096})")
_ATTRIBUTES = frozenset("path expires max-age domain samesite priority".split())


def assigned(text: str) -> Iterator[Finding]:
    """Every secret in *text* that is told by what stands before it."""
    lower = _lower(text)
    yield from _headers(text, lower)
    yield from _assignments(text, lower)
    if "bearer" in lower:
        for match in _BEARER.finditer(text):
            if is_secret(match[1], quoted=True) or len(match[1]) >= _FEWEST_BEARER_CHARS:
                yield found_at(match.start(1), match[1].rstrip("."), BEARER)
    if "://" in text:
        for match in _ADDRESS.finditer(text):
            if not is_placeholder(match[2]):
                yield found_at(match.start(2), match[2], URL_PASSWORD)
                if is_distinctive(match[1]) and not is_shared(match[1]):
                    yield Finding(start=match.start(1), stop=match.end(1), kind=USER, spreads=False)


def found_at(start: int, value: str, kind: str) -> Finding:
    """The secret *value* at *start*; one that does not look like a secret is replaced there alone."""
    # A password such as `postgres` means something else elsewhere.
    return Finding(start=start, stop=start + len(value), kind=kind, spreads=is_secret(value, quoted=True))


def _lower(text: str) -> str:
    """*text* in small letters, each where it stood."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(char.lower() if char.isascii() else char for char in text)


def _places(text: str, word: str) -> Iterator[int]:
    """Where *word* stands in *text*."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _headers(text: str, lower: str) -> Iterator[Finding]:
    for word, heads in _HEADERS:
        done = 0
        for at in _places(lower, word):
            if at < done:
                continue
            head = next((head for head in heads if lower.endswith(head, 0, at)), "")
            match = _HEADER.match(text, at - len(head))
            if match is not None:
                done = match.end() if word == "cookie" else done
                for found in _header(match):
                    done = found.stop
                    yield found


def _header(match: re.Match[str]) -> Iterator[Finding]:
    quote, start, value = match[3], match.start(4), match[4]
    if match[1].lower().endswith("cookie"):
        yield from cookies(value, start, strict=quote is None)
        return
    scheme = _SCHEME.match(value)
    at = scheme.end() if scheme else 0
    is_told = quote is not None and match[2] is not None
    found = value[at:].rstrip() if is_told else "".join(value[at:].split(maxsplit=1)[:1]).rstrip(",;)]}")
    likely = is_named_secret(found) if scheme else is_secret(found, quoted=True)
    if not is_mask(found) if is_told else likely:
        yield found_at(start + value.index(found, at), found, HEADER)


def credential(text: str) -> Iterator[Finding]:
    """The secret that *text* is, the value of a header that holds one; its scheme is left."""
    scheme = _SCHEME.match(text)
    at = scheme.end() if scheme else len(text) - len(text.lstrip())
    secret = text[at:].rstrip()
    if not is_mask(secret):
        yield found_at(at, secret, HEADER)


def cookies(text: str, at: int = 0, *, strict: bool = False) -> Iterator[Finding]:
    """The value of each cookie in *text*, which begins at *at*; where *strict* those that look like secrets."""
    for match in _PAIR.finditer(text):
        value = match[3]
        if match[1].lower() in _ATTRIBUTES or is_mask(value) or (strict and not is_secret(value, quoted=True)):
            continue
        yield found_at(at + match.start(3), value, COOKIE)


def _assignments(text: str, lower: str) -> Iterator[Finding]:
    for name in _NAMES:
        done = 0
        for at in _places(lower, name):
            if at < done:
                continue
            if name == "key" and not _KEY.search(text, max(0, at - _LONGEST_KEY), at):
                continue
            match = _VALUE.match(text, at + len(name))
            if match is None:
                continue
            done = match.end()
            is_quoted = match[1] is not None
            is_password = name not in _NO_PASSWORDS
            value = match[2] if is_quoted else match[2].rstrip(".)]}>")
            if is_named_secret(value) if is_password and is_quoted else is_secret(value, quoted=is_quoted):
                yield found_at(match.start(2), value, ASSIGNED)
