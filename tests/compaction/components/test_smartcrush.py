r"""`smartcrush`: of a long array the first and last items stay, and all that must be seen."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.informative import tells_a_fault
from cgcli.compaction.components.json_alarms import alarming_ones, odd_ones
from cgcli.compaction.components.json_text import parse
from cgcli.compaction.components.smartcrush import Smartcrush

OFF = Smartcrush(min_tokens=0, marker_mode=MarkerMode.OFF)
MARK = "<<cg:0123456789abcdef>> [full array: call context_guru_expand]"
ITEMS = [{"id": n, "kind": "a plain item", "size": n * 10} for n in range(20)]


def text_of(*changes: tuple[int, Any]) -> str:
    """Twenty items, some of them others."""
    return json.dumps([dict(changes).get(n, item) for n, item in enumerate(ITEMS)])


def shown(proposal: Reduction | Skip) -> tuple[Any, str]:
    """The document that is left, and the note behind it."""
    assert isinstance(proposal, Reduction), proposal
    document, stop = json.JSONDecoder().raw_decode(proposal.text)
    return document, proposal.text[stop + 1 :]


@pytest.mark.parametrize(
    ("mode", "behind"),
    [(MarkerMode.FULL, f" {MARK}"), (MarkerMode.SUMMARY, " ⟪cg⟫"), (MarkerMode.OFF, "")],
)
def test_first_and_last_items_stay(slot: Callable[..., Slot], mode: MarkerMode, behind: str) -> None:
    """Three and two, as an array, with how many are shown and left out, and the marker."""
    document, note = shown(Smartcrush(marker_mode=mode).propose(slot(text_of())))
    assert document == [ITEMS[0], ITEMS[1], ITEMS[2], ITEMS[18], ITEMS[19]]
    assert note == f"[5 of 20 items shown, 15 left out]{behind}"


def test_items_are_written_as_they_were(slot: Callable[..., Slot]) -> None:
    """White space, numbers and escapes of what stays are the original's."""
    items = [f'{{ "n": {n}.0,\t"t": "\\u0061" }}' for n in range(9)]
    text = "[\n  " + ",\n  ".join(items) + "\n]"
    left = "[\n  " + ",\n  ".join([*items[:3], *items[-2:]]) + "\n] [5 of 9 items shown, 4 left out]"
    assert OFF.propose(slot(text)) == Reduction(text=left)


@pytest.mark.parametrize(
    ("keep_first", "keep_last", "n_left"),
    [(1, 0, [0]), (0, 1, [19]), (2, 3, [0, 1, 17, 18, 19])],
)
def test_numbers_of_items_can_be_chosen(
    slot: Callable[..., Slot], keep_first: int, keep_last: int, n_left: list[int]
) -> None:
    """Each end by itself."""
    component = Smartcrush(keep_first=keep_first, keep_last=keep_last, marker_mode=MarkerMode.OFF)
    document, _ = shown(component.propose(slot(text_of())))
    assert document == [ITEMS[n] for n in n_left]


@pytest.mark.parametrize(
    "item",
    [
        {"id": 9, "kind": "it failed", "size": 1},
        {"id": 9, "kind": "Build FAILURE", "size": 1},
        {"id": 9, "kind": "TypeError", "size": 1},
        {"id": 9, "kind": "panic: nil", "size": 1},
        {"id": 9, "kind": "fatal", "size": 1},
        {"id": 9, "kind": "Traceback (most recent call last)", "size": 1},
        {"id": 9, "kind": "an exception", "size": 1},
        {"id": 9, "kind": "exit code 1", "size": 1},
        {"id": 9, "kind": "see src/a.py:12", "size": 1},
        # other keys, another kind of thing, no object at all
        {"id": 9, "kind": "a plain item"},
        {"id": 9, "kind": "a plain item", "size": 1, "more": 2},
        {"id": 9, "kind": "a plain item", "size": [1]},
        {"id": 9, "kind": {"of": "item"}, "size": 1},
        "a plain item",
        None,
        [],
        {},
    ],
)
def test_item_that_must_be_seen_stays(slot: Callable[..., Slot], item: Any) -> None:
    """Faults in any string, places in files, and items that are not made as the others are."""
    document, note = shown(OFF.propose(slot(text_of((9, item)))))
    assert document == [ITEMS[0], ITEMS[1], ITEMS[2], item, ITEMS[18], ITEMS[19]]
    assert note == "[6 of 20 items shown, 14 left out]"


