"""`cg compact`: its report as a person and as a program reads it, its products, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import shlex
from typing import TYPE_CHECKING

import pytest

from tests import oracle
from tests.lanes.placing import body, lines, turn, user
from tests.running import FIXTURES
from tests.snapshots import as_file

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from tests.cli.calling import Cg

SHOWN = {
    "demo": ("context-guru/agent.jsonl", ()),
    "demo-ignore": ("context-guru/agent.jsonl", ("--policy", "general", "--held", "ignore")),
    "agent": ("context-guru/agent.jsonl", ("--policy", "agent")),
    "cold": ("claude-trace/cold.jsonl", ("--policy", "agent")),
    "eliding": ("lanes/eliding.jsonl", ("--pipeline", "format,dedup")),
    "half-line": ("ugly/half-line.jsonl", ()),
    "off": ("bodies/chat.jsonl", ("--policy", "off")),
    "seven-lanes": ("claude-trace/seven-lanes.jsonl", ("--preset", "safe")),
}
LONG = "\n".join(f"line {i} of the output" for i in range(500))
BODIES = [body(user("go"), *turn(1, LONG)), body(user("go"), *turn(1, LONG), *turn(2, "ok"))]
COLLAPSE = ("--pipeline", "collapse", "--config", "cg.toml")
CONFIG = "[components.collapse]\nmax_tokens = 100\n"


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_report_reads_like_this(name: str, cg: Cg, snapshot: SnapshotAssertion) -> None:
    """What a person sees of a run with a product, byte for byte."""
    fixture, options = SHOWN[name]
    assert cg("compact", cg.fixture(fixture), "-o", "out.jsonl", *options) == 0
    assert cg.err == b""
    assert cg.out == as_file(snapshot, "txt")


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_the_json_report_is_this_document(name: str, cg: Cg, snapshot: SnapshotAssertion) -> None:
    """What a program sees of the same run: one document, its keys in their order."""
    fixture, options = SHOWN[name]
    assert cg("compact", cg.fixture(fixture), "-o", "out.jsonl", "--json", *options) == 0
    assert cg.err == b""
    assert cg.out == as_file(snapshot, "json")


def test_a_dry_run_reports_and_writes_nothing(cg: Cg, snapshot: SnapshotAssertion) -> None:
    """The figures of the real run; no product, no stash."""
    cg.fixture("context-guru/agent.jsonl")
    assert cg("compact", "agent.jsonl", "--dry-run") == 0
    assert cg.out == as_file(snapshot, "txt")
    assert cg.names() == ["agent.jsonl"]
    dry = cg.report("compact", "agent.jsonl", "--dry-run")
    real = cg.report("compact", "agent.jsonl", "-o", "out.jsonl")
    for key in ("tokens", "bytes", "components", "lanes", "example_key"):
        assert dry[key] == real[key]
    assert (dry["output"], dry["output_sha256"], dry["stash"]) == (None, None, None)


def test_the_product_goes_to_stdout_and_the_report_to_stderr(cg: Cg) -> None:
    """Where stdout is no terminal and no output is named."""
    cg.fixture("context-guru/agent.jsonl")
    assert cg("compact", "agent.jsonl", "-o", "out.jsonl") == 0
    assert cg("compact", "agent.jsonl") == 0
    assert cg.out == cg.read("out.jsonl")
    assert b"agent.jsonl: context-guru, anthropic, 17 requests in 2 lanes" in cg.err
    assert cg("compact", "agent.jsonl", "-o", "-", "-q") == 0
    assert (cg.out, cg.err) == (cg.read("out.jsonl"), b"")


def test_quiet_says_nothing(cg: Cg) -> None:
    """With a product in a file, stdout and stderr stay empty."""
    assert cg("compact", cg.fixture("bodies/chat.jsonl"), "-o", "out.jsonl", "-q") == 0
    assert (cg.out, cg.err) == (b"", b"")


def test_the_next_steps_work_as_they_are_shown(cg: Cg) -> None:
    """The commands at the end of the report give back one original, and the file."""
    cg.write("in.jsonl", lines(BODIES))
    cg.write("cg.toml", CONFIG)
    assert cg("compact", "in.jsonl", "-o", "out.jsonl", *COLLAPSE, "--stash", "kept") == 0
    shown = [line.split()[2:] for line in cg.out.decode().splitlines() if line.startswith("next")]
    assert [words[0] for words in shown] == ["expand", "expand"]
    assert cg(*shown[0]) == 0
    assert cg.out == LONG.encode()
    assert cg(*shown[1]) == 0
    assert cg.read("BACK.jsonl") == cg.read("in.jsonl")


def test_the_stash_says_where_it_is_and_why(cg: Cg, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option, the environment, the configuration, a new one, and then that one found again."""
    cg.write("in.jsonl", lines(BODIES))
    cg.write("cg.toml", CONFIG)
    cg.write("with.toml", 'stash = "from-config"\n' + CONFIG)

    def kept(*options: str) -> tuple[str, str, int, int]:
        stash = cg.report("compact", "in.jsonl", "-o", "out.jsonl", "--pipeline", "collapse", *options)["stash"]
        return stash["path"], stash["how"], stash["new_objects"], stash["known_objects"]

    assert kept("--config", "with.toml", "--stash", "s") == ("s", "option", 1, 0)
    assert kept("--config", "with.toml") == ("from-config", "config", 1, 0)
    assert kept("--config", "cg.toml") == (".cg", "new", 1, 0)
    assert kept("--config", "cg.toml") == (".cg", "found", 0, 1)
    monkeypatch.setenv("CG_STASH", "e")
    assert kept("--config", "with.toml") == ("e", "environment", 1, 0)
    assert cg.read(".cg/.gitignore") == b"*\n"


