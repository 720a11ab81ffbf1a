"""Reading with a memory gives what reading without one gives, and does less."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.errors import CgError
from cgcli.readers import open_bytes, read
from cgcli.readers.bodies import Bodies
from cgcli.readers.envelope import Envelope
from cgcli.readers.incremental import Incremental, Read
from tests.captures import capture
from tests.readers.comparing import Pair, check_records, fresh, plain
from tests.readers.mutations import MUTATIONS, READERS, damaged
from tests.running import CORPUS_CAPTURES, FIXTURE_CAPTURES

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.model import Request
    from tests.captures import Dialect, Json, Shape
    from tests.readers.comparing import Plain

_shape = st.fixed_dictionaries(
    {
        "dialect": st.sampled_from(["anthropic", "chat", "responses"]),
        "turns": st.integers(1, 4),
        "seed": st.integers(0, 99),
        "parallel": st.integers(1, 2),
        "thinking": st.booleans(),
        "moving_marks": st.booleans(),
        "side_lanes": st.integers(0, 2),
        "elide": st.none() | st.just(1),
        "tools_last": st.booleans(),
    }
)
_mutations = st.lists(st.sampled_from(sorted(MUTATIONS)), max_size=4)


def _bodies(shape: Shape) -> list[Json]:
    return [json.loads(line) for line in capture(**shape).splitlines()]


@settings(max_examples=60, deadline=None)
@given(_shape, st.sampled_from(sorted(READERS)), _mutations, st.integers(0, 999))
def test_each_request_is_what_a_fresh_reader_reads(
    shape: Shape, container: str, mutations: list[str], seed: int
) -> None:
    """Whatever the shape, the container and what happens between two requests: dialect, states, parts, every span."""
    rng = random.Random(seed)
    bodies = _bodies(shape)
    for name in mutations:
        bodies = MUTATIONS[name](rng, bodies)
    spell, open_record = READERS[container]
    found = check_records(open_record, [spell(body) for body in bodies])
    assert not any(isinstance(one, str) for one in found)


@pytest.mark.parametrize("mutation", sorted(MUTATIONS))
@pytest.mark.parametrize("container", sorted(READERS))
def test_each_mutation_in_each_container(mutation: str, container: str) -> None:
    """None of the things that happen is left to chance: each one, in every container and dialect."""
    spell, open_record = READERS[container]
    dialects: tuple[Dialect, ...] = ("anthropic", "chat", "responses")
    for i, dialect in enumerate(dialects):
        bodies = MUTATIONS[mutation](random.Random(i), _bodies({"dialect": dialect, "turns": 2, "seed": i}))
        check_records(open_record, [spell(body) for body in (*bodies, *bodies[-1:])])


@settings(max_examples=60, deadline=None)
@given(_shape, st.sampled_from(sorted(READERS)), st.integers(0, 9999))
def test_damaged_records_are_refused_as_a_fresh_reader_refuses_them(shape: Shape, container: str, seed: int) -> None:
    """Bytes changed, lost, doubled or added anywhere: the same request, or the same name for why there is none."""
    rng = random.Random(seed)
    spell, open_record = READERS[container]
    records = [spell(body) for body in _bodies({**shape, "turns": min(2, shape["turns"])})]
    check_records(open_record, [one for raw in records for one in (raw, *(damaged(rng, raw) for _ in range(3)), raw)])


def _is_readable(path: Path) -> bool:
    """True where a format with requests is found in the file."""
    try:
        with open_bytes(str(path)) as stream:
            read(stream, file=str(path))
    except CgError:
        return False
    return True


FILES = [path for path in (*FIXTURE_CAPTURES, *CORPUS_CAPTURES) if _is_readable(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name[-40:]}")
def test_each_record_of_a_file_is_what_a_fresh_reader_reads(path: Path) -> None:
    """Fixtures and public captures, their unusable records too."""
    with open_bytes(str(path)) as stream:
        found = read(stream, file=str(path))
        for entry in found:
            if entry.exchange is not None:
                assert plain(entry.exchange.request) == _request(fresh(found.reader.open, entry.raw))
            elif entry.passed is not None and not found.is_derived:
                expected = fresh(found.reader.open, entry.raw)
                half = entry.passed.reason == "half_written"
                assert entry.passed.reason == ("half_written" if half and expected in ("cut", "not_json") else expected)


def _request(outcome: Plain) -> Plain:
    """The request in an outcome, of a body in a string too."""
    while isinstance(outcome, tuple):
        outcome = outcome[-1]
    return outcome


def _spoken(*texts: str, **more: Any) -> bytes:
    """A body with a user message of each of *texts*."""
    messages = [{"role": "user", "content": text} for text in texts]
    return json.dumps({"model": "claude-x", "system": "s", "messages": messages, **more}).encode()


def _reader() -> Incremental:
    return Incremental(Bodies().open)


def _read(reader: Incremental, raw: bytes) -> Read:
    found = reader.read(raw)
    assert isinstance(found, Read)
    return found


def _requests(*records: bytes) -> list[tuple[int, Request]]:
    """How many messages each of *records* shares with an earlier one, and its request."""
    reader = _reader()
    check_records(Bodies().open, list(records))
    return [(found.shared, found.request) for found in (_read(reader, raw) for raw in records)]


def _shared(*records: bytes) -> list[int]:
    return [shared for shared, _ in _requests(*records)]


def test_shared_messages_are_the_very_same_objects() -> None:
    """What is byte-equal is not parsed again, and says so by identity."""
    (_, first), (shared, second) = _requests(_spoken("a", "b"), _spoken("a", "b", "c"))
    assert shared == 2
    assert all(one is other for one, other in zip(first.messages, second.messages, strict=False))
    assert second.messages[2] not in first.messages


def test_a_longer_last_message_is_not_taken_for_the_shorter() -> None:
    """The comparison ends where the earlier message ends, and the later one has to end there too."""
    assert _shared(_spoken("a", "b"), _spoken("a", "bc"), _spoken("a", "bc", "d")) == [0, 1, 2]


def test_a_record_that_is_only_the_beginning_of_an_earlier_one_is_cut() -> None:
    """It is refused, wherever it is cut."""
    whole = _spoken("a", "b", "c", metadata={"after": 1})
    found = check_records(Bodies().open, [whole, *(whole[:n] for n in range(1, len(whole))), whole])
    assert set(found[1:-1]) == {"cut"}


def test_a_moving_mark_costs_about_three_messages_a_turn() -> None:
    """However long the history: two that lose or get a mark, and the new ones."""
    reader = _reader()
    lines = capture(turns=20, moving_marks=True).splitlines()
    parsed = [len(found.request.messages) - found.shared for found in (_read(reader, line) for line in lines)]
    assert parsed == [1, 3, *[4] * 19]


def test_each_message_of_a_plain_capture_is_parsed_once() -> None:
    """Interleaved lanes, too: together they parse what is distinct."""
    reader = _reader()
    lines = capture(turns=15, side_lanes=2, parallel=2).splitlines()
    parsed = sum(len(found.request.messages) - found.shared for found in (_read(reader, line) for line in lines))
    assert parsed == 3 * (1 + 15 * 2)


def test_fields_after_the_messages_are_read_where_they_stand() -> None:
    """The tools behind a long history have their own bytes' offsets."""
    tools = [{"name": "B", "input_schema": {}}, {"name": "C", "input_schema": {}}]
    for n in (1, 2, 3):
        raw = _spoken(*"abc"[:n], tools=tools, metadata={"n": "x" * n})
        (_, _), (shared, request) = _requests(_spoken(*"abc"[:n]), raw)
        assert shared == n
        assert request.tools is not None
        pieces = [
            bytes(request.raw[start : start + one.size_bytes])
            for start, one in zip(request.tools_starts, request.tools, strict=True)
        ]
        assert [json.loads(piece) for piece in pieces] == tools


