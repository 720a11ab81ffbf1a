"""The figures of a compaction's report, each worked out a second time."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.component import MarkerMode
from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.policy import Policy, pipeline
from tests.captures import capture
from tests.lanes.placing import body, lines, turn, user
from tests.report.account import Account, billed, count, counted
from tests.running import FIXTURES, Compacted, compact

if TYPE_CHECKING:
    from pathlib import Path

OF_TEXT = {
    "agent": pipeline(["format", "dedup", "mask", "extract"]),
    "general": pipeline(["format", "dedup", "mask", "extract", "collapse"]),
    "codesafe": pipeline(["format", "dedup", "extract", "collapse"], {"collapse": {"max_tokens": 3000}}),
}
"""What of these policies the oracle can tell by the shape of a text."""
CASES = [
    ("context-guru/agent.jsonl", "general", "ignore"),
    ("context-guru/agent.jsonl", "agent", "respect"),
    ("context-guru/agent.jsonl", "codesafe", "respect"),
    ("context-guru/openai.jsonl", "general", "ignore"),
    ("context-guru/responses.jsonl", "agent", "ignore"),
    ("claude-trace/seven-lanes.jsonl", "general", "ignore"),
    ("claude-trace/cold.jsonl", "agent", "respect"),
    ("lanes/two-conversations.jsonl", "general", "ignore"),
]


@pytest.fixture(name="done", params=CASES, ids=" ".join)
def _done(request: pytest.FixtureRequest, tmp_path: Path) -> Compacted:
    file, policy, held = request.param
    return compact(FIXTURES / file, tmp_path, OF_TEXT[policy], held)


def _by_name(report: dict[str, Any], key: str) -> dict[str, int]:
    return {one["name"]: one[key] for one in report["components"] if one[key]}


def test_sizes_are_those_of_the_files(done: Compacted) -> None:
    """Bytes before and after, the digest, and how many requests there are and have changed."""
    report, account = done.report, Account(done)
    assert report["bytes"] == {"before": len(account.before), "after": len(account.after)}
    assert report["output_sha256"] == hashlib.sha256(account.after).hexdigest()
    assert report["requests"] == len(account.bodies)
    assert report["requests_changed"] == account.n_changed


def test_what_fired_is_what_left_its_shape(done: Compacted) -> None:
    """Per component: the distinct outputs that bear its note; for `format`, the JSON that has fewer tokens plain."""
    assert _by_name(done.report, "fired") == {
        name: n for name, n in Account(done).fired.items() if name in _names(done)
    }


def _names(done: Compacted) -> set[str]:
    return {component.name for component in done.run.policy.components}


def test_savings_are_counted_once_and_in_all(done: Compacted) -> None:
    """Over distinct outputs, and over every request that repeats them: each adds up."""
    report, account = done.report, Account(done)
    assert sum(_by_name(report, "saved_unique_tokens").values()) == account.saved_once
    assert sum(_by_name(report, "saved_gross_tokens").values()) == account.saved_in_all


def test_lanes_add_up(done: Compacted) -> None:
    """Requests and tokens of the lanes are those of the file."""
    report = done.report
    for key in ("before", "after"):
        assert sum(lane[f"tokens_{key}"] for lane in report["lanes"]) == report["tokens"][key]
    assert sum(lane["requests"] for lane in report["lanes"]) == report["requests"]
    assert all(lane["requests"] == sum(e["requests"] for e in lane["epochs"]) for lane in report["lanes"])


def test_every_output_has_a_verdict_of_every_component(done: Compacted) -> None:
    """Each distinct output is changed by a component, or left alone for one reason: never both, never neither."""
    n_outputs = len(Account(done).versions)
    for one in done.report["components"]:
        assert one["fired"] + sum(one["skipped"].values()) == n_outputs, one
        assert one["reverted"] == []


@pytest.mark.parametrize("file", ["context-guru/agent.jsonl", "lanes/two-conversations.jsonl"])
def test_tokens_are_counted_ones_times_the_documented_factor(file: str, tmp_path: Path) -> None:
    """Where no usage is recorded: o200k_base times 1.24 for these models, rounded for each request."""
    done = compact(FIXTURES / file, tmp_path, OF_TEXT["general"], "ignore")
    report, account = done.report, Account(done)
    before = [counted(one) for one in account.bodies]
    after = [n - saved for n, saved in zip(before, account.saved_by_request, strict=True)]
    assert report["tokens"]["before"] == sum(round(n * 1.24) for n in before)
    assert report["tokens"]["after"] == sum(round(n * 1.24) for n in after)
    assert report["tokens"]["basis"] == "estimated: o200k_base x 1.24"


def test_tokens_are_fitted_to_recorded_usage(tmp_path: Path) -> None:
    """Per model: the billed input of all its requests over their counted tokens; `off` then gives the billed sum."""
    done = compact(FIXTURES / "claude-trace" / "seven-lanes.jsonl", tmp_path, "off")
    account = Account(done)
    pairs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for one, recorded in zip(account.bodies, billed(account.before), strict=True):
        assert recorded is not None
        pairs[one["model"]].append((counted(one), recorded))
    factors = {model: sum(b for _, b in both) / sum(a for a, _ in both) for model, both in pairs.items()}
    tokens = done.report["tokens"]
    assert {one["model"]: one["factor"] for one in tokens["rulers"]} == {
        model: round(factor, 4) for model, factor in factors.items()
    }
    assert {one["model"]: one["fitted_to_requests"] for one in tokens["rulers"]} == {
        model: len(both) for model, both in pairs.items()
    }
    assert tokens["before"] == sum(round(a * factors[model]) for model, both in pairs.items() for a, _ in both)
    billed_in_all = sum(recorded or 0 for recorded in billed(account.before))
    # Rounded request by request: half a token each at most.
    assert abs(tokens["before"] - billed_in_all) <= len(account.bodies) / 2
    assert tokens["basis"].count("fitted to the usage of") == 2


def test_a_usage_that_is_not_recorded_is_not_fitted(tmp_path: Path) -> None:
    """Of five requests one has no answer and one a cut one: the fit says to how many it was made."""
    done = compact(FIXTURES / "claude-trace" / "odd.jsonl", tmp_path, "off")
    account = Account(done)
    usable = [(counted(one), b) for one, b in zip(account.bodies, billed(account.before), strict=True) if b]
    (ruler,) = done.report["tokens"]["rulers"]
    assert ruler["fitted_to_requests"] == len(usable) < len(account.bodies)
    assert ruler["factor"] == round(sum(b for _, b in usable) / sum(a for a, _ in usable), 4)


def test_off_is_a_control(tmp_path: Path) -> None:
    """Nothing acts, nothing changes, nothing is stashed."""
    done = compact(FIXTURES / "context-guru" / "agent.jsonl", tmp_path, "off")
    report = done.report
    assert done.output.read_bytes() == done.source.read_bytes()
    assert not done.stash.exists()
    assert (report["components"], report["requests_changed"], report["irreversible_edits"]) == ([], 0, 0)
    assert report["tokens"]["before"] == report["tokens"]["after"] > 0
    assert {lane["label"]: lane["prefix"] for lane in report["lanes"]} == {"main": "kept", "side": "vacuous"}


@pytest.mark.parametrize("policy", ["agent", "general", "codesafe"])
def test_a_file_without_tool_outputs_is_a_control(policy: str, tmp_path: Path) -> None:
    """Every component has nothing to look at: zero everywhere, the bytes of the input, no stash."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines([body(user("word " * 3000)), body(user("word " * 3000), user("again"))]))
    done = compact(source, tmp_path, OF_TEXT[policy], "ignore")
    assert done.output.read_bytes() == source.read_bytes()
    assert not done.stash.exists()
    zero = {"fired": 0, "saved_unique_tokens": 0, "saved_gross_tokens": 0, "skipped": {}, "reverted": []}
    assert [{key: one[key] for key in zero} for one in done.report["components"]] == [zero] * len(_names(done))
    assert done.report["tokens"]["before"] == done.report["tokens"]["after"]
    assert done.written.stashed is None
    assert done.report["example_key"] is None


