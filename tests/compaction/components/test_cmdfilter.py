"""`cmdfilter`: outputs of known commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.cmdfilter import Cmdfilter
from cgcli.compaction.filters.builtin import builtins
from cgcli.errors import ExitCode, UsageError
from tests.compaction.filters.writing import MINE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PING = "PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.\n" + "".join(
    f"64 bytes from 192.0.2.7: icmp_seq={i} ttl=64 time=0.057 ms\n" for i in range(1, 41)
)
PING_LEFT = (
    "PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.\n"
    "64 bytes from 192.0.2.7: icmp_seq=1 ttl=64 time=0.057 ms\n"
    "... (38 more like this)\n"
    "64 bytes from 192.0.2.7: icmp_seq=40 ttl=64 time=0.057 ms"
)
CLONE = "Cloning into 'x'...\n" + "".join(f"Receiving objects: {i}% ({i}/99)\r" for i in range(99)) + "done.\n"
TAIL = """\
name: long-list
description: keeps the beginning
loss: tail
match:
  head: ['entry \\d']
stages:
  head_lines: 2
tests:
  - input: "entry 1\\nentry 2\\nentry 3\\nentry 4\\n"
    expected: "entry 1\\nentry 2\\n... (2 lines omitted)\\n"
"""
MARK = "<<cg:0123456789abcdef>>"


def test_it_stashes_and_looks_at_content_alone() -> None:
    """So it may act on first sight, and on every turn in the same way."""
    assert (Cmdfilter.name, Cmdfilter.loss, Cmdfilter.gated) == ("cmdfilter", Loss.STASHED, False)
    assert Cmdfilter() == Cmdfilter(
        filters=(), disable_builtins=False, agent_filters="off", min_size=400, marker_mode=MarkerMode.FULL
    )


@pytest.mark.parametrize(
    ("mode", "end"),
    [
        (MarkerMode.FULL, f"\n{MARK} [full output: call context_guru_expand]"),
        (MarkerMode.SUMMARY, "\n⟪cg⟫"),
        (MarkerMode.OFF, ""),
    ],
)
def test_what_is_left_and_the_marker(slot: Callable[..., Slot], mode: MarkerMode, end: str) -> None:
    """Lines went from the middle: the hint names the tool that gives the whole back."""
    assert Cmdfilter(marker_mode=mode).propose(slot(PING)) == Reduction(text=PING_LEFT + end)


def test_no_hint_where_nothing_was_lost(slot: Callable[..., Slot]) -> None:
    """Only overwritten states went."""
    assert Cmdfilter().propose(slot(CLONE)) == Reduction(text=f"Cloning into 'x'...\ndone.\n{MARK}")


def test_a_cut_end_names_the_line(slot: Callable[..., Slot]) -> None:
    """What follows it can be asked for."""
    text = "".join(f"entry {i}\n" for i in range(90))
    assert Cmdfilter(filters=[TAIL]).propose(slot(text)) == Reduction(
        text=f"entry 0\nentry 1\n... (88 lines omitted)\n{MARK} [truncated after line 2; rest via context_guru_expand]"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{PING}{MARK}\n", "already_marked"),
        (f"{PING}⟪cg⟫\n", "already_marked"),
        (PING.replace("time", "<<c\x1b[0mg:00000000000000aa>>"), "already_marked"),
        ("PING 192.0.2.7 (192.0.2.7)\n" * 3, "below_min_size"),
        ("plain words\n" * 90, "no_filter"),
        ("PING 192.0.2.7 (192.0.2.7)\n" + "plain words\n" * 90, "nothing_filtered"),
        ("noise\n" * 90, "nothing_would_remain"),
        ("PING 192.0.2.7 (192.0.2.7)\n" + "64 bytes from a\n" * 4 + "plain words\n" * 90, "not_smaller"),
    ],
)
def test_an_output_is_left_alone_for_a_named_reason(slot: Callable[..., Slot], text: str, reason: str) -> None:
    """Each says what is the matter."""
    noise = MINE.replace("'out'", "'out'\n    - 'noise'").replace("'\\.++$'", "'\\.++$'\n    - 'noise'")
    assert Cmdfilter(filters=[noise]).propose(slot(text)) == Skip(reason=reason)


@pytest.mark.parametrize(("min_size", "acts"), [(0, True), (97, True), (98, False)])
def test_size_is_in_bytes(slot: Callable[..., Slot], min_size: int, *, acts: bool) -> None:
    """Not in characters, of which the text has 88."""
    text = "out\n" + "....\n" * 15 + "äöüäöüäöü"
    assert (len(text), len(text.encode())) == (88, 97)
    component = Cmdfilter(filters=[MINE], min_size=min_size, marker_mode=MarkerMode.OFF)
    assert isinstance(component.propose(slot(text)), Reduction) is acts


def test_built_in_filters_can_be_disabled(slot: Callable[..., Slot]) -> None:
    """Then only one's own are asked."""
    assert Cmdfilter(disable_builtins=True).propose(slot(PING)) == Skip(reason="no_filter")
    own = Cmdfilter(disable_builtins=True, filters=(MINE,), marker_mode=MarkerMode.OFF)
    assert own.propose(slot("out\n" + "....\n" * 90 + "end\n")) == Reduction(text="out\nend")


