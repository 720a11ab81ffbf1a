"""Wrong options: exit 2, the word that is wrong, and what was likely meant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.captures import capture
from tests.cli.running import INPUT, OUTPUT, cg, cg_here, check_left

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = capture(turns=2)
KEYS_HINT = "see docs/reference/configuration.md for every key"
SHAPE_HINT = "write `name` and `[[steps]]`: docs/reference/policies.md has examples"
POLICIES = (
    "off, safe, balanced, coding, agent, general, mcp, house, codesafe, summarize, ladder, clear-tool-uses, "
    "clear-thinking, opencode-prune, codex-local, pi-keep-recent, openhands-mask, claude-microcompact"
)
FILES = {
    "typo.toml": 'polcy = "agent"\n',
    "own.toml": "[tool.cgcli]\nnothing-like-it = 1\n",
    "held.toml": 'held = "paid"\n',
    "both.toml": 'policy = "agent"\npipeline = ["mask"]\n',
    "scalar.toml": "[tool]\ncgcli = 3\n",
    "no-table.toml": "tool = 3\n",
    "not.toml": "policy =\n",
    "component.toml": "[components.masc]\nkeep_recent = 3\n",
    "parameter.toml": 'pipeline = ["mask"]\n[components.mask]\nkeep_last = 3\n',
    "policy-key.toml": "[[stepz]]\n",
    "policy-step.toml": "[[steps]]\nmax_tokens = 5\n",
    "policy-type.toml": 'steps = "mask"\n',
    "binary.toml": "\x00",
}
WRONG = [
    (("--format", "contxt-guru"), "there is no format 'contxt-guru'", "did you mean 'context-guru'?"),
    (
        ("--format", "claude-trac"),
        "there is no format 'claude-trac'",
        "did you mean 'claude-trace'?",
    ),
    (("--policy", "agnet"), "there is no policy 'agnet'", "did you mean 'agent'?"),
    (("--preset", "code-safe"), "there is no policy 'code-safe'", "did you mean 'codesafe'?"),
    (("--policy", "none"), "there is no policy 'none'", f"known: {POLICIES}, FILE.toml"),
    (
        ("--policy", "nope.toml"),
        "nope.toml: the policy cannot be read: No such file or directory",
        f"give a TOML file, or one of {POLICIES}",
    ),
    (
        ("--policy", "policy-key.toml"),
        "policy-key.toml:1: unknown key 'stepz'",
        "did you mean 'steps'?",
    ),
    (
        ("--policy", "policy-step.toml"),
        "policy-step.toml:1: a step without `component`",
        'begin each with component = "NAME"',
    ),
    (
        ("--policy", "policy-type.toml"),
        "policy-type.toml:1: `steps` is no list of tables",
        SHAPE_HINT,
    ),
    (
        ("--policy", "not.toml"),
        "not.toml:1: the policy is not TOML: Invalid value (at line 1, column 9)",
        SHAPE_HINT,
    ),
    (("--held", "ignored"), "there is no rule 'ignored' for the held prefix", "did you mean 'ignore'?"),
    (("--held", "maybe"), "there is no rule 'maybe' for the held prefix", "known: respect, pays, ignore"),
    (
        ("--held", "pays", "--rates", "nope.json"),
        "nope.json: the rates cannot be read: No such file or directory",
        "look at its path and permissions",
    ),
    (("--pipeline", "format,collaps"), "there is no component 'collaps'", "did you mean 'collapse'?"),
    (("--pipeline", "format,sumarize"), "there is no component 'sumarize'", "did you mean 'summarize'?"),
    (
        ("--pipeline", " , "),
        "--pipeline names no component",
        "--pipeline format,collapse, or --policy off",
    ),
    (
        ("--pipeline", "mask", "--policy", "agent"),
        "--policy and --pipeline exclude each other",
        "give one of them",
    ),
    (
        ("--config", "nope.toml"),
        "nope.toml: the configuration cannot be read: No such file or directory",
        "look at its path and permissions",
    ),
    (
        ("--config", "not.toml"),
        "not.toml:1: the configuration is not TOML: Invalid value (at line 1, column 9)",
        KEYS_HINT,
    ),
    (
        ("--config", "binary.toml"),
        "binary.toml:1: the configuration is not TOML: Invalid statement (at line 1, column 1)",
        KEYS_HINT,
    ),
    (("--config", "typo.toml"), "typo.toml:1: unknown key 'polcy'", "did you mean 'policy'?"),
    (
        ("--config", "own.toml"),
        "own.toml:2: unknown key 'nothing-like-it'",
        "known: policy, pipeline, held, stash, components",
    ),
    (
        ("--config", "held.toml"),
        "held.toml:1: held: Input should be 'respect', 'pays' or 'ignore'",
        "known: respect, pays, ignore",
    ),
    (
        ("--config", "both.toml"),
        "both.toml:2: `policy` and `pipeline` exclude each other",
        "leave out one of them",
    ),
    (("--config", "scalar.toml"), "scalar.toml:2: tool.cgcli: not a table", KEYS_HINT),
    (
        ("--config", "no-table.toml"),
        "no-table.toml:1: unknown key 'tool'",
        "known: policy, pipeline, held, stash, components",
    ),
    (("--config", "component.toml"), "component.toml:1: there is no component 'masc'", "did you mean 'mask'?"),
    (
        ("--config", "parameter.toml"),
        "parameter.toml:3: mask: there is no parameter 'keep_last'",
        "did you mean 'keep_recent'?",
    ),
]


@pytest.mark.parametrize(("options", "message", "hint"), WRONG, ids=[" ".join(options) for options, _, _ in WRONG])
def test_a_wrong_option_is_refused_before_any_work(
    tmp_path: Path, options: tuple[str, ...], message: str, hint: str
) -> None:
    """Exit 2, two lines on stderr, nothing on stdout, and nothing written anywhere."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / INPUT).write_bytes(CONTENT)
    before = sorted(tmp_path.iterdir())
    ran = cg_here(tmp_path, "compact", INPUT, "-o", OUTPUT, *options)
    assert (ran.code, ran.out, ran.err) == (2, b"", f"cg: {message}\n  try: {hint}\n")
    check_left(tmp_path, tmp_path / INPUT, CONTENT, ran.code)
    assert sorted(tmp_path.iterdir()) == before


