"""Components by name, and the parameters they refuse."""

import pytest

from cgcli.compaction.component import Loss, MarkerMode
from cgcli.compaction.components import BODY_COMPONENTS, COMPONENTS, build
from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.components.dedup import Dedup
from cgcli.compaction.components.extract import Extract
from cgcli.compaction.components.format import Format
from cgcli.compaction.components.mask import Mask
from cgcli.errors import ExitCode, UsageError


def test_defaults_are_those_of_context_guru() -> None:
    """A component without parameters has the proxy's values."""
    assert build("format", {}) == Format(min_tokens=50)
    assert build("mask", {}) == Mask(
        keep_recent=3, min_tokens=100, keep_head_chars=96, marker_mode=MarkerMode.FULL, cold_cache=True
    )
    assert build("collapse", {}) == Collapse(
        max_tokens=2000,
        max_frac=0,
        head_lines=20,
        tail_lines=20,
        marker_mode=MarkerMode.FULL,
        cold_cache=True,
    )
    assert repr(build("dedup", {})) == "Dedup(min_tokens=100, marker_mode=<MarkerMode.FULL: 'full'>)"
    assert repr(build("extract", {})) == "Extract(min_tokens=300, marker_mode=<MarkerMode.FULL: 'full'>)"


@pytest.mark.parametrize("name", COMPONENTS)
def test_name_is_the_registered_one(name: str) -> None:
    """A component knows the name that it stands under."""
    assert build(name, {}).name == name


@pytest.mark.parametrize(
    ("name", "params", "loss", "gated"),
    [
        ("format", {}, Loss.NONE, False),
        ("dedup", {}, Loss.STASHED, False),
        ("mask", {}, Loss.STASHED, True),
        ("extract", {}, Loss.STASHED, False),
        ("collapse", {}, Loss.STASHED, False),
        ("collapse", {"max_frac": 0.1}, Loss.STASHED, True),
    ],
)
def test_only_what_looks_beyond_the_content_is_gated(
    name: str, params: dict[str, object], loss: Loss, *, gated: bool
) -> None:
    """Age and the request's size change from turn to turn; content does not."""
    component = build(name, params)
    assert (component.loss, component.gated) == (loss, gated)


@pytest.mark.parametrize("name", ["dedup", "mask", "collapse", "extract"])
@pytest.mark.parametrize(
    ("given", "mode"),
    [("full", MarkerMode.FULL), ("summary", MarkerMode.SUMMARY), ("off", MarkerMode.OFF)],
)
def test_marker_mode_is_read_from_its_word(name: str, given: str, mode: MarkerMode) -> None:
    """The three words that the proxy knows."""
    component = build(name, {"marker_mode": given})
    assert isinstance(component, Dedup | Mask | Collapse | Extract)
    assert component.marker_mode is mode


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("mask", {"keep_recent": -1}, "mask: keep_recent is -1, but must be a whole number, 0 or more"),
        ("mask", {"keep_recent": True}, "mask: keep_recent is True, but must be a whole number, 0 or more"),
        ("mask", {"keep_recent": 2.0}, "mask: keep_recent is 2.0, but must be a whole number, 0 or more"),
        ("mask", {"min_tokens": None}, "mask: min_tokens is None, but must be a whole number, 0 or more"),
        (
            "mask",
            {"keep_head_chars": "9"},
            "mask: keep_head_chars is '9', but must be a whole number, 0 or more",
        ),
        ("mask", {"cold_cache": 1}, "mask: cold_cache is 1, but must be true or false"),
        (
            "mask",
            {"marker_mode": "fulll"},
            "mask: marker_mode is 'fulll', but must be one of full, summary, off",
        ),
        ("mask", {"marker_mode": True}, "mask: marker_mode is True, but must be one of full, summary, off"),
        ("collapse", {"max_tokens": -5}, "collapse: max_tokens is -5, but must be a whole number, 0 or more"),
        (
            "collapse",
            {"head_lines": -20},
            "collapse: head_lines is -20, but must be a whole number, 0 or more",
        ),
        ("collapse", {"tail_lines": -1}, "collapse: tail_lines is -1, but must be a whole number, 0 or more"),
        ("collapse", {"max_frac": -0.1}, "collapse: max_frac is -0.1, but must be a number from 0 to 1"),
        ("collapse", {"max_frac": 1.5}, "collapse: max_frac is 1.5, but must be a number from 0 to 1"),
        ("collapse", {"max_frac": True}, "collapse: max_frac is True, but must be a number from 0 to 1"),
        ("collapse", {"max_frac": "0.1"}, "collapse: max_frac is '0.1', but must be a number from 0 to 1"),
        (
            "collapse",
            {"max_frac": float("nan")},
            "collapse: max_frac is nan, but must be a number from 0 to 1",
        ),
        ("collapse", {"cold_cache": "yes"}, "collapse: cold_cache is 'yes', but must be true or false"),
        (
            "collapse",
            {"marker_mode": ""},
            "collapse: marker_mode is '', but must be one of full, summary, off",
        ),
        ("dedup", {"min_tokens": -1}, "dedup: min_tokens is -1, but must be a whole number, 0 or more"),
        (
            "dedup",
            {"marker_mode": "Full"},
            "dedup: marker_mode is 'Full', but must be one of full, summary, off",
        ),
        (
            "extract",
            {"min_tokens": "300"},
            "extract: min_tokens is '300', but must be a whole number, 0 or more",
        ),
        ("extract", {"marker_mode": 0}, "extract: marker_mode is 0, but must be one of full, summary, off"),
        ("format", {"min_tokens": -1}, "format: min_tokens is -1, but must be a whole number, 0 or more"),
    ],
)
def test_value_that_is_not_allowed_is_refused(name: str, params: dict[str, object], message: str) -> None:
    """Nothing is clamped, and no unknown word turns into `full`."""
    with pytest.raises(UsageError) as refused:
        build(name, params)
    assert refused.value.message == message
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("name", "params", "message", "hint"),
    [
        ("maks", {}, "there is no component 'maks'", "did you mean 'mask'?"),
        ("zzz", {}, "there is no component 'zzz'", f"known: {', '.join(sorted([*COMPONENTS, *BODY_COMPONENTS]))}"),
        (
            "mask",
            {"keep_recents": 3},
            "mask: there is no parameter 'keep_recents'",
            "did you mean 'keep_recent'?",
        ),
        (
            "format",
            {"marker_mode": "full"},
            "format: there is no parameter 'marker_mode'",
            "known: min_tokens",
        ),
        ("mask", {"name": "x"}, "mask: there is no parameter 'name'", None),
    ],
)
def test_unknown_name_is_refused_with_the_closest(
    name: str, params: dict[str, object], message: str, hint: str | None
) -> None:
    """A slip of the pen is answered with the word that was meant."""
    with pytest.raises(UsageError) as refused:
        build(name, params)
    assert refused.value.message == message
    assert hint is None or refused.value.hint == hint
