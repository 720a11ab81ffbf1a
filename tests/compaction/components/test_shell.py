"""Command lines, as far as they are plain."""

from __future__ import annotations

import pytest

from cgcli.compaction.components.shell import MOST_CHARS, simple_commands, written_paths


def words(line: str) -> list[tuple[str, ...]] | None:
    """The words of each program."""
    commands = simple_commands(line)
    return None if commands is None else [command.words for command in commands]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("ls -l", [("ls", "-l")]),
        ("", []),
        ("  \n ", []),
        ("cd a && make test; echo $?", [("cd", "a"), ("make", "test"), ("echo", "$?")]),
        ("a | b |& c || d & e", [("a",), ("b",), ("c",), ("d",), ("e",)]),
        ("echo 'a b' \"c d\" e\\ f", [("echo", "a b", "c d", "e f")]),
        ("echo a'b'\"c\"d", [("echo", "abcd")]),
        ('echo "a \\"b\\" \\$x"', [("echo", 'a "b" $x')]),
        ("make # all of it\nls", [("make",), ("ls",)]),
        ("echo a#b", [("echo", "a#b")]),
        ("make \\\n  test", [("make", "test")]),
        ("X=1 Y=2 make", [("make",)]),
        ("sudo -E timeout -k 5 60 nice make all", [("make", "all")]),
        ("sudo", [("sudo",)]),
        ("(cd a; make)", [("cd", "a"), ("make",)]),
        ("x=$(make -s)", [(), ("make", "-s")]),
        ("{ make; }", [("make",)]),
        ("echo ${A}{b,c}", [("echo", "${A}{b,c}")]),
        ("make 2>&1 >out.log <in.txt", [("make",)]),
        ("make &> out.log", [("make",)]),
        ("python - <<'EOF'\nprint(\"it's\")\nEOF\nls", [("python", "-"), ("ls",)]),
        ("cat <<-END | grep x\n\tit's\n\tEND\nls", [("cat",), ("grep", "x"), ("ls",)]),
        ("cat <<A <<B\nit's\nA\nit's\nB\nls", [("cat",), ("ls",)]),
        ("grep x <<< 'a b'", [("grep", "x")]),
        ("echo 'open", None),
        ('echo "open', None),
        ("echo \\", None),
        ("x" * (MOST_CHARS + 1), None),
    ],
)
def test_line_is_read_as_a_shell_reads_it(line: str, found: list[tuple[str, ...]] | None) -> None:
    """Words without quotes; what cannot be read says so."""
    assert words(line) == found


def test_what_is_assigned_and_piped_is_told() -> None:
    """Beside the words."""
    commands = simple_commands("A=1 make | tee -a log\ncat")
    assert commands is not None
    assert [(one.program, one.assigned, one.is_piped) for one in commands] == [
        ("make", ("A=1",), False),
        ("tee", (), True),
        ("cat", (), False),
    ]


@pytest.mark.parametrize(
    ("line", "folder", "paths"),
    [
        ("echo a > b.txt", None, ("b.txt",)),
        ("echo a > b.txt", "/x", ("/x/b.txt",)),
        ("echo a > /y/b.txt", "/x", ("/y/b.txt",)),
        ("cd /x && echo a >> ../b.txt", None, ("/b.txt",)),
        ("cd sub && echo a > b.txt", "/x", ("/x/sub/b.txt",)),
        ("cd && echo a > b.txt", "/x", ("b.txt",)),
        ("make > /dev/null 2>&1", None, ()),
        ("make 2> err.log", None, ("err.log",)),
        ("make >&2", None, ()),
        ("make >| a", None, ("a",)),
        ("tee -a x y", None, ("x", "y")),
        ("sed -i s/a/b/ x", None, ("x",)),
        ("sed -i'' -e s/a/b/ x", None, ("x",)),
        ("sed --in-place s/a/b/ x y", None, ("x", "y")),
        ("sed -n 1,5p x", None, ()),
        ("mv a b", None, ("a", "b")),
        ("cp a b c", None, ("c",)),
        ("rm -rf a b", None, ("a", "b")),
        ("git checkout main", None, ("main",)),
        ("git checkout -- a b", None, ("a", "b")),
        ("git restore a", None, ("a",)),
        ("git add a", None, ()),
        ("git", None, ()),
        ("patch a", None, ("a",)),
        ("truncate -s 0 a", None, ("a",)),
        ("cat a", None, ()),
        ("python make.py a", None, ()),
    ],
)
def test_written_files_are_those_that_the_words_name(line: str, folder: str | None, paths: tuple[str, ...]) -> None:
    """A branch's name is among them: no file that was read has it."""
    commands = simple_commands(line)
    assert commands is not None
    assert written_paths(commands, folder) == paths


@pytest.mark.parametrize("piece", ["'", '"', "\\", "a", " ", "<<", "<<A\n", "(", "&", "|", ">", "\n", "#", "$(", "{ "])
def test_hostile_line_is_read_in_linear_time(piece: str) -> None:
    """As long as a line may be; twice as long takes about twice as long at most."""
    from time import process_time  # noqa: PLC0415 - only here

    def seconds(n_chars: int) -> float:
        began = process_time()
        simple_commands((piece * n_chars)[:n_chars])
        return process_time() - began

    assert seconds(MOST_CHARS) < 2
