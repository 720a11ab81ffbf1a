"""Summarisers by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.calls.call import CallMode
from cgcli.errors import UsageError
from cgcli.model import Refusal
from cgcli.summarisers.absent import Absent
from cgcli.summarisers.extractive.summariser import Extractive
from cgcli.summarisers.modelled import Modelled
from cgcli.summarisers.recorded import Recorded
from cgcli.summarisers.registry import DEFAULT, named
from tests.summarisers.conversing import request, task

if TYPE_CHECKING:
    from pathlib import Path


def test_each_is_found_by_its_name(tmp_path: Path) -> None:
    """The default is the one that needs no model."""
    assert named("extractive") == named(DEFAULT) == Extractive(max_tokens=1200)
    assert named("none") == Absent()
    assert named("modelled:0.25") == Modelled(ratio=0.25)
    assert named(f"recorded:{tmp_path}") == Recorded(folder=tmp_path)


@pytest.mark.parametrize(
    ("spec", "message", "hint"),
    [
        ("extractiv", "no summarizer is called 'extractiv'", "did you mean 'extractive'?"),
        ("gpt", "no summarizer is called 'gpt'", "known: extractive, recorded:DIR, modelled:RATIO, none"),
        ("none:x", "no summarizer is called 'none:x'", "did you mean 'none'?"),
        ("modelled", "modelled: the ratio is missing", "write modelled:RATIO, as modelled:0.25"),
        ("modelled:many", "modelled: 'many' is no number", "write modelled:RATIO, as modelled:0.25"),
        (
            "modelled:2",
            "modelled: the ratio is 2, and must be above 0 and below 1",
            "write modelled:RATIO, as modelled:0.25",
        ),
        ("recorded", "recorded: the folder is missing", "write recorded:DIR"),
        ("recorded:", "recorded: the folder is missing", "write recorded:DIR"),
        ("recorded:/no/such", "recorded: there is no folder '/no/such'", "write recorded:DIR, DIR holding the answers"),
    ],
)
def test_a_wrong_name_is_a_usage_error(spec: str, message: str, hint: str) -> None:
    """With what was likely meant."""
    with pytest.raises(UsageError) as caught:
        named(spec)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_none_refuses_every_call() -> None:
    """By name of the call's mode."""
    wanted = task(request("anthropic", [("user", "Hi.")]), mode=CallMode.FORK)
    expected = Refusal(reason="no_model", detail="a fork call needs a summariser, and there is none")
    assert Absent().summarise(wanted) == expected
