"""What the components have in common that decide by content alone: any text, real text, and wrong parameters."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.compaction.component import Component, Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.linecap import Linecap
from cgcli.compaction.components.path_folds import unfold
from cgcli.compaction.components.searchfold import Searchfold
from cgcli.compaction.components.smartcrush import Smartcrush
from cgcli.compaction.components.textclean import Textclean
from cgcli.compaction.components.toon import Toon
from cgcli.errors import UsageError

LOSSLESS: list[Component] = [Textclean(min_tokens=0), Searchfold(min_tokens=0), Toon(min_tokens=0)]
STASHED: list[Component] = [
    component
    for mode in MarkerMode
    for component in (
        Linecap(min_size=0, max_line_chars=40, marker_mode=mode),
        Smartcrush(min_tokens=0, min_items=2, keep_first=1, keep_last=0, marker_mode=mode),
    )
]
COMPONENTS: list[Component] = [*LOSSLESS, *STASHED]
AS_THEY_ARE: list[Component] = [Textclean(), Searchfold(), Toon(), Linecap(), Smartcrush()]
NAMES = [f"{component.name}-{getattr(component, 'marker_mode', 'none')}" for component in COMPONENTS]

WORDS = [
    "\n",
    "\r",
    " ",
    "a",
    "same line here\n",
    "error: x\n",
    "12% ",
    "█",
    "src/net/a.py:",
    "12:",
    "-3-",
    "--\n",
    "/x/",
]
SIGNS = ["\x1b[31m", "\x1b", "[0m", "\x1b[1G", "]0;", "\x07", "\ud83d", "\ude00", "😀", "⟪cg", "⟫", "  ", "y" * 90]
SHAPES = ["{", "}", '"', ":", ",", "[", "]", '{"a":1,"b":"x"},', "[2]{a}", "1,", "null", "\\n", "\\", '"stdout":']
MARKS = ["\\u003c", "<<cg:", "cg:", "0123456789abcdef", ">>", "<<cg:00000000000000aa>>", "<<ccr:00aa>>"]
PIECES = st.sampled_from(WORDS) | st.sampled_from(SIGNS) | st.sampled_from(SHAPES) | st.sampled_from(MARKS)
TEXTS = st.lists(st.tuples(PIECES, st.integers(1, 12)), max_size=30).map(
    lambda runs: "".join(piece * n for piece, n in runs)
)
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["error", "a,b", "x" * 60])
ROWS = st.lists(st.fixed_dictionaries({"id": SCALARS, "k,": SCALARS}), max_size=9)
DOCUMENTS = st.tuples(ROWS, st.sampled_from(["{0}", '{{"k": {0}}}', "{1}", " {0}\n", "{0} x"])).map(
    lambda made: made[1].format(json.dumps(made[0]), json.dumps({"out": json.dumps({"rows": made[0]})}))
)


@pytest.mark.parametrize("component", COMPONENTS, ids=NAMES)
@settings(deadline=None)
@given(text=TEXTS | DOCUMENTS | st.text())
def test_proposal_is_smaller_stable_and_final(slot: Callable[..., Slot], component: Component, text: str) -> None:
    """Fewer tokens, the same answer twice, no marker but the slot's own, and nothing to add to it."""
    taken = slot(text)
    proposal = component.propose(taken)
    assert component.propose(taken) == proposal
    if isinstance(proposal, Reduction):
        assert taken.count(proposal.text) < taken.tokens
        marks = re.findall("<<cg:[0-9a-fA-F]{16}>>", proposal.text)
        is_marked = component.loss is Loss.STASHED and getattr(component, "marker_mode", None) is MarkerMode.FULL
        assert marks == ([f"<<cg:{taken.key}>>"] if is_marked else [])
        assert isinstance(component.propose(slot(proposal.text)), Skip)


@pytest.mark.parametrize("component", COMPONENTS, ids=NAMES)
def test_no_output_becomes_a_bare_marker(slot: Callable[..., Slot], component: Component) -> None:
    """Something of the output is left to be read."""
    for text in ("\x1b[0m" * 400, "\n" * 4000, "[" + "0," * 400 + "0]", "src/net/a.py:1:\n" * 99, "y" * 4000):
        proposal = component.propose(slot(text))
        if isinstance(proposal, Reduction):
            left = re.sub(r"<<cg:.*?>> \[.*?\]|⟪cg⟫|\[\d+ of .*?\]", "", proposal.text)
            assert len(left.strip()) > 2


def test_components_depend_on_content_alone() -> None:
    """None is gated: a request's prefix gets the same answer on every turn."""
    assert [component.gated for component in COMPONENTS] == [False] * len(COMPONENTS)
    assert [component.loss for component in LOSSLESS] == [Loss.NONE] * 3
    assert [component.loss for component in STASHED] == [Loss.STASHED] * 6


