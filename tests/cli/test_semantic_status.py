"""How far search by meaning is, as the status and the doctor say it; and the command that begins anew."""

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from bridge.cli.chat import rebuild
from bridge.cli.status import draw_semantic
from bridge.client import BridgeNotRunning
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
        ({"state": "not_allowed", "model": ""}, "not allowed to use the model that is set: vault-bridge rebuild asks"),
    ],
)
def test_the_status_is_a_sentence(part: dict[str, str], said: str) -> None:
    assert draw_semantic(STATUS | part) == said


@pytest.mark.parametrize(
    ("state", "result"),
    [("ready", "ok"), ("paused", "ok"), ("off", "ok"), ("missing", "ok"), ("failed", "warn"), ("not_allowed", "warn")],
)
def test_the_doctor_warns_only_where_it_fails(state: str, result: str) -> None:
    assert _semantic(STATUS | {"state": state, "endpoint": "http://192.0.2.7"}).level == result


@pytest.mark.parametrize(
    ("state", "said"),
    [("embedding", "being prepared anew"), ("off", "semanticSearch=auto"), ("missing", "No model")],
)
def test_rebuilding_says_what_comes_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], state: str, said: str
) -> None:
    asked(monkeypatch, STATUS | {"state": state})
    rebuild()
    assert said in capsys.readouterr().err


def test_before_notes_are_sent_to_another_computer_the_person_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"state": "not_allowed", "endpoint": "http://192.0.2.7:11434", "sentence": "All notes are sent there."}
    requests = asked(monkeypatch, STATUS | told, STATUS | {"state": "waiting"})
    for answer, sent in (("n", False), ("", False), ("y", True)):
        requests.clear()
        monkeypatch.setattr("bridge.cli.chat.attended_keyboard", lambda _printer, said=answer: Typed(said))
        with contextlib.nullcontext() if sent else pytest.raises(typer.Exit):
            rebuild()
        assert (("semantic.allow", {"endpoint": "http://192.0.2.7:11434"}) in requests) is sent
        assert "All notes are sent there." in capsys.readouterr().err


def test_where_nobody_can_answer_nothing_is_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    requests = asked(monkeypatch, STATUS | {"state": "not_allowed", "endpoint": "http://e", "sentence": "All notes."})
    with pytest.raises(typer.Exit):
        rebuild(as_json=True)
    assert [method for method, _params in requests] == ["semantic.rebuild"]
    assert "run `vault-bridge rebuild` in a terminal" in capsys.readouterr().err


def test_without_a_bridge_that_goes_on_nothing_is_promised(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    with pytest.raises(BridgeNotRunning, match="No bridge serves this vault"):
        rebuild(vault=tmp_path)


class Typed:
    """A keyboard at which one line is typed."""

    attended = True

    def __init__(self, line: str) -> None:
        self._line = line

    def discard(self) -> None:
        """Nothing was typed before."""

    async def line(self, prompt: Callable[[], str]) -> str:
        assert "y or n" in prompt()
        return self._line


def asked(monkeypatch: pytest.MonkeyPatch, *answers: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """What a bridge is asked that answers so; the last answer stays."""
    requests: list[tuple[str, dict[str, Any]]] = []

    class Bridge:
        async def request(self, method: str, **params: Any) -> dict[str, Any]:
            requests.append((method, params))
            return answers[min(len(requests), len(answers)) - 1]

    @contextlib.asynccontextmanager
    async def connect(_vault: Any, **_who: Any) -> AsyncIterator[Bridge]:
        yield Bridge()

    monkeypatch.setattr("bridge.cli.chat.connect", connect)
    monkeypatch.setattr("bridge.cli.family.find_vault", lambda vault: vault)
    return requests
