"""Each stage of a filter."""

from typing import Any

import pytest

from cgcli.compaction.filters.engine import filtered
from tests.compaction.filters.writing import filter_of

LONG = "x" * 401


@pytest.mark.parametrize(
    ("stages", "text", "left"),
    [
        ({}, "\x1b[31mred\x1b[0m\nplain\n", "red\nplain\n"),
        ({"strip_ansi": False}, "\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n"),
        ({"redraws": True}, "a 10%\ra 50%\ra 100%\nb\n", "a 100%\nb\n"),
        ({"redraws": True}, "a 10%\rerror: x\ra 100%\n", "error: x\na 100%\n"),
        ({"redraws": True}, "a 10%\rmain.c:3 half\ra 100%\n", "main.c:3 half\na 100%\n"),
        ({"redraws": True}, "get 10% [==>   ]\nget 90% [=====>]\nmain.c:3\n", "get 90% [=====>]\nmain.c:3\n"),
        ({"replace": (("[0-9a-f]{40}", "SHA"),)}, f"at {'a' * 40} x\n", "at SHA x\n"),
        ({"replace": ((r"(\w+)@(\w+)", r"\2 \1"), ("b a", "c"))}, "a@b\n", "c\n"),
        ({"replace": (("a", "b"),)}, "a error a\na\n", "a error a\nb\n"),
        ({"replace": (("x", "y"),)}, f"{LONG}\nx\n", f"{LONG}\ny\n"),
        (
            {"keep_lines": ("keep",)},
            "keep 1\nelse\nkeep 2\nsrc/a.c:3\n  its detail\nelse\n",
            "keep 1\nkeep 2\nsrc/a.c:3\n  its detail\n",
        ),
        ({"keep_lines": ("keep",)}, f"else\n{LONG}\nkeep\n", f"{LONG}\nkeep\n"),
        ({"redraws": True}, "a 10%\r\na 50%\r\nb\r\n", "a 10%\r\na 50%\r\nb\r\n"),
        ({"drop_lines": ("drop",)}, "a\ndrop\nb\nnot drop\ndrop error\n", "a\nb\nnot drop\ndrop error\n"),
        ({"drop_lines": ("drop",)}, "drop\n\n\na\n\ndrop\n\nb\n\ndrop\n", "a\n\nb\n"),
        ({"drop_lines": ("drop",)}, "a\n\n\nb\n", "a\n\n\nb\n"),
        ({"drop_lines": ("x",)}, f"{LONG}\nx\ny\n", f"{LONG}\ny\n"),
        ({"drop_lines": ("drop$",)}, "a\r\ndrop\r\nb\r\n", "a\r\nb\r\n"),
        ({"fold": ("s",)}, "s1\ns2\ns3\n", "s1\ns2\ns3\n"),
        ({"fold": ("s",)}, "s1\ns2\ns3\ns4\n", "s1\n... (2 more like this)\ns4\n"),
        ({"fold": ("s",)}, "s1\ns2\nserror\ns4\ns5\n", "s1\ns2\nserror\ns4\ns5\n"),
        (
            {"fold": ("a", "b")},
            "a\na\na\na\nb\nb\nb\nb\n",
            "a\n... (2 more like this)\na\nb\n... (2 more like this)\nb\n",
        ),
        ({"fold": ("a", "b")}, "a\nb\na\nb\n", "a\nb\na\nb\n"),
        ({"dedupe": True}, "same line\nother\nsame line\nsame line\n}\n}\n", "same line  (x3)\nother\n}\n}\n"),
        ({"dedupe": True}, "a warning\na warning\n", "a warning\na warning\n"),
        ({"head_lines": 1}, "1\n2\n3\n4\n", "1\n... (3 lines omitted)\n"),
        ({"tail_lines": 1}, "1\n2\n3\n4\n", "... (3 lines omitted)\n4\n"),
        (
            {"head_lines": 1, "tail_lines": 1},
            "1\n2\n3\nerror\n5\n6\n7\n",
            "1\n... (2 lines omitted)\nerror\n... (2 lines omitted)\n7\n",
        ),
        ({"head_lines": 2, "tail_lines": 2}, "1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n"),
        ({"head_lines": 9, "tail_lines": 9}, "1\n2\n3\n", "1\n2\n3\n"),
        ({"drop_lines": (".",), "on_empty": "quiet"}, "a\n\nb\n", "quiet (2 lines omitted)\n"),
        ({"drop_lines": (".",), "on_empty": "quiet"}, "a\nerror\n", "error\n"),
        ({"drop_lines": (".",)}, "a\nb\n", ""),
        ({"on_empty": "quiet"}, "\n\n", "\n\n"),
    ],
)
def test_a_stage_does_what_it_says(stages: dict[str, Any], text: str, left: str) -> None:
    """And leaves a result alone where it is asked again."""
    one = filter_of(**stages)
    assert filtered(one, text) == left
    assert filtered(one, left) == left


def test_stages_act_in_their_order() -> None:
    """Escapes go before lines are matched, lines are dropped before runs are folded, the limit comes last."""
    one = filter_of(
        redraws=True,
        replace=(("worker-\\d", "worker"),),
        drop_lines=("noise",),
        fold=("worker",),
        head_lines=3,
        tail_lines=1,
    )
    text = "10%\r20%\n\x1b[2mnoise\x1b[0m\nworker-1\nnoise\nworker-2\nworker-3\nworker-4\na\nb\nc\nerror: d\ne\n"
    assert filtered(one, text) == ("20%\nworker\n... (2 more like this)\n... (4 lines omitted)\nerror: d\ne\n")


@pytest.mark.parametrize("text", ["a", "a\nb", "a\n", "\n", ""])
def test_the_end_of_a_text_stays(text: str) -> None:
    """With a line break or without."""
    assert filtered(filter_of(drop_lines=("noise",)), text) == text


def test_a_text_that_goes_on_changing_is_left_as_it_is() -> None:
    """Two rules that undo each other's work from pass to pass change nothing."""
    one = filter_of(replace=(("a", "aa"),))
    assert filtered(one, "a\n") == "a\n"
