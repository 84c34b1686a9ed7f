"""read: a file or some of its lines, within a limit, with the facts about it."""

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from bridge.contract.tools import ImagePart
from bridge.errors import Ambiguous, InvalidParameters, NotFound, PermissionDenied
from bridge.settings.model import Settings
from bridge.toolkit.tool import Output, ReadEffect, in_vault
from tests.pdf import pdf_files

Modified = Callable[[str], str]


def test_a_file_is_returned_with_its_path_size_and_time(disk_bench: Any, modified: Modified) -> None:
    output = disk_bench.read("read", path="Notes/Meeting.md")
    content = "# Meeting\n\n- TODO: call Ada\n- done: tea\n"
    assert output.data == {
        "content": content,
        "path": "Notes/Meeting.md",
        "size": 40,
        "modified": modified("Notes/Meeting.md"),
    }
    assert output.text == f"{content}[Lines 1-4 of 4]"
    assert output.metadata == {"startLine": 1, "endLine": 4, "totalLines": 4, "truncated": False}


@pytest.mark.parametrize(
    ("arguments", "content", "last"),
    [
        ({"startLine": 3}, "- TODO: call Ada\n- done: tea\n", 4),
        ({"startLine": 1, "endLine": 1}, "# Meeting\n", 1),
        ({"endLine": 2}, "# Meeting\n\n", 2),
        ({"startLine": 2, "endLine": 99}, "\n- TODO: call Ada\n- done: tea\n", 4),
    ],
)
def test_lines_are_counted_from_one_and_the_last_is_included(
    bench: Any, arguments: dict[str, int], content: str, last: int
) -> None:
    output = bench.read("read", path="Notes/Meeting.md", **arguments)
    assert (output.data["content"], output.metadata["endLine"]) == (content, last)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"startLine": 3}, "- TODO: call Ada\n- done: tea\n[Lines 3-4 of 4]"),
        ({"endLine": 2}, "# Meeting\n\n[Lines 1-2 of 4; next: startLine=3]"),
        (
            {"startLine": 2, "endLine": 3, "lineNumbers": True},
            "2:\n3: - TODO: call Ada\n[Lines 2-3 of 4; next: startLine=4]",
        ),
    ],
)
def test_a_model_reads_which_lines_these_are(bench: Any, arguments: dict[str, Any], text: str) -> None:
    assert bench.read("read", path="Notes/Meeting.md", **arguments).text == text


def test_line_numbers_are_no_content(bench: Any) -> None:
    numbered = bench.read("read", path="Notes/Meeting.md", lineNumbers=True)
    assert numbered.data["content"] == bench.read("read", path="Notes/Meeting.md").data["content"]


def test_the_spelling_on_disk_is_returned(bench: Any) -> None:
    assert bench.read("read", path="notes/MEETING.md").data["path"] == "Notes/Meeting.md"


def test_beyond_the_end_the_answer_gives_the_number_of_lines(bench: Any) -> None:
    with pytest.raises(InvalidParameters, match="has 4 lines"):
        bench.read("read", path="Notes/Meeting.md", startLine=5)


@pytest.mark.parametrize(
    "lines", [{"startLine": 3, "endLine": 2}, {"startLine": 0}, {"endLine": 0}, {"startLine": "1"}]
)
def test_a_range_that_is_none_is_refused(bench: Any, lines: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameters):
        bench.prepare("read", path="Notes/Meeting.md", **lines)


def test_a_limit_cuts_at_a_line_end_and_says_where_to_go_on(bench: Any) -> None:
    output = bench.read("read", path="Notes/Meeting.md", maxBytes=15)
    assert output.data["content"] == "# Meeting\n\n"
    assert output.metadata == {"startLine": 1, "endLine": 2, "totalLines": 4, "truncated": True, "nextStartLine": 3}
    assert output.text.endswith("[Lines 1-2 of 4; next: startLine=3]")


def test_a_line_longer_than_the_limit_is_cut_between_characters(bench: Any) -> None:
    bench.write("long.md", "ééééé\n".encode())
    output = bench.read("read", path="long.md", maxBytes=5)
    assert output.data["content"] == "éé"
    assert "the last one not to its end; next: startLine=1, lineOffset=4]" in output.text
    assert "invalidUtf8At" not in output.metadata


def test_the_users_setting_is_the_default_limit(bench: Any) -> None:
    bench.settings = Settings(read_max_bytes=15)
    assert bench.read("read", path="Notes/Meeting.md").metadata["truncated"]
    assert not bench.read("read", path="Notes/Meeting.md", maxBytes=40).metadata["truncated"]


