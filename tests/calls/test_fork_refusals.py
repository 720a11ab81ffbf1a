"""Every reason against a fork (group D of the fork pull request), and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from cgcli.calls.attempt import attempt
from cgcli.calls.build import build
from cgcli.calls.call import CallMode, CallOptions, PrefixSource
from cgcli.calls.why import SAYS, Why
from cgcli.model import Refusal, Source
from cgcli.readers.single import parse_body
from tests.calls.asking import (
    SESSION,
    Json,
    asking,
    assistant,
    built,
    call,
    chat,
    claude,
    compact,
    refused,
    responses,
    result,
    text,
    user,
)
from tests.calls.test_open_calls import CHAT_A, CHAT_CALLS, ITEMS, OUTPUTS

if TYPE_CHECKING:
    from typing import Any

    from cgcli.calls.call import Asking
    from cgcli.wire.strings import Style

OPEN = claude(user("go"), assistant("ok"), user("go"), assistant(call("a"), call("b")), user(result("b")))
OTHER = parse_body(compact(claude(user("something else"), assistant("and its answer"))))
SCHEMA = {"type": "json_schema", "schema": {"type": "object"}}
NO_TEXT = CallOptions(style=cast("Style", "of no encoder"))


def detail(wanted: Asking) -> str:
    """What is told a person."""
    found = build(CallMode.FORK, wanted)
    assert isinstance(found, Refusal)
    return found.detail


def test_nothing_is_against_the_plain_case() -> None:
    """The parent that the others change one thing of can be forked."""
    assert built(CallMode.FORK, asking(claude(*SESSION))).mode is CallMode.FORK


def test_tools_that_are_not_recorded_refuse() -> None:
    """They come first in the prefix: without them a fork diverges at byte 0."""
    assert refused(CallMode.FORK, asking(claude(*SESSION), tools_recorded=False)) == "tools_not_recorded"


@pytest.mark.parametrize("body", [claude(*SESSION, tools=[]), {"model": "m", "max_tokens": 1, "messages": [*SESSION]}])
def test_recorded_as_none_is_not_unrecorded(body: Json) -> None:
    """An empty list, and a body without the member, say that there were no tools."""
    assert built(CallMode.FORK, asking(body)).mode is CallMode.FORK


def test_another_model_refuses() -> None:
    """It shares nothing with the parent's cache; its own name does not."""
    options = CallOptions(model="claude-haiku-4-5")
    assert refused(CallMode.FORK, asking(claude(*SESSION), options=options)) == "other_model"
    same = CallOptions(model="claude-opus-4-8")
    assert built(CallMode.FORK, asking(claude(*SESSION), options=same)).mode is CallMode.FORK


@pytest.mark.parametrize(
    "wanted", [asking(claude(*SESSION), prefix_source=None), asking(responses([]), 0, 0)], ids=["unsent", "empty"]
)
def test_no_parent_refuses(wanted: Asking) -> None:
    """Nothing of the lane was sent before: there is no prefix to append to."""
    assert refused(CallMode.FORK, wanted) == "no_parent"


@pytest.mark.parametrize("n", [1, 7])
def test_a_stale_record_refuses(n: int) -> None:
    """Other requests were sent since; the first test of this feature asserted that a view takes the record's place."""
    wanted = asking(claude(*SESSION), views_since_send=n)
    assert refused(CallMode.FORK, wanted) == "parent_not_sent"
    assert detail(wanted).endswith(f": {n} sent since")


def test_a_view_refuses() -> None:
    """Rebuilt from a history, its bytes are nobody's: it is never put in the place of what was sent."""
    view = asking(claude(*SESSION), prefix_source=PrefixSource.MODULE_VIEW)
    rebuilt = asking(claude(*SESSION), source=Source(file="t", line=1, wrap="object", reconstructed=True))
    assert [refused(CallMode.FORK, one) for one in (view, rebuilt)] == ["parent_not_sent", "parent_not_sent"]


@pytest.mark.parametrize(
    "body",
    [
        OPEN,
        claude(user("go"), assistant("ok"), user("go"), assistant(text("I"), call("a"))),
        claude(user("go"), assistant("ok"), user("go"), assistant(call("a"), call("b")), user(result("a"), text("?"))),
        chat(user("go"), assistant("ok"), user("go"), CHAT_CALLS),
        chat(user("go"), assistant("ok"), user("go"), CHAT_CALLS, CHAT_A),
        responses([user("go"), assistant("ok"), user("go"), *ITEMS, OUTPUTS[0]]),
    ],
)
def test_open_tool_calls_refuse(body: Json) -> None:
    """All shapes, partly answered too: a user message there would stand between a call and its result."""
    assert refused(CallMode.FORK, asking(body, 0, 2)) == "open_tool_calls"


