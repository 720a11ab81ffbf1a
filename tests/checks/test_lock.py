"""The baseline's file, how it is collected, and how two are compared."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.checks.lock import Head, Lane, Lock, Move, collect, compare, read, write
from cgcli.checks.run import Allowed, check
from cgcli.errors import CgError, InputError, UsageError
from cgcli.model import changed
from cgcli.readers import open_bytes
from cgcli.readers import read as read_capture
from tests.captures import capture
from tests.checks.gated import BASH, Json, body, fixture, lines, said, turn, user
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

GO = user("Go.")
A, B, C, D = ("a" * 16, "b" * 16, "c" * 16, "d" * 16)


def collected(source: Path | bytes, tmp_path: Path) -> Lock:
    """The baseline of a file or of its bytes."""
    path = source
    if isinstance(path, bytes):
        path = tmp_path / "made.jsonl"
        path.write_bytes(source)  # type: ignore[arg-type]
    collecting = collect()
    with open_bytes(str(path)) as stream:
        seen = check(read_capture(stream, file="made"), [], Allowed(), {}, observers=[collecting])
    return collecting.finish(seen.lanes).lock


def test_a_lock_is_small_sorted_and_versioned(tmp_path: Path) -> None:
    """It names its own version and the chain's, one fact stands on a line, and two lanes take less than 50 lines."""
    text = write(collected(fixture("G-BASELINE", "baseline"), tmp_path)).decode()
    document = json.loads(text)
    assert (document["lock"], document["chain"]) == ("cg-lock/1", "cg-chain/1")
    assert [lane["label"] for lane in document["lanes"]] == ["main", "side"]
    assert [request.split()[0] for request in document["lanes"][0]["requests"]] == ["3", "5", "7"]
    assert text == json.dumps(document, indent=1, sort_keys=True) + "\n"
    assert (text.count("\n") < 50, max(map(len, text.splitlines())) < 50) == (True, True)


@pytest.mark.parametrize(
    "path", ["context-guru/agent.jsonl", "claude-trace/seven-lanes.jsonl", "openai-batch/input.jsonl"]
)
def test_a_lock_holds_digests_and_no_text(path: str, tmp_path: Path) -> None:
    """All its strings are labels, versions, paths of parameters from the table, or digests with a number."""
    text = write(collected(FIXTURES / path, tmp_path)).decode()
    words = set(re.findall(r'"([^"]*)"', text))
    known = {"cg-lock/1", "cg-chain/1", "main", "side", "compaction", "chain", "lock", "lanes", "heads", "model"}
    known |= {"tools", "system", "params", "first", "label", "requests", "thinking"}
    assert [word for word in words - known if not re.fullmatch(r"([0-9]+ |[0-9a-f]{16} )?[0-9a-f]{16}", word)] == []


def test_digests_are_those_of_names_and_values(tmp_path: Path) -> None:
    """The digest of a tool's name, of a model's, and of a parameter are sha256 of their text."""
    lock = collected(lines([body(GO, speed="fast")]), tmp_path)
    (head,) = lock.heads.values()
    assert head.model == sha256(b"claude-sonnet-4-5").hexdigest()[:16]
    assert head.tools is not None
    assert [name for name, _ in head.tools] == [sha256(b"Bash").hexdigest()[:16]]
    assert head.params == (("speed", sha256(b'"fast"').hexdigest()[:16]),)


@pytest.mark.parametrize("path", ["context-guru/agent.jsonl", "claude-trace/seven-lanes.jsonl", "lanes/rewind.jsonl"])
def test_what_is_written_is_read(path: str, tmp_path: Path) -> None:
    """A lock comes back as it was, and a file compared with its own lock did not move."""
    lock = collected(FIXTURES / path, tmp_path)
    assert read(write(lock)) == lock
    assert compare(lock, lock) == ()


@given(cut=st.integers(0, 600), put=st.binary(max_size=3))
@settings(max_examples=150, deadline=None)
def test_a_damaged_lock_is_named_or_is_still_one(cut: int, put: bytes) -> None:
    """Whatever stands in the file, it is read, or refused as an error that a person can act on."""
    whole = write(LOCK)
    try:
        found = read(whole[:cut] + put + whole[cut + len(put) :])
    except CgError as error:
        assert error.hint == "write it again: cg check FILE --write-baseline cg.lock"  # noqa: PT017 - both ways are right
    else:
        assert isinstance(found, Lock)


