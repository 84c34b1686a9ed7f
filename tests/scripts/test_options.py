"""The options of `scripts/start` are checked before anything is installed."""

from pathlib import Path

import pytest

from bridge.settings.model import PRESETS as KNOWN
from scripts.lib.options import PRESETS, parse_start


def test_a_vault_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Notes").mkdir()
    monkeypatch.chdir(tmp_path)
    assert parse_start(["--vault", "Notes"]).vault == (tmp_path / "Notes").resolve()


def test_the_presets_are_those_of_the_settings() -> None:
    assert tuple(KNOWN) == PRESETS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vault", "missing"], "there is no folder 'missing'"),
        (["--preset", "all"], "invalid choice: 'all'"),
        (["--port", "http"], "invalid int value"),
        (["Notes"], "unrecognized arguments: Notes"),
    ],
)
def test_bad_usage_is_told_and_ends_with_two(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_start(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_without_options_it_is_the_demonstration() -> None:
    assert vars(parse_start([])) == {"vault": None, "port": 0, "preset": None, "yes": False}