def test_irreversible_edits_are_announced_and_not_promised_back(cg: Cg) -> None:
    """The report says so, offers no way back, and `--all` refuses with exit 5."""
    cg.write("in.jsonl", lines(BODIES))
    cg.write("cg.toml", CONFIG + 'marker_mode = "summary"\n')
    assert cg("compact", "in.jsonl", "-o", "out.jsonl", *COLLAPSE) == 0
    assert b"IRREVERSIBLE: 1 tool output without an original in the stash (marker_mode)" in cg.out
    assert b"cg expand" not in cg.out
    assert cg("expand", "--all", "out.jsonl", "-o", "back.jsonl") == 5
    assert cg.err.startswith(
        b"cg: 1 edit was irreversible (marker mode `summary` or `off`, or compaction by the provider)\n"
    )
    assert "back.jsonl" not in cg.names()


def test_a_mask_that_did_not_fire_says_what_would_let_it(cg: Cg) -> None:
    """In words, and then doing so works."""
    cg.fixture("context-guru/agent.jsonl")
    assert cg("compact", "agent.jsonl", "--policy", "agent", "--dry-run") == 0
    said = "mask never fired: the provider holds that prefix: `--held ignore` would let it, and re-bill what follows"
    assert said in cg.out.decode().splitlines()
    report = cg.report("compact", "agent.jsonl", "--policy", "agent", "--held", "ignore", "--dry-run")
    assert [one["fired"] > 0 for one in report["components"] if one["name"] == "mask"] == [True]


def _commands(cg: Cg) -> list[list[str]]:
    """The commands that the last run told to go on with, as a shell would take them apart."""
    told = [line.removeprefix("next").strip() for line in cg.out.decode().splitlines() if line.startswith("next")]
    return [shlex.split(line.removeprefix("nothing was written: ")) for line in told]


