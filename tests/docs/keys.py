"""The keys of JSON documents, as they are printed and as docs/reference/json-output.md tells them.

A key is a path: `lanes[].model`. `*` stands for names that are not fixed, such as those of models or reasons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.docs.pages import rows, sections

if TYPE_CHECKING:
    from collections.abc import Iterator


def printed(document: Any, documented: frozenset[str], path: str = "") -> Iterator[str]:
    """The keys in *document*; *documented* tells which objects have free names."""
    if isinstance(document, dict):
        is_free = any(key == f"{path}.*" or key.startswith(f"{path}.*.") for key in documented)
        for name, inner in document.items():
            here = f"{path}.{'*' if is_free else name}" if path else name
            yield here
            yield from printed(inner, documented, here)
    elif isinstance(document, list):
        for inner in document:
            if isinstance(inner, dict | list):
                yield from printed(inner, documented, f"{path}[]")


def documented(page: str) -> dict[str, frozenset[str]]:
    """The keys of each schema that *page* has a section for."""
    told = {head: rows(lines) for head, lines in sections(page).items() if head.startswith("cgcli/")}
    return {schema: frozenset(row[0] for row in table) for schema, table in told.items()}
