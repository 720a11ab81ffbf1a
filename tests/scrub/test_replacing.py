"""What is written, and that it is known again."""

from __future__ import annotations

import re

import pytest

from cgcli.scrub.replacing import Replacements, is_replacement
from tests.scrub.scrubbed import KEY, run, text

MANY = [f"hunter-{i}" for i in range(3000)]


@pytest.mark.parametrize("keep_length", [True, False])
def test_another_text_has_another_replacement(*, keep_length: bool) -> None:
    """No two of many become the same."""
    made = Replacements(b"key", keep_length=keep_length)
    assert len({made.of(one, "assigned") for one in MANY}) == len(MANY)


def test_a_seed_makes_it_the_same_in_another_file() -> None:
    """With one seed a text has one replacement, with another seed another one."""
    first, second = text(f"a {KEY}"), text(f"other lines\nand {KEY} b")
    assert first.removeprefix("a ") in second
    assert text(f"a {KEY}", seed="other") != first


def test_a_replacement_depends_on_the_text_alone() -> None:
    """Not on what told of it, nor on what was replaced before."""
    made = Replacements(b"key", keep_length=False)
    other = Replacements(b"key", keep_length=False)
    for one in MANY:
        made.of(one, "assigned")
    assert made.of("hunter-7", "header") == other.of("hunter-7", "cookie")


def test_the_forms_of_replacements() -> None:
    """A name, an address, a credential with its issuer's prefix, anything else."""
    made = Replacements(b"key", keep_length=False)
    assert re.fullmatch("user-[0-9a-f]{12}", made.of("skipper", "user"))
    assert re.fullmatch(r"user-[0-9a-f]{12}@example\.invalid", made.of("a@harbour.io", "email"))
    assert re.fullmatch("sk-ant-REDACTED-[0-9a-f]{12}", made.of(KEY, "header"))
    assert re.fullmatch("REDACTED-[0-9a-f]{12}", made.of("hunter22", "cookie"))


@pytest.mark.parametrize(
    ("content", "kind", "expected"),
    [
        ("user-0123456789ab", "user", True),
        ("user-0123456789ab", "assigned", False),
        ("skipper", "user", False),
        ("zqbcd", "user", True),
        ("zebra", "user", False),
        ("zq.zqb@zqc.zq", "email", True),
        ("zq.zqb@corp.zq", "email", False),
        ("sk-ant-REDACTED-0123456789ab", "anthropic_key", True),
        (KEY, "anthropic_key", False),
    ],
)
def test_what_is_known_again(content: str, kind: str, *, expected: bool) -> None:
    """A replacement by its form; what is none is not taken for one."""
    assert is_replacement(content, kind) is expected


@pytest.mark.parametrize("keep_length", [True, False])
def test_a_second_run_changes_nothing(*, keep_length: bool) -> None:
    """Neither with the same seed nor with another."""
    once = run(f'{{"x-api-key":"{KEY}","t":"\\nanna@harbour.io /home/anna/x"}}\n'.encode(), keep_length=keep_length)[0]
    for seed in ("harbour", "another"):
        again, account = run(once, keep_length=keep_length, seed=seed)
        assert again == once
        assert sum(account.replaced.values()) == 0
