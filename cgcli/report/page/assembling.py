"""The whole page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.figures import counted, number
from cgcli.report.page.elements import element, written
from cgcli.report.page.embedding import allowed, embedded, scripts, style
from cgcli.report.page.file import answer, file_part
from cgcli.report.page.packing import packed
from cgcli.report.page.policies import Around, policies
from cgcli.report.page.showing import shown
from cgcli.report.page.words import WHY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from xml.etree.ElementTree import Element


def page(document: Mapping[str, Any]) -> str:
    """A `cgcli/replay/v1` *document*, with the texts of its edits, as one HTML page.

    The page asks for nothing: styles, scripts and data are in it. All text of the document is shown as text, control
    and bidirectional characters escaped. The same document gives the same page.
    """
    safe_document = shown(document)
    pack = packed(safe_document)
    running, look = scripts(), style()
    data = {**pack.data, "why": dict(WHY)}
    html = element(
        "html",
        element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=allowed(running, look)),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="color-scheme", content="light dark"),
            element("meta", name="referrer", content="no-referrer"),
            element("title", _title(safe_document)),
            element("style", look),
        ),
        element(
            "body",
            _body(safe_document, cut_to=pack.cut_to),
            element("script", embedded(data), type="application/json", id="data"),
            [element("script", script) for script in running],
        ),
        lang="en",
    )
    return f"<!DOCTYPE html>\n{written(html)}\n"


def _title(document: Mapping[str, Any]) -> str:
    files = [file["file"] for file in document["files"]]
    return f"cg replay: {files[0] if len(files) == 1 else counted(len(files), 'file')}"


def _body(document: Mapping[str, Any], *, cut_to: int | None) -> Iterable[Element | None]:
    files, total = document["files"], document["total"]
    yield element("a", "to the answer", href="#main", class_="skip")
    yield element(
        "header",
        element("h1", "cg replay"),
        element("p", "What each policy would have cost over the same recorded requests.", class_="quiet"),
        _picker(files, has_total=total is not None) if len(files) + (total is not None) > 1 else None,
    )
    parts = [_all_files(document)] if total is not None else []
    parts += [file_part(file, name=f"f{i}") for i, file in enumerate(files)]
    script_needed = element("p", "Without scripts this page has its tables, and no charts or turns.")
    yield element(
        "main", element("noscript", script_needed), _failed(document), parts, _notes(document, cut_to=cut_to), id="main"
    )


def _picker(files: Iterable[Mapping[str, Any]], *, has_total: bool) -> Element:
    choices = [element("option", "all files together", value="all")] if has_total else []
    choices += [element("option", file["file"], value=f"f{i}") for i, file in enumerate(files)]
    return element("p", element("label", "File ", element("select", choices, id="file")))


def _all_files(document: Mapping[str, Any]) -> Element:
    total = document["total"]
    bases = tuple(file["tokens_basis"] for file in document["files"])
    return element(
        "article",
        element("h2", f"{counted(len(document['files']), 'file')} together"),
        answer(total, None),
        element(
            "section",
            element("h3", "Policies"),
            policies(total, Around(caption="Policies over all files", tokens_bases=bases)),
        ),
        id="all",
        class_="file",
    )


def _failed(document: Mapping[str, Any]) -> Element | None:
    if not document["failed"]:
        return None
    items = [
        element(
            "li", element("code", one["file"]), f": {one['error']}", f" Try: {one['hint']}" if one["hint"] else None
        )
        for one in document["failed"]
    ]
    return element(
        "section",
        element("h2", f"{counted(len(items), 'file')} not replayed"),
        element("ul", items),
        class_="failed",
    )


def _notes(document: Mapping[str, Any], *, cut_to: int | None) -> Element:
    notes = list(document["notes"])
    if cut_to is not None:
        notes.append(f"Texts of edits are cut to {number(cut_to)} characters, so that this page stays small.")
    drawn = "Charts are drawn by Chart.js 4.6.1 (MIT licence, in the source of this page)."
    return element(
        "footer",
        element("h3", "Notes"),
        element("ul", [element("li", note) for note in notes], class_="notes"),
        element("p", drawn, class_="quiet"),
    )