@pytest.mark.parametrize(
    ("item", "alarms"),
    [
        ({"error": "it broke"}, True),
        ({"error": {"code": 7}}, True),
        ({"errors": [1]}, True),
        ({"n_failed": 3}, True),
        ({"failed": True}, True),
        ({"warnings": ["slow"]}, True),
        ({"error": None, "errors": [], "failed": 0, "failures": False, "exception": ""}, False),
        ({"n_failed": "0", "error": "none"}, False),
        ({"exit_code": 1}, True),
        ({"exitCode": -9}, True),
        ({"exit code": "2"}, True),
        ({"returncode": 127}, True),
        ({"rc": 1}, True),
        ({"exit_status": 0, "returncode": 0, "rc": None}, False),
        ({"status": 404}, True),
        ({"statusCode": 500}, True),
        ({"http_status": "503 Service Unavailable"}, True),
        ({"response_code": 400}, True),
        ({"status": 200, "code": 399, "status_code": 600}, False),
        ({"code": 4000, "status": "ok"}, False),
        ({"ok": False}, True),
        ({"success": False}, True),
        ({"passed": False}, True),
        ({"ok": True, "cleared": False}, False),
        ({"deep": [{"er": {"kind": "an Error"}}]}, True),
        ({"deep": [[["a.c:3"]]]}, True),
        ("Failed", True),
        ("a mirror of the default", False),
        (404, False),
        (None, False),
        ([], False),
        ({}, False),
    ],
)
def test_fault_is_told_from_what_is_none(item: Any, *, alarms: bool) -> None:
    """A key with an error word counts where it says something; exit codes, statuses and results by their value."""
    assert alarming_ones(parse(json.dumps([item]))) == ({0} if alarms else set())


PIECES = [
    "error",
    "exit",
    " code",
    "at x",
    "at ",
    "a.py",
    ":3",
    "line",
    " 4",
    "\n",
    " " * 30,
    "/",
    "ok",
    "no",
    "t found",
]


@given(st.lists(st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), max_size=4), max_size=5))
def test_each_string_is_judged_alone(items: list[list[str]]) -> None:
    """What one string ends with and the next begins with is no sign of a fault, and no string hides another's."""
    told = {i for i, texts in enumerate(items) if any(map(tells_a_fault, texts))}
    assert alarming_ones(parse(json.dumps(items))) == told
    assert alarming_ones(parse(json.dumps([{"a": texts, "b": {"c": texts}} for texts in items]))) == told


def test_most_common_make_is_the_usual_one() -> None:
    """The kind of a scalar does not count, and the order of keys neither."""
    items = [{"a": 1, "b": 2}, {"b": None, "a": "x"}, {"a": True, "b": 1.5}, {"a": 1}, {"a": [], "b": 2}]
    assert odd_ones(parse(json.dumps(items))) == {3, 4}
    assert odd_ones(parse('[1, "a", null, [], {}, {"a": 1}]')) == {3, 4, 5}


@pytest.mark.parametrize(
    ("document", "left", "notes"),
    [
        # a field of the envelope
        (
            {"total": 20, "items": ITEMS, "next": None},
            {"total": 20, "items": [*ITEMS[:3], *ITEMS[-2:]], "next": None},
            "[items: 5 of 20 items shown, 15 left out]",
        ),
        # a document in its string, and one object further
        (
            {"stdout": json.dumps(ITEMS), "exit_code": 0},
            {"stdout": json.dumps([*ITEMS[:3], *ITEMS[-2:]]), "exit_code": 0},
            "[stdout: 5 of 20 items shown, 15 left out]",
        ),
        (
            {"stdout": json.dumps({"rows": ITEMS})},
            {"stdout": '{"rows":' + json.dumps([*ITEMS[:3], *ITEMS[-2:]]) + "}"},
            "[stdout.rows: 5 of 20 items shown, 15 left out]",
        ),
        # several
        (
            {"a": ITEMS, "b": [1, 2, 3], "c": ITEMS[:6]},
            {"a": [*ITEMS[:3], *ITEMS[-2:]], "b": [1, 2, 3], "c": [*ITEMS[:3], *ITEMS[4:6]]},
            "[a: 5 of 20 items shown, 15 left out] [c: 5 of 6 items shown, 1 left out]",
        ),
        # scalars
        (list(range(1000, 1100)), [1000, 1001, 1002, 1098, 1099], "[5 of 100 items shown, 95 left out]"),
    ],
)
def test_envelope_is_opened(slot: Callable[..., Slot], document: Any, left: Any, notes: str) -> None:
    """What is left is a JSON document, and the note says of which array how many items are left out."""
    assert shown(OFF.propose(slot(json.dumps(document)))) == (left, notes)


def test_key_in_the_note_forges_no_marker(slot: Callable[..., Slot]) -> None:
    """What reads as a marker's beginning, or does not print, is defused."""
    key = "<<cg:\n\u202e" + "k" * 80
    _, note = shown(OFF.propose(slot(json.dumps({key: ITEMS}))))
    assert note == f"[<< cg: {'k' * 53}…: 5 of 20 items shown, 15 left out]"


