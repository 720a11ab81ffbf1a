"""What a message was read as to be checked is handed on once."""

from __future__ import annotations

import pytest

from cgcli.dialects import named
from cgcli.readers.histories.sound import Sound
from cgcli.wire.spans import Malformed

SAID = b'{"role":"user","content":[{"type":"text","text":"hello"}]}'
ANSWERED = b'{"role":"assistant","content":[{"type":"text","text":"hello"}]}'


def test_a_message_is_taken_once() -> None:
    """Requests tell messages by identity: another one with the same bytes is another message."""
    sound = Sound(named("anthropic"))
    sound.check(SAID)
    found = sound.take("anthropic", SAID)
    assert found is not None
    assert found.wire == SAID
    assert found.role == "user"
    assert sound.take("anthropic", SAID) is None


def test_a_message_is_not_taken_for_another_dialects() -> None:
    """The same bytes read otherwise there."""
    sound = Sound(named("anthropic"))
    sound.check(SAID)
    assert sound.take("openai-chat", SAID) is None
    assert sound.take("anthropic", SAID) is not None


def test_what_stands_in_no_request_is_forgotten() -> None:
    """Rows that were put together with others."""
    sound = Sound(named("anthropic"))
    sound.check(SAID)
    sound.check(ANSWERED)
    sound.keep([None, ANSWERED])
    assert sound.take("anthropic", SAID) is None
    assert sound.take("anthropic", ANSWERED) is not None


def test_what_cannot_be_read_is_refused() -> None:
    """A key that stands twice."""
    with pytest.raises(Malformed, match="twice"):
        Sound(named("anthropic")).check(b'{"role":"user","role":"user","content":"x"}')
