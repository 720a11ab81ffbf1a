"""Bad input is normal input: a line that says what is wrong, the right exit code, and nothing half done."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.captures import capture
from tests.cli.running import INPUT, OUTPUT, cg, cg_here, compact
from tests.running import CORPUS, FIXTURES, NO_CORPUS

if TYPE_CHECKING:
    from pathlib import Path

UGLY = FIXTURES / "ugly"
JSON_HINT = "give saved requests: JSON, or one JSON object a line"
DOCUMENT_HINT = "mend it, or give one request a line: a line that is not usable is then skipped alone"
FORMATS_HINT = "give a capture of whole requests: docs/reference/formats.md has every format"
PACKED_HINT = "copy it anew; `gzip -cd` gives what can be saved of it"
LOOK_ALIKES = sorted((CORPUS / "negative").glob("*")) if CORPUS else []


def _ugly(name: str) -> bytes:
    return (UGLY / name).read_bytes()


def _fixed_time_gzip(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


REFUSED = [
    pytest.param(b"", "in.jsonl: the file is empty", "record a capture first", id="empty"),
    pytest.param(b"\n", "in.jsonl: the file is empty", "record a capture first", id="one newline"),
    pytest.param(b"\xef\xbb\xbf\n", "in.jsonl: the file is empty", "record a capture first", id="only a mark"),
    pytest.param(b"\n" * 999, "in.jsonl: the file is empty", "record a capture first", id="only newlines"),
    pytest.param(
        b"// a\n// b\n", "in.jsonl: nothing but comments in the file", "record a capture first", id="only comments"
    ),
    pytest.param(b"hello\n", "in.jsonl:1:1: not JSON: Expecting value", JSON_HINT, id="not JSON"),
    pytest.param(
        b'{\n "model": "m",\n "messages": [}\n',
        "in.jsonl:3:15: not JSON: Expecting value",
        JSON_HINT,
        id="broken object",
    ),
    pytest.param(
        b'{"model": "m", "messages": [', "in.jsonl:1:29: not JSON: Expecting value", JSON_HINT, id="cut object"
    ),
    pytest.param(b"42\n", "in.jsonl:1:1: not JSON: neither an object nor an array", JSON_HINT, id="only a number"),
    pytest.param(_ugly("ansi.log"), "in.jsonl:1:1: not JSON: Expecting value", JSON_HINT, id="terminal log"),
    pytest.param(
        b"[" * 10_000 + b"]" * 10_000,
        "in.jsonl: the document is not usable: nested too deeply to read",
        DOCUMENT_HINT,
        id="10,000 deep",
    ),
    pytest.param(
        b"[" * 10_000,
        "in.jsonl: the document is not usable: nested too deeply to read",
        DOCUMENT_HINT,
        id="10,000 deep and cut",
    ),
    pytest.param(
        "é".encode("utf-16"),
        "in.jsonl: the file is UTF-16, not UTF-8",
        "iconv -f UTF-16 -t UTF-8 in.jsonl > utf8.jsonl",
        id="UTF-16 letter",
    ),
    pytest.param(
        _ugly("utf16.jsonl"),
        "in.jsonl: the file is UTF-16, not UTF-8",
        "iconv -f UTF-16 -t UTF-8 in.jsonl > utf8.jsonl",
        id="UTF-16",
    ),
    pytest.param(
        '{"a": 1}\n'.encode("utf-16-le"),
        "in.jsonl: the file is UTF-16LE, not UTF-8",
        "iconv -f UTF-16LE -t UTF-8 in.jsonl > utf8.jsonl",
        id="UTF-16 without a mark",
    ),
    pytest.param(
        '{"a": 1}\n'.encode("utf-16-be"),
        "in.jsonl: the file is UTF-16BE, not UTF-8",
        "iconv -f UTF-16BE -t UTF-8 in.jsonl > utf8.jsonl",
        id="UTF-16 without a mark, big end first",
    ),
    pytest.param(
        '{"a": 1}\n'.encode("utf-32"),
        "in.jsonl: the file is UTF-32, not UTF-8",
        "iconv -f UTF-32 -t UTF-8 in.jsonl > utf8.jsonl",
        id="UTF-32",
    ),
    pytest.param(
        _fixed_time_gzip(b'{"a": 1}\n' * 99)[:-9],
        "in.jsonl: the packed file is damaged: Compressed file ended before the end-of-stream marker was reached",
        PACKED_HINT,
        id="cut gzip",
    ),
    pytest.param(
        _fixed_time_gzip(b'{"a": 1}\n')[:-8] + bytes(8),
        "in.jsonl: the packed file is damaged: CRC check failed 0x0 != 0x5c47a1fa",
        PACKED_HINT,
        id="damaged gzip",
    ),
    pytest.param(
        b'{"type":"summary","summary":"s","leafUuid":"u"}\n',
        "in.jsonl: Claude Code session without its messages: it has notes, and no row of a user or a model",
        "give the session's own file: ~/.claude/projects/FOLDER/SESSION.jsonl",
        id="Claude Code session without its messages",
    ),
    pytest.param(
        _ugly("change-log.jsonl"),
        "in.jsonl: context-guru change log (CONTEXT_GURU_DUMP): it has excerpts of changes, no requests",
        "set CONTEXT_GURU_CAPTURE=FILE instead of CONTEXT_GURU_DUMP",
        id="change log",
    ),
    pytest.param(
        _ugly("dataset.jsonl"),
        "in.jsonl: no request in the file: no record has a list of messages or input items",
        FORMATS_HINT,
        id="dataset",
    ),
    pytest.param(
        b'{\n "messages": [{"role": "user", "role": "user"}],\n "messages": []\n}\n',
        "in.jsonl: the document is not usable: a key stands twice in the object at byte 0",
        DOCUMENT_HINT,
        id="duplicate key in the one object",
    ),
    pytest.param(
        b"{}\n",
        "in.jsonl: no request in the file: no record has a list of messages or input items",
        FORMATS_HINT,
        id="empty object",
    ),
]
"""What no command can use: its content, what is said, and what to try."""


@pytest.mark.parametrize(("content", "message", "hint"), REFUSED)
def test_what_cannot_be_used_is_refused_by_name(tmp_path: Path, content: bytes, message: str, hint: str) -> None:
    """Exit 4, one line about what is wrong and where, one about what to try; from every command that reads."""
    expected = (4, b"", f"cg: {message}\n  try: {hint}\n")
    ran = compact(tmp_path, content, call=cg_here)
    assert (ran.code, ran.out, ran.err) == expected
    looked = cg_here(tmp_path, "inspect", INPUT)
    assert (looked.code, looked.out, looked.err) == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == [INPUT, "tiny.toml"]


USED = [
    pytest.param(
        "half-line.jsonl", 2, ["line 3: half_written: the JSON ends in the middle"], id="half-written last line"
    ),
    pytest.param("comments.jsonl", 3, [], id="blank lines and comments"),
    pytest.param("bom.jsonl", 3, [], id="byte-order mark"),
    pytest.param("crlf.jsonl", 3, [], id="CR LF"),
    pytest.param("lone-surrogate.jsonl", 3, [], id="lone surrogates"),
    pytest.param("nan.jsonl", 2, ["line 2: not_json: invalid character (byte 70)"], id="NaN"),
    pytest.param("deep.jsonl", 2, ["line 2: too_deep: nested too deeply to read"], id="10,000 deep in a record"),
    pytest.param(
        "invalid-utf8.jsonl",
        1,
        ["line 2: invalid_utf8: not UTF-8 at byte 2447", "line 3: invalid_utf8: not UTF-8 at byte 2447"],
        id="invalid UTF-8",
    ),
    pytest.param(
        "raw-nul.jsonl",
        1,
        ["line 2: not_json: invalid character (byte 2456)", "line 3: not_json: invalid character (byte 2456)"],
        id="raw NUL",
    ),
    pytest.param(
        "duplicate-keys.jsonl",
        1,
        [
            "line 2: duplicate_key: a key stands twice in the object at byte 0",
            "line 3: duplicate_key: a key stands twice in the object at byte 1868",
        ],
        id="duplicate keys",
    ),
    pytest.param("agent.jsonl.gz", 5, [], id="gzip in two members"),
]
"""What has usable requests in it: their number, and what is said of each other record."""


@pytest.mark.parametrize(("name", "n_requests", "skipped"), USED)
def test_unusable_records_are_named_and_pass_through(
    tmp_path: Path, name: str, n_requests: int, skipped: list[str]
) -> None:
    """Exit 0; each unusable record is told with its line and its reason, and comes back with the others."""
    packed = name.endswith(".gz")
    content = gzip.decompress(_ugly(name)) if packed else _ugly(name)
    ran = compact(tmp_path, content, call=cg_here)
    assert (ran.code, ran.err) == (0, "")
    assert f" {n_requests} request" in ran.text.splitlines()[0]
    assert [line.strip() for line in ran.text.splitlines() if line.startswith("  line ")] == skipped
    assert ("unusable" in ran.text) == bool(skipped)
    if len(skipped) < 2:  # with more of them, the one request that is left is the first, without any tool output
        assert (tmp_path / OUTPUT).read_bytes() != content
    looked = cg_here(tmp_path, "inspect", INPUT)
    assert (looked.code, looked.err) == (0, "")
    assert [line.strip() for line in looked.text.splitlines() if line.startswith("  line ")] == skipped


def test_packed_input_is_compacted_as_its_content(tmp_path: Path) -> None:
    """A gzip file of two members gives the very bytes that its content gives, which come back unpacked."""
    shutil.copy(UGLY / "agent.jsonl.gz", tmp_path / "in.gz")
    content = gzip.decompress(_ugly("agent.jsonl.gz"))
    compact(tmp_path, content)
    plain = (tmp_path / OUTPUT).read_bytes()
    assert cg(tmp_path, "compact", "in.gz", "-o", "packed.jsonl", "--policy", "tiny.toml").code == 0
    assert (tmp_path / "packed.jsonl").read_bytes() == plain != content


HALF_LINE = (
    "cg: in.jsonl:3: half_written: the JSON ends in the middle\n"
    "  try: leave --strict away: unusable records then pass through as they are\n"
)


def test_strict_makes_an_unusable_record_an_error(tmp_path: Path) -> None:
    """Exit 4 with the record's line after the report; nothing is written, to the stash neither."""
    ran = compact(tmp_path, _ugly("half-line.jsonl"), "--strict")
    assert (ran.code, ran.err) == (4, HALF_LINE)
    assert "  line 3: half_written: the JSON ends in the middle" in ran.text.splitlines()
    assert "\noutput " not in ran.text
    assert list((tmp_path / "stash").glob("objects/*/*")) == []
    looked = cg(tmp_path, "inspect", INPUT, "--strict")
    assert (looked.code, looked.err) == (4, HALF_LINE)


