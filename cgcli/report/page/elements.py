"""HTML as a tree: text goes in as text, and only the serialiser of the standard library writes markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias
from xml.etree.ElementTree import Element, tostring

if TYPE_CHECKING:
    from collections.abc import Iterable

Child: TypeAlias = "Element | str | Iterable[Child] | None"
"""What may stand in an element; None is left out."""


def element(tag: str, *children: Child, **attributes: str | bool | None) -> Element:
    """A *tag* with *children*, in order.

    Names of *attributes* have hyphens for underscores, and one at their end is dropped (`class_`, `data_sort`).
    One that is True stands without a value; one that is None or False is left out.
    """
    made = Element(tag)
    for name, given in attributes.items():
        if given is not None and given is not False:
            made.set(name.rstrip("_").replace("_", "-"), "" if given is True else given)
    for child in children:
        _put(made, child)
    return made


def _put(parent: Element, child: Child) -> None:
    if child is None:
        return
    if isinstance(child, Element):
        parent.append(child)
    elif not isinstance(child, str):
        for one in child:
            _put(parent, one)
    elif len(parent):
        parent[-1].tail = (parent[-1].tail or "") + child
    else:
        parent.text = (parent.text or "") + child


def written(tree: Element) -> str:
    """The HTML of *tree*, with all text escaped but that of `script` and `style`, which HTML does not unescape."""
    html: str = tostring(tree, encoding="unicode", method="html")
    return html


def folded(summary: Child, *children: Child, class_: str | None = None, is_open: bool = False) -> Element:
    """*children* behind a line that opens them."""
    return element("details", element("summary", summary), *children, class_=class_, open=is_open)


def table(
    head: Iterable[Child], rows: Iterable[Iterable[Child]], *, caption: str, class_: str | None = None
) -> Element:
    """A table in a box that scrolls sideways; what is no cell in *head* and *rows* is put into one.

    *caption* names it to those who do not see it. The heading of a column of figures stands over them.
    """
    cells = [[_cell("td", one) for one in row] for row in rows]
    kinds = [one.get("class") == "figure" for one in cells[0]] if cells else []
    heads = [_cell("th", one) for one in head]
    for one, is_figure in zip(heads, kinds, strict=False):
        if is_figure:
            one.set("class", "figure")
    return scrolling(
        element(
            "table",
            element("caption", caption, class_="unseen"),
            element("thead", element("tr", heads)),
            element("tbody", [element("tr", row) for row in cells]),
            class_=class_,
        ),
        label=caption,
    )


def figure(text: str) -> Element:
    """A cell of a table with a figure in it."""
    return element("td", text, class_="figure")


def scrolling(inner: Element, *, label: str) -> Element:
    """*inner* in a box that scrolls sideways, by the keyboard too."""
    return element("div", inner, class_="scroll", tabindex="0", role="region", aria_label=label)


def _cell(tag: str, child: Child) -> Element:
    if isinstance(child, Element) and child.tag in ("td", "th"):
        return child
    return element(tag, child, scope="col") if tag == "th" else element(tag, child)
