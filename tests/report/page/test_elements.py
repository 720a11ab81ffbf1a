"""HTML as a tree."""

from __future__ import annotations

from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from cgcli.report.page.elements import element, folded, table, written
from tests.report.page.pages import Parsed

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60) | st.sampled_from(
    ["</p>", '"', "&lt;", "<!--"]
)


@given(TEXTS, TEXTS, TEXTS)
def test_text_stays_text(inside: str, after: str, attribute: str) -> None:
    """Whatever is in it: one paragraph with one bold word is what a parser finds."""
    html = written(element("p", element("b", inside), after, title=attribute))
    parsed = Parsed(html)

    assert parsed.tags == [("p", {"title": attribute}), ("b", {})]
    assert parsed.text == inside + after
    assert unescape(html.split("<b>")[1].split("</b>")[0]) == inside


def test_names_and_truth_of_attributes() -> None:
    """Hyphens for underscores, none at the end; True stands alone, None and False not at all."""
    made = element("input", class_="a", data_sort="1", checked=True, hidden=False, id=None)

    assert written(made) == '<input class="a" data-sort="1" checked="">'


def test_children_stand_in_order() -> None:
    """Text, elements and lists of both, None left out."""
    made = element("p", "a", element("b", "c"), "d", None, ["e", [element("i", "f"), "g"]])

    assert written(made) == "<p>a<b>c</b>de<i>f</i>g</p>"


def test_a_heading_stands_over_its_figures() -> None:
    """Flush right where the first row's cell is; what is a cell already stays one."""
    made = written(table(["name", "n"], [["a", element("td", "1", class_="figure")]], caption="t"))

    assert '<th scope="col">name</th><th scope="col" class="figure">n</th>' in made
    assert '<td>a</td><td class="figure">1</td>' in made
    assert made.startswith('<div class="scroll" tabindex="0" role="region" aria-label="t">')


def test_what_is_folded_opens() -> None:
    """Closed, or open from the start."""
    assert written(folded("more", "text")) == "<details><summary>more</summary>text</details>"
    assert written(folded("more", is_open=True)).startswith('<details open="">')
