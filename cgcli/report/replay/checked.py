"""The self-check of a replay, as it stands in documents."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cgcli.replay.paired.self_check import Class

if TYPE_CHECKING:
    from cgcli.replay.paired.replay import Replayed
    from cgcli.report.replay.places import Places


def checked(done: Replayed, places: Places) -> dict[str, Any]:
    """Predicted against recorded reads. `compared` is 0 where the file does not record what it takes."""
    found = done.checked
    turns = found.turns
    classes = Counter(turn.found for turn in turns)
    error = sum(abs(turn.predicted_tokens - turn.recorded_tokens) for turn in turns)
    recorded = sum(turn.recorded_tokens for turn in turns)
    return {
        "compared": len(turns),
        "exact": sum(turn.predicted_tokens == turn.recorded_tokens for turn in turns),
        "structural": sum(turn.is_structural for turn in turns),
        "predicted_read_tokens": sum(turn.predicted_tokens for turn in turns),
        "recorded_read_tokens": recorded,
        "error_tokens": error,
        "error_share": round(error / recorded, 6) if recorded else None,
        "assumed_marks": found.assumed_marks,
        "explained": dict(sorted(Counter(str(turn.why) for turn in turns if turn.found is Class.EXPLAINED).items())),
        "provider_side": classes[Class.PROVIDER_SIDE],
        "unexplained": classes[Class.UNEXPLAINED],
        "excluded": dict(sorted(found.excluded.items())),
        "turns": [
            {
                "line": turn.line,
                **places[turn.number],
                "predicted_read_tokens": turn.predicted_tokens,
                "recorded_read_tokens": turn.recorded_tokens,
                "class": turn.found.value,
                "why": turn.why,
            }
            for turn in turns
            if turn.found is not Class.EXACT
        ],
    }
