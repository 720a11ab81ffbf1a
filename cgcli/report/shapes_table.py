"""The shapes of one comparison as the columns of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgcli.report.billed import dollars
from cgcli.report.figures import number
from cgcli.report.safe import safe
from cgcli.report.table import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Cell = Callable[[Mapping[str, Any]], str]
    Rows = Sequence[tuple[str, Cell]]

NOTHING = "-"
NOT_OURS = "n/a"
_HASH_CHARS = 16


def columns(one: Mapping[str, Any]) -> list[str]:
    """The lines of the table of *one* comparison; shapes that are refused have no column."""
    shapes = [shape for shape in one["shapes"] if shape["allowed"]]
    if not shapes:
        return []
    rows = list(_rows(one, shapes))
    head = ("", *(shape["mode"] for shape in shapes))
    return table(head, rows, right=range(1, len(head)))


def _rows(one: Mapping[str, Any], shapes: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    blanks = ("",) * len(shapes)
    for title, rows in _SECTIONS:
        cells = [(f"  {name}", *(cell(shape) for shape in shapes)) for name, cell in rows]
        told = [row for row in cells if any(one not in ("", NOTHING) for one in row[1:])]
        if told:
            yield (title(one), *blanks)
            yield from told


def written(told: Mapping[str, Any]) -> str:
    """What a bill says is written, whatever the lifetime."""
    by_ttl = told["write_tokens"]
    return NOT_OURS if by_ttl is None else number(sum(by_ttl.values()))


def amount(tokens: int | None, absent: str = NOTHING) -> str:
    """*tokens*, or what stands where there are none."""
    return number(tokens) if tokens is not None else absent


def price(told: Mapping[str, Any]) -> str:
    """The dollars of a bill; `n/a` where its cache is not simulated, so that no price can be told."""
    return NOT_OURS if told["reason"] is not None else dollars(told["usd"])


def messages(span: Sequence[int]) -> str:
    """A half-open range of messages as a person says it: `1 to 16`."""
    start, stop = span
    return "none" if start == stop else str(start) if stop == start + 1 else f"{start} to {stop - 1}"


def _allowed(shape: Mapping[str, Any]) -> str:
    return "does not fire" if shape["fires"] is False else "yes"


def _bill(key: str) -> Cell:
    return _of(lambda shape: shape["predicted"], key)


def _after(key: str) -> Cell:
    def cell(shape: Mapping[str, Any]) -> str:
        following = shape["next"]
        if following is not None and following["reason"] is not None:
            return f"no: {following['reason']}" if key == "read_tokens" else NOTHING
        return told(shape)

    told = _of(lambda shape: shape["next"]["predicted"] if shape["next"] is not None else None, key)
    return cell


def _of(bill: Callable[[Mapping[str, Any]], Mapping[str, Any] | None], key: str) -> Cell:
    def cell(shape: Mapping[str, Any]) -> str:
        told = bill(shape)
        if told is None:
            return NOTHING
        if key == "usd":
            return price(told)
        if key == "write_tokens":
            return written(told)
        if key == "read_is_recorded":
            return _known_by(told)
        return amount(told[key], NOT_OURS)

    return cell


def _known_by(told: Mapping[str, Any]) -> str:
    if not told["read_tokens"]:
        return NOTHING
    return "recorded" if told["read_is_recorded"] else "counted"


def _missed(shape: Mapping[str, Any]) -> str:
    """Why what is shared is not all read."""
    told = shape["predicted"]
    if told is None or told["read_tokens"] is None or told["read_tokens"] >= shape["shared"]["tokens"]:
        return NOTHING
    return str(told["why"] or NOTHING)


def _shared(key: str) -> Cell:
    return lambda shape: number(shape["shared"][key])


def _kept(key: str) -> Cell:
    def cell(shape: Mapping[str, Any]) -> str:
        following = shape["next"]
        if following is None or following["reason"] is not None:
            return NOTHING
        if key == "covers":
            return messages(following["covers"])
        return _place(following["parts_at"]) if key == "parts_at" else number(following[key])

    return cell


def _place(at: str | None) -> str:
    return "nowhere" if at is None else safe(at)


def _fork_prefix(shape: Mapping[str, Any]) -> str:
    verdict = shape["g_fork_prefix"]
    if verdict is None:
        return NOT_OURS
    return str(verdict) if shape["same_bytes"] else f"{verdict}, respelled"


def _summary(shape: Mapping[str, Any]) -> str:
    told = shape["summary"]
    if told is None:
        return NOTHING
    return f"{number(told['tokens'])}{' assumed' if told['is_assumed'] else ''}"


def _scope(shape: Mapping[str, Any]) -> str:
    scope = shape["scope"]
    return "all" if scope["is_all"] else messages(scope["messages"])


def _ours(key: str) -> Cell:
    def cell(shape: Mapping[str, Any]) -> str:
        told = shape[key]
        if told is None:
            return NOT_OURS if not shape["reversible"] else NOTHING
        return "yes" if told is True else number(told)

    return cell


def _second_pass(shape: Mapping[str, Any]) -> str:
    return price(shape["second_pass"]) if shape["second_pass"] is not None else NOTHING


def _replaced(shape: Mapping[str, Any]) -> str:
    told = shape["replaces"]
    if told is None:
        return NOTHING
    return f"-{price(told)}" if told["usd"] is not None else price(told)


def _in_all(shape: Mapping[str, Any]) -> str:
    following = shape["next"]
    told = [shape["predicted"], following["predicted"] if following is not None else None]
    if None in told:
        return NOTHING
    return NOT_OURS if any(one["reason"] is not None for one in told) else dollars(shape["total_usd"])


_CALL: Rows = (
    ("allowed", _allowed),
    ("messages", lambda shape: number(shape["messages"])),
    ("tools", lambda shape: amount(shape["tools"], "not recorded")),
    ("tokens", lambda shape: number(shape["tokens"])),
)
_SHARES: Rows = (
    ("blocks", _shared("blocks")),
    ("tokens", _shared("tokens")),
    ("leading bytes", _shared("leading_bytes")),
    ("parts at", lambda shape: _place(shape["shared"]["parts_at"])),
    ("hash of the prefix", lambda shape: str(shape["prefix_sha256"][:_HASH_CHARS])),
    ("G-FORK-PREFIX", _fork_prefix),
)
_BILLS: Rows = (
    ("read", _bill("read_tokens")),
    ("read is", _bill("read_is_recorded")),
    ("not all, because", _missed),
    ("written", _bill("write_tokens")),
    ("fresh", _bill("fresh_tokens")),
    ("output", _bill("output_tokens")),
    ("costs", _bill("usd")),
    ("second pass", _second_pass),
    ("less the parent", _replaced),
)
_SUMMARISES: Rows = (
    ("messages", _scope),
    ("in scope", lambda shape: number(shape["scope"]["messages_in"])),
    ("out of scope", lambda shape: number(shape["scope"]["messages_out"])),
    ("scoped by", lambda shape: str(shape["scope"]["scoped_by"])),
    ("summary tokens", _summary),
    ("reversible", lambda shape: "yes" if shape["reversible"] else "NO"),
    ("stashed", _ours("stashed")),
    ("replayed", _ours("replayed")),
)
_FOLLOWS: Rows = (
    ("prefix kept, tokens", _kept("kept_tokens")),
    ("prefix kept, messages", _kept("kept_messages")),
    ("lost from", _kept("parts_at")),
    ("summary stands for", _kept("covers")),
    ("read", _after("read_tokens")),
    ("written", _after("write_tokens")),
    ("fresh", _after("fresh_tokens")),
    ("costs", _after("usd")),
    ("saved a turn, tokens", _ours("saved_tokens")),
)
_ENDS: Rows = (
    ("costs", _in_all),
    ("break-even turns", _ours("break_even_turns")),
)


def _dated(one: Mapping[str, Any]) -> str:
    as_of = one["rate"]["as_of"]
    return f"predicted, prices of {as_of}" if as_of else "predicted"


def _following(one: Mapping[str, Any]) -> str:
    told = [shape["next"] for shape in one["shapes"] if shape["next"] is not None]
    return "next request" if any(following["recorded"] for following in told) else "next: the parent again"


_SECTIONS: tuple[tuple[Callable[[Mapping[str, Any]], str], Rows], ...] = (
    (lambda _: "call", _CALL),
    (lambda _: "shared with the parent", _SHARES),
    (_dated, _BILLS),
    (lambda _: "summary", _SUMMARISES),
    (_following, _FOLLOWS),
    (lambda _: "call and next request", _ENDS),
)