def test_a_binary_file_is_described_and_its_bytes_are_kept_back(disk_bench: Any, modified: Modified) -> None:
    disk_bench.write("image.png", b"\x89PNG\r\n\x1a\n\x00secret")
    output = disk_bench.read("read", path="image.png")
    assert output.data == {
        "path": "image.png",
        "size": 15,
        "modified": modified("image.png"),
        "binary": True,
        "kind": "image",
        "mimeType": "image/png",
        "whyNoPicture": "it is damaged, or of a kind that is not shown",
    }
    assert "secret" not in output.text


def test_the_byte_order_mark_is_no_content(bench: Any) -> None:
    bench.write("bom.md", b"\xef\xbb\xbf# Title\n")
    assert bench.read("read", path="bom.md").data["content"] == "# Title\n"


@pytest.mark.parametrize(("start", "offset"), [(1, 6), (2, 6), (3, None)])
def test_bytes_that_are_not_utf8_are_replaced_and_their_place_is_returned(
    bench: Any, start: int, offset: int | None
) -> None:
    bench.write("latin.md", b"ok\ncaf\xe9\nok\n")
    output = bench.read("read", path="latin.md", startLine=start)
    assert output.metadata.get("invalidUtf8At") == offset
    assert ("\ufffd" in output.data["content"]) == (offset is not None)


def test_line_endings_are_returned_as_they_are(bench: Any) -> None:
    assert bench.read("read", path="Notes/Windows.md", endLine=1).data["content"] == "# Windows\r\n"


def test_an_empty_file_is_read(bench: Any) -> None:
    bench.write("empty.md", b"")
    output = bench.read("read", path="empty.md", startLine=1)
    assert (output.data["content"], output.metadata["totalLines"], output.metadata["endLine"]) == ("", 0, 0)


@pytest.mark.parametrize(
    ("path", "failure"),
    [
        ("", InvalidParameters),
        ("../outside.md", PermissionDenied),
        ("/etc/passwd", PermissionDenied),
        (".obsidian/app.json", PermissionDenied),
        ("a\x00b", InvalidParameters),
    ],
)
def test_a_path_that_is_none_is_refused_before_anyone_is_asked(bench: Any, path: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        bench.prepare("read", path=path)


def test_whether_a_file_exists_is_said_only_after_consent(bench: Any) -> None:
    assert bench.prepare("read", path="None.md") == ReadEffect(in_vault("None.md"), "Read None.md")
    with pytest.raises(NotFound):
        bench.read("read", path="None.md")
    with pytest.raises(InvalidParameters, match="folder"):
        bench.read("read", path="Notes")


def test_a_path_that_fits_several_files_is_never_resolved_to_one(bench: Any) -> None:
    for name in ("Plan.md", "PLAN.md"):
        bench.write(name, b"x\n")
    if len({path.name for path in bench.folder.glob("[Pp]*.md")}) == 1:
        pytest.skip("this disk ignores case")
    with pytest.raises(Ambiguous) as refusal:
        bench.read("read", path="plan.md")
    assert sorted(refusal.value.data["candidates"]) == ["PLAN.md", "Plan.md"]
    with pytest.raises(Ambiguous):
        bench.plan("apply_patch", path="plan.md", patches=[{"startLine": 1, "endLine": 1, "newContent": "y"}])


# -- notes by name ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Meeting", "[[Meeting]]", "[[Notes/Meeting|shown]]", "notes/meeting", "Standup"])
def test_a_note_is_read_by_its_name(bench: Any, name: str) -> None:
    bench.write("Notes/Meeting.md", b"---\naliases: [Standup]\n---\n# Meeting\n")
    effect = bench.prepare("read", path=name)
    assert (effect.targets, effect.summary) == (in_vault("Notes/Meeting.md"), "Read Notes/Meeting.md")
    assert bench.read("read", path=name).data["path"] == "Notes/Meeting.md"


def test_a_path_wins_over_a_name(bench: Any) -> None:
    bench.write("Other/Ideas.md", b"other\n")
    assert bench.read("read", path="Ideas").data["path"] == "Ideas.md"


def test_whether_a_named_note_exists_is_said_only_after_consent(bench: Any) -> None:
    bench.write("Other/Meeting.md", b"other\n")
    for name, refusal in (("Meeting", Ambiguous), ("[[Meeting]]", Ambiguous), ("Nothing", NotFound)):
        assert bench.prepare("read", path=name).targets == in_vault(name)
        with pytest.raises(refusal):
            bench.read("read", path=name)
    assert bench.prepare("read", path="Nothing#Part").targets == in_vault("Nothing#Part")


MANUAL = pdf_files.pages("Safety first.", "Open the valve.\nClose the valve.", "Warranty.", "Index.")


@pytest.fixture
def manual(vault: Path, disk_bench: Any) -> Any:
    """A vault with a PDF file of four pages, and one with a password."""
    (vault / "Manuals").mkdir()
    (vault / "Manuals" / "Boiler.pdf").write_bytes(MANUAL)
    (vault / "Manuals" / "Locked.pdf").write_bytes(pdf_files.locked(MANUAL, "a password"))
    return disk_bench


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "pages", "foot"),
    [
        ("Manuals/Boiler.pdf", [1, 2, 3, 4], "[pages 1-4 of 4]"),
        (
            "Manuals/Boiler.pdf#page=2",
            [2],
            "[pages 2-2 of 4; next: Manuals/Boiler.pdf#page=3; as a picture: Manuals/Boiler.pdf#page=2&picture]",
        ),
        ("Manuals/Boiler.pdf#page=2-3", [2, 3], "[pages 2-3 of 4; next: Manuals/Boiler.pdf#page=4]"),
        ("Manuals/Boiler.pdf#page=3-9", [3, 4], "[pages 3-4 of 4]"),
        ("[[Manuals/Boiler.pdf#page=4]]", [4], "[pages 4-4 of 4; as a picture: Manuals/Boiler.pdf#page=4&picture]"),
        ("![[Manuals/Boiler.pdf#page=3-4&height=400|the index]]", [3, 4], "[pages 3-4 of 4]"),
    ],
)
def test_a_pdf_is_read_by_its_pages(manual: Any, path: str, pages: list[int], foot: str) -> None:
    output = manual.read("read", path=path)
    assert [page["page"] for page in output.data["pages"]] == pages
    assert output.data["totalPages"] == 4
    assert output.text.splitlines()[-1] == foot
    for page in output.data["pages"]:
        assert f"[page {page['page']} of 4]\n{page['text']}\n" in output.text