def test_a_wrong_configuration_is_named_once_it_is_found(tmp_path: Path) -> None:
    """A pyproject.toml above the working directory counts; its errors name it."""
    (tmp_path / "pyproject.toml").write_text('[tool.cgcli]\npolcy = "agent"\n')
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / INPUT).write_bytes(CONTENT)
    ran = cg(tmp_path / "below", "compact", INPUT, "-o", OUTPUT)
    assert (ran.code, ran.err.splitlines()[0]) == (2, f"cg: {tmp_path}/pyproject.toml:2: unknown key 'polcy'")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("compact",), "Missing argument 'FILE'", "cg compact --help"),
        (
            ("compact", INPUT, "--polcy", "x"),
            "No such option: --polcy (Possible options: --policy)",
            "cg compact --help",
        ),
        (("compact", INPUT, "-o"), "Option '-o' requires an argument", "cg --help"),
        (("compact", INPUT, "more"), "Got unexpected extra argument(s) (more)", "cg compact --help"),
        (("frobnicate", INPUT), "No such command 'frobnicate'", "cg --help"),
        (("stash", "gcc"), "No such command 'gcc'. Did you mean 'gc'?", "cg stash --help"),
    ],
    ids=["no file", "no option", "no value", "one file more", "no command", "no subcommand"],
)
def test_a_command_line_that_cannot_be_parsed_is_told_like_any_error(
    tmp_path: Path, arguments: tuple[str, ...], message: str, hint: str
) -> None:
    """Exit 2 with the error and where to look; with --json, one JSON object in their place."""
    ran = cg_here(tmp_path, *arguments)
    assert (ran.code, ran.out, ran.err) == (2, b"", f"cg: {message}\n  try: {hint}\n")
    command, *rest = arguments
    said = cg_here(tmp_path, command, "--json", *rest)
    assert (said.code, said.out) == (2, b"")
    error = json.loads(said.err)
    assert (error["schema"], error["error"], error["exit_code"]) == ("cgcli/error/v1", "UsageError", 2)


def test_without_a_command_the_help_is_shown(tmp_path: Path) -> None:
    """Exit 2, on stderr: nothing was asked for."""
    ran = cg(tmp_path)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith("Usage: cg [OPTIONS] COMMAND [ARGS]...\n")


def test_expand_wants_hashes_or_a_file(tmp_path: Path) -> None:
    """Exit 2 for neither and for both."""
    message = "cg: give hashes, or --all FILE\n  try: cg expand --help\n"
    neither = cg(tmp_path, "expand")
    assert (neither.code, neither.out, neither.err) == (2, b"", message)
    both = cg(tmp_path, "expand", "abcd", "--all", INPUT)
    assert (both.code, both.out, both.err) == (2, b"", message)
