"""Replacements that are as long as what they stand for."""

from __future__ import annotations

import json
import re

import pytest

from tests.scrub.scrubbed import JWT, KEY, PEM, PEM_HEAD, PEM_TAIL, run, text, value

SIGNS = "[bcdfghjklmnpqrstvwxz]"
WORD = f"zq{SIGNS}"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"key {KEY}.", f"key sk-ant-REDACTED{SIGNS}{{{len(KEY) - 15}}}\\."),
        (JWT, f"REDACTED{SIGNS}{{{len(JWT) - 8}}}"),
        ("/home/skipper/x", f"/home/{WORD}{{5}}/x"),
        ("mail anna.skipper@mail.harbour.io", f"mail {WORD}{{2}}\\.{WORD}{{5}}@{WORD}{{2}}\\.{WORD}{{5}}\\.zq"),
        ("PASSWORD=hunter22", f"PASSWORD={WORD}{{6}}"),
        ("postgres://admin:hunter22@db.corp.io/x", f"postgres://admin:{WORD}{{6}}@db\\.corp\\.io/x"),
        ("x-api-key: abcdefghijklmnop1", f"x-api-key: REDACTED{SIGNS}{{9}}"),
    ],
)
def test_as_many_characters(content: str, expected: str) -> None:
    """An issuer's prefix, the dots of an address and the slashes of a path stay where they are."""
    (made,) = value([content], keep_length=True)
    assert re.fullmatch(expected, made), made
    assert len(made) == len(content)


def test_a_private_key_keeps_the_length_of_its_lines() -> None:
    """Line by line."""
    (made,) = value([PEM], keep_length=True)
    assert [len(line) for line in made.split("\n")] == [len(line) for line in PEM.split("\n")]
    assert (made.split("\n")[0], made.split("\n")[-2]) == (PEM_HEAD, PEM_TAIL)
    assert not set(made.split("\n")[1:4]) & set(PEM.split("\n"))


@pytest.mark.parametrize(
    "password", ["pässwörd1", "\u5bc6\u7801\u5bc6\u78017a", "\U0001f511key\U0001f511123", "a/b\\c\"d'e1"]
)
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_as_many_bytes_as_written(password: str, depth: int, *, ascii_only: bool) -> None:
    """Letters of several bytes and escapes of six become letters and escapes of the same length."""
    line = json.dumps({"password": password}, ensure_ascii=ascii_only)
    for _ in range(depth - 1):
        line = json.dumps({"body": line}, ensure_ascii=ascii_only)
    data = line.encode()
    made, account = run(data, keep_length=True)
    assert len(made) == len(data)
    assert sum(account.replaced.values()) >= 1
    inner = json.loads(made)
    for _ in range(depth - 1):
        inner = json.loads(inner["body"])
    assert len(inner["password"]) == len(password)
    assert inner["password"] != password
    assert run(made, keep_length=True, seed="another")[0] == made


def test_different_texts_stay_different() -> None:
    """Also where they are so short that two would become the same."""
    names = [f"an{a}{b}" for a in "abcdefgh" for b in "abcdefgh"]
    made = text("".join(f"/home/{name}/x\n" for name in names), keep_length=True).splitlines()
    assert len(set(made)) == len(names) == 64
