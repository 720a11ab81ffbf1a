"""Strings in strings and spellings of strings: what is not replaced stays byte for byte."""

from __future__ import annotations

import base64
import json
import re

import pytest

from tests.running import FIXTURES
from tests.scrub.scrubbed import HIDDEN, KEY, MAIL, USER, run, text, value

MARK = "\0"


def matches(spelled: str, made: str, *patterns: str) -> bool:
    """True where *made* is *spelled* with one of *patterns* at each `MARK`, in order."""
    pattern = re.escape(spelled)
    for one in patterns:
        pattern = pattern.replace(re.escape(MARK), one, 1)
    return re.fullmatch(pattern, made) is not None


@pytest.mark.parametrize(
    ("line", "expected", "patterns"),
    [
        (r'{"a":"anna\u0040harbour.io \u003canna@harbour.io\u003e"}', r'{"a":"~ \u003c~\u003e"}', (MAIL, MAIL)),
        (r'{"a":"\/home\/skipper\/x é \u00e9"}', r'{"a":"\/home\/~\/x é \u00e9"}', (USER,)),
        (r'{"a":"C:\\Users\\skipper\\new"}', r'{"a":"C:\\Users\\~\\new"}', (USER,)),
        (r'{"a":"x\nanna@harbour.io\tx"}', r'{"a":"x\n~\tx"}', (MAIL,)),
        (r'{"a":"{\"b\":\"\\nanna@harbour.io\\n\"}"}', r'{"a":"{\"b\":\"\\n~\\n\"}"}', (MAIL,)),
        (
            r'{"a":"data: {\"b\":\"{\\\"x-api-key\\\":\\\"abcdefg\\\"}\"}\n\n"}',
            r'{"a":"data: {\"b\":\"{\\\"x-api-key\\\":\\\"~\\\"}\"}\n\n"}',
            (HIDDEN,),
        ),
        ('{ "a" :\t"/home/skipper" , "n": 1.50e+3 }\r\n', '{ "a" :\t"/home/~" , "n": 1.50e+3 }\r\n', (USER,)),
        (r'{"a":"\ud83d /home/skipper \ud83d\ude00"}', r'{"a":"\ud83d /home/~ \ud83d\ude00"}', (USER,)),
        ('{"a":"/home/skipper","a":"/home/skipper"}', '{"a":"/home/~","a":"/home/~"}', (USER, USER)),
        ('// /home/skipper\n\n{"a":NaN}\n', '// /home/~\n\n{"a":NaN}\n', (USER,)),
        ('{"a":"/home/skipper/x\\n', '{"a":"/home/~/x\\n', (USER,)),
    ],
)  # fmt: skip
def test_escapes_around_it_stay(line: str, expected: str, patterns: tuple[str, ...]) -> None:
    """Escapes, white space, numbers, duplicate keys, comments and cut lines are as they were."""
    made = text(line)
    assert matches(expected.replace("~", MARK), made, *patterns), made


def test_bytes_that_are_no_text_stay() -> None:
    """Invalid UTF-8, a byte-order mark and NUL pass through."""
    data = b'\xef\xbb\xbf{"a":"\xff/home/skipper\xfe\x00"}\n\x80\xff /home/skipper\n'
    made, _ = run(data)
    assert re.fullmatch(rb'\xef\xbb\xbf\{"a":"\xff/home/(user-[0-9a-f]{12})\xfe\x00"\}\n\x80\xff /home/\1\n', made), (
        made
    )


@pytest.mark.parametrize("depth", range(5))
def test_json_in_json_in_json(depth: int) -> None:
    """A secret is found at any depth, and every layer still reads."""
    packed = json.dumps({"x-api-key": "abcdefgh", "t": f"see {KEY}\n", "p": "/home/skipper/x"})
    for _ in range(depth):
        packed = json.dumps({"body": packed})
    made = text(packed)
    for _ in range(depth):
        made = json.loads(made)["body"]
    inner = json.loads(made)
    assert re.fullmatch(HIDDEN, inner["x-api-key"])
    assert re.fullmatch(f"see sk-ant-{HIDDEN}\n", inner["t"])
    assert re.fullmatch(f"/home/{USER}/x", inner["p"])


def _values(packed: bytes) -> list[bytes]:
    """The names and strings in *packed*, which may be cut."""
    return re.findall(rb'"(?:[^"\\]|\\.)*"', packed)


@pytest.mark.parametrize("padding", range(3))
def test_json_in_base64(padding: int) -> None:
    """A packed capture is unpacked, scrubbed and packed again; what is no text is left."""
    inner = json.dumps([{"x-api-key": "abcdefgh", "pad": "x" * (300 + padding)}])
    made = value({"data": base64.b64encode(inner.encode()).decode()})
    assert re.fullmatch(
        f'\\[{{"x-api-key": "{HIDDEN}", "pad": "x+"}}\\]', base64.b64decode(made["data"], validate=True).decode()
    )


def test_base64_that_is_cut_keeps_its_end() -> None:
    """What is left of the last group stays."""
    whole = base64.b64encode(json.dumps({"x-api-key": "abcdefgh", "pad": "é" * 300}).encode()).decode()
    cut = whole[:-7]
    made = value([cut], keep_length=True)[0]
    assert len(made) == len(cut)
    assert made != cut
    assert made[-40:] == cut[-40:]


def test_the_pages_of_claude_trace() -> None:
    """The pairs that a page holds in base64 are scrubbed too."""
    pages = sorted((FIXTURES / "claude-trace-html").glob("*.html"))
    assert pages
    for page in pages:
        data = page.read_bytes()
        longest = max(re.findall(rb"[A-Za-z0-9+/=]{200,}", data), key=len)
        inner = base64.b64decode(longest + b"=" * (-len(longest) % 4))
        assert b"authorization" in inner
        token = re.search(rb'"authorization":\s*"Bearer ([^"]+)"', inner)
        made, _ = run(data)
        packed = max(re.findall(rb"[A-Za-z0-9+/=]{200,}", made), key=len)
        unpacked = base64.b64decode(packed + b"=" * (-len(packed) % 4))
        assert token is not None
        assert token[1] not in unpacked
        assert re.sub(rb"(sk-ant-)?REDACTED-[0-9a-f]{12}", b"", unpacked)[:60] == inner[:60]
        assert len(_values(unpacked)) == len(_values(inner)) > 100
