"""Policies for property tests: each component so that it acts on small captures, and random pipelines of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from cgcli.compaction.components import BODY_COMPONENTS, COMPONENTS
from cgcli.compaction.policy import Policy, pipeline

if TYPE_CHECKING:
    from collections.abc import Mapping

Parameters = dict[str, object]

EAGER: Mapping[str, Parameters] = {
    "cacheinject": {},
    "cachesplit": {"min_tokens": 50},
    "claude-microcompact": {"keep_recent": 1},
    "clear-thinking": {"keep": 1},
    "clear-tool-uses": {"trigger": 1500, "keep": 1},
    "cmdfilter": {"agent_filters": "lossy", "min_size": 100},
    "collapse": {"max_tokens": 100, "head_lines": 3, "tail_lines": 3},
    "dedup": {"min_tokens": 0},
    "extract": {"min_tokens": 0},
    "failed_run": {"min_tokens": 0},
    "format": {"min_tokens": 0},
    "ladder": {"budget_tokens": 4000},
    "linecap": {"max_line_chars": 60, "min_size": 50},
    "mask": {"keep_recent": 1, "min_tokens": 20},
    "opencode-prune": {"protect_tokens": 100, "min_prunable_tokens": 50, "keep_turns": 1},
    "openhands-mask": {"attention_window": 4},
    "readlifecycle": {"min_tokens": 0, "cold_cache": True},
    "searchfold": {"min_tokens": 0},
    "smartcrush": {"min_items": 5, "min_tokens": 0, "keep_first": 1, "keep_last": 1},
    "textclean": {"min_tokens": 0},
    "tool_result_budget": {"budget_tokens": 60, "shape": "head_tail"},
    "toolfilter": {"remove": ["mcp__tracker"]},
    "toolschema": {},
    "toon": {"min_tokens": 0},
}
"""Parameters with which a component finds something to do in a short session."""
MODES = ("full", "summary", "off")
_WHOLE = st.integers(0, 6)
_TOKENS = st.sampled_from((0, 20, 100, 400))
_FLAG = st.booleans()
RANDOM: Mapping[str, Mapping[str, st.SearchStrategy[object]]] = {
    "cacheinject": {"ttl": st.sampled_from(("5m", "1h"))},
    "cachesplit": {"min_tokens": _TOKENS},
    "claude-microcompact": {"keep_recent": _WHOLE},
    "clear-thinking": {"keep": st.integers(1, 4), "clear_at_least": st.sampled_from((0, 100))},
    "clear-tool-uses": {"trigger": st.sampled_from((500, 2000)), "keep": _WHOLE, "clear_at_least": _TOKENS},
    "cmdfilter": {"agent_filters": st.sampled_from(("off", "safe", "lossy")), "min_size": _TOKENS},
    "collapse": {"max_tokens": st.sampled_from((30, 100, 400)), "head_lines": _WHOLE, "tail_lines": _WHOLE},
    "dedup": {"min_tokens": _TOKENS},
    "extract": {"min_tokens": _TOKENS},
    "failed_run": {"min_tokens": _TOKENS, "cold_cache": _FLAG},
    "format": {"min_tokens": _TOKENS},
    "ladder": {"budget_tokens": st.sampled_from((3000, 8000)), "protected_tool_results": _WHOLE},
    "linecap": {"max_line_chars": st.sampled_from((0, 40, 200)), "collapse_duplicate_lines": _FLAG},
    "mask": {"keep_recent": _WHOLE, "min_tokens": _TOKENS, "keep_head_chars": st.sampled_from((0, 40, 96))},
    "opencode-prune": {"protect_tokens": _TOKENS, "min_prunable_tokens": _TOKENS, "keep_turns": st.integers(0, 2)},
    "openhands-mask": {"attention_window": st.integers(1, 12)},
    "readlifecycle": {"min_tokens": _TOKENS, "cold_cache": _FLAG, "bash_edits": _FLAG, "stale_at_depth": _FLAG},
    "searchfold": {"min_tokens": _TOKENS},
    "smartcrush": {"min_items": st.integers(1, 9), "min_tokens": _TOKENS, "keep_first": _WHOLE, "keep_last": _WHOLE},
    "summarize": {"budget_tokens": st.sampled_from((3000, 8000)), "call": st.sampled_from(("standalone", "fork"))},
    "textclean": {"min_tokens": _TOKENS},
    "tool_result_budget": {
        "budget_tokens": st.sampled_from((30, 100, 400)),
        "shape": st.sampled_from(("head", "head_tail")),
    },
    "toolfilter": {"remove": st.sampled_from((["mcp__tracker"], ["*"], ["Bash", "mcp__tracker__close"]))},
    "toolschema": {},
    "toon": {"min_tokens": _TOKENS},
}
"""Legal parameters, small enough for short sessions."""


def alone(name: str, **params: object) -> Policy:
    """A policy of one eager component; *params* over what makes it eager."""
    return pipeline([name], {name: {**EAGER.get(name, {}), **params}})


def everything() -> list[str]:
    """Every component that needs no model, by name."""
    return sorted({*COMPONENTS, *BODY_COMPONENTS} - {"extract_llm"})


@st.composite
def pipelines(draw: st.DrawFn) -> Policy:
    """Some components in any order, each once, with random parameters."""
    names = draw(st.lists(st.sampled_from(sorted(RANDOM)), min_size=1, max_size=7, unique=True))
    if "summarize" in names and "ladder" in names:
        names.remove("ladder")
    overrides = {name: draw(st.fixed_dictionaries({}, optional=dict(RANDOM[name]))) for name in names}
    return pipeline(names, overrides)
