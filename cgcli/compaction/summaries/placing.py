"""Put a summary in the place of the messages that it stands for."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from cgcli.calls.call import NATIVE, CallOptions
from cgcli.calls.following import covers, follow_native, follow_summary
from cgcli.calls.summary_message import summary_message, summary_text
from cgcli.calls.why import Why, refuse
from cgcli.compaction.component import MarkerMode
from cgcli.compaction.state import Decision, Fired
from cgcli.compaction.summaries.state import Applied
from cgcli.compaction.summaries.user_messages import kept_texts
from cgcli.markers import KEY_HEX, SENTINEL, marker
from cgcli.model import Digest, Refusal, changed, value
from cgcli.providers.models import lookup
from cgcli.readers.single import parse_body
from cgcli.select.selection import Selection
from cgcli.tokens.meter import MESSAGE_TOKENS
from cgcli.wire.strings import utf8

if TYPE_CHECKING:
    from cgcli.compaction.summaries.span_step import SpanStep
    from cgcli.compaction.summaries.state import Asked
    from cgcli.model import Request
    from cgcli.summarisers.protocol import Summary
    from cgcli.tokens.meter import Meter
    from cgcli.wire.strings import Style


@value
class Spent:
    """Counted tokens of the messages that a summary is to stand for."""

    input_tokens: int
    """With the decisions about their slots, without any summary."""
    lane_tokens: int
    """As the lane has them: less what earlier summaries among them save."""


def original(request: Request, start: int, stop: int) -> bytes:
    """Messages `start:stop` of *request* as they are written, from the first byte of the first to the last of the last.

    The stash keeps exactly this; a comma stands between two messages, and whatever white space was there.
    """
    last = stop - 1
    return bytes(request.raw[request.starts[start] : request.starts[last] + request.messages[last].size_bytes])


def covered(asked: Asked, dialect: str) -> tuple[int, int]:
    """The messages of the input that the answer stands for: Claude's and OpenAI's blocks begin at the first one."""
    return covers(asked.mode, dialect, _selection(asked), asked.n_parent)


def place(
    asked: Asked,
    summary: Summary,
    request: Request,
    settings: SpanStep,
    *,
    style: Style,
    meter: Meter,
    spent: Spent,
) -> Applied | Refusal:
    """The summary in its place in *request*, with what is kept of the user's before it; or why not.

    Where that has not fewer tokens than the messages that it stands for, equality included, it is refused.
    """
    if asked.mode in NATIVE:
        return _provider(asked, summary, request, settings.name, style=style, meter=meter, spent=spent)
    written = original(request, asked.start, asked.stop)
    fits = follow_summary(request, _selection(asked), b"{}")
    if isinstance(fits, Refusal):
        return fits
    digest = sha256(written)
    is_full = settings.marker_mode is MarkerMode.FULL
    key = digest.hexdigest()[:KEY_HEX]
    kept = kept_texts(
        request.messages[asked.start : asked.stop],
        most_tokens=round(settings.user_tokens / float(lookup(request.model).factor)),
        count=meter.count,
        mark=f" {marker(key)}" if is_full else "",
    )
    text = summary_text(summary.text, key if is_full else None)
    if settings.marker_mode is MarkerMode.SUMMARY:
        text = f"{text}\n{SENTINEL}"
    texts = (*kept, text)
    decision = Decision(
        literal=b",".join(summary_message(request.dialect, one, style) for one in texts),
        original=Digest(digest.digest()),
        replacement=Digest(sha256(utf8(text)).digest()),
        fired=(),
        saved_tokens=0,
        is_reversible=is_full,
        style=None,
    )
    placed = Applied(
        start=asked.start,
        stop=asked.stop,
        decision=decision,
        tokens=sum(meter.count(one) + MESSAGE_TOKENS for one in texts),
        n_messages=len(texts),
        kept=tuple(Digest(sha256(utf8(one)).digest()) for one in kept),
    )
    return _smaller(placed, settings.name, spent)


def _provider(
    asked: Asked, summary: Summary, request: Request, step: str, *, style: Style, meter: Meter, spent: Spent
) -> Applied | Refusal:
    """The provider's own block in the place of all that it was told: nothing of ours can bring that back."""
    if summary.block is None:
        return Refusal(reason="no_block", detail="the provider's own block is not at hand: it is needed whole")
    followed = follow_native(
        asked.mode, request, _selection(asked), summary.block, CallOptions(style=style), n_parent=asked.n_parent
    )
    if isinstance(followed, Refusal):
        return followed
    start, stop = followed.covered
    first, last = request.starts[start], request.starts[stop - 1] + request.messages[stop - 1].size_bytes
    if [edit[:2] for edit in followed.edits] != [(first, last)]:
        return refuse(Why.BUILD_FAILED, "the block does not stand for whole messages")
    new = followed.edits[0][2]
    sent = parse_body(followed.body)
    n_new = len(sent.messages) - len(request.messages) + stop - start
    tokens = sum(meter.item(sent.messages[start + i]) for i in range(n_new))
    decision = Decision(
        literal=new,
        original=Digest(sha256(original(request, start, stop)).digest()),
        replacement=Digest(sha256(new).digest()),
        fired=(),
        saved_tokens=0,
        is_reversible=False,
        style=None,
    )
    return _smaller(Applied(start=start, stop=stop, decision=decision, tokens=tokens, n_messages=n_new), step, spent)


def _smaller(placed: Applied, step: str, spent: Spent) -> Applied | Refusal:
    """*placed* with what it saves, which *step* is credited with; or that it saves nothing."""
    tokens = placed.tokens
    if tokens >= spent.lane_tokens:
        n_messages = placed.stop - placed.start
        return Refusal(
            reason="not_smaller",
            detail=f"the summary has {tokens:,} tokens, the {n_messages} messages {spent.lane_tokens:,}",
        )
    saved = spent.input_tokens - tokens
    fired = (Fired(component=step, saved_tokens=saved),)
    return changed(placed, decision=changed(placed.decision, fired=fired, saved_tokens=saved))


def _selection(asked: Asked) -> Selection:
    return Selection(start=asked.start, stop=asked.stop, tokens=0, n_pinned=asked.start)
