"""`cg config` as it is typed, and what a configuration that is wrong is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cgcli.config.json_schema import schema

if TYPE_CHECKING:
    from tests.cli.calling import Cg

PYPROJECT = """[tool.other]
x = 1

[tool.cgcli]
policy = "house.toml"
held = "pays"

[tool.cgcli.components.collapse]
max_tokens = 2500
"""
HOUSE = """name = "house"

[[steps]]
component = "linecap"

[[steps]]
component = "collapse"
max_tokens = 1500
head_lines = 10
"""


def _house(cg: Cg) -> None:
    cg.write("pyproject.toml", PYPROJECT)
    cg.write("house.toml", HOUSE)


def test_what_holds_is_shown_with_where_it_comes_from(cg: Cg, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key and every parameter; those that differ from their default are marked; the order's fault on stderr."""
    monkeypatch.delenv("CG_STASH", raising=False)
    _house(cg)
    assert cg("config", "show") == 0
    house = cg.folder / "house.toml"
    assert [line.split() for line in cg.out.decode().splitlines() if line] == [
        ["file", str(cg.folder / "pyproject.toml")],
        ["key", "value", "from"],
        ["policy", str(house), "pyproject.toml:5"],
        ["pipeline", "none", "default"],
        ["held", "pays", "pyproject.toml:6"],
        ["stash", ".cg", "default"],
        ["components.collapse.max_tokens", "2500", "pyproject.toml:9"],
        ["policy", "house"],
        ["step", "parameter", "value", "default", "from"],
        ["linecap", "max_line_chars", "500", "default"],
        ["collapse_duplicate_lines", "true", "default"],
        ["min_size", "400", "default"],
        ["marker_mode", "full", "default"],
        ["collapse", "*", "max_tokens", "2500", "2000", "pyproject.toml:9"],
        ["max_frac", "0", "default"],
        ["*", "head_lines", "10", "20", f"{house}:9"],
        ["tail_lines", "20", "default"],
        ["marker_mode", "full", "default"],
        ["cold_cache", "true", "default"],
    ]
    assert cg.err.decode().startswith(f"cg: {house}:4: `linecap` stands before `collapse`: ")
    assert cg.err.count(b"\n") == 1


def test_the_document_has_the_same(cg: Cg, monkeypatch: pytest.MonkeyPatch) -> None:
    """With values as JSON has them, and the warnings."""
    monkeypatch.setenv("CG_STASH", "kept")
    _house(cg)
    told = cg.report("config", "show", "--policy", "codesafe")
    assert told["schema"] == "cgcli/config-show/v1"
    assert {one["key"]: (one["value"], one["from"]) for one in told["keys"]} == {
        "policy": ("codesafe", "--policy"),
        "pipeline": (None, "default"),
        "held": ("pays", "pyproject.toml:6"),
        "stash": ("kept", "$CG_STASH"),
        "components.collapse.max_tokens": (2500, "pyproject.toml:9"),
    }
    assert (told["policy"]["name"], told["policy"]["from"], told["warnings"]) == ("codesafe", "--policy", [])
    collapse = next(step for step in told["policy"]["steps"] if step["component"] == "collapse")
    assert collapse["from"] == "codesafe"
    assert collapse["parameters"][0] == {
        "name": "max_tokens",
        "value": 2500,
        "default": 2000,
        "from": "pyproject.toml:9",
    }


def test_a_pipeline_and_a_preset_say_where_they_come_from(cg: Cg) -> None:
    """The option that named it, the line, the preset whose parameter it is."""
    told = cg.report("config", "show")
    assert (told["file"], told["policy"]["from"]) == (None, "default")
    collapse = next(step for step in told["policy"]["steps"] if step["component"] == "collapse")
    assert (collapse["parameters"][0]["value"], collapse["parameters"][0]["from"]) == (3000, "codesafe")
    told = cg.report("config", "show", "--pipeline", "format,cachesplit")
    assert [(one["key"], one["value"], one["from"]) for one in told["keys"][:2]] == [
        ("policy", None, "default"),
        ("pipeline", ["format", "cachesplit"], "--pipeline"),
    ]
    cg.write("cg.toml", 'pipeline = [\n  "linecap",\n  "extract",\n]\nstash = "s"\n')
    told = cg.report("config", "show", "--config", "cg.toml")
    assert (told["policy"]["from"], [step["from"] for step in told["policy"]["steps"]]) == (
        "cg.toml:1",
        ["cg.toml:2", "cg.toml:3"],
    )
    assert told["warnings"][0].startswith("cg.toml:2: `linecap` stands before `extract`: ")


