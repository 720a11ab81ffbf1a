"""The parts of the reference that are written from the code.

They stand between `<!-- generated: NAME -->` and `<!-- end -->`; `python -m tests.docs.generate` writes them anew.
"""

from __future__ import annotations

import re
import typing
from types import UnionType
from typing import TYPE_CHECKING, Literal

from cgcli.calls.why import SAYS
from cgcli.compaction.order import FACTS
from cgcli.config.schema import Table
from cgcli.dialects import DIALECTS
from cgcli.errors import CgError
from cgcli.readers import READERS, TEXTS, unsupported
from cgcli.readers.derived import Deriving, DerivingText
from cgcli.readers.envelope import PATHS
from tests.docs import policies, prices
from tests.docs.help import help_pages
from tests.docs.pages import DOCS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from cgcli.readers.base import Reader

_REGION = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_YES_NO = {True: "yes", False: "no"}
_PLAIN = {"str": "text", "list[str]": "list of texts", "dict[str, dict[str, typing.Any]]": "tables"}


def rewritten(text: str) -> str:
    """*text* with every generated part as the code says it today."""
    return _REGION.sub(lambda found: found[1] + "\n".join(PARTS[found[2]]()) + "\n" + found[3], text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _commands() -> Iterator[str]:
    for words, text in help_pages():
        yield from ("", f"## {words}", "", "```text", *text.rstrip().splitlines(), "```")


def _readers() -> Iterator[str]:
    """The formats whose own bytes are edited."""
    yield from _formats([reader for reader in READERS if not isinstance(reader, Deriving)])


def _logs() -> Iterator[str]:
    """The formats that hold requests as they were sent, in another shape."""
    yield from _formats([reader for reader in _deriving() if not reader.reconstructs])


def _histories() -> Iterator[str]:
    """The formats from which requests are put together."""
    yield from _formats([reader for reader in _deriving() if reader.reconstructs])


def _deriving() -> list[Deriving | DerivingText]:
    return [*(reader for reader in READERS if isinstance(reader, Deriving)), *TEXTS]


def _formats(readers: Sequence[Reader | Deriving | DerivingText]) -> Iterator[str]:
    head = ("format", "what it is", "taken where", "tools", "system", "usage", "answer", "time", "requests are")
    yield from _table(
        head,
        (
            (
                _page(reader.name),
                _first_line(type(reader)),
                _first_line(_tells(reader)).removeprefix("True where "),
                *(
                    _YES_NO[known]
                    for known in (
                        reader.known.tools,
                        reader.known.system,
                        reader.known.usage,
                        reader.known.response,
                        reader.known.time,
                    )
                ),
                "independent" if reader.independent else "conversations",
            )
            for reader in sorted(readers, key=lambda reader: reader.name)
        ),
    )


def _tells(reader: Reader | Deriving | DerivingText) -> object:
    """What tells the format: `matches`, or `recognises` of a file that is no JSON."""
    return reader.recognises if isinstance(reader, DerivingText) else reader.matches


def _page(name: str) -> str:
    """The format's name, with a link to its page where it has one."""
    has_page = (DOCS / "formats" / f"{name}.md").is_file()
    return f"[`{name}`](../formats/{name}.md)" if has_page else f"`{name}`"


def _envelope() -> Iterator[str]:
    yield ", ".join(f"`{'.'.join(path)}`" for path in PATHS)


def _unsupported() -> Iterator[str]:
    kinds = {(kind.name, kind.why): kind.hint for _, kind in unsupported._KINDS}
    yield from _table(("file", "why not", "instead"), ((name, why, hint) for (name, why), hint in kinds.items()))


def _dialects() -> Iterator[str]:
    yield from _table(
        ("dialect", "what it is", "the list that grows", "tools", "system prompt"),
        (
            (
                f"`{dialect.name}`",
                _first_line(type(dialect)),
                f"`{dialect.history}`",
                *(f"`{key}`" for key in dialect.static),
            )
            for dialect in sorted(DIALECTS, key=lambda dialect: dialect.name)
        ),
    )


def _orders() -> Iterator[str]:
    yield from _table(
        ("step", "had better not stand before", "because it", "known from"),
        ((_listed(fact.first), _listed(fact.later), fact.why, fact.source) for fact in FACTS),
    )


def _listed(names: Sequence[str]) -> str:
    return " ".join(f"`{name}`" for name in names)


def _keys() -> Iterator[str]:
    yield from _table(
        ("key", "what it takes", "meaning"),
        (
            (f"`{name}`", _shape(field.annotation), field.description or "")
            for name, field in Table.model_fields.items()
        ),
    )


def _shape(annotation: object) -> str:
    """A type as a person reads it, `None` left out."""
    if isinstance(annotation, UnionType) or typing.get_origin(annotation) is typing.Union:
        return " or ".join(_shape(one) for one in typing.get_args(annotation) if one is not type(None))
    if typing.get_origin(annotation) is Literal:
        return " or ".join(f"`{one}`" for one in typing.get_args(annotation))
    return _PLAIN[annotation.__name__ if annotation is str else str(annotation)]


def _errors() -> Iterator[str]:
    yield from _table(
        ("error", "exit code", "meaning"),
        ((f"`{kind.__name__}`", str(int(kind.exit_code)), _first_line(kind)) for kind in _tree(CgError)),
    )


def _tree(kind: type[CgError]) -> Iterator[type[CgError]]:
    yield kind
    for inner in kind.__subclasses__():
        if inner.__module__ == kind.__module__:
            yield from _tree(inner)


def _refusals() -> Iterator[str]:
    yield from _table(("reason", "meaning"), ((f"`{why.value}`", said) for why, said in SAYS.items()))


def _prices() -> Iterator[str]:
    yield from _table(prices.PRICE_HEAD, prices.price_rows())


def _windows() -> Iterator[str]:
    yield from _table(prices.WINDOW_HEAD, prices.window_rows())


def _first_line(thing: object) -> str:
    said = (thing.__doc__ or "").strip().split("\n", 1)[0]
    assert said, f"{thing} has no docstring"
    return said.rstrip(".")


PARTS: Mapping[str, Callable[[], Iterator[str]]] = {
    "commands": _commands,
    "dialects": _dialects,
    "envelope": _envelope,
    "errors": _errors,
    "histories": _histories,
    "keys": _keys,
    "logs": _logs,
    "orders": _orders,
    "policies": lambda: policies.table("../policies/"),
    "price-source": prices.provenance,
    "prices": _prices,
    "readers": _readers,
    "refusals": _refusals,
    "unsupported": _unsupported,
    "windows": _windows,
}
