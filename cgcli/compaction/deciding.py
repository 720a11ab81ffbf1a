"""An old decision beside a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cgcli.compaction.state import Decision, SlotState


def saved_tokens(decision: Decision | None) -> int:
    """What it saves; 0 for none."""
    return decision.saved_tokens if decision is not None else 0


def differs(old: Decision | None, new: Decision | None) -> bool:
    """True where another text stands in the slot after *new* than after *old*."""
    return (old.replacement if old else None) != (new.replacement if new else None)


def skips_beside(kept: Decision, new: SlotState) -> tuple[tuple[str, str], ...]:
    """Why the components that have no part in the decision that is *kept* leave the slot alone."""
    acting = {fired.component for fired in kept.fired}
    beaten = new.decision.fired if new.decision is not None else ()
    return (
        *(skip for skip in new.skips if skip[0] not in acting),
        *((fired.component, "not_smaller") for fired in beaten if fired.component not in acting),
    )