def test_the_open_calls_are_named() -> None:
    """Which are open, and not the one that is answered."""
    assert detail(asking(OPEN, 0, 2)).endswith(": 'a'")


@pytest.mark.parametrize(
    "wanted",
    [
        asking(claude(*SESSION), 0, 2, span_request=OTHER),
        asking(claude(*SESSION), 5, 9),
        asking(claude(*SESSION), 3, 3),
        asking(claude(*reversed(SESSION[:2]), *SESSION[2:3]), 0, 2, span_request=parse_body(compact(claude(*SESSION)))),
    ],
    ids=["other content", "out of range", "empty", "other order"],
)
def test_a_span_that_is_not_in_the_parent_refuses(wanted: Asking) -> None:
    """By content and in order: the same messages the other way round are not the span."""
    assert refused(CallMode.FORK, wanted) == "span_not_in_parent"


def test_a_span_that_was_shortened_in_the_parent_refuses() -> None:
    """A stub in the place of an output: a fork would summarise less than was meant."""
    stubbed = (*SESSION[:2], user(result("a", "[older output left out]")), *SESSION[3:])
    whole = parse_body(compact(claude(*SESSION)))
    assert refused(CallMode.FORK, asking(claude(*stubbed), 1, 3, span_request=whole)) == "span_not_in_parent"


def test_the_window_refuses() -> None:
    """Parent, instruction and 8,000 must fit: at the limit they do, a token less and they do not."""
    told = detail(asking(claude(*SESSION), tokens=100_000, window_tokens=0))
    instruction = int(told.split(" + ")[1])
    assert 20 < instruction < 400
    limit = 100_000 + instruction + 8_000
    fits = asking(claude(*SESSION), tokens=100_000, window_tokens=limit)
    assert built(CallMode.FORK, fits).mode is CallMode.FORK
    over = asking(claude(*SESSION), tokens=100_000, window_tokens=limit - 1)
    assert refused(CallMode.FORK, over) == "window"
    assert detail(over).endswith(f"100,000 + {instruction} + 8,000 tokens, and the window has {limit - 1:,}")


def test_the_window_counts_where_nobody_did() -> None:
    """Without the parent's tokens they are counted; without a window there is nothing to exceed."""
    assert refused(CallMode.FORK, asking(claude(*SESSION), window_tokens=8_100)) == "window"
    assert built(CallMode.FORK, asking(claude(*SESSION), tokens=10**9)).mode is CallMode.FORK


@pytest.mark.parametrize(
    ("body", "reason", "named"),
    [
        (claude(*SESSION, tool_choice={"type": "any"}), "forced_tool_choice", "tool_choice any"),
        (claude(*SESSION, tool_choice={"type": "tool", "name": "Bash"}), "forced_tool_choice", "tool_choice tool"),
        (chat(*SESSION[5:], tool_choice="required"), "forced_tool_choice", "tool_choice required"),
        (chat(*SESSION[5:], tool_choice={"type": "function"}), "forced_tool_choice", "tool_choice function"),
        (chat(*SESSION[5:], function_call={"name": "Bash"}), "forced_tool_choice", "function_call"),
        (
            responses([user("a"), assistant("b")], tool_choice={"type": "allowed_tools", "mode": "required"}),
            "forced_tool_choice",
            "tool_choice allowed_tools",
        ),
        (claude(*SESSION, output_config={"format": SCHEMA}), "structured_output", "output_config.format"),
        (claude(*SESSION, output_format=SCHEMA), "structured_output", "output_format"),
        (chat(*SESSION[5:], response_format={"type": "json_object"}), "structured_output", "response_format"),
        (responses([user("a"), assistant("b")], text={"format": SCHEMA}), "structured_output", "text.format"),
        (responses([user("a"), user("b")], previous_response_id="r"), "previous_response", "previous_response_id"),
        (responses([user("a"), user("b")], conversation={"id": "c"}), "previous_response", "conversation"),
    ],
)
def test_a_parent_that_would_not_answer_with_a_summary_refuses(body: Json, reason: str, named: str) -> None:
    """The setting stays as it is, so the answer would be a tool call, a schema's JSON, or about half a history."""
    wanted = asking(body, 0, 1)
    assert refused(CallMode.FORK, wanted) == reason
    assert detail(wanted).endswith(f": {named}")


