"""What a configuration file may say, and where it is looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from msgspec import field

from cgcli.compaction.toml_file import read_toml
from cgcli.errors import UsageError, did_you_mean
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pydantic_core import ErrorDetails

    from cgcli.compaction.toml_file import TomlFile

Keys = tuple[str | int, ...]
_TABLE = ("tool", "cgcli")
_HINT = "see docs/reference/configuration.md for every key"


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
    places: Mapping[Keys, str] = field(default_factory=dict)
    """`FILE:LINE` of each key, as `("components", "mask", "keep_recent")`, and of each name in `pipeline`."""

    @property
    def parameter_places(self) -> dict[tuple[str, str], str]:
        """`FILE:LINE` by component and parameter; under "" that of the component's table."""
        found: dict[tuple[str, str], str] = {}
        for component, params in self.components.items():
            for parameter in ("", *params):
                keys = ("components", component, parameter) if parameter else ("components", component)
                if keys in self.places:
                    found[component, parameter] = self.places[keys]
        return found


def load(path: Path | None, *, cwd: Path) -> Settings:
    """The configuration in *path*, else `[tool.cgcli]` of the nearest pyproject.toml; else an empty one.

    Raises:
        UsageError: it cannot be read, or says something unknown; with the line.
    """
    found = _find(path, cwd)
    return _checked(found) if found is not None else Settings()


def stash_of(path: Path | None, *, cwd: Path) -> Path | None:
    """Only the stash that the configuration names; all else in it stays unread and unchecked.

    Raises:
        UsageError: the configuration cannot be read.
    """
    found = _find(path, cwd)
    if found is None:
        return None
    said = found.table.get("stash") if isinstance(found.table, dict) else None
    return found.path.parent / said if isinstance(said, str) else None


@value
class _Found:
    """A table of ours, in its file."""

    path: Path
    file: TomlFile
    under: Keys
    """The keys that lead to it; none where it is the whole file."""
    table: object

    def where(self, *keys: str | int) -> str:
        """`FILE:LINE` of what stands at *keys* of the table."""
        return self.file.where(*self.under, *keys)


def _find(path: Path | None, cwd: Path) -> _Found | None:
    if path is not None:
        file = _read(path, str(path))
        table = _table(file.document)
        if table is None:
            return _Found(path=path, file=file, under=(), table=file.document)
        return _Found(path=path, file=file, under=_TABLE, table=table)
    for folder in (cwd, *cwd.parents):
        candidate = folder / "pyproject.toml"
        if candidate.is_file():
            file = _read(candidate, candidate.name if folder == cwd else str(candidate))
            table = _table(file.document)
            return _Found(path=candidate, file=file, under=_TABLE, table=table) if table is not None else None
    return None


def _table(document: dict[str, Any]) -> object:
    """What stands at `tool.cgcli`; None where nothing does."""
    tool = document.get(_TABLE[0])
    return tool.get(_TABLE[1]) if isinstance(tool, dict) else None


def _read(path: Path, shown: str) -> TomlFile:
    return read_toml(
        path, what="the configuration", missing="look at its path and permissions", shape=_HINT, shown=shown
    )


def _checked(found: _Found) -> Settings:
    # pydantic takes 0.1 s to import: only for a run that has a configuration.
    from pydantic import ValidationError  # noqa: PLC0415

    from cgcli.config.schema import Table  # noqa: PLC0415

    try:
        said = Table.model_validate(found.table)
    except ValidationError as error:
        raise _refused(found, error.errors(include_url=False)[0]) from error
    path = found.path
    return Settings(
        file=path,
        policy=_policy(said.policy, path),
        pipeline=tuple(said.pipeline) if said.pipeline is not None else None,
        held=said.held,
        stash=path.parent / said.stash if said.stash is not None else None,
        components=said.components,
        places={keys: found.where(*keys) for keys in _keys(said.model_dump(exclude_unset=True))},
    )


def _refused(found: _Found, first: ErrorDetails) -> UsageError:
    """The error for what pydantic met *first*."""
    from cgcli.config.schema import Held, Table  # noqa: PLC0415 - as above

    keys, kind = first["loc"], first["type"]
    key = ".".join(map(str, keys))
    where = found.where(*keys)
    if kind == "extra_forbidden":
        return UsageError(f"unknown key {key!r}", where=where, hint=did_you_mean(key, Table.model_fields))
    if kind == "model_type":
        return UsageError("tool.cgcli: not a table", where=where, hint=_HINT)
    if not keys:
        message = first["msg"].removeprefix("Value error, ")
        return UsageError(message, where=found.where("pipeline"), hint="leave out one of them")
    hint = did_you_mean(str(first["input"]), get_args(Held)) if kind == "literal_error" else _HINT
    return UsageError(f"{key}: {first['msg']}", where=where, hint=hint)


def _keys(table: Mapping[str, Any]) -> Iterator[Keys]:
    """The keys of a table, names in its pipeline, components and their parameters."""
    for key, said in table.items():
        yield (key,)
        if key == "pipeline":
            yield from ((key, i) for i in range(len(said)))
        elif key == "components":
            for component, params in said.items():
                yield (key, component)
                yield from ((key, component, parameter) for parameter in params)


def _policy(said: str | None, path: Path) -> str | None:
    """The policy as *said* in the file *path*; a policy file stands relative to it, as the stash does."""
    return str(path.parent / said) if said is not None and said.endswith(".toml") else said
