"""How far search by meaning is, as the status and the doctor say it; and the command that begins anew."""

from typing import Any

import pytest

from bridge.cli.rebuild import rebuild
from bridge.cli.status import draw_semantic
from bridge.health.running import _semantic

STATUS: dict[str, Any] = {"reason": "", "model": "small", "done": 3, "total": 4, "passages": 9, "size": 5_000_000}


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"state": "ready"}, "all 4 notes prepared (small, 5 MB)"),
        ({"state": "embedding"}, "3 of 4 notes prepared (small, 5 MB)"),
        ({"state": "paused", "reason": "battery"}, "3 of 4 notes prepared; paused on battery (small, 5 MB)"),
        ({"state": "failed", "reason": "full"}, "3 of 4 notes prepared; failed: full (small, 5 MB)"),
        ({"state": "off", "model": ""}, "search by meaning is off"),
        ({"state": "missing", "model": ""}, "no model for search by meaning is installed"),
        ({"state": "waiting", "model": ""}, "waiting for the notes to be read"),
    ],
)
def test_the_status_is_a_sentence(part: dict[str, str], said: str) -> None:
    assert draw_semantic(STATUS | part) == said


@pytest.mark.parametrize(
    ("state", "result"), [("ready", "ok"), ("paused", "ok"), ("off", "ok"), ("missing", "ok"), ("failed", "warn")]
)
def test_the_doctor_warns_only_where_it_fails(state: str, result: str) -> None:
    assert _semantic(STATUS | {"state": state}).level == result


@pytest.mark.parametrize(
    ("state", "said"),
    [("embedding", "being prepared anew"), ("off", "semanticSearch=auto"), ("missing", "No model")],
)
def test_rebuilding_says_what_comes_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], state: str, said: str
) -> None:
    monkeypatch.setattr("bridge.cli.rebuild.run_once", lambda _vault, _act: STATUS | {"state": state})
    rebuild()
    assert said in capsys.readouterr().err
