r"""`toon`: arrays of uniform objects as tables that read back as the same document."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import Reduction, Skip, Slot
from cgcli.compaction.components.json_text import parse
from cgcli.compaction.components.toon import Toon, opened, tabled
from cgcli.compaction.components.toon_table import NoTable, read, split_key, table

TOON = Toon(min_tokens=0)
PEOPLE = '[{"id": 1, "name": "Alice"}, {"id": 2, "name": "Bob"}]'
PEOPLE_TABLE = "[2]{id,name}:\n1,Alice\n2,Bob"


@pytest.mark.parametrize(
    ("array", "written"),
    [
        (PEOPLE, PEOPLE_TABLE),
        # numbers keep their spelling
        (
            '[{"a":1.0,"b":1e2},{"a":-0.0,"b":123456789012345678901234567890}]',
            "[2]{a,b}:\n1.0,1e2\n-0.0,123456789012345678901234567890",
        ),
        # null, the empty string, and words that are strings
        (
            '[{"a":null,"b":""},{"a":"null","b":" "},{"a":true,"b":"true"},{"a":false,"b":"False"}]',
            '[4]{a,b}:\nnull,""\n"null"," "\ntrue,"true"\nfalse,False',
        ),
        # strings that look like numbers, and those that only begin like one
        (
            '[{"a":"1"},{"a":"1.50"},{"a":"-1e5"},{"a":".5"},{"a":"0x1f"},{"a":"1_000"},{"a":"NaN"},{"a":"1.2.3"}]',
            '[8]{a}:\n"1"\n"1.50"\n"-1e5"\n".5"\n"0x1f"\n"1_000"\n"NaN"\n1.2.3',
        ),
        # what parts cells and rows
        (
            r'[{"a":"x, y","b":"say \"no\""},{"a":"two\nlines","b":"back\\slash"},{"a":"a: b","b":"{c}"}]',
            '[3]{a,b}:\n"x, y","say \\"no\\""\n"two\\nlines","back\\\\slash"\na: b,"{c}"',
        ),
        # other scripts as they are; what does not print, and lone surrogates, as escapes
        (
            r'[{"a":"\u4e2d"},{"a":"\ud83d\ude00"},{"a":"\ud83d"},{"a":"\u202e"},{"a":"a\u2028b"}]',
            '[5]{a}:\n中\n😀\n"\\ud83d"\n"\\u202e"\n"a\\u2028b"',
        ),
        # keys that would be taken for something else
        (
            r'[{"a,b":1,"":2,"c}":3,"1":4},{"a,b":5,"":6,"c}":7,"1":8}]',
            '[2]{"a,b","","c}","1"}:\n1,2,3,4\n5,6,7,8',
        ),
    ],
)
def test_array_becomes_a_table(array: str, written: str) -> None:
    """Keys once, a row for each object; a string is quoted where it could be read as something else."""
    assert tabled(array) == written


def test_output_is_written_as_a_table(slot: Callable[..., Slot]) -> None:
    """The proposal is the table, without any marker."""
    assert TOON.propose(slot(f"  {PEOPLE}\n")) == Reduction(text=PEOPLE_TABLE)


ROWS = "1,Alice\\n2,Bob"


@pytest.mark.parametrize(
    ("document", "written"),
    [
        # an array in the envelope: its head moves into the key
        ('{ "n": 2, "people": ' + PEOPLE + " }", '{ "n": 2, "people[2]{id,name}":"' + ROWS + '" }'),
        # a document in a string of the envelope
        (json.dumps({"stdout": PEOPLE, "exit": 0}), '{"stdout": "[2]{id,name}:\\n' + ROWS + '", "exit": 0}'),
        # one object further, in a string and without one
        (
            json.dumps({"stdout": json.dumps({"total": 2, "people": json.loads(PEOPLE)})}),
            json.dumps({"stdout": '{"total": 2, "people[2]{id,name}":"' + ROWS + '"}'}),
        ),
        ('{"data": {"people": ' + PEOPLE + "}}", '{"data": {"people[2]{id,name}":"' + ROWS + '"}}'),
        # all that fit, and the others byte for byte
        (
            '{"a":' + PEOPLE + ',"b": [1,  2], "c":' + PEOPLE + "}",
            '{"a[2]{id,name}":"' + ROWS + '","b": [1,  2], "c[2]{id,name}":"' + ROWS + '"}',
        ),
    ],
)
def test_envelope_is_opened_two_levels(document: str, written: str) -> None:
    """Arrays in a tool runner's fields, in the strings of those, and one object further."""
    assert tabled(document) == written


