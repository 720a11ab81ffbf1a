"""The command that follows from a replay."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.report.replay.next_command import Again, next_command

GIVEN = Again(
    replay=("--clock", "30", "--budget", "9000"),
    compact=("--rates", "r.json"),
    answers=("--summarizer", "modelled:0.1"),
    summaries=("--budget", "9000"),
)
STEPS = {"agent": ["mask", "extract_llm"]}


def report(*arms: tuple[str, str, str | None], file: str = "a b.jsonl", n_simulated: int = 3) -> dict[str, Any]:
    """A document with what the command depends on: name, rule and dollars of each policy."""
    return {
        "files": [
            {
                "file": file,
                "provider": None,
                "modes": [],
                "arms": [
                    {
                        "policy": name,
                        "held": held,
                        "call": name.partition("@")[0] if name.partition("@")[0] in ("fork", "native") else None,
                        "steps": STEPS.get(name, ["mask"]),
                        "totals": {"usd": usd, "simulated_requests": n_simulated},
                    }
                    for name, held, usd in arms
                ],
            }
        ]
    }


OFF = ("off", "respect", "1.00")


@pytest.mark.parametrize(
    ("best", "command"),
    [
        (("codesafe", "respect", "0.9"), "--policy codesafe --rates r.json"),
        (("codesafe@pays", "pays", "0.9"), "--policy codesafe --held pays --rates r.json"),
        (("mask", "ignore", "0.9"), "--pipeline mask --held ignore --rates r.json"),
        (("mask+dedup@respect", "respect", "0.9"), "--pipeline mask,dedup --rates r.json"),
        (("agent", "respect", "0.9"), "--policy agent --summarizer modelled:0.1 --rates r.json"),
        (
            ("fork", "respect", "0.9"),
            "--policy summarize --call fork --summarizer modelled:0.1 --budget 9000 --rates r.json",
        ),
        (
            ("native@pays", "pays", "0.9"),
            "--policy summarize --call native --held pays --summarizer modelled:0.1 --budget 9000 --rates r.json",
        ),
        (("my own.toml", "respect", "0.9"), "--policy 'my own.toml' --rates r.json"),
        (("$(rm).toml", "respect", "0.9"), "--policy '$(rm).toml' --rates r.json"),
    ],
)
def test_the_cheapest_is_written_out(best: tuple[str, str, str], command: str) -> None:
    """In the words of `cg compact`, for a shell, with the options that it takes too."""
    dearer = ("safe", "respect", "0.95")

    assert list(next_command(report(OFF, dearer, best), GIVEN)) == [
        f"next    cg compact 'a b.jsonl' {command} -o compacted.jsonl"
    ]


@pytest.mark.parametrize("other", [("codesafe", "respect", "1.01"), ("codesafe", "respect", "1.00")])
def test_where_nothing_is_cheaper_a_closer_look_follows(other: tuple[str, str, str]) -> None:
    """With all that was given; so too where nothing has a price."""
    closer = "next    cg replay 'a b.jsonl' --clock 30 --budget 9000 --turns --html replay.html"

    assert list(next_command(report(OFF, other), GIVEN)) == [closer]
    assert list(next_command(report(("off", "respect", None), ("agent", "respect", None)), GIVEN)) == [closer]


def test_where_no_cache_is_simulated_one_is_chosen() -> None:
    """Any family's rules give figures for any file."""
    assert list(next_command(report(("off", "respect", None), n_simulated=0), GIVEN)) == [
        "next    cg replay 'a b.jsonl' --provider vllm --clock 30 --budget 9000"
    ]


def test_what_was_piped_has_no_next_command() -> None:
    """Nobody can read it again; a file whose name looks like an option is named so that it is none."""
    assert list(next_command(report(OFF, file="-"), GIVEN)) == []
    (line,) = next_command(report(OFF, file="-x"), Again())
    assert line == "next    cg replay ./-x --turns --html replay.html"
