"""What is written in the place of what was found: the same for the same, another for another, and known again.

A replacement is drawn from a keyed hash of what it stands for, so that nobody finds that by trying. `user-` and
twelve hex digits, the same at `example.invalid`, or `REDACTED-` and twelve hex digits behind the issuer's prefix.

With the length kept, each stretch of characters becomes as many: `REDACTED` and consonants, or `zq` and consonants
where it is short. Line ends, quotes and slashes stay, and of an address its `@` and dots.
"""

from __future__ import annotations

import re
from hashlib import blake2b

from cgcli.scrub.finding import EMAIL, USER
from cgcli.scrub.issued import issued, prefix_of

_HEX = 12
_MOST_TRIES = 64
_LONG_CHARS = 16
SIGN = "REDACTED"
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
# In place of a letter that takes two, three or four bytes: signs of the same length that no name is written in.
_WIDE = {2: (0x7C0, 10), 3: (0x2801, 255), 4: (0x1D7CE, 50)}
_W = "\u07c0-\u07c9\u2801-\u28ff\U0001d7ce-\U0001d7ff"
_STAYS = re.compile(r"[\s\x00-\x1f\"'\\/\ud800-\udfff]+")
_STAYS_IN_ADDRESS = re.compile(r"%40|[@.]")
_WORD = re.compile(
    rf"[z{_W}](?:[q{_W}][{_CONSONANTS}{_W}]*+)?|" + "".join(f"[{char}{_W}]" for char in SIGN) + rf"[{_CONSONANTS}{_W}]+"
)
_SHORT_NAME = re.compile(rf"user-[0-9a-f]{{{_HEX}}}")


class Replacements:
    """Gives each text its replacement, always the same one."""

    def __init__(self, key: bytes, *, keep_length: bool) -> None:
        """Draw from *key*; with *keep_length* a replacement has as many characters as what it stands for."""
        self.keep_length = keep_length
        self._key = blake2b(key, digest_size=32).digest()
        self._made: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()

    def of(self, text: str, kind: str) -> str:
        """What stands for *text*, which was found as *kind*."""
        family = kind if kind in (EMAIL, USER) else ""
        made = self._made.get((family, text))
        if made is None:
            made = self._made[family, text] = self._make(text, family)
        return made

    def _make(self, text: str, family: str) -> str:
        """A replacement that no other text has; of very short ones with their length kept there are too few."""
        made = text
        for attempt in range(_MOST_TRIES):
            made = self._spell(text, family, attempt)
            if made not in self._taken and made != text:
                break
        self._taken.add(made)
        return made

    def _spell(self, text: str, family: str, attempt: int) -> str:
        seed = f"{family}\0{attempt}\0{text.replace('%40', '@')}".encode("utf-8", "surrogatepass")
        prefix = _issued_prefix(text) if not family else ""
        if self.keep_length:
            stays = _STAYS_IN_ADDRESS if family == EMAIL else _STAYS
            return prefix + _masked(text[len(prefix) :], stays, _Stream(self._key, seed))
        digits = blake2b(seed, key=self._key, digest_size=_HEX // 2).hexdigest()
        if family == USER:
            return f"user-{digits}"
        if family == EMAIL:
            return f"user-{digits}{'%40' if '@' not in text else '@'}example.invalid"
        return f"{prefix}{SIGN}-{digits}"


class _Stream:
    """As many keyed numbers as are needed."""

    def __init__(self, key: bytes, seed: bytes) -> None:
        self._key = key
        self._seed = seed
        self._block = 0
        self._left = b""

    def below(self, n: int) -> int:
        """The next number, from 0 up to and without *n*, which is at most 256."""
        if len(self._left) < 2:  # noqa: PLR2004 - two bytes a number, so that each is about as likely
            seed = blake2b(self._seed, key=self._key, digest_size=32).digest()
            self._left = blake2b(seed + self._block.to_bytes(8, "big"), key=self._key).digest()
            self._block += 1
        number = int.from_bytes(self._left[:2], "big")
        self._left = self._left[2:]
        return number % n


def _issued_prefix(text: str) -> str:
    """The issuer's prefix, where *text* is a whole credential."""
    for found in issued(text):
        if (found.start, found.stop) == (0, len(text)):
            return prefix_of(found.kind, text)
    return ""


def _masked(text: str, stays: re.Pattern[str], stream: _Stream) -> str:
    """*text* with each stretch between what *stays* replaced by a word of the same length."""
    made: list[str] = []
    at = 0
    for match in stays.finditer(text):
        made += (_word(text[at : match.start()], stream), match[0])
        at = match.end()
    return "".join([*made, _word(text[at:], stream)])


def _word(run: str, stream: _Stream) -> str:
    sign = SIGN if len(run) >= _LONG_CHARS else "zq"
    letters = []
    for i, char in enumerate(run):
        if char.isascii():
            letters.append(sign[i] if i < len(sign) else _CONSONANTS[stream.below(len(_CONSONANTS))])
        else:
            first, n = _WIDE[len(char.encode("utf-8"))]
            letters.append(chr(first + stream.below(n)))
    return "".join(letters)


def is_replacement(text: str, kind: str) -> bool:
    """True where *text*, found as *kind*, is what a run wrote: it stays as it is."""
    if SIGN in text or (kind == USER and _SHORT_NAME.fullmatch(text)):
        return True
    stays = _STAYS_IN_ADDRESS if kind == EMAIL else _STAYS
    runs = [run for run in stays.split(text.removeprefix(prefix_of(kind, text))) if run]
    return all(_WORD.fullmatch(run) for run in runs)


def respelled(raw: list[str], new: str) -> str:
    """The characters of *new*, each as long as the one of *raw* that it stands for.

    *raw* has for each character how it is spelled in the file: itself, or an escape.
    """
    return "".join(_respelled(spelled, char) for spelled, char in zip(raw, new, strict=True))


_UNIT = re.compile(r"(?<=u)[0-9a-fA-F]{4}")


def _respelled(spelled: str, char: str) -> str:
    if len(spelled) == 1 or not _UNIT.search(spelled):
        return char if len(spelled) == 1 else spelled
    units = char.encode("utf-16-be", "surrogatepass")
    codes = iter([units[i : i + 2].hex() for i in range(0, len(units), 2)])
    return _UNIT.sub(lambda match: next(codes, match[0]), spelled)
