"""Orders that steal: the facts hold on the demo capture, and a policy that has one is told where."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.component import Reduction, Slot
from cgcli.compaction.components import COMPONENTS, build
from cgcli.compaction.order import FACTS, stealing
from cgcli.compaction.policy import named, pipeline
from cgcli.compaction.presets import BUILT_IN
from cgcli.compaction.said import Said
from cgcli.compaction.state import HeldRule
from cgcli.readers import open_bytes, read
from cgcli.replay.compact import Writer
from cgcli.replay.run import Run
from cgcli.report.compaction import Place, document
from tests.running import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEMO = str(FIXTURES / "context-guru" / "agent.jsonl")
LIMITS: dict[str, dict[str, object]] = {
    "claude-microcompact": {"keep_recent": 1},
    "clear-tool-uses": {"trigger": 0, "keep": 1},
    "collapse": {"max_tokens": 200, "head_lines": 5, "tail_lines": 5},
    "extract": {"min_tokens": 50},
    "linecap": {"max_line_chars": 100},
    "opencode-prune": {"protect_tokens": 0, "min_prunable_tokens": 0, "keep_turns": 0},
    "openhands-mask": {"attention_window": 1},
    "smartcrush": {"min_tokens": 50},
    "tool_result_budget": {"budget_tokens": 150},
}
"""Low enough for every step to act on a small capture."""
WORSE = (
    ("linecap", "openhands-mask"),
    ("cmdfilter", "mask"),
    ("cmdfilter", "failed_run"),
    ("collapse", "dedup"),
    ("collapse", "readlifecycle"),
    ("extract", "clear-tool-uses"),
    ("smartcrush", "opencode-prune"),
    ("tool_result_budget", "claude-microcompact"),
    ("linecap", "tool_result_budget"),
    ("cmdfilter", "textclean"),
    ("smartcrush", "format"),
    ("mask", "dedup"),
)
"""One pair or more of each fact that takes from a later step."""


@cache
def _saved_tokens(*steps: str) -> int:
    """What *steps* take from the demo capture, again in each request that repeats it."""
    with open_bytes(DEMO) as stream:
        run = Run(read(stream, file=DEMO), pipeline(steps, LIMITS), rule=HeldRule.IGNORE)
        written = Writer(run, None, None, strict=False).write()
    report = document(run, written, Place(output=None, stash=None, stash_how="new"))
    return sum(one["saved_gross_tokens"] for one in report["components"])


@pytest.mark.parametrize(("first", "later"), WORSE)
def test_the_order_takes_from_the_demo_capture(first: str, later: str) -> None:
    """The two save more the other way round."""
    assert 0 < _saved_tokens(first, later) < _saved_tokens(later, first)


def test_smartcrush_finds_nothing_where_toon_was() -> None:
    """Alone it acts; behind `toon` it does not, and the two come to what `toon` does alone."""
    assert _saved_tokens("smartcrush") > 0
    assert _saved_tokens("toon", "smartcrush") == _saved_tokens("toon")


def test_linecap_has_more_last() -> None:
    """Behind `collapse` and `extract` it adds to them; before them it takes from them."""
    assert _saved_tokens("linecap", "extract") < _saved_tokens("extract", "linecap")
    assert _saved_tokens("linecap", "collapse") < _saved_tokens("collapse", "linecap")


def test_facts_name_steps_that_there_are() -> None:
    """Each with what it is known from, and when; every fact has a measured pair here."""
    for fact in FACTS:
        assert {*fact.first, *fact.later} <= COMPONENTS.keys()
        assert ", 20" in fact.source
    measured = {*WORSE, ("toon", "smartcrush"), ("linecap", "extract")}
    assert all(any((first, later) in measured for first in fact.first for later in fact.later) for fact in FACTS)


TEXTS = (
    "\x1b[31mred\x1b[0m\nplain\rover\n" * 40,
    "".join(f"src/module/deep/name.py:{i}: the same words\n" for i in range(60)),
    "[" + ", ".join(f'{{"id": {i}, "name": "n{i}",   "kind": "file"}}' for i in range(60)) + "]",
    '{\n  "rows": [' + ",\n".join(f'    {{"id": {i}, "size": {i * 7}}}' for i in range(60)) + "\n  ]\n}",
)
LOSSLESS = ("format", "searchfold", "textclean", "toon")


def _acted(name: str, text: str) -> str | None:
    """What a step makes of *text* alone; a token has four characters."""
    slot = Slot(
        text=text,
        tokens=len(text) // 4,
        key="0" * 16,
        i_output=0,
        n_outputs=1,
        seen_before=False,
        request_tokens=None,
        count=lambda said: len(said) // 4,
    )
    made = build(name, {"min_tokens": 0}).propose(slot)
    return made.text if isinstance(made, Reduction) else None


def _changed() -> Iterator[tuple[str, str]]:
    return ((name, text) for name in LOSSLESS for text in TEXTS if _acted(name, text) is not None)


def test_no_lossless_step_undoes_another() -> None:
    """None gives back what another one changed, in any order; each acts on some of the texts."""
    acted = list(_changed())
    assert {name for name, _ in acted} == set(LOSSLESS)
    for first, text in acted:
        for later in LOSSLESS:
            assert _acted(later, _acted(first, text) or "") != text, (first, later)


def _told(*names: str, **params: dict[str, object]) -> list[str]:
    """The steps that are told of: what each line says before its reason."""
    steps = [Said(name=name, params=params.get(name, {})) for name in names]
    return [line.partition(":")[0] for line in stealing(steps)]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("format extract collapse linecap", []),
        ("mask cmdfilter extract linecap", []),
        ("extract collapse", []),
        ("linecap collapse", ["`linecap` stands before `collapse`"]),
        (
            "linecap collapse extract mask",
            [
                "`linecap` stands before `mask`",
                "`linecap` stands before `collapse` and `extract`",
                "`collapse` stands before `mask`",
                "`extract` stands before `mask`",
            ],
        ),
        ("collapse mask dedup", ["`collapse` stands before `mask` and `dedup`", "`mask` stands before `dedup`"]),
        ("toon smartcrush", ["`toon` stands before `smartcrush`"]),
        ("smartcrush toon", []),
        ("mask linecap mask", []),
        ("linecap linecap", []),
        ("", []),
    ],
)
def test_who_stands_too_early(names: str, told: list[str]) -> None:
    """Each once for a fact, with those that it takes from; a step that already acted before it is not robbed."""
    assert _told(*names.split()) == told


def test_without_a_marker_nothing_is_kept_from_later_steps() -> None:
    """`marker_mode = "off"` leaves none; the mode `summary` leaves a sentinel, which keeps them out too."""
    assert _told("linecap", "mask", linecap={"marker_mode": "off"}) == []
    assert _told("linecap", "mask", linecap={"marker_mode": "summary"}) == ["`linecap` stands before `mask`"]


def test_a_policy_file_is_told_with_the_line(tmp_path: Path) -> None:
    """That of the step which stands too early."""
    path = tmp_path / "p.toml"
    path.write_text(
        '[[steps]]\ncomponent = "format"\n\n[[steps]]\ncomponent = "linecap"\n[[steps]]\ncomponent = "mask"\n'
    )
    (warning,) = named(str(path)).warnings
    assert warning.startswith(f"{path}:5: `linecap` stands before `mask`: it keeps part of an output and marks it")


def test_a_pipeline_is_told() -> None:
    """With a line where its names stand in a file, else without."""
    (warning,) = pipeline(["linecap", "mask"]).warnings
    assert warning.startswith("`linecap` stands before `mask`: ")
    (warning,) = pipeline(["linecap", "mask"], at=("cg.toml:3", "cg.toml:4")).warnings
    assert warning.startswith("cg.toml:3: `linecap` stands before `mask`: ")


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_the_presets_are_told_nothing(name: str) -> None:
    """They stand as those they are taken from have them."""
    assert named(name).warnings == ()


def test_presets_with_such_an_order() -> None:
    """The documentation says which ones they are."""
    found = {
        name: list(stealing([Said(name=step, params=params) for step, params in BUILT_IN[name]])) for name in BUILT_IN
    }
    assert {name for name, lines in found.items() if lines} == {"general", "house"}
