"""Credentials that can be told by the prefix their issuer gives them: a dated table.

Source: the rules of gitleaks (config/gitleaks.toml, MIT licence, as of 2026-07-22), and the prefixes that providers
document. Where an issuer changed the length, the bounds take every length known. Only long runs of the characters that
credentials are made of are looked at, and each pattern has one run of bounded length, so a text is read in linear time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.scrub.finding import JWT, PRIVATE_KEY, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

AS_OF = "2026-07-22"

_RUN = "A-Za-z0-9_-"
_DIGIT = re.compile("[0-9]")


@value
class Issued:
    """One issuer's credentials."""

    kind: str
    prefixes: tuple[str, ...]
    """What they begin with; stays in the replacement."""
    rest: str
    """What follows, as a regular expression."""
    has_digit: bool = False
    """True where one without any digit is a word, such as a CSS class."""


ISSUED = (
    Issued(kind="anthropic_key", prefixes=("sk-ant-",), rest=r"[A-Za-z0-9_-]{16,256}+"),
    Issued(
        kind="openai_key",
        prefixes=("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
        rest=r"[A-Za-z0-9_-]{20,256}+",
    ),
    Issued(kind="openrouter_key", prefixes=("sk-or-v1-",), rest=r"[A-Za-z0-9_-]{20,128}+"),
    Issued(kind="langfuse_key", prefixes=("sk-lf-", "pk-lf-"), rest=r"[A-Za-z0-9_-]{20,64}+"),
    Issued(kind="sk_key", prefixes=("sk-",), rest=r"[A-Za-z0-9]{20,128}+", has_digit=True),
    Issued(kind="aws_key_id", prefixes=("AKIA", "ASIA", "ABIA", "ACCA"), rest=r"[A-Z0-9]{16}"),
    Issued(kind="bedrock_key", prefixes=("ABSK",), rest=r"[A-Za-z0-9+/]{109,269}+={0,2}+"),
    Issued(kind="bedrock_key", prefixes=("bedrock-api-key-",), rest=r"[A-Za-z0-9+/=_-]{20,2048}+"),
    Issued(kind="github_token", prefixes=("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rest=r"[A-Za-z0-9_]{30,255}+"),
    Issued(kind="github_token", prefixes=("github_pat_",), rest=r"[A-Za-z0-9_]{36,255}+"),
    Issued(
        kind="gitlab_token",
        prefixes=("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glimt-", "glft-", "glsoat-", "gloas-", "glagent-"),
        rest=r"[A-Za-z0-9_-]{20,300}+(?:\.[a-z0-9]{2,12}){0,2}",
    ),
    Issued(
        kind="slack_token",
        prefixes=("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxe-", "xoxc-", "xoxd-", "xapp-"),
        rest=r"[A-Za-z0-9%-]{15,255}+",
        has_digit=True,
    ),
    Issued(kind="google_key", prefixes=("AIza",), rest=r"[A-Za-z0-9_-]{30,64}+"),
    Issued(kind="google_token", prefixes=("ya29.",), rest=r"[A-Za-z0-9_-]{20,1024}+"),
    Issued(kind="google_secret", prefixes=("GOCSPX-",), rest=r"[A-Za-z0-9_-]{20,64}+"),
    Issued(kind="huggingface_token", prefixes=("hf_", "api_org_"), rest=r"[A-Za-z0-9]{30,64}+"),
    Issued(kind="npm_token", prefixes=("npm_",), rest=r"[A-Za-z0-9]{36,64}+"),
    Issued(kind="pypi_token", prefixes=("pypi-AgEI", "pypi-AgEN"), rest=r"[A-Za-z0-9_-]{50,1000}+"),
    Issued(kind="groq_key", prefixes=("gsk_",), rest=r"[A-Za-z0-9]{40,64}+"),
    Issued(kind="xai_key", prefixes=("xai-",), rest=r"[A-Za-z0-9]{60,100}+"),
    Issued(kind="perplexity_key", prefixes=("pplx-",), rest=r"[A-Za-z0-9]{40,64}+"),
    Issued(kind="replicate_token", prefixes=("r8_",), rest=r"[A-Za-z0-9]{37,40}+"),
    Issued(kind="nvidia_key", prefixes=("nvapi-",), rest=r"[A-Za-z0-9_-]{40,100}+"),
    Issued(kind="databricks_token", prefixes=("dapi",), rest=r"[a-f0-9]{32}(?:-\d)?"),
    Issued(
        kind="stripe_key",
        prefixes=("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"),
        rest=r"[A-Za-z0-9+/=]{16,128}+",
    ),
    Issued(kind="sendgrid_key", prefixes=("SG.",), rest=r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}+"),
    Issued(kind="digitalocean_token", prefixes=("dop_v1_", "doo_v1_", "dor_v1_"), rest=r"[a-f0-9]{64}"),
    Issued(
        kind="doppler_token",
        prefixes=("dp.pt.", "dp.st.", "dp.ct."),
        rest=r"(?:[a-z0-9_-]{1,32}\.)?[A-Za-z0-9]{40,64}+",
    ),
    Issued(kind="notion_token", prefixes=("ntn_", "secret_"), rest=r"[A-Za-z0-9]{40,64}+"),
    Issued(kind="linear_key", prefixes=("lin_api_",), rest=r"[A-Za-z0-9]{40}"),
    Issued(kind="shopify_token", prefixes=("shpat_", "shpca_", "shppa_", "shpss_"), rest=r"[A-Fa-f0-9]{32}"),
    Issued(kind="grafana_token", prefixes=("glsa_", "glc_"), rest=r"[A-Za-z0-9_+/]{32,400}+={0,3}+"),
    Issued(kind="sentry_token", prefixes=("sntrys_", "sntryu_"), rest=r"[A-Za-z0-9+/_]{40,500}+={0,2}+"),
    Issued(kind="vault_token", prefixes=("hvs.", "hvb."), rest=r"[A-Za-z0-9_-]{80,300}+"),
    Issued(kind="onepassword_token", prefixes=("ops_eyJ",), rest=r"[A-Za-z0-9+/]{250,2000}+={0,3}+"),
    Issued(kind="age_key", prefixes=("AGE-SECRET-KEY-1",), rest=r"[A-Z0-9]{58}"),
    Issued(kind="tailscale_key", prefixes=("tskey-",), rest=r"[A-Za-z0-9-]{16,128}+", has_digit=True),
    Issued(kind="posthog_key", prefixes=("phx_", "phc_"), rest=r"[A-Za-z0-9]{40,64}+"),
    Issued(kind="tavily_key", prefixes=("tvly-",), rest=r"[A-Za-z0-9-]{20,64}+", has_digit=True),
    Issued(
        kind="slack_webhook",
        prefixes=("hooks.slack.com/services/",),
        rest=r"[A-Za-z0-9_/]{30,80}+",
    ),
    Issued(
        kind="discord_webhook",
        prefixes=("discord.com/api/webhooks/",),
        rest=r"[0-9]{15,21}/[A-Za-z0-9_-]{40,100}+",
    ),
)

_LONG = re.compile(r"(?<![A-Za-z0-9_+/=.%-])[A-Za-z0-9_+/=.%-]{20,}+")
"""Where one can stand: the shortest has 20 characters."""
_BY_PREFIX = {
    prefix: (one, re.compile(rf"{re.escape(prefix)}{one.rest}(?![{_RUN}])"))
    for one in ISSUED
    for prefix in one.prefixes
}
_BEGINS = re.compile(
    rf"(?<![{_RUN}])(?:{'|'.join(re.escape(prefix) for prefix in sorted(_BY_PREFIX, key=len, reverse=True))})"
)
_PREFIXES = {
    kind: tuple(prefix for one in ISSUED if one.kind == kind for prefix in one.prefixes)
    for kind in {one.kind for one in ISSUED}
}
_JWT = re.compile(rf"(?<![.{_RUN}])eyJ[{_RUN}]{{8,}}+\.eyJ[{_RUN}]{{8,}}+\.[{_RUN}]*+(?:\.[{_RUN}]*+)*+")
_GAP = r"(?:\s|\\[nr])*+"
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(
    rf"(?:{_GAP}(?:[A-Za-z-]{{1,40}}: [^\n\\]{{0,200}}{_GAP}){{0,4}}+)"
    rf"((?:[A-Za-z0-9+/=]{{24,}}+(?:{_GAP}(?=[A-Za-z0-9+/=]))?)++(?:[A-Za-z0-9+/=]++)?)"
)
"""Fields such as `DEK-Info`, then long lines and a last one that may be short."""


def prefix_of(kind: str, text: str) -> str:
    """What of *text*, a credential of *kind*, its issuer gave all of them; empty where there is no such prefix."""
    return next((prefix for prefix in _PREFIXES.get(kind, ()) if text.startswith(prefix)), "")


def issued(text: str) -> Iterator[Finding]:
    """Every credential in *text* that is told by its form alone."""
    for run in _LONG.finditer(text):
        for begin in _BEGINS.finditer(text, run.start(), run.end()):
            one, pattern = _BY_PREFIX[begin[0]]
            match = pattern.match(text, begin.start())
            if match and (not one.has_digit or _DIGIT.search(text, begin.end(), match.end())):
                yield Finding(start=match.start(), stop=match.end(), kind=one.kind)
        for match in _JWT.finditer(text, run.start(), run.end()):
            yield Finding(start=match.start(), stop=match.end(), kind=JWT)
    if "PRIVATE KEY" in text:
        yield from _private_keys(text)


def _private_keys(text: str) -> Iterator[Finding]:
    """What stands behind the first line of a private key, up to its last or to where it is cut off."""
    for head in _PEM.finditer(text):
        body = _PEM_BODY.match(text, head.end())
        if body is not None:
            yield Finding(start=body.start(1), stop=body.end(1), kind=PRIVATE_KEY)
