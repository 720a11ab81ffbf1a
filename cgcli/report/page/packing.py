"""What the page's script draws from: turns as columns, each text once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.model import value
from cgcli.report.page.diffing import runs
from cgcli.report.page.modes import packed_modes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_WORDS = ("lane", "model", "why", "not_simulated")
_DOLLARS = ("usd", "own_usd", "cumulative_usd", "cumulative_off_usd")
_PLAIN = (
    *("line", "turn", "sent_s", "before_tokens", "input_tokens", "read_tokens", "write_tokens", "fresh_tokens"),
    *("output_tokens", "read_line", "removed_tokens", "write_by_ttl_s", "fired"),
)
_DECIMALS = 9
"""Of a turn's dollars: a thousandth of what one token costs."""

LENGTHS = (4000, 2000, 1000, 400, 120)
"""Characters of each side of an edit, the first that keeps the page small."""
MOST_CHARACTERS = 1_500_000
"""Of all texts of edits together."""


@value
class Packed:
    """The data of a page."""

    data: Mapping[str, Any]
    cut_to: int | None
    """Characters that the texts were cut to so that the page stays small; None where they stand as they came."""


def packed(document: Mapping[str, Any], *, most_characters: int = MOST_CHARACTERS) -> Packed:
    """The turns and edits of a `cgcli/replay/v1` *document*, whose strings are safe to show already.

    Of each file: its lanes and its policies, of each of these the columns of its turns. A column that is that of the
    file's first policy is left out. A column of words is the different ones and which of them stands where.
    """
    length = _length(document, most_characters)
    texts = _Texts(LENGTHS[0] if length is None else length)
    files = [_file(file, texts) for file in document["files"]]
    return Packed(data={"files": files, "texts": texts.all, "runs": texts.runs}, cut_to=length)


class _Texts:
    """Each text once, and what changed between any two once."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.all: list[str] = []
        self.runs: list[list[int]] = []
        self._at: dict[str, int] = {}
        self._compared: dict[tuple[int, int], int] = {}

    def at(self, text: str | None) -> int | None:
        """Where *text* stands, cut to the length; None where there is none."""
        if text is None:
            return None
        kept = text[: self.length]
        if kept not in self._at:
            self._at[kept] = len(self.all)
            self.all.append(kept)
        return self._at[kept]

    def compared(self, before: int | None, after: int | None) -> int | None:
        """Where it stands what changed between two texts; None where one is missing."""
        if before is None or after is None:
            return None
        if (before, after) not in self._compared:
            self._compared[before, after] = len(self.runs)
            self.runs.append(runs(self.all[before], self.all[after]))
        return self._compared[before, after]


def _length(document: Mapping[str, Any], most_characters: int) -> int | None:
    """The longest length that keeps the texts within *most_characters*; None where nothing needs to be cut for that."""
    texts = {text for edit in _edits(document) for side in ("before", "after") if (text := edit.get(side)) is not None}
    if sum(map(len, texts)) <= most_characters:
        return None
    return next(
        (length for length in LENGTHS if sum(map(len, {text[:length] for text in texts})) <= most_characters),
        LENGTHS[-1],
    )


def _edits(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for file in document["files"]:
        for arm in file["arms"]:
            for turn in arm["turns"]:
                yield from turn["edits"]


def _file(file: Mapping[str, Any], texts: _Texts) -> dict[str, Any]:
    packs = [_columns(arm["turns"]) for arm in file["arms"]]
    first = packs[0] if packs else {}
    return {
        "lanes": [[lane["lane"], lane["label"], lane["model"]] for lane in file["lanes"]],
        "arms": [
            {
                "policy": arm["policy"],
                "columns": pack if pack is first else {name: of for name, of in pack.items() if of != first[name]},
                "edits": {str(i): [_edit(one, texts) for one in turn["edits"]] for i, turn in _edited(arm["turns"])},
            }
            for arm, pack in zip(file["arms"], packs, strict=True)
        ],
        **({"modes": packed_modes(file)} if file["modes"] else {}),
    }


def _columns(turns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {name: _words([turn[name] for turn in turns]) for name in _WORDS}
    made |= {name: [turn[name] for turn in turns] for name in _PLAIN}
    made |= {name: [_number(turn[name]) for turn in turns] for name in _DOLLARS}
    return made | {"reset": [int(turn["reset"]) for turn in turns]}


def _words(column: Sequence[str | None]) -> dict[str, Any]:
    of = list(dict.fromkeys(column))
    at = {word: i for i, word in enumerate(of)}
    return {"of": of, "at": [at[word] for word in column]}


def _number(usd: str | None) -> float | None:
    return None if usd is None else round(float(usd), _DECIMALS)


def _edited(turns: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    return ((i, turn) for i, turn in enumerate(turns) if turn["edits"])


def _edit(edit: Mapping[str, Any], texts: _Texts) -> list[Any]:
    """Path, component, tokens before and after, both texts, what changed between them, whether they are cut."""
    sides = [edit.get("before"), edit.get("after")]
    before, after = (texts.at(side) for side in sides)
    is_cut = bool(edit.get("cut")) or any(side is not None and len(side) > texts.length for side in sides)
    return [
        *(edit["path"], edit["component"], edit["before_tokens"], edit["after_tokens"]),
        *(before, after, texts.compared(before, after), int(is_cut)),
    ]
