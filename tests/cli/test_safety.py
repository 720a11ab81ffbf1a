"""What `cg` must never do: show a secret, obey hostile text, load what it does not need, or open a connection."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.running import INPUT, OUTPUT, TINY, cg, compact, script
from tests.running import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Ran

SECRET = b"an-invented-token"
TRACES = sorted((FIXTURES / "claude-trace").glob("*.jsonl"))


def _damage(trace: bytes) -> bytes:
    """*trace* with records that fail right behind their headers, each in another way."""
    lines = trace.splitlines(keepends=True)
    whole = lines[0].rstrip(b"\n")
    half = whole[: whole.index(SECRET) + len(SECRET)]
    twice = whole.replace(b'"authorization":', b'"authorization":"x","authorization":', 1)
    wide = whole.replace(SECRET, SECRET + b"\xff", 1)
    listed = whole.replace(b'"body":{', b'"body":[{', 1)
    return b"".join([*lines, twice + b"\n", wide + b"\n", listed + b"\n", half])


@pytest.mark.parametrize(
    "path",
    [path if path.stem == "odd" else pytest.param(path, marks=pytest.mark.slow) for path in TRACES],
    ids=lambda path: path.stem,
)
def test_no_report_and_no_error_shows_a_header(tmp_path: Path, path: Path) -> None:
    """An authorization header stands in the product and nowhere else, whatever is wrong with the records."""
    content = _damage(path.read_bytes())
    assert content.count(SECRET) > 4
    (tmp_path / INPUT).write_bytes(content)
    (tmp_path / "tiny.toml").write_text(TINY)
    (tmp_path / "cut.jsonl").write_bytes(content[: content.index(SECRET) + len(SECRET)])
    policy = ("--policy", "tiny.toml")
    runs = [
        cg(tmp_path, "inspect", INPUT),
        cg(tmp_path, "inspect", INPUT, "--json", "--strict"),
        cg(tmp_path, "inspect", INPUT, "--format", "bodies"),
        cg(tmp_path, "compact", "cut.jsonl", "-o", "no.jsonl"),
        cg(tmp_path, "compact", INPUT, "--dry-run", "--json", *policy),
        cg(tmp_path, "compact", INPUT, "-o", OUTPUT, *policy),
        cg(tmp_path, "expand", "--all", OUTPUT, "-o", "back.jsonl"),
        cg(tmp_path, "expand", "--all", OUTPUT, "-o", "back2.jsonl", "--json"),
        cg(tmp_path, "stash", "verify", "--json"),
    ]
    for ran in runs:
        assert SECRET not in ran.out
        assert SECRET.decode() not in ran.err
    assert any(ran.code == 4 for ran in runs)
    assert (tmp_path / OUTPUT).read_bytes().count(SECRET) == content.count(SECRET)
    assert (tmp_path / "back.jsonl").read_bytes() == content
    stashed = [file.read_bytes() for file in (tmp_path / "stash").rglob("*") if file.is_file()]
    assert stashed
    assert not any(SECRET in one for one in stashed)


HOSTILE = "\x1b[2J\x1b]0;owned\x07[/red][bold]\u202egnp\u2066\x9b31m\r\n\x00 \u200b"
"""A cleared screen, a window title, markup, reversed and isolated text, a one-byte escape, line ends, a NUL."""
SHOWN = r"\x1b[2J\x1b]0;owned\x07[/red][bold]\u202egnp\u2066\x9b31m\r\n\x00 \u200b"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
"""Every control character but the line feed, and what turns the direction of text."""


def _hostile_body(i: int) -> dict[str, Any]:
    """A request that has hostile text wherever text is read from it."""
    call = {"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {HOSTILE: HOSTILE}}
    result = {"type": "tool_result", "tool_use_id": HOSTILE, "content": f"{HOSTILE}\n" * 90 + f"<<cg:{HOSTILE}>>"}
    mark = {"type": "ephemeral", "ttl": HOSTILE}
    return {
        "model": HOSTILE,
        "max_tokens": 9,
        "tools": [{"name": HOSTILE, "description": HOSTILE, "input_schema": {"type": HOSTILE}}],
        "system": [{"type": "text", "text": HOSTILE, "cache_control": mark}],
        "messages": [
            {"role": "user", "content": HOSTILE},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result, {"type": HOSTILE, "text": f"{i}"}]},
        ],
    }


def _check_harmless(ran: Ran, *, code: int = 0) -> None:
    assert ran.code == code
    assert CONTROL.findall(ran.text) == []
    assert CONTROL.findall(ran.err) == []


def test_hostile_text_of_a_file_is_shown_escaped(tmp_path: Path) -> None:
    """Models, tool names, times to live: no control character of them reaches the terminal, no markup is obeyed."""
    content = b"".join(json.dumps(_hostile_body(i)).encode() + b"\n" for i in range(2))
    ran = compact(tmp_path, content)
    _check_harmless(ran)
    assert SHOWN in ran.text
    looked = cg(tmp_path, "inspect", INPUT)
    _check_harmless(looked)
    assert looked.text.count(SHOWN) > 1
    restored = cg(tmp_path, "expand", "--all", OUTPUT, "-o", "back.jsonl")
    _check_harmless(restored)
    (tmp_path / OUTPUT).write_bytes((tmp_path / OUTPUT).read_bytes() + b"\n")  # so that slots are restored one by one
    _check_harmless(cg(tmp_path, "expand", "--all", OUTPUT, "-o", "back2.jsonl"))


def test_hostile_text_of_a_file_is_itself_in_json(tmp_path: Path) -> None:
    """The documents are ASCII, and a parser gets the very text back."""
    content = json.dumps(_hostile_body(0)).encode() + b"\n"
    (tmp_path / INPUT).write_bytes(content)
    looked = cg(tmp_path, "inspect", INPUT, "--json")
    _check_harmless(looked)
    assert json.loads(looked.text)["models"][0]["model"] == HOSTILE
    assert json.loads(looked.text)["breakpoints"]["by_ttl"] == {HOSTILE: 1}
    dry = cg(tmp_path, "compact", INPUT, "--dry-run", "--json")
    _check_harmless(dry)
    assert json.loads(dry.text)["lanes"][0]["model"] == HOSTILE


NAME = HOSTILE.replace("\x00", "").replace("/", "|")
"""A file may be called so."""
SHOWN_NAME = SHOWN.replace(r"\x00", "").replace("/", "|")


def test_hostile_names_are_shown_escaped(tmp_path: Path) -> None:
    """Of files, folders, stashes, policies, formats, markers: in reports, errors and hints alike."""
    content = (FIXTURES / "bodies" / "anthropic.jsonl").read_bytes()
    (tmp_path / NAME).mkdir()
    (tmp_path / "tiny.toml").write_text(TINY)
    inner = f"{NAME}/{NAME}"
    (tmp_path / inner).write_bytes(content)
    stash = ("--stash", f"{NAME}.stash")
    ran = cg(tmp_path, "compact", inner, "-o", f"{inner}.out", "--policy", "tiny.toml", *stash)
    _check_harmless(ran)
    assert ran.text.startswith(f"{SHOWN_NAME}/{SHOWN_NAME}: bodies")
    assert f" --stash '{SHOWN_NAME}.stash'\n" in ran.text
    _check_harmless(cg(tmp_path, "expand", "--all", f"{inner}.out", "-o", f"{NAME}.back", *stash))
    assert (tmp_path / f"{NAME}.back").read_bytes() == content
    _check_harmless(cg(tmp_path, "inspect", inner))
    for code, arguments in (
        (4, ("inspect", f"{NAME}.no")),
        (4, ("compact", f"{NAME}.no", "-o", OUTPUT)),
        (1, ("compact", inner, "-o", f"{NAME}.no/{NAME}")),
        (2, ("compact", inner, "-o", inner)),
        (2, ("inspect", inner, "--format", NAME)),
        (2, ("compact", inner, "-o", OUTPUT, "--policy", NAME)),
        (2, ("compact", inner, "-o", OUTPUT, "--policy", f"{NAME}.toml")),
        (2, ("compact", inner, "-o", OUTPUT, "--held", NAME)),
        (2, ("compact", inner, "-o", OUTPUT, "--pipeline", NAME)),
        (2, ("compact", inner, "-o", OUTPUT, "--config", f"{NAME}.toml")),
        (5, ("expand", NAME)),
        (2, ("compact", inner, f"--{NAME}")),
        (2, (NAME,)),
    ):
        refused = cg(tmp_path, *arguments)
        _check_harmless(refused, code=code)
        assert len(refused.err.splitlines()) == 2
    said = cg(tmp_path, "inspect", f"{NAME}.no", "--json")
    _check_harmless(said, code=4)
    assert json.loads(said.err)["where"] == f"{NAME}.no"


LOADED = """
import sys
from cgcli.cli.run import main
code = main(sys.argv[1:])
sys.stdout.flush()
print(*sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
raise SystemExit(code)
"""
HEAVY = {"tiktoken", "httpx", "rich", "pydantic", "splintr", "requests", "regex", "asyncio", "ssl"}


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("expand", "<<cg:2cf24dba5fb0a30e>>")], ids=" ".join
)
def test_small_commands_load_nothing_heavy(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """No tokenizer, no network, no tables, no schema checker where none is used."""
    objects = tmp_path / "stash" / "objects" / "2c"
    objects.mkdir(parents=True)
    (tmp_path / "stash" / "format").write_bytes(b"cg-stash/1\n")
    (objects / "f24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824").write_bytes(b"hello")
    ran = script(tmp_path, LOADED, *arguments)
    loaded = set(ran.err.split())
    assert ran.code == 0
    assert {"cgcli", "typer"} <= loaded
    assert loaded & HEAVY == set()
    if arguments[0] == "expand":
        assert ran.out == b"hello"


OFFLINE = """
import socket, sys
def refuse(*arguments, **named):
    print("a connection was wanted", file=sys.stderr)
    raise OSError("no network in this test")
socket.socket.__init__ = socket.create_connection = socket.getaddrinfo = refuse
from cgcli.cli.run import main
raise SystemExit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("name", ["bodies/anthropic.jsonl", "bodies/chat.jsonl", "claude-trace/cold.jsonl"])
def test_nothing_leaves_the_machine(tmp_path: Path, name: str) -> None:
    """Every command works without sockets, and without a cache of vocabularies, with the same result."""
    (tmp_path / INPUT).write_bytes((FIXTURES / name).read_bytes())
    ran = script(tmp_path, OFFLINE, "compact", INPUT, "-o", OUTPUT, "--pipeline", "mask,collapse")
    assert (ran.code, ran.err) == (0, "")
    assert script(tmp_path, OFFLINE, "inspect", INPUT).err == ""
    back = script(tmp_path, OFFLINE, "expand", "--all", OUTPUT, "-q")
    assert (back.code, back.out, back.err) == (0, (tmp_path / INPUT).read_bytes(), "")
    online = cg(
        tmp_path,
        "compact",
        INPUT,
        "--pipeline",
        "mask,collapse",
        env={"TIKTOKEN_CACHE_DIR": str(tmp_path / "no cache"), "HOME": str(tmp_path / "no home")},
    )
    assert (online.code, online.out) == (0, (tmp_path / OUTPUT).read_bytes())
    assert not (tmp_path / "no cache").exists()
