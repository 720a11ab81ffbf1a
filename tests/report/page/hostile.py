"""A document with hostile text wherever it has text."""

from __future__ import annotations

from typing import Any

_MARKUP = '</script><script>window.ran = true</script><!--<img src=x onerror="window.ran = true">\'&amp;'
HOSTILE = f"{_MARKUP}\u202e\x00\x1b[2J\u2028"
SHOWN = _MARKUP + r"\u202e\x00\x1b[2J\u2028"
"""What a person sees of it."""

_FIGURES = ("usd", "own_usd", "cumulative_usd", "cumulative_off_usd", "off_difference_usd")
_NAMES = ("kind", "schema")


def hostile(document: Any, text: str = HOSTILE) -> Any:
    """*document* with *text* before every text in it, but for dollars, `off` and what kind of clock there is."""
    if isinstance(document, str):
        return document if document == "off" else text + document
    if isinstance(document, list):
        return [hostile(one, text) for one in document]
    if isinstance(document, dict):
        return {
            name: given if name in _FIGURES or name in _NAMES else hostile(given, text)
            for name, given in document.items()
        }
    return document
