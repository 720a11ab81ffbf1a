"""Regret: what was dropped and then cited or fetched again, once each, and where; and what is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cgcli.replay.paired.regret import Fragments, Regret, RegretKind, Regrets
from tests.replay.paired.regretting import (
    DIALECTS,
    LOSING,
    Cut,
    Json,
    Summed,
    Turn,
    body,
    decision,
    grown,
    messages,
    placed,
    regrets,
)

if TYPE_CHECKING:
    from cgcli.compaction.splicing import Placed
    from cgcli.compaction.state import Decision
    from cgcli.model import Exchange
    from tests.captures import Dialect

CONFIG = """\
# how often a call is made again
retry_limit = 5
base_delay_ms = 250
# where the log goes
log_file = var/log/app.log
rotate_after_mb = 64"""
LISTING = "\n".join(f"part_{i:02}.txt is a file of {i} pages" for i in range(8))
READ = Turn("I look at the settings.", "cat settings", CONFIG)
LIST = Turn("Now the files.", "ls", LISTING)
AGAIN = Turn("The settings again.", "cat settings", CONFIG)
WAIT = Turn("I think.", "true", "ok")
OUTPUTS = {
    "anthropic": ["messages.2.content.0.content", "messages.4.content.0.content", "messages.6.content.0.content"],
    "chat": ["messages.3.content", "messages.5.content", "messages.7.content"],
    "responses": ["messages.3.output", "messages.6.output", "messages.9.output"],
}
CALLS = {"anthropic": "messages.5.content.1", "chat": "messages.6.tool_calls.0", "responses": "messages.8"}
SAID = {
    "anthropic": "messages.5.content.0.text",
    "chat": "messages.6.content",
    "responses": "messages.7.content.0.text",
}


def _with_system(dialect: Dialect, bodies: list[Json]) -> list[Json]:
    """Chat's system prompt is its first message."""
    if dialect != "chat":
        return bodies
    return [{**one, "messages": [{"role": "system", "content": "You code."}, *one["messages"]]} for one in bodies]


def _grown(dialect: Dialect, *turns: Turn) -> list[Json]:
    return _with_system(dialect, grown(dialect, *turns))


