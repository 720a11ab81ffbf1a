"""A TOML file that a person wrote, and the line of everything in it."""

from __future__ import annotations

import tomllib
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cgcli.errors import UsageError
from cgcli.wire.toml_lines import error_line, line_at, lines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cgcli.wire.toml_lines import Path as Keys


class TomlFile:
    """What stands in a file, and where; lines are looked for when the first one is asked for."""

    def __init__(self, *, shown: str, text: str, document: dict[str, Any]) -> None:
        """*text* is what *document* was read from; *shown* is how the file is called in messages."""
        self.shown = shown
        self.document = document
        self._text = text

    @cached_property
    def _lines(self) -> Mapping[Keys, int]:
        return lines(self._text)

    def where(self, *keys: str | int) -> str:
        """`FILE:LINE` of what stands at *keys*, or of the nearest table around it; `FILE` where none has a line."""
        line = line_at(self._lines, keys)
        return self.shown if line is None else f"{self.shown}:{line}"


def read_toml(path: Path, *, what: str, missing: str, shape: str, shown: str | None = None) -> TomlFile:
    """The TOML file at *path*.

    Args:
        path: Where it is.
        what: How it is called, as "the policy".
        missing: What to try where it cannot be read.
        shape: What to try where it is not TOML.
        shown: How the path is called in messages; as it stands, where None.

    Raises:
        UsageError: it cannot be read, or is not TOML.
    """
    named = shown or str(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(f"{what} cannot be read: {error.strerror}", where=named, hint=missing) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} is not TOML: it is not UTF-8", where=named, hint=shape) from error
    try:
        return TomlFile(shown=named, text=text, document=tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        where = f"{named}:{error_line(error, text)}"
        raise UsageError(f"{what} is not TOML: {error}", where=where, hint=shape) from error
    except RecursionError as error:
        raise UsageError(f"{what} is nested too deeply", where=named, hint=shape) from error
