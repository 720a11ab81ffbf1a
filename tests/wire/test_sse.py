"""Server-sent events."""

from __future__ import annotations

import pytest

from cgcli.wire import sse

STREAM = 'event: a\ndata: {"n":1}\n\n: ping\n\nevent: b\ndata: {"n":2}\n\n'


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        ("", []),
        (STREAM, ['{"n":1}', '{"n":2}']),
        (STREAM.replace("\n", "\r\n"), ['{"n":1}', '{"n":2}']),
        (STREAM.replace("\n", "\r"), ['{"n":1}', '{"n":2}']),
        ("data: one\ndata: two\n\ndata: three\n\n", ["one\ntwo", "three"]),
        ("data:tight\n\ndata:  two spaces\n\n", ["tight", " two spaces"]),
        ("data: cut off", ["cut off"]),
        ("data: first\n\n\n\ndata: second\n", ["first", "second"]),
        ("data:\n\n", [""]),
        ("id: 7\nretry: 10\n: comment\n\n", []),
        # JSON may hold these unescaped; they end no line of a stream.
        ('data: {"t":"a\u2028b\u2029c\x85d\x0b\x0c\x1ce"}\n\n', ['{"t":"a\u2028b\u2029c\x85d\x0b\x0c\x1ce"}']),
        ("data: [DONE]\n\n", ["[DONE]"]),
    ],
)
def test_data_of_each_event(stream: str, events: list[str]) -> None:
    """Any of the three line ends, several data lines joined, comments and other fields left out."""
    assert list(sse.data(stream)) == events
