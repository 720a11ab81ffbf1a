"""`failed_run`: a failed run that was made again later keeps what failed, not how."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, ClassVar

from cgcli.compaction.component import Loss, MarkerMode, Reduction, Skip, Slot
from cgcli.compaction.components.marks import ALREADY_MARKED, BELOW_MIN_TOKENS, after, left_behind, smaller
from cgcli.compaction.components.mask import peek
from cgcli.compaction.components.parameters import check_flag, check_marker_mode, check_whole
from cgcli.compaction.components.placeholders import NO_VIEW, is_placeholder
from cgcli.compaction.components.runs import Verdict, family, faults, shown, targets, verdict
from cgcli.compaction.components.shell import simple_commands
from cgcli.markers import key as marker_key
from cgcli.model import unique, value

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from cgcli.compaction.invoked import Invoked
    from cgcli.compaction.view import View

NOTE = "failed run, superseded by a later run"
_MOST_FAULTS = 12
_FAULT_CHARS = 160
_FACT = "failed_run"
_PROMPT = "$ "

_SHOWING = frozenset(
    "cat bat head tail less more nl tac sed awk grep egrep fgrep rg ag ack find fd ls tree stat file wc diff cmp jq yq "
    "xxd od hexdump strings sort uniq cut tr column tee xargs echo printf git gh hg svn journalctl dmesg curl wget cd "
    "pushd popd pwd export set unset source . true false : sleep wait mkdir rmdir rm cp mv touch ln chmod chown which "
    "type command test [ [[ read history kill pkill ps env printenv date".split()
)
"""Programs that show files, histories and logs, or prepare something: none of them is a test or a build."""
_LOGS = frozenset({"logs", "log"})
_RUNNING = re.compile(r"test|build|run|exec|check|lint|compile|make", re.IGNORECASE)
_POLLING = re.compile(r"output|status|stdin|poll|wait|log|read|view|get|list|find|search|fetch", re.IGNORECASE)
"""Tools that show a part of what runs, or look something up: what they return later does not stand for it."""
_CUTTING = frozenset("head tail cat tee grep echo sort".split())
"""What only shows less, or other, of a run, where it comes last."""


@unique
class _Run:
    """What one output tells about a run."""

    key: Hashable
    """Equal for runs of the same command; None where the output is of no run."""
    verdict: Verdict
    digest: str
    is_told: bool
    """The command is known; else `key` is the runner, told by the text."""
    targets: frozenset[str]
    """The files named; only where the command is not known."""


@unique
class _Latest:
    """The newest run of one command, and the newest one that said something else."""

    i_output: int
    digest: str
    i_other: int = -1


_NO_RUN = _Run(key=None, verdict=Verdict.UNTOLD, digest="", is_told=False, targets=frozenset())


@value
class FailedRun:
    """Reduces a failed run to the lines that say what failed, once the same command was run again."""

    name: ClassVar[str] = "failed_run"
    loss: ClassVar[Loss] = Loss.STASHED
    gated: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    passing: ClassVar[frozenset[str]] = frozenset({"not_superseded"})

    min_tokens: int = 100
    marker_mode: MarkerMode = MarkerMode.FULL
    cold_cache: bool = True
    """On a turn whose cache has lapsed it may act inside the prefix; the step reads this."""

    def __post_init__(self) -> None:
        """Refuse parameters that mean nothing."""
        check_whole(self.name, "min_tokens", self.min_tokens)
        check_marker_mode(self.name, self.marker_mode)
        check_flag(self.name, "cold_cache", self.cold_cache)

    def propose(self, slot: Slot) -> Reduction | Skip:
        """The failing lines of a failed run that a later one supersedes."""
        if is_placeholder(slot.text, NOTE):
            return ALREADY_MARKED
        if slot.tokens < self.min_tokens:
            return BELOW_MIN_TOKENS
        if slot.view is None:
            return NO_VIEW
        run = _run(slot.i_output, slot.view)
        if run.key is None or run.verdict is not Verdict.FAILED:
            return Skip(reason="run_passed" if run.verdict is Verdict.PASSED else "not_a_run")
        if not self.wakes(slot.i_output, slot.view):
            return Skip(reason="not_superseded")
        return smaller(slot, _reduced(slot, run, self.marker_mode))

    def wakes(self, i_output: int, view: View) -> bool:
        """True where a later run of the same command says something else, and the model has seen this one."""
        run = _run(i_output, view)
        if run.key is None or view.is_unseen(i_output):
            return False
        if not run.is_told:
            return _has_later_of_family(i_output, run, view)
        latest = view.once(_FACT, lambda: _latest(view)).get(run.key)
        if latest is None:
            return False
        return (latest.i_output if latest.digest != run.digest else latest.i_other) > i_output


def _reduced(slot: Slot, run: _Run, mode: MarkerMode) -> str:
    of = " of the same command" if run.is_told else ""
    found = [peek(line, _FAULT_CHARS) for line in faults(shown(slot.text))]
    if len(found) > _MOST_FAULTS:
        # The last one says how it ended.
        n_more = len(found) - _MOST_FAULTS
        found = [*found[: _MOST_FAULTS - 1], f"... ({n_more} more like these)", found[-1]]
    return "\n".join([after(f"[{NOTE}{of}]", " ", left_behind(slot, mode)), *found])


def _run(i_output: int, view: View) -> _Run:
    return _runs(view)[i_output]


def _runs(view: View) -> Sequence[_Run]:
    return view.per_output(_FACT, lambda i: _told(i, view))


def _told(i_output: int, view: View) -> _Run:
    output = view.outputs[i_output]
    text = view.text(i_output)
    if output.call is not None:
        key = _key(output.call)
        name = None
    else:
        name = family(shown(text))
        line = text.partition("\n")[0]
        key = _command_key(line.removeprefix(_PROMPT), "") if line.startswith(_PROMPT) else name
    if key is None:
        return _NO_RUN
    is_told = name is None or key != name
    terminal = shown(text)
    return _Run(
        key=key,
        verdict=verdict(terminal, is_error=output.is_error),
        digest=marker_key(text),
        is_told=is_told,
        targets=frozenset() if is_told else targets(terminal),
    )


def _key(call: Invoked) -> Hashable:
    """What is equal for calls that run the same; None where *call* runs nothing."""
    if call.path is not None:
        return None
    if call.command is None:
        tool = call.name.rpartition("__")[2]
        runs = _RUNNING.search(tool) is not None and _POLLING.search(tool) is None
        return (call.name, json.dumps(call.arguments, sort_keys=True)) if runs else None
    given = call.arguments if isinstance(call.arguments, dict) else {}
    return _command_key(call.command, str(given.get("workdir", given.get("cwd", ""))))


def _command_key(line: str, folder: str) -> Hashable:
    """The command *line* without what does not change what is run; None where it only shows or prepares something."""
    commands = simple_commands(line)
    if commands is None:
        return None
    if all(one.program in _SHOWING or not one.program or _LOGS & set(one.words) for one in commands):
        return None
    while len(commands) > 1 and commands[-1].program in _CUTTING:
        commands = commands[:-1]
    # The body of a here-document is no part of the programs' words.
    return (folder, commands, line if "<<" in line else "")


def _latest(view: View) -> Mapping[Hashable, _Latest]:
    """Per command the newest run that was not cut short."""
    found: dict[Hashable, _Latest] = {}
    for i, run in enumerate(_runs(view)):
        if run.key is None or not run.is_told or run.verdict is Verdict.CUT_SHORT:
            continue
        old = found.get(run.key)
        i_other = -1 if old is None else old.i_output if old.digest != run.digest else old.i_other
        found[run.key] = _Latest(i_output=i, digest=run.digest, i_other=i_other)
    return found


def _has_later_of_family(i_output: int, run: _Run, view: View) -> bool:
    """True where a later run of the same runner names a file that this one names, or neither names any."""
    for later in _runs(view)[i_output + 1 :]:
        if later.key == run.key and not later.is_told and later.digest != run.digest:
            shared = run.targets & later.targets if run.targets else not later.targets
            if shared and later.verdict in (Verdict.FAILED, Verdict.PASSED):
                return True
    return False
