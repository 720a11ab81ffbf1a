"""Where everything stands in a stash directory, and how one is opened or begun."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.errors import StashError, StashMiss, StashUnwritable
from cgcli.model import value
from cgcli.stash.durable import make_folder, write_all, writing

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = b"cg-stash/1\n"
"""What the file `format` says."""
DIGEST_HEX = 64

_DIGEST = re.compile(r"[0-9a-f]{64}")
_OWN_NAMES = frozenset({".gitignore", "format", "lock", "objects", "slots", "undo", "tmp"})


@value
class Layout:
    """The paths of one stash."""

    root: Path

    @property
    def format(self) -> Path:
        """The file that names the format; written last, so its presence means a whole stash."""
        return self.root / "format"

    @property
    def lock(self) -> Path:
        """Writers hold it together, `gc` alone."""
        return self.root / "lock"

    @property
    def objects(self) -> Path:
        """Folder of the originals."""
        return self.root / "objects"

    @property
    def slots(self) -> Path:
        """Folder of the journals."""
        return self.root / "slots"

    @property
    def undo(self) -> Path:
        """Folder of the undo records."""
        return self.root / "undo"

    @property
    def temps(self) -> Path:
        """Folder of what is not committed yet."""
        return self.root / "tmp"

    def object(self, digest: str) -> Path:
        """Where the object with *digest* (64 hex digits) stands.

        Raises:
            ValueError: It is not a digest.
        """
        if not is_digest(digest):
            raise ValueError(f"not 64 hex digits in lower case: {digest[:80]!r}")
        return self.objects / digest[:2] / digest[2:]


def is_digest(text: str) -> bool:
    """True for 64 hex digits in lower case."""
    return _DIGEST.fullmatch(text) is not None


def open_layout(root: Path, *, create: bool) -> Layout:
    """The layout of the stash at *root*, which is begun there where *create* says so.

    Raises:
        StashMiss: There is none, and none was to be begun.
        StashError: Its format is another one, or it cannot be read.
        StashUnwritable: It cannot be begun there.
    """
    layout = Layout(root=root)
    said = _read_format(layout)
    if said is None and not create:
        raise StashMiss(
            f"there is no stash at {root}",
            hint="name the stash with --stash DIR or CG_STASH; `cg compact` begins one where it runs",
        )
    if said is None:
        _begin(layout)
    elif said != FORMAT:
        raise StashError(
            f"the stash has a format that this version does not know: {said[:40]!r}",
            where=str(layout.format),
            hint=f"this version of cg reads {FORMAT.decode().strip()}; a newer one wrote this",
        )
    return layout


def _read_format(layout: Layout) -> bytes | None:
    try:
        return layout.format.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StashError(
            f"the stash cannot be read: {error.strerror}",
            where=str(layout.format),
            hint="look at its permissions, or name another one with --stash",
        ) from error


def _begin(layout: Layout) -> None:
    """Make the folders, then the two files; `format` last, so that a killed start is simply begun again."""
    with writing(layout.root):
        make_folder(layout.root)
        strangers = {path.name for path in layout.root.iterdir()} - _OWN_NAMES
    if strangers:
        raise StashUnwritable(
            f"not an empty folder and not a stash: {min(strangers)!r} stands in it",
            where=str(layout.root),
            hint="name an empty or a new folder with --stash",
        )
    with writing(layout.root):
        for folder in (layout.objects, layout.slots, layout.undo, layout.temps):
            make_folder(folder)
        write_all({layout.root / ".gitignore": b"*\n"}, temps=layout.temps)
        write_all({layout.format: FORMAT}, temps=layout.temps)
