"""The local provider, running."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.live.provider import Provider

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider with nothing cached, on a free port."""
    with Provider() as running:
        yield running