def test_strict_says_how_many_records_are_unusable(tmp_path: Path) -> None:
    """The first one is named, the others are counted."""
    ran = compact(tmp_path, _ugly("duplicate-keys.jsonl"), "--strict")
    message = "in.jsonl:2: duplicate_key: a key stands twice in the object at byte 0 (and 1 more)"
    assert (ran.code, ran.err.splitlines()[0]) == (4, f"cg: {message}")


def test_strict_leaves_comments_alone(tmp_path: Path) -> None:
    """Blank lines and comments are no records."""
    assert compact(tmp_path, _ugly("comments.jsonl"), "--strict").code == 0


def test_many_blank_lines_before_the_first_record_are_no_end(tmp_path: Path) -> None:
    """The records are found behind any number of blank lines and comments."""
    ran = compact(tmp_path, b"\n// still to come\n" * 300 + _ugly("crlf.jsonl"))
    assert (ran.code, ran.err) == (0, "")
    assert " 3 requests " in ran.text.splitlines()[0]


@pytest.mark.slow
def test_a_line_of_20_megabytes_comes_back(tmp_path: Path) -> None:
    """One request whose one tool output is all of it."""
    text = "\n".join(f"{i * 7919 % 1_000_003:>8} wrote block {i} of the archive" for i in range(540_000))
    result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}
    messages = [
        {"role": "user", "content": "Build it."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    line = json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 99, "messages": messages}).encode() + b"\n"
    assert len(line) > 20_000_000
    assert compact(tmp_path, line).code == 0
    assert (tmp_path / OUTPUT).stat().st_size < 2_000


