"""The documentation of filters says what they are."""

from __future__ import annotations

import re

from cgcli.compaction.filters.builtin import builtins
from cgcli.compaction.filters.document import read_text
from tests.compaction.filters.page import PAGE, rewritten

HOW_TO = PAGE.parents[1] / "how-to" / "write-a-filter.md"


def test_the_reference_is_up_to_date() -> None:
    """`python -m tests.compaction.filters.page` writes its tables anew."""
    text = PAGE.read_text(encoding="utf-8")
    assert text == rewritten(text)
    assert f"\n{sum(one.agent is None for one in builtins())} of them act always" in text


def test_the_filter_of_the_how_to_works() -> None:
    """It is taken with its test, and the output shown first is the test's."""
    text = HOW_TO.read_text(encoding="utf-8")
    (source,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (one,) = read_text(source, file="deploy.yaml")
    assert one.name == "deploy"
    assert f"```text\n{one.cases[0].input}```" in text
