"""What was run, how it ended, and with which errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.model import value
from cgcli.summarisers.extractive.complaints import complaints, ending, kind_of
from cgcli.summarisers.extractive.fitting import Entry
from cgcli.summarisers.extractive.lines import lines, quoted
from cgcli.summarisers.extractive.verbs import command, is_look, keeps_list, touched, verb

if TYPE_CHECKING:
    from cgcli.summarisers.extractive.heard import Heard, Use

_LABEL_CHARS = 160
_MOST_GIVEN = 4
"""Arguments of a call that are shown."""
_GIVEN_CHARS = 60
_LOOK_BEHIND = 100_000
_MOST_FAILED_LINES = 2
_QUOTE = "> "
"""Before what a tool wrote, so that it is not taken for the user's words."""


@value
class Run:
    """All uses of one command, or of one tool with the same arguments."""

    label: str
    n: int
    i_last: int
    """When it was used last."""
    is_told: bool
    """Files or State tell of it: a file tool, a command that only looks at files, a list of things to do."""
    ending: str | None
    """Of the last time."""
    errors: tuple[str, ...]
    """Of the last time that had some."""
    n_with_errors: int
    is_mended: bool
    """The last time had none."""


def runs(heard: Heard) -> tuple[Run, ...]:
    """The runs of a span, in the order of their last use."""
    found: dict[str, Run] = {}
    for i, use in enumerate(heard.uses):
        label = _label(use)
        errors = _errors(use)
        before = found.pop(label, None)
        found[label] = Run(
            label=label,
            n=1 + (before.n if before else 0),
            i_last=i,
            is_told=keeps_list(use) or (is_look(use) if verb(use) is None else any(touched(use))),
            ending=ending(use.output) if use.output else None,
            errors=errors or (before.errors if before else ()),
            n_with_errors=bool(errors) + (before.n_with_errors if before else 0),
            is_mended=not errors,
        )
    return tuple(found.values())


def _errors(use: Use) -> tuple[str, ...]:
    """The error lines of a use; where it only looks at files, its first lines if it failed."""
    output = use.output or ""
    found = [] if is_look(use) or verb(use) is not None else complaints(output)
    if not found and use.failed:
        found = [line for line in map(quoted, lines(output[:_LOOK_BEHIND])) if line][:_MOST_FAILED_LINES]
    return tuple(found)


def _label(use: Use) -> str:
    run = command(use)
    if run is not None:
        shown = [line for line in map(_quoted_label, lines(run)) if line]
        return f"$ {' … '.join(shown[: 2 if shown and '<<' in shown[0] else 1])}".rstrip()
    name = quoted(use.name, _LABEL_CHARS) or "(a call before the span)"
    given = [(leaf.key, quoted(leaf.text, _GIVEN_CHARS)) for leaf in use.given[:_MOST_GIVEN] if leaf.key]
    return quoted(" ".join([name, *(f"{key}={text}" for key, text in given if text)]), _LABEL_CHARS)


def _quoted_label(line: str) -> str:
    return quoted(line, _LABEL_CHARS)


def errors(found: tuple[Run, ...]) -> tuple[Entry, ...]:
    """The error lines, under the command that wrote them; the newest that is not mended is kept longest."""
    seen: set[str] = set()
    entries: list[Entry] = []
    for i, run in enumerate(reversed(found)):
        fresh = tuple(f"{_QUOTE}{line}" for line in run.errors if kind_of(line) not in seen)
        seen.update(map(kind_of, run.errors))
        if fresh:
            entries.append(
                Entry(lines=(run.label + _note(run), *fresh), least=2, rank=i + (len(found) if run.is_mended else 0))
            )
    return tuple(reversed(entries))


def _note(run: Run) -> str:
    if run.is_mended:
        return f" (x{run.n_with_errors} with errors; its last run shows none)"
    return f" (x{run.n_with_errors} with errors)" if run.n_with_errors > 1 else ""


def commands(found: tuple[Run, ...]) -> tuple[Entry, ...]:
    """What was run, with how it ended; the newest are kept longest, what Files and State tell of is left out."""
    entries = []
    for i, run in enumerate(reversed(found)):
        if run.is_told:
            continue
        head = run.label if run.n == 1 else f"{run.label} (x{run.n})"
        tail = (f"{_QUOTE}{run.ending}",) if run.ending else ()
        entries.append(Entry(lines=(head, *tail), rank=i))
    return tuple(reversed(entries))
