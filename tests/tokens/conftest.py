"""tiktoken's own encodings, from `.tiktoken` files rebuilt out of the packed vocabularies: no network."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

import pytest
import tiktoken

from cgcli.tokens.vocabulary import DATA, SUFFIX, unpack

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
VOCABULARIES = ("o200k_base", "cl100k_base")


def published_text(name: str) -> bytes:
    """The `.tiktoken` file of *name*: base64 of the token, blank, rank, one a line."""
    tokens = unpack((DATA / (name + SUFFIX)).read_bytes())
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))


@pytest.fixture(scope="session", params=VOCABULARIES)
def vocabulary(request: pytest.FixtureRequest) -> str:
    """The name of a packed vocabulary."""
    return str(request.param)


@pytest.fixture(scope="session")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tiktoken.Encoding]:
    """`tiktoken.get_encoding`, whose loader finds the files in its cache and checks their sha256 itself."""
    cache = tmp_path_factory.mktemp("tiktoken-cache")
    for name in VOCABULARIES:
        key = hashlib.sha1(URL.format(name).encode(), usedforsecurity=False).hexdigest()
        (cache / key).write_bytes(published_text(name))

    def get(name: str) -> tiktoken.Encoding:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
            return tiktoken.get_encoding(name)

    return get
