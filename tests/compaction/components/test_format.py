"""`format`: the same JSON in its shortest spelling."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import Reduction, Skip, Slot
from cgcli.compaction.components.format import Format
from cgcli.compaction.components.json_text import NotCompactable, parse

FORMAT = Format(min_tokens=0)
ROWS = '[\n  {\n    "id": 1,\n    "name": "first"\n  },\n  {\n    "id": 2,\n    "name": "second"\n  }\n]'
ROWS_COMPACT = '[{"id":1,"name":"first"},{"id":2,"name":"second"}]'


@pytest.mark.parametrize(
    ("text", "compact"),
    [
        (ROWS, ROWS_COMPACT),
        ('\n\t {  "a" : [ 1 ,\r\n 2 ] ,\n "b" : { } }  \n', '{"a":[1,2],"b":{}}'),
        (
            '{"one": 1.0,   "two": 1e2,   "big": 123456789012345678901234567890,   "minus": -0.0}',
            '{"one":1.0,"two":1e2,"big":123456789012345678901234567890,"minus":-0.0}',
        ),
        ('{"z": 1,     "a": 2,     "m": 3}', '{"z":1,"a":2,"m":3}'),
        (
            '{"keep  these": "a  b : c , d",     "n": null,   "t": true}',
            '{"keep  these":"a  b : c , d","n":null,"t":true}',
        ),
        (r'["\u4e2d\u6587", "\ud83d\ude00", "a\/b", "\u003cx\u003e"]', '["中文","😀","a/b","<x>"]'),
        (
            r'["\"\\\n\t",          "\u0022\u005c\u0000", "\\u0041"]',
            r'["\"\\\n\t","\u0022\u005c\u0000","\\u0041"]',
        ),
        (
            r'["\ud83d",          "\ude00\ud83d",   "\u202e\u00a0"]',
            r'["\ud83d","\ude00\ud83d","\u202e\u00a0"]',
        ),
        ('["\ud83d",          1,          2]', '["\ud83d",1,2]'),
    ],
)
def test_document_is_spelled_shorter(slot: Callable[..., Slot], text: str, compact: str) -> None:
    """White space goes and escapes of what prints are written out; numbers and key order stay."""
    assert FORMAT.propose(slot(text)) == Reduction(text=compact)


def test_document_in_an_envelope_is_spelled_shorter(slot: Callable[..., Slot]) -> None:
    """A tool runner's output string holds the document one level down."""
    text = '{"ok":true,"stdout":' + json.dumps(ROWS + "\n") + ',"exit_code":0}'
    compact = '{"ok":true,"stdout":' + json.dumps(ROWS_COMPACT) + ',"exit_code":0}'
    assert FORMAT.propose(slot(text)) == Reduction(text=compact)


def test_any_field_of_the_envelope_may_hold_a_document(slot: Callable[..., Slot]) -> None:
    """The field's name does not matter, and there may be several."""
    text = json.dumps({"result": ROWS, "why": [ROWS], "content": ROWS})
    opened, left = json.dumps(ROWS_COMPACT), json.dumps(ROWS)
    compact = f'{{"result":{opened},"why":[{left}],"content":{opened}}}'
    assert FORMAT.propose(slot(text)) == Reduction(text=compact)


def test_documents_two_levels_down_stay(slot: Callable[..., Slot]) -> None:
    """Only one level is opened: below, a string is content."""
    inner = json.dumps({"deep": ROWS}, separators=(",", ":"))
    text = '{ "stdout": ' + json.dumps(inner) + " }"
    assert FORMAT.propose(slot(text)) == Reduction(text='{"stdout":' + json.dumps(inner) + "}")


@pytest.mark.parametrize(
    "inner",
    [ROWS + "\nwarnings: 0", '{"a": 1,' + " " * 60 + '"a": 2}', "[1, 2" + " " * 60, "[NaN" + " " * 60 + "]"],
)
def test_string_that_is_no_document_stays(slot: Callable[..., Slot], inner: str) -> None:
    """What `format` refuses as an output it leaves alone inside one, byte for byte."""
    text = '{"stdout": ' + json.dumps(inner) + '      , "x": 1}'
    assert FORMAT.propose(slot(text)) == Reduction(text='{"stdout":' + json.dumps(inner) + ',"x":1}')


