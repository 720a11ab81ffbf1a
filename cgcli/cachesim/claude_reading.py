"""What Claude's API makes of a request before its cache sees it: what it takes out, and what it says beside the body.

Sources: Claude docs, prompt caching, what invalidates the cache; extended thinking with prompt caching.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim.places import Places
from cgcli.model import Param, Section
from cgcli.providers.kept_thinking import kept_turns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.cachesim.options import CacheOptions
    from cgcli.cachesim.tape import Tape
    from cgcli.model import Request

_FROM_SYSTEM = (Section.SYSTEM, Section.MESSAGES)
_MESSAGES = (Section.MESSAGES,)
_DISABLED = b'"disabled"'


def places(request: Request, tape: Tape, options: CacheOptions) -> Places:
    """The places of *request* as Claude's API reads it."""
    n_stripped = _n_stripped(request, tape) if options.strips_thinking else 0
    return Places(request, tape, switches=tuple(_switches(request, tape)), n_stripped=n_stripped)


def _switches(request: Request, tape: Tape) -> Iterator[Param]:
    """What switches something in the prompt on that stands nowhere in it."""
    web = tape.head(request).web
    if web:
        yield Param(path="web_search", written=web, breaks=_FROM_SYSTEM)
    seen = tape.seen(request)
    if seen.cites:
        yield Param(path="citations", written=b"true", breaks=_FROM_SYSTEM)
    if seen.has_image:
        yield Param(path="images", written=b"true", breaks=_MESSAGES)


def _n_stripped(request: Request, tape: Tape) -> int:
    """Up to which message thinking is taken out: older models, which think, keep that behind the last question only."""
    if kept_turns(request.model) is None or not _thinks(request):
        return 0
    for i in range(len(request.messages) - 1, -1, -1):
        if tape.layout(request.messages[i]).asks:
            return i
    return 0


def _thinks(request: Request) -> bool:
    return any(param.path == "thinking" and _DISABLED not in param.written for param in request.params)
