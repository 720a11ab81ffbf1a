"""The part of the page about operating modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cgcli.report.page import page
from cgcli.report.page.modes import modes, packed_modes
from tests.report.page.made import arm, document, file
from tests.report.page.moded import ROW, made, swept
from tests.report.page.pages import Parsed

if TYPE_CHECKING:
    from pathlib import Path


def _element(told: dict[str, Any]) -> Any:
    found = modes(told)
    assert found is not None
    return found


def _row(told: dict[str, Any], *begin: str) -> list[str]:
    """The cells of the row that begins with *begin*."""
    for row in _element(told).iter("tr"):
        cells = ["".join(cell.itertext()) for cell in row]
        if cells[: len(begin)] == list(begin):
            return cells[len(begin) :]
    pytest.fail(f"no row {begin}")


def test_without_modes_there_is_no_part() -> None:
    """And no data of it in the page."""
    plain = file([arm("off")])

    assert modes(plain) is None
    assert "modes" not in Parsed(page(document([plain]))).data["files"][0]


@pytest.mark.parametrize(
    ("begin", "cells"),
    [
        (("", "known"), ["sync", "observe", "async"]),
        (("added latency per request", "modelled"), ["1,599.4 ms"] * 3),
        (("content savings, tokens", "enforced"), ["500 (1.25%)", "-", "-"]),
        (("content savings, tokens", "projected"), ["-", "500 (1.25%)", "-"]),
        (("jobs committed", "counted"), ["-", "-", "1 of 3"]),
        (("cache hit rate", "simulated"), ["62.96%"] * 3),
        (("billed cost", "simulated"), ["$0.12"] * 3),
        (("requests",), ["3"] * 3),
        (("added_ms_avg",), ["1,599.44"] * 3),
        (("async_queue.offered",), ["1,234"] * 3),
    ],
)
def test_each_row_has_a_cell_for_each_mode(begin: tuple[str, ...], cells: list[str]) -> None:
    """Figures as the terminal has them, a dash where one says nothing of a mode, and every counter by its name."""
    assert _row(made(), *begin) == cells


def test_a_sweep_has_its_rows() -> None:
    """Under a heading with the gap; without a gap one sentence says why there are none."""
    text = "".join(_element(made(sweep=swept(gap_s=None))).itertext())

    assert _row(made(sweep=swept(ROW)), "mask async") == [
        *("0.5", "10.0 s", "2 of 3", "1", "4", "4,000 of 5,000", "14,970", "$0.12"),
    ]
    assert "Sweep: no time passes between two requests of a lane, so no job can take a share of it." in text


def test_turns_are_packed_as_columns() -> None:
    """Each mode with its arm, its breakpoints, and what became of its jobs in words."""
    assert packed_modes(made()) == [
        [
            {"arm": 1, "name": "sync", "is_async": False, "breakpoints": [0, 1, 2], "job": ["", "", ""]},
            {"arm": 2, "name": "observe", "is_async": False, "breakpoints": [0, 1, 2], "job": ["", "", ""]},
            {
                "arm": 3,
                "name": "async",
                "is_async": True,
                "breakpoints": [0, 1, 2],
                "job": ["queued", "", "suppressed barren, protected"],
            },
        ]
    ]


def test_hostile_text_is_text() -> None:
    """A policy's name and a sentence are seen, not obeyed."""
    told = made()
    for one in told["modes"]:
        one["said"] = ["<script>alert(1)</script>\u202e"]
    text = page(document([told]))

    assert "<script>alert(1)" not in text
    assert "\u202e" not in text
    assert "<script>alert(1)</script>\\u202e" in Parsed(text).text


def test_the_script_draws_what_each_mode_sent(tmp_path: Path) -> None:
    """On opening the list: a row for each turn, with the tokens of each mode's arm; and nothing is complained of."""
    pytest.importorskip("selenium", reason="selenium is not installed")
    chromium = pytest.importorskip("tests.report.page.chromium")
    if not (chromium.BROWSER and chromium.DRIVER):
        pytest.skip(chromium.NO_BROWSER)
    (tmp_path / "page.html").write_text(page(document([made(sweep=swept(ROW))])), encoding="utf-8")
    with chromium.chromium() as browser:
        browser.open(tmp_path / "page.html")
        browser.run("document.querySelector('.mode-turns').open = true")
        rows = browser.run(
            "return new Promise(done => setTimeout(() => done("
            "[...document.querySelectorAll('.mode-turns-box tbody tr')]"
            ".map(row => [...row.cells].map(cell => cell.textContent))), 200))"
        )

        assert rows == [
            ["1", "L1", "1", "12,000", "0", "12,000", "0", "12,000", "0", "queued"],
            ["2", "L1", "2", "13,500", "1", "13,500", "1", "13,500", "1", ""],
            ["3", "L1", "3", "15,000", "2", "15,000", "2", "15,000", "2", "suppressed barren, protected"],
        ]
        assert browser.complaints() == []
