"""Filters for tests, written as a person writes them."""

from __future__ import annotations

from typing import Any

from cgcli.compaction.filters.filter import Case, Filter, FilterLoss, Match, Stages


def filter_of(*, name: str = "mine", head: tuple[str, ...] = ("out",), **stages: Any) -> Filter:
    """A filter for outputs that begin with `out`, with *stages*."""
    return Filter(
        name=name,
        description="for a test",
        family="own",
        loss=FilterLoss.WHOLE,
        match=Match(head=head),
        stages=Stages(**stages),
        cases=(Case(input="out\n", expected="out\n"),),
    )


MINE = """\
name: mine
description: drops the dots
loss: whole
match:
  head:
    - 'out'
stages:
  drop_lines:
    - '\\.++$'
tests:
  - input: |
      out
      ....
      error: no
    expected: |
      out
      error: no
"""
"""A filter file with nothing wrong in it."""
