"""Send a request to a provider: within its money, within its time, again where that may help, the key never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from cgcli import __version__
from cgcli.errors import LiveError, UsageError
from cgcli.live.address import PATHS, parse
from cgcli.live.answering import Answered, Received, answer_of, error_text, shown
from cgcli.live.keys import wanted
from cgcli.model import Refusal, value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import TracebackType

    import httpx

    from cgcli.live.spending import Spending

ANTHROPIC_VERSION = "2023-06-01"
BETA_HEADER = "anthropic-beta"
MOST_ANSWER_BYTES = 64 * 1024 * 1024
_CONNECT_S = 10.0
_TOO_MANY, _REDIRECT, _CLIENT_ERROR, _SERVER_ERROR = 429, 300, 400, 500
_NOT_BILLED = frozenset({429, 503, 529})
"""Rate limit and overload: the request was turned away. Of other server errors that is not certain."""
_OURS = frozenset({"authorization", "x-api-key", "host", "content-length", "content-type", "anthropic-version"})


@value
class Timing:
    """The clock, and how long and how often to try."""

    clock: Callable[[], float]
    """Seconds, never backwards."""
    sleep: Callable[[float], None]
    timeout_s: float = 30.0
    """From sending to the answer's last byte."""
    retries: int = 2
    first_wait_s: float = 1.0
    """Before the first retry; doubled before each further one."""
    most_wait_s: float = 60.0
    """A provider that asks for more is not waited for."""


@value
class _Failure:
    """A sending that brought no answer."""

    message: str
    status: int | None = None
    is_certain: bool = False
    """It was certainly not billed."""
    may_retry: bool = True
    retry_after_s: float | None = None


