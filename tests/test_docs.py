"""The documentation says what the code does today."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.components import BODY_COMPONENTS, COMPONENTS, fields, known
from cgcli.errors import ExitCode
from tests.docs import keys, policies
from tests.docs.console import rerun
from tests.docs.documents import documents
from tests.docs.generated import rewritten
from tests.docs.help import commands, options
from tests.docs.pages import (
    CONSOLE,
    DOCS,
    README,
    ROOT,
    anchors,
    code_spans,
    fences,
    links,
    name,
    pages,
    rows,
    sections,
)

if TYPE_CHECKING:
    from pathlib import Path

PAGES = pages()
RUN = [page for page in PAGES if any(fence.info == CONSOLE for fence in fences(page.read_text(encoding="utf-8")))]
REFERENCE = DOCS / "reference"


def _read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", RUN, ids=name)
def test_every_command_prints_what_is_shown(page: Path, tmp_path: Path) -> None:
    """The `console` blocks of a page, run in order in a new folder, print what stands in them.

    `python -m tests.docs.generate` writes them anew. What a newcomer reads first is run as it is typed.
    """
    assert _read(page) == rerun(_read(page), tmp_path, here=page not in (README, DOCS / "tutorial.md"))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_generated_parts_are_up_to_date(page: Path) -> None:
    """What is written from the code is what the code says; `python -m tests.docs.generate` writes it anew."""
    assert _read(page) == rewritten(_read(page))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file that is there, and every anchor a heading in it."""
    for link in links(_read(page)):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page

        assert target.exists(), link
        assert not anchor or anchor in anchors(_read(target)), link


def test_the_index_has_every_page() -> None:
    """docs/index.md, and the index of a folder that it links, link every page but itself."""
    first = DOCS / "index.md"
    linked = _linked(first)
    for index in [page for page in linked if page.name == "index.md"]:
        linked |= {page for page in _linked(index) if page.parent == index.parent}

    assert linked - {first} == {page.resolve() for page in PAGES if page != first}


def _linked(page: Path) -> set[Path]:
    return {(page.parent / link.partition("#")[0]).resolve() for link in links(_read(page))}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_line_can_be_typed(page: Path) -> None:
    """Each `cg …` in code names a command that exists, with options that it has."""
    known = dict(commands())
    lines = [line for fence in fences(_read(page)) for line in fence.lines]
    for line in (*lines, *code_spans(_read(page))):
        for words in (found.split() for found in re.findall(r"(?:^|&& |; |^\$ )cg ((?:[^|;&>]|\|(?=\|))+)", line)):
            depth = 2 if hasattr(known.get((words[0],)), "commands") else 1
            path = tuple(word for word in words[:depth] if word[0] != "-" and word.islower())
            if not path and words[0][0] != "-":
                continue
            assert path in known, line
            assert {word for word in words if re.fullmatch("--?[a-z-]+", word)} <= options(known[path]), line


def test_exit_codes_are_the_codes() -> None:
    """The table of exit codes has each code with its name."""
    table = rows(_read(REFERENCE / "exit-codes.md").split("## Errors")[0].splitlines())

    assert {(int(row[0]), row[1]) for row in table} == {(code.value, code.name) for code in ExitCode}


def test_json_keys_are_those_that_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every key that a command prints is documented, and every documented key is printed by some run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CG_STASH", raising=False)
    told = _documented()
    printed: dict[str, set[str]] = {}
    for document in documents(tmp_path, capsys):
        schema = document["schema"]
        printed.setdefault(schema, set()).update(keys.printed(document, told.get(schema, frozenset())))

    assert told.keys() == printed.keys()
    assert sorted((schema, key) for schema, said in told.items() for key in said - printed[schema]) == []
    assert sorted((schema, key) for schema, said in printed.items() for key in said - told[schema]) == []


def _documented() -> dict[str, frozenset[str]]:
    """The keys of all schemas."""
    pages = ("json-output.md", "check-json.md")
    return {schema: told for page in pages for schema, told in keys.documented(_read(REFERENCE / page)).items()}


