"""G-FORK-CACHED: a fork reads its prompt from the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.checks.base import Finding, Rule
from cgcli.checks.forks import ALL_STANDALONE, NO_CALLS, Calls
from cgcli.checks.verdict import INDEPENDENT, settle
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgcli.checks.base import Context, Result
    from cgcli.checks.forks import Call
    from cgcli.checks.turn import Turn
    from cgcli.lanes import Lane

LEAST_PERCENT = 50
"""Of a fork's prompt that must be read. The runs that the source tells of read 86 % in the median where forks were
used and 0 % where they were not; what is new in a fork is one short message."""

RULE = Rule(
    gate="G-FORK-CACHED",
    title="A fork reads its prompt from the cache",
    checks=(
        "The usage that the provider recorded for each fork itself (see G-FORK-PREFIX for what a fork is): the tokens "
        f"read from the cache are at least {LEAST_PERCENT} % of all its prompt tokens (read, written and fresh). The "
        "numbers are measured, each beside the request that it was billed for, never paired by order. Standalone calls "
        "are noted and not judged."
    ),
    why="An aligned fork that finds no cache pays for the whole conversation once more.",
    failing='fork  usage {"input_tokens": 180, "cache_creation_input_tokens": 52000, "cache_read_input_tokens": 0}',
    passing='fork  usage {"input_tokens": 180, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 52000}',
    fix=(
        "Look at G-FORK-PREFIX first: a prefix that was never sent cannot be read. Else the cache lapsed before the "
        "fork (fork right after a request), the fork went to another model, host or cache key, or a thinking or effort "
        "setting differs."
    ),
    proves_not=(
        "That the fork was cheaper than a standalone call. A prompt shorter than the provider's least cacheable size "
        "is never read, however well it is aligned."
    ),
    source="microsoft/amplifier-module-context-simple, G-FORK-CACHED: cache_read over the call's own prompt tokens.",
    since="0.2.0",
)


@value
class _Read:
    """What one call read."""

    line: int
    i_exchange: int
    is_fork: bool
    read_tokens: int | None
    prompt_tokens: int | None


class ForkCached:
    """The gate."""

    rule = RULE

    def start(self, context: Context) -> Run:
        """Begin on a file."""
        return Run(context)


class Run:
    """G-FORK-CACHED at work."""

    def __init__(self, context: Context) -> None:
        """Nothing was measured yet."""
        self._context = context
        self._calls = Calls(_read)
        self._n_forks = 0
        self._n_unmeasured = 0
        self._n_standalone = 0

    def see(self, turn: Turn) -> Iterator[Finding]:
        """Note what a call read."""
        if not self._context.is_independent:
            for read in self._calls.see(turn):
                yield from self._judge(read)

    def result(self, findings: tuple[Finding, ...], lanes: tuple[Lane, ...]) -> Result:
        """Fail on a fork that read too little; unknown where the usage of one is not recorded."""
        del lanes
        late = [finding for read in self._calls.rest() for finding in self._judge(read)]
        nothing = ALL_STANDALONE if self._n_standalone else NO_CALLS
        unknown = None
        if self._n_unmeasured:
            unknown = f"the file does not record the usage of {self._n_unmeasured} of {self._n_forks} forks"
        return settle(
            RULE,
            unit="forks",
            checked=self._n_forks,
            findings=tuple(sorted((*findings, *late), key=lambda finding: finding.i_exchange)),
            nothing=INDEPENDENT if self._context.is_independent else nothing,
            unknown=unknown,
        )

    def _judge(self, call: _Read) -> Iterator[Finding]:
        self._n_forks += call.is_fork
        self._n_standalone += not call.is_fork
        if call.read_tokens is None or not call.prompt_tokens:
            self._n_unmeasured += call.is_fork
            return
        share = 100 * call.read_tokens / call.prompt_tokens
        enough = 100 * call.read_tokens >= LEAST_PERCENT * call.prompt_tokens
        kind = "standalone" if not call.is_fork else "read" if enough else "not_read"
        start = "standalone: " if not call.is_fork else ""
        read = f"read {call.read_tokens:,} of {call.prompt_tokens:,} prompt tokens ({share:.1f} %), measured"
        yield Finding(
            message=start + read,
            line=call.line,
            i_exchange=call.i_exchange,
            kind=kind,
            is_note=kind != "not_read",
        )


def _read(call: Call) -> _Read:
    usage = call.turn.exchange.usage
    return _Read(
        line=call.turn.line,
        i_exchange=call.turn.i_exchange,
        is_fork=call.is_appended,
        read_tokens=usage.read if usage is not None else None,
        prompt_tokens=usage.input if usage is not None else None,
    )
