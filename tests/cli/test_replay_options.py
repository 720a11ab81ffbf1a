"""`cg replay` with other clocks, caches, tools, summarisers and prices."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tests.captures import capture
from tests.replay.paired.lanes import conversation, growing, lines

if TYPE_CHECKING:
    from tests.cli.calling import Cg

AGENT = "context-guru/agent.jsonl"
FAMILIES = ("anthropic", "bedrock", "openai", "openai-earlier", "gemini", "deepseek", "vllm", "sglang")


def off(report: dict[str, Any]) -> dict[str, Any]:
    """What doing nothing comes to over the only file."""
    (file,) = report["files"]
    totals: dict[str, Any] = file["arms"][0]["totals"]
    return totals


def errors(cg: Cg) -> list[str]:
    """What was said on stderr, line by line."""
    return cg.err.decode().splitlines()


@pytest.mark.parametrize(("clock", "reads"), [("299", True), ("299s", True), ("301", False)])
def test_a_modelled_clock_lets_the_cache_expire(clock: str, reads: bool, cg: Cg) -> None:  # noqa: FBT001 - a parameter of the test
    """Five minutes are how long it lives; the demo has no times, so by itself nothing expires."""
    file = cg.write("talk.jsonl", lines(growing(conversation(4)), gap_s=None))
    by_file = off(cg.report("replay", file, "--policy", "safe"))
    totals = off(cg.report("replay", file, "--policy", "safe", "--clock", clock))

    assert by_file["read_tokens"] > 0
    assert totals["read_tokens"] == (by_file["read_tokens"] if reads else 0)
    assert totals["input_tokens"] == by_file["input_tokens"]


def test_a_policy_goes_by_the_modelled_clock_too(cg: Cg) -> None:
    """Where every turn is cold the held prefix forbids nothing: `respect` masks as `ignore` does."""
    file = cg.write("talk.jsonl", lines(growing(conversation(8)), gap_s=20))
    said = ("replay", file, "--policy", "mask,mask@ignore")
    fired = []
    for clock in ("20", "400"):
        (told,) = cg.report(*said, "--clock", clock)["files"]
        fired.append([arm["totals"]["fired"] for arm in told["arms"]])

    (_, warm, ignoring), (_, cold, cold_ignoring) = fired
    assert warm == 0
    assert cold == ignoring == cold_ignoring > 0


def test_the_clock_of_a_file_is_told(cg: Cg) -> None:
    """Its own times, those of some requests, none, or a modelled one."""
    bodies = growing(conversation(2))
    some = lines(bodies[:2]) + lines(bodies[2:], gap_s=None)
    said = {
        "the file's own times": cg.write("all.jsonl", lines(bodies)),
        "the file's own times; 1 request without one": cg.write("some.jsonl", some),
        "no times in the file, so nothing expires (--clock SECONDS models them)": cg.write(
            "none.jsonl", lines(bodies, gap_s=None)
        ),
    }
    for words, file in said.items():
        assert cg("replay", file, "--policy", "safe") == 0
        assert cg.out.decode().splitlines()[2].endswith(f"; clock: {words}")
    assert cg("replay", "all.jsonl", "--policy", "safe", "--clock", "0.5") == 0
    assert cg.out.decode().splitlines()[2].endswith("; clock: one request every 0.5 s, modelled")


@pytest.mark.parametrize("family", FAMILIES)
def test_any_family_can_be_simulated_for_any_file(family: str, cg: Cg) -> None:
    """The input is the same, and is read, written or fresh."""
    file = cg.fixture(AGENT)
    usual, totals = off(cg.report("replay", file)), off(cg.report("replay", file, "--provider", family))

    assert totals["simulated_requests"] == 17
    assert totals["input_tokens"] == usual["input_tokens"]
    assert totals["read_tokens"] + totals["write_tokens"] + totals["fresh_tokens"] == totals["input_tokens"]
    assert totals["read_tokens"] > 0


def test_a_small_cache_reads_less(cg: Cg) -> None:
    """Room for a million tokens is room for all; room for 400 keeps next to nothing."""
    file = cg.fixture(AGENT)
    for family in ("vllm", "sglang"):
        whole, large, small = (
            off(cg.report("replay", file, "--provider", family, *more))["read_tokens"]
            for more in ((), ("--cache-tokens", "1000000"), ("--cache-tokens", "400"))
        )
        assert large == whole
        assert small < whole / 10


@pytest.mark.parametrize(
    ("said", "message", "hint"),
    [
        (["--clock", "soon"], "--clock is 'soon'", "write file, or seconds between two requests, as 30"),
        (["--clock", "-1"], "--clock is '-1'", "write file, or seconds between two requests, as 30"),
        (["--clock", "nan"], "--clock is 'nan'", "write file, or seconds between two requests, as 30"),
        (["--clock", "1e10"], "--clock is '1e10'", "write file, or seconds between two requests, as 30"),
        (["--provider", "vlm"], "the cache of 'vlm' cannot be simulated", "did you mean 'vllm'?"),
        (["--cache-tokens", "9"], "--cache-tokens is for a cache that is full some time", "--provider vllm, or"),
        (
            ["--cache-tokens", "9", "--provider", "openai"],
            "--cache-tokens is for a cache that is full some time",
            "--provider vllm, or --provider sglang",
        ),
        (["--inject-expand", "alway"], "--inject-expand is 'alway'", "did you mean 'always'?"),
        (["--summarizer", "x"], "no summarizer is called 'x'", "known: extractive, recorded:DIR"),
        (["--rates", "nope.json"], "nope.json: the rates cannot be read: No such file", "look at its path"),
    ],
)
def test_a_wrong_option_is_exit_2(said: list[str], message: str, hint: str, cg: Cg) -> None:
    """Before anything is read, with what was meant."""
    assert cg("replay", "not-there.jsonl", *said) == 2
    assert cg.out == b""
    assert errors(cg)[0].startswith(f"cg: {message}")
    assert errors(cg)[1].startswith(f"  try: {hint}")


def test_without_a_summariser_nobody_is_asked(cg: Cg) -> None:
    """Each says `no_model`, changes nothing and costs what `off` costs."""
    file = cg.write("talk.jsonl", lines(growing(conversation(14))))
    (told,) = cg.report(*("replay", file, "--policy", "standalone,native", "--budget", "9000", "--summarizer", "none"))[
        "files"
    ]
    nothing, *others = told["arms"]

    for arm in others:
        assert {one["reason"] for one in arm["refusals"]} == {"no_model"}
        assert arm["totals"] == nothing["totals"]


def test_given_prices_come_before_the_table(cg: Cg) -> None:
    """All input at a dollar a million and nothing else at any price: dollars are tokens."""
    rate = {"fresh": 1, "read": 1, "write": 1, "write_1h": 1, "output": 0}
    cg.write("rates.json", json.dumps({"claude-opus-4-8": rate}))
    report = cg.report("replay", cg.write("t.jsonl", lines(growing(conversation(3)))), "--rates", "rates.json")
    totals = off(report)

    assert Decimal(totals["usd"]) == Decimal(totals["input_tokens"]) / 1_000_000
    assert report["files"][0]["prices"] == {"as_of": None, "source": report["files"][0]["prices"]["source"]}
    assert report["files"][0]["prices"]["source"].startswith("rates.json; ")


def test_a_model_without_a_price_is_unpriced_and_not_free(cg: Cg) -> None:
    """No dollars, no difference, nobody the cheapest; the line under the table names the model and the remedy."""
    file = cg.write("t.jsonl", lines(growing(conversation(3), model="claude-nova-9")))
    report = cg.report("replay", file)

    assert {arm["totals"]["usd"] for arm in report["files"][0]["arms"]} == {None}
    assert report["files"][0]["pareto"] == []
    assert cg("replay", file) == 0
    assert "not priced, and in no dollars: 4 requests of claude-nova-9 (--rates FILE takes prices)" in cg.out.decode()


def test_a_cache_that_is_not_simulated_leads_to_one_that_is(cg: Cg) -> None:
    """The line says how, and the next command does it."""
    file = cg.write("t.jsonl", capture(dialect="chat").replace(b"gpt-4.1", b"my-model"))

    assert cg("replay", file) == 0
    told = cg.out.decode()
    assert "not simulated: 7 requests: the cache of my-model (openai-chat) is not simulated: those of anthropic" in told
    assert "sglang are (--provider NAME chooses one)" in told
    step = told.splitlines()[-1].split()[2:]
    assert step == ["replay", file, "--provider", "vllm"]
    assert cg(*step) == 0
    assert b"not simulated: " not in cg.out


def test_a_history_says_what_it_rests_on(cg: Cg) -> None:
    """Its requests are put together, its tools and system prompt are in no figure, its marks are assumed."""
    assert cg("replay", cg.fixture("claude-code/compacted.jsonl")) == 0
    told = cg.out.decode().splitlines()

    basis = "basis: requests rebuilt from a history, not as they were sent; "
    assert told[1] == f"{basis}tools and system prompt: not recorded, and in no figure"
