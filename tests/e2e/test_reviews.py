"""The review of a draft, over real sockets: taken in parts, sent back with words, and merged with what others wrote."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.cli.status import described
from bridge.client import find_vault
from bridge.client.token_storage import save_to_file
from tests.patience import PATIENCE
from tests.people import Person, named, person_at

pytestmark = pytest.mark.slow
EVERYTHING = {"enabledTools": ["*"], "rateLimits": {"write_file": 1_000}}
LINES = [f"line {number}\n" for number in range(1, 13)]


def text(changed: dict[int, str] | None = None) -> str:
    """Twelve lines, some of which are others."""
    return "".join((changed or {}).get(number, line) for number, line in enumerate(LINES, 1))


class Night:
    """A vault, clients that work in drafts, and a person."""

    def __init__(self, vault: Path, person: Person) -> None:
        self.vault = vault
        self.person = person
        self.revised: list[dict[str, Any]] = []
        self.news = asyncio.Event()
        person.host.on("consent.revised", self._revised)

    async def _revised(self, question: dict[str, Any]) -> None:
        self.revised.append(question)
        self.news.set()

    async def until_revised(self, fits: Callable[[dict[str, Any]], bool] = lambda _question: True) -> dict[str, Any]:
        """Wait until a question is shown anew, and so."""
        async with asyncio.timeout(PATIENCE):
            while not self.revised or not fits(self.revised[-1]):
                self.news.clear()
                await self.news.wait()
        return self.revised[-1]

    async def add(self, name: str) -> None:
        added = await self.person.host.request("clients.add", name=name, preset="everything", drafts=True)
        await self.person.host.request("consent.allowReading", client=name, where=["/"])
        save_to_file(find_vault(self.vault), name, added["token"])

    async def work(self, name: str, files: dict[str, str], *, submit: bool = True) -> list[dict[str, Any]]:
        """One session of a client, which writes some files; returns its answers."""
        answers = []
        async with named(self.vault, name) as agent:
            for path, content in files.items():
                answers.append((await agent.call("write_file", path=path, content=content)).raw)
            if submit:
                answers.append((await agent.call("draft", action="submit")).raw)
        assert all(answer.get("success") for answer in answers), answers
        return answers

    async def respond(self, question: dict[str, Any], decision: str, **more: Any) -> dict[str, Any]:
        answer: dict[str, Any] = await self.person.respond(question, decision, **more)
        return answer

    async def resolve(self, question: dict[str, Any], *takes: str) -> dict[str, Any]:
        """Choose at each place of a question; returns the question as it is then."""
        choices = [
            {"placeId": place["placeId"], "take": take}
            for place, take in zip(question["preview"]["conflicts"], takes, strict=True)
        ]
        request = {"requestId": question["requestId"], "planDigest": question["planDigest"]}
        answer = await self.person.host.request("consent.resolve", **request, choices=choices)
        assert answer["accepted"], answer
        return dict(answer["question"])

    async def id_of(self, name: str) -> str:
        clients = await self.person.host.request("clients.list")
        return next(str(one["clientId"]) for one in clients if one["name"] == name)

    async def drafts(self) -> list[dict[str, Any]]:
        return list(await self.person.host.request("drafts.list"))

    async def until_states(self, *states: str) -> list[dict[str, Any]]:
        async with asyncio.timeout(PATIENCE):
            while True:
                found = await self.drafts()
                if tuple(one["state"] for one in found) == states:
                    return found

    def write(self, path: str, content: str) -> None:
        """As another program does."""
        place = self.vault / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode())

    def read(self, path: str) -> str | None:
        place = self.vault / path
        return place.read_bytes().decode() if place.exists() else None


@asynccontextmanager
async def night(vault: Path, *clients: str) -> AsyncIterator[Night]:
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update(EVERYTHING, confirms=True)
        person.answer = None
        world = Night(vault, person)
        for client in clients:
            await world.add(client)
        yield world


def by_path(question: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {file["path"]: file for file in question["preview"]["files"]}


async def test_a_part_is_taken_and_the_rest_goes_back_with_words_about_a_line(vault: Path) -> None:
    async with night(vault, "Robot") as world:
        await world.work("Robot", {"N/One.md": "# One\n\nfirst\n", "N/Two.md": "two\n", "N/Three.md": "three\n"})
        question = await world.person.until_asked()
        comment = {"path": "N/One.md", "line": 3, "text": "Say *which*\x1b[31m first"}
        for wrong, why in (
            ({"comments": [comment | {"line": 4}], "sendBack": True, "hunks": {"N/One.md": []}}, "has no line 4"),
            ({"comments": [comment | {"path": "N/X.md"}], "sendBack": True, "hunks": {"N/One.md": []}}, "is no file"),
            ({"comments": [comment], "hunks": {"N/One.md": []}}, "add `sendBack`"),
            ({"comments": [comment], "sendBack": True}, "Nothing is left out"),
        ):
            refused = await world.respond(question, "allow_once", **wrong)
            assert refused["accepted"] is False
            assert why in refused["reason"]
        left: dict[str, list[int]] = {"N/One.md": [], "N/Three.md": []}
        words = {"feedback": "Nearly", "comments": [comment], "sendBack": True}
        assert (await world.respond(question, "allow_once", hunks=left, **words))["accepted"]
        (draft,) = await world.until_states("sent_back")
        assert (world.read("N/One.md"), world.read("N/Two.md"), world.read("N/Three.md")) == (None, "two\n", None)
        assert (draft["files"], draft["words"]) == (["N/One.md", "N/Three.md"], "Nearly")
        assert draft["comments"] == [
            {"path": "N/One.md", "line": 3, "quote": "first", "text": "Say *which*\x1b[31m first"}
        ]
        async with named(vault, "Robot") as agent:
            heard = (await agent.call("read", path="N/Two.md")).text
            assert "took a part of it, and sent it back and said: Nearly." in heard
            assert "- N/One.md, line 3 (first): Say *which*[31m first" in heard
            assert "In it: N/One.md, N/Three.md\n" in heard
            assert "N/One.md, line 3 (first)" in (await agent.call("await_decision")).text
        await world.work("Robot", {"N/One.md": "# One\n\nthe first of two\n", "N/New.md": "new\n"})
        question = await world.person.until_asked(2)
        files = by_path(question)
        assert {path: file["since"] for path, file in files.items()} == {
            "N/New.md": "new",
            "N/One.md": "changed",
            "N/Three.md": "same",
        }
        assert "-first\n+the first of two\n" in files["N/One.md"]["newer"]
        assert (await world.respond(question, "allow_once"))["accepted"]
        await world.until_states()
        assert world.read("N/One.md") == "# One\n\nthe first of two\n"
        assert (world.read("N/Three.md"), world.read("N/New.md")) == ("three\n", "new\n")


async def test_some_hunks_of_a_file_are_taken_and_the_others_stay_in_the_draft(vault: Path) -> None:
    (vault / "Long.md").write_bytes(text().encode())
    async with night(vault, "Robot") as world:
        wanted = text({2: "ours 2\n", 11: "ours 11\n"})
        await world.work("Robot", {"Long.md": wanted})
        await world.person.until_asked()
        world.write("Long.md", text({6: "theirs 6\n"}))
        question = await world.until_revised()
        assert "'Long.md' was changed by somebody else meanwhile; that stays" in question["preview"]["warnings"]
        assert (await world.respond(question, "allow_once", hunks={"Long.md": [0]}, sendBack=True))["accepted"]
        await world.until_states("sent_back")
        assert world.read("Long.md") == text({2: "ours 2\n", 6: "theirs 6\n"})
        async with named(vault, "Robot") as agent:
            seen = (await agent.call("read", path="Long.md")).text
            assert text({2: "ours 2\n", 6: "theirs 6\n", 11: "ours 11\n"}) in seen
        await world.work("Robot", {"N.md": "n\n"})
        question = await world.person.until_asked(2)
        assert by_path(question)["Long.md"]["added"] == 1
        assert (await world.respond(question, "allow_once"))["accepted"]
        await world.until_states()
        assert world.read("Long.md") == text({2: "ours 2\n", 6: "theirs 6\n", 11: "ours 11\n"})


async def test_where_two_changes_meet_the_person_chooses_for_each_place(vault: Path) -> None:
    (vault / "Long.md").write_bytes(text().encode())
    (vault / "Old.md").write_bytes(b"old\n")
    async with night(vault, "Robot") as world:
        await world.work("Robot", {"Long.md": text({2: "ours 2\n", 6: "ours 6\n", 11: "ours 11\n"})}, submit=False)
        async with named(vault, "Robot") as agent:
            assert (await agent.call("delete_file", path="Old.md")).ok
            assert (await agent.call("draft", action="submit")).ok
        await world.person.until_asked()
        theirs = {2: "theirs 2\n", 6: "theirs 6\n", 11: "theirs 11\n"}
        world.write("Long.md", text(theirs))
        world.write("Old.md", "old\nand more\n")
        question = await world.until_revised(lambda shown: len(shown["preview"]["conflicts"]) == 4)
        places = question["preview"]["conflicts"]
        assert [(one["path"], one["line"], one["vault"], one["draft"]) for one in places] == [
            ("Long.md", 2, "theirs 2\n", "ours 2\n"),
            ("Long.md", 6, "theirs 6\n", "ours 6\n"),
            ("Long.md", 11, "theirs 11\n", "ours 11\n"),
            ("Old.md", None, "old\nand more\n", ""),
        ]
        assert all(one["taken"] is None for one in places)
        refused = await world.respond(question, "allow_once")
        assert "choose what is taken" in refused["reason"]
        assert refused["accepted"] is False
        question = await world.resolve(question, "vault", "draft", "both", "vault")
        assert list(by_path(question)) == ["Long.md"]
        world.write("Long.md", text(theirs | {6: "theirs again\n"}))
        question = await world.until_revised(
            lambda shown: [one["taken"] for one in shown["preview"]["conflicts"]] == ["vault", None, "both", "vault"]
        )
        question = await world.resolve(question, "vault", "draft", "both", "vault")
        assert (await world.respond(question, "allow_once"))["accepted"]
        await world.until_states()
        assert world.read("Long.md") == text({2: "theirs 2\n", 6: "ours 6\n", 11: "theirs 11\nours 11\n"})
        assert world.read("Old.md") == "old\nand more\n"


async def test_what_the_person_edits_is_theirs_and_stays_when_the_draft_is_sent_back(vault: Path) -> None:
    (vault / "Long.md").write_bytes(text().encode())
    async with night(vault, "Robot") as world:
        await world.work("Robot", {"Long.md": text({11: "ours 11\n"}), "N.md": "n\n"})
        question = await world.person.until_asked()
        world.write("Long.md", text({2: "theirs 2\n"}))
        question = await world.until_revised()
        new = "line 8\nline 9\nline 10\nmine 11\nline 12\n"
        request = {"requestId": question["requestId"], "planDigest": question["planDigest"]}
        answer = await world.person.host.request("consent.revise", **request, path="Long.md", hunk=0, text=new)
        assert answer["accepted"], answer
        question = answer["question"]
        assert {path: file["yours"] for path, file in by_path(question).items()} == {"Long.md": True, "N.md": False}
        assert (await world.respond(question, "deny_once", feedback="More"))["accepted"]
        await world.until_states("sent_back")
        async with named(vault, "Robot") as agent:
            assert text({2: "theirs 2\n", 11: "mine 11\n"}) in (await agent.call("read", path="Long.md")).text
        await world.work("Robot", {"Long.md": text({2: "theirs 2\n", 11: "again 11\n"})})
        question = await world.person.until_asked(2)
        assert "You edited 'Long.md', and it has been changed since" in question["preview"]["warnings"]
        file = by_path(question)["Long.md"]
        assert (file["yours"], file["since"]) == (True, "changed")
        edits = [one for one in await world.person.log("decision") if "edited the text of 'Long.md'" in str(one)]
        assert len(edits) == 1


async def test_of_two_drafts_over_the_same_notes_the_second_is_shown_against_the_result_of_the_first(
    vault: Path,
) -> None:
    (vault / "Long.md").write_bytes(text().encode())
    async with night(vault, "Robot", "Other") as world:
        await world.work("Robot", {"Long.md": text({2: "robot 2\n", 6: "robot 6\n"})})
        first = await world.person.until_asked()
        await world.work("Other", {"Long.md": text({6: "other 6\n", 11: "other 11\n"})})
        await world.person.until_asked(2)
        assert (await world.respond(first, "allow_once"))["accepted"]
        second = await world.until_revised()
        (place,) = second["preview"]["conflicts"]
        assert (place["vault"], place["draft"]) == ("robot 6\n", "other 6\n")
        assert "robot 2" not in by_path(second)["Long.md"]["diff"].replace(" robot 2", "")
        second = await world.resolve(second, "both")
        assert (await world.respond(second, "allow_once"))["accepted"]
        await world.until_states()
        assert world.read("Long.md") == text({2: "robot 2\n", 6: "robot 6\nother 6\n", 11: "other 11\n"})


async def test_an_undo_keeps_what_was_written_elsewhere_since_and_leaves_only_what_meets(vault: Path) -> None:
    for name in ("Long.md", "Other.md"):
        (vault / name).write_bytes(text().encode())
    async with night(vault, "Robot") as world:
        await world.work("Robot", {"Long.md": text({2: "ours 2\n"}), "Other.md": text({2: "ours 2\n"}), "N.md": "n\n"})
        assert (await world.respond(await world.person.until_asked(), "allow_once"))["accepted"]
        await world.until_states()
        (entry,) = await world.person.host.request("history.list", tool="draft")
        undo = {"executionIds": [entry["executionId"]]}
        world.write("Long.md", text({2: "mine 2\n"}))
        shown = await world.person.host.request("history.undoAll", **undo, preview=True)
        left = [{"path": "Long.md", "why": "it was edited since"}]
        said = "Long.md stays as it is: it was edited since"
        assert (shown["undone"], shown["files"], shown["changes"][0]["left"]) == (1, 2, left)
        assert shown["text"] == "Would undo 1 change in 2 files. 1 file stays as it is"
        asked = await world.person.host.request("tools.preview", name="history_undo", arguments=undo_of(entry))
        assert said in asked["plan"]["warnings"]
        done = await world.person.host.request("history.undo", **undo_of(entry))
        assert (done["data"]["left"], said in done["text"]) == ([said], True)
        assert [world.read(name) for name in ("N.md", "Other.md", "Long.md")] == [None, text(), text({2: "mine 2\n"})]
        (listed,) = await world.person.host.request("history.list", tool="draft")
        assert (listed["state"], listed["left"]) == ("undone", left)
        refused = await world.person.host.request("history.undo", **undo_of(entry))
        assert refused["data"]["code"] == "edited_since"
        world.write("Long.md", text({2: "ours 2\n"}))
        assert (await world.person.host.request("history.undo", **undo_of(entry)))["success"]
        assert world.read("Long.md") == text()
        (listed,) = await world.person.host.request("history.list", tool="draft")
        assert (listed["state"], listed["left"]) == ("undone", [])
        assert (await world.person.host.request("history.redo", **undo_of(entry)))["success"]
        world.write("Long.md", text({2: "ours 2\n", 11: "mine 11\n"}))
        shown = await world.person.host.request("history.undoAll", **undo, preview=True)
        assert shown["undone"] == 1
        done = await world.person.host.request("history.undoAll", client="Robot")
        assert done["undone"] == 1
        assert world.read("Long.md") == text({11: "mine 11\n"})
        assert (world.read("Other.md"), world.read("N.md")) == (text(), None)
        again = await world.person.host.request("history.redo", executionId=entry["executionId"])
        assert again["success"]
        assert world.read("Long.md") == text({2: "ours 2\n", 11: "mine 11\n"})


def undo_of(entry: dict[str, Any]) -> dict[str, Any]:
    return {"executionId": entry["executionId"]}


async def test_a_client_is_told_before_its_draft_is_full_and_nothing_that_is_staged_is_lost(vault: Path) -> None:
    async with night(vault, "Robot", "Other") as world:
        await world.person.host.request("settings.update", patch={"draftFiles": 10})
        async with named(vault, "Robot") as agent:
            told = [(await agent.call("write_file", path=f"N/{number}.md", content="n\n")).text for number in range(10)]
            assert ["It is nearly full" in one for one in told] == [False] * 7 + [True] * 3
            assert "10 of 10 files" in told[-1]
            refused = (await agent.call("write_file", path="N/11.md", content="n\n")).raw
            assert "A draft takes 10 files, and with this it would be more." in refused["error"]
            many = [{"path": f"N/more {number}.md", "content": "n\n"} for number in range(10)]
            calls = [{"name": f"c{number}", "tool": "write_file", "arguments": one} for number, one in enumerate(many)]
            assert (await agent.call("chain", calls=calls)).raw["success"] is False
            (draft,) = await world.drafts()
            assert len(draft["files"]) == 10
            assert (await agent.call("draft", action="submit")).ok
            assert (await agent.call("draft", action="submit")).raw["success"] is False
            assert (await agent.call("write_file", path="N/11.md", content="n\n")).ok
        async with named(vault, "Other") as other:
            for action in ("join", "submit", "discard", "status"):
                refused = (await other.call("draft", action=action, draft=draft["draftId"])).raw
                assert refused["success"] is False
                assert "N/" not in str(refused)
            assert draft["draftId"] not in (await other.call("await_decision")).text
            assert (await other.call("write_file", path="O.md", content="o\n")).ok
        question = await world.person.until_asked()
        assert (await world.respond(question, "allow_once"))["accepted"]
        async with asyncio.timeout(PATIENCE):
            while draft["draftId"] in {one["draftId"] for one in await world.drafts()}:
                pass
        assert [world.read(f"N/{number}.md") for number in range(10)] == ["n\n"] * 10


async def test_what_cannot_be_chosen_changes_nothing(vault: Path) -> None:
    (vault / "Old.md").write_bytes(b"old\n")
    async with night(vault, "Robot") as world:
        async with named(vault, "Robot") as agent:
            assert (await agent.call("delete_file", path="Old.md")).ok
            assert (await agent.call("draft", action="submit")).ok
        await world.person.until_asked()
        world.write("Old.md", "old\nand more\n")
        question = await world.until_revised(lambda shown: bool(shown["preview"]["conflicts"]))
        (place,) = question["preview"]["conflicts"]
        assert place["offers"] == ["vault", "draft"]
        shown = {"requestId": question["requestId"], "planDigest": question["planDigest"]}
        for wrong, why in (
            ({"placeId": place["placeId"], "take": "both"}, "no place of this draft where that can be taken"),
            ({"placeId": "x", "take": "draft"}, "no place of this draft where that can be taken"),
            ({"placeId": place["placeId"], "take": "vault"}, "Nothing of the draft would be left"),
        ):
            answer = await world.person.host.request("consent.resolve", **shown, choices=[wrong])
            assert (answer["accepted"], answer["question"]) == (False, None)
            assert why in answer["reason"]
        other = shown | {"planDigest": "sha256:0"}
        answer = await world.person.host.request("consent.resolve", **other, choices=[wrong])
        assert "digest" in answer["reason"]
        assert (await world.respond(await world.resolve(question, "draft"), "allow_once"))["accepted"]
        await world.until_states()
        assert world.read("Old.md") is None


async def test_a_draft_of_a_client_that_waits_is_reviewed_place_by_place_too(vault: Path) -> None:
    (vault / "Long.md").write_bytes(text().encode())
    async with night(vault, "Robot") as world:
        await world.person.host.request("clients.update", clientId=await world.id_of("Robot"), drafts=False)
        async with named(vault, "Robot") as agent:
            for tool, arguments in (
                ("draft", {"action": "begin"}),
                ("write_file", {"path": "Long.md", "content": text({2: "robot 2\n", 6: "robot 6\n"})}),
            ):
                assert (await agent.call(tool, **arguments)).raw["success"]
            world.write("Long.md", text({6: "mine 6\n", 11: "mine 11\n"}))
            submitted = asyncio.create_task(agent.call("draft", action="submit", reason="as you asked"))
            question = await world.person.until_asked()
            assert question["reason"] == "as you asked"
            (place,) = question["preview"]["conflicts"]
            assert (place["vault"], place["draft"]) == ("mine 6\n", "robot 6\n")
            unchosen = await world.respond(question, "allow_once")
            assert (unchosen["accepted"], world.read("Long.md")) == (False, text({6: "mine 6\n", 11: "mine 11\n"}))
            question = await world.resolve(question, "both")
            assert (await world.respond(question, "allow_once"))["accepted"]
            assert (await submitted).raw["success"]
        assert world.read("Long.md") == text({2: "robot 2\n", 6: "mine 6\nrobot 6\n", 11: "mine 11\n"})


async def test_why_a_draft_was_handed_in_is_in_the_inbox_and_in_its_question(vault: Path) -> None:
    async with night(vault, "Robot") as world:
        await world.work("Robot", {"Long.md": "new\n"}, submit=False)
        async with named(vault, "Robot") as agent:
            assert (await agent.call("draft", action="submit", reason="the tags are one now")).raw["success"]
        question = await world.person.until_asked()
        assert question["reason"] == "the tags are one now"
        (line,) = await world.person.host.request("inbox.list")
        assert (line["kind"], line["reason"]) == ("draft", "the tags are one now")
        assert described(line).endswith(". It says: the tags are one now")
