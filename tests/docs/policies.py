"""The pages of docs/policies, one for each built-in policy: python -m tests.docs.policies writes them.

What is generated are the words, the tables and the commands; what the commands print is filled in by running them.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cgcli.compaction.component import Loss
from cgcli.compaction.components import BODY_COMPONENTS, COMPONENTS
from cgcli.compaction.policy import SPAN_STEPS, named
from cgcli.compaction.preset_texts import ABOUT
from cgcli.compaction.presets import BUILT_IN
from tests.docs.console import rerun
from tests.docs.pages import CONSOLE, DOCS, fences, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from cgcli.compaction.policy import Policy

FOLDER = DOCS / "policies"
DEMO = "fixtures/context-guru/agent.jsonl"
SMALL: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "clear-tool-uses": {"trigger": 4000},
        "opencode-prune": {"keep_turns": 0, "protect_tokens": 1000, "min_prunable_tokens": 500},
        "openhands-mask": {"attention_window": 12},
        "ladder": {"budget_tokens": 8000},
        "summarize": {"budget_tokens": 9000},
        "codex-local": {"budget_tokens": 8000},
        "pi-keep-recent": {"budget_tokens": 7000, "keep_recent_tokens": 2000},
    }
)
"""Parameters under which those act on the demo whose defaults are for long conversations."""
_MADE = "<!-- Written from the policies by `python -m tests.docs.policies`. -->"
_WIDTH = 118
_ACTS_ANYHOW = frozenset({*SPAN_STEPS, "ladder"})
"""Where those are due, the alternative is a request that does not fit."""


def written() -> dict[Path, str]:
    """Each page with what it has to say; the outputs of its commands are left out."""
    return {FOLDER / "index.md": _index(), **{FOLDER / f"{name}.md": _page(name) for name in BUILT_IN}}


def without_outputs(text: str) -> str:
    """*text* with nothing but the commands in its `console` blocks."""
    lines = text.splitlines()
    for fence in reversed(fences(text)):
        if fence.info == CONSOLE:
            lines[fence.start : fence.stop] = [line for line in fence.lines if line.startswith("$ ")]
    return "\n".join(lines) + "\n"


def table(folder: str) -> Iterator[str]:
    """Every policy with its purpose and its steps, its page linked in *folder*."""
    yield from ("| policy | steps | looks at age or size |", "|---|---|---|")
    for name in BUILT_IN:
        steps = " ".join(f"`{step}`" for step, _ in BUILT_IN[name]) or "none"
        gated = " ".join(f"`{step}`" for step in _gated(named(name))) or "-"
        yield f"| [`{name}`]({folder}{name}.md) | {steps} | {gated} |"


def _gated(policy: Policy) -> list[str]:
    """The steps that the held rule keeps from acting."""
    found = [one.name for one in policy.components if one.gated]
    return found + [one.name for one in policy.bodies if one.loss is Loss.STASHED and one.name not in _ACTS_ANYHOW]


def _index() -> str:
    head = [_MADE, "", "# Built-in policies", ""]
    foot = ["", *_prose("[Write your own](../how-to/write-a-policy.md). [The file](../reference/policies.md#a-file).")]
    return "\n".join([*head, *table(""), *foot, ""])


def _page(name: str) -> str:
    policy, about = named(name), ABOUT[name]
    parts = [_MADE, "", f"# {name}", "", *_prose(about.purpose)]
    if BUILT_IN[name]:
        parts += ["", "## Steps", "", *_steps(name)]
    parts += ["", "## What it loses", "", *_prose(about.loses)]
    parts += ["", "## The held prefix", "", *_prose(_held(policy))]
    parts += ["", "## On the demo capture", "", *_demo(name, policy)]
    if about.differs:
        parts += ["", "## What is different", "", *_prose(about.differs)]
    return "\n".join([*parts, ""])


def _steps(name: str) -> Iterator[str]:
    text = (DOCS / "reference" / "components.md").read_text(encoding="utf-8")
    told = {_step(row[0]): row for row in rows(text.split("\n## ", 1)[0].splitlines())}
    yield from ("| | step | does | loss |", "|---|---|---|---|")
    for i, (step, params) in enumerate(BUILT_IN[name], 1):
        said = "".join(f", `{key} = {given}`" for key, given in params.items())
        cell, does = told[step][:2] if step in told else (f"`{step}`", _first_words(step))
        yield f"| {i} | {_linked(cell)}{said} | {does} | {_loss(step)} |"


def _step(cell: str) -> str:
    return cell.split("`")[1]


def _linked(cell: str) -> str:
    """The first cell of a row in the table of components, its link counted from the folder of policies."""
    return cell.replace("](#", "](components.md#").replace("](", "](../reference/")


def _first_words(step: str) -> str:
    """What the class of *step* says it does, for one that the table of components does not have."""
    kind = _kind(step)
    said = (kind.__doc__ or "").split("\n", 1)[0].rstrip(".") if kind is not None else "not in this version"
    return said[:1].lower() + said[1:]


def _loss(step: str) -> str:
    kind = _kind(step)
    return str(kind.loss) if kind is not None else ""


def _kind(step: str) -> type[Any] | None:
    catalogues: tuple[Mapping[str, type[Any]], ...] = (COMPONENTS, BODY_COMPONENTS, SPAN_STEPS)
    return next((kinds[step] for kinds in catalogues if step in kinds), None)


def _held(policy: Policy) -> str:
    steps = [*policy.components, *policy.bodies]
    gated = _gated(policy)
    due = [one.name for one in policy.bodies if one.name in _ACTS_ANYHOW]
    due += [policy.span_step.name] if policy.span_step is not None else []
    if due:
        return (
            f"`{due[0]}` acts where it is due, whatever `--held` says: the alternative is a request that does not "
            "fit. It rewrites the prefix then, and the report counts how often."
        )
    if not gated:
        said = "All steps decide by content alone. " if steps else ""
        return f"{said}[`--held`](../explanation/the-held-prefix.md) `respect`, `pays` and `ignore` come to the same."
    *first, last = (f"`{one}`" for one in gated)
    looking = f"{', '.join(first)} and {last}" if first else last
    others = "" if len(gated) == len(steps) else " The other steps decide by content alone."
    verb = "looks" if len(gated) == 1 else "look"
    return (
        f"{looking} {verb} at what came later, at age or at size. Under "
        "`--held` [`respect`](../explanation/the-held-prefix.md) that is for what the provider does not hold, and for "
        "turns whose cache has lapsed; on a warm lane it comes to little or nothing. `pays` lets a decision into the "
        f"held prefix where it saves more than it costs, `ignore` always.{others}"
    )


def _demo(name: str, policy: Policy) -> Iterator[str]:
    """What it does to the demo: by default, under `ignore` where that can differ, and with small figures."""
    yield from _block(name)
    if _gated(policy):
        yield from ("", "With `--held ignore`:", "", *_block(name, " --held ignore"))
    if name in SMALL:
        yield ""
        yield from _prose("Its figures are for long conversations. With small ones it acts on a small file, too:")
        yield from ("", "```toml title=small.toml", 'name = "small"', "[[steps]]", f'component = "{name}"')
        yield from (*(f"{key} = {given}" for key, given in SMALL[name].items()), "```", "")
        yield from _block("small.toml", " --held ignore" if _gated(policy) else "")


def _block(policy: str, options: str = "") -> Iterator[str]:
    command = f"$ cg compact {DEMO} --policy {policy}{options} --dry-run | sed -n '3,/^tokens/p'"
    yield from ("```console", command, "```")


def _prose(text: str) -> list[str]:
    return wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    """Write every page anew, and take away those whose policy is gone."""
    FOLDER.mkdir(exist_ok=True)
    pages = written()
    for path in FOLDER.glob("*.md"):
        if path not in pages:
            path.unlink()
    for path, text in pages.items():
        with tempfile.TemporaryDirectory() as folder:
            path.write_text(rerun(text, Path(folder)), encoding="utf-8")
        sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
