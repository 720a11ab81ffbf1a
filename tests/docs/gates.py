"""The pages of docs/gates, one for each gate: python -m tests.docs.gates writes them from the gates' own rules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from cgcli.checks.registry import GATES
from cgcli.report.explanation import index, page
from tests.docs.pages import DOCS

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = DOCS / "gates"


def written() -> dict[Path, str]:
    """Each page with what it has to say."""
    rules = [gate.rule for gate in GATES]
    return {FOLDER / "index.md": index(rules), **{FOLDER / f"{rule.gate}.md": page(rule) for rule in rules}}


def main() -> None:
    """Write every page anew, and take away those whose gate is gone."""
    FOLDER.mkdir(exist_ok=True)
    pages = written()
    for path in FOLDER.glob("*.md"):
        if path not in pages:
            path.unlink()
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
