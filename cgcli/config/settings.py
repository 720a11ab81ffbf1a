"""What a configuration file may say, and where it is looked for."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from msgspec import field

from cgcli.errors import UsageError, did_you_mean
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TABLE = "cgcli"
_KEYS = "see docs/reference/configuration.md for every key"


@value
class Settings:
    """A configuration; None and empty where it does not say."""

    file: Path | None = None
    policy: str | None = None
    pipeline: tuple[str, ...] | None = None
    held: str | None = None
    stash: Path | None = None
    components: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Parameters by component."""


def load(path: Path | None, *, cwd: Path) -> Settings:
    """The configuration in *path*, else `[tool.cgcli]` of the nearest pyproject.toml; else an empty one.

    Raises:
        UsageError: it cannot be read, or says something unknown.
    """
    found = _find(path, cwd)
    return _checked(*found) if found is not None else Settings()


def stash_of(path: Path | None, *, cwd: Path) -> Path | None:
    """Only the stash that the configuration names; all else in it stays unread and unchecked.

    Raises:
        UsageError: the configuration cannot be read.
    """
    found = _find(path, cwd)
    if found is None:
        return None
    table, file = found
    said = table.get("stash") if isinstance(table, dict) else None
    return file.parent / said if isinstance(said, str) else None


def _find(path: Path | None, cwd: Path) -> tuple[object, Path] | None:
    """The table, and the file that it stands in."""
    if path is not None:
        document = _read(path)
        table = _table(document)
        return (document if table is None else table), path
    for folder in (cwd, *cwd.parents):
        candidate = folder / "pyproject.toml"
        if candidate.is_file():
            table = _table(_read(candidate))
            return (table, candidate) if table is not None else None
    return None


def _table(document: dict[str, Any]) -> object:
    """What stands at `tool.cgcli`; None where nothing does."""
    tool = document.get("tool")
    return tool.get(_TABLE) if isinstance(tool, dict) else None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"the configuration cannot be read: {error.strerror}",
            where=str(path),
            hint="look at its path and permissions",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"the configuration is not TOML: {error}", where=str(path), hint=_KEYS) from error


def _checked(table: object, path: Path) -> Settings:
    # pydantic takes 0.1 s to import: only for a run that has a configuration.
    from pydantic import ValidationError  # noqa: PLC0415

    from cgcli.config.schema import Table  # noqa: PLC0415

    try:
        said = Table.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(step) for step in first["loc"])
        if first["type"] == "extra_forbidden":
            hint = did_you_mean(key, Table.model_fields)
            raise UsageError(f"unknown key {key!r}", where=str(path), hint=hint) from error
        wrong = "not a table" if first["type"] == "model_type" else first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{key or 'tool.cgcli'}: {wrong}", where=str(path), hint=_KEYS) from error
    return Settings(
        file=path,
        policy=_policy(said.policy, path),
        pipeline=tuple(said.pipeline) if said.pipeline is not None else None,
        held=said.held,
        stash=path.parent / said.stash if said.stash is not None else None,
        components=said.components,
    )


def _policy(said: str | None, path: Path) -> str | None:
    """The policy as *said* in the file *path*; a policy file stands relative to it, as the stash does."""
    return str(path.parent / said) if said is not None and said.endswith(".toml") else said
