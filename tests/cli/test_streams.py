"""stdin, stdout, stderr, terminals and signals: the product is whole or absent, and talk never mixes with it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from cgcli.stash.store import Stash
from tests.captures import capture
from tests.cli.running import INPUT, OUTPUT, STASH, cg, compact, environment, leftovers, run, script

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CONTENT = capture(turns=4, container="context-guru")
CG = f"{sys.executable} -m cgcli"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What `cg compact` makes of `CONTENT`."""
    folder = tmp_path_factory.mktemp("product")
    (folder / INPUT).write_bytes(CONTENT)
    assert cg(folder, "compact", INPUT, "-o", OUTPUT).code == 0
    made = (folder / OUTPUT).read_bytes()
    assert made != CONTENT
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a capture in it."""
    (tmp_path / INPUT).write_bytes(CONTENT)
    return tmp_path


def test_the_product_goes_to_stdout_and_the_report_to_stderr(folder: Path, product: bytes) -> None:
    """Without -o, where stdout is no terminal; `-o -` says the same."""
    ran = cg(folder, "compact", INPUT)
    assert (ran.code, ran.out) == (0, product)
    assert ran.err.startswith("in.jsonl: context-guru, anthropic, 5 requests in 1 lane; policy codesafe")
    asked = cg(folder, "compact", INPUT, "-o", "-")
    assert (asked.code, asked.out) == (0, product)


def test_the_report_goes_to_stdout_where_the_product_is_a_file(folder: Path, product: bytes) -> None:
    """With -o, stderr stays empty."""
    ran = cg(folder, "compact", INPUT, "-o", OUTPUT)
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.startswith("in.jsonl: context-guru, anthropic, 5 requests in 1 lane; policy codesafe")
    assert (folder / OUTPUT).read_bytes() == product


@pytest.mark.parametrize("options", [(), ("-o", OUTPUT)], ids=["stdout", "file"])
def test_quiet_says_nothing(folder: Path, product: bytes, options: tuple[str, ...]) -> None:
    """-q leaves the product alone, wherever it goes."""
    ran = cg(folder, "compact", INPUT, "-q", *options)
    assert (ran.code, ran.err, ran.out) == (0, "", b"" if options else product)


def test_stdin_is_read_by_every_command_that_reads(folder: Path, product: bytes) -> None:
    """`-` in place of a file gives the same product, the same inspection, and the input again."""
    piped = cg(folder, "compact", "-", stdin=CONTENT)
    assert (piped.code, piped.out) == (0, product)
    back = cg(folder, "expand", "--all", "-", stdin=product)
    assert (back.code, back.out) == (0, CONTENT)
    assert back.err.startswith("restored byte for byte: ")
    looked = json.loads(cg(folder, "inspect", "-", "--json", stdin=CONTENT).out)
    by_name = json.loads(cg(folder, "inspect", INPUT, "--json").out)
    assert (looked.pop("file"), by_name.pop("file")) == ("-", INPUT)
    assert looked == by_name


def test_json_wants_another_place_for_the_product(folder: Path) -> None:
    """--json is exit 2 without -o or --dry-run; with one of them stdout is one document."""
    refused = cg(folder, "compact", INPUT, "--json")
    assert (refused.code, refused.out) == (2, b"")
    assert json.loads(refused.err) == {
        "schema": "cgcli/error/v1",
        "error": "UsageError",
        "message": "--json puts the report on stdout",
        "where": None,
        "hint": "give -o OUT for the product, or --dry-run",
        "exit_code": 2,
    }
    assert cg(folder, "expand", "--all", INPUT, "--json").code == 2
    written = cg(folder, "compact", INPUT, "--json", "-o", OUTPUT)
    assert (written.code, written.err) == (0, "")
    assert json.loads(written.out)["output"] == OUTPUT
    dry = cg(folder, "compact", INPUT, "--json", "--dry-run")
    assert (dry.code, dry.err) == (0, "")
    assert json.loads(dry.out)["output"] is None


@pytest.mark.parametrize(
    ("arguments", "error", "where", "code"),
    [
        (("compact", "nope", "--json", "--dry-run"), "InputError", "nope", 4),
        (("inspect", "nope", "--json"), "InputError", "nope", 4),
        (("inspect", "empty", "--json"), "InputError", "empty", 4),
        (("inspect", "other", "--json"), "FormatError", "other", 4),
        (("expand", "--all", "nope", "--json", "-o", "back"), "InputError", "nope", 4),
        (("expand", "0123456789abcdef", "--json"), "StashMiss", None, 5),
        (("compact", INPUT, "--json", "-o", "no/where"), "OutputError", "no/where", 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_an_error_under_json_is_one_object(
    folder: Path, arguments: tuple[str, ...], error: str, where: str | None, code: int
) -> None:
    """On stderr, with the same message, place, hint and exit code as in words; stdout stays empty."""
    (folder / "empty").write_bytes(b"")
    (folder / "other").write_bytes(b'{"a": 1}\n')
    ran = cg(folder, *arguments)
    said = json.loads(ran.err)
    assert (ran.code, ran.out, ran.err.count("\n")) == (code, b"", 1)
    assert (said["schema"], said["error"], said["where"], said["exit_code"]) == ("cgcli/error/v1", error, where, code)
    in_words = cg(folder, *(argument for argument in arguments if argument != "--json"))
    message = f"{where}: {said['message']}" if where else said["message"]
    assert in_words.err == f"cg: {message}\n  try: {said['hint']}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("compact", INPUT),
        ("compact", INPUT, "--dry-run"),
        ("compact", INPUT, "-o", OUTPUT),
        ("inspect", INPUT),
        ("inspect", INPUT, "--json"),
        ("expand", "--all", INPUT),
        ("--help",),
    ],
    ids=" ".join,
)
def test_a_reader_that_has_gone_ends_the_run_silently(folder: Path, arguments: tuple[str, ...]) -> None:
    """Exit 1 without a word about it where nobody reads stdout any more."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as stdout:
        ran = cg(folder, *arguments, stdout=stdout)
    assert (ran.code, ran.err) == (1, "")
    assert leftovers(folder) == []


