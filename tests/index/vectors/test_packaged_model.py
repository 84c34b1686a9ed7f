"""The model that comes in a package: it knows what words mean, here and in its worker, and never asks the network."""

import importlib.util
import socket
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import psutil
import pytest

from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed
from bridge.index.vectors.embedder import BETTER, QUICK, ModelFiles, Packaged, installed, packaged_model
from bridge.index.vectors.packaged import PackagedModel, StaticModel, opened
from bridge.workers.pool import Worker
from tests.index.vectors.conftest import Make
from tests.patience import PATIENCE

np: Any = pytest.importorskip("numpy", reason="comes with the extra `semantic`")
FILES = packaged_model()
pytestmark = pytest.mark.skipif(FILES is None, reason="the extra `semantic` is not installed")


@pytest.fixture
def files() -> ModelFiles:
    assert FILES is not None
    return FILES


@pytest.fixture
def model(files: ModelFiles) -> Iterator[PackagedModel]:
    model = PackagedModel(QUICK, files, SystemClock())
    yield model
    model.close()


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("laundry appliance leaks", "The washing machine loses water", "The tax return is due in May"),
        ("how do I sharpen a knife", "whetstone and blade at an angle", "watering the tomatoes"),
        ("feline companions", "Our cats sleep all day", "The train to Hamburg was late"),
    ],
)
def test_texts_are_near_that_mean_the_same_in_other_words(files: ModelFiles, text: str, near: str, far: str) -> None:
    asked, same, other = StaticModel(files).embed([text, near, far])
    assert asked @ same > asked @ other + 0.1


def test_vectors_have_the_length_one_and_that_of_nothing_is_nothing(files: ModelFiles) -> None:
    vectors = StaticModel(files).embed(["one", "a longer text " * 5000, "", "\udcff\ud800"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 0, 1], abs=1e-5)
    assert np.isfinite(vectors).all()


@pytest.mark.parametrize("of", [QUICK, BETTER], ids=lambda of: of.name)
def test_the_worker_makes_the_same_vectors(of: Packaged) -> None:
    model = installed(of, SystemClock())
    assert isinstance(model, PackagedModel)
    texts = [f"note {number} about tea, é and 猫" for number in range(of.few + 5)]
    assert np.allclose(model.embed(texts), model.query().embed(texts), atol=1e-3)
    assert len(model._pool._idle) == 1
    model.close()


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted as Linux counts them")
def test_a_worker_cuts_texts_into_tokens_in_one_thread(model: PackagedModel) -> None:
    model.embed(["tea and toast"] * (QUICK.few + 1))
    (worker,) = model._pool._idle
    working, watching_its_memory = 1, 1
    assert psutil.Process(worker._process.pid).num_threads() == working + watching_its_memory


def test_a_worker_that_was_killed_fails_one_portion_and_the_next_starts_another(model: PackagedModel) -> None:
    texts = ["tea"] * (QUICK.few + 1)
    model.embed(texts)
    (worker,) = model._pool._idle
    worker._process.kill()
    worker._process.wait()
    assert len(model.embed(texts)) == len(texts)


def test_a_worker_lets_others_go_first_and_ends_with_its_input() -> None:
    worker = Worker("bridge.index.vectors.packaged")
    worker.ask({"model": QUICK.name, "sizes": [3]}, b"tea")
    process = psutil.Process(worker._process.pid)
    assert process.nice() == (19 if sys.platform != "win32" else psutil.IDLE_PRIORITY_CLASS)
    assert worker._process.stdin is not None
    worker._process.stdin.close()
    assert worker._process.wait(PATIENCE) == 0
    worker.close()


def test_nothing_is_asked_of_the_network(files: ModelFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: Any, **_more: Any) -> Any:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    StaticModel(files).embed(["tea"])
    assert "wordllama" not in sys.modules
    assert "huggingface_hub" not in sys.modules


@pytest.mark.parametrize("damaged", ["tokenizer", "weights"])
@pytest.mark.parametrize("content", [b"", b"{", b"\x00" * 64, b"\xff" * 64])
def test_damaged_files_are_told_of(files: ModelFiles, tmp_path: Path, damaged: str, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    tokenizer = tmp_path / "file" if damaged == "tokenizer" else files.tokenizer
    weights = tmp_path / "file" if damaged == "weights" else files.weights
    with pytest.raises(ExecutionFailed, match="install it anew"):
        opened(QUICK, ModelFiles(tokenizer, weights))


@pytest.mark.parametrize("missing", ["numpy", "tokenizers", "wordllama"])
def test_where_a_package_is_missing_there_is_no_model(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == missing else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    assert packaged_model() is None


def test_a_package_that_lacks_its_files_is_no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "wordllama").mkdir()
    (tmp_path / "wordllama" / "__init__.py").write_bytes(b"")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert packaged_model() is None


def test_a_vault_is_embedded_by_the_worker_and_questions_find_what_was_meant(
    embedded: Make, model: PackagedModel
) -> None:
    vault = embedded(model)
    vault.put("Washing machine.md", "Error E18 means that the drain pump is blocked.")
    vault.put("Taxes.md", "The return is due in May.")
    for number in range(QUICK.few + 1):
        vault.put(f"Filling {number}.md", f"The train number {number} was late again.")
    vault.start()
    vault.until(lambda status: status.state == "ready")
    assert vault.near("my laundry appliance shows an error")[0] == "Washing machine.md"
