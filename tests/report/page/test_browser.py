"""The page in Chromium: what it shows, what it does on a click, and that it asks for nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import pytest

from cgcli.report.page import page
from tests.cli.running import cg
from tests.report.page.hostile import SHOWN, hostile
from tests.report.page.made import arm, document, file, session, totals, turn
from tests.running import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.report.page.chromium import Browser

pytest.importorskip("selenium", reason="selenium is not installed")
chromium = pytest.importorskip("tests.report.page.chromium")
pytestmark = pytest.mark.skipif(not (chromium.BROWSER and chromium.DRIVER), reason=chromium.NO_BROWSER)

N_TURNS, N_POLICIES = 24, 4
PIXELS_AHEAD = 300
"""So far below the screen a chart is drawn."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of this file."""
    with chromium.chromium() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for pages, with one of a session in it."""
    made = tmp_path_factory.mktemp("pages")
    (made / "session.html").write_text(page(document([session(N_TURNS, N_POLICIES, lines=20)])), encoding="utf-8")
    return made


def _open(browser: Browser, folder: Path, made: dict[str, Any]) -> None:
    """A page of the document *made*."""
    (folder / "page.html").write_text(page(made), encoding="utf-8")
    browser.open(folder / "page.html")


def _click(browser: Browser, selector: str) -> None:
    browser.run("document.querySelector(arguments[0]).click()", selector)


def _open_turns(browser: Browser, policy: str = "f0a1") -> None:
    """Open the list of turns of one policy, and wait for it."""
    browser.run(
        "const turns = document.querySelector(arguments[0]); turns.open = true; "
        "turns.dispatchEvent(new Event('toggle'))",
        f"#{policy} details.turns",
    )


def _column(browser: Browser, n: int) -> list[str]:
    """The cells of a column of the table of policies, from above."""
    found: list[str] = browser.run(
        "return [...document.querySelectorAll('table.policies tbody tr')].map(r => r.cells[arguments[0]].innerText)",
        n,
    )
    return found


def test_the_page_opens_without_a_word_and_asks_for_nothing(browser: Browser, folder: Path) -> None:
    """From a file: no line in the console, no request but for the file, while everything in it is used."""
    browser.open(folder / "session.html")
    for i in range(N_POLICIES):
        _open_turns(browser, f"f0a{i}")
        browser.run("document.getElementById(arguments[0]).scrollIntoView()", f"f0a{i}")
    browser.run("for (const one of document.querySelectorAll('button, summary, label input')) one.click()")
    browser.run("return new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")

    assert browser.complaints() == []
    assert browser.requests() == [((folder / "session.html").as_uri(), None)]


def test_the_page_refuses_markup_that_someone_puts_in(browser: Browser, folder: Path) -> None:
    """The policy itself: a script, a handler, a style and an image in the body do nothing, and are complained of."""
    put = (
        '<body><script>ran=1</script><img src="http://127.0.0.1:9/x" onerror="ran=1"><p style="color:red" id="p">p</p>'
    )
    html = (folder / "session.html").read_text(encoding="utf-8").replace("<body>", put)
    (folder / "put.html").write_text(html, encoding="utf-8")
    browser.open(folder / "put.html")

    assert browser.run("return [typeof ran, getComputedStyle(p).color === 'rgb(255, 0, 0)']") == ["undefined", False]
    assert browser.requests() == [((folder / "put.html").as_uri(), None), ("http://127.0.0.1:9/x", "csp")]
    assert len([said for said in browser.complaints() if "Content Security Policy" in said]) >= 3


def test_the_page_of_real_files_opens(browser: Browser, folder: Path) -> None:
    """What the command writes for two files: nothing is complained of, and every turn opens."""
    files = [FIXTURES / "context-guru" / "agent.jsonl", FIXTURES / "pi" / "v3.jsonl"]
    ran = cg(folder, "replay", *files, "--policy", "codesafe", "--policy", "agent@ignore", "--html", "real.html", "-q")
    browser.open(folder / "real.html", "#f0a2")
    _open_turns(browser, "f0a2")
    browser.run("for (const one of document.querySelectorAll('.open-turn')) one.click()")
    turns, details = browser.run(
        "return ['tr.turn', '.turn-detail'].map(name => document.querySelectorAll(name).length)"
    )

    assert ran.code == 0
    assert browser.complaints() == []
    assert turns == details == 17


def test_hostile_text_runs_nothing_and_is_shown(browser: Browser, folder: Path) -> None:
    """In every field, in tables, turns and diffs; the tags are those that the page made."""
    _open(browser, folder, hostile(document([session(8, 3, lines=2)], failed=[{"file": "", "error": "", "hint": ""}])))
    _open_turns(browser)
    browser.run("for (const one of document.querySelectorAll('.open-turn, .go, summary')) one.click()")
    text = browser.run("return document.body.innerText")

    assert browser.run("return [typeof window.ran, document.scripts.length, document.images.length]") == [
        "undefined",
        3,
        0,
    ]
    assert browser.complaints() == []
    assert SHOWN in text
    assert SHOWN in browser.run("return document.querySelector('.diff .text').textContent")
    assert SHOWN in browser.run("return document.querySelector('table.turns').innerText")
    assert not re.search("[\u202e\x00\x1b\u2028]", text)


def test_a_click_on_a_heading_sorts(browser: Browser, folder: Path) -> None:
    """Up, down, and back; what has no figure stands last, and the heading tells which way."""
    arms = [
        arm(policy, totals=totals(usd=usd, off_difference_usd=None))
        for policy, usd in [("off", "10.5"), ("mask", "9.25"), ("safe", None), ("house", "100")]
    ]
    _open(browser, folder, document([file(arms)]))
    button = "table.policies thead tr:last-child th:nth-child(2) button"
    seen = []
    for _ in range(3):
        _click(browser, button)
        way = browser.run("return document.querySelector(arguments[0]).closest('th').ariaSort", button)
        seen.append((way, _column(browser, 1)))

    assert browser.run("return document.querySelector(arguments[0]).closest('th').textContent", button) == "all $"
    assert seen == [
        ("ascending", ["$9.25", "$10.50", "$100.00", "unpriced"]),
        ("descending", ["$100.00", "$10.50", "$9.25", "unpriced"]),
        ("none", ["$10.50", "$9.25", "unpriced", "$100.00"]),
    ]


def test_a_click_on_a_turn_shows_what_changed(browser: Browser, folder: Path) -> None:
    """Its diff, why less was read, what fired and its dollars; a second click closes it."""
    edit = {"path": "messages.3.content", "component": "mask", "before_tokens": 900, "after_tokens": 30, "cut": True}
    edit |= {"before": "same\nold one\nend", "after": "same\nold two\nend"}
    fields = {"edits": [edit], "fired": {"mask": 2}, "reset": True, "why": "messages_changed", "usd": "0.0123"}
    fields |= {"cumulative_usd": "0.5", "cumulative_off_usd": "0.75", "input_tokens": 12_630, "read_line": 1}
    turns = [turn(0), turn(1, **fields), turn(2)]
    _open(browser, folder, document([file([arm("off"), arm("mask", turns=turns)])]))
    _open_turns(browser)
    _click(browser, "#f0a1 tr[data-turn='1'] td")
    detail = browser.run("return document.querySelector('.turn-detail').innerText")
    lines = browser.run("return [...document.querySelectorAll('.diff .line')].map(one => one.textContent)")
    marked = browser.run("return [...document.querySelectorAll('.diff mark')].map(one => one.textContent)")

    assert "12,630 of 13,500 tokens sent, 870 fewer" in detail
    assert "12,000 read of line 1, 1,490 written (1,490 for 5 min), 10 fresh." in detail
    assert "Messages that the provider held are not the same any more, or are gone." in detail
    assert "$0.0123; so far $0.50, -$0.25 against off" in detail
    assert "mask \u00d72, cache reset" in detail
    assert "900 \u2192 30 tokens" in detail
    assert lines == [" same", "\u2212old one", "+old two", " end"]
    assert marked == ["one", "two"]
    assert "Only the beginning of the texts is in this page." in detail
    _click(browser, "#f0a1 tr[data-turn='1'] .open-turn")
    assert browser.run("return document.querySelectorAll('.turn-detail').length") == 0


def test_a_turn_opens_by_the_keyboard(browser: Browser, folder: Path) -> None:
    """Its number is a button that says whether it is open."""
    browser.open(folder / "session.html")
    _open_turns(browser)
    button = browser.driver.find_element("css selector", "#f0a1 tr[data-turn='4'] .open-turn")
    before = button.get_attribute("aria-expanded")
    button.send_keys("\ue007")

    assert (before, button.get_attribute("aria-expanded")) == ("false", "true")
    assert "mask" in browser.run("return document.querySelector('.turn-detail .edit').innerText")


def test_what_is_not_known_is_a_state_in_the_turns(browser: Browser, folder: Path) -> None:
    """Unpriced and not simulated are words there, too, and the amounts of a column have the same decimals."""
    nothing = dict.fromkeys(("read_tokens", "write_tokens", "fresh_tokens", "usd", "cumulative_usd"))
    turns = [turn(0, usd="1234.5"), turn(1, usd="0.0123"), turn(2, **nothing, not_simulated="no answer is recorded")]
    _open(browser, folder, document([file([arm("off", turns=turns)])]))
    _open_turns(browser, "f0a0")
    rows = browser.run("return [...document.querySelectorAll('tr.turn')].map(r => [...r.cells].map(c => c.innerText))")
    _click(browser, "tr[data-turn='2'] .open-turn")

    assert [row[8] for row in rows] == ["$1,234.5000", "$0.0123", "unpriced"]
    assert rows[2][4:7] == ["not simulated"] * 3
    assert "not simulated: no answer is recorded" in browser.run(
        "return document.querySelector('.turn-detail').innerText"
    )


def test_charts_are_drawn_when_they_come_into_view(browser: Browser, folder: Path) -> None:
    """The last is not there at first, and is once it is scrolled to, with the figures of its policy."""
    browser.open(folder / "session.html")
    last = "const canvas = document.querySelector('#f0a3 canvas'); "
    wait = "return new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))"
    before = browser.run(last + "return Chart.getChart(canvas) === undefined")
    browser.run(last + "canvas.scrollIntoView()")
    browser.run(wait)
    sums = browser.run(
        last + "return Chart.getChart(canvas).data.datasets.slice(0, 3).map(one => one.data.reduce((a, b) => a + b, 0))"
    )
    of = session(N_TURNS, N_POLICIES, lines=20)["arms"][3]["totals"]

    assert before is True
    assert sums == [of["read_tokens"], of["write_tokens"], of["fresh_tokens"]]


def test_the_dark_scheme_is_dark(browser: Browser, folder: Path) -> None:
    """Page and charts; and the charts change when the scheme does."""
    colours = (
        "return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color, "
        "Chart.getChart(document.querySelector('.cumulative canvas')).data.datasets[0].borderColor]"
    )
    wait = "return new Promise(done => requestAnimationFrame(() => setTimeout(done, 100)))"
    with browser.in_colours("dark"):
        browser.open(folder / "session.html")
        browser.run("document.querySelector('.cumulative canvas').scrollIntoView()")
        browser.run(wait)
        dark = browser.run(colours)
    with browser.in_colours("light"):
        browser.run(wait)
        light = browser.run(colours)

    assert dark == ["rgb(20, 23, 29)", "rgb(230, 233, 239)", "#a2abbb"]
    assert light == ["rgb(251, 251, 250)", "rgb(29, 35, 48)", "#6b7484"]


def test_paper_has_every_row(browser: Browser, folder: Path) -> None:
    """Each policy with all of its turns and all columns of the table; afterwards the page is as it was."""
    _open(browser, folder, document([session(20, 2, lines=4)]))
    with browser.in_colours("dark"):
        text = normalize("NFKC", "\n".join(browser.printed()))
    state = "return [document.querySelectorAll('details.turns[open]').length, document.documentElement.className]"

    for lane_and_turn in [f"{'L2' if n == 19 else 'L1'}.{n}" for n in range(1, 21)]:
        assert len(re.findall(rf"^\d+ {re.escape(lane_and_turn)} ", text, re.MULTILINE)) == 2
    assert "G-TOOL-PAIRS" in text
    assert "below min tokens 4, held prefix 11" in " ".join(text.split())
    assert all(name in text for name in ("irreversible", "output", "fetched", "resets"))
    assert browser.run(state) == [0, ""]


def test_nothing_is_wider_than_a_small_screen(browser: Browser, folder: Path) -> None:
    """At 360 px nothing scrolls sideways but what is in a box of its own, with turns and diffs open."""
    long = {"path": "messages." * 20, "component": "c" * 60, "before_tokens": 1, "after_tokens": 1, "cut": False}
    long |= {"before": "x" * 500, "after": "y" * 300}
    arms = [arm("off"), arm("mask" * 20, turns=[turn(0), turn(1, edits=[long]), turn(2)])]
    with browser.of_width(360):
        _open(browser, folder, document([file(arms, file="a" * 120 + ".jsonl")]))
        _open_turns(browser)
        browser.run("for (const one of document.querySelectorAll('summary, .open-turn')) one.click()")
        _open_turns(browser)
        widths = browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")

    assert widths[0] <= widths[1]
    assert browser.complaints() == []


def test_files_and_lanes_are_picked(browser: Browser, folder: Path) -> None:
    """One file is shown at a time, a link shows its own, and a lane leaves the turns of the others out."""
    files = [file([arm("off"), arm("mask")], file="a.jsonl"), session(24, 2, lines=2)]
    made = document(files, total={"off": totals(), "mask": totals()})
    (folder / "files.html").write_text(page(made), encoding="utf-8")
    shown = "return [...document.querySelectorAll('article')].filter(one => !one.hidden).map(one => one.id)"
    choose = (
        "const one = document.querySelector(arguments[0]); one.value = arguments[1]; "
        "one.dispatchEvent(new Event('change'))"
    )
    browser.open(folder / "files.html")
    first = browser.run(shown)
    browser.run(choose, "#file", "f1")
    second = browser.run(shown)
    browser.run(choose, "#f1 select.lane", "L2")
    _open_turns(browser, "f1a0")
    lanes = browser.run("return [...document.querySelectorAll('#f1a0 tr.turn')].map(row => row.cells[1].innerText)")
    browser.open(folder / "files.html", "#f0a1")

    assert (first, second, browser.run(shown)) == (["all"], ["f1"], ["f0"])
    assert lanes == ["L2.19"]


def test_a_line_leads_to_its_turn(browser: Browser, folder: Path) -> None:
    """From what a later turn needed to the turn that dropped it."""
    browser.open(folder / "session.html")
    _click(browser, "#f0a1 .regrets .go")

    assert browser.run("return document.activeElement.closest('tr').cells[2].innerText") == "9"
    assert browser.run("return document.activeElement.ariaExpanded") == "true"


def test_policies_are_taken_out_of_the_chart(browser: Browser, folder: Path) -> None:
    """By their boxes; the two ways of showing dollars give a difference, or all."""
    browser.open(folder / "session.html")
    part = "document.querySelector('.cumulative-part')"
    _click(browser, ".cumulative-part input[data-arm='2']")
    _click(browser, ".cumulative-part input[value='total']")
    browser.run(f"const table = {part}.querySelector('details'); table.open = true")
    browser.run("return new Promise(done => setTimeout(done, 50))")
    drawn = browser.run(
        f"return Chart.getChart({part}.querySelector('canvas')).data.datasets.map(one => [one.label, one.data.at(-1)])"
    )
    of = {one["policy"]: float(one["totals"]["usd"]) for one in session(N_TURNS, N_POLICIES, lines=20)["arms"]}

    assert dict(drawn) == pytest.approx({policy: of[policy] for policy in ("off", "mask", "house")}, abs=1e-9)
    assert browser.run(f"return {part}.querySelectorAll('.cumulative-box tbody tr').length") == N_TURNS
