"""What the parameters of a step take, asked of the step itself, so that it is what the step checks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

from pydantic import Field

from cgcli.compaction.components import fields
from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_WORD = "\0"
_WORD = re.compile(r"[\w-]+")
_SEEN_BY_TYPES_ONLY = {"Mapping": Mapping, "Sequence": Sequence}
"""Names in annotations that the modules of steps do not import when they run."""


def parameters(kind: type[object]) -> Iterator[tuple[str, Any, object]]:
    """The parameters of a *kind* of step: name, type with what is allowed, default."""
    types = get_type_hints(kind, localns=_SEEN_BY_TYPES_ONLY)
    for name, default in fields(kind).items():
        yield name, _narrowed(kind, name, types[name]), default


def _narrowed(kind: type[object], name: str, said: Any) -> Any:
    """The type that is *said* of a parameter, with its words or its bounds; never narrower than what *kind* takes."""
    plain = {one for one in (get_args(said) if isinstance(said, UnionType) else (said,)) if one is not type(None)}
    if plain == {str}:
        words = _words(kind, name)
        return said if not words else Literal[words] | None if said is not str else Literal[words]
    if plain == {int} and not _takes(kind, name, -1):
        return Annotated[said, Field(ge=0 if _takes(kind, name, 0) else 1)]
    if plain == {float}:
        least = None if _takes(kind, name, -0.5) else 0
        most = None if _takes(kind, name, 1.5) else 1
        return Annotated[said, Field(ge=least, le=most)]
    return said


def _words(kind: type[object], name: str) -> tuple[str, ...]:
    """The words that a parameter takes; empty where it takes any text.

    A step that refuses a word says which ones there are: those that it then takes.
    """
    try:
        kind(**{name: _NO_WORD})
    except UsageError as error:
        told = dict.fromkeys(_WORD.findall(f"{error.message} {error.hint}"))
        return tuple(word for word in told if _takes(kind, name, word))
    return ()


def _takes(kind: type[object], name: str, given: object) -> bool:
    try:
        kind(**{name: given})
    except UsageError:
        return False
    return True
