"""`--live URL` in the place of `--summarizer`: a provider answers, what it costs is said before and after."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ClassVar, Self

from cgcli.cli import live_options
from cgcli.cli.console import say
from cgcli.errors import UsageError
from cgcli.pricing.table import default_prices

if TYPE_CHECKING:
    from types import TracebackType

    from cgcli.calls.call import Call
    from cgcli.live.bound import Bound
    from cgcli.live.summariser import LiveSummariser
    from cgcli.model import Refusal
    from cgcli.pricing.table import Prices
    from cgcli.summarisers.protocol import Summary, Task


class LiveAnswers:
    """A summariser of any dialect, each with a client and key of its own; a context that closes its connections."""

    name: ClassVar[str] = "live"

    def __init__(self, live: live_options.Live, prices: Prices | None = None) -> None:
        """Send as *live* says, at *prices*; None for those of the table."""
        self._live = live
        self._prices = prices if prices is not None else default_prices()
        self._budget = live_options.budget(live)
        self._by_dialect: dict[str, LiveSummariser] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections, and say what was spent, however it ends."""
        self._stack.close()
        from cgcli.report.live import line  # noqa: PLC0415 - only under --live

        say(f"cg: {line(self.report()['spent'])}")

    def summarise(self, task: Task) -> Summary | Refusal:
        """What the provider answers, or why there is no summary.

        Raises:
            LiveError: the provider cannot be talked to at all: a wrong key, a wrong address.
            OutputError: the answer cannot be recorded.
            UsageError: what the environment holds cannot be a key.
        """
        dialect = task.request.dialect
        found = self._by_dialect.get(dialect)
        if found is None:
            found = self._by_dialect[dialect] = self._summariser(dialect)
        return found.summarise(task)

    def report(self) -> dict[str, Any]:
        """Where it was sent and what that cost, as the documents have it under `live`."""
        from cgcli.report.live import spent  # noqa: PLC0415 - only under --live

        return {"url": self._live.shown, "spent": spent(self._budget.account())}

    def _summariser(self, dialect: str) -> LiveSummariser:
        from cgcli.live.summariser import LiveSummariser  # noqa: PLC0415 - only under --live

        client = self._stack.enter_context(live_options.client(self._live, dialect))
        return LiveSummariser(
            client, prices=self._prices, budget=self._budget, record=self._live.record, announce=self._announce
        )

    def _announce(self, call: Call, bound: Bound) -> None:
        most = f"${bound.usd:.4f}" if bound.usd is not None else f"an unknown amount ({bound.rule})"
        say(f"cg: a {call.mode.value} call to {self._live.shown}, at most {most}: {bound.input_tokens:,} tokens in")


def answers(
    live: live_options.Live | None, prices: Prices | None, *, summarizer: str | None, keeps: bool = True
) -> LiveAnswers | None:
    """Who answers where *live* is given; None without it. *keeps*: the run has a product.

    Raises:
        UsageError: another summariser is named too, or nothing would be kept of what is paid for.
    """
    if live is None:
        return None
    if summarizer is not None:
        raise UsageError(
            f"--live and --summarizer {summarizer} exclude each other", hint="leave --summarizer away, or --live"
        )
    if not keeps and live.record is None:
        raise UsageError(
            "without an output nothing is kept of what --live pays for",
            hint="-o OUT; or --record DIR, to go on with --summarizer recorded:DIR",
        )
    return LiveAnswers(live, prices)