def test_gross_and_unique_are_no_artefacts_of_each_other(tmp_path: Path) -> None:
    """One output in three requests: three times in all, once alone; one that is new in the last: equal."""
    text = "\n".join(f"line {i}" for i in range(300))
    history = [user("go"), *turn(1, text)]
    longer = [body(*history), body(*history, *turn(2)), body(*history, *turn(2), *turn(3))]
    policy = Policy(name="p", components=(Collapse(max_tokens=100),))
    for n_requests in (3, 1):
        source = tmp_path / f"{n_requests}.jsonl"
        source.write_bytes(lines(longer[:n_requests]))
        done = compact(source, tmp_path, policy)
        saved = count(text) - count(next(iter(Account(done).versions.values()))[-1])
        (one,) = done.report["components"]
        assert (one["saved_unique_tokens"], one["saved_gross_tokens"]) == (saved, n_requests * saved)


def test_irreversible_edits_are_counted_by_output(tmp_path: Path) -> None:
    """Each output once, however many requests repeat it."""
    text = "\n".join(f"line {i}" for i in range(300))
    history = [user("go"), *turn(1, text), *turn(2, text)]
    source = tmp_path / "in.jsonl"
    source.write_bytes(lines([body(*history), body(*history, *turn(3)), body(*history, *turn(3), *turn(4))]))
    lossy = Collapse(max_tokens=100, marker_mode=MarkerMode.SUMMARY)
    report = compact(source, tmp_path, Policy(name="p", components=(lossy,))).report
    assert report["irreversible_edits"] == 2
    assert (report["stash"]["new_objects"], report["example_key"]) == (0, None)


