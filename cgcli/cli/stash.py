"""`cg stash`: look at the originals, check them, remove what nothing refers to, carry them elsewhere."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cgcli.cli.console import safe, say, write_json, write_line
from cgcli.cli.options import Json, StashDir  # noqa: TC001 - Typer reads the annotations
from cgcli.cli.stashing import located
from cgcli.errors import ExitCode, InputError, UsageError

if TYPE_CHECKING:
    from cgcli.stash.audit import Problem
    from cgcli.stash.collect import Collected
    from cgcli.stash.locate import Where
    from cgcli.stash.objects import StashedObject
    from cgcli.stash.store import Stash

app = typer.Typer(
    name="stash",
    help="Look at the stash: the directory that holds every original that left a request.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

EXCERPT_CHARS = 400
"""How much of an object `show` prints; `cg expand` gives all of it."""

Archive = Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A tar file.", show_default=False)]


@app.command("ls")
def ls(*, stash: StashDir = None, as_json: Json = False) -> None:
    """List the objects: key, bytes, time."""
    where = located(stash)
    listed = list(_open(where).ls())
    if as_json:
        write_json(_head("ls", where) | _totals(listed) | {"objects": [_row(one) for one in listed]})
        return
    for one in listed:
        write_line(_line(one))
    say(f"{_amount(listed)} in {_place(where)}")


@app.command("show")
def show(
    key: Annotated[str, typer.Argument(metavar="HASH", help="A marker, a key, or 4 or more leading digits.")],
    *,
    stash: StashDir = None,
    as_json: Json = False,
) -> None:
    """Tell what an object is, with its beginning. `cg expand HASH` prints all of it."""
    where = located(stash)
    opened = _open(where)
    digest = opened.resolve(key)
    content = opened.get(digest)
    replaced = sorted(
        {
            (record.component, record.style or "raw", record.replacement)
            for records in opened.slots().values()
            for record in records
            if digest in {record.original, record.raw}
        }
    )
    excerpt = content.decode("utf-8", "replace")[:EXCERPT_CHARS]
    document = {
        "digest": digest,
        "key": digest[:16],
        "bytes": len(content),
        "lines": content.count(b"\n") + (not content.endswith(b"\n") and bool(content)),
        "replaced": [
            {"component": component, "style": style, "replacement": replacement}
            for component, style, replacement in replaced
        ],
        "excerpt": excerpt,
        "excerpt_is_all": excerpt.encode() == content,
    }
    if as_json:
        write_json(_head("show", where) | document)
        return
    for name in ("digest", "bytes", "lines"):
        write_line(f"{name}: {document[name]}")
    for component, style, replacement in replaced:
        write_line(f"replaced by: {safe(component)} (spelled {safe(style)}, now {replacement[:16]})")
    write_line(f"begins: {safe(excerpt)}{'' if document['excerpt_is_all'] else ' …'}")


@app.command("verify")
def verify(*, stash: StashDir = None, as_json: Json = False) -> None:
    """Read everything and check every digest and every reference. A problem is exit 5."""
    from cgcli.stash import audit  # noqa: PLC0415 - only this command needs it

    where = located(stash)
    opened = _open(where)
    problems = audit.verify(opened)
    listed = list(opened.ls())
    if as_json:
        write_json(_head("verify", where) | _totals(listed) | {"problems": [_problem(problem) for problem in problems]})
    else:
        for problem in problems:
            write_line(f"{problem.trouble}: {safe(problem.path)}: {safe(problem.detail)}")
        say(f"{_amount(listed)} read in {_place(where)}: {_count(len(problems), 'problem')}")
    if problems:
        raise typer.Exit(ExitCode.STASH)


@app.command("gc")
def gc(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="Files whose markers must go on resolving; `-` reads stdin."),
    ] = None,
    *,
    stash: StashDir = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    as_json: Json = False,
) -> None:
    """Remove the objects that no marker in the files and no undo record refers to."""
    from cgcli.stash import collect  # noqa: PLC0415 - only this command needs it

    if not files:
        raise UsageError(
            "gc needs the files whose markers must go on resolving",
            hint="cg stash gc --dry-run FILE...",
        )
    where = located(stash)
    opened = _open(where)
    keys = frozenset[str]().union(*(_keys_in(file) for file in files))
    done = collect.gc(opened, keep=keys, now_s=time.time(), dry_run=dry_run)
    if as_json:
        write_json(_head("gc", where) | _collected(done, n_keys=len(keys), dry_run=dry_run))
        return
    for one in done.removed:
        write_line(_line(one))
    verb = "would remove" if dry_run else "removed"
    say(
        f"{verb} {_amount(done.removed)} and {_count(len(done.stale_temps), 'stale temporary file')}, "
        f"kept {_amount(done.kept)} in {_place(where)}"
    )


@app.command("export")
def export(archive: Archive, *, stash: StashDir = None, as_json: Json = False) -> None:
    """Write everything to one tar file; the same stash gives the same bytes."""
    from cgcli.stash import archive as archives  # noqa: PLC0415 - only this command needs tar

    where = located(stash)
    done = archives.export(_open(where), archive)
    if as_json:
        write_json(
            _head("export", where)
            | {
                "archive": str(archive),
                "n_objects": done.n_objects,
                "bytes": done.object_bytes,
                "n_journals": done.n_journals,
                "n_undo_records": done.n_undo_records,
            }
        )
        return
    say(
        f"{_count(done.n_objects, 'object')} ({done.object_bytes:,} bytes) from {_place(where)} to {safe(str(archive))}"
    )


@app.command("import")
def import_(archive: Archive, *, stash: StashDir = None, as_json: Json = False) -> None:
    """Add everything from a file that `cg stash export` wrote; nothing, if any of it is wrong."""
    from cgcli.stash import archive as archives  # noqa: PLC0415 - only this command needs tar

    where = located(stash)
    done = archives.import_(_open(where, create=True), archive)
    if as_json:
        write_json(
            _head("import", where)
            | {
                "archive": str(archive),
                "n_new": done.n_new,
                "new_bytes": done.new_bytes,
                "n_known": done.n_known,
                "n_journals": done.n_journals,
                "n_undo_records": done.n_undo_records,
            }
        )
        return
    say(
        f"{_count(done.n_new, 'new object')} ({done.new_bytes:,} bytes), {done.n_known} known, "
        f"from {safe(str(archive))} to {_place(where)}"
    )


def _open(where: Where, *, create: bool = False) -> Stash:
    from cgcli.stash.store import Stash  # noqa: PLC0415 - `cg --help` needs no stash

    return Stash.open(where.path, create=create)


def _keys_in(file: str) -> frozenset[str]:
    """The keys of all markers in *file*, packed or not."""
    from cgcli.markers import keys_in_bytes  # noqa: PLC0415 - only `gc` reads files
    from cgcli.readers.files import open_bytes, split_lines  # noqa: PLC0415 - as above

    try:
        with open_bytes(file) as stream:
            return frozenset[str]().union(*(keys_in_bytes(line) for line in split_lines(stream, file=file)))
    except InputError as error:
        raise InputError(f"{error.message}; nothing was removed", where=error.where, hint=error.hint) from error


def _head(command: str, where: Where) -> dict[str, object]:
    return {
        "schema": f"cgcli/stash-{command}/v1",
        "stash": {"path": str(where.path), "how": where.how},
    }


def _totals(listed: list[StashedObject]) -> dict[str, object]:
    return {"n_objects": len(listed), "bytes": _bytes(listed)}


def _row(one: StashedObject) -> dict[str, object]:
    return {
        "digest": one.digest,
        "key": one.digest[:16],
        "bytes": one.size_bytes,
        "modified": _time(one),
    }


def _problem(problem: Problem) -> dict[str, object]:
    return {
        "trouble": str(problem.trouble),
        "path": problem.path,
        "digest": problem.digest,
        "detail": problem.detail,
    }


def _collected(done: Collected, *, n_keys: int, dry_run: bool) -> dict[str, object]:
    return {
        "dry_run": dry_run,
        "n_keys_in_files": n_keys,
        "n_removed": len(done.removed),
        "removed_bytes": _bytes(done.removed),
        "n_kept": len(done.kept),
        "kept_bytes": _bytes(done.kept),
        "n_stale_temps": len(done.stale_temps),
        "removed": [_row(one) for one in done.removed],
    }


def _line(one: StashedObject) -> str:
    return f"{one.digest[:16]}  {one.size_bytes:>12,}  {_time(one)}"


def _time(one: StashedObject) -> str:
    return datetime.fromtimestamp(one.modified_s, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _bytes(listed: list[StashedObject] | tuple[StashedObject, ...]) -> int:
    return sum(one.size_bytes for one in listed)


def _amount(listed: list[StashedObject] | tuple[StashedObject, ...]) -> str:
    return f"{_count(len(listed), 'object')} ({_bytes(listed):,} bytes)"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _place(where: Where) -> str:
    return f"{safe(str(where.path))} ({where.how})"
