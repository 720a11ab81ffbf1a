"""The parameters of a request that its provider's cache depends on."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.dialects.canonical import free_json
from cgcli.model import Digest, Param, Section
from cgcli.providers.invalidation import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cgcli.wire.spans import Node


def params(dialect: str, body: Mapping[str, Node]) -> tuple[Param, ...]:
    """What *body* says of them; one that is left out, or says the default, is not in it.

    Raises:
        Malformed: a value is not usable JSON.
    """
    found = []
    for rule in RULES[dialect]:
        top, _, rest = rule.path.partition(".")
        node = body.get(top)
        if node is not None and rest:
            node = node.members().get(rest) if node.kind == "object" else None
        if node is None or node.kind == "null":
            continue
        written = free_json(node, by_key=not rule.order_counts)
        if written != rule.default and written not in rule.same:
            found.append(Param(path=rule.path, written=written, breaks=rule.breaks))
    return tuple(found)


def seeds(found: Sequence[Param]) -> dict[Section, Digest]:
    """One digest per section, over the parameters that break it."""
    return {
        section: Digest(
            sha256(
                b"\n".join(param.path.encode() + b"=" + param.written for param in found if section in param.breaks)
            ).digest()
        )
        for section in Section
    }
