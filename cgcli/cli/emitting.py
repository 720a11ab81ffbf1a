"""The bodies of a comparison: as files, and for a person to read."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from cgcli.calls.call import NATIVE, CallMode
from cgcli.errors import OutputError
from cgcli.model import value
from cgcli.report.bodies import difference, laid_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from cgcli.shapes.comparison import Comparison


_HINT = "give --emit a folder of its own"
_MODES = "|".join(map(re.escape, CallMode))
_OURS = re.compile(rf"(?:[A-Za-z]\d+-\d+-)?(?:parent|(?:{_MODES})(?:\.next)?)\.json")


@value
class Written:
    """What came of writing."""

    paths: tuple[str, ...]
    n_removed: int
    """Files of an earlier run that have no successor."""


def write_bodies(found: Sequence[Comparison], folder: Path, *, many: bool, source: str) -> Written:
    """Write each body to a file in *folder* named after its shape; with *many*, after its lane and turn too.

    `parent.json`, one file a call, and `MODE.next.json` for the request that follows a call of ours. All of them or
    none. Where *folder* has nothing but such files they are an earlier run's, and go; beside others none is touched.
    The file *source* that was read is one of the others.

    Raises:
        OutputError: the folder or a file cannot be written, or one would be replaced that may be somebody's.
    """
    bodies = {f"{_before(one, many=many)}{name}.json": body for one in found for name, body in _bodies(one)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        earlier = _earlier(folder, bodies, Path(source))
        with TemporaryDirectory(prefix=".cg-", dir=folder) as staged:
            for name, body in bodies.items():
                (Path(staged) / name).write_bytes(body)
            for name in bodies:
                (Path(staged) / name).replace(folder / name)
        stale = [path for path in earlier if path.name not in bodies]
        for path in stale:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write: {error.strerror}", where=str(folder), hint=_HINT) from error
    return Written(paths=tuple(str(folder / name) for name in bodies), n_removed=len(stale))


def _before(one: Comparison, *, many: bool) -> str:
    return f"{one.lane}-{one.turn}-" if many else ""


def _earlier(folder: Path, bodies: Collection[str], source: Path) -> list[Path]:
    """The files of an earlier run.

    Raises:
        OutputError: something that is not ours stands where a body goes, or beside them.
    """
    there = [path for path in folder.iterdir() if not path.name.startswith(".")]
    others = [
        path
        for path in there
        if not (_OURS.fullmatch(path.name) and path.is_file()) or (source.exists() and path.samefile(source))
    ]
    taken = sorted(path for path in there if (path.name in bodies if path in others else others))
    if taken:
        what = "is a folder" if taken[0].is_dir() else "is there already, and not in a folder of such files alone"
        raise OutputError(f"cannot write: it {what}", where=str(taken[0]), hint=_HINT)
    return [] if others else there


def _bodies(one: Comparison) -> Iterator[tuple[str, bytes]]:
    yield "parent", bytes(one.parent.request.raw)
    for shape in one.shapes:
        if shape.call is None:
            continue
        yield shape.mode.value, shape.call.body
        # What would follow a native call has a stand-in for the provider's block, which no provider takes.
        if shape.following is not None and shape.following.body and shape.mode not in NATIVE:
            yield f"{shape.mode.value}.next", shape.following.body


def shown(found: Sequence[Comparison]) -> Iterator[str]:
    """Each call: as a difference from its parent where it shares a block with that, else whole."""
    for one in found:
        parent = bytes(one.parent.request.raw)
        for shape in one.shapes:
            if shape.call is None or shape.sharing is None:
                continue
            yield ""
            yield f"--- {one.lane} turn {one.turn}: {shape.mode.value}, POST {shape.call.path}"
            if shape.sharing.blocks:
                yield from difference(parent, shape.call.body, parent_name="parent", name=shape.mode.value)
            else:
                yield from laid_out(shape.call.body)
