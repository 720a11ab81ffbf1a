"""Places that cannot be written, or are not what they should be: outputs, stashes, full disks."""

from __future__ import annotations

import json
import os
import resource
from hashlib import sha256
from pathlib import Path

import pytest

from cgcli.stash.store import Stash
from tests.captures import capture
from tests.cli.running import INPUT, OUTPUT, STASH, cg, check_left, compact, leftovers

CONTENT = capture(turns=4)
BIG = json.dumps(
    {
        "model": "claude-sonnet-4-5",
        "max_tokens": 99,
        "messages": [
            {"role": "user", "content": "Read it."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "content": "\n".join(f"line {i} of the long file" for i in range(20_000)),
                    }
                ],
            },
        ],
    }
).encode()
"""One request with a tool output of half a megabyte."""
SMALL_FILES_BYTES = 100_000


def _limit_files() -> None:
    """Let the process write no file larger than that, as `ulimit -f` does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_FILES_BYTES, SMALL_FILES_BYTES))


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("nowhere/out.jsonl", "nowhere/out.jsonl: cannot write: No such file or directory", "make the folder first"),
        ("in.jsonl/out.jsonl", "in.jsonl/out.jsonl: cannot write: Not a directory", "name a file in a folder with -o"),
        ("folder", "folder: cannot write: Is a directory", "name a file in it with -o"),
        (
            "/dev/full",
            "/dev/full: cannot write: No space left on device",
            "free some space, or write elsewhere with -o",
        ),
    ],
    ids=["no folder", "below a file", "a folder", "full disk"],
)
def test_an_output_that_cannot_be_written_is_exit_1(tmp_path: Path, target: str, message: str, hint: str) -> None:
    """The place and the reason are told; originals that were stashed before are whole."""
    (tmp_path / "folder").mkdir()
    (tmp_path / INPUT).write_bytes(CONTENT)
    ran = cg(tmp_path, "compact", INPUT, "-o", target)
    assert (ran.code, ran.out, ran.err) == (1, b"", f"cg: {message}\n  try: {hint}\n")
    check_left(tmp_path, tmp_path / INPUT, CONTENT, ran.code)
    if target == "/dev/full":
        assert cg(tmp_path, "stash", "verify").code == 0
    else:
        assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", INPUT]


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--dry-run", "--json")], ids=["product", "report", "JSON"])
def test_a_full_disk_behind_stdout_is_exit_1(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Whatever goes to stdout, that it did not fit is told once, and as JSON where JSON is asked for."""
    (tmp_path / INPUT).write_bytes(CONTENT)
    with Path("/dev/full").open("wb") as full:
        ran = cg(tmp_path, "compact", INPUT, *options, stdout=full)
    check_left(tmp_path, tmp_path / INPUT, CONTENT, ran.code)
    assert ran.code == 1
    if "--json" in options:
        error = json.loads(ran.err)
        assert (error["error"], error["where"], error["exit_code"]) == ("OutputError", "stdout", 1)
        assert error["message"] == "cannot write: No space left on device"
    else:
        assert ran.err.startswith("cg: stdout: cannot write: No space left on device\n  try: ")
        assert ran.err.count("\n") == 2


def test_an_output_over_the_file_size_limit_leaves_the_old_one(tmp_path: Path) -> None:
    """Exit 1; neither a part of the new output stays, nor is the one that stood there touched."""
    (tmp_path / INPUT).write_bytes(BIG)
    (tmp_path / OUTPUT).write_bytes(b"the old one")
    ran = cg(tmp_path, "compact", INPUT, "-o", OUTPUT, "--policy", "off", before=_limit_files)
    assert (ran.code, ran.out, ran.err) == (
        1,
        b"",
        "cg: out.jsonl: cannot write: File too large\n  try: raise the file size limit (ulimit -f)\n",
    )
    assert (tmp_path / OUTPUT).read_bytes() == b"the old one"
    assert (tmp_path / INPUT).read_bytes() == BIG
    assert sorted(path.name for path in tmp_path.iterdir()) == [INPUT, OUTPUT]