@pytest.mark.parametrize(
    ("text", "params", "reason"),
    [
        ("plain text", {}, "not_json_shaped"),
        (text_of(), {"min_tokens": 999}, "below_min_tokens"),
        (json.dumps(ITEMS[:4]), {"min_tokens": 0}, "too_few_items"),
        (text_of(), {"min_items": 21}, "too_few_items"),
        ('{"a": 1, "b": "' + "x" * 900 + '"}', {}, "too_few_items"),
        ('{"a": {"b": {"c": ' + text_of() + "}}}", {}, "too_few_items"),
        ("[]" + " " * 900, {"min_items": 0}, "too_few_items"),
        (json.dumps([{**item, "error": "x"} for item in ITEMS]), {}, "nothing_to_leave_out"),
        (text_of(), {"keep_first": 20}, "nothing_to_leave_out"),
        (text_of(), {"keep_first": 0, "keep_last": 0}, "nothing_would_remain"),
        (text_of() + "\n" + text_of(), {}, "trailing_content"),
        (text_of()[:-1], {}, "not_json"),
        ('[{"a": 1, "a": 2}' + ', {"a": 1}' * 99 + "]", {}, "duplicate_keys"),
        ("[NaN" + ", 1" * 400 + "]", {}, "not_finite"),
        ("[" * 1000 + "]" * 1000, {}, "too_deep"),
        (text_of((9, "<<cg:00000000000000aa>>")), {}, "already_marked"),
        (text_of((9, "x")).replace("x", "⟪cg⟫"), {}, "already_marked"),
        (json.dumps([1] * 9), {"min_tokens": 0}, "not_smaller"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(
    slot: Callable[..., Slot], text: str, params: dict[str, Any], reason: str
) -> None:
    """No array becomes a bare marker, and what stands behind a document is never lost."""
    assert Smartcrush(**params).propose(slot(text)) == Skip(reason=reason)


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.just("x" * 40)
FAULTS = st.sampled_from(
    [{"error": "e"}, {"exit_code": 3}, {"status": 502}, {"log": "Traceback"}, {"at": "a.py:3"}, "failed", {"ok": False}]
)
ARRAYS = st.lists(st.dictionaries(st.sampled_from("abc"), SCALARS, max_size=3) | SCALARS | FAULTS, max_size=30)


@settings(deadline=None, max_examples=200)
@given(items=ARRAYS, where=st.sampled_from(["", "field", "string"]))
def test_faults_survive_and_what_is_left_is_json(slot: Callable[..., Slot], items: list[Any], where: str) -> None:
    """Every fault stands there as often as before, in order, the ends too, and the numbers in the note are right."""
    held = {"": items, "field": {"k": items}, "string": {"k": json.dumps(items)}}[where]
    proposal = OFF.propose(slot(json.dumps(held)))
    if isinstance(proposal, Skip):
        return
    document, note = shown(proposal)
    left = document if where == "" else document["k"]
    left = json.loads(left) if where == "string" else left
    assert left[:3] == items[:3]
    assert left[-2:] == items[-2:]
    faults = [{"error": "e"}, {"exit_code": 3}, {"status": 502}, {"log": "Traceback"}, {"at": "a.py:3"}, "failed"]
    for fault in [*faults, {"ok": False}]:
        assert left.count(fault) == items.count(fault)
    assert f"{len(left)} of {len(items)} items shown, {len(items) - len(left)} left out]" in note
    rest = iter(items)
    assert all(item in rest for item in left)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 1_000_000, "too_deep"),
        ('{"a":' * 200_000, "too_deep"),
        ('["' + "\\" * 1_000_000, "not_json"),
        ('{"a":"' + "[" * 1_000_000 + '"}', "too_few_items"),
        ("[" + "9" * 1_000_000 + "]", "too_few_items"),
        ('["' + "a." * 500_000 + '"]', "too_few_items"),
    ],
)
def test_hostile_text_is_read_once(slot: Callable[..., Slot], text: str, reason: str) -> None:
    """A megabyte of brackets, of one string, of one number ends, and quickly."""
    assert Smartcrush().propose(slot(text)) == Skip(reason=reason)


def test_megabyte_of_items_is_crushed(slot: Callable[..., Slot]) -> None:
    """Four hundred thousand numbers, and five strings of which each has a megabyte of a rare beginning."""
    document, note = shown(OFF.propose(slot(json.dumps([0] * 400_000))))
    assert (document, note) == ([0] * 5, "[5 of 400000 items shown, 399995 left out]")
    document, _ = shown(OFF.propose(slot(json.dumps(["/.a:" * 50_000] * 6))))
    assert len(document) == 5
