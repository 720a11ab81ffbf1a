"""A gate explained, the same on the terminal, in JSON and on its page."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from cgcli.checks.base import Rule
from cgcli.checks.registry import GATES
from cgcli.model import changed
from cgcli.report.explanation import document, index, lines, listed, page
from tests.docs.gates import FOLDER, written

RULE = Rule(
    gate="G-TEST",
    title="Nothing is wrong",
    checks="word " * 40 + "end.",
    why="It costs.",
    failing="one\n  two",
    passing="three",
    fix="Mend it.",
    proves_not="That all is well.",
    source="A book.",
    since="9.9.9",
)


def test_the_terminal_gets_every_field() -> None:
    """Prose is wrapped, examples keep their lines."""
    shown = list(lines(RULE))

    assert shown[0] == "G-TEST: Nothing is wrong"
    assert max(map(len, shown)) <= 88
    assert shown[shown.index("An example that fails") + 1 :][:2] == ["  one", "    two"]
    assert [line for line in shown if line and line[0] != " "] == [
        "G-TEST: Nothing is wrong",
        "What it checks",
        "Why it matters",
        "An example that fails",
        "The same, mended",
        "What to do",
        "What a pass does not prove",
        "Source: A book. Since 9.9.9.",
    ]


def test_all_are_listed_in_one_line_each() -> None:
    """In the order given, aligned, with what to ask next."""
    assert list(listed([RULE, GATES[0].rule])) == [
        "G-TEST    Nothing is wrong",
        "G-APPEND  A lane grows only at its end",
        "",
        "next    cg explain G-TEST",
    ]


def test_the_document_has_every_field() -> None:
    """As it stands in the rule."""
    assert document([RULE]) == {
        "schema": "cgcli/explain/v1",
        "gates": [
            {
                "gate": "G-TEST",
                "title": "Nothing is wrong",
                "checks": "word " * 40 + "end.",
                "why": "It costs.",
                "failing": "one\n  two",
                "passing": "three",
                "fix": "Mend it.",
                "proves_not": "That all is well.",
                "source": "A book.",
                "since": "9.9.9",
            }
        ],
    }


def test_the_page_has_every_field() -> None:
    """Examples stand in blocks, and no line of prose is longer than a page of this project has."""
    shown = page(RULE)

    assert "# G-TEST: Nothing is wrong\n" in shown
    assert "## An example that fails\n\n```text\none\n  two\n```\n" in shown
    assert max(map(len, shown.splitlines())) <= 120
    assert shown.endswith("## Source\n\nA book. Since 9.9.9.\n")
    assert "| [G-TEST](G-TEST.md) | Nothing is wrong | 9.9.9 |\n" in index([RULE])


def test_a_marker_on_a_page_is_no_link() -> None:
    """`<<cg:KEY>>` is text in Markdown too, though `<cg:KEY>` would be a link."""
    shown = MarkdownIt().render(page(changed(RULE, checks="Every <<cg:KEY>> in a tool output.")))

    assert "Every &lt;&lt;cg:KEY&gt;&gt; in a tool output." in shown


def test_the_pages_are_those_of_the_gates() -> None:
    """docs/gates has a page for each gate and an index, and no other."""
    assert set(FOLDER.glob("*")) == set(written())


@pytest.mark.parametrize("name", [path.name for path in written()])
def test_a_page_says_what_its_rule_says(name: str) -> None:
    """`python -m tests.docs.gates` writes it anew."""
    assert (FOLDER / name).read_text(encoding="utf-8") == written()[FOLDER / name]


@pytest.mark.parametrize("rule", [gate.rule for gate in GATES], ids=lambda rule: rule.gate)
def test_every_rule_says_everything(rule: Rule) -> None:
    """No field of a rule is empty, a title is one line without a full stop, an example has no fence in it."""
    fields = document([rule])["gates"][0]  # type: ignore[index]

    assert all(fields.values())
    assert not rule.title.endswith(".")
    assert "\n" not in rule.title
    assert "```" not in rule.failing + rule.passing
