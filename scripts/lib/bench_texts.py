"""The corpus by itself: all lines of a pattern in this process, and a process that starts, loads and searches.

`python -m scripts.lib.bench_texts VAULT FOLDER` prints one line of JSON: seconds to have the texts of a vault, from the
folder where they were kept or, the first time, from the notes; to find a word; to look at every file's state; and by
how many bytes the process grew.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import orjson

from bridge.clock import SystemClock
from bridge.index import gathering, hyper
from bridge.index.corpus import Corpus
from bridge.index.grep import Grep, Query
from bridge.index.segments import Stamp
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot

ENDLESS = 1 << 40


@dataclass
class Ready:
    """A corpus that knows every file."""

    corpus: Corpus
    ready: bool = True


@contextmanager
def searching(vault: Path, engine: str) -> Iterator[Callable[[str], int]]:
    """What finds all lines of a pattern and tells how many there are, led by an engine."""
    clock = SystemClock()
    with (
        VaultRoot(vault) as root,
        patch.object(gathering, "MOST_TEXT", ENDLESS),
        patch.object(hyper, "hyperscan", hyper.hyperscan if engine == "hyperscan" else None),
    ):
        files = VaultFiles(root)
        corpus = Corpus()
        fill(corpus, files)
        grep = Grep(files, clock, Ready(corpus))

        def every_line(pattern: str) -> int:
            deadline = clock.monotonic() + 600
            compiled = grep.compile(pattern, deadline)
            return len(grep.search(Query(compiled, None, (), around=0, limit=ENDLESS, deadline=deadline)).hits)

        yield every_line
        grep.close()


def fill(corpus: Corpus, files: VaultFiles) -> None:
    """Put every file into a corpus."""
    for walked in files.walk_folders():
        for file in walked.files:
            corpus.put(str(file.path), walked.read(file), Stamp(file.size, file.mtime_ns))
    corpus.save()


def _main(vault: Path, folder: Path) -> None:
    clock = SystemClock()
    with VaultRoot(vault) as root:
        files = VaultFiles(root)
        before = _resident()
        began = time.perf_counter()
        corpus = Corpus(folder)
        loaded = time.perf_counter() - began
        if not corpus.stamps():
            fill(corpus, files)
        built = time.perf_counter() - began
        grep = Grep(files, clock, Ready(corpus))
        began = time.perf_counter()
        compiled = grep.compile("kwyjibo", clock.monotonic() + 60)
        found = grep.search(Query(compiled, None, (), around=2, limit=100, deadline=clock.monotonic() + 60))
        searched = time.perf_counter() - began
        grown = _resident() - before
        began = time.perf_counter()
        _sweep(str(vault))
        swept = time.perf_counter() - began
        grep.close()
    told = {"loaded": loaded, "built": built, "searched": searched, "swept": swept, "grown": grown}
    print(orjson.dumps(told | {"text": corpus.size, "hits": len(found.hits)}).decode(), flush=True)


def _sweep(folder: str) -> None:
    """The size and time of every note."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                _sweep(entry.path)
            else:
                entry.stat(follow_symlinks=False)


def _resident() -> int:
    """Bytes of memory that this process has; 0 where the system does not tell."""
    status = Path("/proc/self/statm")
    return int(status.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") if status.exists() else 0


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Path(sys.argv[2]))
