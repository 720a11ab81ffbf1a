"""Hostile text stays text: control characters are shown, not obeyed."""

from __future__ import annotations

import shlex

_SHOWN = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_SHOWN |= {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}
_UNSEEN = (0xAD, 0x061C, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF)
_SHOWN |= {code: f"\\u{code:04x}" for code in _UNSEEN}
_SHOWN |= {code: f"\\U{code:08x}" for code in range(0xE0000, 0xE0080)}
"""Tags: letters that nobody sees."""


def safe(text: str) -> str:
    """*text* with control, bidirectional and zero-width characters shown escaped, lone surrogates too."""
    return text.translate(_SHOWN).encode("utf-8", "backslashreplace").decode("utf-8")


def pasted(path: str) -> str:
    """*path* as an argument of a command that a person may paste into a shell."""
    return shlex.quote(safe(f"./{path}" if path.startswith("-") and path != "-" else path))
