"""Ways in which requests were saved: one a file, told by content."""

from cgcli.readers.capture import Capture, Entry, read
from cgcli.readers.files import open_bytes
from cgcli.readers.opening import open_capture
from cgcli.readers.registry import READERS, TEXTS

__all__ = ["READERS", "TEXTS", "Capture", "Entry", "open_bytes", "open_capture", "read"]
