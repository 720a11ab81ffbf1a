"""The shared nouns."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from cgcli.model import (
    Basis,
    Count,
    Digest,
    Item,
    Kind,
    Part,
    Request,
    Section,
    Span,
    Usage,
    changed,
    unique,
    value,
)

NOTHING = Digest(bytes(32))


@value
class Point:
    """A record."""

    x: int
    y: int = 2


@unique
class Thing:
    """A record that is only itself."""

    x: int


def test_values_compare_by_their_fields() -> None:
    """Equal fields make equal records, with equal hashes."""
    assert Point(x=1) == Point(x=1, y=2)
    assert hash(Point(x=1)) == hash(Point(x=1, y=2))
    assert Point(x=1) != Point(x=2)
    assert len({Point(x=1), Point(x=1), Point(x=3)}) == 2


def test_unique_records_are_equal_only_to_themselves() -> None:
    """Two with the same fields are two."""
    one, other = Thing(x=1), Thing(x=1)
    assert one == one  # noqa: PLR0124 - equality with itself is the fact
    assert one != other
    assert len({one, other}) == 2


@pytest.mark.parametrize("record", [Point(x=1), Thing(x=1), Span(start=0, stop=1)])
def test_records_are_frozen(record: object) -> None:
    """No field can be set, and none added."""
    with pytest.raises(AttributeError):
        setattr(record, "start" if isinstance(record, Span) else "x", 5)
    with pytest.raises(AttributeError):
        record.new = 5  # type: ignore[attr-defined]


def test_records_take_keywords_only() -> None:
    """By position, too few or unknown ones are refused."""
    make: Any = Point
    for positional, named in (((1,), {}), ((), {}), ((), {"x": 1, "z": 2})):
        with pytest.raises(TypeError):
            make(*positional, **named)


def test_changed_gives_another_record() -> None:
    """The first stays as it is; an unknown field is refused."""
    first = Point(x=1)
    assert (changed(first, y=7), first) == (Point(x=1, y=7), Point(x=1, y=2))
    with pytest.raises(TypeError):
        changed(first, z=1)


def test_spans_shift_as_a_whole() -> None:
    """Both ends, by bytes."""
    assert Span(start=2, stop=5).shifted(10) == Span(start=12, stop=15)
    assert Span(start=2, stop=5).shifted(-2) == Span(start=0, stop=3)


def test_counts_of_another_basis_are_other_counts() -> None:
    """Five measured tokens are not five estimated ones."""
    assert Count(tokens=5, basis=Basis.MEASURED) != Count(tokens=5, basis=Basis.ESTIMATED)
    assert [basis.value for basis in Basis] == ["measured", "counted", "estimated", "simulated"]


@pytest.mark.parametrize(
    ("fresh", "read", "writes", "total"),
    [
        (1, 2, {300: 3, 3600: 4}, 10),
        (1, None, None, 1),
        (0, 0, {}, 0),
        (None, 5, {300: 1}, None),
    ],
)
def test_input_is_fresh_read_and_written_together(
    fresh: int | None, read: int | None, writes: dict[int, int] | None, total: int | None
) -> None:
    """None where the fresh part is not recorded, which is not zero."""
    assert Usage(fresh=fresh, read=read, write_by_ttl_s=writes, output=1).input == total


def test_sections_stand_in_cache_order() -> None:
    """Tools, then system, then messages."""
    assert list(Section) == ["tools", "system", "messages"]


def _item(section: Section, wire: bytes) -> Item:
    part = Part(kind=Kind.OTHER, role="", path="", span=Span(start=0, stop=len(wire)))
    return Item(
        section=section, role="", within=wire, at=0, size_bytes=len(wire), parts=(part,), blocks=(), rendered=NOTHING
    )


def _request(tools: tuple[Item, ...] | None, system: tuple[Item, ...] | None, messages: tuple[Item, ...]) -> Request:
    return Request(
        raw=memoryview(b""),
        dialect="anthropic",
        model=None,
        tools=tools,
        tools_starts=tuple(range(100, 100 + len(tools or ()))),
        system=system,
        system_starts=tuple(range(50, 50 + len(system or ()))),
        messages=messages,
        starts=array("q", range(10, 10 + len(messages))),
        params=(),
        static=NOTHING,
        states=(),
    )


def test_placed_items_come_in_cache_order() -> None:
    """With their path and first byte, wherever they stand in the body; a section not recorded has none."""
    tool, block, first, second = (_item(section, b"{}") for section in (*Section, Section.MESSAGES))
    placed = list(_request((tool,), (block,), (first, second)).placed())
    assert [(path, start) for path, _, start in placed] == [
        ("tools.0", 100),
        ("system.0", 50),
        ("messages.0", 10),
        ("messages.1", 11),
    ]
    assert [item for _, item, _ in placed] == [tool, block, first, second]
    assert list(_request((tool,), (block,), (first, second)).head()) == [(tool, 100), (block, 50)]
    assert [path for path, _, _ in _request(None, None, (first,)).placed()] == ["messages.0"]
    assert list(_request(None, None, (first,)).head()) == []


def test_the_size_of_an_item_is_that_of_its_bytes() -> None:
    """In bytes, not characters."""
    assert _item(Section.MESSAGES, '"é"'.encode()).size_bytes == 4


@pytest.mark.parametrize(("within", "at"), [(b"[1,2]", 0), (b'{"a":[1,2]}', 5)])
def test_an_item_is_its_own_bytes_wherever_they_are_kept(within: bytes, at: int) -> None:
    """Alone, or in the record: as written, as a view, and for what stands in it and what only stands beside it."""
    part = Part(kind=Kind.OTHER, role="", path="", span=Span(start=0, stop=5))
    item = Item(
        section=Section.MESSAGES,
        role="",
        within=within,
        at=at,
        size_bytes=5,
        parts=(part,),
        blocks=(),
        rendered=NOTHING,
    )
    assert item.wire == bytes(item.view()) == b"[1,2]"
    assert [item.has(needle) for needle in (b"[1", b"2]", b"a", b"2]}")] == [True, True, False, False]
