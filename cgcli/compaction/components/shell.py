"""A command line as a shell would read it, as far as that is plain: programs, their words, the files they write."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from cgcli.model import value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

MOST_CHARS = 20_000
"""A longer command line is a program of its own: nothing is said about it."""

_HEREDOC = re.compile(r"<<-?[ \t]{0,9}(['\"]?)([A-Za-z_]\w{0,63})\1(?=[\s;|&)>]|$)")
# Alternatives that begin with different characters, each with a bounded or possessive rest: linear time.
_TOKEN = re.compile(
    r"(?P<space>[ \t]++|\\\n)"
    r"|(?P<comment>(?<![^\s;|&(])#[^\n]*+)"
    r"|(?P<redirect>&>>?|\d?>>|\d?>\||\d?>&\d?-?|\d?>|<<<|<)"
    r"|(?P<operator>&&|\|[|&]?|;;?|&|\n|[()]|[{}](?=[\s;)]|$))"
    r"|(?P<single>'[^']*+')"
    r"|(?P<double>\"(?:[^\"\\]|\\.)*+\")"
    r"|(?P<escape>\\.)"
    r"|(?P<plain>[^\s'\"\\;|&<>()]+)",
    re.DOTALL,
)
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_WRAPPERS = frozenset("sudo time timeout nohup nice env stdbuf command exec xvfb-run unbuffer ionice".split())
_SET_APART = frozenset({"&1", "&2", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-"})


@value
class Simple:
    """One program with its words."""

    words: tuple[str, ...]
    """Unquoted; without wrappers (`sudo`, `timeout 60`), assignments and redirections."""
    assigned: tuple[str, ...]
    """What is assigned for it: `CI=1`."""
    targets: tuple[str, ...]
    """Files that its output is redirected to."""
    is_piped: bool
    """It reads what the program before it wrote."""

    @property
    def program(self) -> str:
        """Its name without folders; empty where there is none, as in `X=1` and `> a`."""
        return posixpath.basename(self.words[0]) if self.words else ""


def simple_commands(line: str) -> tuple[Simple, ...] | None:
    """The programs of the command *line*, in order; None where it cannot be read (an open quote, too long)."""
    if len(line) > MOST_CHARS:
        return None
    tokens = _tokens(_without_heredocs(line))
    return None if tokens is None else tuple(_grouped(tokens))


def written_paths(commands: Sequence[Simple], folder: str | None = None) -> tuple[str, ...]:
    """The files that *commands* plainly write, move or remove; relative ones under *folder*, where that is known.

    Only what the words themselves name: what a script or `git apply` writes is not among them.
    """
    found: list[str] = []
    for command in commands:
        if command.program == "cd":
            folder = _joined(folder, command.words[1]) if len(command.words) > 1 else None
            continue
        found += [_joined(folder, path) for path in command.targets]
        operands = _WRITERS.get(command.program)
        if operands is not None:
            found += [_joined(folder, path) for path in operands(command.words[1:])]
    return tuple(dict.fromkeys(found))


def _tokens(line: str) -> list[tuple[str, str]] | None:
    """(kind, text) for each word, redirection and operator; words are unquoted, what touches is one word."""
    found: list[tuple[str, str]] = []
    position, joins = 0, False
    while position < len(line):
        match = _TOKEN.match(line, position)
        if match is None:
            return None
        position = match.end()
        kind, text = match.lastgroup or "", match[0]
        if kind in ("space", "comment", "operator", "redirect"):
            joins = False
            if kind in ("operator", "redirect"):
                found.append((kind, text))
            continue
        word = _unquoted(kind, text)
        if joins:
            found[-1] = ("word", found[-1][1] + word)
        else:
            found.append(("word", word))
        joins = True
    return found


def _unquoted(kind: str, text: str) -> str:
    if kind == "single":
        return text[1:-1]
    if kind == "double":
        return re.sub(r'\\([\\"$`])', r"\1", text[1:-1])
    return text[1:] if kind == "escape" else text


def _grouped(tokens: list[tuple[str, str]]) -> Iterator[Simple]:
    words: list[str] = []
    targets: list[str] = []
    is_piped = False
    redirecting = ""
    for kind, text in [*tokens, ("operator", "\n")]:
        if kind == "word" and redirecting:
            targets += [text] if ">" in redirecting and text not in _SET_APART else []
            redirecting = ""
        elif kind == "word":
            words.append(text)
        elif kind == "redirect":
            redirecting = "" if ">&" in text and text[-1] != "&" else text
        else:
            if words or targets:
                assigned, program = _unwrapped(words)
                yield Simple(words=program, assigned=assigned, targets=tuple(targets), is_piped=is_piped)
                is_piped = False
                words, targets = [], []
            is_piped = is_piped if text == "\n" and not words else text in ("|", "|&")
            redirecting = ""


def _unwrapped(words: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What *words* assign, and the words from the program on that does the work."""
    assigned = []
    at = 0
    while at < len(words):
        if _ASSIGNED.match(words[at]):
            assigned.append(words[at])
            at += 1
        elif posixpath.basename(words[at]) in _WRAPPERS and at + 1 < len(words):
            at += 1
            while at + 1 < len(words) and (words[at].startswith("-") or _DURATION.fullmatch(words[at])):
                at += 1
        else:
            break
    return tuple(assigned), tuple(words[at:])


def _without_heredocs(line: str) -> str:
    """*line* without the bodies of its here-documents."""
    if "<<" not in line:
        return line
    kept: list[str] = []
    ends: list[str] = []
    for row in line.split("\n"):
        if ends:
            if row.strip("\t ") == ends[0]:
                ends.pop(0)
            continue
        ends += [match[2] for match in _HEREDOC.finditer(row)]
        kept.append(_HEREDOC.sub(" ", row))
    return "\n".join(kept)


def _joined(folder: str | None, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path) if folder else path)


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def _in_place(words: Sequence[str]) -> list[str]:
    """The files of `sed -i` and `perl -i`: what stands behind the script, or all where `-e` gives that."""
    options = [word for word in words if word.startswith("-") and not word.startswith("--")]
    if not any("i" in word for word in options) and not any(word.startswith("--in-place") for word in words):
        return []
    operands = _operands(words)
    return operands[1:]


def _last(words: Sequence[str]) -> list[str]:
    return _operands(words)[-1:]


def _git(words: Sequence[str]) -> list[str]:
    """The files that `git checkout`, `restore`, `mv` and `rm` name; a branch is no file that anyone read."""
    operands = _operands(words)
    return operands[1:] if operands and operands[0] in ("checkout", "restore", "mv", "rm") else []


_WRITERS: Mapping[str, Callable[[Sequence[str]], list[str]]] = {
    "tee": _operands,
    "sed": _in_place,
    "perl": _in_place,
    "mv": _operands,
    "cp": _last,
    "rm": _operands,
    "patch": _operands,
    "truncate": _last,
    "git": _git,
}
