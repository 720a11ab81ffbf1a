"""What an answer says it billed."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.model import Usage
from cgcli.readers import usage


def _usage(fresh: int, read: int, writes: dict[int, int], output: int | None) -> Usage:
    return Usage(fresh=fresh, read=read, write_by_ttl_s=writes, output=output)


UNKNOWN = Usage(fresh=None, read=None, write_by_ttl_s=None, output=None)
ANSWERS: dict[str, tuple[dict[str, Any], Usage | None]] = {
    "anthropic excludes reads and writes": (
        {
            "input_tokens": 4,
            "cache_creation_input_tokens": 231,
            "cache_read_input_tokens": 24_874,
            "output_tokens": 116,
            "service_tier": "standard",
        },
        _usage(4, 24_874, {300: 231}, 116),
    ),
    "anthropic splits writes by ttl": (
        {
            "input_tokens": 1,
            "cache_creation_input_tokens": 30,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
            "output_tokens": 2,
        },
        _usage(1, 0, {300: 10, 3600: 20}, 2),
    ),
    "a split that does not add up is not believed": (
        {
            "input_tokens": 1,
            "cache_creation_input_tokens": 30,
            "cache_creation": {"ephemeral_5m_input_tokens": 10},
            "output_tokens": 2,
        },
        _usage(1, 0, {300: 30}, 2),
    ),
    "anthropic without a cache": ({"input_tokens": 7, "output_tokens": 3}, _usage(7, 0, {}, 3)),
    "no output yet": ({"input_tokens": 7}, _usage(7, 0, {}, None)),
    "chat includes what was read": (
        {
            "prompt_tokens": 2006,
            "completion_tokens": 300,
            "total_tokens": 2306,
            "prompt_tokens_details": {"cached_tokens": 1920},
        },
        _usage(86, 1920, {}, 300),
    ),
    "responses include what was read and written": (
        {
            "input_tokens": 5000,
            "input_tokens_details": {"cached_tokens": 4000, "cache_write_tokens": 700},
            "output_tokens": 12,
        },
        _usage(300, 4000, {1800: 700}, 12),
    ),
    "responses split writes by ttl": (
        {
            "input_tokens": 5000,
            "input_tokens_details": {
                "cached_tokens": 4000,
                "cache_write_tokens": 700,
                "cache_write_tokens_details": {"ttl_30m_tokens": 500, "ttl_12h_tokens": 200},
            },
            "output_tokens": 12,
        },
        _usage(300, 4000, {1800: 500, 43_200: 200}, 12),
    ),
    "chat's split that does not add up is not believed": (
        {
            "prompt_tokens": 900,
            "prompt_tokens_details": {
                "cache_write_tokens": 700,
                "cache_write_tokens_details": {"ttl_12h_tokens": 200},
            },
            "completion_tokens": 12,
        },
        _usage(200, 0, {1800: 700}, 12),
    ),
    "a compaction on demand is only in the steps": (
        {
            "input_tokens": 0,
            "output_tokens": 0,
            "iterations": [
                {
                    "type": "compaction",
                    "input_tokens": 12,
                    "output_tokens": 900,
                    "cache_read_input_tokens": 80_000,
                    "cache_creation_input_tokens": 40,
                    "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 40},
                }
            ],
        },
        Usage(fresh=0, read=0, write_by_ttl_s={}, output=0, iterations=(_usage(12, 80_000, {3600: 40}, 900),)),
    ),
    "a step of another model has no counts of this one's": (
        {
            "input_tokens": 1,
            "output_tokens": 2,
            "iterations": [
                {"type": "message", "input_tokens": 1, "output_tokens": 2},
                {"type": "advisor_message", "input_tokens": 5, "output_tokens": 6},
                "odd",
            ],
        },
        Usage(fresh=1, read=0, write_by_ttl_s={}, output=2, iterations=(_usage(1, 0, {}, 2), UNKNOWN, UNKNOWN)),
    ),
    "litellm gives in the shape of chat what anthropic read and wrote": (
        {
            "prompt_tokens": 5000,
            "completion_tokens": 12,
            "prompt_tokens_details": {"cached_tokens": 4000, "cache_creation_tokens": 700},
            "cache_creation_input_tokens": 700,
            "cache_read_input_tokens": 4000,
        },
        _usage(300, 4000, {300: 700}, 12),
    ),
    "chat without details": ({"prompt_tokens": 9, "completion_tokens": 1}, _usage(9, 0, {}, 1)),
    "details of another shape": ({"prompt_tokens": 9, "prompt_tokens_details": "x"}, _usage(9, 0, {}, None)),
    "nothing in it": ({}, None),
    "figures of another kind": ({"input_tokens": "7", "output_tokens": True}, None),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_counts_of_an_answer_are_disjoint(case: str) -> None:
    """Fresh, read and written are what each provider means by its words."""
    figures, expected = ANSWERS[case]
    assert usage.of_answer({"usage": figures}) == expected


@pytest.mark.parametrize("answer", [{}, {"usage": None}, {"usage": [1]}, {"type": "error", "error": {}}])
def test_an_answer_without_usage_says_nothing(answer: dict[str, Any]) -> None:
    """None, not zeros."""
    assert usage.of_answer(answer) is None


def test_all_input_is_the_sum_of_its_kinds() -> None:
    """Fresh, read and written together; None where nothing is recorded."""
    assert _usage(4, 24_874, {300: 200, 3600: 31}, 1).input == 25_109
    assert Usage(fresh=None, read=None, write_by_ttl_s=None, output=3).input is None
    assert Usage(fresh=4, read=None, write_by_ttl_s=None, output=None).input == 4


@pytest.mark.parametrize(
    ("total", "read", "written", "fresh", "writes"),
    [(5000, 4000, 700, 300, {300: 700}), (9, 0, 0, 9, {}), (10, 8, 5, 0, {300: 5})],
)
def test_a_total_that_includes_all_is_split(
    total: int, read: int, written: int, fresh: int, writes: dict[int, int]
) -> None:
    """What was read and written is taken off; never below nothing."""
    assert usage.inclusive(total=total, read=read, written=written, output=2) == _usage(fresh, read, writes, 2)


START = (
    'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":3,'
    '"cache_creation_input_tokens":90,"cache_read_input_tokens":1000,"output_tokens":1}}}\n\n'
)
TEXT = 'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"the \\"usage\\" of it"}}\n\n'
END = 'event: message_delta\ndata: {"type":"message_delta","usage":{"output_tokens":57}}\n\n'
STREAMS: dict[str, tuple[str, Usage | None]] = {
    "anthropic": (START + TEXT + END + "event: message_stop\ndata: {}\n\n", _usage(3, 1000, {300: 90}, 57)),
    "cut before the last figures": (START + TEXT, _usage(3, 1000, {300: 90}, 1)),
    "cut in the middle of them": (START + TEXT + END[:60], _usage(3, 1000, {300: 90}, 1)),
    "input only known at the end": (
        (
            'data: {"message":{"usage":{"input_tokens":0,"output_tokens":0}}}\n\n'
            'data: {"usage":{"input_tokens":12,"cache_read_input_tokens":null,"output_tokens":5}}\n\n'
        ),
        _usage(12, 0, {}, 5),
    ),
    "chat with a last usage chunk": (
        (
            'data: {"choices":[{}],"usage":null}\n\ndata: {"choices":[],"usage":{"prompt_tokens":20,'
            '"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":8}}}\n\ndata: [DONE]\n\n'
        ),
        _usage(12, 8, {}, 4),
    ),
    "responses with separators in the text": (
        (
            'data: {"type":"response.completed","response":{"output":"a\u2028b","usage":{"input_tokens":20,'
            '"input_tokens_details":{"cached_tokens":8},"output_tokens":4}}}\r\n\r\n'
        ),
        _usage(12, 8, {}, 4),
    ),
    "no usage": (TEXT, None),
    "no stream": ('{"usage":{"input_tokens":1}}', None),
    "events that are no objects": ('data: ["usage"]\n\ndata: {"message":7,"usage":"usage"}\n\n', None),
    "events nested too deeply": ('data: {"usage":' + "[" * 100_000 + "\n\n", None),
    "nothing": ("", None),
}


@pytest.mark.parametrize("case", STREAMS)
def test_counts_of_a_stream_are_put_together(case: str) -> None:
    """The first event has the input, the last one the output; figures that are null change nothing."""
    stream, expected = STREAMS[case]
    assert usage.of_stream(stream) == expected