@pytest.mark.parametrize("name", ["two words.jsonl", "it's.jsonl", "-q", "$HOME;ls.jsonl"])
def test_what_to_run_next_can_be_pasted(name: str, cg: Cg) -> None:
    """Whatever the file is called, and with the options of the run: each command does what it says."""
    cg.write("p q.toml", '[[steps]]\ncomponent = "collapse"\nmax_tokens = 100\n')
    cg.write(name, lines(BODIES))
    options = ("--policy", "p q.toml", "--held", "ignore", "--stash", "my stash")
    assert cg("compact", *options, "--dry-run", "--", name) == 0
    (again,) = _commands(cg)
    assert cg(*again[1:]) == 0
    assert cg.report("compact", f"./{name}", *options, "--dry-run")["output_sha256"] is None
    (cg.folder / "OUT.jsonl").rename(cg.folder / f"out {name}")
    assert cg("compact", *options, "-o", f"out {name}", "--", name) == 0
    single, whole = _commands(cg)
    assert cg(*single[1:]) == 0
    assert cg.out
    assert cg(*whole[1:]) == 0
    assert cg.read("BACK.jsonl") == cg.read(name)
    assert cg("inspect", "--", name) == 0
    (dry,) = _commands(cg)
    assert cg(*dry[1:]) == 0


def _lane(n: int) -> bytes:
    """A lane of *n* turns with outputs of one size and a mark that moves with it."""
    mark = {"cache_control": {"type": "ephemeral"}}
    history, bodies = [user("go")], []
    for i in range(n):
        call, answer = turn(i, " ".join(f"{chr(97 + i)}{k}" for k in range(500)))
        marked = {**answer, "content": [{**answer["content"][0], **mark}]}
        bodies.append(body(*history, call, marked))
        history += [call, answer]
    return lines(bodies)


def test_held_pays_says_what_was_let_in(cg: Cg) -> None:
    """On the command line and in the configuration; as text and as JSON, with the dollars that were expected."""
    cg.write("in.jsonl", _lane(9))
    assert cg("compact", "in.jsonl", "--policy", "agent", "--held", "pays", "--dry-run") == 0
    (said,) = (line for line in cg.out.decode().splitlines() if line.startswith("held pays: "))
    paying = cg.report("compact", "in.jsonl", "--policy", "agent", "--held", "pays", "--dry-run")["paying"]
    assert (paying["judged"], paying["entered"], paying["not_entered"]) == (6, 1, {"does_not_pay": 5})
    assert (paying["basis"], sorted(paying)) == (
        "simulated",
        ["basis", "entered", "expected_gain_usd", "judged", "not_entered", "rewritten_tokens", "saved_tokens"],
    )
    gain = 0.3e-6 * paying["saved_tokens"] * 8 - 3.45e-6 * paying["rewritten_tokens"]
    assert abs(float(paying["expected_gain_usd"]) - gain) < 1e-9
    assert gain > 0
    assert said == (
        f"held pays: 1 of 6 turns let decisions in, for {paying['saved_tokens']:,} tokens less and "
        f"{paying['rewritten_tokens']:,} written anew (simulated), expected to gain ${gain:.4f}; "
        "the others: 5 does_not_pay"
    )
    cg.write("cg.toml", 'policy = "agent"\nheld = "pays"\n')
    configured = cg.report("compact", "in.jsonl", "--config", "cg.toml", "--dry-run")
    assert (configured["held"], configured["paying"]) == ("pays", paying)
    assert cg.report("compact", "in.jsonl", "--dry-run")["paying"] is None


def test_held_pays_says_why_nothing_was_let_in(cg: Cg) -> None:
    """A sum of no dollars would say that the price is known."""
    cg.write("in.jsonl", _lane(9).replace(b"claude-sonnet-4-5", b"claude-nobody-knows"))
    assert cg("compact", "in.jsonl", "--policy", "agent", "--held", "pays", "--dry-run") == 0
    (said,) = (line for line in cg.out.decode().splitlines() if line.startswith("held pays: "))
    assert said == "held pays: 0 of 6 turns let decisions in: 6 unpriced"
    name = cg.fixture("claude-trace/cold.jsonl")
    assert cg("compact", name, "--policy", "agent", "--held", "pays", "--dry-run") == 0
    assert b"held pays: no turn had a decision to make in the held prefix\n" in cg.out


