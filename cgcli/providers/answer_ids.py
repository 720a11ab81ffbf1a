"""What providers call their answers: an answer of another name was not given by one."""

from __future__ import annotations

import re

READ_ON = "2026-11-30"
SOURCE = "ids in 28 public files with Claude's answers: `msg_01` and 22 more; `msg_bdrk_01` and 22 more on Bedrock"
_CLAUDE = re.compile(r"msg_(?:[a-z]+_)?0[0-9A-Za-z]{20,}")


def is_claude_answer(name: str) -> bool:
    """True where *name* is one that Claude's API gives.

    >>> is_claude_answer("msg_01XFDUDYJgAACzvnptvVoYEL"), is_claude_answer("msg_000001")
    (True, False)
    """
    return _CLAUDE.fullmatch(name) is not None
