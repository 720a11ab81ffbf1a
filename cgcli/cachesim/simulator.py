"""The simulator: what each request of a file reads from its provider's prompt cache, and writes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgcli.cachesim import anthropic, bedrock, claude_reading, deepseek, gemini, openai, openai_earlier, sglang, vllm
from cgcli.cachesim.edited import Edited
from cgcli.cachesim.marked_cache import MarkedCache
from cgcli.cachesim.options import DEFAULTS, CacheOptions
from cgcli.cachesim.past import Past
from cgcli.cachesim.places import Places
from cgcli.cachesim.plan import Plan
from cgcli.cachesim.prefix_cache import PrefixCache
from cgcli.cachesim.sending import Sending
from cgcli.cachesim.tape import Tape
from cgcli.dialects.settings import settings
from cgcli.model import Refusal, changed
from cgcli.providers.cache_rules import MARKED, Family, family
from cgcli.providers.prefix_caches import HISTORY_ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cgcli.cachesim.rule import PrefixRule
    from cgcli.cachesim.simulated import Simulated
    from cgcli.cachesim.tape import Asked
    from cgcli.model import Request, Usage
    from cgcli.tokens.ruler import Ruler

__all__ = ["CacheOptions", "Edited", "Simulator"]

_PLANS: Mapping[Family, Callable[[Places, CacheOptions], Plan | Refusal]] = {
    Family.ANTHROPIC: anthropic.plan,
    Family.BEDROCK: bedrock.plan,
    Family.OPENAI: openai.plan,
}
_RULES: Mapping[Family, Callable[[Request, CacheOptions], PrefixRule]] = {
    Family.OPENAI_EARLIER: openai_earlier.rule,
    Family.GEMINI: gemini.rule,
    Family.DEEPSEEK: deepseek.rule,
    Family.VLLM: vllm.rule,
    Family.SGLANG: sglang.rule,
}


class Simulator:
    """The caches of one file, one for each model, across its lanes. Requests must be sent in the order of their times.

    Rules, sources and what is left out, by family: `docs/explanation/cache-simulator.md`.
    """

    def __init__(self, ruler: Callable[[str | None], Ruler], *, options: CacheOptions = DEFAULTS) -> None:
        """Nothing is held yet; *ruler* gives the ruler of a model, and is asked once for each.

        Raises:
            UsageError: *options* name a provider whose cache is not simulated.
        """
        self._ruler = ruler
        self._options = options
        self._family = options.family
        self._tapes: dict[str | None, Tape] = {}
        self._past = Past()
        self._marked = MarkedCache(self._past)
        self._prefix = PrefixCache(self._past)

    def branch(self) -> Simulator:
        """A simulator that finds all that this one holds, and whose own requests stay its own.

        Costs nothing. What this one is sent later, the branch finds too, as long as room is not limited.
        """
        made = Simulator(self._ruler, options=self._options)
        made._tapes = self._tapes  # measures are the same for both
        made._past = self._past.branch()
        made._marked = self._marked.branch(made._past)
        made._prefix = self._prefix.branch(made._past)
        return made

    def beside(self) -> Simulator:
        """A simulator of the same kind that holds nothing; both together measure each request once."""
        made = Simulator(self._ruler, options=self._options)
        made._tapes = self._tapes
        return made

    def send(
        self,
        request: Request,
        *,
        number: int,
        sent_s: float | None,
        readable_s: float | None = None,
        usage: Usage | None = None,
    ) -> Simulated | Refusal:
        """What *request* reads and writes; the cache holds it from now on, and goes on holding what was read.

        *number* is the request's name in later results. It was sent at *sent_s*, and its answer began at *readable_s*:
        only then others read what it writes; None: at once. A measured *usage* does not change what is told of this
        request: a later one that reads its last entry reads exactly what it says. One that neither read nor wrote,
        where there are breakpoints, left nothing.
        """
        sending = Sending(number=number, sent_s=sent_s, readable_s=readable_s, usage=usage)
        places, asked = self._looked_at(request)
        if isinstance(asked, Refusal):
            return asked
        if isinstance(asked, Plan):
            return self._marked.send(places, asked, sending)
        return self._prefix.send(places, asked, sending)

    def what_if(self, request: Request, *, sent_s: float | None) -> Simulated | Refusal:
        """What *request* would read and write, sent now; nothing changes."""
        places, asked = self._looked_at(request)
        if isinstance(asked, Refusal):
            return asked
        if isinstance(asked, Plan):
            return self._marked.what_if(places, asked, sent_s)
        return self._prefix.what_if(places, asked, sent_s)

    def edited(self, request: Request, *, sent_s: float | None) -> Edited | Refusal:
        """What *request* would read and write, sent now, if it were edited somewhere; nothing changes."""
        places, asked = self._looked_at(request)
        if isinstance(asked, Refusal):
            return asked
        if isinstance(asked, Plan):
            return self._marked.edited(places, asked, sent_s)
        return self._prefix.edited(places, asked, sent_s)

    def _looked_at(self, request: Request) -> tuple[Places, Asked]:
        """The places of *request*, and what it asks of its cache."""
        tape = self._tape(request.model)
        if tape.latest is None or tape.latest[0].request is not request:
            is_claudes = self._family_of(request) in MARKED and request.dialect == "anthropic"
            places = claude_reading.places(request, tape, self._options) if is_claudes else Places(request, tape)
            tape.latest = places, self._asked(places)
        return tape.latest

    def _family_of(self, request: Request) -> Family | None:
        return self._family if self._family is not None else _family(request)

    def _asked(self, places: Places) -> Asked:
        """What the request asks of its cache, or what its family makes of it."""
        request = places.request
        found = self._family_of(request)
        if found is None:
            model = request.model or "a request without a model"
            known = ", ".join(one for one in Family)
            detail = f"the cache of {model} ({request.dialect}) is not simulated: those of {known} are"
            return Refusal(reason="no_cache_model", detail=detail)
        told = settings(request)
        elsewhere = next((key for key in HISTORY_ELSEWHERE.get(found, ()) if told.get(key) is not None), None)
        if elsewhere is not None:
            return Refusal(reason="history_not_recorded", detail=f"`{elsewhere}` stands for messages that are not here")
        asked = _PLANS[found](places, self._options) if found in _PLANS else _RULES[found](request, self._options)
        least = self._options.minimum_tokens
        return asked if least is None or isinstance(asked, Refusal) else changed(asked, minimum_tokens=least)

    def _tape(self, model: str | None) -> Tape:
        known = self._tapes.get(model)
        if known is None:
            known = self._tapes[model] = Tape(self._ruler(model))
        return known


def _family(request: Request) -> Family | None:
    """A Claude body without a model says itself where it is for Bedrock."""
    found = family(request.dialect, request.model)
    if found is Family.ANTHROPIC and request.model is None:
        version = settings(request).get("anthropic_version")
        return Family.BEDROCK if isinstance(version, str) and version.startswith("bedrock-") else found
    return found
