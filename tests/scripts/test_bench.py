"""Every section of the bench runs to its end, on a small scale."""

import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.lib import (
    bench_audit,
    bench_hostile,
    bench_index,
    bench_loop,
    bench_measure,
    bench_names,
    bench_path,
    bench_patterns,
    bench_pdf,
    bench_peers,
    bench_processes,
    bench_questions,
    bench_ranked,
    bench_rpc,
    bench_search,
    bench_start,
    bench_strangers,
    bench_write,
)
from scripts.lib.golden import read_vault
from scripts.lib.vault_generator import generate

if sys.platform != "win32":
    import resource

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once instead of nine times, in a place of the test's own."""
    for module in (bench_measure, bench_patterns, bench_loop, bench_ranked, bench_start):
        monkeypatch.setattr(module, "REPEATS", 1)
    for module in (bench_processes, bench_patterns, bench_write, bench_audit, bench_index, bench_search):
        monkeypatch.setattr(module, "PLAYGROUND", tmp_path)
    monkeypatch.setattr(bench_rpc, "PINGS", 2)
    monkeypatch.setattr(bench_rpc, "REPLIES", 1)
    monkeypatch.setattr(bench_write, "WRITES", 1)
    monkeypatch.setattr(bench_patterns, "IDLE", 0.05)
    monkeypatch.setattr(bench_loop, "NOTES", 20)
    monkeypatch.setattr(bench_loop, "BIG_LINES", 2000)
    monkeypatch.setattr(bench_loop, "PAUSE", 0)
    monkeypatch.setattr(bench_audit, "LINES", 500)
    monkeypatch.setattr(bench_audit, "APPENDS", 2)


def descriptor_limit() -> Any:
    if sys.platform == "win32":
        return None
    return resource.getrlimit(resource.RLIMIT_NOFILE)


async def test_path(capsys: pytest.CaptureFixture[str]) -> None:
    await bench_path.run()
    assert "apply_patch" in capsys.readouterr().out


