"""The compaction steps, by the names that users of the context-guru proxy and of its peers know."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from cgcli.compaction.component import MarkerMode
from cgcli.compaction.components.parameters import wrong_marker_mode
from cgcli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.compaction.body import BodyComponent
    from cgcli.compaction.component import Component

T = TypeVar("T")


class Catalogue(Mapping[str, type[T]], Generic[T]):
    """Classes by the name of their step; a module is imported when its class is asked for."""

    def __init__(self, places: Mapping[str, tuple[str, str]]) -> None:
        """*places* are (module, class), the module counted from this package."""
        self._places = dict(places)

    def __getitem__(self, name: str) -> type[T]:
        module, kind = self._places[name]
        found: type[T] = getattr(import_module(f"{__name__}.{module}"), kind)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places


COMPONENTS: Mapping[str, type[Component]] = Catalogue(
    {
        "clear-tool-uses": ("clear_tool_uses", "ClearToolUses"),
        "claude-microcompact": ("claude_microcompact", "ClaudeMicrocompact"),
        "cmdfilter": ("cmdfilter", "Cmdfilter"),
        "collapse": ("collapse", "Collapse"),
        "dedup": ("dedup", "Dedup"),
        "extract": ("extract", "Extract"),
        "extract_llm": ("extract_llm", "ExtractLlm"),
        "failed_run": ("failed_run", "FailedRun"),
        "format": ("format", "Format"),
        "linecap": ("linecap", "Linecap"),
        "mask": ("mask", "Mask"),
        "opencode-prune": ("opencode_prune", "OpencodePrune"),
        "openhands-mask": ("openhands_mask", "OpenhandsMask"),
        "readlifecycle": ("readlifecycle", "ReadLifecycle"),
        "searchfold": ("searchfold", "Searchfold"),
        "smartcrush": ("smartcrush", "Smartcrush"),
        "textclean": ("textclean", "Textclean"),
        "tool_result_budget": ("tool_result_budget", "ToolResultBudget"),
        "toon": ("toon", "Toon"),
    }
)
"""Those that propose a shorter text for one tool output."""
BODY_COMPONENTS: Mapping[str, type[BodyComponent]] = Catalogue(
    {
        "cacheinject": ("cacheinject", "Cacheinject"),
        "cachesplit": ("cachesplit", "Cachesplit"),
        "clear-thinking": ("clear_thinking", "ClearThinking"),
        "ladder": ("ladder.ladder", "Ladder"),
        "toolfilter": ("toolfilter", "Toolfilter"),
        "toolschema": ("toolschema", "Toolschema"),
    }
)
"""Those that edit a request elsewhere."""


def build(name: str, params: Mapping[str, object]) -> Component:
    """The component *name* with *params*, as they stand in a policy file.

    Raises:
        UsageError: there is no such component or parameter, or a value is not allowed.
    """
    if name not in COMPONENTS:
        raise UsageError(f"there is no component {name!r}", hint=did_you_mean(name, known()))
    return make(name, COMPONENTS[name], params)


def build_body(name: str, params: Mapping[str, object]) -> BodyComponent:
    """The component of bodies *name* with *params*.

    Raises:
        UsageError: there is no such parameter, or a value is not allowed.
    """
    return make(name, BODY_COMPONENTS[name], params)


def known() -> list[str]:
    """Every component by name, in order."""
    return sorted([*COMPONENTS, *BODY_COMPONENTS])


def fields(kind: type[object]) -> dict[str, object]:
    """The parameters of a *kind* of step, with their defaults; its annotations are not evaluated."""
    made: Any = kind
    names, defaults = made.__struct_fields__, made.__struct_defaults__
    return dict(zip(names, defaults, strict=True))


def make(name: str, kind: type[T], params: Mapping[str, object]) -> T:
    """A *kind* of step, called *name*, with *params*.

    Raises:
        UsageError: there is no such parameter, or a value is not allowed.
    """
    taken = fields(kind)
    for parameter in params:
        if parameter not in taken:
            raise UsageError(
                f"{name}: there is no parameter {parameter!r}", hint=did_you_mean(parameter, sorted(taken))
            )
    return kind(**{parameter: _typed(name, parameter, given) for parameter, given in params.items()})


def _typed(name: str, parameter: str, given: object) -> object:
    if parameter != "marker_mode" or not isinstance(given, str):
        return given
    try:
        return MarkerMode(given)
    except ValueError:
        raise wrong_marker_mode(name, given) from None
