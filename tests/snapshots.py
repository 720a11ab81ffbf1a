"""Snapshots as whole files, byte for byte.

The usual ones sort the keys of objects, and an order that changed is what these tests are to see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from syrupy.extensions.single_file import SingleFileSnapshotExtension

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


class _Text(SingleFileSnapshotExtension):
    file_extension = "txt"


class _Json(SingleFileSnapshotExtension):
    file_extension = "json"


class _Xml(SingleFileSnapshotExtension):
    file_extension = "xml"


_EXTENSIONS = {"txt": _Text, "json": _Json, "xml": _Xml}


def as_file(snapshot: SnapshotAssertion, kind: str) -> SnapshotAssertion:
    """*snapshot* of bytes in a file that ends in *kind*: `txt`, `json` or `xml`."""
    return snapshot.use_extension(_EXTENSIONS[kind])
