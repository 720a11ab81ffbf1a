"""Filters from a YAML file that somebody wrote: checked with the line for everything that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.compaction.filters.cases import failures
from cgcli.compaction.filters.filter import made
from cgcli.compaction.filters.rules import faults
from cgcli.compaction.filters.yaml_lines import Lines, documents
from cgcli.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pydantic import BaseModel, ValidationError

    from cgcli.compaction.filters.filter import Filter
    from cgcli.compaction.filters.rules import Place

LONGEST_CHARS = 1 << 20
_DOCS = "see docs/reference/filters.md"


def read_file(path: Path, *, check_cases: bool = True) -> tuple[Filter, ...]:
    """The filters in the file *path*, one a YAML document.

    Raises:
        UsageError: it cannot be read, or a filter in it is wrong; without *check_cases* a failing test is not.
    """
    return read_text(_text(path), file=str(path), check_cases=check_cases)


def read_document(path: Path) -> dict[str, Any]:
    """The one filter in the file *path* as plain data, its defaults left out.

    Raises:
        UsageError: it cannot be read, or the filter is wrong.
    """
    _, data = next(iter(_read(_text(path), str(path), check_cases=True)))
    return data


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"the filters cannot be read: {error.strerror}", where=str(path), hint="look at its path and permissions"
        ) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("the filters are not UTF-8", where=str(path), hint=_DOCS) from error


def read_text(text: str, *, file: str, check_cases: bool = True) -> tuple[Filter, ...]:
    """The filters in *text*, the content of *file*.

    Raises:
        UsageError: a filter in it is wrong; says the line and what to do.
    """
    return tuple(one for one, _ in _read(text, file, check_cases=check_cases))


def _read(text: str, file: str, *, check_cases: bool) -> list[tuple[Filter, dict[str, Any]]]:
    """Each filter with its document."""
    if len(text) > LONGEST_CHARS:
        raise UsageError(f"the filters are longer than {LONGEST_CHARS:,} characters", where=file, hint=_DOCS)
    read: list[tuple[Filter, dict[str, Any]]] = []
    for data, lines in documents(text, file=file):
        one, document = _checked(data, lines, file)
        if any(one.name == other.name for other, _ in read):
            raise UsageError(f"two filters are called {one.name!r}", where=one.where, hint="rename one of them")
        for failure in failures(one) if check_cases else ():
            raise UsageError(
                f"{one.name}: test {failure.i_case + 1} fails: {failure.message}",
                where=f"{file}:{_line_of(lines, ('tests', failure.i_case))}",
                hint="cg filters test FILE shows both texts",
            )
        read.append((one, document))
    if not read:
        raise UsageError("no filter in it", where=file, hint=_DOCS)
    return read


def _checked(data: object, lines: Lines, file: str) -> tuple[Filter, dict[str, Any]]:
    # pydantic takes 0.1 s to import: only for a run that has filters of its own.
    from pydantic import ValidationError  # noqa: PLC0415

    from cgcli.compaction.filters.schema import Document  # noqa: PLC0415

    def at(place: Place) -> str:
        return f"{file}:{_line_of(lines, place)}"

    try:
        said = Document.model_validate(data)
    except ValidationError as error:
        raise _wrong_shape(error, data, at(()), at) from error
    document = said.model_dump(by_alias=True, exclude_defaults=True)
    one = made(document, where=at(("name",)))
    for fault in faults(one):
        raise UsageError(f"{one.name}: {fault.message}", where=at(fault.place), hint=fault.hint)
    return one, document


def _wrong_shape(error: ValidationError, data: object, where: str, at: Callable[[Place], str]) -> UsageError:
    """What pydantic found first, with the line of the key or value."""
    from cgcli.compaction.filters.schema import Document  # noqa: PLC0415 - as above

    if not isinstance(data, dict):
        return UsageError("a filter is a table of keys", where=where, hint=_DOCS)
    found = error.errors(include_url=False)
    # A key that is spelled wrong is missing, too: what stands there is said first.
    first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
    place = tuple(first["loc"])
    said = ".".join(str(step) for step in place)
    if first["type"] == "extra_forbidden":
        return UsageError(
            f"unknown key {said!r}", where=at(place), hint=did_you_mean(str(place[-1]), _keys(Document, place))
        )
    if first["type"] == "missing":
        return UsageError(f"the key {said!r} is missing", where=at(place), hint=_DOCS)
    return UsageError(f"{said}: {first['msg']}", where=at(place), hint=_DOCS)


def _keys(model: type[BaseModel], place: Place) -> list[str]:
    """The keys that are known where the last step of *place* stands."""
    for step in place[:-1]:
        if isinstance(step, str):
            model = _model_of(model.model_fields[step].annotation) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_of(annotation: Any) -> Any:
    """The table that *annotation*, or the element of a list that it is, names."""
    inner = getattr(annotation, "__args__", ())
    found = inner[0] if inner else annotation
    return found if hasattr(found, "model_fields") else None


def _line_of(lines: Lines, place: Place) -> int:
    """The line of *place*, or of the nearest thing around it."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)