def test_what_was_let_in_comes_back(cg: Cg) -> None:
    """With the original of each in the stash."""
    cg.write("in.jsonl", _lane(9))
    assert cg("compact", "in.jsonl", "--policy", "agent", "--held", "pays", "-o", "out.jsonl", "-q") == 0
    assert b"[older tool output masked" in cg.read("out.jsonl")
    assert cg("expand", "--all", "out.jsonl", "-o", "back.jsonl") == 0
    assert cg.read("back.jsonl") == cg.read("in.jsonl")


@pytest.mark.parametrize(
    ("read", "write", "fired", "entered"), [(0.3, 3.75, 5, 1), (0.3, 37.5, 0, 0), (0.6, 3.75, 5, 2)]
)
def test_the_rates_decide_what_pays(read: float, write: float, fired: int, entered: int, cg: Cg) -> None:
    """A dearer write keeps out what the table's prices let in, a dearer read lets it in sooner, in two batches."""
    cg.write("in.jsonl", _lane(9))
    cg.write(
        "rates.json",
        json.dumps({"claude-sonnet-4-5": {"fresh": 3, "read": read, "write": write, "output": 15}}),
    )
    report = cg.report(
        "compact", "in.jsonl", "--pipeline", "mask", "--held", "pays", "--rates", "rates.json", "--dry-run"
    )
    (mask,) = report["components"]
    assert (mask["fired"], report["paying"]["entered"]) == (fired, entered)
    assert mask["skipped"] == {"recent": 3} | ({"does_not_pay": 6 - fired} if fired < 6 else {})


def test_a_model_without_a_price_says_what_would_help(cg: Cg) -> None:
    """Nothing enters, the outputs say `unpriced`, and rates for it are the way on."""
    cg.write("in.jsonl", _lane(9).replace(b"claude-sonnet-4-5", b"claude-fable-5-2"))
    assert cg("compact", "in.jsonl", "--pipeline", "mask", "--held", "pays", "--dry-run") == 0
    said = "mask never fired: there is no price for the model, so whether it pays is not known: --rates FILE"
    assert said in cg.out.decode().splitlines()
    cg.write("rates.toml", "[claude-fable-5-2]\nfresh = 10\nread = 1\nwrite = 12.5\noutput = 50\n")
    report = cg.report(
        "compact", "in.jsonl", "--pipeline", "mask", "--held", "pays", "--rates", "rates.toml", "--dry-run"
    )
    assert report["components"][0]["fired"] == 5


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, b"cg: rates.json: the rates cannot be read: No such file or directory\n"),
        ("{", b"cg: rates.json: the rates are no JSON: "),
        ('{"m": {"fresh": 3}}', b"cg: rates.json: m: the price 'read' is missing\n"),
    ],
)
def test_rates_that_are_none_are_exit_2(content: str | None, said: bytes, cg: Cg) -> None:
    """Nothing is read or written."""
    cg.fixture("bodies/chat.jsonl")
    if content is not None:
        cg.write("rates.json", content)
    assert cg("compact", "chat.jsonl", "--held", "pays", "--rates", "rates.json", "--dry-run") == 2
    assert cg.err.startswith(said)
    assert cg.out == b""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--held", "respekt"),
            b"cg: there is no rule 'respekt' for the held prefix\n  try: did you mean 'respect'?\n",
        ),
        (("--policy", "codesave"), b"cg: there is no policy 'codesave'\n  try: did you mean 'codesafe'?\n"),
        (("--pipeline", "mask,formt"), b"cg: there is no component 'formt'\n  try: did you mean 'format'?\n"),
        (("--policy", "off", "--pipeline", "mask"), b"cg: --policy and --pipeline exclude each other\n"),
        (("-o", "chat.jsonl"), b"cg: chat.jsonl: the output is the input\n"),
        (("--json",), b'{"schema": "cgcli/error/v1", "error": "UsageError", "message": "--json puts the report on'),
    ],
)
def test_wrong_usage_is_exit_2_and_writes_nothing(options: tuple[str, ...], said: bytes, cg: Cg) -> None:
    """With what would be right."""
    assert cg("compact", cg.fixture("bodies/chat.jsonl"), *options) == 2
    assert cg.err.startswith(said)
    assert (cg.out, cg.names()) == (b"", ["chat.jsonl"])


