"""`cg probe` from end to end, against the local provider; nothing else is ever talked to."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.running import environment, leftovers
from tests.live.asking import MARK
from tests.live.provider import KEY, Fault, Provider
from tests.probe.probed import YES_TOKENS, conversation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.calling import Cg

N_TOKENS = 2400 + 3 * YES_TOKENS
KEYS = ("CG_LIVE_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY")


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider whose key stands in the environment."""
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with Provider() as running:
        yield running


@pytest.fixture
def file(cg: Cg) -> str:
    """A capture of one request."""
    return saved(cg)


def saved(cg: Cg, mark: dict[str, str] | None = MARK, **more: Any) -> str:
    """A capture of one request of 2,424 tokens."""
    return cg.write("one.jsonl", json.dumps(conversation(1500, 400, 300, 200, mark=mark, **more)) + "\n")


def lines(written: bytes) -> list[str]:
    """The lines of a stream."""
    return written.decode().splitlines()


def test_a_probe_says_what_was_read_and_billed(cg: Cg, provider: Provider, file: str) -> None:
    """First what it may come to, on stderr; then a table, two gates, and the bill."""
    assert cg("probe", file, "--live", provider.url, "--max-usd", "1", "--call", "standalone,fork") == 0
    (said,) = lines(cg.err)
    assert re.fullmatch(
        rf"cg: 3 requests to {provider.url}, at most \$0\.\d{{4}}: [\d,]+ tokens in; the ceiling is \$1", said
    )
    told = cg.out.decode()
    assert re.search(r"^fork +2,424 +2,424 +yes +0 +\d+ +10 +\$0\.00\d\d +\d+\.\d$", told, re.MULTILINE)
    assert "G-FORK-CACHED: pass: the fork read 2,424 of " in told
    assert "G-FORK-COST: pass: the fork cost $0.00" in told
    assert re.search(r"^spent \$0\.0\d{3} of at most \$1\.0000 for 3 answers, measured$", told, re.MULTILINE)


def test_the_document_has_the_figures(cg: Cg, provider: Provider, file: str) -> None:
    """Alone on stdout; measured and predicted never share a key."""
    report = cg.report("probe", file, "--live", provider.url, "--max-usd", "1", "--call", "fork")
    assert report["schema"] == "cgcli/probe/v1"
    assert report["url"] == provider.url
    assert report["spent"]["answered"] == 2
    assert report["spent"]["written_tokens"] == N_TOKENS
    parent, fork = report["turns"][0]["requests"]
    assert (parent["predicted"]["read_tokens"], parent["predicted"]["why"]) == (None, "held_unknown")
    assert (parent["measured"]["written_tokens"], parent["read_agrees"]) == (N_TOKENS, None)
    assert (fork["predicted"]["read_tokens"], fork["predicted"]["basis"]) == (N_TOKENS, "simulated")
    assert (fork["measured"]["read_tokens"], fork["measured"]["basis"]) == (N_TOKENS, "measured")
    assert fork["read_agrees"] == "exact"


@pytest.mark.parametrize(
    ("made", "options", "code", "n_seen"),
    [
        ({"mark": None}, (), 3, 3),
        ({}, ("--max-usd", "0"), 6, 0),
        ({}, ("--call", "fork", "--model", "claude-haiku-4-5"), 6, 0),
        ({}, ("--call", "standalone"), 0, 2),
        ({"model": "claude-nosuch"}, ("--max-usd", "5"), 6, 0),
    ],
    ids=["a-gate-fails", "ceiling", "refused-fork", "no-gate", "unpriced"],
)
def test_the_exit_code(
    cg: Cg,
    provider: Provider,
    made: dict[str, Any],
    options: tuple[str, ...],
    code: int,
    n_seen: int,
) -> None:
    """3: a gate failed; 6: none could be judged, or nothing was sent."""
    given = options if "--call" in options else ("--call", "standalone,fork", *options)
    assert cg("probe", saved(cg, **made), "--live", provider.url, *given) == code
    assert len(provider.seen) == n_seen


