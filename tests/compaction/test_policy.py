"""Policies: the presets' steps exactly, TOML files, overrides, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.component import MarkerMode
from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.components.dedup import Dedup
from cgcli.compaction.components.extract import Extract
from cgcli.compaction.components.format import Format
from cgcli.compaction.components.mask import Mask
from cgcli.compaction.policy import BUILT_IN, PLANNED, Policy, named, pipeline
from cgcli.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

# config/config.go of context-guru at da73fed
PRESETS = {
    "off": [],
    "safe": ["format", "textclean", "searchfold", "cachesplit"],
    "agent": [
        "format",
        "textclean",
        "searchfold",
        "dedup",
        "failed_run",
        "mask",
        "extract",
        "extract_llm",
        "cachesplit",
    ],
    "general": [
        "format",
        "textclean",
        "searchfold",
        "dedup",
        "failed_run",
        "cmdfilter",
        "mask",
        "extract",
        "extract_llm",
        "collapse",
        "linecap",
        "cachesplit",
    ],
    "codesafe": [
        "format",
        "textclean",
        "searchfold",
        "dedup",
        "failed_run",
        "cmdfilter",
        "extract",
        "collapse",
        "linecap",
        "cachesplit",
    ],
}
HAVE = {"format", "dedup", "mask", "collapse", "extract"}


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_a_preset_has_the_steps_of_context_guru(name: str) -> None:
    """The steps that there are, in order; the others are said to be missing."""
    policy = named(name)
    steps = PRESETS[name]
    assert [component.name for component in policy.components] == [step for step in steps if step in HAVE]
    assert list(policy.missing) == [step for step in steps if step not in HAVE]
    assert policy.name == name


def test_the_parameters_of_the_presets() -> None:
    """Defaults, but for the larger budget of `codesafe`."""
    assert named("codesafe").components == (Format(), Dedup(), Extract(), Collapse(max_tokens=3000))
    assert named("general").components == (Format(), Dedup(), Mask(), Extract(), Collapse(max_tokens=2000))


def test_a_file_is_a_policy(tmp_path: Path) -> None:
    """Steps in order with their parameters; a planned step is missing, not an error."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "short"\n'
        '[[steps]]\ncomponent = "collapse"\nmax_tokens = 50\nmarker_mode = "summary"\n'
        '[[steps]]\ncomponent = "toon"\n'
        '[[steps]]\ncomponent = "format"\n'
    )
    assert named(str(path)) == Policy(
        name="short",
        components=(Collapse(max_tokens=50, marker_mode=MarkerMode.SUMMARY), Format()),
        missing=("toon",),
    )


def test_a_file_without_a_name_is_called_by_its_own(tmp_path: Path) -> None:
    """The stem of the path; no step is a policy too."""
    path = tmp_path / "quiet.toml"
    path.write_text("")
    assert named(str(path)) == Policy(name="quiet", components=())


def test_a_list_of_names_is_a_policy() -> None:
    """In the order in which they are given, twice where given twice."""
    policy = pipeline(["extract", "format", "extract"])
    assert policy == Policy(name="pipeline extract,format,extract", components=(Extract(), Format(), Extract()))


def test_overrides_win_over_the_preset_and_the_file(tmp_path: Path) -> None:
    """The configuration's parameters are laid over a step's own; the others of the step stay."""
    path = tmp_path / "p.toml"
    path.write_text('[[steps]]\ncomponent = "collapse"\nmax_tokens = 50\nhead_lines = 1\n')
    overrides = {"collapse": {"max_tokens": 70}}
    assert named("codesafe", overrides).components[-1] == Collapse(max_tokens=70)
    assert named(str(path), overrides).components == (Collapse(max_tokens=70, head_lines=1),)
    assert pipeline(["collapse"], overrides).components == (Collapse(max_tokens=70),)


def test_an_override_of_a_step_that_the_policy_has_not_is_no_error() -> None:
    """A configuration serves several policies; a planned component may stand in it too."""
    assert named("safe", {"mask": {"keep_recent": 1}, "toon": {"x": 1}}) == named("safe")


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("agnet", {}, "there is no policy 'agnet'"),
        ("missing.toml", {}, "missing.toml: the policy cannot be read: No such file or directory"),
        ("agent", {"maks": {}}, "there is no component 'maks'"),
        ("agent", {"mask": {"keep": 1}}, "mask: there is no parameter 'keep'"),
        ("agent", {"mask": {"keep_recent": -1}}, "mask: keep_recent is -1, but must be a whole number, 0 or more"),
        (
            "agent",
            {"mask": {"marker_mode": "none"}},
            "mask: marker_mode is 'none', but must be one of full, summary, off",
        ),
    ],
)
def test_what_is_wrong_is_refused(name: str, overrides: dict[str, dict[str, object]], message: str) -> None:
    """By name, with what would be right in the hint."""
    with pytest.raises(UsageError) as caught:
        named(name, overrides)
    assert str(caught.value) == message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("steps = [", "the policy is not TOML"),
        ('version = 1\nname = "x"', "unknown key 'version'"),
        ("[[steps]]\nmax_tokens = 1", "a step without `component`"),
        ("[[steps]]\ncomponent = 3", "a step without `component`"),
        ('[[steps]]\ncomponent = "colapse"', "there is no component 'colapse'"),
        ('[[steps]]\ncomponent = "collapse"\nmax = 1', "collapse: there is no parameter 'max'"),
        ('steps = ["mask"]', "a step without `component`"),
        ('steps = "mask"', "`steps` is no list"),
        ("steps = 3", "`steps` is no list"),
        ("name = 3", "`name` is no string"),
        ("\xff", "the policy is not TOML"),
    ],
)
def test_a_file_that_is_wrong_is_refused(text: str, message: str, tmp_path: Path) -> None:
    """Whatever is wrong with it, it is exit 2 and says where."""
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match=message):
        named(str(path))


def test_an_unknown_component_in_a_list_is_refused() -> None:
    """With the name that was meant."""
    with pytest.raises(UsageError, match="there is no component 'extrac'") as caught:
        pipeline(["format", "extrac"])
    assert caught.value.hint == "did you mean 'extract'?"


def test_what_is_planned_is_not_there_yet() -> None:
    """No step is both."""
    assert not PLANNED & HAVE
    assert {step for steps in PRESETS.values() for step in steps} <= PLANNED | HAVE
