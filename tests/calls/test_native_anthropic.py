"""Claude's own compaction: the exact bytes and headers of both calls."""

from __future__ import annotations

import json

import pytest

from cgcli.calls.build import build
from cgcli.calls.call import CallMode, CallOptions
from cgcli.wire.strings import Style
from tests.calls.asking import (
    SESSION,
    Json,
    asking,
    assistant,
    behind_members,
    built,
    call,
    claude,
    compact,
    result,
    text,
    user,
)

MARK = {"type": "ephemeral"}
MARKED = b',"cache_control":{"type":"ephemeral"}'
THRESHOLD, ON_DEMAND = CallMode.NATIVE_THRESHOLD, CallMode.NATIVE_ON_DEMAND
PLAIN = CallOptions()
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("options", "member"),
    [
        (PLAIN, b'{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":150000}}]}'),
        (
            CallOptions(trigger_tokens=50_000),
            b'{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":50000}}]}',
        ),
        (
            CallOptions(trigger_tokens=400_000, pause=True),
            (
                b'{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":400000},'
                b'"pause_after_compaction":true}]}'
            ),
        ),
        (
            CallOptions(prompt="Be é."),
            (
                b'{"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":150000},'
                b'"instructions":"Be \\u00e9."}]}'
            ),
        ),
    ],
)
def test_at_a_threshold_the_parent_has_one_member_more(options: CallOptions, member: bytes, indent: int | None) -> None:
    """`context_management` at its end, every other byte the parent's."""
    data = json.dumps(claude(*SESSION), indent=indent).encode()
    at = behind_members(data)
    found = built(THRESHOLD, asking(data, options=options))
    assert found.body == data[:at] + b',"context_management":' + member + data[at:]


def test_what_is_said_of_a_call_at_a_threshold() -> None:
    """It covers the whole request, by the provider's choice, and nothing gives it back."""
    found = built(THRESHOLD, asking(claude(*SESSION), options=PLAIN))
    assert (found.path, found.scope, found.scoped_by, found.is_reversible) == ("/v1/messages", "all", "provider", False)
    assert (dict(found.headers), found.n_prefix_messages) == ({"anthropic-beta": "compact-2026-01-12"}, 7)


@pytest.mark.parametrize(("pause", "more"), [(False, 0), (True, 1)])
def test_a_pause_is_a_round_trip_more(pause: bool, more: int) -> None:  # noqa: FBT001 - a parameter of the test
    """The answer is the compaction alone, and the request is sent again."""
    found = built(THRESHOLD, asking(claude(*SESSION), options=CallOptions(pause=pause)))
    assert found.extra_round_trips == more


@pytest.mark.parametrize("indent", [None, 2])
def test_on_demand_the_parent_is_cut_at_the_spans_end(indent: int | None) -> None:
    """The messages behind the span are gone, `compaction` is there, and every other byte is the parent's."""
    whole = claude(*SESSION, metadata={"user_id": "u"})
    cut = json.dumps({**whole, "messages": [*SESSION[:3]]}, indent=indent).encode()
    at = behind_members(cut)
    found = built(ON_DEMAND, asking(json.dumps(whole, indent=indent).encode(), 1, 3, options=PLAIN))
    assert found.body == cut[:at] + b',"compaction":{"type":"summarize"}' + cut[at:]


def test_what_is_said_of_a_call_on_demand() -> None:
    """It covers everything up to the span's end, the pinned head too, because nothing else is in it."""
    found = built(ON_DEMAND, asking(claude(*SESSION), 1, 3, options=PLAIN))
    assert (found.path, found.scope, found.scoped_by) == ("/v1/messages", (0, 3), "construction")
    assert (dict(found.headers), found.n_prefix_messages) == ({"anthropic-beta": "compact-2026-09-04"}, 3)
    assert (found.is_reversible, found.extra_round_trips) == (False, 0)


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        (None, b'{"type":"summarize"}'),
        ("  ", b'{"type":"summarize"}'),
        ("Keep é.", '{"type":"summarize","instructions":"Keep é."}'.encode()),
    ],
)
def test_a_prompt_becomes_instructions(prompt: str | None, wanted: bytes) -> None:
    """A blank one is the same as none."""
    options = CallOptions(prompt=prompt, style=Style.UTF8)
    found = built(ON_DEMAND, asking(claude(*SESSION), options=options))
    assert found.body.endswith(b',"compaction":' + wanted + b"}")


def cut_to(*messages: Json, system: object = "s", behind: Json | None = None, **more: object) -> bytes:
    """The `messages` of the call on demand up to *messages*, in a request that is marked behind the cut."""
    tail = behind if behind is not None else user(text("now?", cache_control=MARK))
    body = claude(*messages, assistant("ok"), tail, system=system, **more)
    found = built(ON_DEMAND, asking(compact(body), 0, len(messages), options=PLAIN)).body
    assert len(json.loads(found)["messages"]) == len(messages)
    return found


def test_the_last_block_of_the_cut_is_marked() -> None:
    """The parent's mark behind the cut is gone: from a mark of its own the provider looks back for what it holds."""
    body = cut_to(user(text("a")), assistant(text("b")))
    assert b'"messages":[' + compact(user(text("a"))) + b"," in body
    assert b'{"role":"assistant","content":[{"type":"text","text":"b"' + MARKED + b"}]}" in body
    assert body.count(b"cache_control") == 1


