"""What `cg probe` says: the document, and its lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.pricing.table import default_prices
from cgcli.probe.probing import at_most
from cgcli.report.probe import document, lines
from tests.live.asking import MARK, text
from tests.live.provider import Fault, Provider
from tests.probe.probed import Probing, conversation
from tests.report.reported import HOSTILE
from tests.snapshots import as_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

Json = dict[str, Any]
OPUS = "claude-opus-4-8"
LONG = (1500, 400, 300, 200)
CASES: dict[str, tuple[Json, Json]] = {
    "all": (conversation(*LONG, mark=MARK), {}),
    "below": (conversation(200, 200, 150, 100, mark=MARK), {"calls": ("standalone", "fork")}),
    "about": (
        conversation(*LONG, mark=MARK, model=OPUS, system=[text(4000, "s", cache_control=MARK)]),
        {"calls": ("fork", "native-threshold", "native-on-demand")},
    ),
    "ceiling": (conversation(*LONG, mark=MARK), {"calls": ("standalone", "fork"), "most_usd": "0.09"}),
    "refused": (conversation(*LONG, mark=MARK), {"calls": ("standalone", "fork"), "faults": [Fault("echo")]}),
    "lost": (conversation(*LONG, mark=MARK), {"calls": ("standalone", "fork"), "faults": [Fault("broken")]}),
    "nothing": (conversation(*LONG, mark=MARK, model="claude-haiku-4-5"), {"calls": ("native-on-demand",)}),
}


def reported(folder: Path, body: Json, options: Json) -> Json:
    """The document of a probe; *options* may have `calls`, `most_usd`, and `faults` that come behind the parent."""
    with Provider() as provider:
        probing = Probing(provider, folder)

        def fail(_: bytes) -> None:
            if len(provider.seen) == 1:
                provider.faults.extend(options.get("faults", ()))

        probed = probing(body, *options.get("calls", ()), after=fail, most_usd=options.get("most_usd"))
    account = probing.budget.account()
    return document(
        "a b.jsonl", [probed], account, at_most(()), url="https://api.provider.example", prices=default_prices()
    )


@pytest.fixture(name="report", params=CASES, ids=str)
def _report(request: pytest.FixtureRequest, tmp_path: Path) -> Json:
    return reported(tmp_path, *CASES[request.param])


def test_the_document_is_this(report: Json, snapshot: SnapshotAssertion) -> None:
    """All keys, in order."""
    assert json.dumps(report, indent=2).encode() + b"\n" == as_file(snapshot, "json")


def test_the_lines_are_these(report: Json, snapshot: SnapshotAssertion) -> None:
    """What a person reads."""
    assert "".join(f"{line}\n" for line in lines(report)).encode() == as_file(snapshot, "txt")


def test_every_document_has_the_same_keys(tmp_path: Path) -> None:
    """Whatever comes of a probe: what is not known is null, never missing."""
    found = [reported(tmp_path, *case) for case in CASES.values()]
    assert len({tuple(one) for one in found}) == 1
    assert len({tuple(one["turns"][0]) for one in found}) == 1
    requests = [request for one in found for request in one["turns"][0]["requests"]]
    assert len({tuple(one) for one in requests}) == 1
    assert len({tuple(one["predicted"]) for one in requests}) == 1
    assert len({tuple(one["measured"]) for one in requests if one["measured"]}) == 1


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    """In every string that a file or a provider can say."""
    report = _filled(reported(tmp_path, *CASES["refused"]), lambda key: key in {"model", "detail", "file", "says"})
    told = "\n".join(lines(report))
    assert "\\x1b[31m" in told
    assert not {"\x1b", "\x00", "\x9b", "\u202e", "\r"} & set(told)


def _filled(tree: Any, is_free: Callable[[str], bool], key: str = "") -> Any:
    """*tree* with hostile text in the place of each string under such a key."""
    if isinstance(tree, dict):
        return {name: _filled(inner, is_free, name) for name, inner in tree.items()}
    if isinstance(tree, list):
        return [_filled(inner, is_free, key) for inner in tree]
    return HOSTILE if isinstance(tree, str) and is_free(key) else tree
