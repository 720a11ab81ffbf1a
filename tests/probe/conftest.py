"""The local provider, running, and a probe of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.live.provider import Provider
from tests.probe.probed import Probing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider with nothing cached, on a free port."""
    with Provider() as running:
        yield running


@pytest.fixture
def probing(provider: Provider, tmp_path: Path) -> Probing:
    """Probes of the provider."""
    return Probing(provider, tmp_path)
