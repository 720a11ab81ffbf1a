"""JSON, script and style inside a page: what may stand there, and what the page allows itself to run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_HERE = Path(__file__).parent
_SCRIPTS = ("figures", "data", "elements", "diff", "turns", "stacked", "cumulative", "tables", "modes", "start")
"""In this order; they share one function's scope."""

_ENDS_A_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)
_NOT_INSIDE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
"""What could end a script element, begin a comment in it or end a line of it, and what UTF-8 cannot hold."""


def embedded(document: Any) -> str:
    r"""*document* as JSON that may stand in a script element: the same value, read back.

    >>> embedded(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    compact = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _NOT_INSIDE.sub(lambda found: f"\\u{ord(found[0]):04x}", compact)


def style() -> str:
    """The style of the page."""
    return _read("assets/page.css")


def scripts() -> tuple[str, str]:
    """The chart library with its licence, and the page's own script.

    Raises:
        ValueError: One of them has a text in it that would end its element.
    """
    licence = _read("vendor/LICENSE").strip()
    library = re.sub(r"\n//# sourceMappingURL=.*\s*\Z", "\n", _read("vendor/chart.umd.min.js"))
    own = "\n".join(_read(f"assets/{name}.js") for name in _SCRIPTS)
    both = (f"/*!\n{licence}\n*/\n{library}", f'(() => {{\n"use strict";\n{own}}})();\n')
    if any(_ENDS_A_SCRIPT.search(script) for script in both):
        raise ValueError("a script of the page has the end of a script element in it")
    return both


def allowed(script_texts: Sequence[str], style_text: str) -> str:
    """The Content-Security-Policy of the page: these scripts, this style, nothing from anywhere."""
    running = " ".join(f"'sha256-{_sha256(text)}'" for text in script_texts)
    return (
        f"default-src 'none'; script-src {running}; style-src 'sha256-{_sha256(style_text)}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
