"""E-mail addresses, home folders and names of accounts."""

from __future__ import annotations

import re

import pytest

from tests.scrub.scrubbed import HEX, MAIL, USER, kinds, run, text, value


@pytest.mark.parametrize(
    "content",
    [
        "mail {} now",
        "<{}>",
        "{}.",
        "a\n{}",
        "Author: A. Skipper <{}>",
        "mailto:{}?x",
        "ssh://{}/x",
    ],
)
def test_addresses(content: str) -> None:
    """One address, in prose and between signs."""
    (made,) = value([content.format("anna.skipper+x@mail.harbour.io")])
    assert re.fullmatch(re.escape(content).replace(r"\{\}", MAIL), made), made


def test_an_address_in_an_address_of_the_web() -> None:
    """Its `%40` stays, and it stands for the same person."""
    (made,) = value(["https://h.io/?u=anna%40harbour.io anna@harbour.io"])
    found = re.fullmatch(f"https://h\\.io/\\?u=user-({HEX})%40example\\.invalid user-({HEX})@example\\.invalid", made)
    assert found is not None, made
    assert found[1] == found[2]


@pytest.mark.parametrize(
    "content",
    ["a@example.com", "x@b.example", "git@github.com", "noreply@harbour.io", "you@localhost", "a@b", "@harbour.io"],
)
def test_addresses_of_nobody_stay(content: str) -> None:
    """Those of documentation and of machines."""
    assert value([content]) == [content]


@pytest.mark.parametrize(
    "content",
    [
        "/home/{}/src",
        "/Users/{}",
        "cd /home/{}; ls",
        "file:///home/{}/x",
        "C:\\Users\\{}\\new",
        "c:/Users/{}/x",
        "/mnt/c/Users/{}/x",
        "/c/Users/{}/x",
        "/var/home/{}/x",
        "see /Users/{}.",
        "USER={}",
        "~{}/src",
    ],
)
def test_home_folders(content: str) -> None:
    """Of all systems, and those of systems inside systems."""
    (made,) = value([content.format("anna.skipper" if "~" not in content else "skipper")])
    assert re.fullmatch(re.escape(content).replace(r"\{\}", USER), made), made


@pytest.mark.parametrize(
    "content",
    ["/home/user/x", "/Users/Shared", "/home/runner/work", "/root/x", "/homes/anna", "https://h.io/home/anna", "~/x"],
)
def test_folders_of_nobody_stay(content: str) -> None:
    """Accounts that every machine has, and what is no home folder."""
    assert value([content]) == [content]


def test_the_name_is_replaced_wherever_it_stands_as_a_word() -> None:
    """In earlier lines too, in any case of its letters; not inside of words, and not as a name in JSON."""
    made = text(
        '{"a":"drwx skipper staff; Skipper, -Users-skipper-code, skippers, my_skipper"}\n'
        '{"skipper":"{\\"skipper\\": 1}"}\n{"cwd":"/Users/skipper/code"}\n'
    )
    assert re.fullmatch(
        f'{{"a":"drwx ({USER}) staff; {USER}, -Users-\\1-code, skippers, my_skipper"}}\n'
        '{"skipper":"{\\\\"skipper\\\\": 1}"}\n'
        '{"cwd":"/Users/\\1/code"}\n',
        made,
    ), made


def test_folders_that_are_named_after_paths() -> None:
    """Where a path was made a name, `first.last` is `first-last`."""
    made = value(["/Users/anna.skipper/x", "-Users-anna-skipper-x"])
    assert re.fullmatch(f"-Users-{USER}-x", made[1]), made


@pytest.mark.parametrize("name", ["max", "code", "claude", "12345"])
def test_short_and_common_names_are_replaced_in_paths_alone(name: str) -> None:
    """Elsewhere they mean something else."""
    made = value([f"/home/{name}/x", f"{name} x {name}", f"/home/{name}"])
    assert re.fullmatch(f"/home/{USER}/x", made[0])
    assert made[1] == f"{name} x {name}"
    assert made[2] + "/x" == made[0]


def test_ids_and_models_have_no_names() -> None:
    """A name that stands in the id or the model of something stays there."""
    content = {"model": "skipper-4", "id": "call_1 skipper", "role": "skipper", "cwd": "/home/skipper/x"}
    made = value(content)
    assert {**made, "cwd": ""} == {**content, "cwd": ""}
    assert kinds(content) == {"user": 1}


def test_names_of_json_members_stay_unless_asked() -> None:
    """They are counted, and replaced with `keys`."""
    data = b'{"/home/skipper/x":{"text":"/home/skipper/x"}}'
    kept, account = run(data)
    assert kept.startswith(b'{"/home/skipper/x":{"text":"/home/user-')
    assert account.left_in_keys == 1
    made, account = run(data, keys=True)
    assert re.fullmatch(f'{{"/home/({USER})/x":{{"text":"/home/\\1/x"}}}}', made.decode())
    assert account.left_in_keys == 0


def test_who_a_web_address_logs_in_as() -> None:
    """The account is replaced too, where it is somebody's."""
    (made,) = value(["https://skipper:hunter22@h.io/"])
    assert re.fullmatch(f"https://{USER}:REDACTED-{HEX}@h\\.io/", made)
