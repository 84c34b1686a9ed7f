"""The texts by themselves: a process that starts, loads and searches.

`python -m scripts.lib.bench_texts VAULT FOLDER` prints one line of JSON: seconds to have the texts of a vault, from the
folder where they were kept or, the first time, from the notes; to find a word; to look at every file's state; and by
how many bytes the process grew.
"""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import orjson

from bridge.clock import SystemClock
from bridge.index.texts.arena import Stamp, TextArena, text_entry
from bridge.index.texts.grep import Grep, GrepQuery
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot


@dataclass
class Ready:
    """Texts of which every file is known."""

    texts: TextArena
    ready: bool = True


def fill(texts: TextArena, files: VaultFiles) -> None:
    """Put every file into an arena."""
    for walked in files.walk_folders():
        for file in walked.files:
            texts.put(text_entry(str(file.path), walked.read(file), Stamp(file.size, file.mtime_ns)))
    texts.save()


def _main(vault: Path, folder: Path) -> None:
    clock = SystemClock()
    with VaultRoot(vault) as root:
        files = VaultFiles(root)
        before = _resident()
        began = time.perf_counter()
        texts = TextArena(folder)
        loaded = time.perf_counter() - began
        if not texts.stamps():
            fill(texts, files)
        built = time.perf_counter() - began
        grep = Grep(files, clock, Ready(texts))
        began = time.perf_counter()
        compiled = grep.compile("kwyjibo", clock.monotonic() + 60)
        found = grep.search(GrepQuery(compiled, None, (), context_lines=2, limit=100, deadline=clock.monotonic() + 60))
        searched = time.perf_counter() - began
        grown = _resident() - before
        began = time.perf_counter()
        _sweep(str(vault))
        swept = time.perf_counter() - began
        grep.close()
    summary = {"loaded": loaded, "built": built, "searched": searched, "swept": swept, "grown": grown}
    print(orjson.dumps(summary | {"text": texts.size, "hits": len(found.hits)}).decode(), flush=True)


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