@pytest.mark.parametrize(
    ("agent_filters", "left"),
    [("off", None), ("safe", "test_b (a.T.test_b) ... FAIL"), ("lossy", "test_b (a.T.test_b) ... FAIL")],
)
def test_agent_filters_are_asked_for(slot: Callable[..., Slot], agent_filters: str, left: str | None) -> None:
    """Without them `unittest` is no filter."""
    text = "".join(f"test_a{i} (a.T.test_a{i}) ... ok\n" for i in range(30)) + "test_b (a.T.test_b) ... FAIL\n"
    proposal = Cmdfilter(agent_filters=agent_filters, marker_mode=MarkerMode.OFF).propose(slot(text))
    assert proposal == (Skip(reason="no_filter") if left is None else Reduction(text=left))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"min_size": -1}, "cmdfilter: min_size is -1, but must be a whole number, 0 or more"),
        ({"min_size": True}, "cmdfilter: min_size is True, but must be a whole number, 0 or more"),
        ({"disable_builtins": "no"}, "cmdfilter: disable_builtins is 'no', but must be true or false"),
        ({"agent_filters": "on"}, "cmdfilter: agent_filters is 'on', but must be one of off, safe, lossy"),
        ({"agent_filters": ["off"]}, "cmdfilter: agent_filters is ['off'], but must be one of off, safe, lossy"),
        ({"marker_mode": "fulll"}, "cmdfilter: marker_mode is 'fulll', but must be one of full, summary, off"),
        ({"filters": "mine.yaml"}, "cmdfilter: filters is 'mine.yaml', but must be a list of files or YAML texts"),
        ({"filters": [""]}, "cmdfilter: filters is [''], but must be a list of files or YAML texts"),
        ({"filters": [{}]}, "cmdfilter: filters is [{}], but must be a list of files or YAML texts"),
        ({"filters": ["none.yaml"]}, "none.yaml: the filters cannot be read: No such file or directory"),
        ({"filters": [MINE, MINE]}, "filters[1]:1: two filters are called 'mine'"),
        ({"filters": [MINE.replace("whole", "all")]}, "filters[0]:3: loss: Input should be 'none', 'tail' or 'whole'"),
    ],
)
def test_wrong_parameters_are_refused(
    params: dict[str, object], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is read: exit 2, what was given, what is allowed; filters with their line."""
    monkeypatch.chdir(tmp_path)
    make: Callable[..., Cmdfilter] = Cmdfilter
    with pytest.raises(UsageError) as refused:
        make(**params)
    assert str(refused.value) == message
    assert refused.value.exit_code == ExitCode.USAGE
    assert refused.value.hint


SAMPLES = [case.input for one in builtins() for case in one.cases]
PIECES = st.sampled_from(SAMPLES) | st.sampled_from(["\n", "error: x\n", "plain\n", "\x1b[0m", "<<cg:", "\r", "50%\r"])


@settings(deadline=None)
@given(texts=st.lists(PIECES, min_size=1, max_size=6), mode=st.sampled_from(MarkerMode))
def test_proposals_are_smaller_stable_and_final(slot: Callable[..., Slot], texts: list[str], mode: MarkerMode) -> None:
    """For outputs of several tools in one: fewer tokens, the same answer twice, and nothing to add to it."""
    component = Cmdfilter(agent_filters="lossy", min_size=0, marker_mode=mode)
    taken = slot("".join(texts))
    proposal = component.propose(taken)
    assert component.propose(taken) == proposal
    if isinstance(proposal, Reduction):
        assert taken.count(proposal.text) < taken.tokens
        assert isinstance(component.propose(slot(proposal.text)), Skip)