def test_a_mask_that_never_fires_says_what_would_let_it(tmp_path: Path) -> None:
    """Held and unknown prefixes are named; where it only had too few outputs, nothing is advised."""
    advice = _advice(compact(FIXTURES / "context-guru" / "agent.jsonl", tmp_path, "agent").report)
    assert advice == "the provider holds that prefix: `--held ignore` would let it, and re-bill what follows"
    source = tmp_path / "in.jsonl"
    source.write_bytes(capture(turns=8).splitlines(keepends=True)[-1])
    advice = _advice(compact(source, tmp_path, "agent", name="middle").report)
    assert advice == ("the file begins in mid-conversation, so the prefix may be held: `--held ignore` would let it")
    source.write_bytes(lines([body(user("go"), *turn(1, "short"))]))
    assert _advice(compact(source, tmp_path, "agent", name="short").report) is None


def _advice(report: dict[str, Any]) -> object:
    (mask,) = [one for one in report["components"] if one["name"] == "mask"]
    assert mask["fired"] == 0
    return mask["never_fired_because"]


def test_a_prefix_that_nothing_follows_is_not_called_kept(tmp_path: Path) -> None:
    """One request alone and a batch have no earlier request to differ from; two in a row have."""
    (tmp_path / "in.jsonl").write_bytes(lines([body(user("go"), *turn(1, "out")), body(user("another"))]))
    alone = compact(tmp_path / "in.jsonl", tmp_path, "off").report
    assert {lane["prefix"] for lane in alone["lanes"]} == {"vacuous"}
    batch = compact(FIXTURES / "anthropic-batch" / "input.jsonl", tmp_path, "off").report
    assert {lane["prefix"] for lane in batch["lanes"]} == {"vacuous"}
    (tmp_path / "in.jsonl").write_bytes(lines([body(user("go")), body(user("go"), *turn(1, "out"))]))
    assert [lane["prefix"] for lane in compact(tmp_path / "in.jsonl", tmp_path, "off").report["lanes"]] == ["kept"]


def test_who_broke_a_prefix_is_told_apart(tmp_path: Path) -> None:
    """Compaction under `ignore`; the input itself where it elides, and where its system prompt has the time."""
    lanes = {
        name: compact(FIXTURES / file, tmp_path, policy, held, name=name).report["lanes"][0]
        for name, (file, policy, held) in {
            "ours": ("context-guru/agent.jsonl", "general", "ignore"),
            "theirs": ("lanes/eliding.jsonl", "codesafe", "respect"),
            "dated": ("lanes/dated-system.jsonl", "general", "ignore"),
            "cold": ("claude-trace/cold.jsonl", "agent", "respect"),
        }.items()
    }
    assert lanes["ours"]["prefix"] == "broken"
    assert lanes["ours"]["broken_by_compaction"]["first"] == {"line": 6, "message": 2}
    assert lanes["ours"]["broken_in_input"] == {"times": 0, "first": None}
    assert lanes["theirs"]["prefix"] == "kept"
    assert lanes["theirs"]["broken_in_input"] == {"times": 4, "first": {"line": 4, "message": 2}}
    assert lanes["dated"]["prefix"] == "kept"
    assert lanes["dated"]["broken_in_input"] == {"times": 3, "first": {"line": 2, "message": 0}}
    assert lanes["dated"]["broken_by_compaction"] == {"times": 0, "first": None}
    assert (lanes["cold"]["prefix"], lanes["cold"]["cold_turns"]) == ("kept", 1)
    assert lanes["cold"]["broken_by_compaction"] == {"times": 1, "first": {"line": 4, "message": 2}}