@pytest.mark.slow
def test_pages_that_do_not_fit_are_left_for_the_next_call(manual: Any) -> None:
    output = manual.read("read", path="Manuals/Boiler.pdf", maxBytes=100)
    assert output.text.splitlines()[-1] == "[pages 1-2 of 4; next: Manuals/Boiler.pdf#page=3]"
    cut = manual.read("read", path="Manuals/Boiler.pdf#page=2", maxBytes=34)
    assert cut.data["pages"] == [{"page": 2, "text": "Open the v"}]
    assert "; the page is cut; " in cut.text


@pytest.mark.slow
def test_a_pdf_without_text_says_why(manual: Any) -> None:
    output = manual.read("read", path="Manuals/Locked.pdf")
    assert output.text == "Manuals/Locked.pdf cannot be read as text: The file is protected by a password."
    assert output.data["why"] == "The file is protected by a password"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": "Manuals/Boiler.pdf#page=5"}, "has 4 pages"),
        ({"path": "Manuals/Boiler.pdf#page=0"}, "names no pages"),
        ({"path": "Manuals/Boiler.pdf#page=3-2"}, "names no pages"),
        ({"path": "Manuals/Boiler.pdf", "startLine": 2}, "read by its pages, not by lines"),
        ({"path": "Manuals/Boiler.pdf", "outline": True}, "read by its pages, not by lines"),
    ],
)
def test_pages_that_are_not_there_and_lines_of_a_pdf_are_refused(
    manual: Any, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidParameters, match=message):
        manual.read("read", **arguments)


def test_a_pdf_that_is_not_there_is_not_found(manual: Any) -> None:
    with pytest.raises(NotFound):
        manual.read("read", path="Manuals/Missing.pdf#page=1")
    with pytest.raises(NotFound):
        manual.read("read", path="[[Missing.pdf]]")


def test_a_question_about_a_pdf_names_the_file(manual: Any) -> None:
    for path in ("Manuals/Boiler.pdf#page=2", "[[Manuals/Boiler.pdf#page=2]]"):
        effect = manual.prepare("read", path=path)
        assert effect.targets == in_vault("Manuals/Boiler.pdf")


