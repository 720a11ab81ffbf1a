"""Where a request goes: the address that was given, and the provider's path below it."""

from __future__ import annotations

from ipaddress import ip_address
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from cgcli.errors import UsageError
from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

PATHS: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "/v1/messages",
        "openai-chat": "/v1/chat/completions",
        "openai-responses": "/v1/responses",
    }
)
"""Where each dialect's requests go, below the provider's address."""
_ENDPOINTS = ("/responses/compact", "/messages", "/chat/completions", "/responses")
"""How the path of an address ends that names one endpoint."""
_VERSION = "/v1"


@value
class Address:
    """An address that was checked."""

    origin: str
    """Scheme, host and port."""
    folder: str
    """The path before the provider's own, without a slash at its end; `/v1` at its end is the provider's version."""
    query: str
    is_tls: bool
    is_loopback: bool

    def of(self, path: str) -> str:
        """The whole URL of a provider's *path*, such as `/v1/messages`.

        >>> parse("https://host/api/v1").of("/v1/responses")
        'https://host/api/v1/responses'
        """
        below = path.removeprefix(_VERSION) if self.folder.endswith(_VERSION) else path
        query = f"?{self.query}" if self.query else ""
        return f"{self.origin}{self.folder}{below}{query}"

    def shown(self, path: str) -> str:
        """The URL of *path* without its query, which may hold a secret."""
        return self.of(path).partition("?")[0]


def parse(url: str) -> Address:
    """The address that *url* is: a provider's base, with `/v1` or without, or one endpoint in full.

    Raises:
        UsageError: it is none that a request may be sent to. What it says never repeats the address's secrets.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError("the address is no URL", hint="--live https://HOST") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError("the address is no http or https URL", hint="--live https://HOST")
    if parts.username is not None or parts.password is not None:
        raise UsageError("the address has a user or password in it", hint="put the key into the environment")
    if any(char.isspace() or not char.isprintable() for char in url):
        raise UsageError("the address has white space or control characters in it")
    is_loopback = _is_loopback(host)
    if parts.scheme == "http" and not is_loopback:
        raise UsageError(
            f"plain http to {host} would send the key and the conversation readable for everyone between",
            hint="use https; http is for this machine alone",
        )
    shown_host = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{shown_host}{f':{port}' if port is not None else ''}"
    return Address(
        origin=origin, folder=_folder(parts), query=parts.query, is_tls=parts.scheme == "https", is_loopback=is_loopback
    )


def _folder(parts: SplitResult) -> str:
    path = parts.path.rstrip("/")
    for endpoint in _ENDPOINTS:
        if path.endswith(endpoint):
            return path.removesuffix(endpoint)
    return path


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
