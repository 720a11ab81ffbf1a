"""Files that cannot be used, real ones among them: each is named in one line, with the way to a capture."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from typing import TYPE_CHECKING

import pytest

from cgcli.errors import CgError, FormatError
from cgcli.readers import open_bytes, read
from tests.running import CORPUS, CORPUS_FILES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

# What becomes of the real files that no reader of their own is for: requests, or the name under which it is refused.
REAL: dict[str, int | str] = {
    "context-lens/*anthropic-basic*": 1,
    "context-lens/*antigravity-request*": "Gemini request",
    "context-lens/*antigravity-streaming-response*": "Context Lens answer",
    "context-lens/*claude-session*": 1,
    "context-lens/*codex-responses*": 1,
    "context-lens/*openai-chat-tools*": 1,
    "context-lens/*openai-chat.json": 1,
    "langchain-messages/*": "LangChain messages",
    "rolloutviz/*": "rolloutviz log",
    "negative/Aider*": "analytics log",
    "negative/UKGov*": "no request in the file",
    "anthropic-request-body/*read_lifecycle*": "no request in the file",
    "anthropic-request-body/*search_output*": "no request in the file",
    "openai-batch/*batch_input*": 3,
    "openai-batch/*demo_batch*": 10,
}
FOLDERS = ("context-lens", "langchain-messages", "rolloutviz", "negative", "openai-batch")


def _outcome(path: Path) -> int | CgError:
    try:
        with open_bytes(str(path)) as stream:
            return sum(entry.exchange is not None for entry in read(stream, file=path.name))
    except CgError as error:
        return error


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
@pytest.mark.parametrize("pattern", REAL)
def test_real_files_are_read_or_named(pattern: str) -> None:
    """In one line, with a hint."""
    assert CORPUS is not None
    (path,) = CORPUS.glob(pattern)
    found, expected = _outcome(path), REAL[pattern]
    if isinstance(found, CgError):
        assert found.message.startswith(str(expected))
        assert found.hint
        assert "\n" not in f"{found}{found.hint}"
    else:
        assert found == expected


@pytest.mark.skipif(CORPUS is None, reason=NO_CORPUS)
def test_every_real_file_of_these_folders_is_pinned() -> None:
    """A new one needs a row."""
    rows = [pattern for pattern in REAL if pattern.split("/")[0] in FOLDERS]
    assert len([path for path in CORPUS_FILES if path.parent.name in FOLDERS]) == len(rows)


def test_a_database_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    """One that SQLite wrote itself."""
    file = tmp_path / "requests.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE requests (body TEXT)")
    database.close()
    found = _outcome(file)
    assert isinstance(found, FormatError)
    assert found.message == "SQLite database: its requests stand in tables"
    assert "SELECT body FROM requests" in str(found.hint)


@pytest.mark.parametrize(
    ("member", "message"), [("header.json", "Inspect log (.eval)"), ("samples/1.json", "Inspect log"), ("a", "zip")]
)
def test_an_archive_is_told_by_its_first_member(member: str, message: str) -> None:
    """Inspect's members have names of their own; a packed member is no matter."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, "{}" * 100)
    with pytest.raises(FormatError) as caught:
        read(io.BytesIO(packed.getvalue()), file="f")
    assert caught.value.message.startswith(message)
    assert caught.value.hint


def test_what_cannot_be_parsed_is_not_recognised() -> None:
    """A record whose inner part is not usable is not asked twice: the general refusal."""
    with pytest.raises(FormatError, match="no request in the file"):
        read(io.BytesIO(b'{"request":{"a":1,"a":2}}\n'), file="f")
