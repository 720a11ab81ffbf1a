"""The packed vocabularies are the published ones."""

from __future__ import annotations

import base64
import gzip
import hashlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cgcli.errors import UsageError
from cgcli.tokens.vocabulary import DATA, PATTERNS, SUFFIX, base, pack, ranks, unpack

if TYPE_CHECKING:
    from collections.abc import Callable

    import tiktoken

PUBLISHED = {
    "o200k_base": ("446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 199_998),
    "cl100k_base": ("223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", 100_256),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_packed_vocabulary_gives_back_the_published_file(name: str) -> None:
    """Written as a `.tiktoken` file, the packed tokens have OpenAI's published sha256."""
    sha256, n_tokens = PUBLISHED[name]
    text = published_text(name)
    assert text.count(b"\n") == n_tokens
    assert hashlib.sha256(text).hexdigest() == sha256


def test_packed_vocabularies_are_small() -> None:
    """Both together add less than 1.4 MB to the wheel."""
    assert sum(path.stat().st_size for path in DATA.glob(f"*{SUFFIX}")) < 1_400_000
    assert {path.name for path in DATA.glob(f"*{SUFFIX}")} == {name + SUFFIX for name in PUBLISHED}


def test_pattern_is_tiktokens(vocabulary: str, genuine: Callable[[str], tiktoken.Encoding]) -> None:
    """The split pattern is, character by character, the one of tiktoken's own encoding."""
    assert genuine(vocabulary)._pat_str == PATTERNS[vocabulary]


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("o200k_base", "o200k_base"), ("cl100k_base", "cl100k_base"), ("o200k_harmony", "o200k_base")],
)
def test_base_names_the_vocabulary(encoding: str, expected: str) -> None:
    """`o200k_harmony` has the ranks of `o200k_base`."""
    assert base(encoding) == expected


def test_harmony_differs_in_special_tokens_only(genuine: Callable[[str], tiktoken.Encoding]) -> None:
    """In tiktoken itself `o200k_harmony` has the ranks and the pattern of `o200k_base`."""
    harmony, plain = genuine("o200k_harmony"), genuine("o200k_base")
    assert harmony._pat_str == plain._pat_str
    assert harmony._mergeable_ranks == plain._mergeable_ranks


def test_unknown_encoding_is_a_usage_error() -> None:
    """An encoding that the package does not have is named, with those that it has."""
    with pytest.raises(UsageError, match="p50k_base") as caught:
        base("p50k_base")
    assert caught.value.hint == "one of cl100k_base, o200k_base, o200k_harmony"


def published_text(name: str) -> bytes:
    """The `.tiktoken` file of *name*: base64 of the token, blank, rank, one a line."""
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks(name).items())
    return b"".join(lines)


SEPARATOR = b"\xff"
_tokens = st.lists(
    st.binary(min_size=1, max_size=8).filter(lambda token: SEPARATOR not in token), unique=True, max_size=40
)


@given(tokens=_tokens, position=st.integers(min_value=0, max_value=40))
def test_unpack_reverses_pack(tokens: list[bytes], position: int) -> None:
    """Wherever the separator's own token stands, first and last too, the same tokens come back."""
    given_tokens = [*tokens[:position], SEPARATOR, *tokens[position:]]
    assert unpack(pack(given_tokens)) == given_tokens


@pytest.mark.parametrize(
    "tokens",
    [[b"a", b"b"], [b"a", b"\xff", b"x\xff"], [b"a", b"", b"\xff"], [b"a", b"a", b"\xff"]],
    ids=["no-separator", "separator-inside", "empty", "double"],
)
def test_pack_refuses_what_would_not_come_back(tokens: list[bytes]) -> None:
    """Tokens that the format cannot hold are refused, not packed wrong."""
    with pytest.raises(ValueError, match="cannot be packed"):
        pack(tokens)


ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "fixtures" / "build" / "pack_vocabularies.py"


def _packed_by_script(source: Path, out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(source), str(out)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_script_packs_the_published_files(tmp_path: Path) -> None:
    """From the published files, plain or gzipped, the script makes the vocabularies that are shipped."""
    (tmp_path / "o200k_base.tiktoken").write_bytes(published_text("o200k_base"))
    (tmp_path / "cl100k_base.tiktoken.gz").write_bytes(gzip.compress(published_text("cl100k_base"), 1))
    done = _packed_by_script(tmp_path, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for name in PUBLISHED:  # the zlib may be another one, so what it holds is compared
        assert unpack((tmp_path / (name + SUFFIX)).read_bytes()) == list(ranks(name))


def test_script_refuses_other_files(tmp_path: Path) -> None:
    """A file that is not the published one is refused, and nothing is written."""
    (tmp_path / "o200k_base.tiktoken").write_bytes(published_text("o200k_base")[:-1])
    done = _packed_by_script(tmp_path, tmp_path)
    assert done.returncode == 1
    assert "is not the published one" in done.stderr
    assert not list(tmp_path.glob(f"*{SUFFIX}"))
