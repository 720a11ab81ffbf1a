"""`cg replay --mode`: its options, what they may stand beside, and what is told of each mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.replay.paired.lanes import conversation, growing, lines

if TYPE_CHECKING:
    from tests.cli.calling import Cg

ALL = ("--mode", "sync,observe,async")
FORK = ("--policy", "fork", "--budget", "12000", "--barren", "100", "--strip-caller-breakpoints")
N_REQUESTS = 15
GAP_S = 20


def session(cg: Cg, *, gap_s: float | None = GAP_S) -> str:
    """A file of 15 requests, one every 20 s, that grow by a tool output each."""
    return cg.write("session.jsonl", lines(growing(conversation(N_REQUESTS - 1)), gap_s=gap_s))


def small(cg: Cg) -> str:
    """A file of three requests."""
    return cg.write("small.jsonl", lines(growing(conversation(2)), gap_s=GAP_S))


def only(report: dict[str, Any]) -> dict[str, Any]:
    """The one file of *report*."""
    (file,) = report["files"]
    told: dict[str, Any] = file
    return told


def errors(cg: Cg) -> list[str]:
    """What was said on stderr, line by line."""
    return cg.err.decode().splitlines()


@pytest.mark.parametrize(
    "words",
    [
        ("--latency", "constant:1s"),
        ("--seed", "0"),
        ("--step-time", "0"),
        ("--max-queue", "0"),
        ("--workers", "2"),
        ("--barren", "3"),
        ("--max-lanes", "3"),
        ("--stop", "0"),
        ("--protect", "own"),
        ("--strip-caller-breakpoints",),
        ("--cache-uncompacted-tail",),
        ("--cache-mode", "on"),
        ("--sweep",),
    ],
)
def test_an_option_of_modes_needs_a_mode(words: tuple[str, ...], cg: Cg) -> None:
    """Also where it says what holds by default: without a mode it would change nothing."""
    assert cg("replay", small(cg), *words) == 2
    assert errors(cg) == [
        f"cg: {words[0]} is for operating modes",
        f"  try: --mode sync,observe,async {words[0]} \N{HORIZONTAL ELLIPSIS}",
    ]


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (("--mode", "asink"), "there is no mode 'asink'", "did you mean 'async'?"),
        (("--mode", "sync,"), "there is no mode ''", "known: sync, observe, async"),
        (
            ("--mode", "async", "--latency", "12"),
            "no latency is '12'",
            "write constant:12s, or lognormal:12s,0.5 (median, and sigma of the logarithm)",
        ),
        (("--mode", "async", "--protect", "pend"), "--protect is 'pend'", "did you mean 'pending'?"),
        (("--mode", "async", "--cache-mode", "of"), "--cache-mode is 'of'", "did you mean 'off'?"),
        (("--mode", "sync", "--step-time", "inf"), "--step-time is inf", "write seconds, as 0.5"),
        (("--mode", "async", "--stop", "nan"), "--stop is nan", "write seconds, as 0.5"),
        (("--mode", "sync,observe", "--sweep"), "--sweep is for async", "--mode sync,observe,async"),
        (("--mode", "sync", "--protect", "own"), "--protect is for async", "--mode sync,async"),
        (
            ("--mode", "sync", "--workers", "2"),
            "--workers is for what runs beside the requests",
            "--mode sync,observe,async",
        ),
        (
            ("--mode", "async", "--seed", "3"),
            "--seed is for times that are drawn",
            "--latency lognormal:12s,0.5",
        ),
        (
            ("--mode", "async", "--protect", "own", "--cache-mode", "off"),
            "--protect says what is protected, and --cache-mode off that nothing is",
            "leave one of them out",
        ),
        (
            ("--mode", "async", "--strip-caller-breakpoints", "--cache-uncompacted-tail"),
            "--strip-caller-breakpoints says what is protected, and --cache-uncompacted-tail that nothing is",
            "leave one of them out",
        ),
        (
            ("--mode", "async", "--policy", "off"),
            "off is the same in every mode",
            "name a policy, as --policy codesafe",
        ),
    ],
)
def test_what_means_nothing_is_refused(words: tuple[str, ...], error: str, hint: str, cg: Cg) -> None:
    """With what to write in its place, before anything is read."""
    assert cg("replay", "no such file.jsonl", *words) == 2
    assert errors(cg) == [f"cg: {error}", f"  try: {hint}"]


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (("--mode", "async,sync"), ["codesafe sync", "codesafe async", "codesafe async (own)"]),
        (("--mode", "observe"), ["codesafe observe"]),
        (("--mode", "async", "--protect", "own"), ["codesafe async"]),
        (("--mode", "async", "--protect", "pending"), ["codesafe async"]),
        (("--mode", "async", "--cache-mode", "off"), ["codesafe async"]),
        (("--mode", "async", "--cache-uncompacted-tail"), ["codesafe async"]),
        (("--mode", "sync", "--policy", "mask@ignore,off,safe"), ["mask@ignore sync", "safe sync"]),
    ],
)
def test_each_policy_runs_in_each_mode(words: tuple[str, ...], labels: list[str], cg: Cg) -> None:
    """Modes in the order sync, observe, async; codesafe where no policy is named; a second span where both differ."""
    report = cg.report("replay", small(cg), *words)

    assert report["policies"] == ["off", *labels]
    assert [one["label"] for one in only(report)["modes"]] == labels


def test_the_span_that_is_protected_is_the_one_that_was_asked_for(cg: Cg) -> None:
    """By default pending, and own beside it."""
    file = small(cg)
    by_default = only(cg.report("replay", file, "--mode", "async"))["modes"]
    asked = only(cg.report("replay", file, "--mode", "async", "--protect", "own"))["modes"]

    assert [one["protect"] for one in by_default] == ["pending", "own"]
    assert [one["protect"] for one in asked] == ["own"]


def test_sync_is_what_no_mode_is(cg: Cg) -> None:
    """Turn by turn, own calls and dollars with them; only the name differs."""
    file = session(cg)
    plain = only(cg.report("replay", file, *FORK[:4]))["arms"][1]
    sync = only(cg.report("replay", file, *FORK[:4], "--mode", "sync"))["arms"][1]

    assert plain["totals"]["own_calls"] > 0
    assert {**sync, "policy": "fork", "mode": None} == plain


def test_observe_sends_what_doing_nothing_sends(cg: Cg) -> None:
    """The same reads, writes and input; its dollars are more by what measuring costs, and by nothing else."""
    off, observe = only(cg.report("replay", session(cg), *FORK[:4], "--mode", "observe"))["arms"]
    keys = ("input_tokens", "read_tokens", "write_tokens", "fresh_tokens", "requests_changed", "removed_gross_tokens")

    assert [observe["totals"][key] for key in keys] == [off["totals"][key] for key in keys]
    assert observe["totals"]["off_difference_usd"] == observe["totals"]["own_usd"] != "0"


def test_realised_is_never_above_what_was_saved(cg: Cg) -> None:
    """Both are rounded alike: the demo's summaries take out 18,410 tokens, all of them by jobs that landed."""
    options = ("--policy", "fork", "--budget", "9000", "--barren", "100", "--strip-caller-breakpoints")
    file = only(cg.report("replay", cg.fixture("context-guru/agent.jsonl"), *options, "--mode", "async"))

    for one in file["modes"]:
        assert one["table"]["enforced_saved_tokens"] == one["table"]["realized_saved_tokens"] == 18_410