def photo(colour: str, size: tuple[int, int] = (40, 30)) -> bytes:
    body = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    Image.new("RGB", size, colour).save(body, "JPEG", exif=exif)
    return body.getvalue()


def seen(output: Output) -> list[tuple[int, int, int]]:
    """The colour in the middle of each picture of an answer."""
    colours = []
    for part in output.parts:
        assert isinstance(part, ImagePart)
        data = base64.b64decode(part.data)
        assert b"taken at home" not in data
        image = Image.open(io.BytesIO(data)).convert("RGB")
        assert Image.MIME[Image.open(io.BytesIO(data)).format or ""] == part.mime_type
        colours.append(image.getpixel((image.width // 2, image.height // 2)))
    return colours  # type: ignore[return-value] # three bands


@pytest.mark.slow
def test_a_picture_is_shown_small_and_without_what_the_camera_wrote(vault: Path, disk_bench: Any) -> None:
    original = photo("red", (3000, 2000))
    (vault / "Holiday.jpg").write_bytes(original)
    output = disk_bench.read("read", path="Holiday.jpg")
    ((red, green, blue),) = seen(output)
    assert (red > 240, max(green, blue) < 20) == (True, True)
    shown = output.data["picture"]
    assert (shown["width"], shown["height"], output.data["width"], output.data["height"]) == (1500, 1000, 3000, 2000)
    assert output.text == (
        f"Holiday.jpg is a picture (image/jpeg, 3000 by 2000 pixels, {len(original)} bytes). "
        f"Its picture is beside this text: 1500 by 1000 pixels, {shown['mimeType']}."
    )
    assert (vault / "Holiday.jpg").read_bytes() == original


@pytest.mark.slow
def test_of_many_pictures_three_are_shown_and_fit_together(vault: Path, disk_bench: Any) -> None:
    noise = io.BytesIO()
    Image.effect_noise((1200, 900), 90).save(noise, "PNG")
    names = [f"{number}.png" for number in range(4)]
    for name in names:
        (vault / name).write_bytes(noise.getvalue())
    output = disk_bench.read("read", paths=[*names, "Ideas.md"])
    assert len(output.parts) == 3
    assert sum(len(part.data) for part in output.parts) < 1_000_000
    assert ["picture" in file for file in output.data["files"]] == [True, True, True, False, False]
    assert "an answer shows 3 pictures at most; read it by itself" in output.text
    assert disk_bench.read("read", path="3.png").parts


@pytest.mark.slow
def test_what_cannot_be_shown_says_why(vault: Path, disk_bench: Any) -> None:
    (vault / "Broken.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    output = disk_bench.read("read", path="Broken.png")
    assert output.parts == ()
    assert output.text.endswith(
        "Its bytes are not shown. Not shown as a picture: it is damaged, or of a kind that is not shown."
    )
    assert output.data["whyNoPicture"] == "it is damaged, or of a kind that is not shown"


@pytest.mark.slow
def test_a_page_without_text_is_shown_and_any_other_where_that_is_asked_for(vault: Path, disk_bench: Any) -> None:
    (vault / "Scan.pdf").write_bytes(pdf_files.pages("", "Words.", ""))
    output = disk_bench.read("read", path="Scan.pdf")
    assert ["picture" in page for page in output.data["pages"]] == [True, False, True]
    assert len(output.parts) == 2
    assert output.text.count("Its picture is beside this text") == 2
    drawn = disk_bench.read("read", path="Scan.pdf#page=2&picture")
    (page,) = drawn.data["pages"]
    assert (page["text"], max(page["picture"]["width"], page["picture"]["height"])) == ("Words.", 1500)
    assert len(drawn.parts) == 1


def test_an_outline_has_the_first_thousand_headings_and_says_that_there_are_more(disk_bench: Any) -> None:
    (disk_bench.folder / "Long.md").write_text("".join(f"# {number}\n" for number in range(1_001)))
    output = disk_bench.read("read", path="Long.md", outline=True)
    assert [entry["line"] for entry in output.data["outline"]] == list(range(1, 1_001))
    assert output.metadata == {"truncated": True, "cursor": "100"}
    assert output.text.endswith("[1-100 of 1001 headings; next: cursor=100]")


@pytest.mark.parametrize("arguments", [{"path": "a/" * 2_500}, {"paths": ["Ideas.md", "[[" * 2_500]}])
def test_no_path_is_looked_at_that_is_longer_than_any_can_be(disk_bench: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameters, match="at most 4096 characters"):
        disk_bench.read("read", **arguments)
