"""The pages of the documentation, and what stands in them: fenced blocks, links, headings, tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
CONSOLE = "console"

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")


def pages() -> list[Path]:
    """The README and every page under docs/, in order."""
    return [README, *sorted(DOCS.rglob("*.md"))]


def name(page: Path) -> str:
    """How a page is called in the output of a test."""
    return str(page.relative_to(ROOT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A fenced block; `start` and `stop` are the lines between its fences, half-open, from 0."""

    info: str
    start: int
    stop: int
    lines: tuple[str, ...]

    @property
    def title(self) -> str | None:
        """The file that the block shows: `toml title=policy.toml`."""
        found = re.search(r"\btitle=(\S+)", self.info)
        return found[1] if found else None


def fences(text: str) -> list[Fence]:
    """The fenced blocks of a page, in order."""
    found = []
    lines = text.splitlines()
    opened: int | None = None
    for i, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if opened is None:
            opened = i
        else:
            found.append(Fence(info=lines[opened][3:], start=opened + 1, stop=i, lines=tuple(lines[opened + 1 : i])))
            opened = None
    if opened is not None:
        raise ValueError(f"line {opened + 1}: the block has no end")
    return found


def prose(text: str) -> list[str]:
    """The lines outside of fenced blocks."""
    inside = {i for fence in fences(text) for i in range(fence.start - 1, fence.stop + 1)}
    return [line for i, line in enumerate(text.splitlines()) if i not in inside]


def links(text: str) -> list[str]:
    """The targets of all links outside of code."""
    return [target for line in prose(text) for target in _LINK.findall(_CODE.sub("", line))]


def code_spans(text: str) -> list[str]:
    """What stands in backticks, outside of fenced blocks."""
    return [span for line in prose(text) for span in _CODE.findall(line)]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = (line.lstrip("#").strip() for line in prose(text) if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def sections(text: str) -> dict[str, list[str]]:
    """The lines under each heading of the second level, up to the next one."""
    found: dict[str, list[str]] = {}
    under: list[str] = []
    for line in text.splitlines():
        if line.startswith("## "):
            under = found.setdefault(line[3:].strip().strip("`"), [])
        else:
            under.append(line)
    return found


def rows(lines: list[str]) -> list[tuple[str, ...]]:
    """The cells of every table row in *lines*, without heads; backticks around a whole cell are dropped."""
    found = []
    for i, line in enumerate(lines):
        is_head = i + 1 < len(lines) and lines[i + 1].startswith("|--")
        if line.startswith("|") and not line.startswith("|--") and not is_head:
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            found.append(tuple(cell.strip().removeprefix("`").removesuffix("`") for cell in cells))
    return found
