"""YAML with the line of everything in it; what makes a file mean something else than it seems to is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

Lines = dict[tuple[str | int, ...], int]
"""The line, from 1, of each key and element of a document."""

_DEEPEST = 20
_DOCS = "see docs/reference/filters.md"


def documents(text: str, *, file: str) -> Iterator[tuple[object, Lines]]:
    """The documents in *text*, the content of *file*: values, and where they stand.

    Raises:
        UsageError: it is no YAML, has a key twice, or refers to another part of itself.
    """
    import yaml  # noqa: PLC0415 - only where there are filters to read

    try:
        loader = yaml.SafeLoader(text)
        while loader.check_node():
            node = loader.get_node()
            places = _Places(file)
            places.walk(node, ())
            yield loader.construct_document(node), places.lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{file}:{mark.line + 1}" if mark is not None else file
        raise UsageError(f"no YAML: {error.problem}", where=where, hint=_DOCS) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(f"no YAML: {str(error).splitlines()[0]}", where=file, hint=_DOCS) from error


class _Places:
    """The lines of one document."""

    def __init__(self, file: str) -> None:
        self.lines: Lines = {}
        self._file = file
        self._seen: set[int] = set()

    def walk(self, node: Any, place: tuple[str | int, ...]) -> None:
        """Note the lines of *node*, which stands at *place*, and of everything in it."""
        line = node.start_mark.line + 1
        self.lines.setdefault(place, line)
        if id(node) in self._seen:  # an alias is the very node that it refers to
            raise self._refused("an alias", line, "write it out where it is used")
        self._seen.add(id(node))
        if len(place) > _DEEPEST:
            raise self._refused("nested too deeply", line, _DOCS)
        if node.id == "mapping":
            for key, inner in node.value:
                here = (*place, str(key.value))
                if here in self.lines:
                    said = f"the key {key.value!r} stands twice"
                    raise self._refused(said, key.start_mark.line + 1, "remove one")
                self.lines[here] = key.start_mark.line + 1
                self.walk(inner, here)
        elif node.id == "sequence":
            for i, inner in enumerate(node.value):
                self.walk(inner, (*place, i))

    def _refused(self, message: str, line: int, hint: str) -> UsageError:
        return UsageError(message, where=f"{self._file}:{line}", hint=hint)
