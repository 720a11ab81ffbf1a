"""What the tests of components share: a slot around a text."""

from collections.abc import Callable

import pytest

from cgcli.compaction.component import Slot

KEY = "0123456789abcdef"


def count(text: str) -> int:
    """A stand-in for a tokenizer: four characters a token."""
    return len(text) // 4 + 1


def slot_of(
    text: str,
    *,
    i_output: int = 0,
    n_outputs: int = 9,
    seen_before: bool = False,
    request_tokens: int | None = None,
) -> Slot:
    """An old output with *text*, of a request with many, whose key is a row of hex digits."""
    return Slot(
        text=text,
        tokens=count(text),
        key=KEY,
        i_output=i_output,
        n_outputs=n_outputs,
        seen_before=seen_before,
        request_tokens=request_tokens,
        count=count,
    )


@pytest.fixture(scope="session")
def slot() -> Callable[..., Slot]:
    """Makes a slot from a text."""
    return slot_of
