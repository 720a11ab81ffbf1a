"""The request that follows each shape: what stands in it, and which prefix is kept."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.calls.call import NATIVE, CallMode
from tests.calls.asking import SESSION, assistant, call, claude, compact, text, user
from tests.running import FIXTURES
from tests.shapes.comparing import compare, generated, one, shape

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.shapes.comparison import Following

AGENT = FIXTURES / "context-guru" / "agent.jsonl"


def following(path: Path, mode: CallMode, **options: Any) -> Following:
    """What follows, which must be there."""
    found = shape(one(compare(path, **options)), mode).following
    assert found is not None
    assert found.refusal is None
    return found


def bodies(path: Path) -> list[dict[str, Any]]:
    """The bodies of a capture in lines that are JSON, by the standard library."""
    found = []
    for line in path.read_bytes().splitlines():
        with suppress(ValueError):
            found.append(json.loads(line)["body"])
    return found


@pytest.mark.parametrize("mode", [CallMode.STANDALONE, CallMode.FORK])
def test_a_summary_of_ours_is_a_users_message_with_its_marker(mode: CallMode) -> None:
    """It stands where the span stood in the lane's next request, under the hash of the span's own bytes."""
    found = one(compare(AGENT))
    after = following(AGENT, mode)
    body = json.loads(after.body)
    summary = body["messages"][1]

    assert found.turn == 13
    assert summary["role"] == "user"
    assert (after.covers, after.kept_messages, after.is_recorded) == ((1, 17), 1, True)
    assert body["messages"][0] == json.loads(bytes(found.parent.request.raw))["messages"][0]
    said = summary["content"] if isinstance(summary["content"], str) else summary["content"][0]["text"]
    raw = bytes(found.parent.request.raw)
    request = found.parent.request
    span = raw[request.starts[1] : request.starts[16] + request.messages[16].size_bytes]
    assert f"<<cg:{sha256(span).hexdigest()[:16]}>>" in said


def test_the_rest_of_the_next_request_stays() -> None:
    """Every message behind the span is the one that the lane sent, and nothing else of the body changed."""
    found = one(compare(AGENT))
    body = json.loads(following(AGENT, CallMode.FORK).body)
    sent = [line for line in bodies(AGENT) if len(line["messages"]) == 27 and "tools" in line]

    assert len(found.parent.request.messages) == 25
    assert body["messages"][2:] == sent[0]["messages"][17:]
    assert {key: told for key, told in body.items() if key != "messages"} == {
        key: told for key, told in sent[0].items() if key != "messages"
    }


def test_the_prefix_before_the_span_is_kept() -> None:
    """Tools, system prompt and the first message: as many tokens as the cache gives back."""
    found = shape(one(compare(AGENT)), CallMode.FORK).following
    assert found is not None
    assert found.kept is not None
    assert found.billed is not None
    simulated = found.billed.simulated

    assert found.kept.parts_at is not None
    assert found.kept.parts_at.startswith("messages.1")
    assert getattr(simulated, "read_tokens", None) == found.kept.tokens > 0


@pytest.mark.parametrize("model", ["claude-opus-5-5", "gpt-5.6-sol"])
def test_a_native_block_is_echoed_where_its_kind_wants_it(model: str, tmp_path: Path) -> None:
    """On demand: first of all (Claude), or in the place of everything before it (OpenAI); never as a system message."""
    path = tmp_path / "c.jsonl"
    dialect: Any = "anthropic" if model.startswith("claude") else "responses"
    path.write_bytes(generated(model, dialect=dialect, turns=14, seed=3))
    after = following(path, CallMode.NATIVE_ON_DEMAND)
    body = json.loads(after.body)
    history = body["messages" if dialect == "anthropic" else "input"]
    first = history[0]["content"][0] if dialect == "anthropic" else history[0]

    assert first["type"] == "compaction"
    assert after.kept_messages == 0
    assert sum(json.dumps(item).count('"compaction"') for item in history) == 1


def test_what_claude_leaves_out_is_not_billed(tmp_path: Path) -> None:
    """Behind a block of its threshold the client sends all of the history, and the model reads what comes after it."""
    path = tmp_path / "c.jsonl"
    path.write_bytes(generated("claude-opus-5-5", turns=40, parallel=2, moving_marks=True, seed=2))
    found = one(compare(path, budget_tokens=60_000))
    threshold = shape(found, CallMode.NATIVE_THRESHOLD).following
    assert threshold is not None
    sent = json.loads(threshold.body)["messages"]

    assert len(sent) >= len(found.parent.request.messages)
    assert threshold.tokens < found.parent_tokens / 5


def test_a_next_request_that_changed_the_span_is_none(tmp_path: Path) -> None:
    """It has other words in the span: the parent stands in for what follows."""
    path = tmp_path / "c.jsonl"
    reworded = assistant(text("I build the first part."), call("a"))
    after = claude(SESSION[0], reworded, *SESSION[2:], assistant("They pass."), user("Good."))
    path.write_bytes(b"\n".join(map(compact, (claude(*SESSION), after))))
    changed, same = (
        [item.following for item in one(compare(path, at=1, span_messages=2)).shapes if item.following is not None]
        for path in (path, _going_on(tmp_path))
    )

    assert [item.is_recorded for item in changed] == [False] * len(changed) != []
    assert [item.is_recorded for item in same] == [True] * len(same) != []


def _going_on(folder: Path) -> Path:
    path = folder / "same.jsonl"
    after = claude(*SESSION, assistant("They pass."), user("Good."))
    path.write_bytes(b"\n".join(map(compact, (claude(*SESSION), after))))
    return path


def test_no_native_body_that_follows_is_real() -> None:
    """A stand-in for the provider's block says so, so that nobody sends it."""
    modes = [mode for mode in CallMode if mode in NATIVE]
    found = [shape(item, mode) for item in compare(FIXTURES / "bodies" / "responses.jsonl") for mode in modes]
    sent = [item.following.body for item in found if item.following is not None]

    assert len(sent) == 2
    assert all(b"(the provider's summary stands here)" in body for body in sent)


def test_openais_endpoint_gives_the_users_messages_back(tmp_path: Path) -> None:
    """Its output is every message of the user's that it was sent, byte for byte, and one item for the rest."""
    path = tmp_path / "c.jsonl"
    first = {"role": "user", "content": [{"type": "input_text", "text": "Build."}]}
    second = {"role": "user", "content": "And test it."}
    said = [{"role": "assistant", "content": [{"type": "output_text", "text": f"Part {i}. " * 30}]} for i in range(4)]
    last = {"role": "user", "content": "Go on."}
    body = {"model": "gpt-5.6-sol", "tools": [], "input": [first, *said[:2], second, *said[2:], last]}
    path.write_bytes(compact(body))
    after = following(path, CallMode.NATIVE_ENDPOINT, span_messages=4, keep_last=1)
    history = json.loads(after.body)["input"]

    assert history[:2] == [first, second]
    assert history[2]["type"] == "compaction"
    assert history[3:] == [last]  # the items of one answer stay together
    assert after.kept_messages == 1