@pytest.mark.parametrize("command", ["compact", "inspect"])
def test_a_file_in_which_nothing_is_usable_is_exit_4(command: str, cg: Cg) -> None:
    """Also where its format was named: every record is listed, nothing is written, and no next step is told."""
    cg.write("in.jsonl", lines(BODIES))
    product = ("-o", "out.jsonl") if command == "compact" else ()
    assert cg(command, "in.jsonl", "--format", "context-guru", *product) == 4
    assert cg.err.startswith(
        b"cg: in.jsonl: no request in the file, read as context-guru: 2 unusable records, 0 records "
    )
    assert "  line 2: no_body" in cg.out.decode().splitlines()
    assert b"next" not in cg.out
    assert cg.names() == ["in.jsonl"]


def test_strict_makes_a_skipped_record_an_error(cg: Cg) -> None:
    """Exit 4, and no product; without it the record passes through."""
    cg.fixture("ugly/half-line.jsonl")
    assert cg("compact", "half-line.jsonl", "-o", "out.jsonl", "--strict") == 4
    assert cg.names() == ["half-line.jsonl"]
    report = cg.report("compact", "half-line.jsonl", "-o", "out.jsonl")
    assert [one["reason"] for one in report["skipped_records"]] == ["half_written"]
    assert cg.read("half-line.jsonl").splitlines()[-1] == cg.read("out.jsonl").splitlines()[-1]


def test_the_configuration_gives_policy_and_parameters(cg: Cg) -> None:
    """From the nearest pyproject.toml; the command line wins."""
    cg.write("pyproject.toml", '[tool.cgcli]\npolicy = "off"\nheld = "ignore"\n')
    cg.write("in.jsonl", lines(BODIES))
    report = cg.report("compact", "in.jsonl", "--dry-run")
    assert (report["policy"], report["held"]) == ("off", "ignore")
    report = cg.report("compact", "in.jsonl", "--dry-run", "--policy", "safe", "--held", "respect")
    assert (report["policy"], report["held"]) == ("safe", "respect")
    report = cg.report("compact", "in.jsonl", "--dry-run", "--pipeline", "collapse")
    assert report["policy"] == "pipeline collapse"


def test_a_packed_file_is_read(cg: Cg) -> None:
    """`.gz` gives what its content gives; the product is not packed."""
    cg.fixture("ugly/agent.jsonl.gz")
    report = cg.report("compact", "agent.jsonl.gz", "-o", "out.jsonl")
    whole = oracle.plain_bytes((FIXTURES / "ugly" / "agent.jsonl.gz").read_bytes())
    assert report["bytes"]["before"] == len(whole)
    assert report["output_sha256"] == hashlib.sha256(cg.read("out.jsonl")).hexdigest()
    assert len(oracle.bodies(cg.read("out.jsonl"))) == report["requests"] == 5


def test_hostile_names_are_shown_escaped(cg: Cg) -> None:
    """A model name with escapes, a right-to-left mark and markup colours nothing and turns nothing round."""
    hostile = "\x1b[31mred\u202e[/bold]"
    cg.write("in.jsonl", lines([{**body(user("go")), "model": hostile}, {**body(user("other")), "model": "plain"}]))
    assert cg("compact", "in.jsonl", "--dry-run") == 0
    shown = cg.out.decode()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\x1b[31mred\\u202e[/bold]" in shown
    report = json.loads(json.dumps(cg.report("compact", "in.jsonl", "--dry-run")))
    assert {lane["model"] for lane in report["lanes"]} == {hostile, "plain"}
