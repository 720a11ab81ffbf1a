"""The filters that come with the program."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from cgcli.compaction.filters.builtin import TABLE, builtins, sources, table
from cgcli.compaction.filters.cases import failures
from cgcli.compaction.filters.expressions import steps
from cgcli.compaction.filters.filter import Agent, Case, Filter, FilterLoss, Sample, expressions
from cgcli.compaction.filters.library import applied, library
from cgcli.compaction.filters.rules import faults

ALL = builtins()
CASES = [(one, case) for one in ALL for case in one.cases]
IDS = [f"{one.name}-{i}" for one in ALL for i in range(len(one.cases))]
RESULT = re.compile(
    r"(?i:error|fail|warning|denied|panic|traceback|assert|rejected|not found|no such|refused|\bexit(?:ed)?\b.{0,6}\d)"
    r"|[\w/-]+\.(?:py|rs|c|go|ts|js|mjs|java|cs):\d|\d (?:passed|failed|skipped|ignored|tests?)\b",
)
"""What a result is, said again without the guard's words."""


def test_the_table_is_made_of_the_files() -> None:
    """`python -m tests.compaction.filters.table` makes it anew."""
    assert TABLE.read_bytes() == table()
    assert [one.where for one in ALL] == [f"{path.parent.name}/{path.name}" for path in sources()]


def test_a_file_is_called_what_its_filter_is_called() -> None:
    """And stands in its family's folder; no name stands twice."""
    assert [(one.family, one.name) for one in ALL] == [(path.parent.name, path.stem) for path in sources()]
    assert len({one.name for one in ALL}) == len(ALL)


def test_families_have_their_filters() -> None:
    """At least the 26 of context-guru's count, in each family no fewer; the agent sets come on top."""
    always = Counter(one.family for one in ALL if one.agent is None)
    assert always == {"builds": 12, "pkg": 11, "tests": 7, "net": 6, "iac": 6}
    assert {one.name: one.agent for one in ALL if one.agent is not None} == {
        "django-test": Agent.SAFE,
        "pytest-signal": Agent.LOSSY,
        "unittest": Agent.SAFE,
    }


def test_most_samples_are_real() -> None:
    """What was not at hand is named."""
    documented = sorted(one.name for one in ALL if one.sample is Sample.DOCUMENTED)
    assert documented == [
        *("ansible", "brew", "bundle", "cargo-fetch", "composer", "docker-build", "docker-pull", "dotnet-build"),
        *("dotnet-test", "gradle", "kubectl", "poetry", "ssh"),
    ]


@pytest.mark.parametrize("one", ALL, ids=[one.name for one in ALL])
def test_a_filter_says_nothing_wrong(one: Filter) -> None:
    """No fault, no test of its own that fails, no expression that takes many steps."""
    assert list(faults(one)) == []
    assert list(failures(one)) == []
    assert max(steps(pattern) for _, pattern in expressions(one)) <= 20_000


@pytest.mark.parametrize(("one", "case"), CASES, ids=IDS)
def test_an_output_finds_its_filter(one: Filter, case: Case) -> None:
    """Among all of them its own is the first that is asked, and it shortens the output."""
    filters = library(agent_filters="off" if one.agent is None else str(one.agent))
    done = applied(filters, case.input, case.command)
    assert done.asked[0].name == one.name
    assert one in done.fired or case.expected == case.input
    assert len(done.text) <= len(case.input)


@pytest.mark.parametrize(("one", "case"), CASES, ids=IDS)
def test_every_result_of_an_output_survives(one: Filter, case: Case) -> None:
    """All filters together keep each line with an error, a place, a count; in order."""
    done = applied(library(agent_filters="lossy"), case.input, case.command)
    results = [
        line for line in case.input.split("\n") if RESULT.search(line) and "\x1b" not in line and "\r" not in line
    ]
    left = iter(done.text.split("\n"))
    assert all(line in left for line in results), one.name


def test_a_filter_without_loss_takes_only_redraws() -> None:
    """Every word of the last states stands in what is left."""
    (one,) = [one for one in ALL if one.loss is FilterLoss.NONE]
    assert one.name == "git-transfer"
    assert one.stages.named() == ("strip_ansi", "redraws")


def test_no_sample_has_a_foreign_host() -> None:
    """Hosts are names of the documentation's own domain, or of the tools' own pages."""
    hosts = {host for one in ALL for case in one.cases for host in re.findall(r"https?://([\w.-]+)", case.input)}
    assert {host for host in hosts if not host.endswith(".example")} == {"docs.pytest.org"}


def test_nothing_collected_is_said_as_the_tool_said_it() -> None:
    """`pytest` without tests keeps its own words; no filter has words for a result."""
    text = (
        "============================= test session starts ==============================\n"
        "platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0\n"
        "plugins: anyio-4.16.0\n"
        "collected 0 items\n"
        "\n"
        "============================ no tests ran in 0.01s =============================\n"
    )
    for agent_filters in ("off", "safe", "lossy"):
        left = applied(library(agent_filters=agent_filters), text, None).text
        assert "collected 0 items\n" in left
        assert "no tests ran in 0.01s" in left
    assert [one.name for one in ALL if one.stages.on_empty is not None] == []
