"""What the snapshots of whole reports do not reach: long lists, faults, and hostile text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.components.collapse import Collapse
from cgcli.compaction.policy import Policy
from cgcli.inspection.inspect import Inspector
from cgcli.readers import open_bytes, read
from cgcli.replay.expand import Expanded
from cgcli.replay.restore import BySlot, Leftover
from cgcli.report import compaction_text, expansion_text, inspection
from cgcli.report.safe import safe
from tests.compaction.stepping import Raises, Says
from tests.lanes.placing import body, lines, turn, user
from tests.running import compact

if TYPE_CHECKING:
    from pathlib import Path

LONG = "\n".join(f"line {i}" for i in range(300))


def _report(folder: Path, data: bytes, policy: Policy | str = "off") -> dict[str, Any]:
    (folder / "in.jsonl").write_bytes(data)
    return compact(folder / "in.jsonl", folder, policy).report


def test_faults_of_components_are_named(tmp_path: Path) -> None:
    """With how many outputs they met, and the first detail."""
    data = lines([body(user("go"), *turn(1, LONG), *turn(2, LONG + "!"))])
    faulty = Policy(name="faulty", components=(Raises(), Says(text=LONG * 2), Collapse(max_tokens=100)))
    shown = compaction_text.lines(_report(tmp_path, data, faulty))
    assert "raises reverted on 2 outputs: raised ZeroDivisionError(2)" in shown
    assert "says reverted on 2 outputs: grew" in shown
    rows = {line.split()[0]: line.split()[1:] for line in shown[3:6]}
    assert (rows["raises"], rows["says"], rows["collapse"][0]) == (["0", "0", "0"], ["0", "0", "0"], "2")


def test_long_lists_of_lanes_and_records_are_cut(tmp_path: Path) -> None:
    """Twelve lanes and five records are shown, the rest is counted; the document has all."""
    records = [body(user(f"{i}"), tools=[], system=f"{i}") for i in range(15)]
    report = _report(tmp_path, lines(records) + b'{"model": NaN}\n' * 7)
    shown = compaction_text.lines(report)
    assert sum(line.startswith("L") for line in shown) == 12
    assert "and 3 more lanes: --json has them all" in shown
    assert "7 unusable records, passed through as they are:" in shown
    assert "  and 2 more: --json has them all" in shown
    assert (len(report["lanes"]), len(report["skipped_records"])) == (15, 7)


def test_an_inspection_of_many_lanes_is_cut(tmp_path: Path) -> None:
    """Twenty are shown."""
    path = tmp_path / "in.jsonl"
    path.write_bytes(lines([body(user(f"{i}"), tools=[], system=f"{i}") for i in range(23)]))
    with open_bytes(str(path)) as stream:
        report = inspection.document(Inspector(read(stream, file="in.jsonl")).inspect())
    shown = list(inspection.lines(report))
    assert sum(line.startswith("L") for line in shown) == 20
    assert "and 3 more lanes: --json has them all" in shown
    assert len(report["lanes"]) == 23


def test_leftovers_are_shown_by_kind_and_cut() -> None:
    """Five of each kind, and not more than 80 characters of each; control characters are shown, not obeyed."""
    left = [Leftover(kind="dangling", line=i, path="messages.0\x1b", text="<<cg:\u202e" + "x" * 99) for i in range(7)]
    done = BySlot(n_restored=1, leftovers=[*left, Leftover(kind="cut", line=9, path="", text="<<cg:")])
    done.kinds.update(one.kind for one in done.leftovers)
    shown = list(expansion_text.lines(Expanded(by_slot=done)))
    assert shown[0] == "no undo record for this file as it is: 1 slot restored one by one"
    assert shown[1:3] == ["1 cut left in place (cut in half):", "  line 9: <<cg:"]
    assert shown[3] == "7 dangling left in place (its original is not in this stash):"
    assert shown[4] == "  line 0, messages.0\\x1b: <<cg:\\u202e" + "x" * 74
    assert len(shown) == 9


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "plain caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{ROCKET}",
            "plain caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{ROCKET}",
        ),
        ("\x1b[2J\x00\x7f\x9b", "\\x1b[2J\\x00\\x7f\\x9b"),
        ("a\tb\nc\r", "a\\tb\\nc\\r"),
        ("\u202e\u2066\u200b\u2028", "\\u202e\\u2066\\u200b\\u2028"),
        ("\u061c\u2060\ufeff\xad\u180e\U000e0041", "\\u061c\\u2060\\ufeff\\u00ad\\u180e\\U000e0041"),
        ("\ud800", "\\ud800"),
    ],
)
def test_hostile_text_is_shown_and_not_obeyed(text: str, shown: str) -> None:
    """Control, bidirectional and invisible characters, and lone surrogates."""
    assert safe(text) == shown
