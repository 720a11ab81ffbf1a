"""A gate explained: for the terminal, as JSON, and as a page of the documentation, all from its one rule."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from cgcli.checks.base import Rule

SCHEMA = "cgcli/explain/v1"
_WIDTH = 88
_PAGE_WIDTH = 118
_MADE = "<!-- Written from the gate's own rule by `python -m tests.docs.gates`. -->"


def document(rules: Iterable[Rule]) -> dict[str, object]:
    """The versioned JSON document `cgcli/explain/v1`."""
    return {"schema": SCHEMA, "gates": [_fields(rule) for rule in rules]}


def _fields(rule: Rule) -> dict[str, str]:
    return {
        "gate": rule.gate,
        "title": rule.title,
        "checks": rule.checks,
        "why": rule.why,
        "failing": rule.failing,
        "passing": rule.passing,
        "fix": rule.fix,
        "proves_not": rule.proves_not,
        "source": rule.source,
        "since": rule.since,
    }


def _headed(rule: Rule) -> tuple[tuple[str, str, bool], ...]:
    """(heading, text, whether it is an example that keeps its lines)."""
    return (
        ("What it checks", rule.checks, False),
        ("Why it matters", rule.why, False),
        ("An example that fails", rule.failing, True),
        ("The same, mended", rule.passing, True),
        ("What to do", rule.fix, False),
        ("What a pass does not prove", rule.proves_not, False),
    )


def lines(rule: Rule) -> Iterator[str]:
    """One rule for the terminal."""
    yield f"{rule.gate}: {rule.title}"
    for heading, text, is_example in _headed(rule):
        yield ""
        yield heading
        body = text.split("\n") if is_example else wrap(text, _WIDTH - 2)
        yield from (f"  {line}" for line in body)
    yield ""
    yield from wrap(f"Source: {rule.source} Since {rule.since}.", _WIDTH)


def listed(rules: Sequence[Rule]) -> Iterator[str]:
    """The first line of each rule, and what to ask next."""
    width = max(len(rule.gate) for rule in rules)
    yield from (f"{rule.gate:{width}}  {rule.title}" for rule in rules)
    yield ""
    yield f"next    cg explain {rules[0].gate}"


def page(rule: Rule) -> str:
    """The rule's page in Markdown."""
    parts = [_MADE, "", f"# {rule.gate}: {rule.title}"]
    for heading, text, is_example in _headed(rule):
        body = ["```text", text, "```"] if is_example else _prose(text)
        parts += ["", f"## {heading}", "", *body]
    parts += ["", "## Source", "", *_prose(f"{rule.source} Since {rule.since}."), ""]
    return "\n".join(parts)


def _prose(text: str) -> list[str]:
    """*text* in lines of Markdown; a marker in it is no link."""
    return wrap(text.replace("<", "\\<"), _PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)


def index(rules: Sequence[Rule]) -> str:
    """The page that lists them."""
    rows = [f"| [{rule.gate}]({rule.gate}.md) | {rule.title} | {rule.since} |" for rule in rules]
    head = [_MADE, "", "# Gates", "", "What `cg check` looks at. `cg explain GATE` prints the same pages.", ""]
    return "\n".join([*head, "| gate | what it holds | since |", "|---|---|---|", *rows, ""])
