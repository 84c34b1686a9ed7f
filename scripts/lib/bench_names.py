"""Finding by name: globs beside fd, rg and wcmatch; words half remembered beside fzf."""

import random
import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from wcmatch import glob as wcglob

from bridge.index.knowledge import IndexedFile
from bridge.index.search.fuzzy import Listings
from bridge.index.texts.globs import compile_glob
from scripts.lib.bench_measure import Spread, note, percentile

GLOBS = ("**/*.md", "**/*history*", "Copy [1-3]/**/*.md", "**/[A-C]*/*tion*.md", "MOCs/*")
QUERIES = 500
FIRST = 5
_FLAGS = wcglob.GLOBSTAR | wcglob.DOTGLOB | wcglob.BRACE | wcglob.FORCEUNIX
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

Times = Callable[[Callable[[], object], Callable[[], object]], tuple[list[float], list[float]]]


def globs(vault: Path, times: Times) -> None:
    """Each glob: ours over the names in memory, beside programs that walk and wcmatch over the same names."""
    files = _files(vault)
    paths = [file.path for file in files]
    listing = Listings().of(files, None)
    fd, rg = shutil.which("fd") or shutil.which("fdfind"), shutil.which("rg")
    print("    find by a glob" + ("" if fd else "; fd is not installed") + ("" if rg else "; rg is not installed"))
    kept: tuple[list[float], list[float]] = ([], [])
    for text in GLOBS:
        glob = compile_glob(text)
        found = {file.path for file in listing.matching(glob)}
        theirs: dict[str, Callable[[], Collection[str]]] = {"wcmatch": partial(_matched, paths, text)}
        if fd:
            arguments = (fd, "--glob", "--full-path", "--type=f", "--no-ignore", "--", f"{vault}/{text}", ".")
            theirs["fd"] = partial(_printed, arguments, vault)
        if rg:
            theirs["rg"] = partial(_printed, (rg, "--files", "--no-ignore", "-g", f"/{text}"), vault)
        for name, other in theirs.items():
            others = other()
            same = "" if set(others) == found else f"   another result: {len(others)} files"
            mine, reference = times(partial(listing.matching, glob), other)
            factor = statistics.median(reference) / statistics.median(mine)
            if name == "rg":
                for side, samples in zip(kept, (mine, reference), strict=True):
                    side.append(statistics.median(samples))
            sides = f"{Spread.of(mine)!s:<30} {name:<8} {Spread.of(reference)!s:<30}"
            print(f"      {text:<22} {len(found):>7} files {sides} x{factor:.1f}{same}")
    print("      goal: 10 times faster than each, the same files")
    if rg:
        note("glob", *map(statistics.geometric_mean, kept))


class Asked(NamedTuple):
    """A query, and the note that it is meant to find."""

    query: str
    name: str


def fuzzy(vault: Path) -> None:
    """Five hundred queries of five kinds: whether the note is among the first five, and how soon."""
    files = _files(vault)
    asked = list(queries([file.path for file in files], QUERIES))
    listing = Listings().of(files, None)
    listing.ranked("warm", lambda: None)
    sides: dict[str, Callable[[str], Sequence[str]]] = {
        "ours": lambda query: [file.path for file in listing.ranked(query, lambda: None)]
    }
    fzf = shutil.which("fzf")
    if fzf:
        names = "\n".join(file.path for file in files).encode()
        sides["fzf"] = lambda query: _filtered(fzf, query, names)
    print(f"    find by {len(asked)} half remembered names" + ("" if fzf else "; fzf is not installed"))
    measured: dict[str, tuple[float, float, float]] = {}
    samples: dict[str, list[float]] = {name: [] for name in sides}
    hits = dict.fromkeys(sides, 0)
    for query, wanted in asked:
        for name, search in sides.items():
            began = time.perf_counter()
            found = search(query)
            samples[name].append(time.perf_counter() - began)
            hits[name] += wanted in map(base, found[:FIRST])
    for name, taken in samples.items():
        measured[name] = hits[name] / len(asked), percentile(taken, 50), percentile(taken, 95)
        hit, half, most = measured[name]
        print(f"      {name:<6} among the first five: {hit:.3f}, p50 {half * 1e3:.2f} ms, p95 {most * 1e3:.2f} ms")
    if fzf:
        (hit, half, most), (their_hit, their_half, their_most) = measured["ours"], measured["fzf"]
        note("names", half, their_half)
        ratios = f"p50 {half / their_half:.2f} (goal 0.2), p95 {most / their_most:.2f} (goal 0.5)"
        print(f"      ours over fzf: {hit - their_hit:+.3f} (goal +0.05), {ratios}")


def base(path: str) -> str:
    """A note's name without folders, extension and a copy's number: its replicas are as good."""
    return re.sub(r" \d+$", "", path.rpartition("/")[2].rpartition(".")[0])


def queries(paths: Sequence[str], count: int, seed: int = 1) -> Iterator[Asked]:
    """Beginnings of words, the words in another order, one typing error, beginnings run together, folder and word."""
    chance = random.Random(seed)  # noqa: S311 -- a seeded sample, not a secret
    candidates = [path for path in paths if len(_long_words(base(path))) > 1]
    for number in range(count if candidates else 0):
        path = chance.choice(candidates)
        name = base(path)
        words = _long_words(name)
        beginnings = [word[: chance.randint(3, 5)] for word in words[:3]]
        folder = path.rpartition("/")[0].rpartition("/")[2]
        query = (
            " ".join(beginnings),
            " ".join(reversed(re.findall(r"[^\W_]+", name))),
            _mistyped(name, chance),
            "".join(beginnings),
            f"{folder[:5]} {chance.choice(words)}".strip(),
        )[number % 5]
        yield Asked(query.lower(), name)


def _long_words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]{3,}", name)


def _mistyped(name: str, chance: random.Random) -> str:
    """A name with one letter wrong, missing, or changed with the one before."""
    at = chance.randrange(1, len(name) - 1)
    kind = chance.randrange(3)
    if kind == 0:
        return name[:at] + chance.choice(_LETTERS) + name[at + 1 :]
    if kind == 1:
        return name[:at] + name[at + 1 :]
    return name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]


def _files(vault: Path) -> tuple[IndexedFile, ...]:
    notes = (path.relative_to(vault).as_posix() for path in vault.rglob("*.md"))
    return tuple(IndexedFile(path, 1, 1, 1) for path in sorted(notes) if not path.startswith("."))


def _matched(paths: list[str], text: str) -> list[str]:
    """Return the paths that wcmatch finds."""
    return [str(path) for path in wcglob.globfilter(paths, text, flags=_FLAGS)]


def _printed(command: Sequence[str], folder: Path) -> list[str]:
    """The paths that a program prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, encoding="utf-8")
    return [line.removeprefix("./") for line in done.stdout.splitlines()]


def _filtered(fzf: str, query: str, names: bytes) -> list[str]:
    done = subprocess.run([fzf, "--filter", query], input=names, capture_output=True, check=False)
    return done.stdout.decode().splitlines()
