# ruff: noqa: RUF001 - the letters are meant
"""Words are found in every script and however they are typed."""

import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.clock import SystemClock
from bridge.index.search.note_search import FoundNote, NoteQuery, NoteSearch
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import FullText, StoredWords, bare, phrase, pieces, words
from bridge.index.vault_index import VaultIndex
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

NOTES = {
    "umlaut": "Die Größe der Maschine steht in der Straße auf einem großen Schild. Der Müller aß Käse.",
    "typed": "Die Groesse der Maschine, vom Mueller in der Strasse gemessen.",
    "ligature": "Le cœur de l'œuvre, une sœur à Noël.",
    "danish": "Rødgrød med fløde på Ærø, en ælling og en å ved Århus.",
    "polish": "Żółta łódź płynie do Łodzi.",
    "turkish": "İstanbul'da ışık ve ılık bir yağmur.",
    "vietnamese": "Đường đến Hà Nội rất đẹp.",
    "icelandic": "Það er þoka á Þingvöllum.",
    "japanese": "来年の予算について会議を開いた。ノートを暗号化する方法とサーバーの設定。ﾊﾟｿｺﾝとｶﾞｽ。",
    "budget": "予算会議は月曜日です。東京タワーの写真。",
    "chinese": "我们在北京的酒店住了三天。国家图书馆很大，笔记软件可以同步。",
    "traditional": "圖書館的筆記軟體可以同步，臺灣的國家公園。",
    "korean": "회의에서 예산을 결정했습니다. 도서관은 월요일에 쉽니다.",
    "thai": "เมื่อวานมีประชุมเรื่องงบประมาณที่กรุงเทพ",
    "lao": "ສະບາຍດີຕອນເຊົ້າ ຢູ່ວຽງຈັນ",
    "khmer": "សួស្តីពេលព្រឹក នៅភ្នំពេញ",
    "burmese": "မင်္ဂလာပါ ရန်ကုန်မြို့",
    "hindi": "हिन्दी में बैठक की टिप्पणियाँ और पुस्तकालय, ज़रूर",
    "arabic": "اجتماع الميزانية في المكتبة، مُدَرِّس أحمد",
    "hebrew": "פגישת תקציב בספרייה, שָׁלוֹם",
    "persian": "یادداشت\u200cهای جلسه در کتابخانه",
    "russian": "Ёлка и совещание по бюджету",
    "greek": "Η συνάντηση για τον προϋπολογισμό",
    "wide": "ＡＢＣ商事のＷｉｎｄｏｗｓサーバー",
    "hyphened": "a so\u00adft hyph\u00aden",
    "mixed": "Obsidianの使い方とPluginの設定",
    "plain": "An ordinary note on fuel, blue shoes and questions of a queen.",
    "near": "It is full of gossip, blunt and quenched; dust and dos.",
}

CASES = [
    ("Größe", {"umlaut", "typed"}),
    ("Groesse", {"umlaut", "typed"}),
    ("grosse", {"umlaut"}),
    ("Strasse", {"umlaut", "typed"}),
    ("straße", {"umlaut", "typed"}),
    ("Mueller", {"umlaut", "typed"}),
    ("Müller", {"umlaut", "typed"}),
    ("Kaese", {"umlaut"}),
    ("coeur", {"ligature"}),
    ("cœur", {"ligature"}),
    ("oeuvre", {"ligature"}),
    ("noel", {"ligature"}),
    ("rodgrod", {"danish"}),
    ("roedgroed", {"danish"}),
    ("aero", {"danish"}),
    ("Aarhus", {"danish"}),
    ("zolta lodz", {"polish"}),
    ("istanbul isik", {"turkish"}),
    ("duong den ha noi", {"vietnamese"}),
    ("thingvollum", {"icelandic"}),
    ("予算会議", {"budget", "japanese"}),
    ("予算", {"budget", "japanese"}),
    ("暗号", {"japanese"}),
    ("ノートの暗号化", {"japanese"}),
    ("のーと", {"japanese"}),
    ("パソコン", {"japanese"}),
    ("ガス", {"japanese"}),
    ("ｻｰﾊﾞｰ", {"japanese", "wide"}),
    ("タワー", {"budget"}),
    ("来", {"japanese"}),
    ("北京酒店", {"chinese"}),
    ("图书馆", {"chinese", "traditional"}),
    ("圖書館", {"chinese", "traditional"}),
    ("笔记软件怎么同步", {"chinese", "traditional"}),
    ("国家公園", {"traditional", "chinese"}),
    ("예산", {"korean"}),
    ("회의를", {"korean"}),
    ("도서관 월요일", {"korean"}),
    ("ประชุมเมื่อวาน", {"thai"}),
    ("งบประมาณ", {"thai"}),
    ("กรุงเทพ", {"thai"}),
    ("วຽງຈັນ"[0:0] + "ວຽງຈັນ", {"lao"}),
    ("ភ្នំពេញ", {"khmer"}),
    ("ရန်ကုန်", {"burmese"}),
    ("हिन्दी बैठक", {"hindi"}),
    ("पुस्तकालय", {"hindi"}),
    ("जरूर", {"hindi"}),
    ("مدرس", {"arabic"}),
    ("احمد", {"arabic"}),
    ("שלום", {"hebrew"}),
    ("یادداشتهای", {"persian"}),
    ("елка", {"russian"}),
    ("προυπολογισμο", {"greek"}),
    ("ABC", {"wide"}),
    ("windows", {"wide"}),
    ("soft hyphen", {"hyphened"}),
    ("obsidian 使い方", {"mixed"}),
    ("Obsidianの使い方", {"mixed"}),
    ("plugin設定", {"mixed"}),
    ("fuel", {"plain"}),
    ("blue", {"plain"}),
    ("does", {"near"}),
]


