"""What the name of a JSON member says about the string in it."""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache


class Role(Enum):
    """How the string under a name is read."""

    TEXT = auto()
    """Anything."""
    STRUCTURE = auto()
    """An id, a role, a model: no name of a person is looked for in it."""
    OPAQUE = auto()
    """A signature or encrypted content: left alone."""
    HEADER = auto()
    """A header that holds a credential, whatever that looks like."""
    COOKIE = auto()
    SECRET = auto()
    """Named a password or a key."""
    TOKEN = auto()
    """Named a token, which other things are, too: it has to look like a secret."""


_OPAQUE = frozenset(
    "signature thoughtsignature thought_signature encrypted_content encrypted_index redacted_data".split()
)
_STRUCTURE = frozenset(
    "type role model id object uuid parentuuid leafuuid sessionid session_id requestid request_id message_id messageid "
    "tool_use_id tool_call_id parent_tool_use_id tooluseid call_id callid item_id custom_id response_id responseid "
    "media_type mime_type mimetype stop_reason finish_reason service_tier provider event subtype timestamp version "
    "effort ttl".split()
)
_HEADER = frozenset(
    "authorization proxy-authorization x-api-key api-key x-goog-api-key anthropic-api-key openai-api-key azure-api-key "
    "x-auth-token x-access-token x-amz-security-token x-csrf-token x-xsrf-token private-token".split()
)
_COOKIE = frozenset({"cookie", "set-cookie"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SECRET = re.compile(
    r"(?:.*-)?(?:password|passwd|passphrase|pwd|secret|(?:api|access|private|signing|encryption|account|secret)-?key)"
)
_TOKEN = re.compile(r"(?:.*-)?(?:token|credentials?)")


@lru_cache(4096)
def role_of(name: str) -> Role:
    """What the string under *name* is."""
    lower = name.lower()
    if lower in _OPAQUE:
        return Role.OPAQUE
    if lower in _STRUCTURE:
        return Role.STRUCTURE
    dashed = _HUMP.sub("-", name).lower().replace("_", "-").replace(".", "-")
    if lower in _HEADER:
        return Role.HEADER
    if lower in _COOKIE:
        return Role.COOKIE
    if _SECRET.fullmatch(dashed):
        return Role.SECRET
    return Role.TOKEN if _TOKEN.fullmatch(dashed) else Role.TEXT


def is_header(name: str) -> bool:
    """True where *name* is a header that holds a credential or cookies."""
    return name.lower() in _HEADER or name.lower() in _COOKIE
