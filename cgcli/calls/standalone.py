"""The standalone call: a request of its own, with its own system prompt and the span as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.calls.call import Call, CallMode
from cgcli.calls.instruction import PROMPT
from cgcli.calls.paths import PATHS
from cgcli.calls.render import render
from cgcli.calls.single_turn import Question, single_turn
from cgcli.calls.span import in_parent

if TYPE_CHECKING:
    from cgcli.calls.call import Asking


def standalone(asking: Asking) -> Call:
    """The call: model, what its answer may measure, the prompt as system prompt, and the span as one user message.

    No tools and no thinking, so it shares nothing with the parent; what it keeps of its settings: `single_turn`.
    """
    span, options, parent = asking.selection, asking.options, asking.parent
    located = in_parent(asking) or span
    question = Question(
        model=options.model if options.model is not None else parent.request.model,
        prompt=options.prompt if options.prompt is not None else PROMPT,
        text=render(asking.counted_in.messages[span.start : span.stop]),
        max_tokens=options.max_summary_tokens,
        style=options.style,
    )
    return Call(
        mode=CallMode.STANDALONE,
        body=single_turn(parent.request, question),
        path=PATHS[parent.request.dialect],
        parent=parent.source,
        scope=(located.start, located.stop),
        scoped_by="construction",
        is_reversible=True,
        n_prefix_messages=0,
    )