def test_the_same_seed_gives_the_same_document(cg: Cg) -> None:
    """Byte for byte; another one draws other times."""
    file = session(cg)
    drawn = ("--mode", "sync,async", "--latency", "lognormal:18s,1")
    outs = []
    for seed in ("1", "1", "2"):
        assert cg("replay", file, *FORK, *drawn, "--seed", seed, "--json") == 0
        outs.append(cg.out)

    assert outs[0] == outs[1] != outs[2]


def test_options_reach_the_simulation(cg: Cg) -> None:
    """Each as it was given."""
    options = (
        *("--latency", "lognormal:8s,0.5", "--seed", "7", "--step-time", "0.5", "--max-queue", "4"),
        *("--workers", "2", "--barren", "5", "--max-lanes", "6", "--stop", "9", "--cache-mode", "off"),
    )
    (one,) = only(cg.report("replay", small(cg), "--mode", "async", *options))["modes"]

    assert one["options"] == {
        "latency": "lognormal:8s,0.5",
        "seed": 7,
        "step_s": 0.5,
        "max_queue": 4,
        "workers": 2,
        "barren": 5,
        "max_lanes": 6,
        "stop_s": 9.0,
        "strip_caller_breakpoints": False,
        "cache_uncompacted_tail": False,
        "cache_aware": False,
    }


