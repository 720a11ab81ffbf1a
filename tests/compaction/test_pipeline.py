"""The pipeline over one slot: components in order, each reverted alone where it makes things worse."""

from __future__ import annotations

import hashlib
import json

import pytest

from cgcli.compaction.component import MarkerMode
from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.components.dedup import Dedup
from cgcli.compaction.components.format import Format
from cgcli.compaction.pipeline import Reverted
from tests import oracle
from tests.compaction.stepping import Age, Drop, Forgets, Raises, Says, Shorten, evaluate

LONG = "-" * 3 + "some output that is long enough to be dropped"


def _reasons(reverted: tuple[Reverted, ...]) -> list[tuple[str, str]]:
    return [(one.component, one.reason) for one in reverted]


def test_a_component_that_raises_is_reverted_alone() -> None:
    """The others act as if it were not there, and its fault is named."""
    found = evaluate([Shorten(), Raises(), Drop()], LONG)
    assert found.slot.decision is not None
    assert [fired.component for fired in found.slot.decision.fired] == ["shorten", "drop"]
    assert found.reverted == (Reverted(component="raises", reason="raised", detail="ZeroDivisionError(1)"),)


@pytest.mark.parametrize("text", [LONG + "+", LONG[::-1]])
def test_an_answer_that_is_not_shorter_is_reverted(text: str) -> None:
    """More tokens, or as many: `grew`."""
    found = evaluate([Says(text=text)], LONG)
    assert found.slot.decision is None
    assert _reasons(found.reverted) == [("says", "grew")]


@pytest.mark.parametrize("text", ["", "short", "<<cg:0123456789abcdef>>", "<<cg:HASH>>"])
def test_content_that_leaves_without_its_marker_is_reverted(text: str) -> None:
    """Another text's marker, or only the shape of one, does not stand for what left."""
    found = evaluate([Forgets(text=text), Shorten()], LONG)
    assert _reasons(found.reverted) == [("forgets", "dropped_without_marker")]
    assert found.slot.decision is not None
    assert [fired.component for fired in found.slot.decision.fired] == ["shorten"]


def test_fewer_tokens_in_more_bytes_is_reverted() -> None:
    """What is shorter in tokens may be longer on the wire: then all that fired on the slot is taken back, by name."""
    found = evaluate([Says(text="\N{SNOWMAN}" * 30)], "a b c " * 10, count=lambda text: len(text.split()))
    assert found.slot.decision is None
    assert _reasons(found.reverted) == [("says", "more_bytes")]


def test_as_many_bytes_is_no_gain_either() -> None:
    """One escape of six bytes for six letters."""
    found = evaluate([Says(text="\N{SNOWMAN}")], "abcdef")
    assert (found.slot.decision, _reasons(found.reverted)) == (None, [("says", "more_bytes")])


def test_components_go_round_until_nothing_changes() -> None:
    """A text that keeps getting shorter goes through again; the savings of one component add up to one entry."""
    found = evaluate([Shorten()], "---x")
    assert found.slot.decision is not None
    assert found.slot.decision.literal == b'"x"'
    assert [(one.component, one.saved_tokens) for one in found.slot.decision.fired] == [("shorten", 3)]


def test_the_rounds_are_bounded() -> None:
    """Four at most."""
    found = evaluate([Shorten()], "-" * 9)
    assert found.slot.decision is not None
    assert found.slot.decision.literal == b'"-----"'


def test_the_key_is_that_of_the_original_text() -> None:
    """However the earlier components left it, the marker finds what the client sent."""
    found = evaluate([Shorten(), Drop()], LONG)
    assert found.slot.decision is not None
    assert json.loads(found.slot.decision.literal) == f"<<cg:{oracle.marker_key(LONG)}>>"
    assert found.slot.decision.original == hashlib.sha256(LONG.encode()).digest()
    assert found.original == LONG.encode()


def test_savings_by_component_add_up_to_the_slots() -> None:
    """Three characters of the first, and all but the 23 of the marker."""
    found = evaluate([Shorten(), Drop()], LONG)
    assert found.slot.decision is not None
    # Only one dash goes before the marker ends the rounds.
    assert {one.component: one.saved_tokens for one in found.slot.decision.fired} == {
        "shorten": 1,
        "drop": len(LONG) - 1 - 23,
    }
    assert found.slot.decision.saved_tokens == len(LONG) - 23


@pytest.mark.parametrize(
    ("mode", "is_reversible", "left"),
    [
        (MarkerMode.FULL, True, f"<<cg:{oracle.marker_key(LONG)}>>"),
        (MarkerMode.SUMMARY, False, ""),
        (MarkerMode.OFF, False, ""),
    ],
)
def test_what_leaves_without_being_kept_is_irreversible(mode: MarkerMode, left: str, *, is_reversible: bool) -> None:
    """A mode that was asked for may drop content without a marker, and the decision says that it cannot be undone."""
    found = evaluate([Drop(marker_mode=mode)], LONG)
    assert found.slot.decision is not None
    assert found.slot.decision.is_reversible is is_reversible
    assert json.loads(found.slot.decision.literal) == left
    assert found.reverted == ()


