"""Lists of commands with their outputs become conversations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.bench import pairs

if TYPE_CHECKING:
    from pathlib import Path


def test_pairs_of_commands_and_outputs_are_read(tmp_path: Path) -> None:
    """A list of commands with their outputs becomes one conversation."""
    history = tmp_path / "pairs.json"
    history.write_text(json.dumps([{"cmd": "ls", "out": "a.py"}, {"cmd": "pwd", "out": "/x"}]))

    assert pairs.write(history, tmp_path / "capture.jsonl") == 3
    last = json.loads((tmp_path / "capture.jsonl").read_text().splitlines()[-1])["messages"]
    assert [block["content"] for message in last[1:] for block in message["content"] if "content" in block] == [
        "a.py",
        "/x",
    ]


def test_a_file_of_another_kind_has_no_pairs(tmp_path: Path) -> None:
    """No list, no JSON, no output."""
    for content in ('{"cmd": "ls"}', "ls", '[{"cmd": "ls"}, 3]'):
        (tmp_path / "other.json").write_text(content)
        assert pairs.write(tmp_path / "other.json", tmp_path / "capture.jsonl") == 0
