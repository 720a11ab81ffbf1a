"""Count what every component does to real tool outputs, each alone in a policy.

    python -m tests.bench.fires               the public corpus, the demo, and a capture that is made for it
    python -m tests.bench.fires --corpus DIR  the files under DIR in place of the corpus

Sets: `requests` are the corpus' files with requests as they were sent; `histories` are its saved sessions, from which
requests are put together, and the collections of outputs that `tests/bench/pairs.py` reads; `demo` is
fixtures/context-guru/agent.jsonl; `made` is one long session of `tests/bench/session.py`.

A cell is how many outputs a component changed, and the tokens that it took out of them, each output counted once
(o200k_base, no factor). Components that edit a request elsewhere count their changes. Only figures leave a file.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from cgcli.compaction.state import HeldRule
from cgcli.errors import CgError
from cgcli.readers import open_bytes, read
from cgcli.replay.distinct import Distinct
from cgcli.replay.run import Run
from cgcli.summarisers.registry import named as summariser
from tests.bench import pairs, session
from tests.bench.alone import POLICIES, heeds_the_rule, names, policy_of
from tests.running import CORPUS, FIXTURES, NO_CORPUS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cgcli.compaction.pipeline import Evaluation
    from cgcli.lanes import Thread
    from cgcli.model import Request

DEMO = FIXTURES / "context-guru" / "agent.jsonl"
MADE_TURNS = 60
_SETS = ("requests", "histories", "demo", "made")
_MOST_REASONS = 2


class Sized(Distinct):
    """Distinct tool outputs, with their tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.n_outputs = 0
        self.tokens = 0
        self.fired_tokens: Counter[str] = Counter()
        """Per component: what the outputs that it changed had before."""

    def book(self, thread: Thread, request: Request, evaluation: Evaluation) -> None:
        """Take an answer into account."""
        n_before = len(self._decided)
        fired_before = Counter(self.fired)
        super().book(thread, request, evaluation)
        if len(self._decided) > n_before:
            self.n_outputs += 1
            self.tokens += evaluation.slot.tokens
        for name in self.fired - fired_before:
            self.fired_tokens[name] += evaluation.slot.tokens


class Tally:
    """What one component did to a set of files."""

    def __init__(self) -> None:
        self.n_requests = 0
        self.n_outputs = 0
        self.tokens = 0
        self.n_fired = 0
        self.saved_tokens = 0
        self.fired_tokens = 0
        self.reasons: Counter[str] = Counter()

    def add(self, run: Run, told: Sized) -> None:
        """Add one file."""
        self.n_requests += len(run.ledger.rows)
        self.n_outputs += told.n_outputs
        self.tokens += told.tokens
        self.n_fired += sum(told.fired.values())
        self.saved_tokens += sum(told.saved_tokens.values())
        self.fired_tokens += sum(told.fired_tokens.values())
        self.reasons.update({reason: n for (_, reason), n in told.skipped.items() if n})

    @property
    def cell(self) -> str:
        """How often it fired, and for how many tokens."""
        return f"{self.n_fired:,} / {self.saved_tokens:,}" if self.n_fired else "-"

    @property
    def share(self) -> str:
        """What it took out of the outputs that it changed."""
        return f"{self.saved_tokens / self.fired_tokens:.1%}" if self.fired_tokens else ""


def sorted_out(corpus: Path, folder: Path) -> tuple[list[Path], list[Path], int]:
    """The files of *corpus* with requests as they were sent, its histories, and how many it has in all.

    Collections of outputs are written to *folder*, as histories.
    """
    requests: list[Path] = []
    histories: list[Path] = []
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    for i, path in enumerate(files):
        found = _kind(path)
        made = folder / f"pairs-{i}.jsonl"
        if found is not None:
            (histories if found == "history" else requests).append(path)
        elif pairs.write(path, made):
            histories.append(made)
    return requests, histories, len(files)


def _kind(path: Path) -> str | None:
    """`capture` or `history`; None for a file without a request."""
    try:
        with open_bytes(str(path)) as stream:
            capture = read(stream, file=str(path))
            if not any(entry.exchange is not None for entry in capture):
                return None
            return "history" if capture.is_reconstructed else "capture"
    except CgError:
        return None


def tally(files: Iterable[Path], name: str, rule: HeldRule) -> Tally:
    """What the step *name* does to *files*, each of them a run of its own."""
    found = Tally()
    for path in files:
        with open_bytes(str(path)) as stream:
            run = Run(read(stream, file=str(path)), policy_of(name), rule=rule, summariser=summariser("extractive"))
            told = run.ledger.distinct = Sized()
            for _ in run:
                pass
        found.add(run, told)
    return found


def table(files: Mapping[str, Sequence[Path]], rule: HeldRule, steps: Iterable[str]) -> dict[str, dict[str, Tally]]:
    """Print a row per step; what was found."""
    found = {}
    print(f"\nheld {rule}: outputs changed / tokens taken out, once")
    print("".join(f"{head:>20}" for head in ("", *_SETS)).rstrip() + f"{'of those it changed':>22}")
    for name in steps:
        row = {each: tally(files[each], name, rule) for each in _SETS}
        found[name] = row
        both = Tally()
        for each in ("requests", "histories"):
            both.saved_tokens += row[each].saved_tokens
            both.fired_tokens += row[each].fired_tokens
        cells = "".join(f"{row[each].cell:>20}" for each in _SETS)
        print(f"{name:>20}{cells}{both.share:>22}".rstrip(), flush=True)
    return found


def reasons(found: Mapping[str, Mapping[str, Tally]]) -> None:
    """Print why the steps that never fired on the corpus did not."""
    idle = {
        name: row for name, row in found.items() if not any(row[each].n_fired for each in ("requests", "histories"))
    }
    if idle:
        print("\nnever fired on the corpus, and the most frequent reasons")
    for name, row in idle.items():
        told = row["requests"].reasons + row["histories"].reasons
        said = ", ".join(f"{n:,} {reason}" for reason, n in told.most_common(_MOST_REASONS))
        print(f"{name:>20}  {said or 'nothing was asked'}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of saved files")
    args = parser.parse_args()
    if args.corpus is None:
        raise SystemExit(NO_CORPUS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = folder / "made.jsonl"
        session.write(made, turns=MADE_TURNS)
        requests, written, n_files = sorted_out(args.corpus, folder)
        files = {"requests": requests, "histories": written, "demo": [DEMO], "made": [made]}
        print(f"corpus: {n_files} files, {len(requests)} with requests as sent, {len(written)} histories")
        for each, paths in files.items():
            told = tally(paths, "off", HeldRule.RESPECT)
            print(f"{each:>20}  {told.n_requests:,} requests, {told.n_outputs:,} outputs of {told.tokens:,} tokens")
        reasons(table(files, HeldRule.RESPECT, names()))
        table(files, HeldRule.RESPECT, POLICIES)
        reasons(table(files, HeldRule.IGNORE, [name for name in names() if heeds_the_rule(name)]))


if __name__ == "__main__":
    main()
