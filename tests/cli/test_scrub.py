"""`cg scrub`: the product, the report, and what it never says."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.cli import running
from tests.scrub.scrubbed import HEX, HIDDEN, KEY, MAIL, USER

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.calling import Cg

LINES = (
    f'{{"headers":{{"authorization":"Bearer {KEY}"}},"t":"mail anna@harbour.io"}}\n'
    '{"cwd":"/home/skipper/code","t":"skipper typed PASSWORD=hunter22-abc"}\n'
    '{"t":"nothing"}\n'
)
WORDS = (KEY, KEY[7:25], "anna", "harbour.io", "skipper", "hunter22")
EXPECTED = (
    f'\\{{"headers":\\{{"authorization":"Bearer sk-ant-{HIDDEN}"\\}},"t":"mail {MAIL}"\\}}\n'
    f'\\{{"cwd":"/home/({USER})/code","t":"\\1 typed PASSWORD={HIDDEN}"\\}}\n'
    '\\{"t":"nothing"\\}\n'
)
REPORT = """\
in.jsonl: 5 replacements of 4 different texts, in 2 of 3 lines
kind           distinct  replaced  lines
user                  1         2      1
anthropic_key         1         1      1
assigned              1         1      1
email                 1         1      1
"""


def test_a_file_is_written_and_the_report_is_shown(cg: Cg) -> None:
    """The product stands where -o says, the report on stdout; neither has a word of what was replaced."""
    cg.write("in.jsonl", LINES)
    assert cg("scrub", "in.jsonl", "-o", "out.jsonl") == 0
    assert re.fullmatch(EXPECTED, cg.read("out.jsonl").decode())
    assert cg.out.decode() == f"{REPORT}checked: none of what was found stands in out.jsonl\n"
    assert cg.err == b""
    assert cg.names() == ["in.jsonl", "out.jsonl"]


def test_a_dry_run_writes_nothing(cg: Cg) -> None:
    """The report alone."""
    cg.write("in.jsonl", LINES)
    assert cg("scrub", "in.jsonl", "--dry-run") == 0
    assert cg.out.decode() == f"{REPORT}checked: none of what was found stands in the output\nnothing written\n"
    assert cg.names() == ["in.jsonl"]


def test_a_file_with_nothing_to_replace_is_not_called_checked(cg: Cg) -> None:
    """Nothing was found, so nothing could be looked for."""
    cg.write("in.jsonl", '{"t":"nothing"}\n{"t":"at all"}\n')
    assert cg("scrub", "in.jsonl", "-o", "out.jsonl") == 0
    assert cg.out.decode() == "in.jsonl: nothing to replace was found in 2 lines\n"
    assert cg.read("out.jsonl") == cg.read("in.jsonl")


def test_the_document(cg: Cg) -> None:
    """What a program reads."""
    cg.write("in.jsonl", LINES)
    report = cg.report("scrub", "in.jsonl", "-o", "out.jsonl", "--seed", "x", "--keep-length")
    assert report == {
        "schema": "cgcli/scrub/v1",
        "file": "in.jsonl",
        "output": "out.jsonl",
        "lines": 3,
        "lines_changed": 2,
        "bytes": {"before": len(LINES), "after": len(LINES)},
        "keep_length": True,
        "seeded": True,
        "keys": False,
        "replaced": 5,
        "distinct": 4,
        "kinds": [
            {"kind": "user", "replaced": 2, "distinct": 1, "lines": 1},
            {"kind": "anthropic_key", "replaced": 1, "distinct": 1, "lines": 1},
            {"kind": "assigned", "replaced": 1, "distinct": 1, "lines": 1},
            {"kind": "email", "replaced": 1, "distinct": 1, "lines": 1},
        ],
        "left_in_keys": 0,
    }


def test_names_that_are_left_are_told(cg: Cg) -> None:
    """With the option that replaces them."""
    cg.write("in.json", '{"/home/skipper/x":1}')
    assert cg("scrub", "in.json", "--dry-run") == 0
    assert b"left in names of JSON members: 1; --keys replaces them too\n" in cg.out
    assert cg("scrub", "in.json", "-o", "out.json", "--keys", "-q") == 0
    assert re.fullmatch(f'{{"/home/{USER}/x":1}}', cg.read("out.json").decode())
    assert cg.out == b""


def test_a_seed_is_for_several_files_and_without_one_nothing_is_the_same(cg: Cg) -> None:
    """Two runs with a seed agree; two without do not."""
    cg.write("in.jsonl", LINES)
    for name, seed in (("a", ["--seed", "s"]), ("b", ["--seed", "s"]), ("c", ["--seed", "t"]), ("d", []), ("e", [])):
        assert cg("scrub", "in.jsonl", "-o", name, "-q", *seed) == 0
    assert cg.read("a") == cg.read("b")
    assert len({cg.read(name) for name in "acde"}) == 4


def test_a_product_on_stdout(tmp_path: Path) -> None:
    """From a pipe to a pipe; the report goes to stderr."""
    ran = running.cg(tmp_path, "scrub", "-", stdin=LINES.encode())
    assert ran.code == 0
    assert re.fullmatch(EXPECTED, ran.text)
    assert ran.err.splitlines()[-1] == "checked: none of what was found stands in stdout"
    assert not any(word in ran.err for word in WORDS)


def test_a_packed_file(cg: Cg) -> None:
    """Is read as it is and written unpacked."""
    cg.write("in.jsonl.gz", gzip.compress(LINES.encode()))
    assert cg("scrub", "in.jsonl.gz", "-o", "out.jsonl", "-q") == 0
    assert re.fullmatch(EXPECTED, cg.read("out.jsonl").decode())


def test_any_text(cg: Cg) -> None:
    """No format is needed: a log is scrubbed too, an empty file stays empty."""
    cg.write("a.log", "deploy as skipper\ncd /home/skipper\n")
    assert cg("scrub", "a.log", "-o", "b.log", "-q") == 0
    assert re.fullmatch(f"deploy as (user-{HEX})\ncd /home/\\1\n", cg.read("b.log").decode())
    cg.write("empty", b"")
    assert cg("scrub", "empty", "-o", "empty2", "-q") == 0
    assert cg.read("empty2") == b""


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("in.jsonl", "-o", "in.jsonl"), 2, b"the output is the input"),
        (("in.jsonl", "--json"), 2, b"--json puts the report on stdout"),
        (("none.jsonl", "-o", "out"), 4, b"no such file"),
        (("in.jsonl", "-o", "none/out"), 1, b"cannot write"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], code: int, says: bytes, cg: Cg) -> None:
    """By name, with the input as it was and no product."""
    cg.write("in.jsonl", LINES)
    assert cg("scrub", *arguments) == code
    assert says in cg.err
    assert not any(word.encode() in cg.err + cg.out for word in WORDS)
    assert cg.names() == ["in.jsonl"]
    assert cg.read("in.jsonl").decode() == LINES


def test_nothing_that_is_printed_has_a_word_of_it(tmp_path: Path) -> None:
    """Whatever is wrong with the file: cut, no UTF-8, names twice."""
    (tmp_path / "in.jsonl").write_bytes(LINES.encode()[:-4].replace(b"typed", b"\xff\x00") + b'{"a":"' + KEY.encode())
    for options in (["--dry-run"], ["--dry-run", "--json"], ["-o", "out"], ["-o", "out2", "--keys", "--keep-length"]):
        ran = running.cg(tmp_path, "scrub", "in.jsonl", *options)
        assert ran.code == 0
        assert not any(word in ran.text + ran.err for word in WORDS)
    for name in ("out", "out2"):
        assert not any(word.encode() in (tmp_path / name).read_bytes() for word in WORDS)


def test_the_product_is_read_as_before(cg: Cg) -> None:
    """A capture with headers has the same lanes and the same usage after."""
    file = cg.fixture("claude-trace/seven-lanes.jsonl")
    assert cg("scrub", file, "-o", "out.jsonl", "-q") == 0
    before, after = cg.report("inspect", file), cg.report("inspect", "out.jsonl")
    for key in ("format", "requests", "dialects", "models", "known", "requests_with_usage", "lanes", "breakpoints"):
        assert before[key] == after[key]
    assert b"an-invented-token" in cg.read(file)
    assert b"an-invented-token" not in cg.read("out.jsonl")
    assert [set(json.loads(line)) for line in cg.read("out.jsonl").splitlines()] == [
        set(json.loads(line)) for line in cg.read(file).splitlines()
    ]
