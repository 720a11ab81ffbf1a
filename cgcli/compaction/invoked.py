"""Tool calls as components ask about them: the tool, its arguments, the command line, the file."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from cgcli.compaction.remembered import remembered
from cgcli.dialects.content import decoded
from cgcli.model import Kind, unique

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.model import Item, Part

_ARGUMENTS = ("input", "arguments", "action", "operation")
"""Where a call keeps them: Messages and custom tools, functions, local shell, `apply_patch_call`."""
_PATHS = ("file_path", "path", "filename", "notebook_path", "target_file", "filePath", "absolute_path")
_COMMANDS = ("command", "cmd", "commands")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd"})
_GIVEN = frozenset({"-c", "-lc", "-ic", "-lic", "-command", "/c"})
"""Behind these a shell is given its script as one word."""
_SHELL_WORDS = 3
_MOST_KEPT = 64
"""Of so many messages the calls are remembered: one policy after the other looks at what is new in a turn."""


@unique
class Invoked:
    """A tool call."""

    i_call: int
    """From 0, in the order of the request."""
    i_message: int
    name: str
    """The tool's; where the call has none, its type without `_call` (`local_shell`); empty where it has neither."""
    pair_id: str | None
    arguments: Any
    """As JSON values; a string that holds JSON is read, any other text stays one. None where there are none."""

    @property
    def command(self) -> str | None:
        """The command line that a shell was called with; None for any other tool.

        Of `["bash", "-lc", SCRIPT]` it is the script. An editor whose `command` says what to do with a file has none.
        """
        if not isinstance(self.arguments, dict) or self.path is not None:
            return None
        said = next((self.arguments[name] for name in _COMMANDS if name in self.arguments), None)
        if isinstance(said, list):
            words = [str(word) for word in said]
            said = "\n".join(words) if "commands" in self.arguments else _line(words)
        return said if isinstance(said, str) else None

    @property
    def path(self) -> str | None:
        """The file that the tool was called for, as it was given; None where it names none."""
        if not isinstance(self.arguments, dict):
            return None
        return next((said for name in _PATHS if isinstance(said := self.arguments.get(name), str) and said), None)


def invocations(item: Item, i_message: int, n_before: int) -> Iterator[Invoked]:
    """The calls in *item*, which is message *i_message* and has *n_before* calls before it."""
    for i_call, (name, pair_id, arguments) in enumerate(_calls(item), start=n_before):
        yield Invoked(i_call=i_call, i_message=i_message, name=name, pair_id=pair_id, arguments=arguments)


@remembered(_MOST_KEPT)
def _calls(item: Item) -> tuple[tuple[str, str | None, Any], ...]:
    """Name, id and arguments of each call in *item*."""
    found = []
    for part in item.parts:
        if part.kind is Kind.TOOL_CALL:
            node = _at(decoded(item), part.path)
            call = node if isinstance(node, dict) else {}
            found.append((part.name or _type_of(call), part.pair_id, _arguments(call)))
    return tuple(found)


def is_error(item: Item, part: Part) -> bool:
    """True where the block around *part* says that it is an error."""
    if not item.has(b"is_error"):
        return False
    block = _at(decoded(item), ".".join(part.path.split(".")[:2]))
    return isinstance(block, dict) and block.get("is_error") is True


def _line(words: list[str]) -> str:
    """The command line that *words*, a program and its arguments, stand for."""
    if len(words) >= _SHELL_WORDS:
        program = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
        if program in _SHELLS and words[-2].lower() in _GIVEN:
            return words[-1]
    return shlex.join(words)


def _type_of(call: dict[str, Any]) -> str:
    said = call.get("type")
    return said.removesuffix("_call") if isinstance(said, str) and said.endswith("_call") else ""


def _arguments(call: dict[str, Any]) -> Any:
    """The arguments of *call*, in any of the dialects' shapes."""
    function = call.get("function")
    holder = function if isinstance(function, dict) else call
    said = next((holder[key] for key in _ARGUMENTS if key in holder), None)
    if not isinstance(said, str):
        return said
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return said


def _at(tree: Any, path: str) -> Any:
    for step in path.split(".") if path else ():
        if isinstance(tree, list) and step.isdigit() and int(step) < len(tree):
            tree = tree[int(step)]
        elif isinstance(tree, dict):
            tree = tree.get(step)
        else:
            return None
    return tree
