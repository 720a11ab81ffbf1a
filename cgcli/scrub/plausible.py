"""May a text that stands where a secret would stand be one?"""

from __future__ import annotations

import re

_FEWEST_CHARS = 8
_FEWEST_NAMED_CHARS = 6
_MOST_CHARS = 4096
_FEWEST_DIFFERENT = 5
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MASK = re.compile(r"[*xX.\u2026_#?-]+|\$\{?\w+\}?|[<\[({]+[\w -]+[>\])}]+|.*(?:REDACTED|\*\*\*).*", re.DOTALL)
_PLACEHOLDER = re.compile(
    r"[$<{\[(%].*|.*(?:\.\.\.|\u2026|\$\{|\{\{|<[a-z_ -]+>).*|(?i:your?|my|the|an?)[-_ ].*", re.DOTALL
)
_CODE = re.compile(r"[A-Za-z_][A-Za-z_.]*\d?|.*[()\[\]{};,<>|`].*|(?:https?|file)://.*|[./~].*", re.DOTALL)
"""What stands behind `token =` in a program: a name, a call, an index, an address, a path."""
_WORDS = frozenset(
    "password passwd passphrase passwort secret secrets token tokens string required optional example changeme change "
    "default none null true false undefined placeholder hidden invalid incorrect missing unknown dummy sample number "
    "object integer boolean redacted masked removed omitted empty value text basic bearer digest header query cookie "
    "config environment enabled disabled username credentials api_key apikey api-key access_token".split()
)


def is_mask(text: str) -> bool:
    """True where *text* was put in the place of a secret: `***`, `<token>`, `${TOKEN}`, `REDACTED`, nothing."""
    return not text or _MASK.fullmatch(text) is not None


def is_placeholder(text: str) -> bool:
    """True where *text* only looks as if it were a secret: a mask, `your-key`, `password`, a format with braces."""
    return is_mask(text) or text.lower() in _WORDS or _PLACEHOLDER.fullmatch(text) is not None


def is_named_secret(text: str) -> bool:
    """True where *text* may be the value of what is named a password or a key: it need not look like one."""
    return (
        _FEWEST_NAMED_CHARS <= len(text) <= _MOST_CHARS
        and not any(char.isspace() for char in text)
        and not is_placeholder(text)
    )


def is_secret(text: str, *, quoted: bool) -> bool:
    """True where *text* looks like a secret: letters and digits, no word, no piece of a program, no uuid."""
    return (
        _FEWEST_CHARS <= len(text) <= _MOST_CHARS
        and any(char.isdigit() for char in text)
        and any(char.isalpha() for char in text)
        and len(set(text)) >= _FEWEST_DIFFERENT
        and not any(char.isspace() for char in text)
        and not is_placeholder(text)
        and _UUID.fullmatch(text) is None
        and (quoted or _CODE.fullmatch(text) is None)
    )
