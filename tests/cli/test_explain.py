"""`cg explain` as it is typed."""

from __future__ import annotations

import json

import pytest

from cgcli.checks.registry import GATES
from cgcli.cli.run import main


@pytest.mark.parametrize("name", ["G-APPEND", "g-append", "append", "APPEND"])
def test_a_gate_is_found_by_its_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In any case, with or without its G-."""
    assert main(["explain", name]) == 0
    assert capsys.readouterr().out.startswith("G-APPEND: A lane grows only at its end\n\nWhat it checks\n")


def test_json_has_the_rule(capsys: pytest.CaptureFixture[str]) -> None:
    """One document, of one gate or of all."""
    assert main(["explain", "append", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert main(["explain", "--all", "--json"]) == 0
    everything = json.loads(capsys.readouterr().out)

    assert one["schema"] == everything["schema"] == "cgcli/explain/v1"
    assert one["gates"] == everything["gates"][:1]
    assert [gate["gate"] for gate in everything["gates"]] == [gate.rule.gate for gate in GATES]


def test_all_are_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    """A list of names and titles."""
    assert main(["explain", "--all"]) == 0
    shown = capsys.readouterr().out.splitlines()

    assert len(shown) == len(GATES) + 2
    assert shown[0].split(maxsplit=1) == ["G-APPEND", "A lane grows only at its end"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["apend"], "cg: no gate is called 'apend'\n  try: did you mean 'G-APPEND'?\n"),
        ([], "cg: give one gate, or --all\n  try: cg explain --all\n"),
        (["append", "--all"], "cg: give one gate, or --all\n  try: cg explain --all\n"),
    ],
)
def test_a_wrong_command_line_says_what_to_try(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that was likely meant, or how to see all."""
    assert main(["explain", *words]) == 2
    assert capsys.readouterr() == ("", said)
