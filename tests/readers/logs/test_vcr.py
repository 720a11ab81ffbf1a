"""Cassettes: vcrpy's, go-vcr's and Ruby's, in YAML and JSON."""

from __future__ import annotations

import pytest

from tests.readers.histories.rebuilding import Billed, answer, of_path, rebuilt
from tests.readers.logs.fuzzed import survives
from tests.running import CORPUS, FIXTURES, NO_CORPUS

VCR = FIXTURES / "vcr"
WORDS = (
    *("interactions", "request", "response", "method", "POST", "uri", "https://h/v1/messages", "body", "string"),
    *("parsed_body", "base64_string", "messages", "&a", "*a", "!!binary", "2026-03-02", "version", "role", "content"),
)
# Lines and usage of each request; each file is one lane. Read off by another script: YAML, events and sums of its own.
REAL: dict[str, tuple[list[int], list[Billed]]] = {
    "vcr-go-cassette/*avian-kimi*": ([4, 159], [(26, 128, {}, 131), (84, 224, {}, 71)]),
    "vcr-go-cassette/*OpenRouterCommon__grok*": ([4, 145], [(288, 153, {}, 267), (373, 153, {}, 190)]),
    "vcr-py-cassette/*code_execution_files*": ([49, 274], [(16, 13637, {300: 7049}, 344), (4, 14210, {300: 426}, 290)]),
    "vcr-py-cassette/*cache_bedrock*": ([2, 616], [(3, 9511, {}, 1944), (3, 9511, {300: 1956}, 44)]),
    "vcr-py-cassette/*cache_count_tokens*": ([95], [(3, 1111, {}, 414)]),
    "vcr-py-cassette/*cache_real_api*": ([2, 165], [(3, 1111, {}, 406), (3, 1111, {300: 418}, 33)]),
    "vcr-py-cassette/*compaction_usage*": ([2], [(181, 0, {}, 8)]),
    "vcr-py-cassette/*prompt_cachi-2*": ([2, 396], [(4, 0, {300: 1165}, 201), (4, 1165, {}, 221)]),
    "vcr-py-cassette/*prompt_cachi.yaml": ([2, 498], [(4, 0, {300: 1167}, 289), (4, 1167, {}, 256)]),
    "vcr-py-cassette/*async_legacy*": ([2, 183], [(4, 0, {300: 1165}, 207), (4, 1165, {}, 224)]),
    "vcr-py-cassette/*caching_legacy*": ([2, 182], [(4, 0, {300: 1163}, 187), (4, 1163, {}, 202)]),
}


def test_vcrpys_bodies_are_strings_or_bytes() -> None:
    """Folded over several lines, in double quotes, and in !!binary; the line is that of the interaction."""
    found = of_path(VCR / "vcrpy.yaml")
    assert (found.capture.format_name, found.lines) == ("vcr", [11, 26, 36])
    assert [len(body["messages"]) for body in found.bodies] == [1, 3, 5]
    assert found.bodies[2]["messages"][2]["content"][0]["content"] == "berth 0: <free> & swept"
    assert found.reasons == [(2, "not_a_messages_call", True), (47, "cut", False)]


def test_vcrpys_answers_are_unpacked() -> None:
    """Packed in !!binary, an event stream, and a text that is no answer."""
    found = of_path(VCR / "vcrpy.yaml")
    said = [answer(exchange) for exchange in found.exchanges]
    assert [one and one["content"][0]["id"] for one in said] == ["toolu_0", "toolu_1", None]
    assert found.billed == [(10, 0, {300: 40}, 9), (11, 100, {300: 40}, 9), None]


def test_go_vcrs_streams_are_read() -> None:
    """`url`, and a block of text with a comment of the gateway's before the events."""
    found = of_path(VCR / "go-vcr.yaml")
    said = [answer(exchange) for exchange in found.exchanges]
    assert [one and one["choices"][0]["message"]["tool_calls"][0]["id"] for one in said] == ["call_0", "call_1"]
    assert found.billed == [(60, 0, {}, 7), (41, 20, {}, 7)]


def test_parsed_bodies_are_spelled_anew() -> None:
    """References stand for what they name, a date is a text, Bedrock's body has no model; NaN is no JSON."""
    found = of_path(VCR / "parsed.yaml")
    assert found.bodies == [
        {
            "anthropic_version": "bedrock-2023-05-31",
            "max_tokens": 64,
            "messages": [
                {"content": [{"text": "2026-03-02", "type": "text"}], "role": "user"},
                {"content": "2026-03-02", "role": "user"},
            ],
            "system": "The crane log of 2026-03-02.",
        },
        {"input": "The crane log of 2026-03-02.", "model": "gpt-5"},
    ]
    assert [exchange.request.dialect for exchange in found.exchanges] == ["anthropic", "openai-responses"]
    assert found.billed == [(8, 0, {}, 2), None]
    assert found.reasons == [(34, "not_json", False)]


