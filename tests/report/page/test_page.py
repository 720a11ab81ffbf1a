"""The whole page, as a parser sees it."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.extensions.single_file import SingleFileSnapshotExtension

from cgcli.report.page import page
from tests.report.page.hostile import SHOWN, hostile
from tests.report.page.made import arm, document, file, nothing_compared, session, totals, turn
from tests.report.page.pages import Parsed

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

SMALL = session(16, 3, lines=4)


class _Html(SingleFileSnapshotExtension):
    file_extension = "html"


def _without_assets(html: str) -> bytes:
    """*html* without the style, the scripts and their digests: what is made from the document."""
    shorter = re.sub(r"<style>.*?</style>", "<style></style>", html, flags=re.DOTALL)
    shorter = re.sub(r"<script>.*?</script>", "<script></script>", shorter, flags=re.DOTALL)
    return re.sub(r"'sha256-[^']*'", "'sha256'", shorter).encode()


def test_the_page_of_a_small_session(snapshot: SnapshotAssertion) -> None:
    """Byte for byte what was looked at and found right."""
    assert _without_assets(page(document([SMALL]))) == snapshot.use_extension(_Html)


def test_the_same_document_gives_the_same_page() -> None:
    """Byte for byte."""
    assert page(document([session(9, 3)])) == page(document([session(9, 3)]))


def test_the_policy_of_the_page_is_that_of_its_scripts() -> None:
    """Each script and the style run by their own sha256, and the data is no script."""
    parsed = Parsed(page(document([SMALL])))
    texts = [text for attributes, text in parsed.scripts if not attributes] + [parsed.style]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]

    assert re.findall(r"'sha256-([^']*)'", parsed.policy) == digests
    assert parsed.policy.startswith("default-src 'none'; ")
    assert [attributes.get("type") for attributes, _text in parsed.scripts] == ["application/json", None, None]


def test_nothing_in_the_page_has_an_address() -> None:
    """No tag names anything to load, and no tag has a style or a handler of its own."""
    parsed = Parsed(page(document([SMALL])))
    names = {name for _tag, given in parsed.tags for name in given}
    links = {given["href"] for _tag, given in parsed.tags if given.get("href")}

    assert not names & {"src", "srcset", "action", "style"}
    assert not any(name.startswith("on") for name in names)
    assert links
    assert all((link or "").startswith("#") for link in links)


def test_hostile_text_is_text() -> None:
    """In every field: the tags are those of the same page with harmless text, and the text is seen."""
    both = [page(hostile(document([SMALL], failed=_FAILED), text)) for text in ("a", "<b>\"'&\u202e")]
    tags = [[tag for tag, _given in Parsed(html).tags] for html in both]
    html = Parsed(page(hostile(document([SMALL], failed=_FAILED))))

    assert tags[0] == tags[1]
    assert SHOWN in html.text
    assert SHOWN in html.data["files"][0]["lanes"][0][0]
    assert not re.search("[\u202e\x00\x1b\u2028]", html.text)


_FAILED = [{"file": "x.jsonl", "error": "no request in it", "hint": None}]


@settings(max_examples=15, deadline=None)
@given(st.text(st.characters(), max_size=30))
def test_any_text_keeps_the_page_whole(text: str) -> None:
    """The parser finds what it finds in the same page with another text, and the page can be written."""
    html = page(hostile(document([file([arm("off"), arm("safe")])]), text))
    plain = Parsed(page(hostile(document([file([arm("off"), arm("safe")])]), "a")))

    assert [tag for tag, _given in Parsed(html).tags] == [tag for tag, _given in plain.tags]
    assert html.encode("utf-8")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"usd": None, "off_difference_usd": None, "break_even": "unpriced"}, "unpriced"),
        ({"hit_rate": None}, "not simulated"),
        ({"simulated_requests": 0, "read_tokens": 0, "hit_rate": None}, "not simulated"),
        ({"output_tokens": 0}, "not recorded"),
    ],
)
def test_what_is_not_known_is_a_state(fields: dict[str, Any], said: str) -> None:
    """A word, and no figure; it sorts as nothing."""
    html = page(document([file([arm("off"), arm("mask", totals=totals(**fields))])]))

    assert re.search(rf'<td class="figure state[^"]*" data-sort="">{said}</td>', html)


def test_all_files_together_come_first() -> None:
    """With a picker, the totals, and the file that could not be replayed."""
    files = [file([arm("off"), arm("mask")], file=f"{name}.jsonl") for name in "ab"]
    total = {"off": totals(usd="2"), "mask": totals(usd="1", requests_changed=1)}
    failed = [{"file": "c.jsonl", "error": "line 3: no JSON", "hint": "see `cg inspect c.jsonl`"}]
    parsed = Parsed(page(document(files, total=total, failed=failed)))
    options = [given["value"] for tag, given in parsed.tags if tag == "option"]
    articles = [given["id"] for tag, given in parsed.tags if tag == "article"]

    assert options[:3] == ["all", "f0", "f1"]
    assert articles == ["all", "f0", "f1"]
    assert "mask is cheapest: $1.00, $1.00 (50.0 %) less than off." in parsed.text
    assert "c.jsonl: line 3: no JSON Try: see `cg inspect c.jsonl`" in parsed.text


def test_a_self_check_that_differs_says_so() -> None:
    """Unexplained turns are a failure, and where nothing was compared nothing is known."""
    check = session(20, 2)["self_check"]
    shown = [
        Parsed(page(document([file([arm("off")], self_check=one)]))).text
        for one in (check, check | {"unexplained": 2, "assumed_marks": True}, nothing_compared())
    ]

    assert ["agrees" in shown[0], "differs" in shown[1], "not known" in shown[2]] == [True] * 3
    assert "4 of 6 compared turns exact" in shown[0]
    assert "1 explained (expired 1), 1 provider-side, 2 unexplained. Left out: no usage 1, aborted 13." in shown[1]
    assert "each counts as marked at its end" in shown[1]
    assert "Left out: no usage 3." in shown[2]


def test_a_line_that_lies_under_another_is_told() -> None:
    """The policy whose dollars are the same after every turn is named beside it."""
    other = [turn(i, cumulative_usd="1") for i in range(3)]
    made = document([file([arm("off"), arm("safe"), arm("mask", turns=other), arm("house", turns=other)])])
    labels = Parsed(page(made)).text

    assert [f"{name} (as " in labels for name in ("off", "safe", "mask", "house")] == [False, True, False, True]
    assert "house (as mask)" in labels


def test_texts_that_were_cut_are_told() -> None:
    """In the notes, with the length."""
    edits = [{"path": "m", "component": "mask", "before_tokens": 1, "after_tokens": 1, "cut": True}]
    long = [turn(i, edits=[edits[0] | {"before": f"{i}" * 4_000, "after": ""}]) for i in range(10, 500)]

    assert "cut to 2,000 characters" in Parsed(page(document([file([arm("off", turns=long)])]))).text


def test_a_long_session_is_a_small_page() -> None:
    """201 turns under ten policies: below 3 MB."""
    assert len(page(document([session(201, 10, lines=60)])).encode()) < 3_000_000
