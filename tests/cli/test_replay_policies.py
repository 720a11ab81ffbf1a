"""Which policies `cg replay` compares: every way to name one, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.replay.paired.lanes import conversation, growing, lines

if TYPE_CHECKING:
    from tests.cli.calling import Cg

AGENT = "context-guru/agent.jsonl"
EVERY = [
    *("off", "safe", "balanced", "coding", "agent", "general", "mcp", "house", "codesafe", "ladder"),
    *("clear-tool-uses", "clear-thinking", "opencode-prune", "codex-local", "pi-keep-recent", "openhands-mask"),
    *("claude-microcompact", "standalone", "fork", "native"),
]
BATCHED = 'name = "batched"\n[triggers]\nevery = { turns = 4 }\n[[steps]]\ncomponent = "mask"\n'


def arms(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What stands about each policy of the only file."""
    (file,) = report["files"]
    return {arm["policy"]: arm for arm in file["arms"]}


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ([], ["off", "codesafe", "general", "clear-tool-uses", "fork"]),
        (["--policy", "safe, mask@ignore"], ["off", "safe", "mask@ignore"]),
        (["--policy", "safe", "--policy", "mask"], ["off", "safe", "mask"]),
        (["--preset", "off,safe"], ["off", "safe"]),
        (["--policy", "mask+collapse@pays"], ["off", "mask+collapse@pays"]),
        (["--policy", "safe,safe@ignore"], ["off", "safe", "safe@ignore"]),
    ],
)
def test_policies_are_told_as_they_were_named(said: list[str], names: list[str], cg: Cg) -> None:
    """`off` first, whether it was named or not; commas, spaces and repeated options come to the same."""
    report = cg.report("replay", cg.fixture(AGENT), *said)

    assert report["policies"] == list(arms(report)) == names


def test_all_is_every_policy_that_there_is(cg: Cg) -> None:
    """With the ways to ask for a summary in the place of `summarize`; each works on the same requests."""
    report = cg.report("replay", cg.fixture(AGENT), "--policy", "all")

    assert report["policies"] == EVERY
    assert {arm["totals"]["requests"] for arm in arms(report).values()} == {17}


def test_a_rule_goes_with_its_name_or_with_all(cg: Cg) -> None:
    """`--held` is the rule of those that have no `@`."""
    file = cg.fixture(AGENT)

    found = arms(cg.report("replay", file, "--policy", "mask,mask@pays,mask+dedup", "--held", "ignore"))
    assert {name: arm["held"] for name, arm in found.items()} == {
        "off": "respect",
        "mask": "ignore",
        "mask@pays": "pays",
        "mask+dedup": "ignore",
    }
    assert [found["mask"]["totals"][key] for key in ("fired", "epochs_reset")] == [13, 10]
    assert arms(cg.report("replay", file, "--policy", "mask"))["mask"]["totals"]["fired"] == 0


@pytest.mark.parametrize(("name", "call"), [("fork", "fork"), ("standalone", "standalone"), ("native", "native")])
def test_a_way_to_ask_is_summarize_with_it(name: str, call: str, cg: Cg) -> None:
    """Its budget is that of the command line."""
    file = cg.write("talk.jsonl", lines(growing(conversation(14))))
    found = arms(cg.report("replay", file, "--policy", name, "--budget", "9000"))[name]

    assert (found["steps"], found["call"]) == (["summarize"], call)
    assert found["totals"]["own_calls"] > 0


def test_a_budget_is_for_joined_components_too(cg: Cg) -> None:
    """`summarize` behind another component has the budget of the command line, as `cg compact --pipeline` gives it."""
    file = cg.write("talk.jsonl", lines(growing(conversation(14))))
    found = arms(cg.report("replay", file, "--policy", "dedup+summarize", "--budget", "9000"))["dedup+summarize"]

    assert found["steps"] == ["dedup", "summarize"]
    assert found["nearest"] is None
    assert found["totals"]["own_calls"] > 0


def test_a_file_is_a_policy_with_its_triggers(cg: Cg) -> None:
    """One that decides in batches of four resets less often than one that decides in every turn."""
    file = cg.write("talk.jsonl", lines(growing(conversation(16))))
    cg.write("batched.toml", BATCHED)

    found = arms(cg.report("replay", file, "--policy", "batched.toml,mask", "--held", "ignore"))
    assert found["batched.toml"]["steps"] == ["mask"]
    assert 0 < found["batched.toml"]["totals"]["epochs_reset"] < found["mask"]["totals"]["epochs_reset"]


@pytest.mark.parametrize(
    ("said", "message", "hint"),
    [
        (["--policy", "codesave"], "there is no policy 'codesave'", "did you mean 'codesafe'?"),
        (["--policy", "mask+colapse"], "there is no policy 'mask+colapse'", "known: off, safe, "),
        (["--policy", "nope.toml"], "nope.toml: the policy cannot be read: No such file", "give a TOML file"),
        (["--policy", "safe,safe"], "policy 'safe' was named twice", "name each once"),
        (["--policy", "safe", "--policy", "all"], "policy 'safe' was named twice", "name each once"),
        (["--policy", "safe@ignored"], "there is no rule 'ignored' for the held prefix", "did you mean 'ignore'?"),
        (["--held", "pay"], "there is no rule 'pay' for the held prefix", "did you mean 'pays'?"),
        (["--policy", "fork", "--ask-at", "0.95"], "ask_at (0.95) is above apply_at (0.92)", "ask before you apply"),
        (
            ["--policy", "all", "--budget", "9000"],
            "pi-keep-recent: keep_recent_tokens (20000) is not below budget_tokens (9000)",
            "keep_recent_tokens = 2250, under [tool.cgcli.components.pi-keep-recent]; or name the policies",
        ),
    ],
)
def test_a_wrong_policy_is_exit_2(said: list[str], message: str, hint: str, cg: Cg) -> None:
    """Before anything is read, with what was meant."""
    assert cg("replay", "not-there.jsonl", *said) == 2
    assert cg.out == b""
    assert cg.err.decode().splitlines()[0].startswith(f"cg: {message}")
    assert cg.err.decode().splitlines()[1].startswith(f"  try: {hint}")


def test_settings_of_the_project_hold_here_too(cg: Cg) -> None:
    """A component's parameters and the rule of the held prefix, from a configuration file."""
    file = cg.fixture(AGENT)
    cg.write("own.toml", 'held = "ignore"\n[components.mask]\nkeep_recent = 1\n')

    found = arms(cg.report("replay", file, "--policy", "mask", "--config", "own.toml"))["mask"]
    usual = arms(cg.report("replay", file, "--policy", "mask@ignore"))["mask@ignore"]
    assert found["held"] == "ignore"
    assert found["totals"]["fired"] > usual["totals"]["fired"]
