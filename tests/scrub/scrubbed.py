"""Scrub bytes in this process, and texts that look like secrets and are none."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from cgcli.scrub.replacing import Replacements
from cgcli.scrub.run import scrub

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cgcli.scrub.scrubber import Account

HEX = "[0-9a-f]{12}"
USER = f"user-{HEX}"
MAIL = f"user-{HEX}@example\\.invalid"
HIDDEN = f"REDACTED-{HEX}"

# Put together here, so that no file of the project has anything that looks like a secret in it.
KEY = "sk-" + "ant-" + "api03-" + "aB3_dE6-" * 11 + "xyAA"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTYifQ" + "." + "abcDEF123-_xyz"
PEM_HEAD = "-----BEGIN RSA " + "PRIVATE KEY-----"
PEM_TAIL = "-----END RSA " + "PRIVATE KEY-----"
PEM_LINE = "MIIE" + "aB3x9Zq7Lm" * 6
PEM = f"{PEM_HEAD}\n{PEM_LINE}\n{PEM_LINE}\nshort==\n{PEM_TAIL}\n"


def run(data: bytes, *, keep_length: bool = False, keys: bool = False, seed: str = "harbour") -> tuple[bytes, Account]:
    """*data* scrubbed, and the account of it."""
    written: list[bytes] = []

    def write(lines: Sequence[bytes]) -> None:
        written.extend(lines)

    account = scrub(
        lambda: io.BytesIO(data),
        write,
        Replacements(seed.encode(), keep_length=keep_length),
        file="made",
        with_keys=keys,
    )
    return b"".join(written), account


def text(content: str, *, keep_length: bool = False, seed: str = "harbour") -> str:
    """*content*, a file, scrubbed."""
    return run(content.encode(), keep_length=keep_length, seed=seed)[0].decode()


def value(content: Any, *, keep_length: bool = False) -> Any:
    """*content*, a JSON value, scrubbed as one line."""
    return json.loads(text(json.dumps(content) + "\n", keep_length=keep_length))


def kinds(content: Any) -> dict[str, int]:
    """How often each kind was replaced in *content*, a JSON value."""
    return dict(run(json.dumps(content).encode())[1].replaced)
