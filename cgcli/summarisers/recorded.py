"""`recorded:DIR`: answers that a provider gave before, one file each, found by the digest of the request's body."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

from cgcli.errors import InputError, OutputError
from cgcli.model import Refusal, value
from cgcli.summarisers.answers import read_answer
from cgcli.wire.spans import Malformed

if TYPE_CHECKING:
    from pathlib import Path

    from cgcli.summarisers.protocol import Summary, Task

SHORT_HEX = 16
"""A file may be named after the first so many digits."""


@value
class Recorded:
    """Answers from a folder."""

    name: ClassVar[str] = "recorded"

    folder: Path

    def summarise(self, task: Task) -> Summary | Refusal:
        """The answer that was recorded for the very bytes of the task's call.

        Raises:
            InputError: the file cannot be read, or holds no provider's answer.
        """
        digest = sha256(task.call.body).hexdigest()
        found = _read(self.folder, digest)
        if found is None:
            detail = f"no answer is recorded for this {task.call.mode} call: {digest}.json"
            return Refusal(reason="not_recorded", detail=detail)
        path, answer = found
        try:
            return read_answer(answer, task.call.mode)
        except Malformed as error:
            raise InputError(
                f"no provider's answer: {error}", where=str(path), hint="record it anew, or take the file away"
            ) from error


def write_answer(folder: Path, body: bytes, answer: bytes) -> Path:
    """Record *answer*, a provider's JSON as it came, for the call with *body*; where it stands now.

    Raises:
        OutputError: it cannot be written.
    """
    path = folder / f"{sha256(body).hexdigest()}.json"
    temp = path.with_suffix(".part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            temp.write_bytes(answer)
            temp.replace(path)
        finally:
            temp.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"the answer cannot be recorded: {error.strerror or error}", where=str(path)) from error
    return path


def _read(folder: Path, digest: str) -> tuple[Path, bytes] | None:
    """The file of *digest* and what it holds; None where there is none."""
    for name in (digest, digest[:SHORT_HEX]):
        path = folder / f"{name}.json"
        try:
            return path, path.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", where=str(path)) from error
    return None
