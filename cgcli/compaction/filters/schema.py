"""The shape of a filter file, checked by pydantic; what the values must be to one another, `rules` checks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

_Line = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\r\n]*$")]
_Expressions = list[Annotated[str, Field(min_length=1)]]
_Lines = Annotated[int, Field(ge=0, le=100_000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class MatchTable(_Strict):
    """`match`."""

    head: _Expressions = Field(default=[], description="One of the first 6 non-empty lines matches one of them.")
    command: _Expressions = Field(default=[], description="A command of the command line matches one of them.")
    unless: _Expressions = Field(default=[], description="None of the first 6 non-empty lines matches one of them.")


class Rule(_Strict):
    """One rule of `replace`."""

    pattern: str = Field(min_length=1, description="What is looked for, anywhere in a line.")
    with_: str = Field(alias="with", description=r"What stands there instead; `\1` is the first group.")


class StagesTable(_Strict):
    """`stages`."""

    strip_ansi: bool = Field(default=True, description="1. Takes escape sequences out.")
    redraws: bool = Field(default=False, description="2. Of a line drawn over, and of a progress bar, the last state.")
    replace: list[Rule] = Field(default=[], description="3. Rules, each applied to every line.")
    keep_lines: _Expressions = Field(default=[], description="4. Only lines that match one of them stay.")
    drop_lines: _Expressions = Field(default=[], description="4. Lines that match one of them go.")
    fold: _Expressions = Field(
        default=[], description="5. A run of lines that match one: the first, a count, the last."
    )
    dedupe: bool = Field(default=False, description="6. Equal lines anywhere: the first and a count.")
    head_lines: _Lines | None = Field(default=None, description="7. So many lines stay at the beginning.")
    tail_lines: _Lines | None = Field(default=None, description="7. So many lines stay at the end.")
    on_empty: _Line | None = Field(default=None, description="8. What is said where nothing is left.")


class TestTable(_Strict):
    """One of `tests`."""

    __test__ = False  # it is no test of pytest's

    input: str = Field(min_length=1, description="An output.")
    expected: str = Field(description="Exactly what is left of it.")
    command: str | None = Field(default=None, description="The command line, where `match` is to see one.")


class Document(_Strict):
    """A filter."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")] = Field(
        description="Small letters, digits and hyphens; no other filter has it."
    )
    description: _Line = Field(description="What goes, in one line.")
    family: Literal["builds", "pkg", "tests", "net", "iac", "own"] = Field(
        default="own", description="Where it is listed."
    )
    sample: Literal["real", "documented"] = Field(
        default="real", description="Whether the texts of the tests come from the tool or from its documentation."
    )
    agent: Literal["safe", "lossy"] | None = Field(
        default=None, description="The set of `agent_filters` that it belongs to; without, it always acts."
    )
    priority: Annotated[int, Field(ge=-100, le=100)] = Field(default=0, description="The higher is asked first.")
    loss: Literal["none", "tail", "whole"] = Field(description="What is taken away; see below.")
    match: MatchTable = Field(description="The outputs that it is for.")
    stages: StagesTable = Field(description="What is done.")
    tests: Annotated[list[TestTable], Field(min_length=1)] = Field(description="At least one; run when it is read.")
