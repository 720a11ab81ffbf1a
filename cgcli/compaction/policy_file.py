"""A policy file: a name, and `[[steps]]` with their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.compaction.presets import BUILT_IN
from cgcli.compaction.said import Said
from cgcli.compaction.toml_file import read_toml
from cgcli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.compaction.toml_file import TomlFile

_SHAPE = "write `name` and `[[steps]]`: docs/reference/policies.md has examples"
_KEYS = ("name", "steps")


def read_policy(path: Path) -> tuple[str, tuple[Said, ...]]:
    """The name of the policy in the file at *path*, and its steps; what they are is not checked.

    Raises:
        UsageError: it cannot be read, or is no policy.
    """
    file = read_toml(
        path, what="the policy", missing=f"give a TOML file, or one of {', '.join(BUILT_IN)}", shape=_SHAPE
    )
    document = file.document
    wrong = next((key for key in document if key not in _KEYS), None)
    if wrong is not None:
        raise UsageError(f"unknown key {wrong!r}", where=file.where(wrong), hint=did_you_mean(wrong, _KEYS))
    name, listed = document.get("name", path.stem), document.get("steps", [])
    if not isinstance(name, str):
        raise UsageError("`name` is no string", where=file.where("name"), hint=_SHAPE)
    if not isinstance(listed, list):
        raise UsageError("`steps` is no list of tables", where=file.where("steps"), hint=_SHAPE)
    return name, tuple(_step(step, i, file) for i, step in enumerate(listed))


def _step(step: object, i: int, file: TomlFile) -> Said:
    where = file.where("steps", i)
    if not isinstance(step, dict) or not isinstance(step.get("component"), str):
        raise UsageError("a step without `component`", where=where, hint='begin each with component = "NAME"')
    params: dict[str, Any] = {key: given for key, given in step.items() if key != "component"}
    return Said(
        name=step["component"],
        params=params,
        where=file.where("steps", i, "component"),
        places={key: file.where("steps", i, key) for key in params},
    )
