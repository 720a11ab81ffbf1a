"""SARIF of `cg check`, held against the public schema."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

import pytest
from jsonschema import Draft4Validator

from cgcli.checks.base import Verdict
from cgcli.checks.gates.append import RULE
from cgcli.report.sarif import document
from tests.report.reported import (
    HOSTILE,
    HOSTILE_FILE,
    MISSING,
    SHOWN,
    SHOWN_IDS,
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

SCHEMA = Draft4Validator(json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0-rtm.5.json").read_text("utf-8")))


def _valid(made: dict[str, Any]) -> dict[str, Any]:
    """The one run of the SARIF log of *made*, which the schema takes."""
    log = document(made, [RULE], version="1.2.3")
    SCHEMA.validate(log)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


@pytest.mark.parametrize("name", SHOWN, ids=SHOWN_IDS)
def test_the_sarif_of_a_fixture(name: str, snapshot: SnapshotAssertion) -> None:
    """It is valid, and what was looked at and found right."""
    made = of_fixture(name)
    _valid(made)

    assert json.dumps(document(made, [RULE], version="1.2.3"), indent=1).encode() == as_file(snapshot, "json")


def test_the_schema_refuses_what_is_no_sarif() -> None:
    """The check can fail: a result without a message, and a member that does not exist, are not valid."""
    log = document(of_fixture(SHOWN[0]), [RULE], version="1.2.3")
    del log["runs"][0]["results"][0]["message"]
    log["runs"][0]["odd"] = 1

    assert len(list(SCHEMA.iter_errors(log))) == 2


def test_a_group_is_one_result() -> None:
    """With how often it occurs, where else, and what SARIF has no place for."""
    made = said(
        Verdict.FAIL,
        *(
            finding(path=f"messages.{n}.content", byte=n, cost=cost(n, usd="0.001"), culprit="a date")
            for n in range(30)
        ),
    )
    (result,) = _valid(made)["results"]

    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("G-APPEND", 0, "error")
    assert result["occurrenceCount"] == 30
    assert len(result["relatedLocations"]) == 20
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a.jsonl", "index": 0},
                "region": {"startLine": 1},
            },
            "logicalLocations": [{"fullyQualifiedName": "messages.0.content", "kind": "member"}],
        }
    ]
    assert result["properties"] == {
        "kind": "messages_changed",
        "change": "edited",
        "culprit": "a date",
        "bodyByte": 0,
        "rebilledTokens": {"counted: o200k_base": 435},
        "rebilledUsd": "0.030",
    }


def test_results_without_a_price_have_no_dollars() -> None:
    """One unpriced finding leaves the group without; the run says where dollars are from only where there are any."""
    some = _valid(said(Verdict.FAIL, finding(cost=cost(1, usd="1")), finding(cost=cost(1, usd=None))))
    none = _valid(said(Verdict.FAIL, finding(cost=cost(1, usd=None))))

    assert [run["results"][0]["properties"].get("rebilledUsd") for run in (some, none)] == [None, None]
    assert some["properties"]["prices"].startswith("dollars from the built-in table")
    assert "properties" not in none


def test_a_fingerprint_stays_when_the_capture_is_recorded_anew() -> None:
    """Turn, line, byte and the numbers in a path are not in it; the kind is."""
    prints = [
        _valid(said(Verdict.FAIL, one))["results"][0]["partialFingerprints"]["cgFinding/v1"]
        for one in (
            finding(),
            finding(path="messages.9.content", byte=7, line=3),
            finding(kind="tools_changed"),
        )
    ]

    assert prints[0] == prints[1] != prints[2]


@pytest.mark.parametrize(
    ("verdict", "strict", "level"),
    [
        (Verdict.VACUOUS, False, "note"),
        (Verdict.VACUOUS, True, "warning"),
        (Verdict.UNKNOWN, False, "warning"),
    ],
)
def test_an_undecided_gate_is_a_notification(verdict: Verdict, strict: bool, level: str) -> None:  # noqa: FBT001 - a parameter of the test
    """It is no result, and cannot be taken for a pass either."""
    run = _valid(said(verdict, reason="because", strict=strict))
    (told,) = run["invocations"][0]["toolExecutionNotifications"]

    assert run["results"] == []
    assert (told["level"], told["message"]["text"]) == (level, f"G-APPEND is {verdict.value}: because")
    assert told["associatedRule"] == {"id": "G-APPEND", "index": 0}


def test_a_file_that_cannot_be_read_fails_the_run() -> None:
    """The execution is not successful, says why, and has the code that the process ends with."""
    run = _valid(report(checked(request(("user", "a"))), unread=[MISSING]))
    (invocation,) = run["invocations"]

    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 4)
    assert [
        (one["level"], one["message"]["text"])
        for one in invocation["toolExecutionNotifications"]
        if one["level"] == "error"
    ] == [("error", "gone.jsonl: no such file")]


def test_the_rules_are_those_of_the_run() -> None:
    """Each with what the gate's own rule says."""
    (rule,) = _valid(of_fixture(SHOWN[0]))["tool"]["driver"]["rules"]

    assert rule["id"] == "G-APPEND"
    assert rule["shortDescription"]["text"] == "A lane grows only at its end"
    assert rule["properties"] == {"since": "0.2.0"}


def test_a_name_of_a_file_is_a_uri() -> None:
    """A hostile name comes back from the URI byte for byte; an absolute one is a `file:` URI."""
    run = _valid(of_hostile())
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    absolute = _valid(report(checked(request(("user", "a")), file="/a b.jsonl")))

    assert unquote_to_bytes(uri) == HOSTILE_FILE.encode()
    assert set(uri) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%/")
    assert absolute["artifacts"] == [{"location": {"uri": "file:///a%20b.jsonl"}}]


def test_a_file_that_is_named_twice_is_one_artifact() -> None:
    """The schema wants artifacts unique, and each result finds its own."""
    done = checked(request(("user", "a")))

    assert _valid(report(done, done))["artifacts"] == [{"location": {"uri": "a.jsonl"}}]


def test_hostile_text_is_text() -> None:
    """No message has a control character, a placeholder or a link that the text brought along."""
    run = _valid(of_hostile())
    texts = [run["results"][0]["message"]["text"]]
    texts += [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]]

    assert not any(re.search(r"[\x00-\x1f\x7f-\x9f\u202e\ud800-\udfff]", text) for text in texts)
    assert not any("](" in text or "{0}" in text.replace("{{", "") for text in texts)
    assert "[x]\\(http://evil.example){{0}}@all" in texts[0]
    assert HOSTILE not in json.dumps(run, ensure_ascii=False)
