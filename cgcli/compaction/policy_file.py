"""A policy file: a name, `[[steps]]` with their parameters, and `[triggers]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.compaction.presets import BUILT_IN
from cgcli.compaction.said import Said
from cgcli.compaction.toml_file import read_toml
from cgcli.compaction.triggers_said import STEP_KEYS, SaidTriggers, said_triggers
from cgcli.errors import UsageError, did_you_mean
from cgcli.model import changed, value

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.compaction.toml_file import TomlFile

_SHAPE = "write `name` and `[[steps]]`: docs/reference/policies.md has examples"
_TRIGGERS = "triggers"
_KEYS = ("name", "steps", _TRIGGERS)
_TRIGGER = "trigger"
"""context-guru's spelling in a step. It is only taken where it is a table: `clear-tool-uses` has a parameter of that
name."""


@value
class Written:
    """A policy as somebody wrote it down."""

    name: str
    steps: tuple[Said, ...]
    triggers: SaidTriggers = SaidTriggers()


def read_policy(path: Path) -> Written:
    """The policy in the file at *path*; what its steps are is not checked.

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
    steps = tuple(_step(step, i, file) for i, step in enumerate(listed))
    return Written(name=name, steps=steps, triggers=said_triggers(document.get(_TRIGGERS, {}), file, _TRIGGERS))


def _step(step: object, i: int, file: TomlFile) -> Said:
    where = file.where("steps", i)
    if not isinstance(step, dict) or not isinstance(step.get("component"), str):
        raise UsageError("a step without `component`", where=where, hint='begin each with component = "NAME"')
    params: dict[str, Any] = {key: given for key, given in step.items() if key != "component"}
    triggers = _triggers(params, i, file)
    return Said(
        name=step["component"],
        params=params,
        where=file.where("steps", i, "component"),
        places={key: file.where("steps", i, key) for key in params},
        triggers=triggers,
    )


def _triggers(params: dict[str, Any], i: int, file: TomlFile) -> SaidTriggers | None:
    """The triggers of step *i*, taken out of its *params*; None where it has none."""
    written = _TRIGGER if isinstance(params.get(_TRIGGER), dict) else _TRIGGERS
    if written not in params:
        return None
    where = file.where("steps", i, written)
    if written == _TRIGGER and _TRIGGERS in params:
        raise UsageError("`triggers` is said twice", where=where, hint="leave out `trigger`")
    found = said_triggers(params.pop(written), file, "steps", i, written, keys=STEP_KEYS)
    if written == _TRIGGERS:
        return found
    return changed(found, warnings={written: f"{where}: `trigger` is taken as `triggers`", **found.warnings})
