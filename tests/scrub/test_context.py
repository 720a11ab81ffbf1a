"""Secrets that are told by what stands before them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.scrub.scrubbed import HIDDEN, KEY, text, value

H = "@HERE@"
"""Where a replacement is expected."""


def matches(expected: str, made: str) -> bool:
    """True where *made* is *expected*, with a replacement at each `H`."""
    return re.fullmatch(re.escape(expected).replace(re.escape(H), HIDDEN), made) is not None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("curl -H 'Authorization: Bearer abc123def456ghi' x", f"curl -H 'Authorization: Bearer {H}' x"),
        ("authorization: Basic dXNlcjpwYXNzd29yZA==\n", f"authorization: Basic {H}\n"),
        ('-H "x-api-key: qwerty12345"', f'-H "x-api-key: {H}"'),
        ("Cookie: sid=abc123DEF456; theme=dark", f"Cookie: sid={H}; theme=dark"),
        ("Set-Cookie: sid=abc123DEF456; Path=/; HttpOnly", f"Set-Cookie: sid={H}; Path=/; HttpOnly"),
        ('{"x-api-key": "abcdefgh"}', f'{{"x-api-key": "{H}"}}'),
        ("bearer abc123def456", f"bearer {H}"),
        ("export OPENAI_API_KEY=abcd1234efgh5678", f"export OPENAI_API_KEY={H}"),
        ('password = "hunter"', f'password = "{H}"'),
        ("PASSWORD=hunter22", f"PASSWORD={H}"),
        ("aws_secret_access_key: aB3x5/aB3x5+aB3x5", f"aws_secret_access_key: {H}"),
        ("'clientSecret': 'correcthorse'", f"'clientSecret': '{H}'"),
        ("https://h.io/x?token=abc123def456&y=1", f"https://h.io/x?token={H}&y=1"),
        ("postgres://admin:hunter22@db.corp.io/x", f"postgres://admin:{H}@db.corp.io/x"),
        ("redis://:hunter22@db:6379", f"redis://:{H}@db:6379"),
    ],
)
@pytest.mark.parametrize("is_file", [True, False])
def test_in_a_text(content: str, expected: str, *, is_file: bool) -> None:
    """The secret alone is replaced, in a string as in a file of text."""
    made = text(content) if is_file else value([content])[0]
    assert matches(expected, made), made


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"authorization": "Bearer x y z"}, {"authorization": f"Bearer {H}"}),
        ({"X-Api-Key": "abc"}, {"X-Api-Key": H}),
        ({"Authorization": ["Bearer abc"]}, {"Authorization": [f"Bearer {H}"]}),
        ({"cookie": "a=1; b=2"}, {"cookie": f"a={H}; b={H}"}),
        ({"set-cookie": ["a=1; Path=/; Max-Age=60", "b=2"]}, {"set-cookie": [f"a={H}; Path=/; Max-Age=60", f"b={H}"]}),
        ({"apiKey": "abcdefgh"}, {"apiKey": H}),
        ({"db": {"password": "hunter"}}, {"db": {"password": H}}),
        ({"accessToken": "abc123def456"}, {"accessToken": H}),
        ({"name": "Authorization", "value": "Bearer abc"}, {"name": "Authorization", "value": f"Bearer {H}"}),
        (["x-api-key", "abc123def456", "accept", "abc123def456x"], ["x-api-key", H, "accept", f"{H}x"]),
    ],
)
def test_under_a_name(content: Any, expected: Any) -> None:
    """The name of a JSON member, of a header in a list of them, or of a pair tells."""
    assert matches(str(expected), str(value(content)))


@pytest.mark.parametrize(
    "content",
    [
        {"authorization": "***", "x-api-key": "<key>", "cookie": "", "api-key": "${KEY}"},
        {"token": "Hello", "logprob": -0.1, "bytes": [72]},
        {"required": ["api_key", "username"], "properties": {"password": {"type": "string"}}},
        {"password": "string", "secret": "the secret of it", "max_tokens": 5},
        {"access-control-allow-headers": ["authorization", "x-api-key", "content-type"]},
    ],
)
def test_what_is_named_so_and_holds_none_stays(content: Any) -> None:
    """Masks, words of a model, schemas and lists of names."""
    assert value(content) == content


def test_headers_in_yaml() -> None:
    """In a cassette the name stands on one line and the values below it."""
    cassette = (
        "    headers:\n"
        "      authorization:\n"
        "      - Bearer abc\n"
        "      cookie:\n"
        "      - sid=1; Path=/\n"
        "      accept:\n"
        "      - abc\n"
        "    body: 'sid=1'\n"
    )
    made = text(cassette)
    assert matches(cassette.replace("Bearer abc", f"Bearer {H}").replace("- sid=1", f"- sid={H}"), made), made


def test_headers_in_json_on_many_lines() -> None:
    """What a name says holds on in the lines below it, up to the next name."""
    document = '{\n  "x-api-key": [\n    "abc"\n  ],\n  "accept": [\n    "abc"\n  ]\n}\n'
    assert matches(document.replace('"abc"', f'"{H}"', 1), text(document))


def test_a_secret_is_replaced_wherever_it_stands() -> None:
    """What one line names a password is replaced in an earlier one that does not say what it is."""
    made = text('{"a":"he typed hunter22-abc, xhunter22-abcx"}\n{"password":"hunter22-abc"}\n')
    found = re.findall(HIDDEN, made)
    assert len(found) == 3
    assert len(set(found)) == 1
    assert "hunter22" not in made


@pytest.mark.parametrize("password", ["postgres", "hunter", "5c0375b4-57a5-4f26-b12d-d022ee4e51b7"])
def test_what_does_not_look_like_a_secret_is_replaced_where_it_is_named_one(password: str) -> None:
    """Elsewhere it is a word, a part of one, or an id."""
    made = value({"password": password, "t": f"{password} and {password}x"})
    assert re.fullmatch(HIDDEN, made["password"])
    assert made["t"] == f"{password} and {password}x"


def test_the_same_secret_has_one_replacement_whatever_tells_of_it() -> None:
    """A key is the same key in a header, in an address and in prose."""
    made = value({"x-api-key": KEY, "authorization": f"Bearer {KEY}", "t": f"OPENAI_API_KEY={KEY} {KEY}"})
    found = re.findall("sk-ant-" + HIDDEN, str(made))
    assert len(found) == 4
    assert len(set(found)) == 1