@pytest.mark.parametrize(
    "change",
    [
        {"lanes": "none"},
        {"heads": {"x": {}}},
        {"extra": 1},
        {"lanes": [{"label": "main", "first": A, "heads": [f"1 {B}"], "requests": []}]},
        {"lanes": [{"label": "main", "first": A, "heads": [f"1 {D}"], "requests": [f"1 {B}"]}]},
        {"lanes": [{"label": "main", "first": A, "heads": [f"2 {B}"], "requests": [f"1 {B}"]}]},
        {"lanes": [{"label": "main", "first": "a", "heads": [f"1 {B}"], "requests": [f"1 {B}"]}]},
        {"lanes": [{"label": "main", "first": A, "heads": [f"1 {B}"], "requests": [f"one {B}"]}]},
    ],
)
def test_damage_is_an_input_error(change: dict[str, Any]) -> None:
    """Fields that are missing, too many or no digests, and heads that do not stand there, exit with 4."""
    with pytest.raises(InputError) as raised:
        read(json.dumps({**json.loads(write(LOCK)), **change}).encode(), file="cg.lock")
    assert (raised.value.exit_code, raised.value.where) == (4, "cg.lock")


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"lanes": []}', b"\xff", b"[" * 100_000])
def test_what_is_no_lock_is_an_input_error(data: bytes) -> None:
    """JSON of another kind, no JSON, and JSON that nests without end."""
    with pytest.raises(InputError, match="not a baseline"):
        read(data)


@pytest.mark.parametrize(("key", "value"), [("lock", "cg-lock/2"), ("chain", "cg-chain/2"), ("chain", None)])
def test_another_version_is_a_usage_error(key: str, value: str | None) -> None:
    """Digests of another chain cannot be compared: exit with 2, and say how to write them again."""
    with pytest.raises(UsageError, match="the baseline is") as raised:
        read(json.dumps({**json.loads(write(LOCK)), key: value}).encode())
    assert raised.value.exit_code == 2


HEAD = Head(model=A, tools=((A, B), (C, D)), system=(A,), params=())
LANE = Lane(label="main", first=A, heads=((1, B),), requests=((1, A), (3, B), (5, C)))
LOCK = Lock(heads={B: HEAD}, lanes=(LANE,))


def with_head(**fields: Any) -> Lock:
    """The lock with one other head."""
    return Lock(heads={C: changed(HEAD, **fields)}, lanes=(changed(LANE, heads=((1, C),)),))


@pytest.mark.parametrize(
    ("fields", "kind", "details"),
    [
        ({"model": B}, Move.MODEL, ()),
        ({"tools": ((A, C), (C, D))}, Move.TOOLS, (("edited", A),)),
        ({"tools": ((A, B),)}, Move.TOOLS, (("removed", C),)),
        ({"tools": ((A, B), (C, D), (D, D))}, Move.TOOLS, (("added", D),)),
        ({"tools": ((C, D), (A, B))}, Move.TOOLS, (("reordered", ""),)),
        ({"system": (B, C)}, Move.SYSTEM, (("edited", "0"), ("added", "1"))),
        ({"params": (("speed", A),)}, Move.PARAMS, (("added", "speed"),)),
    ],
)
def test_heads_are_compared_part_by_part(
    fields: dict[str, Any], kind: Move, details: tuple[tuple[str, str], ...]
) -> None:
    """What changed in model, tools, system prompt or parameters is one move, with what it was."""
    (moved,) = compare(LOCK, with_head(**fields))
    assert (moved.kind, moved.was, moved.now, moved.i_request, moved.details) == (kind, 0, 0, 0, details)


@pytest.mark.parametrize("fields", [{"tools": None}, {"system": None}])
def test_what_is_not_recorded_is_not_compared(fields: dict[str, Any]) -> None:
    """A section that one of the two files does not record did not move."""
    assert compare(LOCK, with_head(**fields)) == ()


