"""What `cg inspect` counts in each public file: requests, lanes, most messages, usage; checked by hand against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.errors import CgError
from cgcli.inspection.inspect import Inspector
from cgcli.readers import open_capture
from cgcli.report.inspection import document
from tests.running import CORPUS, CORPUS_FILES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

# By the beginning and the end of its path: format, requests, lanes, most messages, with usage, passed, skipped.
COUNTS: dict[str, tuple[str, int, int, int, int, int, int]] = {
    "anthropic-request-body/i__scripts__fixtures__anthropic_replay_body.json": ("bodies", 1, 1, 6, 0, 0, 0),
    "anthropic-request-body/ipts__fixtures__codex_response_create_frame.json": ("envelope", 1, 1, 4, 0, 0, 0),
    "anthropic-request-body/__fixtures__anthropic_messages_request_real.json": ("bodies", 1, 1, 5, 0, 0, 0),
    "anthropic-request-body/ssoctl__apply__testdata__anthropic_tool_use.json": ("context-guru", 1, 1, 6, 0, 0, 0),
    "anthropic-request-body/ctl__apply__testdata__session_head_agentsdk.json": ("bodies", 5, 2, 8, 0, 0, 0),
    "claude-code-session/ne__html_export__edge_cases__unicode_heavy.jsonl": ("claude-code", 4, 1, 7, 0, 0, 0),
    "claude-code-session/tone__html_export__malformed__invalid_json.jsonl": ("claude-code", 2, 1, 2, 0, 0, 2),
    "claude-code-session/ne__html_export__malformed__missing_fields.jsonl": ("claude-code", 0, 0, 0, 0, 0, 2),
    "claude-code-session/thstone__html_export__malformed__truncated.jsonl": ("claude-code", 1, 1, 1, 0, 0, 1),
    "claude-code-session/stone__html_export__malformed__wrong_types.jsonl": ("claude-code", 0, 0, 0, 0, 0, 3),
    "claude-code-session/singh__fixtures__sessions__malformed-lines.jsonl": ("claude-code", 1, 1, 1, 0, 0, 2),
    "claude-code-session/isingh__fixtures__sessions__multi-turn-nav.jsonl": ("claude-code", 7, 1, 13, 0, 0, 0),
    "claude-code-session/djaisingh__fixtures__sessions__simple-chat.jsonl": ("claude-code", 3, 1, 5, 0, 0, 0),
    "claude-code-session/adjaisingh__fixtures__sessions__tool-calls.jsonl": ("claude-code", 4, 1, 7, 0, 0, 0),
    "claude-code-session/ject__5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl": ("claude-code", 20, 3, 19, 20, 0, 0),
    "claude-code-session/ject__fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl": ("claude-code", 170, 6, 105, 170, 0, 0),
    "claude-code-session/daaain__test__test_data__edge_cases.jsonl": ("claude-code", 4, 2, 5, 4, 1, 5),
    "claude-code-session/__test__test_data__representative_messages.jsonl": ("claude-code", 5, 1, 9, 5, 0, 0),
    "claude-code-session/daaain__test__test_data__session_b.jsonl": ("claude-code", 1, 1, 1, 1, 0, 0),
    "claude-code-session/aaain__test__test_data__todowrite_examples.jsonl": ("claude-code", 6, 1, 8, 6, 0, 0),
    "claude-code-session/_INTEGRATION__fixtures__edit-tool-variants.jsonl": ("claude-code", 4, 1, 7, 4, 1, 0),
    "claude-code-session/_INTEGRATION__fixtures__general-tool-calls.jsonl": ("claude-code", 54, 1, 111, 54, 2, 0),
    "claude-code-session/GRATION__fixtures__images-in-user-messages.jsonl": ("claude-code", 3, 1, 5, 3, 0, 0),
    "claude-code-session/ects__0ccf1a04-1b4c-43b6-8aa5-79e41db43a68.jsonl": ("claude-code", 11, 1, 21, 11, 0, 0),
    "claude-code-session/ects__4b2030ed-5563-49ea-b703-6a002f2d3cc8.jsonl": ("claude-code", 2, 1, 3, 2, 0, 0),
    "claude-stream-json/anthropics__test__fixtures__sample-turns.json": ("stream-json", 4, 2, 6, 4, 0, 0),
    "claude-stream-json/est_claude_agent_sdk__tool_use_conversation.json": ("stream-json", 2, 1, 3, 2, 0, 0),
    "cline-session/line__fixtures__session__agentic.compaction.json": ("cline", 1, 1, 3, 0, 0, 0),
    "cline-session/cline__fixtures__session__basic.compaction.json": ("cline", 1, 1, 10, 0, 0, 0),
    "cline-session/cline__fixtures__session__session.messages.json": ("cline", 16, 1, 31, 16, 0, 0),
    "codex-rollout/l__public__demos__example-session-metadata.jsonl": ("codex", 0, 0, 0, 0, 0, 0),
    "codex-rollout/Dicklesworthstone__11__25__rollout-test.jsonl": ("codex", 1, 1, 1, 0, 0, 0),
    "codex-rollout/cklesworthstone__11__26__rollout-tool-call.jsonl": ("codex", 1, 1, 1, 0, 0, 0),
    "codex-rollout/wesm__testdata__codex__fc_args_1.jsonl": ("codex", 1, 1, 1, 0, 0, 0),
    "codex-rollout/wesm__testdata__codex__fc_args_2.jsonl": ("codex", 1, 1, 1, 0, 0, 0),
    "codex-rollout/wesm__testdata__codex__fc_stdin.jsonl": ("codex", 1, 1, 1, 0, 0, 0),
    "codex-rollout/wesm__testdata__codex__function_calls.jsonl": ("codex", 1, 1, 1, 0, 0, 0),
    "codex-rollout/wesm__testdata__codex__standard_session.jsonl": ("codex", 1, 1, 1, 0, 0, 0),
    "context-lens/rsderidder__test__fixtures__anthropic-basic.json": ("bodies", 1, 1, 3, 0, 0, 0),
    "context-lens/arsderidder__test__fixtures__claude-session.json": ("bodies", 1, 1, 3, 0, 0, 0),
    "context-lens/rsderidder__test__fixtures__codex-responses.json": ("bodies", 1, 1, 5, 0, 0, 0),
    "context-lens/deridder__test__fixtures__openai-chat-tools.json": ("bodies", 1, 1, 7, 0, 0, 0),
    "context-lens/larsderidder__test__fixtures__openai-chat.json": ("bodies", 1, 1, 4, 0, 0, 0),
    "derived-cg-capture/leCommon__avian-kimi__multi_tool_streaming.jsonl": ("context-guru", 2, 1, 5, 0, 0, 0),
    "derived-cg-capture/enRouterCommon__grok__multi_tool_streaming.jsonl": ("context-guru", 2, 1, 5, 0, 0, 0),
    "derived-cg-capture/marshmallow-code__marshmallow-1867__functi.jsonl": ("context-guru", 13, 1, 28, 0, 0, 0),
    "mini-swe-agent-traj/-agent__tests__test_data__github_issue.traj.json": ("mini-swe-agent", 10, 1, 20, 0, 0, 0),
    "openai-batch/zisaacson__batch_input.jsonl": ("openai-batch", 3, 3, 2, 0, 0, 0),
    "openai-batch/saacson__examples__datasets__demo_batch_10.jsonl": ("openai-batch", 10, 10, 2, 0, 0, 0),
    "openhands/ll-Hands-AI__resolver__mock_output__output.jsonl": ("openhands", 26, 2, 43, 0, 0, 0),
    "pi-openclaw-session/adlogic__test__fixtures__before-compaction.jsonl": ("pi", 471, 1, 438, 471, 13, 0),
    "swe-agent-traj/SWE-agent__ctf__web__i_got_id_demo.traj": ("swe-agent-history", 21, 1, 42, 0, 0, 0),
    "swe-agent-traj/ow-code__marshmallow-1867__function_calling.traj": ("swe-agent", 13, 1, 26, 0, 0, 0),
    "swe-agent-traj/ml_sys-env_cursors_window100__t-0.20__p-0.9.traj": ("swe-agent-history", 12, 1, 24, 0, 0, 0),
    "vcr-go-cassette/bleCommon__avian-kimi__multi_tool_streaming.yaml": ("vcr", 2, 1, 5, 2, 0, 0),
    "vcr-go-cassette/penRouterCommon__grok__multi_tool_streaming.yaml": ("vcr", 2, 1, 5, 2, 0, 0),
    "vcr-py-cassette/de_execution_files_vcr__test_anthropic_code.yaml": ("vcr", 2, 1, 3, 2, 2, 0),
    "vcr-py-cassette/opic__test_anthropic_cache_bedrock_real_api.yaml": ("vcr", 2, 1, 3, 2, 0, 0),
    "vcr-py-cassette/nthropic__test_anthropic_cache_count_tokens.yaml": ("vcr", 1, 1, 1, 1, 1, 0),
    "vcr-py-cassette/st_anthropic__test_anthropic_cache_real_api.yaml": ("vcr", 2, 1, 3, 2, 0, 0),
    "vcr-py-cassette/nthropic__test_anthropic_compaction_usage_w.yaml": ("vcr", 1, 1, 1, 1, 0, 0),
    "vcr-py-cassette/ompt_caching__test_anthropic_prompt_cachi-2.yaml": ("vcr", 2, 1, 1, 2, 0, 0),
    "vcr-py-cassette/prompt_caching__test_anthropic_prompt_cachi.yaml": ("vcr", 2, 1, 1, 2, 0, 0),
    "vcr-py-cassette/_test_anthropic_prompt_caching_async_legacy.yaml": ("vcr", 2, 1, 1, 2, 0, 0),
    "vcr-py-cassette/ching__test_anthropic_prompt_caching_legacy.yaml": ("vcr", 2, 1, 1, 2, 0, 0),
}
REFUSED = {
    "anthropic-request-body/rossoctl__offload__testdata__read_lifecycle.json": "no request in the file",
    "anthropic-request-body/rossoctl__reformat__testdata__search_output.json": "no request in the file",
    "claude-code-session/ne__html_export__edge_cases__empty_session.jsonl": "no request in the file",
    "claude-code-session/anhadjaisingh__fixtures__sessions__empty.jsonl": "the file is empty",
    "cline-session/cline__fixtures__session__session.json": "Cline session without its messages",
    "context-lens/ridder__test__fixtures__antigravity-request.json": "Gemini request",
    "context-lens/t__fixtures__antigravity-streaming-response.json": "Context Lens answer",
    "langchain-messages/vals__fixtures__summarization_seed_messages.json": "LangChain messages",
    "negative/ider-AI__website__assets__sample-analytics.jsonl": "analytics log",
    "negative/ernmentBEIS__dataset__examples__popularity.jsonl": "no request in the file",
    "rolloutviz/i__examples__gallery__coding-agent-bugfix.ndjson": "rolloutviz log",
}


def _key(path: Path) -> str:
    """Folder and the end of the name: some are longer than a line."""
    return f"{path.parent.name}/{path.name[-48:]}"


FILES = [path for path in CORPUS_FILES if path.name != "INDEX.tsv"]


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_every_file_has_its_row() -> None:
    """None is left out, and none is there no more."""
    assert {_key(path) for path in FILES} == {*COUNTS, *REFUSED}


@pytest.mark.parametrize("path", [path for path in FILES if _key(path) in COUNTS], ids=_key)
def test_a_file_holds_so_much(path: Path) -> None:
    """A history's figures were counted by a script that shares nothing with this package."""
    with open_capture(str(path)) as capture:
        told = document(Inspector(capture).inspect())
    assert (
        told["format"],
        told["requests"],
        len(told["lanes"]),
        max([lane["most_messages"] for lane in told["lanes"]], default=0),
        told["requests_with_usage"],
        sum(told["passed_records"].values()),
        len(told["skipped_records"]),
    ) == COUNTS[_key(path)]


@pytest.mark.parametrize("path", [path for path in FILES if _key(path) in REFUSED], ids=_key)
def test_a_file_without_requests_is_refused_in_one_line(path: Path) -> None:
    """It says what the file is, and what to do."""
    with pytest.raises(CgError) as caught, open_capture(str(path)) as capture:
        Inspector(capture).inspect()
    assert REFUSED[_key(path)] in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.hint