def test_a_nonce_before_the_messages_is_no_hindrance() -> None:
    """The messages are found again wherever they begin."""
    turns = [{"metadata": {"nonce": "x" * i}, **json.loads(_spoken(*"abcd"[: i + 1]))} for i in range(4)]
    assert _shared(*(json.dumps(turn).encode() for turn in turns)) == [0, 1, 2, 3]


def test_a_decoy_before_the_messages_is_not_taken_for_them() -> None:
    """The same bytes in another field make no request out of that field."""
    plain_one = _spoken("a", "b")
    decoy = json.loads(plain_one)
    raw = json.dumps({"metadata": {"messages": decoy["messages"]}, **decoy}).encode()
    (_, _), (shared, request) = _requests(plain_one, raw)
    assert (shared, len(request.messages)) == (0, 2)
    assert request.starts[0] == raw.rindex(b'{"role": "user", "content": "a"}')


def test_a_number_in_place_of_a_message_is_not_the_stand_in() -> None:
    """A record may say `[0, ...]` itself, and have the known messages somewhere else."""
    known = json.loads(_spoken("a", "b"))
    odd = {"metadata": {"messages": known["messages"]}, **known, "messages": [0, *known["messages"]]}
    records = [_spoken("a", "b"), json.dumps(odd).encode(), json.dumps({**known, "messages": [0]}).encode()]
    assert check_records(Bodies().open, records)[1:] == ["unknown_body", "unknown_body"]


def test_keys_that_stand_twice_behind_the_messages_are_found() -> None:
    """The short text that is parsed in place of the record has both of them."""
    whole = _spoken("a", "b")
    twice = [whole[:-1] + more for more in (b',"model":"y"}', b',"messages":[]}', b',"messages":[{"role":"user"}]}')]
    assert check_records(Bodies().open, [whole, *twice, whole])[1:4] == ["duplicate_key"] * 3


