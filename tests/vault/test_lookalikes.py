"""Which words mix scripts to deceive, and which texts in several languages do not."""

import pytest

from bridge.vault.text import lookalikes

ER, OH, AH = "\u0440", "\u043e", "\u0410"  # Cyrillic


@pytest.mark.parametrize(
    ("text", "offset", "named"),
    [
        (f"The {ER}rice", 4, "U+0440 CYRILLIC SMALL LETTER ER"),
        (f"[[H{OH}me]]", 3, "U+043E CYRILLIC SMALL LETTER O"),
        (f"{AH}pple.md", 0, "U+0410 CYRILLIC CAPITAL LETTER A"),
        ("g\u03bfogle", 1, "U+03BF GREEK SMALL LETTER OMICRON"),
        (f"caf\u00e9{OH}", 4, "U+043E CYRILLIC SMALL LETTER O"),
    ],
)
def test_a_lookalike_in_a_latin_word_is_found(text: str, offset: int, named: str) -> None:
    ((at, what),) = lookalikes(text)
    assert (at, what.startswith(named)) == (offset, True)


@pytest.mark.parametrize(
    "text",
    [
        "Plain English, with caf\u00e9, na\u00efve, \u0141\u00f3d\u017a and Ti\u1ebfng Vi\u1ec7t",
        "Встреча с Anna в 10:00, USB-кабель, Wi-Fi, PDF, PDFка, 5G-сеть",  # noqa: RUF001
        "Это мой iPhone и MacBook, а email'ы потом",  # noqa: RUF001
        "Η Μαρία είπε hello στο Zoom",  # noqa: RUF001
        "H\u2082O, \u03bcm, \u0394x, \u03b1-helix, \u03bbx.x, h\u03bd, \u03c0r\u00b2, \u2206T",
        "東京で meeting、PDFファイル, 한국어 text, שלום world, مرحبا hello",
        "Српски и srpski, українська ta ukrainian: Київ/Kyiv",
        "",
    ],
)
def test_a_note_in_several_languages_gives_no_alarm(text: str) -> None:
    assert list(lookalikes(text)) == []