@pytest.mark.skipif(not LOOK_ALIKES, reason=NO_CORPUS)
@pytest.mark.parametrize("path", LOOK_ALIKES, ids=lambda path: path.name[:40])
def test_a_file_that_only_looks_like_a_capture_is_refused(tmp_path: Path, path: Path) -> None:
    """Exit 4: JSON lines without a request in them; two lines, the second with what to do."""
    ran = compact(tmp_path, path.read_bytes())
    says = "analytics log: it counts" if "analytics" in path.name else "no request in the file: no record has"
    assert ran.code == 4
    message, hint = ran.err.splitlines()
    assert message.startswith(f"cg: in.jsonl: {says}")
    assert hint.startswith("  try: ")


@pytest.mark.parametrize("command", [("compact",), ("inspect",), ("expand", "--all")], ids=lambda words: words[0])
def test_an_input_that_cannot_be_opened_is_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    """Exit 4 for a missing file and for an empty folder, from every command that reads; a product is no folder."""
    missing = cg(tmp_path, *command, "nope.jsonl")
    assert (missing.code, missing.out) == (4, b"")
    assert missing.err == "cg: nope.jsonl: no such file\n  try: check the path; `-` reads stdin\n"
    (tmp_path / "a folder").mkdir()
    folder = cg(tmp_path, *command, "a folder")
    assert (folder.code, folder.out) == (4, b"")
    empty = "cg: a folder: no file in the folder\n  try: look into it: ls -a 'a folder'\n"
    no_file = "cg: a folder: a folder, not a file\n  try: name one of its files: ls 'a folder'\n"
    assert folder.err == (no_file if command[0] == "expand" else empty)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_input_is_named(tmp_path: Path) -> None:
    """Exit 4 where the file may not be read."""
    (tmp_path / INPUT).write_bytes(capture())
    (tmp_path / INPUT).chmod(0)
    ran = cg(tmp_path, "compact", INPUT, "-o", OUTPUT)
    assert (ran.code, ran.err) == (4, "cg: in.jsonl: Permission denied\n  try: look at its permissions\n")
    assert not (tmp_path / OUTPUT).exists()


def test_an_input_that_fails_in_the_middle_is_named(tmp_path: Path) -> None:
    """Exit 4 for an error of the device, which is no fault of the program."""
    ran = cg(tmp_path, "compact", "/proc/self/mem", "-o", OUTPUT)
    assert (ran.code, ran.err) == (
        4,
        "cg: /proc/self/mem: cannot read: Input/output error\n  try: look at the disk and the file\n",
    )