def test_rubys_cassettes_are_read() -> None:
    """`http_interactions`, a method in small letters, bodies as objects with an encoding."""
    found = of_path(VCR / "ruby.yml")
    assert ([len(body["messages"]) for body in found.bodies], found.billed) == ([2], [(60, 0, {}, 7)])


def test_cassettes_in_json_are_read() -> None:
    """A body as a string; answers under `string` and under `base64_string`."""
    found = of_path(FIXTURES / "vcr-json" / "cassette.json")
    assert (found.capture.format_name, found.lines) == ("vcr-json", [4, 25])
    assert found.billed == [(10, 0, {300: 40}, 9), (11, 100, {300: 40}, 9)]


CALL = "    method: POST\n    uri: https://h/v1/messages\n"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("body: null", "no_body"),
        ("body: 7", "no_body"),
        ("body: ''", "empty"),
        ("body: {string: 7}", "no_body"),
        ("body: {base64_string: '!'}", "no_body"),
        ("body: {messages: []}", None),
        ("parsed_body: [1]", "not_a_container"),
        ("parsed_body: {messages: !!binary YWJj}", "not_json"),
        ("parsed_body: {messages: !!python/name:os.system }", "not_yaml"),
        ("parsed_body: {messages: !!binary é}", "not_yaml"),
        ("parsed_body: &a {messages: [*a]}", "not_yaml"),
    ],
)
def test_an_odd_interaction_spoils_no_other(body: str, reason: str | None) -> None:
    """Wrong kinds, a tag that names code, a value that holds itself: each is skipped alone."""
    good = f'- request:\n{CALL}    body: \'{{"model":"m","messages":[{{"role":"user","content":"a"}}]}}\'\n'
    found = rebuilt(f"interactions:\n- request:\n{CALL}    {body}\n{good}".encode())
    assert [passed.reason for _, passed in found.passed][:1] == ([reason] if reason else [])
    assert found.lines[-1] == 6


def test_references_cannot_grow_without_end() -> None:
    """Ten lists of ten of the next one would be ten billion values."""
    rows = ["a: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"b{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    asked = f"interactions:\n- request:\n{CALL}    parsed_body: {{messages: *a9}}\n"
    found = rebuilt(("\n".join(rows) + "\n" + asked).encode())
    assert [(passed.reason, passed.usable) for _, passed in found.passed] == [("too_large", False)]


@pytest.mark.parametrize(
    "data",
    [
        b"interactions: [1, 2",
        b"interactions:\n" + b"- " * 5000 + b"x\n",
        b"interactions:\n\x07",
        b"interactions: *no\n",
    ],
)
def test_what_is_no_yaml_is_one_record_that_is_not_usable(data: bytes) -> None:
    """Cut, nested too deeply, with a control character, or with a reference to nothing."""
    found = rebuilt(data)
    assert [passed.reason for _, passed in found.passed] == ["not_yaml"]


def test_damaged_cassettes_are_read_or_reported() -> None:
    """Never another error."""
    survives("vcr", ["vcr/vcrpy.yaml", "vcr/go-vcr.yaml", "vcr/parsed.yaml", "vcr/ruby.yml"], WORDS)
    survives("vcr-json", ["vcr-json/cassette.json"], WORDS)


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize("pattern", REAL)
def test_real_cassettes(pattern: str) -> None:
    """What stands in each, by hand."""
    assert CORPUS is not None
    (path,) = CORPUS.glob(pattern)
    found = of_path(path)
    assert (found.lines, found.billed, len(found.lanes())) == (*REAL[pattern], 1)


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_every_real_cassette_is_pinned() -> None:
    """A new one needs a row."""
    assert CORPUS is not None
    assert len(list(CORPUS.glob("vcr-*/*"))) == len(REAL)


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_real_native_compaction_has_its_steps() -> None:
    """One answer of two steps: 55,096 tokens read to write the summary, then the answer itself."""
    assert CORPUS is not None
    (path,) = CORPUS.glob("vcr-py-cassette/*compaction_usage*")
    (exchange,) = of_path(path).exchanges
    assert exchange.usage is not None
    assert [(step.fresh, step.read, step.output) for step in exchange.usage.iterations] == [
        (100, 55096, 83),
        (181, 0, 8),
    ]
