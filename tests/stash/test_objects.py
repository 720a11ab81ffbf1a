"""Finding an object by what a person or a request has of its digest."""

from pathlib import Path

import pytest

from cgcli.errors import StashMiss
from cgcli.stash.store import Stash

HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"


@pytest.fixture
def stash(tmp_path: Path) -> Stash:
    """A stash with one object."""
    with Stash.open(tmp_path, create=True) as stash:
        stash.put(b"hello")
        stash.commit()
    return stash


@pytest.mark.parametrize(
    "short",
    [
        "<<cg:2cf24dba5fb0a30e>>",
        " <<cg:2CF24DBA5FB0A30E>>\n",
        r"\u003c\u003ccg:2cf24dba5fb0a30e\u003e\u003e",
        r"\u003C\u003Ccg:2cf24dba5fb0a30e\u003E\u003E",
        "2cf24dba5fb0a30e",
        "2CF24dba5fb0a30e",
        "2cf2",
        HELLO,
    ],
)
def test_resolve_accepts_every_spelling(stash: Stash, short: str) -> None:
    """Markers in both spellings, keys and beginnings of a digest mean the object, in any case."""
    assert stash.resolve(short) == HELLO


@pytest.mark.parametrize("short", ["", "2cf", "hello", "<<cg:HASH>>", "<<cg:2cf2", "../2cf2", "2cf2*", HELLO + "0"])
def test_resolve_refuses_what_is_no_key(stash: Stash, short: str) -> None:
    """Too short, cut or otherwise no beginning of a digest: a miss that says what to give."""
    with pytest.raises(StashMiss, match="not a marker") as caught:
        stash.resolve(short)
    assert "hex digits" in (caught.value.hint or "")


@pytest.mark.parametrize("short", ["2cf3", "ffff", "<<cg:2cf24dba5fb0a30f>>"])
def test_resolve_says_where_it_looked(stash: Stash, short: str) -> None:
    """A miss names the stash and the command that lists it."""
    with pytest.raises(StashMiss, match="nothing in the stash") as caught:
        stash.resolve(short)
    assert caught.value.where == str(stash.root)
    assert "cg stash ls" in (caught.value.hint or "")


def test_an_ambiguous_beginning_lists_the_candidates(stash: Stash) -> None:
    """Two objects that begin alike are both named, and neither is chosen."""
    pair = (b"cg 73", b"cg 189")  # both digests begin with b4ad: sha256sum tells
    with stash:
        digests = sorted(stash.put(content) for content in pair)
        stash.commit()
    with pytest.raises(StashMiss, match="2 objects begin with b4ad") as caught:
        stash.resolve("b4ad")
    assert all(digest in caught.value.message for digest in digests)
    assert stash.resolve(digests[0]) == digests[0]


def test_temporary_and_foreign_files_are_no_objects(stash: Stash) -> None:
    """A file among the objects whose name is no digest is neither listed nor found."""
    (stash.root / "objects/2c/f2x").write_text("")
    (stash.root / "objects/README").write_text("")
    assert [one.digest for one in stash.ls()] == [HELLO]
    assert stash.resolve("2cf2") == HELLO
