"""Builds a vault of any size from a seed: the same notes, folders, links and planted lines every time."""

import random
from pathlib import Path

_CONSONANTS = "bdfgklmnprst"
_VOWELS = "aeio"
_ENDINGS = ("", "", "n", "r", "s", "tion", "ing", "ment")
_FOLDERS = ("Areas", "Archive", "Daily", "Journal", "People", "Projects", "Reading", "Resources")
_SUBFOLDERS = 90
_LINES_PER_HEADING = 10
_WORDS_PER_NOTE = (60, 900)
_WORDS_PER_LINE = (4, 22)


def generate(folder: Path, *, notes: int, seed: int = 1) -> Path:
    """Write a vault of `notes` notes into `folder`, unless the same one is there already.

    One note in fifteen holds a `TODO` or `FIXME`, one in a thousand the rare word `kwyjibo`; half have frontmatter,
    and each links to a few others. The average note has about 3 KB.
    """
    mark = folder / ".obsidian" / "generated.txt"
    description = f"notes={notes} seed={seed} form=1\n"
    if mark.exists() and mark.read_text(encoding="utf-8") == description:
        return folder
    chance = random.Random(seed)  # noqa: S311 -- a seeded vault, not a secret
    words = _vocabulary(chance)
    names = [f"{_title(chance, words)} {number}" for number in range(notes)]
    for number, name in enumerate(names):
        place = folder / chance.choice(_FOLDERS) / words[number % _SUBFOLDERS]
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{name}.md").write_text(_note(chance, words, names, number), encoding="utf-8", newline="\n")
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(description, encoding="utf-8")
    return folder


def _vocabulary(chance: random.Random) -> list[str]:
    """Four thousand made-up words."""
    return [
        "".join(chance.choice(_CONSONANTS) + chance.choice(_VOWELS) for _ in range(chance.randint(1, 3)))
        + chance.choice(_ENDINGS)
        for _ in range(4000)
    ]


def _title(chance: random.Random, words: list[str]) -> str:
    return " ".join(chance.choices(words, k=chance.randint(1, 4))).capitalize()


def _note(chance: random.Random, words: list[str], names: list[str], number: int) -> str:
    """One note: perhaps frontmatter, a heading, paragraphs, links, and now and then a planted line."""
    lines = []
    if number % 2:
        lines += ["---", f"tags: [{chance.choice(words)}, {chance.choice(words)}]", f"number: {number}", "---"]
    lines += [f"# {names[number]}", ""]
    left = chance.randint(*_WORDS_PER_NOTE)
    pool = iter(chance.choices(words, k=left + _WORDS_PER_LINE[1]))
    while left > 0:
        count = chance.randint(*_WORDS_PER_LINE)
        left -= count
        lines.append(" ".join(next(pool) for _ in range(count if left > 0 else count + left)))
        if not chance.randrange(_LINES_PER_HEADING):
            lines += ["", f"## {chance.choice(words).capitalize()}", f"See [[{chance.choice(names)}]]."]
    if number % 15 == 0:
        lines.append(f"{chance.choice(('TODO', 'FIXME'))}: {chance.choice(words)}")
    if number % 1000 == 0:
        lines.append("kwyjibo")
    return "\n".join(lines) + "\n"
