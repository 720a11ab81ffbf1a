"""The second pass: each line with what was found replaced, and an account of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from cgcli.scrub.finding import EMBEDDED
from cgcli.scrub.memory import Memory
from cgcli.scrub.reading import Reading
from cgcli.scrub.rewriting import rewritten
from cgcli.scrub.stretch import Stretches, whole_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cgcli.scrub.replacing import Replacements
    from cgcli.scrub.stretch import Stretch
    from cgcli.scrub.survey import Survey


class _Result(NamedTuple):
    """What became of a text."""

    new: bytes | None
    """None where it stays."""
    kinds: tuple[str, ...] = ()
    """One for each replacement."""
    left: int = 0
    """Times that something stands in the name of a JSON member, and stays."""


_STAYS = _Result(None)


class _Tally:
    """What became of the texts of a line."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.left = 0


class Account:
    """What was replaced, without a word of it."""

    def __init__(self) -> None:
        """With nothing replaced yet."""
        self.n_lines = 0
        self.n_changed = 0
        self.bytes_before = 0
        self.bytes_after = 0
        self.replaced: Counter[str] = Counter()
        """By kind, each time."""
        self.lines: Counter[str] = Counter()
        """Lines that have one, by kind."""
        self.left_in_keys = 0
        """Times that something stands in the name of a JSON member, and stays."""
        self._values: dict[str, str] = {}

    def take(self, value: str, kind: str) -> str:
        """Count *value* as one of *kind*, or of the kind that it was first found as; gives that."""
        return self._values.setdefault(value, kind)

    @property
    def distinct(self) -> Counter[str]:
        """Different texts that were replaced, by kind."""
        return Counter(self._values[value] for value in self._values)


class Scrubber:
    """Rewrites line after line."""

    def __init__(self, survey: Survey, replacements: Replacements, *, with_keys: bool = False) -> None:
        """Replace what *survey* found; with *with_keys* also in the names of JSON members."""
        self.account = Account()
        self._survey = survey
        self._reading = Reading(survey.known())
        self._replacements = replacements
        self._with_keys = with_keys
        self._stretches = Stretches()
        self._memory: Memory[_Result] = Memory()

    def lines(self, lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
        """Each of *lines* with its number, from 1, and what was found in it replaced; a private key's lines as one."""
        number = 1
        for line in whole_keys(lines):
            tally = _Tally()
            new = self._line(line, self._stretches, tally)
            self._count(line, new, tally)
            yield number, new
            number += line.count(b"\n")

    def _count(self, line: bytes, new: bytes, tally: _Tally) -> None:
        account = self.account
        account.n_lines += line.count(b"\n") or 1
        account.n_changed += new != line
        account.bytes_before += len(line)
        account.bytes_after += len(new)
        account.left_in_keys += tally.left
        if tally.kinds:
            account.replaced.update(tally.kinds)
            account.lines.update(set(tally.kinds))

    def _line(self, line: bytes, stretches: Stretches, tally: _Tally) -> bytes:
        pieces: list[bytes | memoryview] = []
        view = memoryview(line)
        at = 0
        for stretch in stretches.of(line):
            content = line[stretch.start : stretch.stop]
            key = Memory.key((stretch.role, stretch.is_key), content)
            result = self._memory.get(key)
            if result is None:
                result = self._result(content, stretch, is_clean=self._survey.is_clean(key))
                self._memory.keep(key, result, size_bytes=len(result.new or b""))
            if result is _STAYS:
                continue
            tally.kinds += result.kinds
            tally.left += result.left
            if result.new is not None:
                pieces += (view[at : stretch.start], result.new)
                at = stretch.stop
        return b"".join([*pieces, view[at:]]) if pieces else line

    def _result(self, content: bytes, stretch: Stretch, *, is_clean: bool) -> _Result:
        if is_clean and not self._reading.known:
            return _STAYS
        text = content.decode("utf-8", "surrogateescape")
        found = self._reading.hits(text, stretch.role, is_escaped=stretch.is_escaped, known_only=is_clean)
        taken = [hit for hit in found if self._with_keys or not (stretch.is_key or hit.in_key)]
        if not found:
            return _STAYS
        tally = _Tally()
        tally.kinds += [self.account.take(hit.value, hit.kind) for hit in taken if hit.kind != EMBEDDED]
        tally.left = len(found) - len(taken)
        new = rewritten(text, taken, self._replacements, lambda data: self._packed(data, tally))
        changed = new.encode("utf-8", "surrogateescape")
        return _Result(changed if changed != content else None, tuple(tally.kinds), tally.left)

    def _packed(self, data: bytes, tally: _Tally) -> bytes:
        """A file that is packed in a text, with what was found in it replaced."""
        inner = Stretches()
        return b"".join(self._line(line, inner, tally) for line in whole_keys(data.splitlines(keepends=True)))