def test_invisible_characters_of_an_envelope_are_escaped(slot: Callable[..., Slot]) -> None:
    """A lone surrogate inside stays an escape, since providers refuse bodies with a raw one."""
    inner = '{\n "a": "\\ud83d",\n "b": "\u202e" ' + " " * 60 + "}"
    text = json.dumps({"stdout": inner})
    assert FORMAT.propose(slot(text)) == Reduction(text=r'{"stdout":"{\"a\":\"\\ud83d\",\"b\":\"\u202e\"}"}')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("plain text {}", "not_json_shaped"),
        ("", "not_json_shaped"),
        ("  42", "not_json_shaped"),
        ("\xa0[1,   2,   3,   4]", "not_json_shaped"),
        ("[1, 2,", "not_json"),
        ("{'a':    1}", "not_json"),
        ("[1,    2,]", "not_json"),
        ("[01,     2]", "not_json"),
        ('["tab\there",    1]', "not_json"),
        ('["open', "not_json"),
        ("[NaN,     1]", "not_finite"),
        ('{"a":   -Infinity}', "not_finite"),
        ('{"a":   1,   "a":   1}', "duplicate_keys"),
        (r'[{"a":   1,   "\u0061":   2}]', "duplicate_keys"),
        ('{"a":   1}\n{"b":   2}\n', "trailing_content"),
        ("[1,    2]\nwarnings: 0 []", "trailing_content"),
        ("[" * 10_000 + "]" * 10_000, "too_deep"),
        ('{"a": ' * 10_000 + "1" + "}" * 10_000, "too_deep"),
        ("[" * 10_000, "too_deep"),
        (ROWS_COMPACT, "not_smaller"),
        ("[1, 2]", "not_smaller"),
        ('{"a":      "<<cg:00000000000000aa>>"}', "already_marked"),
        ('{"a":      "⟪cg⟫"}', "already_marked"),
        (r'{"a":   "\u003c\u003ccg:00000000000000aa\u003e\u003e"}', "already_marked"),
    ],
)
def test_output_is_left_alone_for_a_named_reason(slot: Callable[..., Slot], text: str, reason: str) -> None:
    """Nothing that could be changed or lost by re-encoding is re-encoded."""
    assert FORMAT.propose(slot(text)) == Skip(reason=reason)


def test_short_output_is_left_alone(slot: Callable[..., Slot]) -> None:
    """Under 50 tokens it does not pay."""
    assert Format().propose(slot(ROWS)) == Skip(reason="below_min_tokens")


def test_nesting_of_two_hundred_is_read(slot: Callable[..., Slot]) -> None:
    """The limit is far above what tools write."""
    text = "[ " * 200 + "]" * 200
    assert FORMAT.propose(slot(text)) == Reduction(text="[" * 200 + "]" * 200)
    assert FORMAT.propose(slot("[" + text + "]")) == Skip(reason="too_deep")


def test_string_with_brackets_is_not_deep(slot: Callable[..., Slot]) -> None:
    """Brackets count only outside strings."""
    text = '["' + "[" * 1000 + '",     1]'
    assert FORMAT.propose(slot(text)) == Reduction(text='["' + "[" * 1000 + '",1]')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[1]", "[1.0]"),
        ("[100]", "[1e2]"),
        ("[1]", '["1"]'),
        ("[12]", '{"1":"2"}'),
        ("{}", "[]"),
        ('{"a":1,"b":2}', '{"b":2,"a":1}'),
        ('["a"]', '["A"]'),
        ("[true]", "[1]"),
    ],
)
def test_comparison_tells_documents_apart(one: str, other: str) -> None:
    """What the result is checked with sees spelling of numbers, order of keys and kinds."""
    assert parse(one) != parse(other)
    assert parse(one) == parse(f" {one.replace(',', ' , ')} ".strip())


def test_comparison_refuses_what_follows() -> None:
    """Reading stops at the end of a document only if nothing stands behind it."""
    with pytest.raises(NotCompactable, match="trailing_content"):
        parse("[1] x")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(deadline=None)
@given(document=st.lists(JSON) | st.dictionaries(st.text(), JSON), ensure_ascii=st.booleans())
def test_document_reads_back_equal(slot: Callable[..., Slot], document: Any, *, ensure_ascii: bool) -> None:
    """Any document that a tool prints is the same after `format`, to the digits of its numbers."""
    text = json.dumps(document, indent=4, ensure_ascii=ensure_ascii)
    proposal = FORMAT.propose(slot(text))
    if isinstance(proposal, Reduction):
        assert spelled(proposal.text) == spelled(text)
    else:
        assert proposal in {Skip(reason="not_smaller"), Skip(reason="already_marked")}


@settings(deadline=None)
@given(document=st.dictionaries(st.text(max_size=3), JSON.map(lambda inner: json.dumps(inner, indent=8)), max_size=3))
def test_envelope_reads_back_equal(slot: Callable[..., Slot], document: dict[str, str]) -> None:
    """The documents inside an envelope are the same after `format`."""
    proposal = FORMAT.propose(slot(json.dumps(document)))
    if isinstance(proposal, Reduction):
        again = json.loads(proposal.text)
        assert list(again) == list(document)
        assert [spelled(inner) for inner in again.values()] == [spelled(inner) for inner in document.values()]


def spelled(text: str) -> Any:
    """What the standard library reads, with numbers as strings that name their kind and objects in order."""
    return json.loads(
        text,
        parse_int=lambda digits: f"int {digits}",
        parse_float=lambda digits: f"float {digits}",
        object_pairs_hook=lambda pairs: {"object": [list(pair) for pair in pairs]},
    )
