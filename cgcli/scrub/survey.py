"""What there is in a file before it is scrubbed, and the check that none of it is left after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.errors import CgError
from cgcli.scrub.blobs import unpacked
from cgcli.scrub.finder import NOTHING, Known
from cgcli.scrub.finding import EMBEDDED, USER
from cgcli.scrub.memory import Memory
from cgcli.scrub.personal import Names
from cgcli.scrub.reading import Hit, Reading
from cgcli.scrub.stretch import Stretches, whole_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cgcli.scrub.stretch import Stretch


class Survey:
    """Everything that was found in the lines of a file."""

    def __init__(self) -> None:
        """With nothing found yet."""
        self.originals: set[str] = set()
        self._secrets: dict[str, str] = {}
        self._names: set[str] = set()
        self._walk = Walk(NOTHING)

    def read(self, lines: Iterable[bytes]) -> None:
        """Look at *lines*."""
        for line in whole_keys(lines):
            for hit in self._walk.new(line):
                self._take(hit)

    def _take(self, hit: Hit) -> None:
        self.originals.add(hit.value)
        if not hit.spreads:
            return
        if hit.kind == USER:
            self._names.add(hit.value)
        elif hit.kind != "email":
            self._secrets.setdefault(hit.value, hit.kind)

    def is_clean(self, key: tuple[object, bytes]) -> bool:
        """True where it is known that the text under *key* shows nothing by itself."""
        return self._walk.is_clean(key)

    def known(self) -> Known:
        """What is to be replaced wherever it stands."""
        return Known(secrets=dict(self._secrets), names=Names(self._names) if self._names else None)


class Check:
    """Holds lines that were scrubbed against what was found before."""

    def __init__(self, survey: Survey, *, file: str, with_keys: bool) -> None:
        """No line may have any original of *survey*; in the names of JSON members only where *with_keys*."""
        self._originals = survey.originals
        self._walk = Walk(survey.known(), with_keys=with_keys)
        self._file = file

    def line(self, line: bytes, number: int) -> None:
        """Look at *line*, which is written for the line *number* of the file.

        Raises:
            CgError: an original stands in it.
        """
        for hit in self._walk.new(line):
            if hit.value in self._originals:
                raise CgError(
                    f"what was found there stands in the output still ({hit.kind}); nothing is written",
                    where=f"{self._file}:{number}",
                    hint="report it with the form of the line, not with its content",
                )


class Walk:
    """Finds what is in line after line; a text that was read before is not read again."""

    def __init__(self, known: Known, *, with_keys: bool = True) -> None:
        """Look for what is *known*, too; *with_keys* also in the names of JSON members."""
        self._reading = Reading(known)
        self._with_keys = with_keys
        self._stretches = Stretches()
        self._seen: Memory[bool] = Memory()

    def new(self, line: bytes) -> Iterator[Hit]:
        """Everything in those texts of *line* that no earlier line had."""
        for stretch in self._stretches.of(line):
            if stretch.is_key and not self._with_keys:
                continue
            content = line[stretch.start : stretch.stop]
            key = Memory.key((stretch.role, stretch.is_key), content)
            if self._seen.get(key) is None:
                found = list(self._read(content, stretch))
                self._seen.keep(key, bool(found))
                yield from found

    def is_clean(self, key: tuple[object, bytes]) -> bool:
        """True where the text under *key* was read and nothing was found in it; False where that is not known."""
        return self._seen.get(key) is False

    def _read(self, content: bytes, stretch: Stretch) -> Iterator[Hit]:
        text = content.decode("utf-8", "surrogateescape")
        for hit in self._reading.hits(text, stretch.role, is_escaped=stretch.is_escaped):
            if hit.in_key and not self._with_keys:
                continue
            if hit.kind != EMBEDDED:
                yield hit
            elif (data := unpacked(hit.value)) is not None:
                inner = Walk(self._reading.known, with_keys=self._with_keys)
                for line in whole_keys(data.splitlines(keepends=True)):
                    yield from inner.new(line)
