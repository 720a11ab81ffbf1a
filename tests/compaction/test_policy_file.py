"""What is wrong with a policy file, or with parameters that go over it, is said with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.policy import named, pipeline
from cgcli.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("name = 'x'\nsteps = [", 2, "the policy is not TOML", "write `name`"),
        ("name = 'x'\n\nversion = 1", 3, "unknown key 'version'", "known: name, steps, triggers"),
        ("[[step]]\ncomponent = 'mask'", 1, "unknown key 'step'", "did you mean 'steps'?"),
        ("# no\nname = 3", 2, "`name` is no string", "write `name`"),
        ("name = 'x'\nsteps = 3", 2, "`steps` is no list of tables", "write `name`"),
        ("[[steps]]\ncomponent = 'mask'\n\n[[steps]]\nmax = 1", 4, "a step without `component`", "begin each"),
        ("steps = [\n'mask',\n]", 2, "a step without `component`", "begin each"),
        ("[[steps]]\n\ncomponent = 'colapse'", 3, "there is no component 'colapse'", "did you mean 'collapse'?"),
        (
            "[[steps]]\ncomponent = 'mask'\n[[steps]]\ncomponent = 'collapse'\nhead_lines = 2\nmax_token = 1",
            6,
            "collapse: there is no parameter 'max_token'",
            "did you mean 'max_tokens'?",
        ),
        (
            "steps = [\n  {component = 'mask', keep_recent = 1},\n  {component = 'mask', keep_recent = -1},\n]",
            3,
            "mask: keep_recent is -1, but must be a whole number, 0 or more",
            "see docs/",
        ),
        (
            "[[steps]]\ncomponent = 'mask'\nkeep_recent = 2\nmarker_mode = 'none'",
            4,
            "mask: marker_mode is 'none', but must be one of full, summary, off",
            "see docs/",
        ),
        ("[[steps]]\ncomponent = 'cacheinject'\nttl = '2h'", 3, "cacheinject: ttl is '2h'", "see docs/"),
        (
            "[[steps]]\ncomponent = 'summarize'\ncall = 'fork'\napply_at = 0.5",
            4,
            "ask_at (0.6) is above apply_at (0.5)",
            "ask before you apply",
        ),
        (
            "[[steps]]\ncomponent = 'summarize'\n[[steps]]\ncomponent = 'codex-local'",
            4,
            "`summarize` and `codex-local` stand in one policy",
            "each puts summaries",
        ),
        (
            "[[steps]]\ncomponent = 'ladder'\n[steps.by_tool]\nx = 1",
            3,
            "ladder: there is no parameter 'by_tool'",
            "known",
        ),
    ],
)
def test_the_line_is_said(text: str, line: int, message: str, hint: str, tmp_path: Path) -> None:
    """Of the key, the step, the parameter or the element; exit 2, with what was meant or what to do."""
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        named(str(path))
    assert caught.value.message.startswith(message)
    assert (caught.value.where, caught.value.exit_code) == (f"{path}:{line}", ExitCode.USAGE)
    assert (caught.value.hint or "").startswith(hint)


@pytest.mark.parametrize(
    ("params", "where"),
    [
        ({"keep_recent": 2, "min_token": 1}, "cg.toml:9"),
        ({"keep_recent": -1}, "cg.toml:8"),
        ({"min_token": 1}, "cg.toml:9"),
    ],
)
def test_parameters_of_a_configuration_have_their_lines(params: dict[str, object], where: str) -> None:
    """Whether or not the policy has the step."""
    places = {("mask", ""): "cg.toml:7", ("mask", "keep_recent"): "cg.toml:8", ("mask", "min_token"): "cg.toml:9"}
    for name in ("agent", "off"):
        with pytest.raises(UsageError) as caught:
            named(name, {"mask": params}, places)
        assert caught.value.where == where


def test_a_component_of_a_configuration_has_its_line() -> None:
    """That of its table, and of its name in a pipeline."""
    with pytest.raises(UsageError, match=r"cg\.toml:7: there is no component 'maks'"):
        named("off", {"maks": {}}, {("maks", ""): "cg.toml:7"})
    with pytest.raises(UsageError, match=r"cg\.toml:3: there is no component 'maks'"):
        pipeline(["mask", "maks"], at=("cg.toml:2", "cg.toml:3"))


def test_what_stands_in_no_file_has_no_line(tmp_path: Path) -> None:
    """An option's parameter goes over that of the file, and the file is not to blame."""
    path = tmp_path / "p.toml"
    path.write_text("[[steps]]\ncomponent = 'summarize'\nask_at = 0.7\napply_at = 0.9")
    with pytest.raises(UsageError, match="ask_at") as caught:
        named(str(path), {"summarize": {"apply_at": 0.65}}, {})
    assert caught.value.where == f"{path}:3"
    with pytest.raises(UsageError, match=r"^summarize: target is 2") as caught:
        named("summarize", {"summarize": {"target": 2}})
    assert caught.value.where is None


def test_an_unknown_call_mode_is_a_warning_with_its_line(tmp_path: Path) -> None:
    """In a policy and in a configuration."""
    path = tmp_path / "p.toml"
    path.write_text("[[steps]]\ncomponent = 'codex-local'\n\ncall = 'forc'")
    warning = "no call mode 'forc': standalone is used; did you mean 'fork'?"
    assert named(str(path)).warnings == (f"{path}:4: {warning}",)
    places = {("codex-local", "call"): "cg.toml:2"}
    assert named("codex-local", {"codex-local": {"call": "forc"}}, places).warnings == (f"cg.toml:2: {warning}",)
