"""The built-in policies, as names of steps in order; data alone."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Step = tuple[str, "Mapping[str, object]"]
"""A step's name, and its parameters."""

NO_PARAMETERS: Mapping[str, object] = MappingProxyType({})
PEERS = (
    "clear-tool-uses",
    "clear-thinking",
    "opencode-prune",
    "codex-local",
    "pi-keep-recent",
    "openhands-mask",
    "claude-microcompact",
)
"""Other tools' ways to compact, each a policy of one step."""


def steps(names: str, **params: Mapping[str, object]) -> tuple[Step, ...]:
    """The steps in *names*, separated by spaces; *params* by step."""
    return tuple((name, params.get(name, NO_PARAMETERS)) for name in names.split())


_TRIO = "format textclean searchfold"
BUILT_IN: Mapping[str, tuple[Step, ...]] = MappingProxyType(
    {
        "off": (),
        "safe": steps(f"{_TRIO} cachesplit"),
        "balanced": steps(f"{_TRIO} dedup failed_run cmdfilter linecap cachesplit"),
        "coding": steps(f"{_TRIO} dedup cmdfilter extract linecap cachesplit"),
        "agent": steps(f"{_TRIO} dedup failed_run mask extract extract_llm cachesplit"),
        "general": steps(f"{_TRIO} dedup failed_run cmdfilter mask extract extract_llm collapse linecap cachesplit"),
        "mcp": steps("format textclean smartcrush cachesplit"),
        "house": steps("format dedup toon cmdfilter searchfold textclean extract cachesplit toolfilter"),
        "codesafe": steps(
            f"{_TRIO} dedup failed_run cmdfilter extract collapse linecap cachesplit", collapse={"max_tokens": 3000}
        ),
        "summarize": steps("summarize"),
        "ladder": steps("ladder"),
        **{peer: steps(peer) for peer in PEERS},
    }
)
"""The presets of context-guru (config/config.go at da73fed; `house` from the later line) and its `summarize`; the
ladder of amplifier's module; peers."""
