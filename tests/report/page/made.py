"""Documents of `cg replay`, made by arithmetic: any number of turns and policies, every field of the schema."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

POLICIES = ("off", "mask", "codesafe", "house", "agent", "safe", "balanced", "coding", "mcp", "general", "summarize")
_WORDS = "index handler request queue worker retry budget ledger socket parser buffer schema token window".split()

# What a policy keeps of a tool output, in percent, and every how many turns it acts.
_KEEPS = {policy: (100 if policy == "off" else 10 + 7 * i, 1 + i % 4) for i, policy in enumerate(POLICIES)}
_MODEL = "claude-opus-4-5"
_READ, _WRITE, _FRESH, _OUTPUT = (Decimal(n) / 1_000_000 for n in ("0.5", "6.25", "5", "25"))


def output(n: int, lines: int = 12) -> str:
    """The *n*-th tool output: *lines* of invented code and words."""
    made = []
    for i in range(lines):
        word, other = _WORDS[(n * 7 + i * 3) % len(_WORDS)], _WORDS[(n + i * 5) % len(_WORDS)]
        made.append(f"{i + 1:4}\tdef {word}_{other}(self, {other}: int) -> str:  # {word} {n}.{i} of the {other}")
    return "\n".join(made)


def turn(i: int, **fields: Any) -> dict[str, Any]:
    """The turn number *i*: nothing was done and all that was sent before is read, but for *fields*."""
    before = 12_000 + 1_500 * i
    made: dict[str, Any] = {
        "number": i,
        "line": i + 1,
        "lane": "L1",
        "turn": i + 1,
        "model": _MODEL,
        "sent_s": 1764500000.0 + 30 * i,
        "before_tokens": before,
        "input_tokens": before,
        "read_tokens": before - 1_500 if i else 0,
        "write_tokens": 1_490 if i else 11_990,
        "write_by_ttl_s": {"300": 1_490 if i else 11_990},
        "fresh_tokens": 10,
        "output_tokens": 220 + 10 * (i % 7),
        "why": None if i else "first_request",
        "read_line": i or None,
        "not_simulated": None,
        "usd": "0",
        "own_usd": "0",
        "cumulative_usd": "0",
        "cumulative_off_usd": "0",
        "fired": {},
        "removed_tokens": 0,
        "reset": False,
        "edits": [],
    }
    return made | fields


def totals(**fields: Any) -> dict[str, Any]:
    """Totals of a policy that did nothing, but for *fields*."""
    made: dict[str, Any] = dict.fromkeys(
        [
            *("requests_changed", "fired", "epochs_reset", "removed_gross_tokens", "removed_unique_tokens"),
            *("own_calls", "irreversible", "refetches", "cites", "regret_tokens"),
        ],
        0,
    )
    made |= {
        "requests": 3,
        "simulated_requests": 3,
        "priced_requests": 3,
        "input_tokens": 40_500,
        "read_tokens": 25_500,
        "write_tokens": 14_970,
        "fresh_tokens": 30,
    }
    made |= {"output_tokens": 690, "hit_rate": 0.6296, "own_usd": "0", "usd": "0.12", "off_difference_usd": "0"}
    made |= dict.fromkeys(["requests", "simulated_requests", "priced_requests"], 3)
    return made | {"break_even_turns": None, "break_even": "nothing_changed"} | fields


def arm(policy: str, **fields: Any) -> dict[str, Any]:
    """A policy with three turns that did nothing, but for *fields*."""
    made: dict[str, Any] = {
        "policy": policy,
        "mode": None,
        "held": "respect",
        "steps": [] if policy == "off" else ["format", policy],
        "call": None,
        "warnings": [],
        "totals": totals(),
        "components": [],
        "refusals": [],
        "gates": [],
        "turns": [turn(i) for i in range(3)],
        "regrets": [],
        "own_calls": [],
    }
    return made | fields


def file(arms: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """A file under *arms*, without a self-check, but for *fields*."""
    made: dict[str, Any] = {
        "file": "capture.jsonl",
        "format": "context-guru",
        "basis": {"reconstructed": False, "not_recorded": []},
        "clock": {"kind": "file", "gap_s": None, "requests_without_time": 0},
        "cache_tokens": None,
        "passed_records": {},
        "skipped_records": [],
        "provider": None,
        "expand_tool": "auto",
        "prices": {"as_of": "2026-11-30", "source": "the providers' price pages"},
        "tokens_basis": "claude-opus-4-5: estimated: o200k_base x 1.24, fitted to 17 requests",
        "requests": len(arms[0]["turns"]),
        "lanes": [{"lane": "L1", "label": "main", "model": _MODEL, "requests": 3, "lines": "1-3"}],
        "self_check": nothing_compared(),
        "arms": arms,
        "pareto": ["off"],
        "modes": [],
        "sweep": None,
    }
    return made | fields


def document(files: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """A replay of *files*, but for *fields*."""
    made: dict[str, Any] = {
        "schema": "cgcli/replay/v1",
        "policies": [one["policy"] for one in files[0]["arms"]],
        "files": files,
        "failed": [],
        "total": None,
        "notes": ["Open loop: recorded answers stand, whatever was sent; re-reads and worse answers are not modelled."],
    }
    return made | fields


def session(n_turns: int, n_policies: int, *, lines: int = 12) -> dict[str, Any]:
    """A realistic file: *n_turns* turns under the first *n_policies* policies, tool outputs of *lines* lines each."""
    arms: list[dict[str, Any]] = []
    for policy in POLICIES[:n_policies]:
        arms.append(_session_arm(policy, n_turns, lines, off=arms[0] if arms else None))
    side = {i for i in range(n_turns) if _lane(i) == "L2"}
    lanes = [
        {"lane": "L1", "label": "main", "model": _MODEL, "requests": n_turns - len(side), "lines": f"1-{n_turns}"},
        {"lane": "L2", "label": "side", "model": _MODEL, "requests": len(side), "lines": "19, 39, ..."},
    ]
    best = min(arms, key=lambda one: Decimal(one["totals"]["usd"]))["policy"]
    pareto = [one["policy"] for one in arms if one["policy"] in ("off", best)]
    return file(arms, lanes=lanes, pareto=pareto, self_check=_self_check(n_turns))


def _lane(i: int) -> str:
    return "L2" if i % 20 == 18 else "L1"


def _session_arm(policy: str, n_turns: int, lines: int, *, off: dict[str, Any] | None) -> dict[str, Any]:
    keeps, every = _KEEPS[policy]
    turns: list[dict[str, Any]] = []
    spent = Decimal(0)
    removed = held = 0
    for i in range(n_turns):
        made = turn(i, lane=_lane(i))
        acts = keeps < 100 and i % every == 0 and i > 2
        was_reset = acts and i % 17 == 0
        edits = [_edit(policy, i, keeps, lines)] if acts else []
        removed += sum(one["before_tokens"] - one["after_tokens"] for one in edits) * 3
        sent = made["before_tokens"] - removed
        is_miss = i % 23 == 22
        read = 0 if is_miss else held // 3 if was_reset else held
        why = "expired" if is_miss else "messages_changed" if was_reset else made["why"]
        write = sent - read - 10
        own = Decimal("0.0004") if was_reset and policy == "agent" else Decimal(0)
        usd = read * _READ + write * _WRITE + 10 * _FRESH + made["output_tokens"] * _OUTPUT + own
        spent += usd
        held = sent - 10
        made |= {"input_tokens": sent, "read_tokens": read, "write_tokens": write, "write_by_ttl_s": {"300": write}}
        made |= {"why": why, "reset": was_reset, "edits": edits, "fired": {policy: 1} if acts else {}}
        made |= {"removed_tokens": removed, "usd": str(usd), "own_usd": str(own), "cumulative_usd": str(spent)}
        made["cumulative_off_usd"] = str(spent) if off is None else off["turns"][i]["cumulative_usd"]
        turns.append(made)
    regrets = [_regret(policy, i) for i in range(8, n_turns, 25)] if keeps < 30 else []
    return arm(
        policy,
        turns=turns,
        totals=_session_totals(turns, regrets, off),
        regrets=regrets,
        call="fork" if policy == "agent" else None,
        steps=[] if off is None else ["format", "textclean", "dedup", policy],
        gates=_gates(policy),
        components=[] if off is None else [_component(policy, turns)],
        refusals=[{"reason": "no_model", "times": 3, "detail": "no summariser is given"}] if off is not None else [],
        own_calls=[_own_call(one["line"]) for one in turns if Decimal(one["own_usd"])],
    )


def _edit(policy: str, i: int, keeps: int, lines: int) -> dict[str, Any]:
    before = output(i, lines)
    kept = before.split("\n")[: max(1, lines * keeps // 100)]
    after = "\n".join([*kept, f"<<cg:{i:016x}>> {lines - len(kept)} lines by {policy}"])
    path = f"messages.{2 * i + 1}.content.0.content"
    tokens = {"before_tokens": len(before) // 4, "after_tokens": len(after) // 4}
    return {"path": path, "component": policy, **tokens, "before": before, "after": after, "cut": False}


def _session_totals(turns: list[dict[str, Any]], regrets: list[dict[str, Any]], off: Any) -> dict[str, Any]:
    summed = {
        key: sum(one[key] for one in turns)
        for key in ("input_tokens", "read_tokens", "write_tokens", "fresh_tokens", "output_tokens")
    }
    usd = sum((Decimal(one["usd"]) for one in turns), Decimal(0))
    edits = [edit for one in turns for edit in one["edits"]]
    own = [Decimal(one["own_usd"]) for one in turns if Decimal(one["own_usd"])]
    against = Decimal(0) if off is None else usd - Decimal(off["totals"]["usd"])
    return totals(
        **summed,
        requests=len(turns),
        simulated_requests=len(turns),
        priced_requests=len(turns),
        requests_changed=sum(bool(one["removed_tokens"]) for one in turns),
        fired=len(edits),
        epochs_reset=sum(one["reset"] for one in turns),
        removed_unique_tokens=sum(edit["before_tokens"] - edit["after_tokens"] for edit in edits),
        removed_gross_tokens=sum(one["removed_tokens"] for one in turns),
        hit_rate=summed["read_tokens"] / summed["input_tokens"],
        own_calls=len(own),
        own_usd=str(sum(own, Decimal(0))),
        usd=str(usd),
        off_difference_usd=str(against),
        break_even="nothing_changed" if off is None else "reached" if against < 0 else "not_reached",
        break_even_turns=7 if against < 0 else None,
        refetches=sum(one["kind"] == "refetch" for one in regrets),
        cites=sum(one["kind"] == "cite" for one in regrets),
        regret_tokens=sum(one["tokens"] for one in regrets),
    )


def _regret(policy: str, i: int) -> dict[str, Any]:
    return {
        "kind": "refetch" if i % 2 else "cite",
        "component": policy,
        "dropped_line": i + 1,
        "dropped_path": f"messages.{2 * i + 1}.content.0.content",
        "needed_line": i + 5,
        "needed_path": f"messages.{2 * i + 8}.content.0.input.path",
        "evidence": output(i, 1).strip(),
        "tokens": 120 + i,
    }


def _gates(policy: str) -> list[dict[str, Any]]:
    verdicts = {"G-APPEND": "fail" if policy == "house" else "pass", "G-TOOL-PAIRS": "pass", "G-THINKING": "vacuous"}
    said = {
        "fail": "turn 18 changes what was sent",
        "pass": "holds in every turn",
        "vacuous": "nothing to check",
    }
    return [{"gate": gate, "verdict": verdict, "detail": said[verdict]} for gate, verdict in verdicts.items()]


def _component(policy: str, turns: list[dict[str, Any]]) -> dict[str, Any]:
    edits = [edit for one in turns for edit in one["edits"]]
    return {
        "name": policy,
        "fired": len(edits),
        "removed_unique_tokens": sum(edit["before_tokens"] - edit["after_tokens"] for edit in edits),
        "removed_gross_tokens": sum(one["removed_tokens"] for one in turns),
        "skipped": {"below_min_tokens": 4, "held_prefix": 11},
        "reverted": {},
    }


def _own_call(line: int) -> dict[str, Any]:
    tokens = {"read_tokens": 9_000, "write_tokens": 400, "fresh_tokens": 12, "output_tokens": 310}
    return {
        "line": line,
        "what": "summary",
        "mode": "fork",
        "basis": "simulated",
        "model": _MODEL,
        **tokens,
        "usd": "0.0004",
        "refused": None,
    }


def nothing_compared() -> dict[str, Any]:
    """The self-check of a file without usage."""
    return {
        "compared": 0,
        "exact": 0,
        "structural": 0,
        "predicted_read_tokens": 0,
        "recorded_read_tokens": 0,
        "error_tokens": 0,
        "error_share": None,
        "assumed_marks": False,
        "explained": {},
        "provider_side": 0,
        "unexplained": 0,
        "excluded": {"no_usage": 3},
        "turns": [],
    }


def _self_check(n_turns: int) -> dict[str, Any]:
    """All but fourteen turns were compared; two of them are not exact."""
    compared = n_turns - 14
    odd = {"line": 5, "lane": "L1", "turn": 5, "predicted_read_tokens": 27_000, "recorded_read_tokens": 0}
    return nothing_compared() | {
        "compared": compared,
        "exact": compared - 2,
        "structural": compared,
        "predicted_read_tokens": 1_563_000,
        "recorded_read_tokens": 1_536_000,
        "error_tokens": 27_000,
        "error_share": 0.017578,
        "explained": {"expired": 1},
        "provider_side": 1,
        "excluded": {"no_usage": 1, "aborted": 13},
        "turns": [
            odd | {"class": "provider-side", "why": None},
            odd | {"line": 6, "turn": 6, "predicted_read_tokens": 0, "class": "explained", "why": "expired"},
        ],
    }
