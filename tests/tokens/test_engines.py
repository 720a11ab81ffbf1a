"""The faster engine counts only where it agrees with the reference."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cgcli.tokens import Counter
from cgcli.tokens.engines import first_disagreement
from cgcli.tokens.known_counts import KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

    import tiktoken

needs_splintr = pytest.mark.skipif(
    find_spec("splintr") is None, reason="the extra `fast` (splintr-rs) is not installed"
)


@pytest.mark.parametrize("i_known", range(len(KNOWN)))
def test_known_counts_are_tiktokens(i_known: int, genuine: Callable[[str], tiktoken.Encoding]) -> None:
    """Each literal that engines are checked against is what tiktoken's own encodings give."""
    text, counts = KNOWN[i_known]
    found = {name: len(genuine(name).encode_ordinary(text)) for name in ("o200k_base", "cl100k_base")}
    assert dict(counts) == found


def test_check_finds_an_engine_that_takes_special_tokens(genuine: Callable[[str], tiktoken.Encoding]) -> None:
    """An engine that is right but for spelled-out special tokens does not pass."""
    encoding = genuine("o200k_base")

    def count(text: str) -> int:
        return len(encoding.encode(text, allowed_special="all"))

    assert first_disagreement("o200k_base", count) == "<|endoftext|>"


def test_check_passes_the_reference(vocabulary: str, genuine: Callable[[str], tiktoken.Encoding]) -> None:
    """The encoding of the vocabulary itself has no disagreement, that of the other has one."""
    encoding = genuine(vocabulary)
    other = next(name for name in ("o200k_base", "cl100k_base") if name != vocabulary)
    assert first_disagreement(vocabulary, lambda text: len(encoding.encode_ordinary(text))) is None
    assert first_disagreement(other, lambda text: len(encoding.encode_ordinary(text))) is not None


_pieces = st.sampled_from(
    ["def f(x):", "\n", "    ", "\t", "don't", "CAN'T", "HTTP", "\\u00e9", "中文", "😀", "—", "12345"]
)


@needs_splintr
@settings(max_examples=300, deadline=None)
@given(text=st.one_of(st.text(max_size=200), st.lists(_pieces, max_size=40).map("".join)))
def test_splintr_agrees(genuine: Callable[[str], tiktoken.Encoding], vocabulary: str, text: str) -> None:
    """For any text splintr's count is that of tiktoken's own encoding."""
    expected = len(genuine(vocabulary).encode_ordinary(text))
    assert Counter.count(_splintr(vocabulary), text) == expected


@needs_splintr
@pytest.mark.parametrize(("text", "expected"), [("\ud800", 1), ("\ud83d\ude00", 1), ("a\ud800b", 3)])
def test_splintr_reads_lone_surrogates_as_tiktoken_does(text: str, expected: int) -> None:
    """Surrogates, which splintr does not accept, have tiktoken's counts (0.14.0, o200k_base)."""
    assert _splintr("o200k_base").count(text) == expected


@needs_splintr
def test_auto_takes_splintr() -> None:
    """Where splintr is installed and agrees, it counts."""
    fresh = Counter("cl100k_base")
    fresh.count("a")
    assert fresh.engine == "splintr"


_made: dict[str, Counter] = {}


def _splintr(vocabulary: str) -> Counter:
    return _made.setdefault(vocabulary, Counter(vocabulary, engine="splintr"))


_FAKE = """
import sys, types
class Tokenizer:
    @staticmethod
    def from_pretrained(name):
        return Tokenizer()
    def encode_ordinary(self, text):
        {body}
sys.modules["splintr"] = types.SimpleNamespace(Tokenizer=Tokenizer)
"""
_ABSENT = "import sys; sys.modules['splintr'] = None"
UNUSABLE = {
    "absent": (_ABSENT, "splintr is not installed"),
    "miscounts": (
        _FAKE.format(body="return [0] * len(text)"),
        "splintr does not count o200k_base as tiktoken does: 'Hello, world'",
    ),
    "raises": (_FAKE.format(body="raise RuntimeError('no table')"), "splintr cannot be used: no table"),
    "other-interface": (
        "import sys, types; sys.modules['splintr'] = types.SimpleNamespace()",
        "splintr cannot be used: 'types.SimpleNamespace' object has no attribute 'Tokenizer'",
    ),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_unusable_splintr_is_replaced_or_refused(name: str) -> None:
    """`auto` then counts with tiktoken; `splintr` by name is an error that says why."""
    prepare, message = UNUSABLE[name]
    script = f"""
{prepare}
from cgcli.tokens import Counter, EngineUnusable
auto = Counter("o200k_base")
print(auto.count("Hello, world"), auto.engine)
try:
    Counter("o200k_base", engine="splintr").count("a")
except EngineUnusable as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == f"3 tiktoken\n{message}\n"