def test_defaults_are_those_of_context_guru() -> None:
    """Users of the proxy find their parameters again."""
    assert Textclean() == Textclean(min_tokens=50)
    assert Searchfold() == Searchfold(min_tokens=50)
    assert Toon() == Toon(min_tokens=50)
    assert Linecap() == Linecap(
        max_line_chars=500, collapse_duplicate_lines=True, min_size=400, marker_mode=MarkerMode.FULL
    )
    assert Smartcrush() == Smartcrush(
        min_items=5, min_tokens=200, keep_first=3, keep_last=2, marker_mode=MarkerMode.FULL
    )


@pytest.mark.parametrize(
    ("make", "params", "message"),
    [
        (Textclean, {"min_tokens": -1}, "textclean: min_tokens is -1"),
        (Searchfold, {"min_tokens": 1.5}, "searchfold: min_tokens is 1.5"),
        (Toon, {"min_tokens": True}, "toon: min_tokens is True"),
        (Linecap, {"max_line_chars": -1}, "linecap: max_line_chars is -1"),
        (Linecap, {"collapse_duplicate_lines": 1}, "linecap: collapse_duplicate_lines is 1"),
        (Linecap, {"min_size": "400"}, "linecap: min_size is '400'"),
        (Linecap, {"marker_mode": "ful"}, "linecap: marker_mode is 'ful'"),
        (Smartcrush, {"min_items": -1}, "smartcrush: min_items is -1"),
        (Smartcrush, {"min_tokens": None}, "smartcrush: min_tokens is None"),
        (Smartcrush, {"keep_first": -3}, "smartcrush: keep_first is -3"),
        (Smartcrush, {"keep_last": 0.5}, "smartcrush: keep_last is 0.5"),
        (Smartcrush, {"marker_mode": ""}, "smartcrush: marker_mode is ''"),
    ],
)
def test_wrong_parameter_is_refused(make: Callable[..., Component], params: dict[str, object], message: str) -> None:
    """Never clamped, never mended."""
    with pytest.raises(UsageError, match=re.escape(message)):
        make(**params)


ROOT = Path(__file__).resolve().parents[3]
SOURCES = sorted([*ROOT.glob("cgcli/**/*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("docs/**/*.md")])
READS = ["{line}", "{n:6}\t{line}", "{n:5}→{line}", "{n}:{line}", "+{line}"]


@pytest.mark.parametrize("read", READS)
def test_files_that_are_read_stay(slot: Callable[..., Slot], read: str) -> None:
    """Sources, tests and documents of this repository, plain, numbered, and as a new file in a diff.

    That is where reducers did harm: numbered lines destroyed, quoted errors taken for a run's.
    """
    assert len(SOURCES) > 300
    for path in SOURCES:
        text = path.read_text(encoding="utf-8").replace("⟪cg⟫", "").replace("<<cg:", "<<")
        taken = slot("\n".join(read.format(n=n, line=line) for n, line in enumerate(text.split("\n"), 1)))
        for component in AS_THEY_ARE:
            proposal = component.propose(taken)
            if isinstance(proposal, Reduction):  # search output that is quoted in a page
                assert component.name == "searchfold"
                assert unfold(proposal.text) == taken.text


QUOTING = """\
2026-10-01T12:00:00Z INFO  request=1 upstream said: error: connection refused
2026-10-01T12:00:01Z INFO  request=2 upstream said: error: connection refused
src/net/client.py:12:    raise TypeError("no such host")
2026-10-01T12:00:02Z WARN  retrying, 3 passed, 1 failed
Traceback (most recent call last):
  File "src/net/client.py", line 12, in connect
ConnectionError: no such host
waiting for the lock of the depot
2026-10-01T12:00:03Z INFO  exit code 1
waiting for the lock of the depot
2026-10-01T12:00:04Z INFO  see https://x.example/why
waiting for the lock of the depot
2026-10-01T12:00:05Z INFO  a
2026-10-01T12:00:06Z INFO  b
2026-10-01T12:00:07Z INFO  c
"""


def test_log_that_quotes_errors_keeps_them(slot: Callable[..., Slot]) -> None:
    """Every line with an error, a place, an exit code, a result or an address stands there as before."""
    told = [line for line in QUOTING.split("\n") if re.search(r"rror|Traceback|\.py|passed|exit|https", line)]
    assert len(told) == 9
    for component in COMPONENTS:
        proposal = component.propose(slot(QUOTING))
        left = proposal.text.split("\n") if isinstance(proposal, Reduction) else QUOTING.split("\n")
        assert [line for line in left if line in told] == told
