"""What a call does to which files."""

from __future__ import annotations

from typing import Any

import pytest

from cgcli.summarisers.extractive.heard import Use, heard
from cgcli.summarisers.extractive.verbs import command, is_look, touched
from tests.summarisers.conversing import DIALECTS, request


def use(name: str, given: dict[str, Any], *, failed: bool = False, dialect: str = "anthropic") -> Use:
    """The use that a request with this call has."""
    found = request(dialect, [("tool", name, given, "", failed)])
    return heard(found, 0, len(found.messages)).uses[0]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("name", "given", "found"),
    [
        ("Read", {"file_path": "a b.py"}, [("a b.py", "read")]),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "see x/y.py"}]}, [("a.py", "edited")]),
        ("write_file", {"path": "out/a", "content": "x/y.py"}, [("out/a", "written")]),
        ("Grep", {"pattern": "x", "path": "src"}, [("src", "searched")]),
        ("str_replace_based_edit_tool", {"command": "view", "path": "/a/b.c"}, [("/a/b.c", "read")]),
        ("str_replace_based_edit_tool", {"command": "create", "path": "/a/b.c"}, [("/a/b.c", "written")]),
        ("str_replace_based_edit_tool", {"command": "str_replace", "path": "/a/b.c"}, [("/a/b.c", "edited")]),
        ("Task", {"prompt": "look at src/a.py"}, [("src/a.py", "named")]),
        ("Bash", {"command": "cd x && cat a.py | grep 'b|c' d.py"}, [("a.py", "read"), ("d.py", "searched")]),
        ("Bash", {"command": "sed -i s/a/b/ a.py; rm -f b.py"}, [("a.py", "edited"), ("b.py", "deleted")]),
        ("Bash", {"command": "echo x > out/a.txt 2> err.log"}, [("out/a.txt", "written"), ("err.log", "named")]),
        ("Bash", {"command": "cat > a.py <<EOF\nimport x/y.py\nEOF"}, [("a.py", "written")]),
        ("Bash", {"command": "make | tee build.log"}, [("build.log", "written")]),
        ("shell", {"command": ["bash", "-lc", "head -3 a.py"]}, [("a.py", "read")]),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a/b.py\n@@\n*** Add File: c d.py\n"},
         [("a/b.py", "edited"), ("c d.py", "written")]),
        ("Bash", {"command": "git diff src/a.py; git rm b.py"}, [("src/a.py", "read"), ("b.py", "deleted")]),
        ("get_weather", {"city": "Oslo"}, []),
    ],
)  # fmt: skip
def test_a_call_touches_files(name: str, given: dict[str, Any], found: list[tuple[str, str]], dialect: str) -> None:
    """Told by the tool's name, its arguments and its command."""
    assert list(touched(use(name, given, dialect=dialect))) == found


def test_a_failed_edit_changed_nothing() -> None:
    """The list of files must not say that it did."""
    assert list(touched(use("Edit", {"file_path": "a.py"}, failed=True))) == [("a.py", "change failed")]
    assert list(touched(use("Read", {"file_path": "a.py"}, failed=True))) == [("a.py", "read")]


@pytest.mark.parametrize(
    ("name", "given", "looks"),
    [
        ("Read", {"file_path": "a.py"}, True),
        ("Edit", {"file_path": "a.py"}, False),
        ("Bash", {"command": "cat a.py | head -5"}, True),
        ("Bash", {"command": "cat a.py && make"}, False),
        ("Bash", {"command": "tail -n 5 service.log"}, False),
        ("Bash", {"command": "cat > a.py <<EOF"}, False),
        ("Bash", {"command": "FOO=1 grep -rn error src"}, True),
    ],
)
def test_some_calls_only_look(name: str, given: dict[str, Any], looks: bool) -> None:  # noqa: FBT001 - parametrised
    """Words such as `error` in the file that was looked at are no errors of the call; those in a log are."""
    assert is_look(use(name, given)) is looks


@pytest.mark.parametrize(
    ("name", "given", "run"),
    [
        ("Bash", {"command": "ls"}, "ls"),
        ("execute_bash", {"cmd": "ls"}, "ls"),
        ("shell", {"command": ["bash", "-lc", "ls -l"]}, "ls -l"),
        ("container.exec", {"command": ["ls", "-l"]}, "ls -l"),
        ("Read", {"command": "ls"}, None),
        ("Bash", {"script": 3}, None),
    ],
)
def test_a_shell_runs_a_command(name: str, given: dict[str, Any], run: str | None) -> None:
    """A tool that is no shell runs none, whatever its arguments are called."""
    assert command(use(name, given)) == run
