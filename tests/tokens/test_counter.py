"""Counts are tiktoken's, made offline, with nothing loaded before the first."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.errors import UsageError
from cgcli.tokens import Counter, counter

if TYPE_CHECKING:
    from collections.abc import Callable

    import tiktoken

# Counted once with tiktoken 0.14.0, `len(tiktoken.get_encoding(name).encode_ordinary(text))`.
LITERALS = [
    ("", 0, 0),
    (" ", 1, 1),
    ("tiktoken is great!", 6, 6),
    ("antidisestablishmentarianism", 6, 6),
    ("2 + 2 = 4", 7, 7),
    ("お誕生日おめでとう", 8, 9),
    ("<|endoftext|>", 7, 7),
    ("\ud800", 1, 1),
    ("\ud83d\ude00", 1, 2),
    ("    return {\n        'a': 1,\n    }\n", 12, 12),
]


@pytest.mark.parametrize(("text", "o200k", "cl100k"), LITERALS)
def test_count_is_tiktokens(text: str, o200k: int, cl100k: int) -> None:
    """The counts of both vocabularies are the ones that tiktoken gave."""
    assert Counter("o200k_base", engine="tiktoken").count(text) == o200k
    assert counter("cl100k_base", engine="tiktoken").count(text) == cl100k


_pieces = st.sampled_from(
    [
        "def f(x):",
        "\n",
        "\r\n",
        "    ",
        "\t",
        "don't",
        "HTTP",
        '{"a": [1, 2.5e-7]}',
        "\\n\\t",
        "中文",
        "😀",
        "—",
        "/",
        "12345",
    ]
)
_texts = st.one_of(
    st.text(max_size=200),
    st.text(st.characters(), max_size=60),
    st.lists(_pieces, max_size=40).map("".join),
)


@settings(max_examples=300, deadline=None)
@given(text=_texts)
def test_count_equals_tiktokens_own_encoding(
    genuine: Callable[[str], tiktoken.Encoding], vocabulary: str, text: str
) -> None:
    """For any text the count is the length of what tiktoken's own encoding gives."""
    expected = len(genuine(vocabulary).encode_ordinary(text))
    assert counter(vocabulary, engine="tiktoken").count(text) == expected


def test_counter_is_shared_by_encoding() -> None:
    """A vocabulary is loaded once: the same arguments, or ranks, give the same counter."""
    assert counter("o200k_base") is counter()
    assert counter("o200k_harmony") is counter("o200k_base")
    assert counter("cl100k_base") is not counter("o200k_base")


def test_engine_is_named_after_the_first_count() -> None:
    """Before a count no engine is in use; after it, its name is known."""
    fresh = Counter("cl100k_base", engine="tiktoken")
    assert fresh.engine is None
    fresh.count("a")
    assert fresh.engine == "tiktoken"


def test_unknown_encoding_is_refused_at_once() -> None:
    """A wrong encoding is an error where it is named, not at the first count."""
    with pytest.raises(UsageError, match="unknown encoding"):
        counter("gpt2")


def _run(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60).stdout


def test_import_and_construction_load_nothing() -> None:
    """Importing the package and making a counter load neither a tokenizer nor a vocabulary."""
    script = """
import sys
import cgcli.tokens
made = cgcli.tokens.counter("o200k_base")
print(sorted({"tiktoken", "splintr", "requests", "regex"} & set(sys.modules)), made.engine)
"""
    assert _run(script) == "[] None\n"


@pytest.mark.parametrize("engine", ["tiktoken", "auto"])
def test_count_opens_no_socket(engine: str) -> None:
    """With sockets that cannot be made, and no cache of tiktoken's, both vocabularies count."""
    script = f"""
import os, socket
class Refusing(socket.socket):
    def __init__(self, *args, **kwargs):
        raise AssertionError("a socket was opened")
socket.socket = Refusing
os.environ["TIKTOKEN_CACHE_DIR"] = os.devnull + "/none"
from cgcli.tokens import counter
print([counter(name, engine="{engine}").count("Hello, world") for name in ("o200k_base", "cl100k_base")])
"""
    assert _run(script) == "[3, 3]\n"
