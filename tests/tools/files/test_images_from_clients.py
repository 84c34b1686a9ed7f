"""Images that come with a note: shown in its question, kept where attachments go, gone with its undo; nothing else."""

import base64
import io
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from PIL import Image

from bridge.clock import Clock
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.tools.incoming import MOST_SENT, MOST_SENT_BYTES, kind_of
from bridge.workers import pool
from bridge.workers.pool import Job, WorkerPool
from tests.pictures.hostile import SVG, WHOLE, encoded, hostile_images, png

ATTACHMENTS = '{"attachmentFolderPath": "./files"}'


def image(name: str, data: bytes = WHOLE["png"]) -> dict[str, str]:
    """An image as a client sends it."""
    return {"name": name, "data": base64.b64encode(data).decode()}


@pytest.fixture
async def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sandbox]:
    """A vault. One process decodes all of its images, where the bridge has one for each."""

    def one_process(clock: Clock, job: Job, hide: Callable[[str], str], count: int, *, reuse: bool) -> WorkerPool:
        del count, reuse
        return WorkerPool(clock, job, hide, 1, reuse=True)

    monkeypatch.setattr(pool, "WorkerPool", one_process)
    async with sandbox({"Trip.md": "# Trip\n\nDay one.\n"}, folder=tmp_path / "Vault") as vault:
        (vault.folder / ".obsidian").mkdir()
        (vault.folder / ".obsidian" / "app.json").write_text(ATTACHMENTS, "utf-8")
        vault.settings.update({"rateLimits": dict.fromkeys(("create_note", "read"), 1000)})
        yield vault


def files(vault: Sandbox) -> set[str]:
    """What is in the vault."""
    found = (path for path in vault.folder.rglob("*") if path.is_file())
    return {name for path in found if not (name := path.relative_to(vault.folder).as_posix()).startswith(".")}


@pytest.mark.parametrize("kind", list(WHOLE))
@pytest.mark.parametrize("url", ["", "data:image/png;base64,"])
async def test_a_note_comes_with_an_image_in_one_question_that_shows_it(vault: Sandbox, kind: str, url: str) -> None:
    sent = image("Cat at home.png", WHOLE[kind])
    sent["data"] = url + sent["data"]
    await vault.succeed("create_note", path="Pets/Cat", content="Mine:\n\n![[cat at home.png|A cat]]", images=[sent])
    place = f"Pets/files/Cat at home.{'jpg' if kind == 'jpeg' else kind}"
    assert (vault.folder / place).read_bytes() == WHOLE[kind]
    assert vault.text("Pets/Cat.md") == f"Mine:\n\n![[{place}|A cat]]"
    (asked,) = vault.asked
    assert asked["parameters"]["images"] == "[1 item]"
    assert "with 1 image" in asked["summary"]
    (shown,) = [file for file in asked["preview"]["files"] if file["path"] == place]
    assert shown["note"] == f"An image of 60 by 40 pixels ({len(WHOLE[kind]):,} bytes)"
    picture = shown["picture"]
    assert (picture["width"], picture["height"]) == (60, 40)
    assert Image.open(io.BytesIO(base64.b64decode(picture["data"]))).size == (60, 40)
    await vault.undo()
    assert files(vault) == {"Trip.md"}


