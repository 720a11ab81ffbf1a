"""Hostile text stays text: control characters are shown, not obeyed."""

from __future__ import annotations

import shlex

_SHOWN = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_SHOWN |= {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}
_SHOWN |= {code: f"\\u{code:04x}" for code in (*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2066, 0x206A))}


def safe(text: str) -> str:
    """*text* with control, bidirectional and zero-width characters shown escaped, lone surrogates too."""
    return text.translate(_SHOWN).encode("utf-8", "backslashreplace").decode("utf-8")


def pasted(path: str) -> str:
    """*path* as an argument of a command that a person may paste into a shell."""
    return shlex.quote(safe(f"./{path}" if path.startswith("-") and path != "-" else path))
