"""Compare the call modes of a capture as the command does, and look at what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.cli.comparing import Comparing
from cgcli.cli.span_options import Asked
from tests.captures import capture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Unpack

    from cgcli.calls.call import CallMode
    from cgcli.shapes.comparison import Comparison, Shape
    from tests.captures import Shape as Capture

MODELS = {"anthropic": b"claude-sonnet-4-5-20250929", "chat": b"gpt-4.1", "responses": b"gpt-5"}
"""The model of a generated capture."""


def compare(file: str | Path, **options: Any) -> list[Comparison]:
    """The comparisons of *file* by *options*, which are those of the command line."""
    return Comparing(Asked(file=str(file), **options)).comparisons()


def document(file: str | Path, **options: Any) -> dict[str, Any]:
    """The same as the JSON document."""
    run = Comparing(Asked(file=str(file), **options))
    return run.report(run.comparisons())


def one(found: Sequence[Comparison]) -> Comparison:
    """The only one."""
    (only,) = found
    return only


def shape(found: Comparison, mode: CallMode) -> Shape:
    """The shape of that *mode*, which must be among them."""
    told = found.shape(mode)
    assert told is not None
    return told


def generated(model: str, **asked: Unpack[Capture]) -> bytes:
    """A generated capture for *model*."""
    own = MODELS[asked.get("dialect", "anthropic")]
    content = capture(**asked)
    assert own in content
    return content.replace(own, model.encode())
