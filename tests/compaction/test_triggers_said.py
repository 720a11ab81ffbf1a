"""Triggers in a policy file: what they come to, what is refused with its line, whose spelling is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.compaction.policy import named
from cgcli.compaction.triggers import NO_CONDITIONS, Batch, CacheState, Triggers
from cgcli.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from pathlib import Path

MASK = "[[steps]]\ncomponent = 'mask'\n"


def _file(folder: Path, text: str) -> str:
    path = folder / "p.toml"
    path.write_text(text)
    return str(path)


def test_a_file_without_triggers_waits_for_nothing(tmp_path: Path) -> None:
    """Nor does a built-in policy."""
    assert named(_file(tmp_path, MASK)).triggers == NO_CONDITIONS
    assert not named("codesafe").triggers.is_any
    assert not named(_file(tmp_path, "[triggers]\nevery = 'turn'\nmin_messages = 0\n" + MASK)).triggers.is_any


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("min_request_tokens = 50_000", Triggers(min_request_tokens=50_000)),
        ("min_messages = 12", Triggers(min_messages=12)),
        ("min_request_fraction = 0.6", Triggers(min_request_fraction=0.6)),
        ("min_request_frac = 1", Triggers(min_request_fraction=1.0)),
        ("cache_state = 'any'", Triggers()),
        ("cache_state = 'cold'", Triggers(cache_state=CacheState.COLD)),
        ("cache_state = 'pre_expiry'", Triggers(cache_state=CacheState.PRE_EXPIRY, pre_expiry_s=60.0)),
        (
            "cache_state = 'pre_expiry'\npre_expiry_seconds = 90",
            Triggers(cache_state=CacheState.PRE_EXPIRY, pre_expiry_s=90.0),
        ),
        ("every = 'turn'", Triggers()),
        ("every = { turns = 5 }", Triggers(every=Batch(turns=5))),
        ("every = { tokens = 20000 }", Triggers(every=Batch(tokens=20_000))),
        (
            "every = { tokens = 20000 }\ncache_state = 'cold'",
            Triggers(every=Batch(tokens=20_000), cache_state=CacheState.COLD),
        ),
    ],
)
def test_what_is_said_is_what_is_waited_for(said: str, expected: Triggers, tmp_path: Path) -> None:
    """Of the whole policy."""
    found = named(_file(tmp_path, f"[triggers]\n{said}\n{MASK}")).triggers
    assert (found.whole, found.by_step) == (expected, {})


def test_a_step_may_wait_for_more(tmp_path: Path) -> None:
    """Beside what the policy waits for; its parameters are its own."""
    text = f"[triggers]\nmin_messages = 5\n{MASK}keep_recent = 1\ntriggers = {{ min_request_tokens = 9 }}\n"
    found = named(_file(tmp_path, text))
    assert found.triggers.whole == Triggers(min_messages=5)
    assert found.triggers.by_step == {"mask": Triggers(min_request_tokens=9)}
    assert [getattr(one, "keep_recent", None) for one in found.components] == [1]


def test_other_spellings_are_said_once(tmp_path: Path) -> None:
    """Each where it stands first, the policy's own table before its steps."""
    text = (
        "[triggers]\nmin_request_frac = 0.5\ncache_state = 'pre_expiry'\npre_expiry_seconds = 30\n"
        "[[steps]]\ncomponent = 'mask'\ntrigger = { min_request_frac = 0.7 }\n"
        "[[steps]]\ncomponent = 'collapse'\ntrigger = { min_messages = 3 }\n"
    )
    path = _file(tmp_path, text)
    assert named(path).warnings == (
        f"{path}:2: `min_request_frac` is taken as `min_request_fraction`",
        f"{path}:4: `pre_expiry_seconds` is taken as `pre_expiry_s`",
        f"{path}:7: `trigger` is taken as `triggers`",
    )
    assert named(path).triggers.by_step["collapse"] == Triggers(min_messages=3)