def test_content_that_is_a_string_becomes_a_marked_block() -> None:
    """A string cannot be marked; as one text block it reads the same."""
    body = cut_to(user("caf\u00e9"))
    assert '{"role":"user","content":[{"type":"text","text":"café"'.encode() + MARKED + b"}]}" in body


@pytest.mark.parametrize(
    ("last", "wanted"),
    [
        (
            assistant(text("b"), THOUGHT),
            b'{"type":"text","text":"b"' + MARKED + b'},{"type":"thinking","thinking":"hm","signature":"c2ln"}]}',
        ),
        (assistant(THOUGHT), b'{"type":"text","text":"a"' + MARKED + b'}]},{"role":"assistant"'),
    ],
)
def test_a_block_that_cannot_be_marked_is_passed_over(last: Json, wanted: bytes) -> None:
    """Thinking takes no mark: the last block before it that does gets it, in another message if need be."""
    assert wanted in cut_to(user(text("a")), last)


def test_a_tool_result_can_be_marked() -> None:
    """At the end of the block, whatever is in it."""
    body = cut_to(user("go"), assistant(call("a")), user(result("a", "out")))
    assert b'"tool_use_id":"a","content":"out"' + MARKED + b"}]}" in body


def test_a_mark_that_is_null_is_filled_in() -> None:
    """The key may not stand twice."""
    body = cut_to(user(text("a", cache_control=None)))
    assert b'{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}' in body


@pytest.mark.parametrize(("n_before", "n_after"), [(2, 3), (3, 4), (4, 4)])
def test_there_is_never_a_fifth_mark(n_before: int, n_after: int) -> None:
    """Those of tools, system prompt and messages before the cut count; none of them moves."""
    system = [text(str(i), cache_control=MARK) for i in range(n_before)]
    whole = cut_to(user(text("a")), system=system)
    assert whole.count(b"cache_control") == n_after
    assert json.loads(whole)["system"] == system


@pytest.mark.parametrize(
    "body",
    [
        claude(user(text("a")), assistant(text("b")), user("now?")),
        claude(user(text("a", cache_control=MARK)), assistant(text("b")), user(text("now?", cache_control=MARK))),
        claude(user(text("a")), assistant(text("b")), user("now?"), cache_control=MARK),
    ],
    ids=["no mark at all", "marked already", "automatic"],
)
def test_a_mark_that_would_not_help_is_not_set(body: Json) -> None:
    """Nothing was written that could be found; or a mark is there; or the provider sets one itself."""
    found = built(ON_DEMAND, asking(body, 0, 1, options=PLAIN)).body
    assert json.loads(found)["messages"] == body["messages"][:1]


@pytest.mark.parametrize(
    ("last", "wanted"),
    [
        (assistant("Done. \n"), b'{"role":"assistant","content":"Done."}'),
        (
            assistant(text("caf\u00e9\t\u2028 ")),
            '{"role":"assistant","content":[{"type":"text","text":"café"}]}'.encode(),
        ),
        (assistant(text("a\\n "), text("b  ")), b'{"type":"text","text":"a\\\\n "},{"type":"text","text":"b"}]}'),
        (assistant(text("b  "), THOUGHT), b'{"type":"text","text":"b  "}'),
        (user("Done.  "), b'{"role":"user","content":"Done.  "}'),
    ],
)
def test_white_space_at_the_end_of_the_assistants_last_text_goes(last: Json, wanted: bytes) -> None:
    """The provider refuses it there, and there alone; the rest of the text keeps its spelling."""
    body = claude(user("a"), last, user("now?"))
    assert wanted in built(ON_DEMAND, asking(body, 0, 2, options=PLAIN)).body


def test_a_text_that_was_cut_back_is_no_message_of_the_parents() -> None:
    """It is changed, so one message less stands at the head of the call as it was sent."""
    body = claude(user("a"), assistant("Done.  "), user("now?"))
    assert built(ON_DEMAND, asking(body, 0, 2, options=PLAIN)).n_prefix_messages == 1


def test_white_space_goes_and_a_mark_comes_in_one_text() -> None:
    """Both edits meet in one string."""
    body = cut_to(user("a"), assistant("Done. \n"))
    assert b'{"role":"assistant","content":[{"type":"text","text":"Done."' + MARKED + b"}]}" in body


def test_a_last_text_of_white_space_alone_is_refused() -> None:
    """There is nothing that could be sent in its place."""
    found = build(ON_DEMAND, asking(claude(user("a"), assistant(text(" \n")), user("now?")), 0, 2, options=PLAIN))
    assert "nothing but white space" in getattr(found, "detail", "")


def test_the_escapes_of_a_text_that_is_cut_back_stay() -> None:
    """The bytes before the white space are the caller's, however they are spelled."""
    data = (
        rb'{"model":"claude-opus-4-8","max_tokens":9,"system":"s","messages":[{"role":"user","content":"a"},'
        rb'{"role":"assistant","content":"\u0063af\u00e9 \/ \ud83d\ude00\u0020\n"},{"role":"user","content":"b"}]}'
    )
    body = built(ON_DEMAND, asking(data, 0, 2, options=PLAIN)).body
    assert rb'{"role":"assistant","content":"\u0063af\u00e9 \/ \ud83d\ude00"}],"compaction":' in body