def test_an_original_over_the_file_size_limit_stays_in_the_request(tmp_path: Path) -> None:
    """Exit 5 before anything is written; the next run, without the limit, works in the same stash."""
    (tmp_path / INPUT).write_bytes(BIG)
    ran = cg(tmp_path, "compact", INPUT, "-o", OUTPUT, before=_limit_files)
    assert (ran.code, ran.out) == (5, b"")
    first, second = ran.err.splitlines()
    assert first.startswith(f"cg: {tmp_path / STASH}")
    assert first.endswith(": the stash cannot be written: File too large")
    assert second == "  try: the file size limit (ulimit -f) is too low for the originals"
    check_left(tmp_path, tmp_path / INPUT, BIG, ran.code)
    assert list((tmp_path / STASH / "objects").glob("*/*")) == []
    assert compact(tmp_path, BIG).code == 0


@pytest.mark.parametrize(
    ("stash", "message", "hint"),
    [
        (
            "a-file",
            "a-file: the stash cannot be written: File exists",
            "a file stands where a folder should be: name another stash with --stash",
        ),
        (
            "a-file/below",
            "a-file: the stash cannot be written: File exists",
            "a file stands where a folder should be: name another stash with --stash",
        ),
        (
            "full",
            "full: not an empty folder and not a stash: 'notes.txt' stands in it",
            "name an empty or a new folder with --stash",
        ),
    ],
)
def test_a_stash_that_cannot_be_written_is_exit_5(tmp_path: Path, stash: str, message: str, hint: str) -> None:
    """Nothing leaves a request whose original has no safe place."""
    (tmp_path / "a-file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine too")
    ran = compact(tmp_path, CONTENT, "--stash", stash)
    assert (ran.code, ran.out, ran.err) == (5, b"", f"cg: {tmp_path}/{message}\n  try: {hint}\n")
    assert (tmp_path / "a-file").read_text() == "mine"
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_stash_in_a_read_only_folder_is_exit_5(tmp_path: Path) -> None:
    """The same where permissions forbid it."""
    (tmp_path / "kept").mkdir(mode=0o500)
    ran = compact(tmp_path, CONTENT, "--stash", "kept/stash")
    assert (ran.code, ran.out) == (5, b"")
    assert ": the stash cannot be written: Permission denied\n" in ran.err


def _other_name(tmp_path: Path, kind: str) -> str:
    other = tmp_path / "other.jsonl"
    if kind == "hard link":
        other.hardlink_to(tmp_path / INPUT)
    elif kind == "symbolic link":
        other.symlink_to(INPUT)
    return {"same name": INPUT, "dotted": f"./{INPUT}"}.get(kind, other.name)


@pytest.mark.parametrize("kind", ["same name", "dotted", "hard link", "symbolic link"])
@pytest.mark.parametrize("command", [("compact",), ("expand", "--all")], ids=["compact", "expand"])
def test_the_input_is_never_the_output(tmp_path: Path, command: tuple[str, ...], kind: str) -> None:
    """Exit 2 under any name of the same file."""
    (tmp_path / INPUT).write_bytes(CONTENT)
    target = _other_name(tmp_path, kind)
    ran = cg(tmp_path, *command, INPUT, "-o", target)
    assert (ran.code, ran.out, ran.err) == (
        2,
        b"",
        f"cg: {target}: the output is the input\n  try: give -o another name\n",
    )
    check_left(tmp_path, tmp_path / INPUT, CONTENT, ran.code)


