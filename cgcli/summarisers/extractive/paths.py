"""Which words of a text are paths of files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_CHARS = 200

_WORD = re.compile(r"[^\s\"'`()\[\]{}<>,;|=*?!$&#]++")
"""A path with blanks in it is not found in text."""
_PLACE = re.compile(r"(?::\d{1,9}){1,3}(?::.*)?$|:[^\\/].*$", re.DOTALL)
"""`:12`, `:12:3`, and what a tool writes behind them."""
_NAME = re.compile(r"[\w@+~-][\w.@+~-]*+")
_EXTENSION = re.compile(r"[\w@+~.-]*?[\w~+-]\.([A-Za-z][A-Za-z0-9_]{0,11})")
_DRIVE = re.compile(r"[A-Za-z]:\\")
_KNOWN = frozenset(
    "bash bat c cc cfg clj cmake conf cpp cs css csv cxx dart env ex exs fish go gradle graphql h hpp hs html ini "
    "ipynb java jl js json jsonl jsx kt less lock lua m md mdx mjs ml mm mod nix php pl proto ps1 py pyi pyx r rb rs "
    "rst sass scala scss sh sql svelte svg swift tex tf toml ts tsx txt vue xml yaml yml zig zsh log patch diff".split()
)
"""Endings that make a word without a slash a file."""
_NO_FILES = frozenset("node.js next.js nuxt.js vue.js react.js three.js d3.js express.js console.log".split())
_BARE = frozenset({"Dockerfile", "Makefile", "Justfile", "Gemfile", "Rakefile", "Jenkinsfile", "CMakeLists.txt"})


def paths(text: str, *, bare: bool = True) -> Iterator[str]:
    """The paths in *text*, as they are written there, again each time; without *bare*, only those with a slash."""
    for word in _WORD.finditer(text):
        if word.end() - word.start() <= _LONGEST_CHARS and (path := _path(word[0])):
            is_bare = "/" not in path and "\\" not in path
            is_call = text[word.end() : word.end() + 1] == "("  # `response.json()`
            if not (is_bare and (is_call or not bare)):
                yield path


def is_path(text: str) -> bool:
    """True where all of *text* is a path, blanks in it or not."""
    return 0 < len(text) <= _LONGEST_CHARS and "\n" not in text and text.strip(". /") != ""


def _path(word: str) -> str | None:
    if ("." not in word and "/" not in word and word not in _BARE) or "://" in word:
        return None
    bare = word.rstrip(".:,")
    if _DRIVE.match(bare):
        return bare
    bare = _PLACE.sub("", bare)
    for prefix in ("a/", "b/"):  # a diff's
        if bare.startswith(prefix):
            bare = bare.removeprefix(prefix)
    return bare if _is_file(bare) else None


def _is_file(word: str) -> bool:
    steps = word.split("/")
    last = steps[-1]
    if len(steps) == 1:
        ending = _EXTENSION.fullmatch(word)
        return word in _BARE or (ending is not None and ending[1] in _KNOWN and word.lower() not in _NO_FILES)
    if word.startswith("/dev/"):
        return False
    inner = steps[1:] if steps[0] in ("", ".", "..", "~") else steps
    if not inner or not all(_NAME.fullmatch(step) or step in (".", "..") for step in inner[:-1]):
        return False
    if not _NAME.fullmatch(last):
        return last == "" and word.startswith(("/", "./", "~/")) and len(inner) > 2  # noqa: PLR2004 - `/a/b/`
    is_file = last in _BARE or _EXTENSION.fullmatch(last) is not None
    return is_file or (word.startswith(("/", "./", "../", "~/")) and len(inner) > 1 and not last.isdigit())
