"""What a break re-bills."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.tokens import counter
from tests.checks.gated import Json, body, failures, fixture, lines, result, said, turn, user

if TYPE_CHECKING:
    from cgcli.checks.base import Cost

GO = user("Go.")
CHAT: Json = {"model": "gpt-4.1", "max_tokens": None, "system": None}


def spec(name: str) -> Json:
    """A tool in Chat's shape."""
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}


def cost(before: Json, after: Json) -> Cost:
    """What the second request re-bills."""
    (finding,) = failures(result(lines([before, after]), "append"))
    assert finding.cost is not None
    return finding.cost


def counted(*items: Any) -> int:
    """The tokens of items as they are written, one by one."""
    count = counter("o200k_base").count
    return sum(count(json.dumps(item, separators=(",", ":"))) for item in items)


ONE, TWO, THREE = spec("one"), spec("two"), spec("three")
YES, MORE, DONE, BYE = said("Yes."), user("More."), said("Done."), user("Bye.")


@pytest.mark.parametrize(
    ("before", "after", "rebilled"),
    [
        # The edited message, and what stood behind it; not what is new at the end.
        ((GO, YES, MORE), (GO, YES, user("Less."), DONE, BYE), (user("Less."),)),
        ((GO, YES, MORE, DONE), (GO, said("No."), MORE, DONE, BYE), (said("No."), MORE, DONE)),
        ((GO, YES, MORE, DONE), (GO, MORE, DONE, BYE), (MORE, DONE)),
    ],
    ids=["last", "middle", "removed"],
)
def test_messages(before: tuple[Json, ...], after: tuple[Json, ...], rebilled: tuple[Json, ...]) -> None:
    """From the break to the last message that was sent before."""
    found = cost(body(*before, tools=[ONE], **CHAT), body(*after, tools=[ONE], **CHAT))
    assert (found.tokens, found.basis) == (counted(*rebilled), "counted: o200k_base")


@pytest.mark.parametrize(
    ("fields", "rebilled"),
    [
        ({"tools": [ONE, THREE]}, (THREE, GO, YES)),
        ({"tools": [THREE, TWO]}, (THREE, TWO, GO, YES)),
        ({"model": "gpt-4o"}, (ONE, TWO, GO, YES)),
        ({"reasoning_effort": "low"}, (ONE, TWO, GO, YES)),
    ],
    ids=["a tool", "the first tool", "the model", "a parameter"],
)
def test_what_stands_before_the_messages(fields: Json, rebilled: tuple[Json, ...]) -> None:
    """A change before the messages re-bills all that stands behind it, tools that did not change too."""
    head = {**CHAT, "tools": [ONE, TWO]}
    found = cost(body(GO, YES, **head), body(GO, YES, MORE, **{**head, **fields}))
    assert found.tokens == counted(*rebilled)


def test_another_tokenizer_is_estimated() -> None:
    """Claude's tokens are the count times its factor, and said to be estimated."""
    messages = (GO, *turn(1, "one"))
    edited = turn(1, "two")[1]
    found = cost(body(*messages), body(GO, messages[1], edited, *turn(2)))
    assert (found.tokens, found.basis) == (round(counted(edited) * 1.24), "estimated: o200k_base x 1.24")


@pytest.mark.parametrize(("name", "loads"), [("passing", False), ("failing", True)])
def test_no_vocabulary_is_loaded_unless_a_break_is_priced(name: str, *, loads: bool) -> None:
    """A capture that holds is checked without a tokenizer."""
    program = (
        "import sys\n"
        "from cgcli.checks.registry import GATES\n"
        "from cgcli.checks.run import Allowed, check\n"
        "from cgcli.readers import open_bytes, read\n"
        "with open_bytes(sys.argv[1]) as stream:\n"
        "    check(read(stream, file='made'), GATES, Allowed(), {})\n"
        "print('splintr' in sys.modules or 'tiktoken' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program, str(fixture("G-APPEND", name))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{loads}\n"