def test_a_redirected_input_is_never_the_output(tmp_path: Path) -> None:
    """Exit 2 also for `cg compact - -o FILE <FILE` and `cg compact FILE >>FILE`."""
    path = tmp_path / INPUT
    path.write_bytes(CONTENT)
    with path.open("rb") as stdin:
        ran = cg(tmp_path, "compact", "-", "-o", INPUT, stdin=stdin)
    assert (ran.code, ran.err.splitlines()[0]) == (2, "cg: in.jsonl: the output is the input")
    with path.open("ab") as stdout:
        ran = cg(tmp_path, "compact", INPUT, stdout=stdout)
    assert (ran.code, ran.err.splitlines()[0]) == (2, "cg: stdout: the output is the input")
    assert path.read_bytes() == CONTENT


def _texts_with_one_beginning() -> tuple[str, str]:
    """Two texts whose digests have the first four hex digits in common."""
    seen: dict[str, str] = {}
    i = 0
    while True:
        text = f"text {i}"
        beginning = sha256(text.encode()).hexdigest()[:4]
        if beginning in seen:
            return seen[beginning], text
        seen[beginning] = text
        i += 1


MISS_HINT = "`cg stash ls` lists what it holds; another stash is named with --stash or CG_STASH"


def test_a_marker_that_cannot_be_expanded_is_exit_5(tmp_path: Path) -> None:
    """A miss, an ambiguous key, a corrupt object and what is no key at all: each is told apart, nothing is printed."""
    root = tmp_path / STASH
    one, other = _texts_with_one_beginning()
    with Stash.open(root, create=True) as stash:
        digests = sorted(stash.put(text.encode()) for text in (one, other))
        corrupt = stash.put(b"to be damaged")
        stash.commit()
    (root / "objects" / corrupt[:2] / corrupt[2:]).write_bytes(b"damaged")
    missing = "0" * 16 if not digests[0].startswith("0000") else "1" * 16
    damaged = f"{root}/objects/{corrupt[:2]}/{corrupt[2:]}: the object {corrupt[:16]} is not what was stashed"
    expected = {
        missing: (f"{root}: nothing in the stash begins with {missing}", MISS_HINT),
        digests[0][:4]: (f"{root}: 2 objects begin with {digests[0][:4]}: {', '.join(digests)}", "give more digits"),
        corrupt[:16]: (
            f"{damaged} (7 bytes, another digest)",
            "the next run over the same input heals it, so does `cg stash import` of an export",
        ),
        "<<cg:xyz>>": (
            "not a marker and not the beginning of a digest: '<<cg:xyz>>'",
            "give 4 to 64 hex digits, or a whole marker such as <<cg:KEY>>",
        ),
    }
    for key, (message, hint) in expected.items():
        ran = cg(tmp_path, "expand", key, "-o", "back.txt")
        assert (ran.code, ran.out, ran.err) == (5, b"", f"cg: {message}\n  try: {hint}\n")
    assert not (tmp_path / "back.txt").exists()
    assert cg(tmp_path, "expand", digests[1]).code == 0


def test_without_a_stash_a_marker_cannot_be_expanded(tmp_path: Path) -> None:
    """Exit 5, and none is made."""
    ran = cg(tmp_path, "expand", "0123456789abcdef")
    assert (ran.code, ran.out) == (5, b"")
    assert ran.err == (
        f"cg: there is no stash at {tmp_path}/stash\n"
        "  try: name the stash with --stash DIR or CG_STASH; `cg compact` begins one where it runs\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["missing", "corrupt"])
def test_a_capture_is_given_back_whole_or_not_at_all(tmp_path: Path, damage: str) -> None:
    """Exit 5 where one original is not there or not what it was; no output stands half restored."""
    assert compact(tmp_path, CONTENT).code == 0
    (tmp_path / "back.jsonl").unlink()
    some = max((tmp_path / STASH / "objects").glob("*/*"))
    if damage == "missing":
        some.unlink()
    else:
        some.write_bytes(b"damaged")
    ran = cg(tmp_path, "expand", "--all", OUTPUT, "-o", "back.jsonl")
    assert (ran.code, ran.out) == (5, b"")
    assert some.parent.name + some.name[:14] in ran.err.splitlines()[0]
    assert not (tmp_path / "back.jsonl").exists()
    assert leftovers(tmp_path) == []
