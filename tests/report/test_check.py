"""The document of `cg check`, from which every other output is drawn."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from cgcli.checks.base import Verdict
from cgcli.checks.run import Allowed
from cgcli.report.check import conclusion, document, priced_by
from cgcli.report.grouped import Group, grouped, rebilled, shape, told
from cgcli.report.grouped import cost as cost_of
from tests.docs import keys
from tests.docs.pages import DOCS
from tests.report.reported import (
    HOSTILE,
    MISSING,
    SHOWN,
    SHOWN_IDS,
    Saying,
    checked,
    cost,
    finding,
    of_fixture,
    of_hostile,
    report,
    request,
    said,
)
from tests.snapshots import as_file

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

PASS, FAIL, VACUOUS, UNKNOWN = Verdict.PASS, Verdict.FAIL, Verdict.VACUOUS, Verdict.UNKNOWN
GROWING = request(("user", "a")) + request(("user", "a"), ("assistant", "b"), ("user", "c"))
BROKEN = b"".join(
    request(("user", "a"), ("assistant", f"b{n}"), *[("user", "c"), ("assistant", "d")] * 2, ("user", "e"))
    for n in range(3)
)


@pytest.mark.parametrize("name", SHOWN, ids=SHOWN_IDS)
def test_the_document_of_a_fixture(name: str, snapshot: SnapshotAssertion) -> None:
    """It is, byte for byte, what was looked at and found right."""
    assert json.dumps(of_fixture(name), indent=1).encode() == as_file(snapshot, "json")


@pytest.mark.parametrize(
    ("verdicts", "strict", "code", "worst"),
    [
        ([PASS], False, 0, "pass"),
        ([PASS, VACUOUS, UNKNOWN], False, 0, "pass"),
        ([PASS, VACUOUS], True, 6, "pass"),
        ([PASS, UNKNOWN], True, 6, "pass"),
        ([VACUOUS], False, 6, "vacuous"),
        ([UNKNOWN], False, 6, "unknown"),
        ([VACUOUS, UNKNOWN], False, 6, "unknown"),
        ([FAIL], False, 3, "fail"),
        ([PASS, FAIL], False, 3, "fail"),
        ([FAIL, VACUOUS], True, 3, "fail"),
    ],
)
def test_the_exit_code_follows_the_verdicts(verdicts: list[Verdict], strict: bool, code: int, worst: str) -> None:  # noqa: FBT001 - a parameter of the test
    """3 where one fails; 6 where none passes, and under --strict where one is undecided."""
    done = [checked(GROWING, gate=_saying(verdict)) for verdict in verdicts]
    made = report(*done, strict=strict)

    assert (made["exit_code"], made["verdict"]) == (code, worst)


def _saying(verdict: Verdict) -> Saying:
    return Saying(verdict, [finding()] if verdict is FAIL else [], "because")


def test_unreadable_input_comes_before_a_failure() -> None:
    """4 before 3, and --exit-zero forgives 3 and not 4."""
    broken = checked(BROKEN)

    assert [
        document(done, unread, strict=False, exit_zero=forgiving)["exit_code"]
        for done, unread, forgiving in [
            ([broken], [], False),
            ([broken], [], True),
            ([broken], [MISSING], False),
            ([broken], [MISSING], True),
            ([], [MISSING], False),
        ]
    ] == [3, 0, 4, 4, 4]


def test_a_skipped_record_is_unreadable_input_under_strict() -> None:
    """The record is reported with its line either way."""
    done = checked(GROWING + b'{"model": "m", "mess')
    loose, strict = report(done), report(done, strict=True)

    assert (loose["exit_code"], strict["exit_code"]) == (0, 4)
    assert [(one["line"], one["reason"]) for one in loose["files"][0]["skipped_records"]] == [(3, "half_written")]


def test_a_finding_tells_its_lane_and_turn() -> None:
    """Two conversations that take turns are two lanes, and a break is told in its own."""
    other = request(("user", "z")) + request(("user", "z"), ("assistant", "y"), ("user", "x"))
    lines = BROKEN.splitlines(keepends=True)
    mixed = b"".join((lines[0], *other.splitlines(keepends=True), *lines[1:]))
    (file,) = report(checked(mixed))["files"]

    assert [(lane["lane"], lane["requests"], lane["first_line"], lane["last_line"]) for lane in file["lanes"]] == [
        ("L1", 3, 1, 5),
        ("L2", 2, 2, 3),
    ]
    assert [
        (one["lane"], one["epoch"], one["turn"], one["line"], one["request"], one["path"])
        for one in file["gates"][0]["findings"]
    ] == [("L1", None, 2, 4, 3, "messages.1.content"), ("L1", None, 3, 5, 4, "messages.1.content")]


def test_an_allowed_epoch_is_a_note() -> None:
    """A turn that may begin anew is told among the notes, and does not fail the gate."""
    (file,) = report(checked(BROKEN, allowed=Allowed(epochs=frozenset({2, 3}))))["files"]

    assert file["verdict"] == "pass"
    assert [len(file["gates"][0][name]) for name in ("findings", "notes")] == [0, 2]


def test_independent_requests_have_a_common_prefix() -> None:
    """A batch tells how much all its lines share, and that no turn was compared."""
    (file,) = of_fixture("anthropic-batch/input.jsonl")["files"]

    assert file["common_prefix"] == {"blocks": 1, "tools": 0, "system": 1, "messages": 0, "bytes": 509}
    assert [(gate["verdict"], gate["checked"], gate["findings"]) for gate in file["gates"]] == [("vacuous", 0, [])]


def test_a_conversation_has_no_common_prefix() -> None:
    """It is told only of independent requests."""
    assert report(checked(GROWING))["files"][0]["common_prefix"] is None


def test_hostile_text_stays_as_it_is_in_the_document() -> None:
    """JSON escapes it, and who reads it gets the very characters back."""
    made = of_hostile()
    written = json.dumps(made)
    (found,) = json.loads(written)["files"][0]["gates"][0]["findings"]

    assert written.isascii()
    assert not any(ord(sign) < 0x20 for sign in written)
    # A key's lone surrogate is a replacement character in paths; a value keeps it.
    assert HOSTILE.replace("\ud800", "\ufffd") in found["path"]
    assert found["was"].startswith("x" + HOSTILE[:20])


def test_findings_are_grouped_by_the_shape_of_their_place() -> None:
    """Numbers in the path and turns do not tell two findings apart; kind and change do."""
    made = said(
        FAIL,
        finding(path="messages.3.content", cost=cost(5)),
        finding(path="messages.5.content", cost=cost(7)),
        finding(path="messages.5.content", change="removed"),
        finding(path="messages.4.content", kind="other"),
        finding(path="messages.7.content", cost=cost(2, "counted: cl100k_base")),
    )
    groups = grouped(made["files"][0]["gates"][0]["findings"])

    assert [(group.first["path"], group.first["kind"], len(group.others)) for group in groups] == [
        ("messages.3.content", "messages_changed", 2),
        ("messages.5.content", "messages_changed", 0),
        ("messages.4.content", "other", 0),
    ]
    assert groups[0].rebilled == {"counted: o200k_base": 12, "counted: cl100k_base": 2}
    assert rebilled(groups[1].others) == {}


@pytest.mark.parametrize(
    ("path", "same"),
    [
        (None, None),
        ("messages.12.content.0.text", "messages.N.content.N.text"),
        ("tools.3", "tools.N"),
        ("model", "model"),
    ],
)
def test_the_shape_of_a_path_has_no_numbers(path: str | None, same: str | None) -> None:
    """Only whole steps are numbers."""
    assert shape(path) == same


def test_a_group_is_told_once_with_how_often() -> None:
    """Every detail of the first, then the other turns by their lines and what they re-bill."""
    base = said(FAIL, finding(byte=1234, culprit="a date", was="1", now="2", cost=cost(1500, usd="0.005175")))
    first = base["files"][0]["gates"][0]["findings"][0]
    others = [first | {"line": line, "lane": "L2"} for line in range(2, 12)]
    price = "re-billing 15,000 tokens (counted: o200k_base), ~$0.0518"

    assert list(told(Group(first=first, others=others))) == [
        "L1 turn 1, line 1: messages_changed (edited) at messages.3.content, 3 blocks shared",
        "    byte 1,234 of the body, probably a date",
        "    re-bills 1,500 tokens (counted: o200k_base), ~$0.0052",
        '    was  "1"',
        '    now  "2"',
        f"    …and on 10 more turns of 2 lanes (line {', '.join(map(str, range(2, 10)))}, …), {price} more",
    ]


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (("0.25", "0.5"), ", ~$0.75"),
        (("0.25", None), ", ~$0.25 and 1 unpriced"),
        ((None, None), ", unpriced"),
        (("0", "0"), ", ~$0.00"),
        (("-0.5", "0.25"), ", ~-$0.25"),
    ],
)
def test_dollars_add_up_and_what_has_none_is_said(usd: tuple[str | None, ...], text: str) -> None:
    """An unpriced break is never zero dollars; a finding that re-bills nothing is neither."""
    made = said(FAIL, *(finding(cost=cost(5, usd=one)) for one in usd), finding())
    findings = made["files"][0]["gates"][0]["findings"]

    assert [one["usd"] for one in findings] == [*usd, None]
    assert cost_of(findings) == f"10 tokens (counted: o200k_base){text}"
    assert grouped(findings)[0].usd == (None if None in usd else sum(Decimal(one or 0) for one in usd))


def test_what_re_bills_nothing_costs_nothing() -> None:
    """Neither tokens nor dollars, nor a source of them."""
    made = said(FAIL, finding())
    findings = made["files"][0]["gates"][0]["findings"]

    assert cost_of(findings) == ""
    assert grouped(findings)[0].usd is None
    assert priced_by(made) is None


def test_prices_are_those_of_all_models() -> None:
    """Each model of the files once, with its rule or why there is none; no file, no prices."""
    other = GROWING.replace(b"gpt-5", b"gpt-5-huge").splitlines(keepends=True)
    done = [checked(GROWING), checked(b"".join((other[0], GROWING)))]
    made = report(*done)["prices"]

    assert [one["model"] for one in made["rules"]] == ["gpt-5"]
    assert made["rules"][0]["rule"].startswith("gpt-5 of 2026-11-30: $1.25 fresh, $0.125 read")
    assert made["unpriced"] == [{"model": "gpt-5-huge", "reason": "no table has it; --rates FILE takes prices"}]
    assert report(unread=[MISSING])["prices"] is None


def test_what_the_message_does_not_say_is_told_beside_it() -> None:
    """Path, kind and change stand in the next line where the message has none of them."""
    made = said(FAIL, finding(message="five marks"))
    (group,) = grouped(made["files"][0]["gates"][0]["findings"])

    assert list(told(group)) == [
        "L1 turn 1, line 1: five marks",
        "    messages.3.content, messages_changed, edited",
    ]


def test_the_conclusion_is_one_line() -> None:
    """The worst verdict, the counts, what failed, what was not read, and the code."""
    done = [checked(BROKEN), checked(GROWING)]

    assert conclusion(report(*done, unread=[MISSING])) == (
        "FAIL: 1 pass, 1 fail in 3 files; failed: G-APPEND; 1 file not checked; exit 4"
    )
    assert conclusion(report(unread=[MISSING])) == "UNREADABLE: 1 file; 1 file not checked; exit 4"


def test_every_key_is_documented() -> None:
    """The page has each key that is printed, and no other."""
    schema = "cgcli/check/v1"
    told_keys = keys.documented((DOCS / "reference" / "check-json.md").read_text(encoding="utf-8"))[schema]
    allowed = report(checked(BROKEN, allowed=Allowed(epochs=frozenset({2}))))
    unpriced = report(checked(GROWING.replace(b"gpt-5", b"gpt-5-huge")))
    made = [of_hostile(), unpriced, allowed, of_fixture("anthropic-batch/input.jsonl"), of_fixture(SHOWN[0])]
    printed = {key for one in made for key in keys.printed(one, told_keys)}

    assert sorted(printed) == sorted(told_keys)
