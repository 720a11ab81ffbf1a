"""The parts of docs/reference/filters.md that are written from the code.

They stand between `<!-- filters: NAME -->` and `<!-- end -->`. `python -m tests.compaction.filters.page` writes them
anew.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cgcli.compaction.filters.builtin import builtins
from cgcli.compaction.filters.guard import WORDS
from cgcli.compaction.filters.schema import Document, MatchTable, Rule, StagesTable, TestTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import BaseModel

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "filters.md"
_REGION = re.compile(r"(<!-- filters: ([a-z]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_TABLES: tuple[tuple[str, type[BaseModel]], ...] = (
    ("", Document),
    ("match.", MatchTable),
    ("stages.", StagesTable),
    ("stages.replace[].", Rule),
    ("tests[].", TestTable),
)


def rewritten(text: str) -> str:
    """*text* with every part as the code says it today."""
    return _REGION.sub(lambda found: found[1] + "\n".join(PARTS[found[2]]()) + "\n" + found[3], text)


def _words() -> Iterator[str]:
    line = " "
    for word in WORDS:
        said = f" `{word}`"
        if len(line) + len(said) > 118:
            yield line
            line = " "
        line += said
    yield line


def _keys() -> Iterator[str]:
    yield "| key | default | meaning |"
    yield "|---|---|---|"
    for before, model in _TABLES:
        for name, field in model.model_fields.items():
            default = "needed" if field.is_required() else _shown(field.get_default())
            yield f"| `{before}{field.alias or name}` | {default} | {field.description} |"


def _shown(default: Any) -> str:
    if default is None or default == []:
        return "none"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _builtins() -> Iterator[str]:
    yield "| filter | family | does | loss | stages | sample |"
    yield "|---|---|---|---|---|---|"
    for one in builtins():
        asked = f", with `agent_filters` {one.agent}" if one.agent else ""
        stages = ", ".join(f"`{name}`" for name in one.stages.named() if name != "strip_ansi")
        yield f"| `{one.name}` | {one.family}{asked} | {one.description} | {one.loss} | {stages} | {one.sample} |"


PARTS: Mapping[str, Callable[[], Iterator[str]]] = {"builtins": _builtins, "keys": _keys, "words": _words}


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