def test_pipelines_that_read_a_part_are_silent(tmp_path: Path) -> None:
    """`cg expand | head -c1` and `cg compact | head -1`, with more to say than a pipe holds."""
    content = capture(turns=25)
    (tmp_path / INPUT).write_bytes(content)
    with Stash.open(tmp_path / STASH, create=True) as stash:
        digest = stash.put(b"x" * 1_000_000)
        stash.commit()
    one = run(["sh", "-c", f"{CG} expand {digest} | head -c1"], tmp_path)
    assert (one.code, one.out, one.err) == (0, b"x", "")
    line = run(["sh", "-c", f"{CG} compact {INPUT} -q --policy off | head -1"], tmp_path)
    assert (line.code, line.out, line.err) == (0, content.split(b"\n")[0] + b"\n", "")


def test_talk_that_nobody_takes_is_lost_alone(folder: Path, product: bytes) -> None:
    """A closed stderr, or one whose reader has gone, changes neither the product nor the exit code."""
    closed = run(["sh", "-c", f"exec 2>&-; {CG} compact {INPUT}"], folder)
    assert (closed.code, closed.out) == (0, product)
    failed = run(["sh", "-c", f"exec 2>&-; {CG} compact nope"], folder)
    assert (failed.code, failed.out) == (4, b"")
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as stderr:
        gone = cg(folder, "compact", INPUT, stderr=stderr)
    assert (gone.code, gone.out) == (0, product)


def test_a_closed_stdin_or_stdout_is_told(folder: Path) -> None:
    """Exit 4 where stdin is to be read, exit 1 where there is no stdout."""
    no_input = run(["sh", "-c", f"exec <&-; {CG} compact - -o {OUTPUT}"], folder)
    assert (no_input.code, no_input.err) == (4, "cg: -: stdin is closed\n  try: name a file, or pipe one in\n")
    no_output = run(["sh", "-c", f"exec >&-; {CG} compact {INPUT}"], folder)
    assert (no_output.code, no_output.err) == (1, "cg: stdout is closed\n  try: redirect it: >/dev/null\n")
    assert sorted(path.name for path in folder.iterdir()) == [INPUT]


