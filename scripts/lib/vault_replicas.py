"""A vault of any size from real notes: each note again and again, under new names, with words changed.

Made-up notes have made-up words, whose frequencies are not those of a language; so where real notes are at hand, the
large vaults of the bench are replicas of them. Links in a replica lead to replicas of the same round, so that the
graph of links stays as dense as it was.
"""

import random
import re
from pathlib import Path

CHANGED_WORDS = 0.08
"""The part of the plain words that another word takes the place of."""
TODO_EVERY = 15
RARE_WORDS = 2
"""The number of the vault's notes that hold the word `kwyjibo`."""

_TARGET = re.compile(r"(?<=\[\[)[^\]\[|#^]+")
_WORD = re.compile(r"(?<![\w\[(/#])[a-z]{4,}(?![\w\])])")


def replicate(source: Path, folder: Path, *, notes: int, seed: int = 1) -> Path:
    """Write a vault of `notes` notes into `folder`, unless the same one is there already.

    Args:
        source: A vault of real notes.
        folder: Where to.
        notes: How many. The first ones are the real notes, unchanged but for the planted lines.
        seed: The same seed makes the same vault.
    """
    mark = folder / ".obsidian" / "replicated.txt"
    originals = sorted(path for path in source.rglob("*.md") if not any(p.startswith(".") for p in path.parts[-4:]))
    description = f"notes={notes} seed={seed} of={len(originals)} form=1\n"
    if mark.exists() and mark.read_text(encoding="utf-8") == description:
        return folder
    chance = random.Random(seed)  # noqa: S311 -- a seeded vault, not a secret
    texts = [path.read_text(encoding="utf-8") for path in originals]
    words = sorted({word for text in texts for word in _WORD.findall(text)})
    rare = {chance.randrange(notes) for _ in range(RARE_WORDS)}
    for number in range(notes):
        turn, which = divmod(number, len(originals))
        place = originals[which].relative_to(source)
        text = texts[which]
        if turn:
            place = Path(f"Copy {turn}") / place.with_name(f"{place.stem} {turn}.md")
            text = _changed(text, turn, words, chance)
        if number % TODO_EVERY == 0:
            text += f"\n{chance.choice(('TODO', 'FIXME'))}: {chance.choice(words)}\n"
        if number in rare:
            text += "\nkwyjibo\n"
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8", newline="\n")
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(description, encoding="utf-8")
    return folder


def _changed(text: str, turn: int, words: list[str], chance: random.Random) -> str:
    """A note of a later round: links lead to that round's names, and some words are others."""
    text = _TARGET.sub(lambda target: f"{target[0]} {turn}", text)
    return _WORD.sub(lambda word: chance.choice(words) if chance.random() < CHANGED_WORDS else word[0], text)