@pytest.mark.parametrize(
    "body",
    [
        claude(*SESSION, tool_choice={"type": "none"}, output_config={"effort": "low", "format": None}),
        chat(*SESSION[5:], tool_choice="auto", response_format={"type": "text"}),
        chat(*SESSION[5:], tool_choice={"type": "allowed_tools", "allowed_tools": {"mode": "auto"}}),
        responses([user("a"), user("b")], previous_response_id=None, text={"format": {"type": "text"}}),
        responses([user("a"), user("b")], text={"verbosity": "low"}, tool_choice="none"),
    ],
)
def test_settings_that_leave_it_free_do_not_refuse(body: Json) -> None:
    """What allows a text is no obstacle, nor is a member that is null."""
    assert built(CallMode.FORK, asking(body, 0, 1)).mode is CallMode.FORK


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (claude(user("a"), assistant("b"), user("c"), {"role": "system", "content": "Be brief."}), "system_misplaced"),
        (claude(user("a"), assistant("b"), user("c"), assistant("")), "build_failed"),
        (claude(user("a"), assistant("b"), compaction={"type": "summarize"}), "parent_is_call"),
        (responses([user("a"), assistant("b"), {"type": "compaction_trigger"}]), "parent_is_call"),
    ],
)
def test_a_parent_that_nothing_may_be_put_behind_refuses(body: Json, reason: str) -> None:
    """Each could be sent as it is, and is answered with 400 where a user's message comes behind it."""
    assert refused(CallMode.FORK, asking(body, 0, 1)) == reason


def test_a_build_that_raises_refuses() -> None:
    """With what it raised: nothing is lost but the fork."""
    wanted = asking(claude(*SESSION), options=NO_TEXT)
    assert refused(CallMode.FORK, wanted) == "build_failed"
    assert detail(wanted) == "building the call failed: KeyError('of no encoder')"


def test_what_is_attempted_comes_back_or_its_reason_does() -> None:
    """A value where there is one; any exception is a refusal."""

    def fail() -> int:
        raise RuntimeError("disk")

    assert attempt(lambda: 3) == 3
    assert attempt(fail) == Refusal(reason="build_failed", detail="building the call failed: RuntimeError('disk')")


def test_two_faults_give_the_first() -> None:
    """With all faults at once the first is told; as each is mended, the next one is."""
    options = CallOptions(model="other", style=cast("Style", "none"))
    body = claude(*OPEN["messages"], tool_choice={"type": "any"}, output_config={"format": SCHEMA})
    faults: Json = {
        "tools_recorded": False,
        "prefix_source": None,
        "views_since_send": 3,
        "window_tokens": 1,
        "tokens": 5,
    }
    mending: list[tuple[str, Any]] = [
        ("tools_recorded", True),
        ("options", CallOptions(style=options.style)),
        ("prefix_source", PrefixSource.WIRE_RECORD),
        ("views_since_send", 0),
        ("data", claude(*OPEN["messages"][:3], tool_choice={"type": "any"}, output_config={"format": SCHEMA})),
        ("stop", 2),
        ("window_tokens", None),
        ("data", claude(*OPEN["messages"][:3], output_config={"format": SCHEMA})),
        ("data", claude(*OPEN["messages"][:3])),
    ]
    given: Json = {"data": body, "start": 0, "stop": 99, "options": options, **faults}
    reasons = [refused(CallMode.FORK, asking(**given))]
    for name, mended in mending:
        given[name] = mended
        reasons.append(refused(CallMode.FORK, asking(**given)))
    assert reasons == [
        "tools_not_recorded",
        "other_model",
        "no_parent",
        "parent_not_sent",
        "open_tool_calls",
        "span_not_in_parent",
        "window",
        "forced_tool_choice",
        "structured_output",
        "build_failed",
    ]


def test_every_reason_is_documented_in_one_line() -> None:
    """The table has them all, in their order, and each line is another one."""
    assert list(SAYS) == list(Why)
    assert len(set(SAYS.values())) == len(SAYS)
    assert [line for line in SAYS.values() if "\n" in line or line[0].isupper() or line[-1] in ".:"] == []
