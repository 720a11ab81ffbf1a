"""OpenAI's stored responses: the request is the whole chain, where that is in the file."""

from __future__ import annotations

from typing import Any

import pytest

from tests.readers.histories.rebuilding import Json, answer, jsonl, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import FIXTURES

LIST = FIXTURES / "stored-responses" / "list.json"
WORDS = (
    *("object", "response", "list", "data", "id", "previous_response_id", "input", "output", "created_at", "model"),
    *("usage", "instructions", "tools", "conversation", "role", "content", "type", "message"),
)


def _response(name: str, **more: Any) -> Json:
    return {"id": name, "object": "response", "model": "m", "input": name, "output": [{"type": name}], **more}


def test_a_chain_is_put_together_where_it_is_whole() -> None:
    """Input and output of each one before; one whose input has them already is not given them twice."""
    found = of_path(LIST)
    assert found.capture.format_name == "stored-responses"
    kinds = [[item.get("role") for item in body["input"]] for body in found.bodies]
    assert kinds[0] == ["user"]
    assert kinds[1] == ["user", "assistant", "user"]
    assert kinds[2] == ["user", "assistant", "user", "assistant", "user"]
    assert kinds[3] == ["user"]
    assert found.lanes() == [[[1, 2, 3]], [[4]]]
    assert {one.session_id for one in found.exchanges} == {"resp_a", "resp_d"}
    assert all(one.source.reconstructed for one in found.exchanges)


def test_the_body_has_what_the_response_says_of_its_request() -> None:
    """A text as input is a person's message; what ties it to others is left out."""
    body = of_path(LIST).bodies[0]
    assert list(body) == ["model", "instructions", "tools", "input"]
    assert body["input"] == [{"role": "user", "content": "When is high water?"}]


def test_what_the_file_does_not_say_is_refused() -> None:
    """A parent that is not there, an input that is not there, a conversation."""
    passed = of_path(LIST).passed
    assert {(one.reason, one.usable) for _, one in passed} == {("history_not_recorded", False)}
    assert [one.detail for _, one in passed] == [
        "what it goes on from is not in the file, with its input: resp_lost",
        "the response does not have its `input`: GET /responses/{id}/input_items has it",
        "it belongs to a conversation, whose items are not in it",
    ]


def test_answers_usage_and_times_are_recorded() -> None:
    """The answer is the response itself."""
    found = of_path(LIST)
    assert found.billed == [(20, 30, {}, 6)] * 4
    assert [one.sent_s for one in found.exchanges] == [1_772_438_400, 1_772_438_410, 1_772_438_410, 1_772_438_420]
    said = [answer(one) for one in found.exchanges]
    assert [one and one["id"] for one in said] == ["resp_a", "resp_b", "resp_c", "resp_d"]


@pytest.mark.parametrize("order", ["abc", "cba", "bca", "cab"])
def test_a_chain_is_found_in_any_order(order: str) -> None:
    """Without times, how far each stands from the first one tells."""
    chain = {"a": _response("a"), "b": _response("b", previous_response_id="a")}
    chain["c"] = _response("c", previous_response_id="b")
    found = rebuilt(jsonl([chain[name] for name in order]))
    assert [len(body["input"]) for body in found.bodies] == [1, 3, 5]


def test_chains_without_a_beginning_end() -> None:
    """Two that go on from each other, one that goes on from itself, and one that goes on from a refused one."""
    found = rebuilt(
        jsonl(
            [
                _response("a", previous_response_id="b"),
                _response("b", previous_response_id="a"),
                _response("c", previous_response_id="c"),
                _response("d", previous_response_id="c"),
            ]
        )
    )
    assert (found.bodies, len(found.passed)) == ([], 4)


def test_usage_without_details_is_openais() -> None:
    """The input has what was read in it; none is said to be."""
    found = rebuilt(jsonl([_response("a", usage={"input_tokens": 9, "output_tokens": 2})]))
    assert found.billed == [(9, 0, {}, 2)]


def test_damaged_lists_are_read_or_reported() -> None:
    """Never another error."""
    survives("stored-responses", ["stored-responses/list.json"], WORDS)
