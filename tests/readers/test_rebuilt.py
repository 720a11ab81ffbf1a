"""A history's requests are kept in pieces; they read as the lines do that `cg convert` writes of them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from cgcli.errors import CgError
from cgcli.readers import open_bytes, read
from tests.running import (
    CORPUS,
    CORPUS_CAPTURES,
    CORPUS_FILES,
    FIXTURE_CAPTURES,
    FIXTURE_FILES,
    FIXTURES,
    NO_CORPUS,
)

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.model import Exchange, Item

_LARGEST_BYTES = 3_000_000
HISTORIES = [path for path in FIXTURE_FILES if path not in FIXTURE_CAPTURES]
REAL = [path for path in CORPUS_FILES if path not in CORPUS_CAPTURES and path.stat().st_size < _LARGEST_BYTES]


def _told(item: Item) -> tuple[object, ...]:
    return item.section, item.role, item.wire, item.parts, item.blocks, item.rendered


def _of(exchange: Exchange) -> dict[str, object]:
    request = exchange.request
    return {
        "raw": bytes(request.raw),
        "starts": list(request.starts),
        "messages": [_told(item) for item in request.messages],
        "head": [(_told(item), at) for item, at in request.head()],
        "not recorded": (request.tools is None, request.system is None),
        "static": request.static,
        "states": request.states,
        "params": request.params,
        "said": (request.dialect, request.model, exchange.session_id, exchange.sent_s, exchange.answered_s),
        "usage": exchange.usage,
        "answer": exchange.answer,
    }


def _reads_as_its_lines(path: Path) -> None:
    try:
        with open_bytes(str(path)) as stream:
            capture = read(stream, file="f")
            lines, found = [], []
            for entry in capture:
                if entry.exchange is not None:
                    lines.append(bytes(entry.raw))
                    found.append(_of(entry.exchange))
    except CgError as error:
        pytest.skip(f"no capture: {error.message}")
    if not found:
        pytest.skip("no request in it")
    again = [_of(entry.exchange) for entry in read(io.BytesIO(b"".join(lines)), file="f") if entry.exchange is not None]
    assert again == found


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: str(path.relative_to(FIXTURES)))
def test_a_fixture_reads_as_its_lines_do(path: Path) -> None:
    """Bytes, places, digests, parameters, answers and usage: all but how they are kept."""
    _reads_as_its_lines(path)


@pytest.mark.skipif(not CORPUS_FILES, reason=NO_CORPUS)
@pytest.mark.parametrize("path", REAL, ids=lambda path: str(path.relative_to(CORPUS)))
def test_a_real_history_reads_as_its_lines_do(path: Path) -> None:
    """With rewinds, sub-agents, compactions and parallel calls."""
    _reads_as_its_lines(path)
