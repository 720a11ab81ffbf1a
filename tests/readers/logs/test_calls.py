"""Model calls among HTTP calls, and what their logs keep of bodies and answers."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest

from cgcli.readers.logs import calls
from cgcli.wire.spans import Malformed


@pytest.mark.parametrize(
    ("method", "url", "is_call"),
    [
        ("POST", "https://api.anthropic.com/v1/messages", True),
        ("post", "https://h/v1/messages/?beta=true#x", True),
        (None, "https://h/openai/deployments/d/chat/completions?api-version=1", True),
        ("POST", "https://openrouter.ai/api/v1/responses", True),
        ("POST", "/v1/messages", True),
        ("POST", "https://bedrock-runtime.x.amazonaws.com/model/eu.anthropic.claude-v1:0/invoke", True),
        ("POST", "https://b/model/a%3A0/invoke-with-response-stream", True),
        ("POST", "https://v/models/claude@1:streamRawPredict", True),
        ("POST", "https://v/models/claude@1:rawPredict?x=1", True),
        ("GET", "https://h/v1/messages", False),
        ("POST", "https://h/v1/messages/count_tokens", False),
        ("POST", "https://h/v1/messages/batches", False),
        ("POST", "https://h/v1/responses/resp_1", False),
        ("POST", "https://h/model/a/invoke/extra", False),
        ("POST", "https://h/?next=/v1/messages", False),
        ("POST", "", False),
        ("POST", None, False),
    ],
)
def test_a_model_call_is_a_post_to_a_path_that_models_answer_at(
    method: str | None,
    url: str | None,
    is_call: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """Messages, Chat Completions, Responses, Bedrock and Vertex; counting, batches and reading back are none."""
    assert calls.is_model_call(method, url) is is_call


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (b"", "empty"),
        (b"[]", "not_a_container"),
        (b"{}", "no_body"),
        (b'{"messages":[]', "cut"),
        (b'{"messages":[],"messages":[]}', "duplicate_key"),
        (b"--boundary", "not_json"),
        (b'{"messages":"\xff"}', "invalid_utf8"),
    ],
)
def test_what_is_no_body_is_said_to_be_none(written: bytes, reason: str) -> None:
    """The reason is the one under which such a record is counted."""
    with pytest.raises(Malformed) as caught:
        calls.checked_body(written)
    assert caught.value.reason == reason


def test_a_body_is_kept_as_it_is_written() -> None:
    """White space, the order of keys and the spelling of numbers."""
    written = b' {"messages" : [ ], "temperature":1.0}\n'
    assert calls.checked_body(written) == written


def test_a_lone_surrogate_becomes_its_escape() -> None:
    """So that the text, which is JSON, stays JSON in UTF-8."""
    written = calls.utf8('{"messages":["é\ud83d"]}')
    assert written == b'{"messages":["\xc3\xa9\\ud83d"]}'
    assert json.loads(written) == {"messages": ["é\ud83d"]}


def test_an_answer_is_an_object_or_a_stream() -> None:
    """Each with its usage; an error, a page, a cut object and bytes that are no text are none."""
    body = b'{"content":[],"usage":{"input_tokens":3,"output_tokens":4}}'
    whole = calls.answered(body)
    assert whole.find is not None
    assert whole.usage is not None
    assert (whole.find(), whole.usage.fresh, whole.usage.output) == (body, 3, 4)
    stream = calls.answered(b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n')
    assert stream.find is not None
    assert json.loads(stream.find() or b"") == {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}]
    }
    error = calls.answered(b'{"type":"error"}')
    assert error.find is not None
    assert (error.find(), error.usage) == (None, None)
    for nothing in (body[:-4], b"data: \xff"):
        assert calls.answered(nothing) == calls.NOT_ANSWERED
    page = calls.answered(b"<html>busy</html>")
    assert page.find is not None
    assert (page.find(), page.usage) == (None, None)


def test_packed_content_is_unpacked() -> None:
    """Both gzip and deflate are told by their first bytes; everything else is left as it is."""
    assert calls.unpacked(gzip.compress(b"abc")) == b"abc"
    assert calls.unpacked(zlib.compress(b"abc")) == b"abc"
    assert calls.unpacked(b'{"a":1}') == b'{"a":1}'


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"abc")[:-9], b"\x1f\x8bnonsense", b"\x78\x9c\xff\xff"],
    ids=["cut", "nonsense", "deflate"],
)
def test_damaged_packed_content_is_said_to_be_so(content: bytes) -> None:
    """Cut or wrong."""
    with pytest.raises(Malformed, match="packed content"):
        calls.unpacked(content)


def test_packed_content_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small packet cannot become a large one without end."""
    monkeypatch.setattr(calls, "_MOST_UNPACKED_BYTES", 1000)
    assert calls.unpacked(gzip.compress(bytes(999))) == bytes(999)
    with pytest.raises(Malformed, match="larger than"):
        calls.unpacked(gzip.compress(bytes(2000)))


@pytest.mark.parametrize(("text", "data"), [("YWJj", b"abc"), ("YW\n Jj", b"abc"), ("", b""), ("a", None), ("é", None)])
def test_base64_may_have_line_ends(text: str, data: bytes | None) -> None:
    """What is none is None."""
    assert calls.from_base64(text) == data
