"""The options of the scripts are read before anything is installed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.toolkit.registry import EVERYTHING
from bridge.tools import specs
from scripts.lib.options import PRESETS, RunOptions, parse_start, parse_test


def test_a_vault_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Notes").mkdir()
    monkeypatch.chdir(tmp_path)
    assert parse_start(["--vault", "Notes"]).vault == (tmp_path / "Notes").resolve()


def test_the_presets_are_those_that_the_tools_declare() -> None:
    assert {*PRESETS} == {EVERYTHING}.union(*(spec.presets for spec in specs()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vault", "missing"], "there is no folder 'missing'"),
        (["--preset", "all"], "invalid choice: 'all'"),
        (["--port", "http"], "invalid int value"),
        (["Notes"], "unrecognized arguments: Notes"),
    ],
)
def test_bad_usage_is_reported_and_ends_with_two(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_start(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_without_options_it_is_the_demonstration() -> None:
    assert vars(parse_start([])) == {"vault": None, "port": 0, "preset": None, "yes": False}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], RunOptions("default", ())),
        (["--quick"], RunOptions("quick", ())),
        (["tests/vault", "-k", "link"], RunOptions("default", ("tests/vault", "-k", "link"))),
        (["--long", "tests/journal", "-x"], RunOptions("long", ("tests/journal", "-x"))),
        (["tests/journal", "--quick", "--lf"], RunOptions("quick", ("tests/journal", "--lf"))),
        (["--lo"], RunOptions("default", ("--lo",))),
    ],
)
def test_what_is_not_an_option_of_ours_is_passed_to_pytest(arguments: list[str], expected: RunOptions) -> None:
    assert parse_test(arguments) == expected


def test_help_says_how_tests_are_selected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_test(["--help"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert all(part in shown for part in ("--quick", "--long", "scripts/test tests/vault -k link"))


def test_quick_and_long_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_test(["--quick", "--long"])
    assert ended.value.code == 2
    assert "not allowed with argument" in capsys.readouterr().err


@pytest.mark.parametrize("parse", [parse_start, parse_test])
def test_help_fits_a_terminal_of_80_columns(
    parse: Callable[[list[str]], object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        parse(["--help"])
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []
