"""`none`: there is no summariser."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from cgcli.model import Refusal, value

if TYPE_CHECKING:
    from cgcli.summarisers.protocol import Summary, Task


@value
class Absent:
    """Answers nothing; native calls, which need no summariser, are still built."""

    name: ClassVar[str] = "none"

    def summarise(self, task: Task) -> Summary | Refusal:
        """Always refused."""
        return Refusal(reason="no_model", detail=f"a {task.call.mode} call needs a summariser, and there is none")
