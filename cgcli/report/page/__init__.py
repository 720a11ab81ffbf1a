"""The page of `cg replay --html`: one file that needs nothing else, drawn from a `cgcli/replay/v1` document."""

from __future__ import annotations

from cgcli.report.page.assembling import page

__all__ = ["page"]
