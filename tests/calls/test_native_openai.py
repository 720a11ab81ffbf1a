"""OpenAI's own compaction: the exact bytes of its three calls."""

from __future__ import annotations

import json

import pytest

from cgcli.calls.call import CallMode, CallOptions
from tests.calls.asking import asking, assistant, behind_last, behind_members, built, compact, responses, user
from tests.calls.test_open_calls import ITEMS, OUTPUTS

HISTORY = [user("Build."), *ITEMS, *OUTPUTS, assistant("Done."), user("And now?")]
BODY = responses(HISTORY, prompt_cache_key="k", service_tier="flex", store=False, reasoning={"effort": "low"})
SPELLED = [compact(BODY), json.dumps(BODY, indent=2).encode()]


@pytest.mark.parametrize("data", SPELLED, ids=["compact", "pretty"])
@pytest.mark.parametrize(("trigger", "tokens"), [(None, 150_000), (49_999, 49_999)])
def test_at_a_threshold_the_parent_has_one_member_more(data: bytes, trigger: int | None, tokens: int) -> None:
    """Claude's least trigger is not OpenAI's."""
    at = behind_members(data)
    member = b'[{"type":"compaction","compact_threshold":%d}]' % tokens
    found = built(CallMode.NATIVE_THRESHOLD, asking(data, 0, 5, options=CallOptions(trigger_tokens=trigger)))
    assert found.body == data[:at] + b',"context_management":' + member + data[at:]
    assert (found.path, found.scope, found.scoped_by, found.headers) == ("/v1/responses", "all", "provider", {})


@pytest.mark.parametrize("data", SPELLED, ids=["compact", "pretty"])
def test_on_demand_the_last_item_asks(data: bytes) -> None:
    """Tools and instructions stay; it covers all of the input."""
    at = behind_last(data, "input")
    found = built(CallMode.NATIVE_ON_DEMAND, asking(data, 0, 5))
    assert found.body == data[:at] + b',{"type":"compaction_trigger"}' + data[at:]
    assert (found.path, found.scope, found.scoped_by) == ("/v1/responses", "all", "provider")
    assert (found.is_reversible, found.n_prefix_messages) == (False, 7)


def test_on_demand_a_string_becomes_a_list() -> None:
    """Of the message that it stands for, and the item that asks."""
    found = built(CallMode.NATIVE_ON_DEMAND, asking(b'{"model":"gpt-5","input":"Build."}', 0, 1))
    assert found.body == (
        b'{"model":"gpt-5","input":[{"role":"user","content":"Build."},{"type":"compaction_trigger"}]}'
    )


def test_the_endpoint_gets_what_it_takes() -> None:
    """Model, input up to the span's end, instructions and the cache's settings, as they are written; no tools."""
    found = built(CallMode.NATIVE_ENDPOINT, asking(compact(BODY), 1, 5))
    assert found.body == (
        b'{"model":"gpt-5.6-sol","instructions":"Be brief.","input":'
        + json.dumps(HISTORY[:5], separators=(",", ":")).encode()
        + b',"prompt_cache_key":"k","service_tier":"flex"}'
    )
    assert (found.path, found.scope, found.scoped_by) == ("/v1/responses/compact", (0, 5), "construction")


def test_the_endpoint_takes_a_string() -> None:
    """The input as it is."""
    found = built(CallMode.NATIVE_ENDPOINT, asking(b'{"input":"caf\\u00e9","model":"gpt-5"}', 0, 1))
    assert found.body == b'{"input":"caf\\u00e9","model":"gpt-5"}'