def _told(found: list[Regret]) -> list[tuple[str, int, str, int, str, str, int]]:
    return [
        (
            one.kind.value,
            one.dropped_line,
            one.dropped_path,
            one.needed_line,
            one.needed_path,
            one.fragment,
            one.tokens,
        )
        for one in found
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_read_again_two_turns_later_is_regretted(dialect: Dialect) -> None:
    """Dropped in the third request, the same call stands in the fourth: one refetch, with both places and its size."""
    found = regrets(_grown(dialect, READ, LIST, AGAIN), Cut(3, CONFIG))
    at = OUTPUTS[dialect][0]
    assert _told(found) == [("refetch", 3, at, 4, CALLS[dialect], "# how often a call is made again", 25)]
    assert found[0].component == "mask"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_never_needed_is_not_regretted(dialect: Dialect) -> None:
    """Neither its call nor its lines nor a word of it come again."""
    assert regrets(_grown(dialect, READ, LIST, WAIT, WAIT), Cut(3, CONFIG)) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_cited_name_is_regretted(dialect: Dialect) -> None:
    """The answer to the third request names a setting that was not sent: one cite, as long as its line."""
    cites = Turn("I set retry_limit to 7.", "true", "ok")
    found = regrets(_grown(dialect, READ, LIST, cites), Cut(3, CONFIG))
    assert _told(found) == [("cite", 3, OUTPUTS[dialect][0], 4, SAID[dialect], "retry_limit", 3)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_name_in_the_input_of_a_call_is_cited(dialect: Dialect) -> None:
    """The path stands in no text of the answer, only in its call."""
    found = regrets(_grown(dialect, READ, LIST, Turn("Now.", "tail var/log/app.log", "ok")), Cut(3, CONFIG))
    assert _told(found) == [("cite", 3, OUTPUTS[dialect][0], 4, CALLS[dialect], "var/log/app.log", 3)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_same_lines_of_another_call_are_a_refetch(dialect: Dialect) -> None:
    """A larger range of the same file has them again; what is counted is what came back."""
    larger = Turn("More of it.", "cat -n settings other", f"head\n{CONFIG}\nand then much more that is new")
    found = regrets(_grown(dialect, READ, LIST, larger), Cut(3, CONFIG))
    path = OUTPUTS[dialect][2]
    assert _told(found) == [("refetch", 3, OUTPUTS[dialect][0], 4, path, "# how often a call is made again", 25)]


@pytest.mark.parametrize(("n_lines", "n_regrets"), [(6, 1), (5, 1), (4, 0), (1, 0)])
def test_four_fifths_of_the_lines_must_come_back(n_lines: int, n_regrets: int) -> None:
    """Of six lines five are enough, and four are not."""
    part = Turn("Some of it.", "head settings", "\n".join(CONFIG.splitlines()[:n_lines]))
    assert len(regrets(grown("anthropic", READ, LIST, part), Cut(3, CONFIG))) == n_regrets


def test_only_lines_that_are_not_sent_count() -> None:
    """Half of the dropped lines stand in another output: the other half is what must come back."""
    head, tail = CONFIG.splitlines()[:3], CONFIG.splitlines()[3:]
    tail += ["this is a line long enough to be no chance when it comes back to us later on in the talk"]
    whole = Turn("Read.", "cat settings", "\n".join([*head, *tail]))
    some = Turn("The head.", "head settings", "\n".join(head))
    back = Turn("The tail.", "tail settings", "\n".join(tail))
    cut = Cut(3, whole.output)
    assert [one.fragment for one in regrets(grown("anthropic", whole, some, back), cut)] == ["# where the log goes"]
    assert regrets(grown("anthropic", whole, some, Turn("The head.", "sed settings", some.output)), cut) == []


def test_a_short_status_line_comes_again_by_chance() -> None:
    """Less than a hundred characters are no output fetched again, but where the call is the same."""
    done = "Checked 232 files in 121 ms."
    first, other = Turn("Check.", "check all", done), Turn("Check.", "check some", done)
    assert regrets(grown("anthropic", first, LIST, other), Cut(3, done)) == []
    assert len(regrets(grown("anthropic", first, LIST, first), Cut(3, done))) == 1


@pytest.mark.parametrize(
    "seen",
    [
        Turn("I note: retry_limit.", "ls", LISTING),
        Turn("I list.", "ls retry_limit", LISTING),
        Turn("I list.", "ls", f"{LISTING}\nretry_limit"),
        Turn("I list.", "ls", f"{LISTING}\nold_retry_limit_2"),
    ],
    ids=["said", "called", "shown", "piece"],
)
def test_what_is_still_sent_elsewhere_is_not_regretted(seen: Turn) -> None:
    """The name stands in an answer, a call, another output, or in a longer word."""
    cites = Turn("I set retry_limit to 7.", "true", "ok")
    assert len(regrets(grown("anthropic", READ, LIST, cites), Cut(3, CONFIG))) == 1
    assert regrets(grown("anthropic", READ, seen, cites), Cut(3, CONFIG)) == []


@pytest.mark.parametrize("where", ["system", "tools"])
def test_what_the_prompt_or_a_tool_says_is_sent(where: str) -> None:
    """The name stands before the messages."""
    cites = Turn("I set retry_limit to 7.", "true", "ok")
    tool = {"name": "Bash", "description": "Heeds retry_limit.", "input_schema": {"type": "object"}}
    fields: Json = {"system": "Mind retry_limit."} if where == "system" else {"tools": [tool]}
    history = [messages("anthropic", *[READ, LIST, cites][:n]) for n in range(4)]
    assert regrets([body("anthropic", one, **fields) for one in history], Cut(3, CONFIG)) == []


def test_what_the_replacement_keeps_is_not_lost() -> None:
    """The head of the output stays: a name in it may be cited, one in the rest may not."""
    cut = Cut(3, CONFIG, "\n".join(CONFIG.splitlines()[:2]) + "\n[4 lines gone]")
    assert regrets(grown("anthropic", READ, LIST, Turn("Of retry_limit.", "true", "ok")), cut) == []
    found = regrets(grown("anthropic", READ, LIST, Turn("Of base_delay_ms.", "true", "ok")), cut)
    assert [one.fragment for one in found] == ["base_delay_ms"]


def test_a_lossless_step_drops_nothing() -> None:
    """The same edit by a step that loses nothing is no drop."""
    assert regrets(grown("anthropic", READ, LIST, AGAIN), Cut(3, CONFIG, component="format")) == []


def test_an_answer_that_came_before_the_drop_saw_it() -> None:
    """Cited and fetched in the very request that drops it first: the answer is of the request before."""
    cites = Turn("I set retry_limit to 7.", "cat settings", CONFIG)
    bodies = grown("anthropic", READ, LIST, cites, WAIT)
    assert regrets(bodies, Cut(4, CONFIG)) == []
    assert {(one.kind.value, one.needed_line) for one in regrets(bodies, Cut(3, CONFIG))} == {
        ("refetch", 4),
        ("cite", 4),
    }


def test_an_answer_to_the_request_that_drops_it_did_not_see_it() -> None:
    """Dropped when it is first sent; the next answer cites it."""
    (one,) = regrets(grown("anthropic", READ, Turn("So retry_limit is 5.", "true", "ok")), Cut(2, CONFIG))
    assert (one.dropped_line, one.needed_line) == (2, 3)


def test_what_comes_back_before_it_is_named_is_not_cited() -> None:
    """Two answers are new at once: the first fetches it by another call, the second has read that."""
    other = Turn("The defaults.", "cat other", "retry_limit = 9")
    cites = Turn("I set retry_limit to 7.", "true", "ok")
    bodies = [body("anthropic", messages("anthropic", *turns)) for turns in [(READ, LIST), (READ, LIST, other, cites)]]
    assert regrets(bodies, Cut(1, CONFIG)) == []
    swapped = body("anthropic", messages("anthropic", READ, LIST, cites, other))
    assert [one.kind for one in regrets([bodies[0], swapped], Cut(1, CONFIG))] == [RegretKind.CITE]


def test_each_thing_counts_once_of_each_kind() -> None:
    """Cited twice and fetched twice: two regrets, the earlier of each kind."""
    cites = Turn("I set retry_limit to 7, log_file stays.", "cat settings", CONFIG)
    found = regrets(grown("anthropic", READ, LIST, cites, LIST, cites), *[Cut(3, CONFIG)])
    assert [(one.kind.value, one.needed_line) for one in found] == [("refetch", 4), ("cite", 4)]
    assert found[1].fragment == "retry_limit"


def test_one_need_is_of_the_newest_that_has_it() -> None:
    """Three dropped outputs have the name: the last one is regretted."""
    others = [Turn("The defaults.", f"cat other{i}", f"retry_limit = {i}") for i in range(2)]
    found = regrets(
        grown("anthropic", READ, *others, Turn("Of retry_limit.", "true", "ok")),
        Cut(4, CONFIG),
        *[Cut(4, one.output) for one in others],
    )
    assert [one.dropped_path for one in found] == ["messages.6.content.0.content"]


def test_what_another_replacement_keeps_is_sent() -> None:
    """The head of the dropped output is still read in what stands for another one: the tail is all there is to miss."""
    head = "\n".join(CONFIG.splitlines()[:3])
    tail = f"{CONFIG[len(head) + 1 :]}\nand a long last line that makes it more than a hundred characters of lines"
    whole = Turn("Read.", "cat settings", f"{head}\n{tail}")
    more = Turn("More.", "cat all", f"{head}\n{LISTING}")
    bodies = grown("anthropic", whole, more, Turn("The tail.", "tail settings", tail))
    found = regrets(bodies, Cut(3, whole.output), Cut(3, more.output, head))
    assert [(one.fragment, one.dropped_path) for one in found] == [
        ("# where the log goes", "messages.2.content.0.content"),
    ]


def test_what_comes_back_is_taken_from_one_thing_only() -> None:
    """The same file was read twice, by two calls, and both are dropped: reading it again is one need."""
    first, second = Turn("Read.", "cat a", CONFIG), Turn("Read.", "cat b", CONFIG + "\n")
    cuts = Cut(3, first.output), Cut(3, second.output)
    for command, at in (("cat a", 2), ("cat b", 4), ("cat c", 4)):
        found = regrets(grown("anthropic", first, second, Turn("Again.", command, CONFIG)), *cuts)
        assert [one.dropped_path for one in found] == [f"messages.{at}.content.0.content"]


def test_what_stands_before_an_edit_in_its_message_is_sent() -> None:
    """A longer word in the same message, in front of the dropped output, has the name in it."""
    cites = Turn("I set retry_limit to 7.", "true", "ok")
    note = {"type": "text", "text": "Note old_retry_limit_2."}
    bodies = grown("anthropic", READ, LIST, cites)
    for one in bodies[1:]:
        one["messages"][2]["content"].insert(0, note)
    assert regrets(bodies, Cut(3, CONFIG)) == []


def test_what_the_agent_moves_or_words_otherwise_was_said_before() -> None:
    """The task has other words, so that all messages are new: the call that was made before the drop is no refetch."""
    bodies = grown("anthropic", READ, LIST)
    bodies.append(body("anthropic", messages("anthropic", READ, LIST, WAIT, task="Do it, today.")))
    assert regrets(bodies, Cut(3, CONFIG)) == []
    bodies.append(body("anthropic", messages("anthropic", READ, LIST, WAIT, AGAIN, task="Do it, now.")))
    assert [one.needed_path for one in regrets(bodies, Cut(3, CONFIG))] == ["messages.7.content.1"]


def test_a_call_whose_newest_output_is_sent_is_no_refetch() -> None:
    """The agent runs its tests a third time: the first run was dropped, the second is there."""
    runs = [Turn("Test.", "run tests", f"{'x' * 40} case_{i} took {i} seconds {'y' * 40}") for i in range(3)]
    cut = Cut(3, runs[0].output)
    assert regrets(grown("anthropic", *runs), cut) == []
    found = regrets(grown("anthropic", *runs), cut, Cut(3, runs[1].output))
    assert [one.dropped_path for one in found] == ["messages.4.content.0.content"]


def test_what_is_gone_for_another_reason_is_not_regretted() -> None:
    """The agent itself leaves the output out, so the policy drops nothing any more."""
    bodies = grown("anthropic", READ, LIST, LIST)
    cites = Turn("Of retry_limit.", "cat settings", CONFIG)
    for turns in ((READ, LIST, LIST), (READ, LIST, LIST, cites)):
        history = messages("anthropic", *turns)
        history[2] = {"role": "user", "content": [{**history[2]["content"][0], "content": "[left out]"}]}
        bodies.append(body("anthropic", history))
    assert regrets(bodies, Cut(3, CONFIG)) == []


def test_a_drop_that_is_taken_back_is_sent_again() -> None:
    """Dropped on one turn only: later answers have it."""
    bodies = grown("anthropic", READ, LIST, WAIT, AGAIN)
    assert regrets(bodies, Cut(3, CONFIG, until=4)) == []
    assert len(regrets(bodies, Cut(3, CONFIG, until=5))) == 1


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_summary_that_says_the_name_leaves_nothing_to_regret(dialect: Dialect) -> None:
    """One that does not say it does; what is told is the part of the message that was summed up."""
    bodies = _grown(dialect, READ, LIST, Turn("Of retry_limit.", "true", "ok"))
    first = 1 if dialect == "chat" else 0
    stop = {"anthropic": 3, "chat": 4, "responses": 4}[dialect]
    assert regrets(bodies, Summed(3, first, stop, "Settings read: retry_limit is 5.")) == []
    (one,) = regrets(bodies, Summed(3, first, stop, "Settings were read."))
    assert (one.kind, one.component, one.dropped_path) == (RegretKind.CITE, "summarize", OUTPUTS[dialect][0])


def test_an_output_that_a_summary_stands_for_is_fetched_again() -> None:
    """The call is summed up with it."""
    found = regrets(grown("anthropic", READ, LIST, AGAIN), Summed(3, 1, 3, "Settings were read."))
    assert [(one.kind.value, one.dropped_path, one.tokens) for one in found] == [
        ("refetch", "messages.2.content.0.content", 25),
    ]


def test_what_stays_a_drop_under_a_later_summary_counts_once() -> None:
    """Masked first, then summed up: the same thing, first missing where it was masked."""
    cites = Turn("Of retry_limit.", "true", "ok")
    bodies = grown("anthropic", READ, LIST, cites, LIST, cites)
    found = regrets(bodies, Cut(3, CONFIG, until=5), Summed(5, 1, 3, "Settings were read."))
    assert [(one.component, one.dropped_line, one.needed_line) for one in found] == [("mask", 3, 4)]
    later = [*bodies[:3], *grown("anthropic", READ, LIST, WAIT, LIST, cites)[3:]]
    found = regrets(later, Cut(3, CONFIG, until=5), Summed(5, 1, 3, "Settings were read."))
    assert [(one.component, one.dropped_line, one.needed_line) for one in found] == [("summarize", 3, 6)]


def _branched(*branch: Turn) -> list[Json]:
    """A conversation that drops in its third request, and a branch off its second turn with another third one."""
    return [
        *grown("anthropic", READ, LIST, WAIT),
        body("anthropic", messages("anthropic", READ, LIST, Turn("Else.", "pwd", "here"))),
        body("anthropic", messages("anthropic", READ, LIST, Turn("Else.", "pwd", "here"), *branch)),
    ]


def test_a_branch_begins_with_what_its_parent_dropped() -> None:
    """The branch fetches again what was first missing in the parent."""
    found = regrets(_branched(AGAIN), Cut(3, CONFIG))
    assert [(one.dropped_line, one.needed_line, one.needed_path) for one in found] == [(3, 6, "messages.7.content.1")]


def test_what_two_branches_need_counts_once() -> None:
    """The parent has fetched it already."""
    bodies = _branched(AGAIN)
    bodies[4:4] = [body("anthropic", messages("anthropic", READ, LIST, WAIT, AGAIN))]
    assert [one.needed_line for one in regrets(bodies, Cut(3, CONFIG))] == [5]


def test_after_a_rewind_the_answer_is_to_what_was_sent_then() -> None:
    """A branch off the first turn, from before the drop: its first answer saw the output, its second did not."""
    cites = Turn("Of retry_limit.", "pwd", "here")
    bodies = [
        *grown("anthropic", READ, LIST),
        body("anthropic", messages("anthropic", READ, cites)),
        body("anthropic", messages("anthropic", READ, cites, Turn("Of base_delay_ms.", "true", "ok"))),
    ]
    assert regrets(bodies[:4], Cut(3, CONFIG)) == []
    found = regrets(bodies, Cut(3, CONFIG))
    assert [(one.fragment, one.dropped_line, one.needed_line) for one in found] == [("base_delay_ms", 3, 5)]


def test_a_side_call_does_not_stand_between_a_request_and_its_answer() -> None:
    """Dropped in the side call only, which the main line goes on from before."""
    side = body("anthropic", [*messages("anthropic", READ, LIST), {"role": "user", "content": "Name the session."}])
    main = grown("anthropic", READ, LIST, Turn("Of retry_limit.", "true", "ok"))
    bodies = [*main[:3], side, main[3]]
    assert regrets(bodies, Cut(4, CONFIG)) == []
    assert [one.needed_line for one in regrets(bodies, Cut(3, CONFIG))] == [5]


def test_a_tool_that_is_left_out_and_called_is_regretted() -> None:
    """Its name stands nowhere else."""
    tool = {"name": "run_query", "description": "Asks the database.", "input_schema": {"type": "object"}}
    called = {"role": "assistant", "content": [{"type": "tool_use", "id": "q", "name": "run_query", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "q", "content": "none"}]}
    history = messages("anthropic", LIST)
    bodies = [body("anthropic", one, tools=[tool]) for one in (history, [*history, called, result])]
    arm, found = Regrets(Fragments(), losing=frozenset({"toolfilter"}), count=len), list[Regret]()
    for placement, exchange in placed(bodies):
        at = exchange.request.tools_starts[0]
        size = len(bytes(exchange.request.raw[at:]).split(b"]")[0])
        found += arm.turn(placement, exchange, ((at, at + size, decision(b"", "toolfilter")),))
    assert [(one.dropped_path, one.needed_path, one.fragment) for one in found] == [
        ("tools.0", "messages.3.content.0", "run_query"),
    ]


def test_what_is_only_put_in_drops_nothing() -> None:
    """An edit of no bytes, before a message."""
    arm = Regrets(Fragments(), losing=LOSING)
    for placement, exchange in placed(grown("anthropic", READ, LIST, AGAIN)):
        at = exchange.request.starts[0]
        assert arm.turn(placement, exchange, ((at, at, decision(b"{},", "mask")),)) == ()


def test_a_regret_is_never_larger_than_what_the_edit_saved() -> None:
    """The output has 25 words, and the edit says that it saved 9."""
    (one,) = regrets(grown("anthropic", READ, LIST, AGAIN), Cut(3, CONFIG, saved_tokens=9))
    assert one.tokens == 9


def test_of_a_line_cut_short_the_evidence_is_what_was_cut() -> None:
    """The first 160 characters are still sent: the fragment is the next 160."""
    line = "".join(f"{i:04}-" for i in range(80))
    turn = Turn("Read.", "cat long", line)
    (one,) = regrets(grown("anthropic", turn, LIST, turn), Cut(3, line, line[:170] + " [cut]"))
    assert one.fragment == line[160:320]


def test_the_old_function_call_pairs_by_name() -> None:
    """A call without an id is answered by the message with its function's name."""
    call: Json = {
        "role": "assistant",
        "content": None,
        "function_call": {"name": "cat", "arguments": '{"f": "settings"}'},
    }
    result = {"role": "function", "name": "cat", "content": CONFIG}
    task, asked = {"role": "user", "content": "Go."}, {"role": "user", "content": "And now?"}
    history: list[Json] = [task, call, result, asked, call, result]
    bodies = [body("chat", history[:n]) for n in (4, 6)]
    (one,) = regrets(bodies, Cut(1, CONFIG))
    assert (one.kind, one.dropped_path, one.needed_path) == (
        RegretKind.REFETCH,
        "messages.2.content",
        "messages.4.function_call",
    )


def test_the_order_of_a_calls_arguments_does_not_matter() -> None:
    """The same input with its keys the other way round is the same call."""
    history = messages("anthropic", READ, LIST, AGAIN)
    history[1]["content"][1]["input"] = {"command": "cat", "file": "settings"}
    history[5]["content"][1]["input"] = {"file": "settings", "command": "cat"}
    bodies = [body("anthropic", history[:n]) for n in (1, 3, 5, 7)]
    (one,) = regrets(bodies, Cut(3, CONFIG))
    assert one.needed_path == "messages.5.content.1"


def test_policies_share_the_fragments_and_nothing_else() -> None:
    """The same file twice with the same memory gives the same, counted anew."""
    shared, bodies = Fragments(), grown("anthropic", READ, LIST, AGAIN)
    first = regrets(bodies, Cut(3, CONFIG), fragments=shared)
    assert len(first) == 1
    assert regrets(bodies, fragments=shared) == []
    assert regrets(bodies, Cut(3, CONFIG), fragments=shared) == first


def _first_output(exchange: Exchange, cut: Decision) -> tuple[Placed, ...]:
    """*cut* in the place of the first output, where there is one."""
    request = exchange.request
    slot = request.messages[2].parts[0].slot if len(request.messages) > 2 else None
    return ((request.starts[2] + slot.start, request.starts[2] + slot.stop, cut),) if slot is not None else ()


def test_an_answer_whose_request_is_forgotten_is_said_to_be_unchecked() -> None:
    """After a hundred other conversations the first goes on."""
    bodies = grown("anthropic", READ, LIST, AGAIN)
    others = [body("anthropic", messages("anthropic", task=f"Another task, {i}.")) for i in range(100)]
    cut = decision(b'"[gone]"', "mask")
    arm, found = Regrets(Fragments(), losing=LOSING), list[Regret]()
    for placement, exchange in placed([*bodies[:3], *others, bodies[3]]):
        found += arm.turn(placement, exchange, _first_output(exchange, cut))
    assert (found, arm.n_unchecked) == ([], 1)


def test_a_long_conversation_does_not_make_others_forgotten() -> None:
    """Another one grows by a hundred requests before the first goes on."""
    bodies, cut = grown("anthropic", READ, LIST, AGAIN), decision(b'"[gone]"', "mask")
    other = grown("anthropic", *[Turn("I go on.", f"step {i}", "ok") for i in range(100)], task="Another task.")
    arm, found = Regrets(Fragments(), losing=LOSING), list[Regret]()
    for placement, exchange in placed([*bodies[:3], *other, bodies[3]]):
        found += arm.turn(placement, exchange, _first_output(exchange, cut))
    assert (len(found), arm.n_unchecked) == (1, 0)


def test_without_a_counter_the_tokenizer_of_the_model_counts() -> None:
    """More tokens than the 25 words, and fewer than the characters."""
    cut = decision(b'"[gone]"', "mask")
    arm, found = Regrets(Fragments(), losing=LOSING), list[Regret]()
    for placement, exchange in placed(grown("anthropic", READ, AGAIN)):
        found += arm.turn(placement, exchange, _first_output(exchange, cut))
    assert len(found) == 1
    assert 25 < found[0].tokens < len(CONFIG)
    assert arm.n_unchecked == 0