@pytest.mark.parametrize(
    "words",
    [
        ("probe", "one.jsonl"),
        ("probe", "one.jsonl", "--max-usd", "1"),
        *(
            (*command, *option)
            for command in (("diff-modes", "one.jsonl"), ("compact", "one.jsonl", "--policy", "summarize", "-o", "o"))
            for option in (
                ("--max-usd", "1"),
                ("--record", "d"),
                ("--timeout", "3"),
                ("--retries", "1"),
                ("--beta", "b"),
            )
        ),
        ("diff-modes", "one.jsonl", "--live", "URL", "--summarizer", "none"),
        ("compact", "one.jsonl", "--policy", "summarize", "-o", "o", "--live", "URL", "--summarizer", "extractive"),
        ("compact", "one.jsonl", "--policy", "safe", "-o", "o", "--live", "URL"),
        ("compact", "one.jsonl", "--policy", "summarize", "--dry-run", "--live", "URL"),
        ("probe", "one.jsonl", "--live", "URL", "--max-usd", "-1"),
        ("probe", "one.jsonl", "--live", "URL", "--max-usd", "NaN"),
        ("probe", "one.jsonl", "--live", "URL", "--max-usd", "much"),
        ("probe", "one.jsonl", "--live", "URL", "--timeout", "0"),
        ("probe", "one.jsonl", "--live", "URL", "--timeout", "nan"),
        ("probe", "one.jsonl", "--live", "URL", "--retries", "-1"),
        ("probe", "one.jsonl", "--live", "http://provider.example"),
        ("probe", "one.jsonl", "--live", "https://me:secret@provider.example"),
        ("probe", "one.jsonl", "--live", "ftp://provider.example"),
        ("probe", "thinking.jsonl", "--live", "URL", "--prewarm"),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_sends_nothing(cg: Cg, provider: Provider, file: str, words: tuple[str, ...]) -> None:
    """Exit 2, with a hint; no product, and no secret of an address."""
    thinking = conversation(1500, 400, 300, 200, mark=MARK, thinking={"type": "adaptive"})
    cg.write("thinking.jsonl", json.dumps(thinking) + "\n")
    assert cg(*(word.replace("URL", provider.url) for word in words)) == 2
    assert provider.seen == []
    assert cg.out == b""
    assert b"secret" not in cg.err
    assert cg.names() == [file, "thinking.jsonl"]


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "one.jsonl"),
        ("diff-modes", "one.jsonl"),
        ("compact", "one.jsonl", "--policy", "summarize", "--budget", "2000", "-o", "out.jsonl"),
        ("check", "one.jsonl", "-q"),
    ],
    ids=" ".join,
)
def test_nothing_is_sent_without_live(
    cg: Cg, provider: Provider, file: str, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Whatever the environment says of providers: none is asked, and the client is not even loaded."""
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, provider.url)
    assert cg(*words) in (0, 6)
    code = "import sys; from cgcli.cli.run import main; main(sys.argv[1:]); assert 'httpx' not in sys.modules"
    ran = subprocess.run(
        [sys.executable, "-c", code, *words, *(["--json"] if words[0] == "inspect" else [])],
        cwd=cg.folder,
        env=environment(cg.folder),
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert provider.seen == []
    assert file == "one.jsonl"


@pytest.mark.parametrize("command", [("probe",), ("diff-modes", "--call", "fork")], ids=" ".join)
def test_a_wrong_key_is_a_line_and_a_hint(
    cg: Cg, provider: Provider, file: str, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """Exit 1, and nothing more is sent."""
    monkeypatch.setenv("CG_LIVE_KEY", "sk-wrong-key-of-mine")
    assert cg(command[0], file, *command[1:], "--live", provider.url) == 1
    assert lines(cg.err)[-2:] == [
        f"cg: {provider.url}/v1/messages: answered 401: invalid x-api-key",
        "  try: set ANTHROPIC_API_KEY, or CG_LIVE_KEY",
    ]
    assert (cg.out, len(provider.seen)) == (b"", 1)
    assert b"sk-wrong" not in cg.err


@pytest.mark.parametrize("json_option", [(), ("--json",)], ids=["text", "json"])
def test_no_key_is_ever_shown(cg: Cg, provider: Provider, file: str, json_option: tuple[str, ...]) -> None:
    """Not where the provider repeats it in an error, with control characters; nor in what is kept."""
    provider.faults.append(Fault("echo"))
    assert cg("probe", file, "--live", f"{provider.url}", *json_option) == 1
    assert b"[key]" in cg.err
    assert provider.seen[0].headers["x-api-key"] == KEY
    shown = cg.out + cg.err
    assert cg("probe", file, "--live", provider.url, "--record", "kept", *json_option) == 0
    shown += cg.out + cg.err + b"".join(path.read_bytes() for path in (cg.folder / "kept").iterdir())
    assert KEY.encode() not in shown
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae", shown)


def test_a_secret_in_the_addresss_query_is_not_shown(cg: Cg, provider: Provider, file: str) -> None:
    """It goes to the provider and nowhere else."""
    assert cg("probe", file, "--live", f"{provider.url}/v1?token=hush") == 1
    assert provider.seen[0].path == "/v1/messages?token=hush"
    assert b"hush" not in cg.out + cg.err


def test_betas_go_with_every_request(cg: Cg, provider: Provider) -> None:
    """The saved file does not say which its requests were sent with; a call's own comes beside them."""
    file = saved(cg, model="claude-opus-4-8")
    options = ("--call", "fork,native-on-demand", "--beta", "one-2026-01-01", "--beta", "two-2026-02-02")
    cg.report("probe", file, "--live", provider.url, *options)
    sent = [set(seen.headers["anthropic-beta"].split(",")) for seen in provider.seen]
    own = {"one-2026-01-01", "two-2026-02-02"}
    assert sent == [own, own, own | {"compact-2026-09-04"}]


def test_prewarming_pays_for_no_output(cg: Cg, provider: Provider, file: str) -> None:
    """The parent answers nothing, and the fork reads it."""
    report = cg.report("probe", file, "--live", provider.url, "--call", "fork", "--prewarm")
    parent, fork = report["turns"][0]["requests"]
    assert parent["measured"]["output_tokens"] == 0
    assert fork["measured"]["read_tokens"] == N_TOKENS
    assert json.loads(provider.seen[0].body)["max_tokens"] == 0


def test_recorded_answers_are_read_again(cg: Cg, provider: Provider, file: str) -> None:
    """What a probe keeps answers `cg diff-modes` offline, for the very same calls."""
    cg.report("probe", file, "--at", "1", "--live", provider.url, "--record", "kept")
    n_seen = len(provider.seen)
    report = cg.report("diff-modes", file, "--at", "1", "--summarizer", "recorded:kept")
    summaries = {
        shape["mode"]: shape["summary"] for shape in report["comparisons"][0]["shapes"] if shape["fires"] is not False
    }
    assert {mode: told["basis"] for mode, told in summaries.items()} == {
        "standalone": "measured",
        "fork": "measured",
        "native-on-demand": "measured",
    }
    assert len(provider.seen) == n_seen


def test_a_comparison_asks_the_provider(cg: Cg, provider: Provider, file: str) -> None:
    """Each call is announced, what it cost stands in the report, and the recorded answers give the same figures."""
    live = cg.report("diff-modes", file, "--live", provider.url, "--max-usd", "1", "--record", "kept")
    announced = [line for line in lines(cg.err) if " call to " in line]
    assert [line.split()[2] for line in announced] == ["standalone", "fork", "native-on-demand"]
    assert lines(cg.err)[-1].startswith("cg: spent $0.0")
    account = live.pop("live")
    assert (account["url"], account["spent"]["answered"], account["spent"]["max_usd"]) == (provider.url, 3, "1")
    again = cg.report("diff-modes", file, "--summarizer", "recorded:kept")
    assert again["comparisons"] == live["comparisons"]
    assert (live["options"]["summarizer"], again["options"]["summarizer"]) == ("live", "recorded")
    assert len(provider.seen) == 3


def test_a_compaction_asks_the_provider(cg: Cg, provider: Provider) -> None:
    """The same bytes come out of the recorded answers, without the provider."""
    bodies = [conversation(*(400 for _ in range(n)), mark=MARK) for n in range(1, 9)]
    file = cg.write("lane.jsonl", "".join(f"{json.dumps(body)}\n" for body in bodies))
    options = (file, "--policy", "summarize", "--budget", "3000", "--call", "fork")
    live = cg.report("compact", *options, "--live", provider.url, "--record", "kept", "-o", "live.jsonl")
    n_calls = live["live"]["spent"]["answered"]
    assert n_calls == len(provider.seen) > 0
    assert len([line for line in lines(cg.err) if line.startswith("cg: a fork call to ")]) == n_calls
    assert f"for {n_calls} answer" in lines(cg.err)[-1]
    again = cg.report("compact", *options, "--summarizer", "recorded:kept", "-o", "again.jsonl")
    assert cg.read("again.jsonl") == cg.read("live.jsonl") != cg.read(file)
    assert "live" not in again
    assert len(provider.seen) == n_calls


def test_a_compaction_keeps_the_ceiling(cg: Cg, provider: Provider) -> None:
    """Calls that may come to more are not made, and the requests stay as they are."""
    bodies = [conversation(*(400 for _ in range(n)), mark=MARK) for n in range(1, 9)]
    content = "".join(f"{json.dumps(body)}\n" for body in bodies)
    file = cg.write("lane.jsonl", content)
    options = ("--policy", "summarize", "--budget", "3000", "--call", "fork", "-o", "out.jsonl")
    report = cg.report("compact", file, *options, "--live", provider.url, "--max-usd", "0.01")
    assert report["live"]["spent"]["refused"] > 0
    assert (report["live"]["spent"]["answered"], provider.seen) == (0, [])
    assert cg.read("out.jsonl").decode() == content


def test_an_interrupt_leaves_nothing_half_written(cg: Cg, provider: Provider, file: str) -> None:
    """Exit 130 while an answer is awaited; that it may have been billed is said."""
    provider.faults.append(Fault("slow"))
    started = subprocess.Popen(
        [sys.executable, "-m", "cgcli", "probe", file, "--live", provider.url, "--record", "kept"],
        cwd=cg.folder,
        env={**environment(cg.folder), **{name: os.environ[name] for name in KEYS if name in os.environ}},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with started:
        try:
            while not provider.seen and started.poll() is None:
                time.sleep(0.02)
            started.send_signal(signal.SIGINT)
            out, err = started.communicate(timeout=30)
        finally:
            started.kill()
    assert (started.returncode, out) == (130, b"")
    assert re.fullmatch(
        r"cg: spent \$0\.0000 for 0 answers, measured; 1 request may have been billed too: \$0\.\d{4} in all at most",
        lines(err)[-1],
    )
    assert leftovers(cg.folder) == []
    assert cg.names() == [file]


def test_an_answer_that_cannot_be_kept_ends_it(cg: Cg, provider: Provider, file: str) -> None:
    """It was paid for: that is said, beside what is wrong."""
    cg.write("kept", "a file")
    assert cg("probe", file, "--live", provider.url, "--record", "kept") == 1
    said = lines(cg.err)
    assert said[1].startswith("cg: spent $0.00")
    assert "cannot be recorded" in said[2]
    assert len(provider.seen) == 1