class Client:
    """A provider at one address; a context that closes its connections.

    TLS is verified, redirects are not followed, and proxies of the environment are used for https alone.
    """

    def __init__(self, url: str, *, key: str | None, timing: Timing, betas: Iterable[str] = ()) -> None:
        """Talk to *url* with *key*; *betas* go with every request, beside its own.

        Raises:
            UsageError: no request may be sent to that address.
        """
        import ssl  # noqa: PLC0415 - as httpx, only under --live

        import httpx  # noqa: PLC0415 - it brings much with it

        self._address = parse(url)
        try:
            httpx.URL(self._address.origin)
        except httpx.InvalidURL as error:
            raise UsageError("the address's host is none", hint="--live https://HOST") from error
        self._key = key
        self._timing = timing
        self._betas = tuple(betas)
        self._http = httpx.Client(
            timeout=httpx.Timeout(timing.timeout_s, connect=min(_CONNECT_S, timing.timeout_s)),
            follow_redirects=False,
            # Reading the certificates takes 0.1 s. Without TLS they are not needed, and this context trusts nobody.
            verify=True if self._address.is_tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            trust_env=not self._address.is_loopback,
        )

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self._http.close()

    def send(
        self,
        body: bytes,
        *,
        dialect: str,
        spending: Spending,
        path: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answered | Refusal:
        """Send *body* as it is; the answer with its usage, counted in *spending*, or why the money does not allow it.

        *path* is the provider's own, such as `/v1/responses/compact`; without one, where the dialect's requests go.

        Raises:
            LiveError: it cannot be reached, or answers with an error, or with what is no answer.
        """
        path = path or PATHS[dialect]
        given = self._headers(dialect, headers or {})
        failure = _Failure(message="not sent")
        for i in range(self._timing.retries + 1):
            refusal = spending.refused()
            if refusal is not None:
                return refusal
            if i:
                self._timing.sleep(self._wait_s(i, failure))
            try:
                found = self._attempt(self._address.of(path), body, given)
            except BaseException:
                spending.lost()  # stopped while it was out: whether it was billed is not known
                raise
            if isinstance(found, Received):
                return self._counted(found, spending, path=path, n_sent=i + 1)
            failure = found
            if not failure.is_certain:
                spending.lost()
            if not failure.may_retry or (failure.retry_after_s or 0) > self._timing.most_wait_s:
                break
        spending.free()
        hint = self._hint(dialect, failure)
        raise LiveError(failure.message, where=self._address.shown(path), hint=hint, status=failure.status)

    def _counted(self, received: Received, spending: Spending, *, path: str, n_sent: int) -> Answered:
        answer, usage = answer_of(received)
        spending.billed(usage)
        if answer is None:
            message = f"answered {received.status} with what is no whole answer"
            raise LiveError(message, where=self._address.shown(path), status=received.status)
        return Answered(status=received.status, body=answer, usage=usage, elapsed_s=received.elapsed_s, n_sent=n_sent)

    def _headers(self, dialect: str, more: Mapping[str, str]) -> dict[str, str]:
        """What goes with a request; of *more* nothing that is ours to say."""
        given = {name.lower(): text for name, text in more.items() if name.lower() not in _OURS}
        betas = [name.strip() for name in (*self._betas, *given.pop(BETA_HEADER, "").split(","))]
        if betas := list(dict.fromkeys(filter(None, betas))):
            given[BETA_HEADER] = ",".join(betas)
        given |= {"content-type": "application/json", "user-agent": f"cg/{__version__}"}
        if dialect == "anthropic":
            given["anthropic-version"] = ANTHROPIC_VERSION
        if self._key is not None:
            given |= {"x-api-key": self._key} if dialect == "anthropic" else {"authorization": f"Bearer {self._key}"}
        return given

    def _attempt(self, url: str, body: bytes, headers: Mapping[str, str]) -> Received | _Failure:
        """One sending."""
        import httpx  # noqa: PLC0415 - as above

        try:
            received = self._exchange(url, body, headers)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            return _Failure(message=f"cannot be reached: {self._said(error)}", is_certain=True)
        except (httpx.TimeoutException, _Late):
            return _Failure(message=f"no whole answer in {self._timing.timeout_s:g} s")
        except httpx.HTTPError as error:
            return _Failure(message=f"the connection broke: {self._said(error)}")
        if received is None:
            return _Failure(message=f"an answer of more than {MOST_ANSWER_BYTES:,} bytes", may_retry=False)
        return received if received.status < _REDIRECT else self._error(received)

    def _exchange(self, url: str, body: bytes, headers: Mapping[str, str]) -> Received | None:
        """Send once and read to the end, at most the whole time; None where the answer does not end."""
        began_s = self._timing.clock()
        read = bytearray()
        with self._http.stream("POST", url, content=body, headers=dict(headers)) as response:
            for piece in self._in_time(response, began_s):
                read += piece
                if len(read) > MOST_ANSWER_BYTES:
                    return None
            return Received(
                status=response.status_code,
                kind=response.headers.get("content-type", ""),
                body=bytes(read),
                retry_after=response.headers.get("retry-after"),
                elapsed_s=self._timing.clock() - began_s,
            )

    def _in_time(self, response: httpx.Response, began_s: float) -> Iterator[bytes]:
        """The pieces of an answer; the time limit of the connection is for each, this one for all."""
        for piece in response.iter_bytes():
            yield piece
            if self._timing.clock() - began_s > self._timing.timeout_s:
                raise _Late

    def _error(self, received: Received) -> _Failure:
        status = received.status
        if status < _CLIENT_ERROR:
            message = f"answered {status}: redirects are not followed, the key would go with them"
        else:
            message = f"answered {status}: {error_text(received, self._key)}"
        return _Failure(
            message=message,
            status=status,
            is_certain=status < _SERVER_ERROR or status in _NOT_BILLED,
            may_retry=status == _TOO_MANY or status >= _SERVER_ERROR,
            retry_after_s=_seconds(received.retry_after),
        )

    def _said(self, error: Exception) -> str:
        """What the system says of a connection, without the key."""
        said = str(error) or type(error).__name__
        return shown(said.replace(self._key, "[key]") if self._key else said)

    def _wait_s(self, i: int, failure: _Failure) -> float:
        """Before the i-th retry: what the provider asks for, else longer each time."""
        if failure.retry_after_s is not None:
            return failure.retry_after_s
        return float(min(self._timing.first_wait_s * 2 ** (i - 1), self._timing.most_wait_s))

    def _hint(self, dialect: str, failure: _Failure) -> str | None:
        if failure.status in (401, 403):
            return wanted(dialect)
        if failure.retry_after_s is not None:
            return f"try again in {failure.retry_after_s:g} s"
        if failure.status is None:
            return "is the address right, and the provider up?"
        return None


class _Late(Exception):
    """The time for the whole answer is over."""


def _seconds(retry_after: str | None) -> float | None:
    """The header in seconds; a date, which would need the day's clock, counts as none."""
    text = (retry_after or "").strip()
    return float(text) if text.replace(".", "", 1).isdecimal() and text.isascii() else None
