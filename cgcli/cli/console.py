"""The two streams: stdout is the product, stderr the talk; hostile text stays text."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from cgcli.report.safe import safe

if TYPE_CHECKING:
    from collections.abc import Mapping


def say(line: str) -> None:
    """Write one *line* of talk to stderr; where nobody takes it, it is lost and nothing else is."""
    with suppress(OSError):
        sys.stderr.write(line.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def write_line(line: str) -> None:
    """Write one *line* of the product to stdout."""
    encoding = sys.stdout.encoding
    sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def write_bytes(content: bytes) -> None:
    """Write *content* to stdout exactly, nothing added."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def write_json(document: Mapping[str, object]) -> None:
    """Write *document* as the one JSON document of this run to stdout; keys keep their order."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=True) + "\n")


__all__ = ["safe", "say", "write_bytes", "write_json", "write_line"]
