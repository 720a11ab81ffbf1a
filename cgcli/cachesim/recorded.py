"""Which recorded usages are evidence of what a cache holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from cgcli.model import Basis

if TYPE_CHECKING:
    from cgcli.model import Usage


def measured(usage: Usage | None) -> TypeGuard[Usage]:
    """True for the provider's own count of one call; an aborted one has no token in it."""
    return usage is not None and usage.basis is Basis.MEASURED and not usage.iterations and bool(usage.input)