async def test_pdf(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    monkeypatch.setattr(bench_pdf, "PLAYGROUND", tmp_path)
    monkeypatch.setattr(bench_pdf, "PAGES", 3)
    monkeypatch.setattr(bench_pdf, "FILES", 2)
    await bench_pdf.run()
    assert capsys.readouterr().out.count("   ratio   ") == 3


async def test_rpc(capsys: pytest.CaptureFixture[str]) -> None:
    await bench_rpc.run()
    assert capsys.readouterr().out.count("   ratio   ") == 4


async def test_start(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench_start, "NOTES", 20)
    await bench_start.run()
    said = capsys.readouterr().out
    assert said.count("   ratio   ") == 7
    assert "serve, and the first search_notes" in said


async def test_write(capsys: pytest.CaptureFixture[str]) -> None:
    await bench_write.run()
    said = capsys.readouterr().out
    assert "apply_patch, whole pipeline" in said
    assert "our unified diff" in said or "git is not installed" in said


async def test_patterns(capsys: pytest.CaptureFixture[str]) -> None:
    await bench_patterns.run()
    said = capsys.readouterr().out
    assert all(f"    {pattern} " in said for pattern in bench_patterns.PATTERNS)
    assert "ratio of p99" in said


async def test_audit(capsys: pytest.CaptureFixture[str]) -> None:
    await bench_audit.run()
    said = capsys.readouterr().out
    assert said.count("   ratio   ") == 5
    assert "verify: " in said


async def test_loop_calls_every_tool_and_every_call_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    await bench_loop.run()
    table = capsys.readouterr().out.splitlines()[2:]
    assert [line[4:32].strip() for line in table] == list(bench_loop.calls(0))
    assert not [line for line in table if line.endswith(")") and not line.endswith("never)")]


async def test_peers_says_what_it_misses(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    await bench_peers.run()
    assert "npm is not installed" in capsys.readouterr().out


def test_every_question_to_a_peer_is_one_that_ours_answers() -> None:
    assert {question for peer in bench_peers.KNOWN for question in peer.asks} == set(bench_peers.OURS)


async def test_index(vault: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (vault / "Ideas.md").write_text("[[Meeting]] #tag", encoding="utf-8")
    monkeypatch.setattr(bench_index, "bench_vault", lambda _notes: vault)
    monkeypatch.setattr(bench_index, "WRITES", 2)
    await bench_index.run()
    said = capsys.readouterr().out
    assert said.count("   ratio   ") == 4
    assert "backlinks of the 1 most linked" in said
    assert not (vault / "Fresh.md").exists()


async def test_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_ranked, "bench_vault", lambda notes: generate(tmp_path / f"of-{notes}", notes=notes))
    monkeypatch.setattr(bench_ranked, "NOTES", 30)
    monkeypatch.setattr(bench_ranked, "REAL_NOTES", 30)
    monkeypatch.setattr(bench_ranked, "QUERIES", 4)
    await bench_ranked.run()
    said = capsys.readouterr().out
    assert "4 queries of 30 notes" in said
    assert said.count("ratio of p95") >= 1


async def test_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_questions, "bench_vault", lambda notes: generate(tmp_path / f"of-{notes}", notes=notes))
    monkeypatch.setattr(bench_questions, "question_vault", lambda: (made_small(tmp_path / "Small"), ("small_vault",)))
    monkeypatch.setattr(bench_questions, "NOTES", 30)
    monkeypatch.setattr(bench_questions, "QUESTIONS", 4)
    await bench_questions.run()
    said = capsys.readouterr().out
    assert "38 questions (small_vault) of 40 notes" in said
    assert said.count("hit@5") >= 3 * 4
    assert said.count("goal: at most 2") == 2


def made_small(folder: Path) -> Path:
    for path, text in read_vault("small_vault").items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


async def test_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench_search, "NOTES", (20,))
    monkeypatch.setattr(bench_names, "QUERIES", 10)
    monkeypatch.setattr(bench_search, "bench_vault", lambda notes: generate(tmp_path / "Notes", notes=notes))
    await bench_search.run()
    said = capsys.readouterr().out
    assert said.count("times faster than rg") == len(bench_search.engines())
    assert all(said.count(f"{kind}") >= len(bench_search.engines()) for kind in bench_search.PATTERNS)
    assert "restart to first grep" in said
    assert "another result" not in said


async def test_strangers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    small = {"HOSTILE": 4_096, "NOISE": (30, 20), "PICTURES": 2, "CARDS": 2, "CARD": 100, "AT_ONCE": 3, "RENAMED": 5}
    for name, value in {**small, "DOOR_SECONDS": 0.0, "MODES": ("error",), "ROBOTS": {"none": ""}}.items():
        monkeypatch.setattr(bench_strangers, name, value)
    for name in ("PAGES", "DOORS"):
        monkeypatch.setattr(bench_strangers, name, dict([*getattr(bench_strangers, name).items()][:1]))
    await bench_strangers.run()
    said = capsys.readouterr().out
    for attack in ("3 notes at once", "hostile notes", "a property renamed in 5 notes", "pages of the web", "door: "):
        assert f"while: {attack}" in said
    assert "other MCP servers" in said


async def test_hostile(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    small = {"FRAMES": 2, "MEMBERS": 30_000, "JUNK_CALLS": 3, "QUESTIONS": 50, "IDLE": 100, "UNFINISHED": 3}
    for name, value in {**small, "MEMBER_CALLS": 3, "MANY_FILES": (30,), "IDLE_SECONDS": 0.1}.items():
        monkeypatch.setattr(bench_hostile, name, value)
    before = descriptor_limit()
    await bench_hostile.run()
    assert descriptor_limit() == before
    said = capsys.readouterr().out
    assert "50 calls that need a question: 20 open" in said
    assert "success True" in said
    assert "while a question about 30 files is asked and denied" in said
    if sys.platform == "linux":
        assert "a write is allowed, made and undone" in said
