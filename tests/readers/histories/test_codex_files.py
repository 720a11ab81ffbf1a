"""Whole rollouts of Codex: public ones, and files with faults in them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.histories.damage import damaged, files_of, outcome
from tests.readers.histories.rebuilding import answer, of_path
from tests.running import CORPUS, FIXTURES, NO_CORPUS

NEW, EARLY, OLD, FORK = (FIXTURES / "codex" / f"{name}.jsonl" for name in ("new", "early", "old", "fork"))
WORDS = (
    *("timestamp", "type", "payload", "session_meta", "turn_context", "response_item", "event_msg", "compacted"),
    *("id", "instructions", "base_instructions", "text", "model", "effort", "model_provider", "forked_from_id"),
    *("message", "role", "user", "assistant", "developer", "content", "reasoning", "encrypted_content", "summary"),
    *("function_call", "function_call_output", "call_id", "arguments", "output", "ghost_snapshot", "record_type"),
    *("token_count", "info", "total_token_usage", "last_token_usage", "input_tokens", "cached_input_tokens"),
    *("replacement_history", "thread_rolled_back", "num_turns", "turn_aborted", "user_message", "2026-08-09T10:00:00Z"),
)
CORPUS_ROLLOUTS = {
    "AcidicSoil__public__demos__example-session-metadata.jsonl": [],
    "Dicklesworthstone__11__25__rollout-test.jsonl": [(4, 1, 1)],
    "Dicklesworthstone__11__26__rollout-tool-call.jsonl": [(4, 1, 1)],
    "wesm__testdata__codex__fc_args_1.jsonl": [(3, 1, 1)],
    "wesm__testdata__codex__fc_args_2.jsonl": [(3, 1, 1)],
    "wesm__testdata__codex__fc_stdin.jsonl": [(3, 1, 1)],
    "wesm__testdata__codex__function_calls.jsonl": [(3, 1, 2)],
    "wesm__testdata__codex__standard_session.jsonl": [(3, 1, 1)],
}


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize("name", CORPUS_ROLLOUTS)
def test_public_rollouts_are_read(name: str) -> None:
    """Line of the answer, items before it and items in it; none of these files tells usage as Codex does."""
    assert CORPUS is not None
    found = of_path(CORPUS / "codex-rollout" / name)
    told = [
        (line, len(body["input"]), len((answer(one) or {"output": ()})["output"]))
        for line, body, one in zip(found.lines, found.bodies, found.exchanges, strict=True)
    ]
    assert (told, found.reasons, set(found.billed) <= {None}) == (CORPUS_ROLLOUTS[name], [], True)


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_every_public_rollout_is_in_the_table() -> None:
    """A new file needs a row here."""
    assert CORPUS is not None
    assert sorted(path.name for path in (CORPUS / "codex-rollout").iterdir()) == sorted(CORPUS_ROLLOUTS)


@settings(max_examples=30, deadline=None)
@given(files_of(WORDS, NEW.read_bytes().splitlines()))
def test_records_of_any_shape_are_read_or_reported(data: bytes) -> None:
    """Whatever stands under the format's keys: a request, a reason, or an error of ours."""
    found, error = outcome(data, "codex")
    assert found >= 0
    assert error is None or error.exit_code == 4


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([NEW, EARLY, OLD, FORK]).flatmap(lambda path: damaged(path.read_bytes())))
def test_damaged_files_are_read_or_reported(data: bytes) -> None:
    """Bytes and lines changed, lost, doubled or cut: never anything but an error of ours."""
    found, error = outcome(data)
    assert error is None or (found, error.exit_code) == (0, 4)
