"""What the built-in policies are for, and what they lose: the words of their pages."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping


@value
class About:
    """A policy in words, as Markdown in one paragraph each."""

    purpose: str
    loses: str
    differs: str = ""
    """Where it is not what its namesake is."""


_MARKED = "Every original is in the stash, and a marker says so."
_MASKED = f"Everything but the note and how an error began. {_MARKED}"

ABOUT: Mapping[str, About] = MappingProxyType(
    {
        "off": About(
            purpose="The floor that others are compared with: the output is the input, byte for byte.", loses="Nothing."
        ),
        "safe": About(
            purpose="For whoever wants nothing to leave: the same facts, spelled shorter.",
            loses="Nothing that says something: white space in JSON, colours, states that a display overwrote itself. "
            "No marker is left; `cg expand --all` gives back the exact bytes.",
        ),
        "balanced": About(
            purpose="`safe`, and what is certainly said twice or says nothing: repeats, runs that failed and were made "
            "again, the chatter of known commands, long and repeated lines of logs.",
            loses="Progress, downloads, and what only repeats. Errors, places in files, exit codes and counts of tests "
            f"stay. {_MARKED}",
        ),
        "coding": About(
            purpose="For agents that write code: `balanced` without `failed_run`, so that every run of a test stays "
            "to be compared, and with `extract`.",
            loses=f"Blank runs, repeats, progress, and what the filters of `cmdfilter` name. {_MARKED}",
        ),
        "agent": About(
            purpose="For long runs whose old outputs are not needed any more: all but the newest three become one "
            "line.",
            loses=f"Old outputs but for their beginning, and what a model leaves out. {_MARKED}",
        ),
        "general": About(
            purpose="Everything at once, the mild before the drastic.",
            loses="Old outputs but for their beginning, the middle of oversized ones, what a model leaves out, and "
            f"what the others take. {_MARKED}",
            differs="A mild step that marks an output keeps it from the drastic ones behind it; the report says "
            "`already_marked`.",
        ),
        "mcp": About(
            purpose="For tools that answer in JSON: long arrays keep their ends and their faults.",
            loses=f"The items in the middle of arrays. {_MARKED}",
        ),
        "house": About(
            purpose="The default of the proxy's later line: pure in content throughout, tables for arrays, and a list "
            "of tools to leave out.",
            loses=f"What `cmdfilter` and `extract` take. {_MARKED} What `toolfilter` leaves out has no marker.",
            differs="Its `toolfilter` names no tool, so it does nothing until `remove` is set.",
        ),
        "codesafe": About(
            purpose="The default here: every step of the proxy that needs no model and does not look at an output's "
            "age.",
            loses="Progress, repeats, the middle of outputs over 3,000 tokens and of long lines, and all but the "
            f"faults of runs that were made again. {_MARKED}",
        ),
        "summarize": About(
            purpose="For conversations that come near the model's window: the oldest messages give way to a summary. "
            "[How to](../how-to/summarise.md).",
            loses="What the summary does not say. The messages are in the stash; with native compaction they are gone.",
        ),
        "ladder": About(
            purpose="For conversations that come near the model's window, without a model: truncates, leaves out and "
            "stubs in eight levels, as Amplifier's context module does.",
            loses=f"Old tool results but for 250 characters, then whole exchanges, then what the user said first. "
            f"{_MARKED}",
        ),
        "clear-tool-uses": About(
            purpose="What Anthropic's context editing `clear_tool_uses_20250919` would clear, to compare it with "
            "others on the same traffic.",
            loses=_MASKED,
            differs="The provider's edit leaves no marker, and does not say what happens to excluded tools under "
            "`keep`.",
        ),
        "clear-thinking": About(
            purpose="What Anthropic's context editing `clear_thinking_20251015` would clear.",
            loses="Old thinking. It leaves no marker: `cg expand --all` brings it back.",
        ),
        "opencode-prune": About(
            purpose="What opencode prunes at the end of the user's turns.",
            loses=_MASKED,
            differs="opencode counts four characters as a token, where `cg` counts tokens.",
        ),
        "codex-local": About(
            purpose="What Codex does locally at its limit: the initial context, the newest of what the user said, and "
            "a summary of all.",
            loses="What neither the summary nor the user's newest messages say. The messages are in the stash.",
        ),
        "pi-keep-recent": About(
            purpose="What pi does near the window: the newest 20,000 tokens stay, all before them becomes a summary.",
            loses="What the summary does not say. The messages are in the stash.",
        ),
        "openhands-mask": About(
            purpose="OpenHands' observation masking: outputs outside a window of events become a placeholder.",
            loses=_MASKED,
        ),
        "claude-microcompact": About(
            purpose="Claude Code's clearing of old results of tools that can be run again.",
            loses=_MASKED,
            differs="Claude Code does this after an idle hour; here that is the turn which the replay finds cold. Its "
            "variant that edits the provider's cache cannot be had from a request.",
        ),
    }
)
"""One for each built-in policy."""
