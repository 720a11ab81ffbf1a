"""What a body says of some of its members, as bytes to compare."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cgcli.dialects.settings import settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cgcli.model import Request


def told(request: Request, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Each of *names* that the body has a value for, and that value; the order of keys does not count."""
    body = settings(request)
    for name in names:
        if body.get(name) is not None:
            yield name, json.dumps(body[name], sort_keys=True).encode()