def test_a_number_is_the_parameter_of_that_name(tmp_path: Path) -> None:
    """`clear-tool-uses` has a `trigger` of its own, and may have triggers beside it."""
    step = "[[steps]]\ncomponent = 'clear-tool-uses'\ntrigger = 4000\n"
    for more, expected in (
        ("", {}),
        ("triggers = { min_messages = 3 }", {"clear-tool-uses": Triggers(min_messages=3)}),
    ):
        found = named(_file(tmp_path, step + more))
        assert [getattr(one, "trigger", None) for one in found.components] == [4000]
        assert (found.triggers.by_step, found.warnings) == (expected, ())


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("[triggers]\nmin_request_token = 1", 2, "there is no trigger 'min_request_token'", "did you mean 'min_req"),
        ("[triggers]\nmin_output_tokens = 1", 2, "there is no trigger 'min_output_tokens'", "triggers look at req"),
        ("triggers = 3", 1, "`triggers` is no table", "see docs"),
        ("[triggers]\nmin_messages = -1", 2, "min_messages is -1, but must be a whole number", "see docs"),
        ("[triggers]\nmin_messages = true", 2, "min_messages is True, but must be a whole number", "see docs"),
        ("[triggers]\nmin_request_tokens = 1.5", 2, "min_request_tokens is 1.5, but must be a whole", "see docs"),
        ("[triggers]\nmin_request_fraction = 60", 2, "min_request_fraction is 60, but must be a number fr", "see docs"),
        (
            "[triggers]\n\ncache_state = 'warm'",
            3,
            "cache_state is 'warm', but must be one of any, cold, pre",
            "see docs",
        ),
        ("[triggers]\ncache_state = ['cold']", 2, "cache_state is ['cold'], but must be one of", "see docs"),
        ("[triggers]\nevery = 5", 2, 'every is 5, but must be "turn", { turns = 5 } or { tokens', "see docs"),
        ("[triggers]\nevery = { turns = 0 }", 2, "every is {'turns': 0}, but must be", "see docs"),
        ("[triggers]\nevery = { turns = 1, tokens = 1 }", 2, "every is {'turns': 1, 'tokens': 1}, but", "see docs"),
        ("[triggers]\nevery = {}", 2, "every is {}, but must be", "see docs"),
        ("[triggers]\ncache_state = 'pre_expiry'\npre_expiry_s = 300", 3, "pre_expiry_s is 300, but must", "see docs"),
        ("[triggers]\ncache_state = 'pre_expiry'\npre_expiry_s = 0", 3, "pre_expiry_s is 0, but must", "see docs"),
        ("[triggers]\npre_expiry_s = 30", 2, "`pre_expiry_s` says nothing without cache_state", "add cache_state"),
        ("[triggers]\npre_expiry_s = 30\ncache_state = 'cold'", 2, "`pre_expiry_s` says nothing", "add cache_state"),
        ("[triggers]\ncache_state = 'cold'\nevery = { turns = 3 }", 3, "`every` counts turns, and cache_", "leave out"),
        (
            "[triggers]\nmin_request_frac = 0.5\nmin_request_fraction = 0.5",
            3,
            "`min_request_fraction` is said twice",
            "leave out `min_request_frac`",
        ),
        ("[triggers]\nevery = { tokens = 9 }\n[[steps]]\ncomponent = 'cachesplit'", 2, "`every` waits for", "every = "),
        ("[[steps]]\ncomponent = 'mask'\ntriggers = 5", 3, "`triggers` is no table", "see docs"),
        ("[[steps]]\ncomponent = 'mask'\ntrigger = 5", 3, "mask: there is no parameter 'trigger'", "known: "),
        (
            "[[steps]]\ncomponent = 'mask'\ntrigger = {}\ntriggers = {}",
            3,
            "`triggers` is said twice",
            "leave out `trigger`",
        ),
        (
            "[[steps]]\ncomponent = 'mask'\n[steps.triggers]\nevery = { turns = 5 }",
            4,
            "there is no trigger 'every' for one step",
            "new decisions of all steps enter together: write it under [triggers]",
        ),
        ("[[steps]]\ncomponent = 'mask'\n[steps.triggers]\nmin = 1", 4, "there is no trigger 'min'", "known: min_req"),
        (
            "[[steps]]\ncomponent = 'summarize'\ntriggers = { min_messages = 9 }",
            2,
            "`summarize` has thresholds of its own, and takes no trigger",
            "see docs/reference/components.md",
        ),
        ("[[steps]]\ncomponent = 'ladder'\ntriggers = { min_messages = 9 }", 2, "`ladder` has thresholds", "see docs"),
        (
            "[[steps]]\ncomponent = 'mask'\n[[steps]]\ncomponent = 'mask'\ntriggers = { min_messages = 9 }",
            4,
            "`mask` stands twice, with different triggers",
            "reports tell a step by its name",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, message: str, hint: str, tmp_path: Path) -> None:
    """Of the key, or of the step; exit 2, with what to try."""
    path = _file(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        named(path)
    assert caught.value.message.startswith(message)
    assert (caught.value.where, caught.value.exit_code) == (f"{path}:{line}", ExitCode.USAGE)
    assert (caught.value.hint or "").startswith(hint)


def test_the_summarising_steps_keep_their_thresholds(tmp_path: Path) -> None:
    """A policy's triggers are for the steps beside them."""
    text = (
        "[triggers]\nmin_messages = 5\n[[steps]]\ncomponent = 'summarize'\nask_at = 0.5\napply_at = 0.7\ntarget = 0.3\n"
    )
    found = named(_file(tmp_path, text))
    assert found.span_step is not None
    assert (found.span_step.when(None).ask_tokens, found.triggers.whole) == (97952, Triggers(min_messages=5))
