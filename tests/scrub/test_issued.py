"""Credentials that are told by their form, and what looks like one and is none."""

from __future__ import annotations

import json
import re

import pytest

from tests.scrub.scrubbed import HEX, HIDDEN, JWT, KEY, PEM, PEM_HEAD, PEM_LINE, PEM_TAIL, kinds, run, text, value

ISSUED = [
    ("anthropic_key", "sk-ant-", KEY.removeprefix("sk-ant-")),
    ("openai_key", "sk-proj-", "aB3x" * 18),
    ("openai_key", "sk-svcacct-", "aB3x" * 18),
    ("openrouter_key", "sk-or-v1-", "0a1b" * 16),
    ("sk_key", "sk-", "aB3xk" * 8),
    ("aws_key_id", "AKIA", "IOSFODNN7EXAMPLF"),
    ("aws_key_id", "ASIA", "IOSFODNN7EXAMPLF"),
    ("github_token", "ghp_", "aB3x" * 9),
    ("github_token", "github_pat_", "aB3x" * 18),
    ("gitlab_token", "glpat-", "aB3x5" * 4),
    ("slack_token", "xoxb-", "1234567890-1234567890-abcdefAB"),
    ("google_key", "AIza", "aB3x5" * 7),
    ("google_token", "ya29.", "aB3_x-" * 8),
    ("huggingface_token", "hf_", "aBcDe" * 7),
    ("npm_token", "npm_", "a1B2" * 9),
    ("pypi_token", "pypi-AgEI", "aB3x" * 20),
    ("groq_key", "gsk_", "aB3x" * 13),
    ("stripe_key", "sk_live_", "aB3x" * 6),
    ("sendgrid_key", "SG.", "aB3x5" * 4 + "." + "aB3x5" * 8),
    ("slack_webhook", "hooks.slack.com/services/", "T0A1B2C3/B0A1B2C3/aB3x5aB3x5aB3x5"),
]
"""Kind, prefix and what follows it; invented."""


@pytest.mark.parametrize(("kind", "prefix", "rest"), ISSUED, ids=[f"{one[0]}-{one[1]}" for one in ISSUED])
@pytest.mark.parametrize("around", ["{}", "use {}.", "KEY={}\n", '"{}",', "(`{}`)", "x/{}?y", "ä{}ö"])
def test_a_credential_is_replaced_behind_its_prefix(kind: str, prefix: str, rest: str, around: str) -> None:
    """Wherever it stands; the prefix and what is around it stay."""
    made = value([around.format(prefix + rest)])
    pattern = re.escape(around.format("\0")).replace("\0", f"{re.escape(prefix)}{HIDDEN}")
    assert re.fullmatch(pattern, made[0]), made
    assert kinds([around.format(prefix + rest)]) == {kind: 1}


def test_a_token_of_three_parts_is_replaced_whole() -> None:
    """A JSON web token says who it is for: no part of it stays."""
    made = value([f"jwt {JWT} end"])
    assert re.fullmatch(f"jwt {HIDDEN} end", made[0])
    assert kinds([JWT]) == {"jwt": 1}


def test_a_private_key_keeps_its_lines() -> None:
    """The first and last line and all line ends stay; nothing between them does."""
    (made,) = value([PEM])
    assert re.fullmatch(f"{PEM_HEAD}\n{HIDDEN}\nREDACTED\nREDACTED\n{PEM_TAIL}\n", made)
    assert kinds([PEM]) == {"private_key": 1}


def test_a_private_key_on_lines_of_its_own() -> None:
    """In a file that is no JSON it stands on several lines; with its indent, and cut off before its end too."""
    indented = "key: |\n" + "".join(f"    {line}\n" for line in PEM.splitlines())
    made = text(indented + "after: 1\n")
    assert re.fullmatch(
        f"key: \\|\n    {PEM_HEAD}\n    {HIDDEN}\n    REDACTED\n    REDACTED\n    {PEM_TAIL}\nafter: 1\n", made
    )
    cut = text(f"{PEM_HEAD}\n{PEM_LINE}\n{PEM_LINE[:30]}")
    assert re.fullmatch(f"{PEM_HEAD}\n{HIDDEN}\nREDACTED", cut)


UNTOUCHED = [
    "5c0375b4-57a5-4f26-b12d-d022ee4e51b7",
    "0123456789abcdef" * 4,
    "sha256:" + "0123456789abcdef" * 4,
    "9f62fac7032d1c73985c19911ec96bd0ca7ff863",
    "toolu_01A09q90qw90lq917835lq9",
    "call_abcDEF1234567890abcDEF12",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "req_011CSHoEeqs5C35K2UUqR7Fy",
    "<<cg:3fa9b2c4d5e6f708>>",
    "claude-sonnet-4-5-20250929",
    "gpt-4o-mini-2024-07-18",
    "us.anthropic.claude-3-5-sonnet-20241022-v2:0",
    "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds/ujP+",
    "sk-circle-fade-dot-before-animation sk-cube-grid",
    "the sk- prefix, AKIA and ghp_ are prefixes",
    "package@1.2.3 icon@2x.png react@18.2.0.tgz user@1000.service git@github.com",
    "token = tokenizer.next_token(text)",
    "max_tokens: 4096, token_count=17, tokenizer='cl100k_base'",
    "password: str | None = None",
    "secret=${SECRET} token=<token> api_key=your-key-here password=***",
    "Authorization: required. The bearer token is in the Cookie: header.",
    "http://localhost:8080/home/page@2 https://example.com/home/dashboard",
    "~/src and ~100 and a ~b",
    "-----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- are its lines",
    "import x from '@scope/pkg'; @app.route('/users')",
]


@pytest.mark.parametrize("content", UNTOUCHED)
def test_what_only_looks_like_a_secret_stays(content: str) -> None:
    """Identifiers, digests, signatures, markers, models, prose and code."""
    data = json.dumps({"text": content, "id": content, "nested": json.dumps({"x": content})}).encode()
    assert run(data)[0] == data


def test_images_and_signatures_stay() -> None:
    """Long base64 is not searched: what stands in it stands there by chance."""
    image = "iVBORw0KGgo" + "aB3+harbourmaster/AKIAIOSFODNN7EXAMPLF/" * 20
    content = {
        "source": {"type": "base64", "media_type": "image/png", "data": image},
        "url": f"data:image/png;base64,{image}",
        "signature": "EqQB+harbourmaster+" + KEY,
        "home": "/home/harbourmaster/x",
    }
    made = value(content)
    assert (made["source"], made["url"], made["signature"]) == (content["source"], content["url"], content["signature"])
    assert re.fullmatch(f"/home/user-{HEX}/x", made["home"])
