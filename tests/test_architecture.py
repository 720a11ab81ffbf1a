"""The shape of the package: who imports whom, what the core keeps away from, how long things are."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parent.parent / "cgcli"

# The import order, lowest first; a folder may import what stands in an earlier row, and nothing of its own row.
# Rows name folders that are still to come, too, so that they find their place.
LAYERS: list[list[str]] = [
    ["errors", "cgcli"],
    ["rope"],
    ["model"],
    ["wire"],
    ["dialects", "providers"],
    ["prefix", "tokens", "markers"],
    ["readers"],
    ["lanes", "stash", "pricing"],
    ["cachesim", "select"],
    ["calls"],
    ["summarisers"],
    ["compaction"],
    ["replay"],
    ["shapes", "checks", "inspection", "convert", "scrub", "config", "live"],
    ["probe"],
    ["report"],
    ["pytest_plugin", "cli"],
    ["__main__"],
]
LEVEL = {name: i for i, row in enumerate(LAYERS) for name in row}

MODULES = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}

MOST_LINES = 350
MOST_BODY_LINES = 50
TERMINAL = {"typer", "click", "rich"}
NETWORK = {"httpx", "requests", "urllib.request", "urllib3", "socket", "http", "ssl", "asyncio"}
CHANCE = {"time", "datetime", "random", "secrets", "uuid"}
WORLD = {"print()", "input()", "exit()", "quit()", "sys.exit", "os._exit", "SystemExit()", "breakpoint()"}
WORLD |= {"os.environ", "os.getenv", "os.putenv", "os.getcwd", "Path.cwd", "Path.home"}
NAMES_TEMPORARY_FILES = {"cgcli.stash.durable", "cgcli.replay.output"}
"""The two that may ask the system for random bytes: for names that no other process has."""


def layer(module: str) -> str:
    """The folder (or module at the top) that *module* belongs to."""
    parts = module.removesuffix(".__init__").split(".")
    return parts[1] if len(parts) > 1 else "cgcli"


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported anywhere in *tree*: in functions and under TYPE_CHECKING, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            base = node.module or ""
            yield from (f"{base}.{alias.name}" for alias in node.names) if base == "cgcli" else (base,)


def used(tree: ast.AST) -> Iterator[str]:
    """Every dotted name that *tree* reads, such as `os.environ`, and every plain name that it calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield f"{node.func.id}()"
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def importers(packages: set[str]) -> set[str]:
    """The modules that import one of *packages*, or something in it."""
    return {
        module
        for module, tree in TREES.items()
        for name in imports(tree)
        if any(name == package or name.startswith(f"{package}.") for package in packages)
    }


def definitions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Every function and class in *tree*, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


def above(module: str, imported: str) -> bool:
    """True where *module* may not import *imported*; a plain name such as `cgcli.__version__` stands lowest."""
    mine, theirs = layer(module), layer(imported)
    return mine != theirs and LEVEL.get(theirs, 0) >= LEVEL[mine]


def test_every_module_has_its_place() -> None:
    """No folder of the package is missing from the list of layers, and none stands there twice."""
    assert {layer(module) for module in MODULES} - LEVEL.keys() == set()
    assert len(LEVEL) == sum(map(len, LAYERS))
    assert len(MODULES) > 80


def test_modules_import_only_what_stands_below_them() -> None:
    """Never upwards, never a sibling, wherever in the module the import stands."""
    wrong = {
        module: [name for name in imports(tree) if name.split(".")[0] == "cgcli" and above(module, name)]
        for module, tree in TREES.items()
    }
    assert {module: names for module, names in wrong.items() if names} == {}


def test_the_rule_tells_up_from_down() -> None:
    """The check itself: down is allowed, up and sideways are not, nor from a function or for types alone."""
    assert above("cgcli.wire.spans", "cgcli.readers")
    assert above("cgcli.lanes", "cgcli.stash.store")
    assert not above("cgcli.readers.capture", "cgcli.wire.spans")
    assert not above("cgcli.readers.capture", "cgcli.readers.base")
    source = "import a.b\nif TYPE_CHECKING:\n    from cgcli import c\ndef f():\n    from cgcli.d.e import g\n"
    assert sorted(imports(ast.parse(source))) == ["a.b", "cgcli.c", "cgcli.d.e"]
    assert sorted(used(ast.parse("from os import environ\nprint(os.getenv)"))) == ["os.environ", "os.getenv", "print()"]


def test_only_cli_and_report_know_the_terminal() -> None:
    """Typer and rich stay at the edge."""
    assert {layer(module) for module in importers(TERMINAL)} <= {"cli", "report"}
    assert importers(TERMINAL) != set()


def test_only_live_knows_the_network() -> None:
    """Nothing else could leave the machine."""
    assert {layer(module) for module in importers(NETWORK)} <= {"live"}


def test_the_core_is_pure() -> None:
    """No clock, no chance, no environment, no printing, no exit, outside the command line."""
    edge = {module for module in MODULES if layer(module) in {"cli", "__main__"}}
    wrong = {module: sorted(set(used(tree)) & WORLD) for module, tree in TREES.items() if module not in edge}
    assert {module: names for module, names in wrong.items() if names} == {}
    assert importers(CHANCE) <= edge
    assert {module for module, tree in TREES.items() if "os.urandom" in used(tree)} <= NAMES_TEMPORARY_FILES


def test_modules_are_short() -> None:
    """At most 350 lines each."""
    lines = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: n for module, n in lines.items() if n > MOST_LINES} == {}


def test_functions_are_short() -> None:
    """At most 50 lines below the signature, which in a command lists every option."""
    long = {
        f"{module}.{node.name}": n
        for module, tree in TREES.items()
        for node in definitions(tree)
        if not isinstance(node, ast.ClassDef)
        if (n := (node.end_lineno or 0) - node.body[0].lineno + 1) > MOST_BODY_LINES
    }
    assert long == {}


def test_everything_public_says_what_it_is() -> None:
    """Modules, classes and functions that others may use have a docstring."""
    silent = [module for module, tree in TREES.items() if not ast.get_docstring(tree)]
    silent += [
        f"{module}.{node.name}"
        for module, tree in TREES.items()
        for node in public(tree)
        if not ast.get_docstring(node)
    ]
    assert silent == []


def public(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Public definitions of a module or class, and those in public classes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not child.name.startswith("_"):
            yield child
            if isinstance(child, ast.ClassDef):
                yield from public(child)
