"""Build a call in any mode, and know which modes a name on the command line stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.attempt import attempt
from cgcli.calls.call import ALIASES, NATIVE, CallMode
from cgcli.calls.fork import fork
from cgcli.calls.native import native
from cgcli.calls.native_support import PLATFORMS, unsupported
from cgcli.calls.standalone import standalone
from cgcli.errors import UsageError, did_you_mean
from cgcli.model import changed, value

if TYPE_CHECKING:
    from cgcli.calls.call import Asking, Call, CallOptions
    from cgcli.model import Refusal, Request


@value
class Choice:
    """How a summary is to be asked for, as a person names it."""

    name: str
    """Without aliases: `inline` is `standalone`."""
    modes: tuple[CallMode, ...]
    """Those that it can come to, the preferred one first."""

    @property
    def is_native(self) -> bool:
        """The provider compacts."""
        return self.modes[0] in NATIVE

    @property
    def may_decline(self) -> bool:
        """A fork that would not pay is not made."""
        return self.name == AUTO


AUTO = "auto"
"""A fork where it pays, else standalone."""
ANY_NATIVE = "native"
"""Whichever of the provider's two kinds the model has, the one on demand first."""
_ALSO: dict[str, tuple[CallMode, ...]] = {
    ANY_NATIVE: (CallMode.NATIVE_ON_DEMAND, CallMode.NATIVE_THRESHOLD),
    AUTO: (CallMode.FORK, CallMode.STANDALONE),
}


def build(mode: CallMode, asking: Asking) -> Call | Refusal:
    """The request that asks for the summary in that *mode*, or why there is none."""
    if mode is CallMode.STANDALONE:
        return attempt(lambda: standalone(_of_span(asking)))
    return fork(asking) if mode is CallMode.FORK else native(mode, asking)


def _of_span(asking: Asking) -> Asking:
    """The same, asked of the request that the span was taken from: a standalone call needs nothing of another."""
    counted_in = asking.counted_in
    if counted_in is asking.parent.request:
        return asking
    return changed(asking, parent=changed(asking.parent, request=counted_in), span_request=None)


def modes_for(dialect: str) -> tuple[CallMode, ...]:
    """The modes that make sense for requests of *dialect*, in the order in which they are shown."""
    kinds = PLATFORMS.get(dialect, {})
    return (CallMode.STANDALONE, CallMode.FORK, *(mode for mode in CallMode if mode in kinds))


def names() -> tuple[str, ...]:
    """Every name that `resolve` knows, aliases last."""
    return (*(mode.value for mode in CallMode), *_ALSO, *ALIASES)


def resolve(name: str) -> Choice:
    """What *name* stands for.

    Raises:
        UsageError: nobody knows that name.
    """
    mode = ALIASES.get(name)
    if mode is None:
        if name in _ALSO:
            return Choice(name=name, modes=_ALSO[name])
        mode = next((one for one in CallMode if one.value == name), None)
    if mode is None:
        raise UsageError(f"no call mode {name!r}", hint=did_you_mean(name, names()))
    return Choice(name=mode.value, modes=(mode,))


def resolve_or_standalone(name: str) -> tuple[Choice, str | None]:
    """What *name*, from a configuration file, stands for: an unknown one is `standalone`, with a warning."""
    try:
        return resolve(name), None
    except UsageError as error:
        return resolve(CallMode.STANDALONE.value), f"{error.message}: standalone is used; {error.hint}"


def first_supported(choice: Choice, request: Request, options: CallOptions) -> CallMode:
    """The first mode of a native *choice* that model and platform of *request* have; the first of all where none is."""
    found = (mode for mode in choice.modes if unsupported(mode, request, options) is None)
    return next(found, choice.modes[0])
