"""JSON, script and style inside a page."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cgcli.report.page
from cgcli.report.page.embedding import allowed, embedded, scripts, style

VENDOR = Path(cgcli.report.page.__file__).parent / "vendor"
TEXTS = st.text(st.characters(), max_size=40) | st.sampled_from(
    ["</script>", "<!--", "]]>", "\u2028", "\ud800", "&lt;"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_what_is_embedded_is_read_back(value: object) -> None:
    """The JSON of any value is the value, has nothing in it that HTML could read, and can be written as UTF-8."""
    made = embedded(value)

    assert json.loads(made) == value
    assert not set(made) & set("<>&\u2028\u2029")
    assert made.encode("utf-8")


def test_an_end_of_script_is_spelled_out() -> None:
    """Literally: as escapes of JSON."""
    assert embedded({"a": "</script>&\u2028"}) == '{"a":"\\u003c/script\\u003e\\u0026\\u2028"}'


def test_what_is_no_json_is_refused() -> None:
    """NaN would end the page's script."""
    with pytest.raises(ValueError, match="Out of range"):
        embedded([float("nan")])


def test_the_chart_library_is_the_released_file() -> None:
    """Chart.js 4.6.1, `dist/chart.umd.min.js` of its npm package, and its licence: by their sha256."""
    digests = {
        name: hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() for name in ("chart.umd.min.js", "LICENSE")
    }

    assert digests == {
        "chart.umd.min.js": "87364cc2b2a76a6684929e7d6b80b18a897794db38400caff1fcf1791c6925d2",
        "LICENSE": "41a84aa2caba645f966a18d9c2056b73e6d3a81d80bc0046bc0011a2634d4cce",
    }


def test_the_library_carries_its_licence_and_asks_for_no_source_map() -> None:
    """The licence wants to be in every copy; a map would be a request for a file that is not there."""
    library, own = scripts()

    assert "Permission is hereby granted, free of charge" in library
    assert "Chart.js v4.6.1" in library
    assert "sourceMappingURL" not in library + own


def test_the_policy_allows_these_texts_alone() -> None:
    """Scripts and style by their sha256, nothing else from anywhere."""
    digests = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in (b"one", b"two", b"look")]

    assert allowed(["one", "two"], "look") == (
        f"default-src 'none'; script-src 'sha256-{digests[0]}' 'sha256-{digests[1]}'; style-src 'sha256-{digests[2]}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def test_the_page_has_no_address_to_load_from() -> None:
    """Neither the style nor the page's own script names a host or a file."""
    _library, own = scripts()
    for text in (style(), own):
        assert not any(
            word in text for word in ("url(", "@import", "http:", "https:", "fetch(", "XMLHttpRequest", "import(")
        )


def test_the_page_never_reads_text_as_markup() -> None:
    """Its own script has none of the ways to do so."""
    _library, own = scripts()

    assert not any(
        way in own for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser")
    )