@pytest.mark.parametrize(
    "document",
    [
        "[]",
        "{}",
        "[1, 2, 3]",
        '["a", "b"]',
        "[{}, {}]",
        '[{"a": 1}]',
        '[{"a": 1}, {"b": 1}]',
        '[{"a": 1}, {"a": 1, "b": 2}]',
        '[{"a": 1, "b": 2}, {"b": 2, "a": 1}]',
        '[{"a": 1}, 2]',
        '[{"a": [1]}, {"a": [2]}]',
        '[{"a": {}}, {"a": {}}]',
        '[{"a": {"b": 1}}, {"a": {"b": 2}}]',
        '{"a": {"b": {"c": ' + PEOPLE + "}}}",
        json.dumps({"a": json.dumps({"b": {"c": json.loads(PEOPLE)}})}),
        json.dumps({"a": f"{PEOPLE}\nwarnings: 0"}),
        json.dumps({"a": '[{"id": 1, "id": 2}, {"id": 3, "id": 4}]'}),
        # a member that would not become shorter
        r'{"a":[{"b":"\""},{"b":"\""}]}',
    ],
)
def test_other_documents_are_not_uniform(slot: Callable[..., Slot], document: str) -> None:
    """A missing key, other order of keys, nesting, scalars, deeper places, what is no document: they stay."""
    assert TOON.propose(slot(document)) == Skip(reason="not_uniform")


@pytest.mark.parametrize(
    ("text", "min_tokens", "reason"),
    [
        ("plain text", 0, "not_json_shaped"),
        ("", 0, "not_json_shaped"),
        (PEOPLE, 50, "below_min_tokens"),
        (f"{PEOPLE}\n{PEOPLE}\n", 0, "trailing_content"),
        (f"{PEOPLE}\nwarnings: 0", 0, "trailing_content"),
        ('[{"a": 1}, {"a": 2}', 0, "not_json"),
        ('[{"a": 1, "a": 2}, {"a": 3, "a": 4}]', 0, "duplicate_keys"),
        ('[{"a": NaN}, {"a": 1}]', 0, "not_finite"),
        ("[" * 1000 + "]" * 1000, 0, "too_deep"),
        # a string or a key that would be read back as a table is one already
        (json.dumps({"a": json.loads(PEOPLE), "b": PEOPLE_TABLE}), 0, "value_changed"),
        (json.dumps({"a": json.loads(PEOPLE), "b[2]{c}": "1\n2"}), 0, "value_changed"),
        ('[{"a": "<<cg:00000000000000aa>>"}, {"a": 1}]', 0, "already_marked"),
        ('[{"a": "⟪cg⟫"}, {"a": 1}]', 0, "already_marked"),
        (r'[{"a": "\u003c\u003ccg:00000000000000aa\u003e\u003e"}, {"a": 1}]', 0, "already_marked"),
        ('[{"a":1},{"a":2}]', 0, "not_smaller"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(
    slot: Callable[..., Slot], text: str, min_tokens: int, reason: str
) -> None:
    """What is no single document, what could be read two ways, what is marked."""
    component = Toon(min_tokens=min_tokens)
    taken = slot(text)
    if reason == "not_smaller":
        taken = Slot(
            text=text,
            tokens=4,
            key="0123456789abcdef",
            i_output=0,
            n_outputs=1,
            seen_before=False,
            request_tokens=None,
            count=lambda _: 4,
        )
    assert component.propose(taken) == Skip(reason=reason)


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("[2]{a}", "1"),
        ("[1]{a}", "1\n2"),
        ("[1]{a,b}", "1"),
        ("[1]{a}", "1,2"),
        ("[1]{a}", '"x" y'),
        ("[1]{a}", '"\\q"'),
        ("[1]{a}", '"tab\there"'),
        ("[1]{a", "1"),
        ("{a}", "1"),
        ("[1]{{a}}", "1"),
        ("[x]{a}", "1"),
    ],
)
def test_reader_refuses_what_is_no_table(head: str, rows: str) -> None:
    """A wrong number of rows or cells, a string that does not end, a head that is none."""
    with pytest.raises(NoTable):
        read(head, rows)


@pytest.mark.parametrize("key", ["", "a", "a[2]", "a{b}", "[2]b{c}", "a[2]{b}c", "a[2]{b}}"])
def test_key_without_a_head_is_told(key: str) -> None:
    """Only a key that ends in a whole head has one."""
    with pytest.raises(NoTable):
        split_key(key)


def test_key_may_itself_look_like_a_head() -> None:
    """The head is the last thing in the key, from the first place on where one begins that reaches the end."""
    assert split_key('a[1]{b}c[2]{d,"e}"}') == ("a[1]{b}c", '[2]{d,"e}"}')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f'{{"a": {PEOPLE}}}', json.dumps({"a": PEOPLE})),
        ('{"a": 1}', '{"a": 1.0}'),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
        ('{"a": null}', '{"a": ""}'),
        ('{"a": null}', "{}"),
    ],
)
def test_comparison_tells_documents_apart(one: str, other: str) -> None:
    """What the result is checked with sees an array from a string with one, spelling, order, null and absence."""
    assert opened(one, with_tables=False) != opened(other, with_tables=False)
    assert opened(one, with_tables=True) == opened(one, with_tables=False)


CHARS = st.characters(codec=None) | st.sampled_from('",\\{}[]:\n \t0.-e\u2028\u202e\ud83d\ude00')
STRINGS = st.text(CHARS, max_size=6) | st.sampled_from(["null", "true", "1", "-0", "1e5", "[2]{a}:", "inf", ""])
SCALARS = (
    STRINGS
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
)  # fmt: skip


