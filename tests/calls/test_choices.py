"""The names of the call modes on a command line and in a configuration file."""

from __future__ import annotations

import pytest

from cgcli.calls.build import first_supported, modes_for, resolve, resolve_or_standalone
from cgcli.calls.call import CallOptions
from cgcli.errors import ExitCode, UsageError
from cgcli.readers.single import parse_body
from tests.calls.asking import Json, claude, compact, responses, user


@pytest.mark.parametrize(
    ("name", "resolved", "modes"),
    [
        ("standalone", "standalone", ["standalone"]),
        ("inline", "standalone", ["standalone"]),
        ("fork", "fork", ["fork"]),
        ("native-threshold", "native-threshold", ["native-threshold"]),
        ("native-on-demand", "native-on-demand", ["native-on-demand"]),
        ("native-endpoint", "native-endpoint", ["native-endpoint"]),
        ("native", "native", ["native-on-demand", "native-threshold"]),
        ("auto", "auto", ["fork", "standalone"]),
    ],
)
def test_a_name_stands_for_modes(name: str, resolved: str, modes: list[str]) -> None:
    """`inline` is `standalone` under another name; two names leave it open."""
    found = resolve(name)
    assert (found.name, list(found.modes)) == (resolved, modes)
    assert resolve_or_standalone(name) == (found, None)


@pytest.mark.parametrize(("name", "hint"), [("frok", "did you mean 'fork'?"), ("nativ", "did you mean 'native'?")])
def test_an_unknown_name_is_a_usage_error(name: str, hint: str) -> None:
    """With what was likely meant, and exit code 2."""
    with pytest.raises(UsageError, match=f"no call mode '{name}'") as raised:
        resolve(name)
    assert (raised.value.hint, raised.value.exit_code) == (hint, ExitCode.USAGE)


def test_an_unknown_name_in_a_file_is_standalone_with_a_warning() -> None:
    """As amplifier does with its own options."""
    found, warning = resolve_or_standalone("frok")
    assert found == resolve("standalone")
    assert warning == "no call mode 'frok': standalone is used; did you mean 'fork'?"


@pytest.mark.parametrize(
    ("dialect", "modes"),
    [
        ("anthropic", ["standalone", "fork", "native-threshold", "native-on-demand"]),
        ("openai-chat", ["standalone", "fork"]),
        ("openai-responses", ["standalone", "fork", "native-threshold", "native-on-demand", "native-endpoint"]),
    ],
)
def test_a_dialect_has_its_modes(dialect: str, modes: list[str]) -> None:
    """The columns of a comparison."""
    assert list(modes_for(dialect)) == modes


@pytest.mark.parametrize(
    ("body", "platform", "wanted"),
    [
        (claude(user("a")), None, "native-on-demand"),
        (claude(user("a")), "bedrock", "native-threshold"),
        (claude(user("a"), model="anthropic.claude-opus-5"), None, "native-threshold"),
        (claude(user("a"), model="claude-haiku-4-5"), None, "native-on-demand"),
        (responses([user("a")]), "azure", "native-threshold"),
    ],
)
def test_native_is_the_first_kind_that_there_is(body: Json, platform: str | None, wanted: str) -> None:
    """By model and platform alone; where there is none, the first one says why."""
    request = parse_body(compact(body))
    assert first_supported(resolve("native"), request, CallOptions(platform=platform)) == wanted