def test_triggers_are_shown_with_their_lines(cg: Cg) -> None:
    """Those of the policy and of its steps; a spelling of others is told on stderr; none are none."""
    cg.write(
        "waits.toml",
        "[triggers]\nmin_request_tokens = 50_000\nevery = { turns = 5 }\n\n[[steps]]\ncomponent = 'linecap'\n\n"
        "[[steps]]\ncomponent = 'mask'\ntriggers = { cache_state = 'pre_expiry', pre_expiry_seconds = 30 }\n",
    )
    assert cg("config", "show", "--policy", "waits.toml") == 0
    shown = [line.split() for line in cg.out.decode().splitlines()]
    start = shown.index(["step", "trigger", "value", "from"])
    assert shown[start + 1 : start + 6] == [
        ["all", "min_request_tokens", "50,000", "waits.toml:2"],
        ["all", "every", "5", "turns", "waits.toml:3"],
        ["mask", "cache_state", "pre_expiry", "waits.toml:10"],
        ["mask", "pre_expiry_s", "30", "waits.toml:10"],
        [],
    ]
    said = [line for line in cg.err.decode().splitlines() if "taken as" in line]
    assert said == ["cg: waits.toml:10: `pre_expiry_seconds` is taken as `pre_expiry_s`"]
    told = cg.report("config", "show", "--policy", "waits.toml")
    assert told["policy"]["triggers"][1] == {
        "step": None,
        "name": "every",
        "value": {"turns": 5},
        "from": "waits.toml:3",
    }
    assert cg.report("config", "show")["policy"]["triggers"] == []


def test_the_policy_off_has_no_step(cg: Cg) -> None:
    """Said in a line."""
    assert cg("config", "show", "--policy", "off") == 0
    assert cg.out.decode().endswith("\npolicy  off: no step\n")


def test_the_schema_is_printed(cg: Cg) -> None:
    """As one JSON document."""
    assert cg("config", "schema") == 0
    assert json.loads(cg.out) == schema()


@pytest.mark.parametrize("command", [("config", "show"), ("compact", "in.jsonl", "--dry-run")])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "# a comment\npolcy = 'off'\n",
            "cg: cg.toml:2: unknown key 'polcy'\n  try: did you mean 'policy'?\n",
        ),
        (
            "[components.collapse]\n\nmax_token = 3\n",
            "cg: cg.toml:3: collapse: there is no parameter 'max_token'\n  try: did you mean 'max_tokens'?\n",
        ),
        (
            "[components.colapse]\n",
            "cg: cg.toml:1: there is no component 'colapse'\n  try: did you mean 'collapse'?\n",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(cg: Cg, command: tuple[str, ...], text: str, said: str) -> None:
    """Exit 2, one line and a hint, from every command that reads the whole configuration."""
    cg.write("in.jsonl", "{}\n")
    cg.write("cg.toml", text)
    assert cg(*command, "--config", "cg.toml") == 2
    assert cg.err.decode() == said


def test_compact_warns_of_an_order_that_steals(cg: Cg) -> None:
    """On stderr and in the document, with the same words; the run goes on."""
    name = cg.fixture("context-guru/agent.jsonl")
    cg.write("house.toml", HOUSE)
    told = cg.report("compact", name, "--policy", "house.toml", "--dry-run")
    (warning,) = told["warnings"]
    assert warning.startswith("house.toml:4: `linecap` stands before `collapse`: ")
    assert cg.err.decode() == f"cg: {warning}\n"
    assert cg.report("compact", name, "--policy", "codesafe", "--dry-run")["warnings"] == []


def test_the_command_line_is_checked(cg: Cg) -> None:
    """As that of `cg compact`; control characters of a file stay text."""
    assert cg("config", "show", "--policy", "off", "--pipeline", "mask") == 2
    assert b"--policy and --pipeline exclude each other" in cg.err
    assert cg("config", "show", "--policy", "agnet") == 2
    assert b"did you mean 'agent'?" in cg.err
    cg.write("cg.toml", 'policy = "summarize"\n[components.summarize]\ncall = "a\\u001b[31m"\n')
    assert cg("config", "show", "--config", "cg.toml") == 0
    assert b"\x1b" not in cg.err
    assert cg.err.startswith(b"cg: cg.toml:3: no call mode")
