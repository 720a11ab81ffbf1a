"""What tells who someone is: e-mail addresses, home folders, and the account's name wherever it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cgcli.scrub.finding import EMAIL, USER, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_LOCAL_CHARS = 64
_DOMAIN = re.compile(
    r"(?:@|%40)((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}([A-Za-z]{2,24}))(?![A-Za-z0-9-])"
)
_LOCAL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._%+-]*[A-Za-z0-9_+-])?\Z")
_ADDRESS = re.compile(r"://[^\s/@]*:\Z")
"""What follows is a password, not the name of a mailbox."""
_NOBODY = re.compile(r"(?:.*\.)?(?:example\.(?:com|org|net)|example|invalid|test|localhost)", re.IGNORECASE)
_NO_PERSON = frozenset({"git", "noreply", "no-reply"})
_NO_TLD = frozenset(
    "png jpg jpeg gif svg webp ico js ts jsx tsx mjs cjs css scss html htm tgz json lock txt yml yaml toml xml csv "
    "log map exe dll jar whl service socket timer target".split()
)
"""Endings of files and units, as in `icon@2x.png` and `user@1000.service`; none is a top-level domain."""

_ROOTS = r"(?:/(?:export|var|mnt|nfs|net|data|private|mnt/[a-z]|[A-Za-z]|System/Volumes/Data))?"
_NAME = r"([A-Za-z0-9_][A-Za-z0-9._-]{0,62})"
_HOME = re.compile(rf"(?<![A-Za-z0-9._~%-]){_ROOTS}/(?:home|Users)/{_NAME}")
_WINDOWS_HOME = re.compile(
    rf"(?<![A-Za-z0-9])[A-Za-z]:[\\/]{{1,4}}(?:Users|users|Documents and Settings)[\\/]{{1,4}}{_NAME}"
)
_TILDE = re.compile(r"(?<![\w~/.\\-])~([A-Za-z_][A-Za-z0-9_-]{2,31})(?=/)")
_VARIABLE = re.compile(
    r"(?<![A-Za-z0-9_])(?:USER|LOGNAME|USERNAME)=[\"']?([A-Za-z_][A-Za-z0-9._-]{1,31})(?![A-Za-z0-9(])"
)
_SHARED = frozenset(
    "root user users username you name shared public default guest runner ubuntu debian fedora centos alpine admin "
    "administrator postgres mysql redis mongo rabbitmq oauth2 x-access-token ec2-user vagrant codespace vscode node "
    "app docker jovyan sandbox nobody".split()
)
"""Accounts that many machines have: they tell nothing."""
_COMMON = frozenset(
    "agent assistant claude codex coder code codes dashboard data demo deploy developer development docs file files "
    "function gemini gitlab github home http https index input jenkins json linux local login main message model none "
    "null object openai openhands output page pages pass path project projects prompt python read result root search "
    "service settings source string system temp test testing tests text token tool tools true type types work "
    "workspace workspaces write".split()
)
"""Words that stand in every transcript: as a name they are replaced in paths alone."""
_FEWEST_CHARS = 4


def emails(text: str) -> Iterator[Finding]:
    """Every e-mail address in *text* that may be somebody's."""
    if "@" not in text and "%40" not in text:
        return
    for match in _DOMAIN.finditer(text):
        before = text[max(0, match.start() - _MOST_LOCAL_CHARS) : match.start()]
        local = _LOCAL.search(before, _after_escape(before))
        if (
            local is None
            or _ADDRESS.search(before[: local.start()])
            or match[2].lower() in _NO_TLD
            or _NOBODY.fullmatch(match[1])
            or local[0] in _NO_PERSON
        ):
            continue
        yield Finding(start=match.start() - len(local[0]), stop=match.end(), kind=EMAIL)


def _after_escape(before: str) -> int:
    r"""Where in *before* an address can begin: the letter of an escape such as `\n` is none of its."""
    at = before.rfind("\\")
    return at + 2 if at >= 0 and before[at + 1 : at + 2] in tuple("bfnrt") else 0


def accounts(text: str) -> Iterator[Finding]:
    """The name of the account in every home folder in *text*, and in `USER=`."""
    patterns = [
        pattern
        for needles, pattern in (
            (("/home/", "/Users/"), _HOME),
            ((":\\", ":/"), _WINDOWS_HOME),
            (("~",), _TILDE),
            (("USER", "LOGNAME"), _VARIABLE),
        )
        if any(needle in text for needle in needles)
    ]
    for pattern in patterns:
        for match in pattern.finditer(text):
            name = match[1].rstrip(".-")
            if name and not is_shared(name):
                spreads = pattern is not _TILDE and is_distinctive(name)
                yield Finding(start=match.start(1), stop=match.start(1) + len(name), kind=USER, spreads=spreads)


def is_shared(name: str) -> bool:
    """True where *name* is an account that many machines have."""
    return name.lower() in _SHARED


def is_distinctive(name: str) -> bool:
    """True where *name* is long enough, and no common word, so that it means the account wherever it stands."""
    return len(name) >= _FEWEST_CHARS and name.lower() not in _COMMON and not name.isdigit()


class Names:
    """The names of accounts, found as whole words, in any case of their letters."""

    def __init__(self, names: Iterable[str]) -> None:
        """Look for *names*, and for what folders named after paths make of them (`first.last`: `first-last`)."""
        wanted = {name.lower() for name in names}
        wanted |= {re.sub(r"[._]", "-", name) for name in wanted}
        self._needles = tuple(sorted(wanted, key=lambda name: (-len(name), name)))
        spelled = "|".join(map(re.escape, self._needles))
        # Not a key of JSON: `"name":`.
        self._pattern = re.compile(
            rf"(?<![A-Za-z0-9_])(?:{spelled})(?![A-Za-z0-9_])(?!\\*\"\s*:)", re.IGNORECASE | re.ASCII
        )

    def find(self, text: str) -> Iterator[Finding]:
        """Every one of them in *text*."""
        lower = text.lower()
        if any(needle in lower for needle in self._needles):
            for match in self._pattern.finditer(text):
                yield Finding(start=match.start(), stop=match.end(), kind=USER)
