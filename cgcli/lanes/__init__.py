"""Which requests belong together: threads while the file is read, lanes at its end."""

from cgcli.lanes.grouping import Epoch, Label, Lane, group
from cgcli.lanes.threads import MOST_HEADS, Placement, Relation, Thread, Threads, Turn

__all__ = ["MOST_HEADS", "Epoch", "Label", "Lane", "Placement", "Relation", "Thread", "Threads", "Turn", "group"]
