"""Which encoding counts a model's tokens, and how far that is from the model's own tokenizer."""

from __future__ import annotations

import re
from functools import lru_cache

from cgcli.model import Basis, value

READ_ON = "2026-11-30"
"""When the sources below were read."""

_TIKTOKEN = "tiktoken 0.14.0, tiktoken/model.py"
_CTOK = "o200k_base against the offline reconstruction ctok 1.3.0, on a mixed corpus of transcripts"


@value
class ModelFacts:
    """How the tokens of a family of models are counted."""

    family: str
    encoding: str
    """The tiktoken encoding to count with."""
    factor: float
    """The model's tokens for each counted one."""
    basis: Basis
    """COUNTED where the encoding is the model's own, else ESTIMATED."""
    source: str
    note: str = ""


@value
class _Row:
    pattern: str
    """A regular expression for where the model's name begins, after any prefix of a platform."""
    facts: ModelFacts
    since: tuple[int, int] = (0, 0)
    """The first version that the row is for."""


UNKNOWN = ModelFacts(
    family="unknown",
    encoding="o200k_base",
    factor=1.0,
    basis=Basis.ESTIMATED,
    source="none: an assumption",
    note="no public tokenizer known here; o200k_base without a factor",
)


def _exact(family: str, encoding: str, note: str = "") -> ModelFacts:
    return ModelFacts(family=family, encoding=encoding, factor=1.0, basis=Basis.COUNTED, source=_TIKTOKEN, note=note)


def _claude(family: str, factor: float, note: str) -> ModelFacts:
    return ModelFacts(
        family=family,
        encoding="o200k_base",
        factor=factor,
        basis=Basis.ESTIMATED,
        source=_CTOK,
        note=note,
    )


# The first row that fits decides.
_TABLE: tuple[_Row, ...] = (
    _Row(pattern=r"gpt-oss", facts=_exact("gpt-oss", "o200k_harmony", "the ranks of o200k_base")),
    _Row(
        pattern=r"gpt-6",
        facts=ModelFacts(
            family="gpt-6",
            encoding="o200k_base",
            factor=1.0,
            basis=Basis.ESTIMATED,
            source="none: tiktoken 0.14.0 does not map it",
            note="assumed to count as gpt-5",
        ),
    ),
    _Row(pattern=r"gpt-5", facts=_exact("gpt-5", "o200k_base")),
    _Row(pattern=r"(?:chatgpt|gpt)-4o|gpt-4\.\d", facts=_exact("gpt-4o", "o200k_base")),
    _Row(pattern=r"o[13]|o4-mini", facts=_exact("o-series", "o200k_base")),
    _Row(pattern=r"gpt-4|gpt-3\.5|gpt-35", facts=_exact("gpt-4", "cl100k_base", "Azure writes gpt-35")),
    _Row(
        pattern=r"claude",
        since=(4, 7),
        facts=_claude(
            "claude-4.7+", 1.60, "1.63 measured, p5 1.44, p95 1.77; Chinese 1.56; names without a version too"
        ),
    ),
    _Row(
        pattern=r"claude",
        facts=_claude("claude-4.6-", 1.24, "1.24 measured, p5 1.14, p95 1.33; Chinese 1.56; versions up to 4.6"),
    ),
)

_NEWEST = (99, 0)
_VERSION = re.compile(r"(?<!\d)(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?")
# Platforms put a path, a region and vendor, "ft:" or their own name before the model's.
_ROWS = tuple((re.compile(rf"(?:^|[/.:]|databricks-)({row.pattern})(?![a-z])"), row) for row in _TABLE)


@lru_cache(maxsize=256)
def lookup(model: str | None) -> ModelFacts:
    """How to count for *model*; `UNKNOWN` for a name that the table does not have, and for None.

    Names with a prefix of a platform are understood: `openai/…`, `bedrock/us.anthropic.…-v1:0`,
    `vertex_ai/…@20250929`, `ft:…:org::id`.

    >>> lookup("us.anthropic.claude-sonnet-4-5-20250929-v1:0").factor
    1.24
    """
    name = (model or "").lower()
    for pattern, row in _ROWS:
        match = pattern.search(name)
        if match and _version(name[match.start(1) :]) >= row.since:
            return row.facts
    return UNKNOWN


def _version(name: str) -> tuple[int, int]:
    """The first one or two short numbers in *name*; the newest where it has none. A date is not short."""
    match = _VERSION.search(name)
    return (int(match[1]), int(match[2] or 0)) if match else _NEWEST