def test_every_command_has_its_schema() -> None:
    """Each command has a section for the document that it prints; `expand --all` and errors have one more each.

    `config schema` prints a JSON schema.
    """
    typed = [words for words, command in commands() if not hasattr(command, "commands")]
    printed = {f"cgcli/{'-'.join(words)}/v1" for words in typed if words != ("config", "schema")}

    assert set(_documented()) == {
        *printed,
        "cgcli/expand-all/v1",
        "cgcli/error/v1",
    }


def test_dependencies_are_those_of_the_project() -> None:
    """The page of dependencies has each requirement of pyproject.toml under its heading, and no other."""
    project = tomllib.loads(_read(ROOT / "pyproject.toml"))
    page = sections(_read(REFERENCE / "dependencies.md"))
    extras = project["project"]["optional-dependencies"]

    assert {head: {row[0] for row in rows(lines)} for head, lines in page.items()} == {
        "To run": set(project["project"]["dependencies"]),
        "Optional": set(extras["fast"]),
        "To develop": set(extras["dev"]),
        "To build": set(project["build-system"]["requires"]),
    }


@pytest.mark.parametrize("component", known())
def test_components_have_their_parameters(component: str) -> None:
    """Each component has a section with a table of its parameters and their defaults; one that follows is in words."""
    taken = fields(COMPONENTS[component] if component in COMPONENTS else BODY_COMPONENTS[component])
    lines = _read(REFERENCE / "filters.md").splitlines()
    if component != "cmdfilter":
        lines = sections(_read(REFERENCE / "components.md"))[component]
    tables = _tables(lines, "| parameter |")
    told = {row[0]: row[1].strip("`") for table in tables for row in rows(table)}

    assert told.keys() == taken.keys()
    assert {key: told[key] for key in taken if taken[key] is not None} == {
        key: _shown(default) for key, default in taken.items() if default is not None
    }


def _tables(lines: list[str], head: str) -> list[list[str]]:
    """The tables in *lines* whose head begins with *head*."""
    found = []
    for i, line in enumerate(lines):
        if line.startswith(head):
            stop = next((j for j in range(i, len(lines)) if not lines[j].startswith("|")), len(lines))
            found.append(lines[i:stop])
    return found


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, Mapping):
        return json.dumps(dict(default))
    if isinstance(default, tuple):
        return json.dumps(default)
    return f"{default:g}" if isinstance(default, float) else str(default)


def test_reasons_for_skipping_a_record_are_those_of_the_code() -> None:
    """Each reason that a record is skipped or passed for is documented, and each documented one is in the code."""
    lines = sections(_read(REFERENCE / "formats.md"))["Records that are skipped"]
    told = {reason for row in rows(lines) for reason in re.findall(r"[a-z0-9_]+", row[0])}
    source = "\n".join(
        _read(path) for folder in ("readers", "wire", "dialects") for path in (ROOT / "cgcli" / folder).rglob("*.py")
    )
    before = r'(?:Malformed\(|Passed\(\s*reason=|_unusable\(piece, |_passed\(\w+, |_noted\([^"]{1,20}, |reason = )'
    named = before + '"([a-z0-9_]+)"'
    by_name = re.findall(named, source)
    with_detail = re.findall(r'return "([a-z0-9_]+)", ', source)  # the name of a fault and a line about it

    assert {*by_name, *with_detail} <= told
    assert all(f'"{reason}"' in source for reason in told)


def test_every_page_is_english_prose_without_tabs_or_trailing_space() -> None:
    """No line of prose has a tab or ends in a space."""
    for page in PAGES:
        code = {i for fence in fences(_read(page)) for i in range(fence.start, fence.stop)}
        for i, line in enumerate(_read(page).splitlines()):
            assert i in code or (line == line.rstrip() and "\t" not in line), f"{name(page)}:{i + 1}"


@pytest.mark.parametrize("page", sorted(policies.written()), ids=name)
def test_the_pages_of_policies_are_up_to_date(page: Path) -> None:
    """Each page is what the policies say today; `python -m tests.docs.policies` writes them anew."""
    assert policies.without_outputs(_read(page)) == policies.written()[page]


def test_every_policy_has_its_page() -> None:
    """The folder of policies has the pages of the built-in ones, and no others."""
    assert set(policies.FOLDER.glob("*.md")) == set(policies.written())


def test_the_readme_is_among_the_pages() -> None:
    """The README is checked as every page is."""
    assert README in PAGES
