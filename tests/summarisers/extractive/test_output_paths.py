"""The paths of outputs, remembered."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cgcli.summarisers.extractive.output_paths import OutputPaths


def test_paths_are_counted_in_the_order_in_which_they_stand() -> None:
    """Those with a slash; the same the second time."""
    known = OutputPaths()
    text = "src/b.py: error\nsrc/a.py: ok\nsrc/b.py again, README.md"

    assert [list(known.of(text).items()) for _ in range(2)] == [[("src/b.py", 2), ("src/a.py", 1)]] * 2


def test_a_lone_surrogate_is_no_fault() -> None:
    """Transcripts have them."""
    assert dict(OutputPaths().of("\ud800 src/a.py")) == {"src/a.py": 1}


def test_what_was_not_asked_for_lately_is_dropped() -> None:
    """Three outputs of one path measure six, and five is the most."""
    known = OutputPaths(most_kept=5)
    first = known.of("u/a.py")
    second = known.of("v/b.py")
    assert known.of("u/a.py") is first
    known.of("w/c.py")

    assert known.n_kept == 4
    assert known.of("u/a.py") is first
    assert known.of("v/b.py") is not second


@given(st.lists(st.sampled_from(["u/a.py v/b.py", "w/c.py " * 3, "", "x/d.py y/e.py z/f.py"]), max_size=20))
def test_a_small_memory_gives_the_same_answers(outputs: list[str]) -> None:
    """However much is dropped on the way, and never more is kept than may be."""
    known = OutputPaths(most_kept=4)

    for output in outputs:
        assert known.of(output) == {path: output.split().count(path) for path in output.split()}
        assert known.n_kept <= 4