def test_a_sweep_has_a_row_for_each_job_time(cg: Cg) -> None:
    """A tenth of the 20 s between requests, half, all and twice of it; a job that takes longer than that is stale."""
    sweep = only(cg.report("replay", session(cg), *FORK, "--mode", "async", "--sweep"))["sweep"]
    rows = [row for row in sweep["rows"] if row["policy"] == "fork async"]

    assert sweep["gap_s"] == GAP_S
    assert [row["policy"] for row in sweep["rows"]] == ["fork async"] * 4 + ["fork async (own)"] * 4
    assert [(row["ratio"], row["job_s"]) for row in rows] == [(0.1, 2.0), (0.5, 10.0), (1.0, 20.0), (2.0, 40.0)]
    assert [row["queue_stale"] > 0 for row in rows] == [False, False, False, True]
    assert [row["jobs_committed"] > 0 for row in rows] == [True, True, True, False]
    assert rows[3]["realized_saved_tokens"] == 0


def test_a_sweep_needs_time_to_pass(cg: Cg) -> None:
    """With one request there is no gap, and without times thirty seconds are taken for one."""
    one = cg.write("one.jsonl", lines(growing(conversation(0)), gap_s=GAP_S))
    alone = only(cg.report("replay", one, "--mode", "async", "--sweep"))["sweep"]
    untimed = only(cg.report("replay", session(cg, gap_s=None), "--mode", "async", "--sweep"))["sweep"]

    assert alone == {"gap_s": None, "rows": []}
    assert untimed["gap_s"] == 30
    assert cg("replay", one, "--mode", "async", "--sweep") == 0
    assert "sweep: no time passes between two requests of a lane, so no job can take a share of it" in cg.out.decode()


def test_a_modelled_clock_is_the_clock_of_the_jobs(cg: Cg) -> None:
    """Requests that come every 4 s come before an answer of 12 s has."""
    (one, _) = only(cg.report("replay", session(cg), *FORK, "--mode", "async", "--clock", "4"))["modes"]

    assert [turn["at_s"] for turn in one["turns"]] == [4.0 * i for i in range(N_REQUESTS)]
    assert one["table"]["jobs_committed"] == 0
    assert one["table"]["queue_stale"] > 0


def test_the_terminal_has_the_table_and_the_sentence(cg: Cg) -> None:
    """The figures of the document, one sentence a mode, and the command that comes next."""
    file = session(cg)
    _, _, pending, own = only(cg.report("replay", file, *FORK, *ALL))["modes"]
    assert cg("replay", file, *FORK, *ALL) == 0
    told = cg.out.decode().splitlines()

    assert any(line.split() == ["fork", "known", "sync", "observe", "async", "async", "(own)"] for line in told)
    assert f"async: {pending['said'][0]}" in told
    assert f"async (own): {own['said'][0]}" in told
    assert "calls to a model: constant:12s, modelled; jobs land by the clock above" in told
    assert told[-1].endswith("--mode sync,observe,async --barren 100 --strip-caller-breakpoints --budget 12000 --sweep")


def test_a_policy_without_calls_leaves_async_nothing_to_do(cg: Cg) -> None:
    """The negative control: whatever it saves inline, the sentence says so."""
    file = session(cg)
    assert cg("replay", file, "--policy", "codesafe", "--mode", "async", "--cache-mode", "off") == 0

    assert "of 0 saved tokens realised: async did nothing here" in cg.out.decode()


def test_turns_tell_what_each_mode_sent(cg: Cg) -> None:
    """Side by side, with what became of each job."""
    file = session(cg)
    _, _, pending, _ = modes = only(cg.report("replay", file, *FORK, *ALL))["modes"]
    assert cg("replay", file, *FORK, *ALL, "--turns") == 0
    told = cg.out.decode().splitlines()
    first = told.index("session.jsonl: fork, what each mode sent") + 2

    assert len(told) - first == N_REQUESTS
    for i, line in enumerate(told[first:]):
        sent = [f"{one['turns'][i]['input_tokens']:,}" for one in modes]
        assert line.split()[3:6] == sent[:3]
        assert (pending["turns"][i]["job"] or "-").replace("_", " ") in line


def test_the_page_has_the_modes(cg: Cg) -> None:
    """The table, the sentences and the sweep stand in it without a script."""
    file = session(cg)
    _, _, pending, _ = only(cg.report("replay", file, *FORK, *ALL))["modes"]
    assert cg("replay", file, *FORK, *ALL, "--sweep", "--html", "page.html", "-q") == 0
    page = cg.read("page.html").decode()

    assert f"async: {pending['said'][0]}" in page
    assert "async_tail_protected_committed_turns" in page
    assert "Sweep: jobs of one call against the median gap of 20.0 s between two requests of a lane" in page


def test_files_at_once_are_told_as_one_by_one(cg: Cg) -> None:
    """The options reach other processes."""
    files = (session(cg), small(cg))
    told = []
    for jobs in ("1", "2"):
        assert cg("replay", *files, *FORK, *ALL, "-j", jobs, "--json") == 0
        told.append(cg.out)

    assert told[0] == told[1]