DECOMPOSED = {"여행 준비.md": "가방과 우산을 챙긴다. ビタミン", "Quán Phở.md": "một tô nhỏ"}
"""Notes whose names and texts are decomposed, as some programs on macOS write them."""


@pytest.fixture(scope="module")
def find(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[FoundNote]]]:
    folder = tmp_path_factory.mktemp("scripts")
    for name, text in NOTES.items():
        (folder / f"Note {name}.md").write_text(f"# Heading\n\n{text}\n", encoding="utf-8")
    for name, text in DECOMPOSED.items():
        decomposed = unicodedata.normalize("NFD", text)
        (folder / unicodedata.normalize("NFD", name)).write_text(decomposed, encoding="utf-8")
    clock = SystemClock()
    with VaultRoot(folder) as root, closing(VaultIndex(VaultFiles(root), clock, stale=0)) as index:
        index.unwatched()
        with closing(SearchTexts(index.texts, VaultFiles(root), clock)) as texts:
            search = NoteSearch(index, StoredWords(index.search), texts)
            yield lambda query: list(search.search(NoteQuery(query, clock.monotonic() + PATIENCE)).results)


@pytest.mark.parametrize(("query", "notes"), CASES, ids=[query for query, _notes in CASES])
def test_a_word_is_found_however_it_is_typed(
    find: Callable[[str], list[FoundNote]], query: str, notes: set[str]
) -> None:
    found = [result.path.removeprefix("Note ").removesuffix(".md") for result in find(query)]
    assert set(found[: len(notes)]) == notes


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("준비", "여행 준비.md"),
        ("준비를", "여행 준비.md"),
        ("여행 우산", "여행 준비.md"),
        ("ビタミン", "여행 준비.md"),
        ("phở nhỏ", "Quán Phở.md"),
        ("여행을 가려면 우산이 있어야 하나요", "여행 준비.md"),
    ],
)
def test_how_its_letters_are_composed_does_not_matter(
    find: Callable[[str], list[FoundNote]], query: str, name: str, form: Literal["NFC", "NFD"]
) -> None:
    found = [result.path for result in find(unicodedata.normalize(form, query))]
    assert unicodedata.normalize("NFC", found[0]) == name


@pytest.mark.parametrize(
    ("query", "first", "shown"),
    [
        ("Größe", "umlaut", "Größe"),
        ("Groesse", "typed", "Groesse"),
        ("Strasse", "typed", "Strasse"),
        ("Straße", "umlaut", "Straße"),
        ("予算会議", "budget", "予算会議"),
        ("圖書館", "traditional", "圖書館"),
        ("图书馆", "chinese", "图书馆"),
        ("ประชุมเมื่อวาน", "thai", "เมื่อวานมีประชุม"),
        ("coeur", "ligature", "cœur"),
        ("パソコン", "japanese", "ﾊﾟｿｺﾝ"),
    ],
)
def test_the_form_that_was_asked_for_comes_first_and_is_shown(
    find: Callable[[str], list[FoundNote]], query: str, first: str, shown: str
) -> None:
    found = find(query)[0]
    assert found.path == f"Note {first}.md"
    assert shown in found.excerpt


@pytest.mark.parametrize("query", ["fuel", "blue", "queen"])
def test_another_spelling_finds_no_other_word(find: Callable[[str], list[FoundNote]], query: str) -> None:
    assert [found.path for found in find(query)] == ["Note plain.md"]


@given(st.text(max_size=40))
@settings(deadline=None)
def test_a_folded_text_has_as_many_characters_and_pieces_cover_a_run(text: str) -> None:
    assert len(bare(text)) == len(text)
    assert bare(bare(text)) == bare(text)
    cut = pieces(text)
    assert not cut or all(piece in text for piece in cut)


@given(st.text(alphabet="予算会議のノートไทยabc ßü", min_size=1, max_size=20), st.data())
@settings(deadline=None)
def test_whatever_is_in_a_note_is_found_by_it(text: str, data: st.DataObject) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        FullText(connection).create()
        FullText(connection).put(1, name="", text=text)
        runs = [run for run in re.split(r"[a-cßü\s]+", text) if run]
        if runs:
            run = data.draw(st.sampled_from(runs))
            start = data.draw(st.integers(0, len(run) - 1))
            part = run[start : data.draw(st.integers(start + 1, len(run)))]
            if words(part):
                found = FullText(connection).matching(phrase(part), expired=lambda: False)
                assert list(found) == [1]
