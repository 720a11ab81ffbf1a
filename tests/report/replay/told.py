"""Documents of replays of small sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.replay.arms import Shown
from cgcli.report.replay.document import document, file_document
from tests.replay.paired.lanes import run

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.replay.paired.replay import Planned

TOLD = {"clock": {"kind": "file", "gap_s": None}, "provider": None, "cache_tokens": None, "expand_tool": "auto"}


def report(
    content: bytes | Path, *plans: Planned, labels: tuple[str, ...], with_texts: bool = False, **more: Any
) -> Any:
    """The document of one file through *plans*, which are called *labels*."""
    done = run(content, *plans, inject="auto", **more)
    return document(
        [file_document(done, TOLD, labels=("off", *labels), shown=Shown.TEXTS if with_texts else Shown.TURNS)],
        [],
        ["off", *labels],
    )
