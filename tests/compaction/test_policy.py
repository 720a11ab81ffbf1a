"""Policies: the presets' steps exactly, TOML files, overrides, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.component import MarkerMode
from cgcli.compaction.components.cachesplit import Cachesplit
from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.components.dedup import Dedup
from cgcli.compaction.components.extract import Extract
from cgcli.compaction.components.format import Format
from cgcli.compaction.components.mask import Mask
from cgcli.compaction.policy import Policy, named, names, pipeline, steps_of
from cgcli.compaction.presets import BUILT_IN
from cgcli.compaction.summaries.codex_local import CodexLocal
from cgcli.compaction.summaries.pi_keep_recent import PiKeepRecent
from cgcli.compaction.summaries.settings import Summarize
from cgcli.errors import UsageError
from cgcli.model import changed

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.compaction.summaries.span_step import SpanStep

# config/config.go of context-guru at da73fed, `house` from its later line; `ladder` of amplifier; the peers'
PRESETS = {
    "off": "",
    "safe": "format textclean searchfold cachesplit",
    "balanced": "format textclean searchfold dedup failed_run cmdfilter linecap cachesplit",
    "coding": "format textclean searchfold dedup cmdfilter extract linecap cachesplit",
    "agent": "format textclean searchfold dedup failed_run mask extract extract_llm cachesplit",
    "general": "format textclean searchfold dedup failed_run cmdfilter mask extract extract_llm collapse linecap "
    "cachesplit",
    "mcp": "format textclean smartcrush cachesplit",
    "house": "format dedup toon cmdfilter searchfold textclean extract cachesplit toolfilter",
    "codesafe": "format textclean searchfold dedup failed_run cmdfilter extract collapse linecap cachesplit",
    "summarize": "summarize",
    "ladder": "ladder",
    "clear-tool-uses": "clear-tool-uses",
    "clear-thinking": "clear-thinking",
    "opencode-prune": "opencode-prune",
    "codex-local": "codex-local",
    "pi-keep-recent": "pi-keep-recent",
    "openhands-mask": "openhands-mask",
    "claude-microcompact": "claude-microcompact",
}


@pytest.mark.parametrize("name", sorted({*BUILT_IN, *PRESETS}))
def test_a_preset_has_the_steps_of_its_model(name: str) -> None:
    """In order, and every one of them acts."""
    title, steps = steps_of(name)
    assert title == name
    assert [step.name for step in steps] == PRESETS[name].split()
    policy = named(name)
    assert policy.name == name
    assert sorted(names(policy)) == sorted(PRESETS[name].split())


def test_the_parameters_of_the_presets() -> None:
    """Defaults, but for the larger budget of `codesafe`."""
    assert Collapse(max_tokens=3000) in named("codesafe").components
    assert {Collapse(), Mask(), Format(), Dedup()} <= set(named("general").components)
    assert [(name, step.name) for name in BUILT_IN for step in steps_of(name)[1] if step.params] == [
        ("codesafe", "collapse")
    ]


def test_a_file_is_a_policy(tmp_path: Path) -> None:
    """Steps in order with their parameters, those of outputs before those of bodies."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "short"\n'
        '[[steps]]\ncomponent = "collapse"\nmax_tokens = 50\nmarker_mode = "summary"\n'
        '[[steps]]\ncomponent = "cachesplit"\n'
        '[[steps]]\ncomponent = "format"\n'
    )
    assert named(str(path)) == Policy(
        name="short",
        components=(Collapse(max_tokens=50, marker_mode=MarkerMode.SUMMARY), Format()),
        bodies=(Cachesplit(),),
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
    assert Collapse(max_tokens=70) in named("codesafe", overrides).components
    assert named(str(path), overrides).components == (Collapse(max_tokens=70, head_lines=1),)
    assert pipeline(["collapse"], overrides).components == (Collapse(max_tokens=70),)


def test_an_override_of_a_step_that_the_policy_has_not_is_no_error() -> None:
    """A configuration serves several policies."""
    assert named("safe", {"mask": {"keep_recent": 1}, "ladder": {"runaway_after": 2}}) == named("safe")


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


def test_summarize_stands_beside_the_components() -> None:
    """Wherever it is named: it acts on messages, after what acts on outputs. Its parameters are a step's."""
    policy = pipeline(["format", "summarize", "mask"], {"summarize": {"call": "inline", "budget_tokens": 1000}})
    assert [component.name for component in policy.components] == ["format", "mask"]
    assert policy.span_step == Summarize(call="standalone", budget_tokens=1000)
    assert named("summarize").span_step == Summarize()
    assert named("agent").span_step is None


def test_summarize_from_a_file(tmp_path: Path) -> None:
    """As any step; an unknown call mode in a file is a warning, and `standalone`."""
    path = tmp_path / "p.toml"
    path.write_text('[[steps]]\ncomponent = "summarize"\ncall = "forc"\napply_at = 0.8\nmarker_mode = "off"\n')
    policy = named(str(path))
    assert policy.span_step == Summarize(call="standalone", apply_at=0.8, marker_mode=MarkerMode.OFF)
    (warning,) = policy.warnings
    assert warning == f"{path}:3: no call mode 'forc': standalone is used; did you mean 'fork'?"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cal": "fork"}, "summarize: there is no parameter 'cal'"),
        ({"call": 3}, "summarize: call is 3, but must be a text"),
        ({"min_span_ratio": True}, "summarize: min_span_ratio is True, but must be a number from 0 to 1"),
        ({"apply_at": 0.5}, r"ask_at \(0.6\) is above apply_at \(0.5\)"),
        ({"marker_mode": "none"}, "summarize: marker_mode is 'none', but must be one of full, summary, off"),
    ],
)
def test_parameters_of_summarize_are_checked(parameters: dict[str, object], message: str) -> None:
    """As those of any step, whether or not the policy has it."""
    for policy in ("summarize", "agent"):
        with pytest.raises(UsageError, match=message):
            named(policy, {"summarize": parameters})


def test_summarize_stands_once_in_a_policy() -> None:
    """Twice is refused."""
    with pytest.raises(UsageError, match="`summarize` stands twice in the policy"):
        pipeline(["summarize", "format", "summarize"])


@pytest.mark.parametrize(("name", "step"), [("codex-local", CodexLocal()), ("pi-keep-recent", PiKeepRecent())])
def test_a_peers_history_compaction_is_a_policy_of_one_step(name: str, step: SpanStep) -> None:
    """With the peer's own defaults; configured as any step, and with the warning of an unknown call mode."""
    assert named(name) == Policy(name=name, components=(), span_step=step)
    given = pipeline(["format", name], {name: {"call": "forc", "marker_mode": "off"}})
    assert [component.name for component in given.components] == ["format"]
    assert given.span_step == changed(step, call="standalone", marker_mode=MarkerMode.OFF)
    assert given.warnings == ("no call mode 'forc': standalone is used; did you mean 'fork'?",)
    with pytest.raises(UsageError, match=f"{name}: there is no parameter 'target'"):
        named("off", {name: {"target": 0.5}})


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (("codex-local", "format", "codex-local"), "`codex-local` stands twice in the policy"),
        (("summarize", "pi-keep-recent"), "`summarize` and `pi-keep-recent` stand in one policy"),
    ],
)
def test_one_step_of_a_policy_replaces_messages(steps: tuple[str, ...], message: str) -> None:
    """Two would summarise each other's summaries."""
    with pytest.raises(UsageError, match=message):
        pipeline(steps)