@pytest.mark.parametrize(
    ("requests", "kind", "i_request"),
    [
        (((1, A), (3, D), (5, C)), Move.MESSAGES, 1),
        (((1, A), (3, B), (7, C)), Move.MESSAGES, 2),
        (((1, A), (3, B)), Move.SHORTER, 2),
        (((1, A), (3, B), (5, C), (7, D)), None, 0),
    ],
    ids=["other words", "other length", "shorter", "grown"],
)
def test_chains_are_compared_request_by_request(
    requests: tuple[tuple[int, str], ...], kind: Move | None, i_request: int
) -> None:
    """The first request that reads otherwise is named; a lane that only grew did not move."""
    moved = compare(LOCK, Lock(heads=LOCK.heads, lanes=(changed(LANE, requests=requests),)))
    assert [(one.kind, one.i_request) for one in moved] == ([] if kind is None else [(kind, i_request)])


def test_a_change_in_mid_lane_is_told_from_there() -> None:
    """Tools that change at the third request are a move from the third request on."""
    heads = {B: HEAD, C: changed(HEAD, tools=())}
    moved = compare(LOCK, Lock(heads=heads, lanes=(changed(LANE, heads=((1, B), (3, C))),)))
    assert [(one.kind, one.i_request) for one in moved] == [(Move.TOOLS, 2)]


def test_lanes_are_known_by_label_and_first_message() -> None:
    """Another model in one lane, another order of lanes: each finds its own; what is left is missing, or new."""
    side = Lane(label="side", first=A, heads=((1, B),), requests=((1, D),))
    other = Lane(label="main", first=C, heads=((1, B),), requests=((1, C),))
    new = Lane(label="side", first=D, heads=((1, C),), requests=((1, C),))
    heads = {B: HEAD, C: changed(HEAD, model=D)}
    was = Lock(heads=heads, lanes=(LANE, other, side))
    now = Lock(heads=heads, lanes=(new, other, changed(LANE, heads=((1, C),))))
    assert [(one.kind, one.was, one.now) for one in compare(was, now)] == [
        (Move.NEW, None, 0),
        (Move.MODEL, 0, 2),
        (Move.MISSING, 2, None),
    ]


def test_a_call_that_goes_on_is_the_same_lane() -> None:
    """One request is a side call; with a second one it is a conversation, and only grew."""
    call = Lane(label="side", first=A, heads=((1, B),), requests=((1, A),))
    assert compare(Lock(heads=LOCK.heads, lanes=(call,)), LOCK) == ()


def test_another_first_message_is_told_as_messages() -> None:
    """A lane under the same head that begins with other words diverges at its first request; it is not another lane."""
    moved = compare(LOCK, Lock(heads=LOCK.heads, lanes=(changed(LANE, first=D, requests=((1, D),)),)))
    assert [(one.kind, one.i_request) for one in moved] == [(Move.MESSAGES, 0)]


@given(seed=st.integers(0, 30), n_turns=st.integers(1, 5), side_lanes=st.integers(0, 2))
@settings(max_examples=15, deadline=None)
def test_a_lock_does_not_see_order_nor_growth(
    seed: int, n_turns: int, side_lanes: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Lanes one after the other instead of interleaved give the same lock; a file cut short moved nowhere but there."""
    folder = tmp_path_factory.mktemp("locks")
    whole = capture(seed=seed, turns=n_turns, side_lanes=side_lanes)
    rows = whole.splitlines(keepends=True)
    n_lanes = side_lanes + 1
    lock = collected(whole, folder)
    apart = b"".join(row for i in range(n_lanes) for row in rows[i::n_lanes])
    assert collected(apart, folder) == lock
    cut = b"".join(rows[: n_lanes * n_turns]) if n_turns > 1 else whole
    assert compare(collected(cut, folder), lock) == ()


def test_a_retry_counts_once(tmp_path: Path) -> None:
    """The same request twice in a row gives the lock of one."""
    one, two = body(GO), body(GO, *turn(1))
    assert collected(lines([one, two, two, two]), tmp_path) == collected(lines([one, two]), tmp_path)


def test_a_chat_is_known_by_its_first_words_and_not_by_its_system_message(tmp_path: Path) -> None:
    """Another system message is a divergence of the same lane."""
    head: Json = {"model": "gpt-4.1", "system": None, "tools": [BASH]}
    one, other = (
        lines([body({"role": "system", "content": words}, GO, said("Yes."), **head)]) for words in ("One.", "Two.")
    )
    moved = compare(collected(one, tmp_path), collected(other, tmp_path))
    assert [move.kind for move in moved] == [Move.MESSAGES]