@pytest.mark.parametrize("mode", list(MarkerMode))
def test_a_real_component_keeps_its_mode(mode: MarkerMode) -> None:
    """`collapse` in each mode."""
    found = evaluate([Collapse(max_tokens=100, head_lines=2, tail_lines=2, marker_mode=mode)], "line\n" * 200)
    assert found.slot.decision is not None
    assert found.slot.decision.is_reversible is (mode is MarkerMode.FULL)
    assert (b"<<cg:" in found.slot.decision.literal) is (mode is MarkerMode.FULL)
    assert (b"\\u27eacg\\u27eb" in found.slot.decision.literal) is (mode is MarkerMode.SUMMARY)


def test_a_lossless_change_needs_no_marker() -> None:
    """`format` leaves none, and can be undone."""
    found = evaluate([Format(min_tokens=1)], '{ "a": [1, 2] }')
    assert found.slot.decision is not None
    assert json.loads(found.slot.decision.literal) == '{"a":[1,2]}'
    assert found.slot.decision.is_reversible


def test_a_text_that_has_a_marker_is_left_alone() -> None:
    """A marker that was there before is neither dropped nor wrapped by any component."""
    text = json.dumps({"old": "<<cg:0123456789abcdef>>", "pad": " " * 4000}, indent=4)
    found = evaluate([Format(min_tokens=1), Dedup(min_tokens=1), Collapse(max_tokens=10)], text, seen=lambda *_: True)
    assert found.slot.decision is None
    assert {reason for _, reason in found.slot.skips} == {"already_marked"}
    assert found.reverted == ()


def test_a_component_that_fired_is_not_said_to_have_left_the_slot_alone() -> None:
    """In the last round it finds nothing more to do; the others' reasons stay."""
    found = evaluate([Shorten(), Age()], "-x")
    assert found.slot.skips == (("age", "recent"),)


def test_a_fault_in_every_round_is_named_once() -> None:
    """One slot, one entry."""
    found = evaluate([Shorten(), Raises()], "---x")
    assert _reasons(found.reverted) == [("raises", "raised")]


def test_a_change_that_is_discarded_is_not_counted() -> None:
    """After `more_bytes` nothing fired, and what was found about the discarded text is not said of the slot."""
    found = evaluate([Says(text="\N{SNOWMAN}" * 30)], "a b c " * 10, count=lambda text: len(text.split()))
    assert found.slot.decision is None
    assert found.slot.skips == ()


def test_a_denied_component_leaves_the_slot_open() -> None:
    """What the held prefix forbids may be decided on a later turn."""
    found = evaluate([Drop(gated=True)], LONG, denied="prefix_held")
    assert (found.slot.decision, found.slot.skips, found.slot.is_open) == (None, (("drop", "prefix_held"),), True)


def test_a_component_that_would_not_act_is_not_denied() -> None:
    """Only a proposal meets the held prefix: its own reason comes first."""
    found = evaluate([Drop(gated=True)], "short", denied="prefix_held")
    assert found.slot.skips == (("drop", "small_or_marked"),)
    assert not found.slot.is_open


@pytest.mark.parametrize(
    ("literal", "style"),
    [
        (b'"<a> \\u00e9 %s"', "ascii"),
        (b'"<a> \xc3\xa9 %s"', "utf8"),
        (b'"\\u003ca\\u003e \xc3\xa9 %s"', "go"),
        (b'"\\u003Ca> \\u00E9 %s"', None),
    ],
)
def test_the_spelling_of_the_slot_is_kept(literal: bytes, style: str | None) -> None:
    """The style that gives the original bytes again; None where no encoder spells like that."""
    spelled = literal.replace(b"%s", b"x" * 40)
    found = evaluate([Drop()], "<a> \N{LATIN SMALL LETTER E WITH ACUTE} " + "x" * 40, literal=spelled)
    assert found.slot.decision is not None
    assert found.slot.decision.style == style
    assert (b"\\u003c\\u003c" in found.slot.decision.literal) is (style == "go")


def test_equal_texts_are_found_at_the_step_where_they_are_equal() -> None:
    """Two spellings of one JSON are equal behind `format`, and `dedup` is asked about that text."""
    asked: list[tuple[int, str]] = []

    def seen(step: int, digest: bytes) -> bool:
        asked.append((step, digest.hex()))
        return False

    evaluate([Format(min_tokens=1), Dedup(min_tokens=1)], '{ "a": [1, 2] }', seen=seen)
    assert asked[0] == (1, hashlib.sha256(b'{"a":[1,2]}').hexdigest())
