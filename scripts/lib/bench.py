"""The bench: `python3 scripts/bench [--write] [SECTION ...]`. Prints ratios; asserts nothing."""

import argparse
import asyncio
import os
import platform
import time
from collections.abc import Sequence

from bridge import __version__
from scripts.lib import (
    bench_audit,
    bench_bases,
    bench_custom,
    bench_drafts,
    bench_hostile,
    bench_index,
    bench_loop,
    bench_measure,
    bench_memory,
    bench_page,
    bench_path,
    bench_patterns,
    bench_pdf,
    bench_peers,
    bench_policy,
    bench_questions,
    bench_ranked,
    bench_restore,
    bench_rpc,
    bench_search,
    bench_servers,
    bench_start,
    bench_strangers,
    bench_web,
    bench_write,
    code_size,
)

SECTIONS = {
    "start": ("Starting: the command line, and a vault served again", bench_start.run),
    "rpc": ("RPC: the stack above a bare WebSocket", bench_rpc.run),
    "write": ("Writing: a durable edit, a diff", bench_write.run),
    "drafts": ("Drafts: a staged edit, the question about 500 files", bench_drafts.run),
    "restore": ("Undoing what another program did to 500 notes", bench_restore.run),
    "patterns": ("Hostile patterns: for the caller and for everybody else", bench_patterns.run),
    "audit": ("The audit log: a query in a million lines, a record", bench_audit.run),
    "policy": ("Deciding: a call under a thousand rules", bench_policy.run),
    "index": ("The index: first build, restart, a change, a question", bench_index.run),
    "bases": ("Bases: a view with a filter and two formulas beside a plain loop", bench_bases.run),
    "search": ("Searching: grep and find beside ripgrep, fd, wcmatch and fzf", bench_search.run),
    "ranked": ("Ranked search: ten notes with excerpts", bench_ranked.run),
    "questions": ("Questions: which notes answer them, and how soon they are found", bench_questions.run),
    "memory": ("Memory, disk and time by the size of a vault", bench_memory.run),
    "peers": ("Peers: the same questions to other servers", bench_peers.run),
    "hostile": ("A hostile agent: what it costs the others", bench_hostile.run),
    "strangers": ("Hostile notes, pages, servers and doors: what they cost the person", bench_strangers.run),
    "pdf": ("PDF files: reading a book, searching a library", bench_pdf.run),
    "web": ("The web: reading a page, a page that was kept, a long page and the loop", bench_web.run),
    "servers": ("Other servers: ten loaded by three clients, a call, and their end", bench_servers.run),
    "custom": ("Tools of one's own: a run in the sandbox beside a bare one", bench_custom.run),
    "path": ("The path of a call: the files and functions that it passes through", bench_path.run),
    "loop": ("The event loop: how long any tool holds it", bench_loop.run),
    "size": ("Lines of code, by room", code_size.run),
}


EPILOG = """With --write the results also go into docs/performance.json, and from there into the table and the
picture of docs/performance.md. `scripts/bench plot` draws these two again without measuring."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the sections that were named, or all of them."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Measures, as ratios inside one run.", epilog=EPILOG
    )
    parser.add_argument("--write", action="store_true", help="write the results into docs/performance.md")
    parser.add_argument("section", nargs="*", choices=[*SECTIONS, "plot", []], help="by default all of them")
    options = parser.parse_args(arguments)
    if "plot" in options.section:
        bench_page.draw()
        return
    python = f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} CPUs"
    print(f"Vault Bridge {__version__}, {python}. Medians of at least nine alternating repeats (least to most).")
    for name in options.section or SECTIONS:
        title, run = SECTIONS[name]
        print(f"\n{name}: {title}", flush=True)
        began = time.monotonic()
        asyncio.run(run())
        print(f"  ({time.monotonic() - began:.0f} s)", flush=True)
        if options.write:
            bench_page.write(bench_measure.MEASURED)


if __name__ == "__main__":
    main()
