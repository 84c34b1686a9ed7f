"""A vault of notes made to keep a reader busy: each is a file that anyone could put there."""

from collections.abc import Callable
from pathlib import Path

MB = 1 << 20

HOSTILE_NOTES: dict[str, Callable[[int], str]] = {
    "nested list": lambda size: _nested_list(3000 * size // (9 * MB)),
    "nested list with tabs": lambda size: "".join("\t" * (i % 3000) + "- a\n" for i in range(size // 1500)),
    "list in one line": lambda size: "- " * (size // 2) + "a",
    "deep list, many items": lambda size: "".join("  " * (i % 40) + "- [ ] a\n" for i in range(size // 48)),
    "quotes": lambda size: (">" * 2000 + " [[a]]\n") * (size // 2007),
    "quotes in lists": lambda size: ("- > " * 500 + "[[a]]\n") * (size // 2006),
    "links": lambda size: "[[a]] " * (size // 6),
    "different links": lambda size: "".join(f"[[a{i}|b{i}]]\n" for i in range(size // 18)),
    "links to headings": lambda size: "[[" + "#a" * 4000 + "]]\n" + "[[a#b#c|d]] " * (size // 12),
    "tags": lambda size: " #a" * (size // 3),
    "different tags": lambda size: "".join(f"#a{i}/b{i} " for i in range(size // 18)),
    "headings": lambda size: "".join(f"# Heading {i}\n" for i in range(size // 16)),
    "block ids": lambda size: "".join(f"a ^id{i}\n\n" for i in range(size // 12)),
    "brackets": lambda size: "[" * size,
    "embeds": lambda size: "![[" * (size // 3),
    "back-ticks": lambda size: "[" + "".join("`" * (i % 900 + 1) + "a" for i in range(size // 450)),
    "dollars": lambda size: "[" + "$a " * (size // 3),
    "angles": lambda size: "[" + "<a b='" * (size // 6),
    "tables": lambda size: "|a|b|\n|-|-|\n|[[c]]|#d|\n\n" * (size // 26),
    "words": lambda size: "[" + " ".join(f"w{i:x}" for i in range(size // 7)),
    "one line": lambda size: "word [[link]] " * (size // 14),
    "properties": lambda size: "---\nl:\n" + '  - "[[a]]"\n' * 20_000 + "---\n" + "- [[a]]\n" * ((size - 260_000) // 8),
}
"""Each makes a note of about so many bytes."""

_LONGEST = {"nested list": 9 * MB, "one line": 20 * MB}


def write_hostile_vault(folder: Path, size: int = 8 * MB) -> list[str]:
    """Write all of them.

    Args:
        folder: The vault.
        size: Bytes of each note; the nested list and the one long line keep their proportion.

    Returns:
        Their paths.
    """
    paths = []
    for name, note in HOSTILE_NOTES.items():
        own = _LONGEST.get(name, 8 * MB) * size // (8 * MB)
        (folder / f"{name}.md").write_text(note(own), encoding="utf-8")
        paths.append(f"{name}.md")
    return paths


def _nested_list(depth: int) -> str:
    """Each item within the one before; grows with the square of the depth."""
    return "".join("  " * level + "- a\n" for level in range(depth))