async def test_an_edit_takes_images_in_every_one_of_its_texts_and_names_do_not_collide(vault: Sandbox) -> None:
    (vault.folder / "files").mkdir()
    (vault.folder / "files" / "MAP.PNG").write_bytes(b"another")
    edits = [
        {"old_text": "Day one.", "new_text": "Day one: ![The way](map.png)"},
        {"append": "![[map.png]]\n![[View.jpg|100]] ![[elsewhere.png]]"},
    ]
    sent = [image("map.png"), image("View.jpg", WHOLE["jpeg"])]
    result = await vault.succeed("edit", path="Trip", edits=edits, images=sent)
    assert files(vault) == {"Trip.md", "files/MAP.PNG", "files/map 1.png", "files/View.jpg"}
    text = vault.text("Trip.md")
    assert "Day one: ![[files/map 1.png|The way]]" in text
    assert "![[files/map 1.png]]\n![[files/View.jpg|100]] ![[elsewhere.png]]" in text
    assert {file["path"] for file in result.data["files"]} == {"Trip.md", "files/map 1.png", "files/View.jpg"}
    assert len(vault.asked) == 1
    await vault.undo()
    assert files(vault) == {"Trip.md", "files/MAP.PNG"}
    assert (vault.folder / "files" / "MAP.PNG").read_bytes() == b"another"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("images", "content", "why"),
    [
        ([image("a.png")], "no embed", "Say where the image 'a.png' goes: ![[a.png|what it shows]] in the text"),
        ([image("a.svg", SVG)], "![[a.svg]]", "The image 'a.svg' is not a PNG, JPEG, GIF or WebP"),
        ([{"name": "a.png", "data": "no base64!"}], "![[a.png]]", "is not base64"),
        ([image("a.png"), image("A.png")], "![[a.png]]", "Two images are called 'A.png'"),
        ([image("a.png")] * (MOST_SENT + 1), "![[a.png]]", "images"),
        ([image("a.png", WHOLE["png"] + bytes(MOST_SENT_BYTES))], "![[a.png]]", "more than 10 MB together"),
        ([image("a.png", png(100_000, 100_000))], "![[a.png]]", "more than 100 million pixels"),
        ([image("a.png", png(7_000, 7_000, bytes(7_001 * 7_000)))], "![[a.png]]", "more than 40 million pixels"),
        ([image("a.png", WHOLE["png"][:-200])], "![[a.png]]", "it is damaged"),
    ],
)
async def test_what_is_not_kept_says_why_and_nothing_is_made_or_asked(
    vault: Sandbox, images: list[dict[str, str]], content: str, why: str
) -> None:
    for tool, path in (("create_note", "New"), ("edit", "Trip")):
        refused = await vault.call(tool, path=path, content=content, images=images)
        assert not refused.success
        assert why in refused.text

    assert files(vault) == {"Trip.md"}
    assert not (await vault.call("create_note", kind="file", path="a.txt", content="x", images=images)).success


@pytest.mark.slow
async def test_hundred_hostile_images_are_read_and_sent_and_harm_nothing(vault: Sandbox) -> None:
    kept = 0
    for number, data in enumerate(hostile_images()):
        name = f"h{number}.png"
        vault.write(name, data)
        shown = await vault.succeed("read", path=name)
        said = shown.data if isinstance(shown.data, dict) else {}
        assert ("picture" in said) is bool(shown.parts), number
        (vault.folder / name).unlink()
        before = files(vault)
        sent = await vault.call("create_note", path=f"n{number}", content=f"![[{name}]]", images=[image(name, data)])
        if not sent.success:
            assert sent.error_type == "invalid_parameters", (number, sent.text)
            assert files(vault) == before
            continue
        kept += 1
        (place,) = files(vault) - before - {f"n{number}.md"}
        found = (vault.folder / place).read_bytes()
        assert found == data
        assert kind_of(found)
        with Image.open(io.BytesIO(found)) as opened:
            opened.load()
    assert 0 < kept < 60, "some have damage that nobody sees"
    assert (await vault.succeed("read", path="Trip.md")).text


async def test_the_review_of_a_draft_shows_its_images_as_far_as_there_is_room(
    vault: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.drafts.draft.MOST_PICTURES", 2)
    await vault.succeed("draft", action="begin")
    for name in "ABC":
        sent = image(f"{name}.png", encoded("png", (40 + ord(name), 30)))
        await vault.succeed("create_note", path=name, content=f"![[{name}.png]]", images=[sent])
    await vault.succeed("draft", action="submit")
    asked = vault.asked[-1]
    shown = {file["path"]: file["picture"] for file in asked["preview"]["files"] if file["path"].endswith(".png")}
    assert {path: picture and picture["width"] for path, picture in shown.items()} == {
        "files/A.png": 105,
        "files/B.png": 106,
        "files/C.png": None,
    }
    notes = [file["note"] for file in asked["preview"]["files"] if file["path"] == "files/A.png"]
    assert notes[0].startswith("An image of 105 by 30 pixels")