@st.composite
def uniform(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A list of objects with the same keys in the same order."""
    keys = draw(st.lists(STRINGS, min_size=1, max_size=4, unique=True))
    rows = draw(st.lists(st.lists(SCALARS, min_size=len(keys), max_size=len(keys)), min_size=2, max_size=5))
    return [dict(zip(keys, row, strict=True)) for row in rows]


@settings(deadline=None, max_examples=300)
@given(rows=uniform(), ensure_ascii=st.booleans())
def test_table_says_what_the_array_says(rows: list[dict[str, Any]], *, ensure_ascii: bool) -> None:
    """An independent reader gets every value back, of the right kind, and every key in its place."""
    made = table(parse(json.dumps(rows, ensure_ascii=ensure_ascii)))
    assert read_table(f"{made.head}:\n{made.rows}") == [list(row.items()) for row in rows]


def read_table(text: str) -> list[list[tuple[str, Any]]]:
    """A reader of its own: one character after the other."""
    match = re.match(r"\[(\d+)\]\{", text)
    assert match
    keys, at = _cells(text, match.end(), "}")
    assert text.startswith(":\n", at)
    rows = []
    at += 2
    for _ in range(int(match[1])):
        cells, at = _cells(text, at, "\n")
        rows.append([(key[0], _value(cell)) for key, cell in zip(keys, cells, strict=True)])
    assert at == len(text) + 1
    return rows


def _cells(text: str, at: int, end: str) -> tuple[list[tuple[str, bool]], int]:
    """The cells up to *end*, each with whether it was quoted, and where to go on."""
    cells = []
    while True:
        is_quoted = text.startswith('"', at)
        stop = at + 1 if is_quoted else at
        while stop < len(text) and (text[stop] != '"' if is_quoted else text[stop] not in f",{end}"):
            stop += 2 if text[stop] == "\\" else 1
        cells.append((json.loads(text[at : stop + 1]) if is_quoted else text[at:stop], is_quoted))
        at = stop + 2 if is_quoted else stop + 1
        if at > len(text) or text[at - 1] == end:
            return cells, at


def _value(written: tuple[str, bool]) -> Any:
    cell, is_quoted = written
    if is_quoted:
        return cell
    words: dict[str, Any] = {"null": None, "true": True, "false": False}
    if cell in words:
        return words[cell]
    try:
        return json.loads(cell) if re.fullmatch(r"[-+.\dEe]+", cell) else cell
    except ValueError:
        return cell


@settings(deadline=None)
@given(rows=uniform(), depth=st.integers(0, 3), as_string=st.booleans())
def test_document_reads_back_equal_or_stays(
    slot: Callable[..., Slot], rows: list[dict[str, Any]], depth: int, *, as_string: bool
) -> None:
    """In any envelope the result is shorter and reads back as the document, and is not touched again."""
    document = json.dumps(rows)
    for level in range(depth):
        document = json.dumps({"x": 1, f"k{level}": document if as_string else json.loads(document)})
    proposal = TOON.propose(slot(document))
    if isinstance(proposal, Reduction):
        assert len(proposal.text) < len(document)
        assert opened(proposal.text, with_tables=True) == opened(document, with_tables=False)
        assert isinstance(TOON.propose(slot(proposal.text)), Skip)
    else:
        assert proposal.reason in {"not_uniform", "not_smaller", "value_changed", "already_marked"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 1_000_000, "too_deep"),
        ('{"a":' * 200_000, "too_deep"),
        ('["' + "\\" * 1_000_000, "not_json"),
        ('{"a":"' + "[" * 1_000_000 + '"}', "not_uniform"),
        ('{"' + "[1]{" * 250_000 + '}":"x"}', "not_uniform"),
        ('{"a":"' + "[1]{a}:\\n" * 100_000 + '"}', "not_uniform"),
        ("[" + "1," * 400_000 + "1]", "not_uniform"),
        ("9" * 1_000_000, "not_json_shaped"),
        ("[" + "9" * 1_000_000 + "]", "not_uniform"),
        (" " * 1_000_000 + "[", "not_json"),
    ],
)
def test_hostile_text_is_read_once(slot: Callable[..., Slot], text: str, reason: str) -> None:
    """A megabyte of brackets, of heads, of one number ends, and quickly."""
    assert TOON.propose(slot(text)) == Skip(reason=reason)


def test_megabyte_of_rows_is_written(slot: Callable[..., Slot]) -> None:
    """Twenty thousand rows, each with a quoted cell."""
    document = json.dumps([{"id": n, "text": "a, b", "path": f"src/f{n}.py"} for n in range(20_000)])
    proposal = TOON.propose(slot(document))
    assert isinstance(proposal, Reduction)
    assert proposal.text.split("\n")[:2] == ["[20000]{id,text,path}:", '0,"a, b",src/f0.py']
    assert len(proposal.text.split("\n")) == 20_001
