"""What is written is held against what was found: the last pass."""

from __future__ import annotations

import pytest

from cgcli.errors import CgError
from cgcli.scrub.survey import Check, Survey
from tests.scrub.scrubbed import KEY, run

LINE = f'{{"t":"key {KEY}","p":"/home/skipper/x","password":"hunter22"}}\n'.encode()


def surveyed(*lines: bytes) -> Survey:
    """What there is in *lines*."""
    survey = Survey()
    survey.read(lines)
    return survey


@pytest.mark.parametrize(
    "left",
    [
        LINE,
        b'{"x":"' + KEY.encode() + b'"}',
        b'{"x":"a ' + KEY.encode().replace(b"-", b"\\u002d") + b' b"}',
        b'{"x":"{\\"y\\":\\"xhunter22x\\"}"}',
        b"plain hunter22\n",
        b"cd /home/skipper",
        b'{"x":"by skipper"}',
    ],
)
def test_an_original_that_is_left_is_an_error(left: bytes) -> None:
    """In any spelling, at any depth; the error names the line and has no word of it."""
    check = Check(surveyed(LINE), file="made", with_keys=False)
    with pytest.raises(CgError) as caught:
        check.line(left, 7)
    assert caught.value.where == "made:7"
    for word in (KEY, KEY[7:20], "hunter", "skipper"):
        assert word not in f"{caught.value} {caught.value.hint}"


def test_what_was_replaced_is_none() -> None:
    """The product of a run passes; so does what is no original."""
    check = Check(surveyed(LINE), file="made", with_keys=False)
    check.line(run(LINE)[0], 1)
    check.line(run(LINE, keep_length=True)[0], 1)
    check.line(b'{"x":"harbour"}', 2)


def test_names_of_json_members_are_checked_where_they_are_replaced() -> None:
    """Where they stay they are no error, at any depth."""
    data = b'{"/home/skipper/x":"{\\"/home/skipper/x\\":1}"}\n'
    Check(surveyed(data), file="made", with_keys=False).line(data, 1)
    with pytest.raises(CgError):
        Check(surveyed(data), file="made", with_keys=True).line(data, 1)
