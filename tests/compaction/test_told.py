"""Nothing that is told is lost under any policy: it stands in the request, or a marker in the request leads to it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from cgcli.compaction.components.path_folds import unfold
from cgcli.compaction.policy import named
from cgcli.compaction.presets import BUILT_IN
from cgcli.stash.store import Stash
from cgcli.summarisers.extractive.summariser import Extractive
from tests import oracle
from tests.compaction.drawing import alone, everything
from tests.compaction.promises import Watch, written
from tests.compaction.telling import KINDS, RUN, is_told, plain
from tests.compaction.viewing import Asked, Said, bash, body, reads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from cgcli.compaction.policy import Policy
    from tests.compaction.viewing import Json, Step

IN_PLAIN_SIGHT = ("off", "safe", "coding", "mcp", "house", "clear-thinking")
"""They take nothing away by its age or its size."""
BY_SIZE: Mapping[str, Mapping[str, object]] = {
    "codex-local": {"budget_tokens": 9000},
    "ladder": {"budget_tokens": 9000},
    "pi-keep-recent": {"budget_tokens": 9000, "keep_recent_tokens": 3000},
    "summarize": {"budget_tokens": 9000},
}
RULE = "Never touch src/app.py:41, whatever error it gives."


def session(dialect: str) -> bytes:
    """An agent that looks at this project's own files, at changes of them and at logs; with a rule of the user's."""
    texts = [(kind, text) for kind, found in KINDS.items() for text in _short(found)]
    steps: list[Step] = [Asked(text=RULE)]
    bodies = []
    for i, (kind, text) in enumerate(texts):
        shown = reads(f"{i}.txt", text) if kind in ("sources", "numbered") else bash(f"./show {i}", text)
        again = bash("make", f"{RUN}take {i}") if i % 3 else bash("make", "all is well")
        steps += [shown, again]
        if i % 4:
            steps += [Said(text="So."), Asked(text=f"Part {i}: error 7 stays.")]
        bodies.append(body(steps, dialect))
    return written(bodies)


def _short(texts: list[str]) -> list[str]:
    return [text for text in texts if len(text) < 5000][:2]


def strings(found: Any) -> Iterator[str]:
    """Every string in a JSON value, keys apart."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, list | dict):
        for inner in found.values() if isinstance(found, dict) else found:
            yield from strings(inner)


def in_sight(one: Json, stash: Stash | None) -> set[str]:
    """The lines that are told in a request, and in what its markers lead to where there is a *stash*."""
    waiting = list(strings(one))
    lines: set[str] = set()
    seen: set[str] = set()
    while waiting:
        text = waiting.pop()
        for shown in {text, unfold(text) or text}:
            without_notes = (re.sub(r"  \(x\d+\)\r?$", "", line) for line in shown.split("\n"))
            lines |= {plain(state) for line in without_notes for state in line.split("\r")}
        if stash is not None:
            for key in set(re.findall("<<cg:([0-9a-f]{16})>>", text)) - seen:
                seen.add(key)
                waiting += original(stash, key)
    return {line for line in lines if is_told(line)}


def original(stash: Stash, key: str) -> Iterator[str]:
    """The strings of what *key* leads to: a text, or messages."""
    data = stash.get(stash.resolve(key))
    assert hashlib.sha256(data).hexdigest()[:16] == key
    text = data.decode()
    try:
        yield from strings(json.loads(f"[{text}]"))
    except ValueError:
        yield text


def lost(watch: Watch, *, through_markers: bool) -> list[str]:
    """What is told in a request as it came and not as it was sent."""
    stash = Stash.open(watch.done.stash, create=False) if through_markers and watch.done.stash.exists() else None
    old = [one for _, one in oracle.bodies(watch.before)]
    new = [one for _, one in oracle.bodies(watch.after)]
    found: dict[str, None] = {}
    for was, now in zip(old[::5], new[::5], strict=True):
        found |= dict.fromkeys(sorted(in_sight(was, None) - in_sight(now, stash)))
    return list(found)


def watched(tmp_path: Path, policy: Policy, *, dialect: str = "anthropic", held: str = "respect") -> Watch:
    """The session under *policy*."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(session(dialect))
    return Watch(source, tmp_path, policy, held=held, summariser=Extractive())


def small(name: str) -> Policy:
    """A built-in policy, with a budget that the session exceeds where it has one."""
    return alone(name, **BY_SIZE[name]) if name in BY_SIZE else named(name)


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_policy_loses_nothing_that_is_told(name: str, tmp_path: Path) -> None:
    """Faults, places, exit codes and the user's rules: in the request, or behind one of its markers."""
    watch = watched(tmp_path, small(name))
    assert watch.broken() == []
    assert lost(watch, through_markers=True) == []


@pytest.mark.parametrize("name", IN_PLAIN_SIGHT)
def test_policy_that_takes_nothing_by_age_leaves_it_in_plain_sight(name: str, tmp_path: Path) -> None:
    """Without any marker being looked at."""
    assert lost(watched(tmp_path, named(name)), through_markers=False) == []


@pytest.mark.parametrize("name", everything())
def test_component_loses_nothing_that_is_told(name: str, tmp_path: Path) -> None:
    """As it acts at its most eager, in a warm prefix too."""
    watch = watched(tmp_path, alone(name), dialect="openai-chat", held="ignore")
    assert lost(watch, through_markers=True) == []


def test_what_leaves_for_good_is_found(tmp_path: Path) -> None:
    """Without markers a mask loses lines, and the check names them; the newest output is not among them."""
    watch = watched(tmp_path, alone("mask", marker_mode="off", keep_recent=1), held="ignore")
    missing = lost(watch, through_markers=True)
    assert len([line for line in missing if line.startswith("cgcli/")]) > 10
    assert "exit code: 3" not in missing


@pytest.mark.parametrize(("name", "users"), [("codex-local", True), ("pi-keep-recent", False), ("summarize", True)])
def test_which_words_of_the_users_a_summary_replaces(name: str, *, users: bool, tmp_path: Path) -> None:
    """Codex and `summarize` keep the rule that the task has; pi's summary alone tells of it. None is made up."""
    watch = watched(tmp_path, small(name))
    old, new = ([one for _, one in oracle.bodies(data)][-1] for data in (watch.before, watch.after))
    said = {text for message in new["messages"] if message["role"] == "user" for text in strings(message["content"])}
    assert (RULE in said) == users
    assert RULE in "\n".join(said)
    known = {text for message in old["messages"] for text in strings(message)}
    assert [text for text in said - known - {"text"} if "<<cg:" not in text] == []