def test_the_same_text_in_another_spelling_is_another_message() -> None:
    """Its own spans, the same digests."""
    first = '{"model":"claude-x","messages":[{"role":"user","content":"é"},{"role":"user","content":"b"}]}'.encode()
    second = first.replace("é".encode(), rb"\u00e9")
    (_, one), (shared, other) = _requests(first, second)
    assert shared == 0
    assert one.states == other.states
    assert other.starts[1] == one.starts[1] + 4


def test_the_first_messages_decide_the_dialect_again_each_time() -> None:
    """The same talk sent to two providers has two dialects, whichever came first."""
    said = '"messages":[{"role":"user","content":"hi"}]'
    records = [f'{{"model":"{model}",{said}}}'.encode() for model in ("gpt-4", "claude-x", "gpt-4")]
    assert [request.dialect for _, request in _requests(*records)] == ["openai-chat", "anthropic", "openai-chat"]


def test_messages_of_another_dialect_are_read_again() -> None:
    """What is an image to one provider is an unknown block to the other, though the bytes are the same."""
    said = '"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}]'
    records = [f'{{"model":"{model}",{said}}}'.encode() for model in ("gpt-4", "claude-x")]
    found = [request.messages[0].parts[0].kind.value for _, request in _requests(*records)]
    assert found == ["image", "other"]


def test_a_system_message_behind_the_shared_ones_is_none_at_the_beginning() -> None:
    """It stands second, which Anthropic allows, even where only what follows the first message is parsed."""
    said, call = {"role": "user", "content": "hi"}, {"type": "tool_use", "id": "t", "name": "B", "input": {}}
    called = {"role": "assistant", "content": [call]}
    later = [said, {"role": "system", "content": "now"}, called]
    records = [json.dumps({"messages": messages}).encode() for messages in ([said, called], later)]
    (_, _), (shared, request) = _requests(*records)
    assert (shared, request.dialect) == (1, "anthropic")


def test_an_input_string_is_read_each_time() -> None:
    """In an envelope, where a number in its place is no body."""
    raw = b'{"request_json":{"model":"gpt-5","input":"hi"}}'
    found = check_records(Envelope().open, [raw, raw, raw])
    assert [one[2]["dialect"] for one in found] == ["openai-responses"] * 3


@pytest.mark.parametrize(("n_records", "n_chars"), [(120, 1000), (24, 2_000_000)], ids=["many", "large"])
def test_only_a_bounded_number_of_requests_is_remembered(n_records: int, n_chars: int) -> None:
    """Requests that share nothing do not pile up, and what was forgotten is read again."""
    reader = _reader()
    records = [_spoken(f"{i} {'x' * n_chars}") for i in range(n_records)]
    for raw in (*records, records[0]):
        assert plain(_read(reader, raw).request) == fresh(Bodies().open, raw)[2]
    assert len(reader._tips) <= 48
    assert sum(len(tip.raw) for tip in reader._tips) <= 33 << 20


def test_lone_surrogates_and_bad_bytes_in_the_shared_part_stay_what_they_are() -> None:
    """A half of a pair in what is skipped moves nothing; bytes that are not UTF-8 in what is new are refused."""
    first = rb'{"model":"claude-x","messages":[{"role":"user","content":"\ud83d"},{"role":"user","content":"b"}]}'
    grown = first[:-2] + rb',{"role":"user","content":"\ude00 \ud83d\ude00"}]}'
    bad = first[:-2] + b',{"role":"user","content":"\xff"}]}'
    found = check_records(Bodies().open, [first, grown, bad, grown])
    assert [one if isinstance(one, str) else len(one[2]["messages"]) for one in found] == [2, 3, "invalid_utf8", 3]


def test_a_repeated_record_is_whole_again() -> None:
    """A retry has every message and the same states."""
    raw = _spoken("a", "b", metadata={"n": 1})
    (_, first), (shared, second) = _requests(raw, raw)
    assert shared == 2
    assert second.states == first.states
    assert list(second.starts) == list(first.starts)


@pytest.mark.parametrize("container", [name for name in READERS if name != "mixed bodies"])
def test_a_growing_request_takes_the_place_of_the_shorter_in_every_container(container: str) -> None:
    """It was found to contain it, whatever stands around; bodies in strings are compared with each other."""
    spell, open_record = READERS[container]
    pair = Pair(open_record)
    for body in _bodies({"turns": 5}):
        pair.read(spell(body))
    tips = pair.inner._tips if "quoted" in container else pair.outer._tips
    assert [len(tip.request.messages) for tip in tips] == [11]
    assert len(pair.inner._tips) + len(pair.outer._tips) == 1