def _on_terminal(folder: Path, arguments: Sequence[str]) -> tuple[int, str]:
    """The exit code, and what a terminal shows, of a run whose three streams are that terminal."""
    main_end, terminal = pty.openpty()
    started = subprocess.Popen(
        [sys.executable, "-m", "cgcli", *arguments],
        cwd=folder,
        env=environment(folder, {"TERM": "xterm-256color"}),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    shown = b""
    with suppress(OSError):  # a terminal whose other end is closed says so by an error
        while chunk := os.read(main_end, 65536):
            shown += chunk
    os.close(main_end)
    return started.wait(60), shown.decode().replace("\r\n", "\n")


def test_a_terminal_gets_the_report_alone(folder: Path) -> None:
    """Without -o nothing is written, to the stash neither, and no request is poured over the terminal."""
    code, shown = _on_terminal(folder, ("compact", INPUT))
    assert code == 0
    bar, first, rest = shown.partition("in.jsonl: context-guru, anthropic, 5 requests in 1 lane; policy codesafe")
    shown = first + rest  # where it took a second there was a bar, which is gone again
    assert not bar or "reading in.jsonl" in bar
    assert "nothing was written: cg compact in.jsonl -o OUT.jsonl" in shown
    assert '"messages"' not in shown
    assert sorted(path.name for path in folder.iterdir()) == [INPUT]
    assert shown == cg(folder, "compact", INPUT, "--dry-run").text


def _start(folder: Path, *arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "cgcli", *arguments],
        cwd=folder,
        env=environment(folder),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _wait_for_part(folder: Path) -> None:
    """Wait until the output is being written."""
    for _ in range(6000):
        if list(folder.glob("*.part")):
            return
        time.sleep(0.01)
    pytest.fail("no output was begun")


def _check_interrupted(folder: Path, started: subprocess.Popen[bytes]) -> None:
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (130, b"", b"")
    assert leftovers(folder) == []
    assert not (folder / OUTPUT).exists()
    assert list((folder / STASH / "objects").glob("*/*")) == []


@pytest.mark.parametrize("n_interrupts", [1, 2])
def test_an_interrupt_during_work_leaves_nothing(tmp_path: Path, n_interrupts: int) -> None:
    """Exit 130 without a word, however often it comes; the same run then works."""
    content = b"".join(capture(turns=12, seed=seed) for seed in range(40))
    (tmp_path / INPUT).write_bytes(content)
    started = _start(tmp_path, "compact", INPUT, "-o", OUTPUT)
    _wait_for_part(tmp_path)
    for _ in range(n_interrupts):
        started.send_signal(signal.SIGINT)
    _check_interrupted(tmp_path, started)
    assert (tmp_path / INPUT).read_bytes() == content
    assert compact(tmp_path, capture(turns=2)).code == 0


def test_an_interrupt_while_waiting_for_more_leaves_nothing(tmp_path: Path) -> None:
    """Exit 130 where stdin has given some requests and then nothing, as a pipe from a running agent does."""
    content = b"".join(capture(turns=30, seed=seed) for seed in range(8))
    assert len(content) > 16_000_000
    read_end, write_end = os.pipe()
    started = _start(tmp_path, "compact", "-", "-o", OUTPUT, stdin=read_end)
    os.close(read_end)
    feeder = threading.Thread(target=_feed, args=(write_end, content), daemon=True)
    feeder.start()
    _wait_for_part(tmp_path)
    feeder.join(60)
    started.send_signal(signal.SIGINT)
    _check_interrupted(tmp_path, started)
    os.close(write_end)  # open until now: the end of the file was never seen


def _feed(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


KILLED = """
import os, sys
from cgcli.cli.run import main
from cgcli.replay.output import Output
Output.finish = lambda self: os._exit(9)
main(sys.argv[1:])
"""


def test_a_kill_between_stash_and_output_loses_nothing(folder: Path, product: bytes) -> None:
    """The originals are whole in the stash, the output is absent; the next run gives the product and comes back."""
    killed = script(folder, KILLED, "compact", INPUT, "-o", OUTPUT)
    assert killed.code == 9
    assert not (folder / OUTPUT).exists()
    assert (folder / INPUT).read_bytes() == CONTENT
    verified = json.loads(cg(folder, "stash", "verify", "--json").out)
    assert verified["problems"] == []
    assert verified["n_objects"] > 0
    for part in folder.glob("*.part"):
        part.unlink()
    again = cg(folder, "compact", INPUT, "-o", OUTPUT)
    assert again.code == 0
    assert (folder / OUTPUT).read_bytes() == product
    back = cg(folder, "expand", "--all", OUTPUT)
    assert (back.code, back.out) == (0, CONTENT)
    assert json.loads(cg(folder, "stash", "verify", "--json").out) == verified
