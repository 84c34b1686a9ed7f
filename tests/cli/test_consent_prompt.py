"""The prompt sees every question through to one end, and no answer reaches a question it was not meant for."""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest

from bridge.cli.consent_link import ConsentLink, QuestionEnd, Questions, ScreenAnswer
from bridge.cli.consent_prompt import ConsentPrompt
from bridge.cli.keyboard import PersonLeft, Prompt
from bridge.cli.printer import Printer
from bridge.cli.text_files import NO_EDITOR, NotEdited
from bridge.clock import stamp
from bridge.contract.consent import ConsentReply, ConsentRequest, Decision, Grant, Outcome, Revision, Take
from tests.cli.offers import OPTIONS
from tests.patience import PATIENCE

Make = Callable[..., ConsentRequest]


class ScriptedKeyboard:
    """Types what the test puts into `lines`; `None` leaves."""

    attended = True

    def __init__(self) -> None:
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()
        self.prompts: list[str] = []
        self.waits = asyncio.Event()

    def type(self, *lines: str | None) -> None:
        for line in lines:
            self.lines.put_nowait(line)

    def discard(self) -> None:
        while not self.lines.empty():
            self.lines.get_nowait()

    async def line(self, prompt: Prompt) -> str:
        self.prompts.append(prompt())
        self.waits.set()
        line = await self.lines.get()
        if line is None:
            raise PersonLeft
        return line


class RecordingResponder(ConsentLink):
    """Takes answers and edits, and says to them what the test wants said."""

    def __init__(self) -> None:
        super().__init__(Path())
        self.answers: list[ScreenAnswer] = []
        self.edits: list[tuple[str, int, str]] = []
        self.choices: list[dict[str, Take]] = []
        self.reply: ConsentReply | None = ConsentReply(accepted=True, outcome=Outcome.ALLOWED, by="Terminal")
        self.revision: Revision | None = None

    async def respond(self, answers: Sequence[ScreenAnswer]) -> list[ConsentReply] | None:
        self.answers += answers
        return None if self.reply is None else [self.reply for _ in answers]

    async def revise(self, request: ConsentRequest, path: str, hunk: int, text: str) -> Revision | None:
        del request
        self.edits.append((path, hunk, text))
        return self.revision

    async def resolve(self, request: ConsentRequest, choices: Mapping[str, Take]) -> Revision | None:
        del request
        self.choices.append(dict(choices))
        return self.revision


class Scene:
    """A prompt, a person and a bridge."""

    def __init__(self) -> None:
        self.responder = RecordingResponder()
        self.questions = self.responder.questions
        self.keyboard = ScriptedKeyboard()
        self.printer = Printer()
        self.prompt = ConsentPrompt(self.responder, self.keyboard, self.printer)

    def next(self) -> "asyncio.Task[bool]":
        self.keyboard.waits.clear()
        return asyncio.create_task(self.prompt.next())

    async def asked(self) -> None:
        """Returns when the prompt waits for an answer."""
        async with asyncio.timeout(PATIENCE):
            await self.keyboard.waits.wait()
        self.keyboard.waits.clear()

    async def answered(self, request: ConsentRequest, *lines: str) -> ScreenAnswer:
        """What the prompt makes of those lines."""
        self.questions.add(request)
        seeing = self.next()
        await self.asked()
        self.keyboard.type(*lines)
        async with asyncio.timeout(PATIENCE):
            assert await seeing
        return self.responder.answers[-1]


@pytest.fixture
async def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr("bridge.cli.consent_prompt.SETTLE_SECONDS", 0)
    return Scene()


@pytest.fixture
def watched(scene: Scene) -> None:
    """The screen is a terminal."""
    scene.printer.interactive = True


ALL = [decision.value for decision in Decision]


@pytest.mark.parametrize(
    ("key", "decision"),
    [
        ("y", Decision.ALLOW_ONCE),
        ("Y ", Decision.ALLOW_ONCE),
        ("yes", Decision.ALLOW_ONCE),
        ("n", Decision.DENY_ONCE),
        ("no", Decision.DENY_ONCE),
    ],
)
async def test_a_key_answers_for_this_call(scene: Scene, make_request: Make, key: str, decision: Decision) -> None:
    request = make_request(choices=ALL)
    assert await scene.answered(request, key) == ScreenAnswer(request, decision)


@pytest.mark.parametrize(
    "line", ["", " ", "yy", "yn", "s", "a", "allow_always", "h", "e", "c", "p", "ok", "\x1b[A", "да"]
)
async def test_anything_else_is_asked_again(scene: Scene, make_request: Make, line: str) -> None:
    """There is no default, and what is not offered is not taken."""
    answer = await scene.answered(make_request(), line, "n")
    assert answer.decision is Decision.DENY_ONCE
    assert len(scene.keyboard.prompts) == 2


@pytest.mark.parametrize(
    ("key", "decision"),
    [
        ("s", Decision.ALLOW_SESSION),
        ("a", Decision.ALLOW_ALWAYS),
        ("d", Decision.DENY_SESSION),
        ("x", Decision.DENY_ALWAYS),
    ],
)
async def test_an_answer_for_longer_counts_after_its_sentence_and_a_second_key(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str], key: str, decision: Decision
) -> None:
    request = make_request(choices=ALL)
    answer = await scene.answered(request, key, "y")
    (option,) = (option for option in request.options if option.decision is decision)
    assert answer == ScreenAnswer(request, decision, option)
    assert option.sentence in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("second", ["", "n", "s", "a", "w", "ok"])
@pytest.mark.parametrize("key", ["s", "a", "d", "x"])
async def test_with_any_other_second_key_nothing_is_remembered(
    scene: Scene, make_request: Make, key: str, second: str
) -> None:
    request = make_request(choices=ALL)
    assert await scene.answered(request, key, second, "n") == ScreenAnswer(request, Decision.DENY_ONCE)
    assert len(scene.responder.answers) == 1


async def test_what_the_bridge_suggests_is_the_first_to_be_offered(scene: Scene, make_request: Make) -> None:
    narrow = OPTIONS["allow_session"]
    wide = narrow | {"optionId": "allow_session.reading", "what": "reading", "suggested": True}
    request = make_request(options=[OPTIONS["allow_once"], narrow, wide, OPTIONS["deny_once"]])
    answer = await scene.answered(request, "s", "y")
    assert answer.option is not None
    assert answer.option.option_id == "allow_session.reading"


async def test_auto_approving_the_operation_comes_before_always(scene: Scene, make_request: Make) -> None:
    every = OPTIONS["allow_session"] | {
        "optionId": "allow_session.changing",
        "what": "changing",
        "operation": "update",
        "label": "Allow for session: every change",
        "sentence": "Claude Code may change any file in this vault without asking, with any content.",
    }
    request = make_request(choices=ALL, options=[OPTIONS["allow_session"], every, OPTIONS["allow_always"]])
    answer = await scene.answered(request, "a", "y")
    assert answer.option is not None
    assert (answer.decision, answer.option.option_id) == (Decision.ALLOW_SESSION, "allow_session.changing")


async def test_a_message_goes_with_a_denial(scene: Scene, make_request: Make) -> None:
    request = make_request()
    answer = await scene.answered(request, "m", "", "m", " not this note ")
    assert answer == ScreenAnswer(request, Decision.DENY_ONCE, feedback="not this note")


@pytest.mark.parametrize(("lines", "place"), [("1 y", 0), ("2 y", 1), ("4 y", 3), ("0 9 x 1-2 -1 3 y", 2)])
@pytest.mark.parametrize("key", ["w", "r"])
async def test_every_answer_for_longer_has_a_number(
    scene: Scene, make_request: Make, key: str, lines: str, place: int
) -> None:
    request = make_request(choices=ALL)
    answer = await scene.answered(request, key, *lines.split())
    longer = [option for option in request.options if not option.decision.value.endswith("once")]
    assert answer == ScreenAnswer(request, longer[place].decision, longer[place])


@pytest.mark.parametrize("lines", [[""], ["1", ""], ["4", "n"]])
async def test_an_empty_line_goes_back_and_nothing_is_chosen(
    scene: Scene, make_request: Make, lines: list[str]
) -> None:
    request = make_request(choices=ALL)
    assert await scene.answered(request, "w", *lines, "n") == ScreenAnswer(request, Decision.DENY_ONCE)


async def test_where_nothing_can_be_chosen_the_key_is_not_taken(scene: Scene, make_request: Make) -> None:
    request = make_request(choices=["allow_once", "deny_once"])
    assert await scene.answered(request, "w", "n") == ScreenAnswer(request, Decision.DENY_ONCE)
    assert len(scene.keyboard.prompts) == 2


LONG = "@@ -0,0 +1,1000 @@\n" + "".join(f"+line {number}\n" for number in range(1000))
CUT = {"files": [{"path": "a.md", "change": "create", "added": 1000, "diff": LONG}]}


@pytest.mark.usefixtures("watched")
async def test_a_yes_to_what_was_cut_is_asked_for_twice(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    request = make_request(preview=CUT)
    assert await scene.answered(request, "y", "y") == ScreenAnswer(request, Decision.ALLOW_ONCE)
    assert len(scene.keyboard.prompts) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert "Not everything that would be done was shown: more of this diff (1,001 rows). p shows it." in said


@pytest.mark.usefixtures("watched")
async def test_a_yes_to_what_was_cut_is_taken_at_once_when_the_rest_was_looked_at(
    scene: Scene, make_request: Make
) -> None:
    pages = [""] * (1100 // (scene.printer.height - 2))
    await scene.answered(make_request(preview=CUT), "p", *pages, "y")
    assert len(scene.keyboard.prompts) == len(pages) + 2
    assert not any("empty" in prompt for prompt in scene.keyboard.prompts)


@pytest.mark.usefixtures("watched")
async def test_who_leaves_the_pages_early_has_not_looked_at_the_rest(scene: Scene, make_request: Make) -> None:
    await scene.answered(make_request(preview=CUT), "p", "q", "y", "y")
    assert len(scene.keyboard.prompts) == 4


@pytest.mark.usefixtures("watched")
async def test_a_denial_of_what_was_cut_is_taken_at_once(scene: Scene, make_request: Make) -> None:
    await scene.answered(make_request(preview=CUT), "n")
    assert len(scene.keyboard.prompts) == 1


async def test_a_pipe_is_shown_everything(scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]) -> None:
    await scene.answered(make_request(preview=CUT), "y")
    assert "line 999" in capsys.readouterr().out


@pytest.mark.usefixtures("watched")
async def test_everything_is_shown_on_demand(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    content = "\n".join(f"line {number}" for number in range(100))
    await scene.answered(make_request(parameters={"content": content}), "p", *[""] * 6, "n")
    shown = capsys.readouterr().out
    assert shown.index("88 more lines: p shows all") < shown.index("line 99")


async def test_questions_come_one_by_one_in_order(scene: Scene, make_request: Make) -> None:
    for name in ("c-1", "c-2", "c-3"):
        scene.questions.add(make_request(requestId=name))
    for name, decision in (("c-1", "y"), ("c-2", "n"), ("c-3", "y")):
        seeing = scene.next()
        await scene.asked()
        scene.keyboard.type(decision)
        assert await seeing
        assert scene.responder.answers[-1].request.request_id == name
    assert ["2 more waiting" in prompt for prompt in scene.keyboard.prompts] == [True, False, False]
    assert ["1 more waiting" in prompt for prompt in scene.keyboard.prompts] == [False, True, False]


async def test_a_question_sent_twice_is_asked_once(scene: Scene, make_request: Make) -> None:
    scene.questions.add(make_request())
    await scene.answered(make_request(), "y")
    assert len(scene.responder.answers) == 1
    assert scene.questions.others("") == 0


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (QuestionEnd("allow_once", "Obsidian"), "answered elsewhere: allow once, by Obsidian."),
        (QuestionEnd("deny_always", "Obsidian"), "answered elsewhere: never allow, by Obsidian."),
        (QuestionEnd("timed_out"), "Nobody answered in time"),
        (QuestionEnd("cancelled"), "withdrawn"),
        (QuestionEnd("stale"), "changed since this was shown"),
        (QuestionEnd(None), "The bridge has gone"),
        (QuestionEnd("allowed", "evil\x1b[2J"), "by evil␛[2J"),
    ],
)
async def test_a_question_that_ends_elsewhere_is_taken_away(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str], ending: QuestionEnd, said: str
) -> None:
    scene.questions.add(make_request())
    seeing = scene.next()
    await scene.asked()
    scene.questions.end("c-1", ending)
    assert not await seeing
    assert scene.responder.answers == []
    assert said in capsys.readouterr().out


async def test_what_was_typed_for_an_old_question_never_answers_a_new_one(scene: Scene, make_request: Make) -> None:
    scene.questions.add(make_request(requestId="c-1"))
    scene.questions.add(make_request(requestId="c-2"))
    seeing = scene.next()
    await scene.asked()
    scene.questions.end("c-1", QuestionEnd("timed_out"))
    assert not await seeing
    scene.keyboard.type("y", "y", "y")
    seeing = scene.next()
    await scene.asked()
    assert scene.keyboard.lines.empty()
    assert not seeing.done()
    scene.keyboard.type("n")
    assert await seeing
    assert [(answer.request.request_id, answer.decision) for answer in scene.responder.answers] == [
        ("c-2", "deny_once")
    ]


async def test_keys_that_come_while_a_withdrawn_question_is_replaced_are_dropped(
    scene: Scene, make_request: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody typing for the first question hits Enter when the second one is already on the screen."""
    typed = asyncio.Event()

    async def settle(_seconds: float) -> None:
        scene.keyboard.type("y")
        typed.set()

    scene.questions.add(make_request(requestId="c-1"))
    seeing = scene.next()
    await scene.asked()
    scene.questions.end("c-1", QuestionEnd("cancelled"))
    assert not await seeing
    monkeypatch.setattr("bridge.cli.consent_prompt.asyncio.sleep", settle)
    scene.questions.add(make_request(requestId="c-2"))
    seeing = scene.next()
    await scene.asked()
    assert typed.is_set()
    assert scene.keyboard.lines.empty()
    scene.keyboard.type(None)
    with pytest.raises(PersonLeft):
        await seeing
    assert scene.responder.answers == []


async def test_leaving_answers_nothing(scene: Scene, make_request: Make) -> None:
    scene.questions.add(make_request())
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type(None)
    with pytest.raises(PersonLeft):
        await seeing
    assert scene.responder.answers == []
    assert scene.questions.others("") == 1


async def test_a_late_answer_is_told_who_was_first(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.responder.reply = ConsentReply(accepted=False, outcome=Outcome.DENIED, by="Obsidian")
    scene.questions.add(make_request())
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("y")
    assert not await seeing
    assert "answered elsewhere: denied, by Obsidian." in capsys.readouterr().out
    assert scene.questions.others("") == 0


async def test_an_answer_that_is_not_taken_leaves_the_question(scene: Scene, make_request: Make) -> None:
    scene.responder.reply = ConsentReply(accepted=False, reason="Another answer is just being checked")
    scene.questions.add(make_request())
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("y")
    assert not await seeing
    assert scene.questions.others("") == 1


async def test_without_a_keyboard_everything_is_allowed_once_and_shown(
    make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    responder = RecordingResponder()
    questions = responder.questions
    request = make_request(choices=ALL)
    questions.add(request)
    assert await ConsentPrompt(responder, None, Printer()).next()
    assert responder.answers == [ScreenAnswer(request, Decision.ALLOW_ONCE)]
    assert "Edit Notes/Meeting.md" in capsys.readouterr().out


async def test_for_programs_everything_is_a_line_of_json(
    make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene()
    scene.prompt = ConsentPrompt(scene.responder, scene.keyboard, Printer(as_json=True))
    await scene.answered(make_request(), "nonsense", "deny_once")
    scene.questions.add(make_request(requestId="c-2"))
    seeing = scene.next()
    await scene.asked()
    scene.questions.end("c-2", QuestionEnd("allow_once", "Obsidian"))
    await seeing
    events: list[dict[str, Any]] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[0]["request"]["requestId"] == "c-1"
    assert events[1] == {"event": "answered", "requestId": "c-1", "decision": "deny_once", "feedback": None}
    assert events[3] == {"event": "withdrawn", "requestId": "c-2", "how": "allow_once", "by": "Obsidian"}


async def test_a_program_may_answer_with_a_decision_or_an_option(
    make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was given every option with its sentence, so there is no second key."""
    scene = Scene()
    scene.prompt = ConsentPrompt(scene.responder, scene.keyboard, Printer(as_json=True))
    wide = OPTIONS["allow_session"] | {"optionId": "allow_session.reading"}
    request = make_request(choices=ALL, options=[*OPTIONS.values(), wide])
    assert (await scene.answered(request, "allow_session")).to_params()["option"] == "allow_session"
    assert (await scene.answered(request, "allow_session.reading")).to_params()["option"] == "allow_session.reading"
    answered = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert answered["option"] == "allow_session.reading"


async def test_what_is_remembered_is_said_as_the_bridge_stored_it(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    request = make_request(choices=ALL)
    stored = {"grantId": "s-1", "kind": "session", "decision": "allow_session", "who": "client", "what": "tool"}
    grant = Grant.model_validate(stored | {"until": "stop", "sentence": "Claude Code may do exactly \x1b[2Jthis."})
    scene.responder.reply = ConsentReply(accepted=True, outcome=Outcome.ALLOWED, grant=grant)
    await scene.answered(request, "s", "y")
    said = " ".join(capsys.readouterr().out.split())
    assert "Allowed, and remembered: Claude Code may do exactly ␛[2Jthis." in said
    assert "`vault-bridge policy revoke s-1` takes it back" in said


TWO_HUNKS = "@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n"
PARTS = {
    "files": [
        {"path": "a.md", "change": "modify", "added": 2, "removed": 2, "diff": TWO_HUNKS},
        {"path": "b.md", "change": "create", "added": 1, "diff": "@@ -0,0 +1 @@\n+new\n"},
        {"path": "c.md", "change": "delete", "removed": 1, "diff": "@@ -1 +0,0 @@\n-old\n"},
    ]
}


@pytest.mark.parametrize(
    ("lines", "hunks"),
    [
        (["2", "y"], {"a.md": [0]}),
        (["1-2 4", "y"], {"a.md": [], "c.md": []}),
        (["3,4", "y"], {"b.md": [], "c.md": []}),
        (["nonsense", "9", "2-1", "1", "y"], {"a.md": [1]}),
        (["?", "y", "perhaps", "n", "y", "y", "y"], {"a.md": [0]}),
    ],
)
async def test_parts_are_left_out_by_number_or_one_by_one(
    scene: Scene, make_request: Make, lines: list[str], hunks: dict[str, list[int]]
) -> None:
    request = make_request(preview=PARTS, hunksSupported=True)
    assert await scene.answered(request, "h", *lines) == ScreenAnswer(request, Decision.ALLOW_ONCE, hunks=hunks)


@pytest.mark.parametrize(
    ("line", "hunks"), [("h 2", {"a.md": [0]}), ("h1-2,4", {"a.md": [], "c.md": []}), ("H 3", {"b.md": []})]
)
async def test_parts_are_left_out_in_one_line_that_is_confirmed(
    scene: Scene, make_request: Make, line: str, hunks: dict[str, list[int]]
) -> None:
    request = make_request(preview=PARTS, hunksSupported=True)
    assert await scene.answered(request, line, "y") == ScreenAnswer(request, Decision.ALLOW_ONCE, hunks=hunks)


@pytest.mark.parametrize("lines", [["h 5"], ["h 0"], ["h 2-1"], ["h 1-4"], ["h 2", "n"], ["h 2", ""]])
async def test_numbers_that_make_no_sense_or_are_not_confirmed_answer_nothing(
    scene: Scene, make_request: Make, lines: list[str]
) -> None:
    request = make_request(preview=PARTS, hunksSupported=True)
    assert await scene.answered(request, *lines, "n") == ScreenAnswer(request, Decision.DENY_ONCE)
    assert len(scene.responder.answers) == 1


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["y"], {"decision": Decision.ALLOW_ONCE}),
        (["n"], {"decision": Decision.DENY_ONCE}),
        (["h 2", "y"], {"decision": Decision.ALLOW_ONCE, "hunks": {"a.md": [0]}}),
        (["h", "2", "y"], {"decision": Decision.ALLOW_ONCE, "hunks": {"a.md": [0]}}),
    ],
)
async def test_a_message_goes_with_whatever_is_answered(
    scene: Scene, make_request: Make, lines: list[str], answer: dict[str, Any]
) -> None:
    request = make_request(preview=PARTS, hunksSupported=True)
    said = "shorter\x1b[2J next time"
    assert await scene.answered(request, "t", said, *lines) == ScreenAnswer(request, feedback=said, **answer)
    assert all("\x1b" not in prompt for prompt in scene.keyboard.prompts)


async def test_a_message_can_be_taken_back_and_belongs_to_its_question_alone(scene: Scene, make_request: Make) -> None:
    assert (await scene.answered(make_request(), "t", "first", "t", "", "y")).feedback is None
    assert (await scene.answered(make_request(requestId="c-2"), "t", "second", "y")).feedback == "second"
    assert (await scene.answered(make_request(requestId="c-3"), "y")).feedback is None


@pytest.mark.parametrize("lines", [[""], ["1-4"], ["2", "n"], ["?", "n", "q"], ["?", "y", "y", "y", "y"]])
async def test_leaving_out_nothing_or_all_or_going_back_answers_nothing(
    scene: Scene, make_request: Make, lines: list[str]
) -> None:
    request = make_request(preview=PARTS, hunksSupported=True)
    assert await scene.answered(request, "h", *lines, "n") == ScreenAnswer(request, Decision.DENY_ONCE)


async def test_where_parts_cannot_be_left_out_the_key_is_not_taken(scene: Scene, make_request: Make) -> None:
    await scene.answered(make_request(preview=PARTS), "h", "n")
    assert "Leave out" not in "".join(scene.keyboard.prompts)


async def test_a_question_that_is_set_aside_comes_after_the_others(scene: Scene, make_request: Make) -> None:
    scene.questions.add(make_request(requestId="c-1"))
    scene.questions.add(make_request(requestId="c-2"))
    for line in ("l", "l", "", "y"):
        seeing = scene.next()
        await scene.asked()
        scene.keyboard.type(line)
        if line == "":
            await scene.asked()
            scene.keyboard.type("y")
        await seeing
    assert [answer.request.request_id for answer in scene.responder.answers] == ["c-1", "c-2"]
    assert any(prompt.startswith("2 questions are set aside (expire") for prompt in scene.keyboard.prompts)


async def test_a_new_question_comes_before_those_set_aside(scene: Scene, make_request: Make) -> None:
    scene.questions.add(make_request(requestId="c-1"))
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("l")
    assert not await seeing
    seeing = scene.next()
    await scene.asked()
    scene.questions.add(make_request(requestId="c-2"))
    await scene.asked()
    scene.keyboard.type("n")
    assert await seeing
    assert [answer.request.request_id for answer in scene.responder.answers] == ["c-2"]
    assert len(scene.questions.set_aside) == 1


async def test_how_a_question_ended_that_was_set_aside_is_said(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.questions.add(make_request(requestId="c-1"))
    scene.questions.add(make_request(requestId="c-2"))
    for _ in range(2):
        seeing = scene.next()
        await scene.asked()
        scene.keyboard.type("l")
        assert not await seeing
    seeing = scene.next()
    await scene.asked()
    scene.questions.end("c-2", QuestionEnd("timed_out"))
    await scene.asked()
    said = " ".join(capsys.readouterr().out.split())
    assert "Of those set aside: Edit Notes/Meeting.md: 1 line changed. Nobody answered in time" in said
    assert "1 question is set aside" in scene.keyboard.prompts[-1]
    seeing.cancel()


async def test_an_answer_to_all_of_a_client_answers_those_set_aside_too(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    of_client(make_request, scene, 2)
    for lines in (["l"], ["n"], ["c", "n"]):
        seeing = scene.next()
        await scene.asked()
        scene.keyboard.type(*lines)
        await seeing
    seeing = scene.next()
    await asyncio.sleep(0)
    assert [answer.request.request_id for answer in scene.responder.answers] == ["other", "c-0", "c-1"]
    assert "Of those set aside" not in capsys.readouterr().out
    seeing.cancel()


CLIENT = {"clientId": "5e1f", "client": "Claude Code", "verified": True}


def of_client(make_request: Make, scene: Scene, count: int = 3) -> list[ConsentRequest]:
    """Open questions of one client, and one of another between them."""
    requests = [
        make_request(requestId=f"c-{number}", summary=f"Edit number {number}", planDigest=f"sha256:{number}", **CLIENT)
        for number in range(count)
    ]
    for request in [*requests[:1], make_request(requestId="other", clientId="77aa"), *requests[1:]]:
        scene.questions.add(request)
    return requests


@pytest.mark.parametrize(
    ("lines", "decision", "feedback"),
    [
        (["y"], Decision.ALLOW_ONCE, None),
        (["nonsense", "n"], Decision.DENY_ONCE, None),
        (["m", "", "m", "too many"], Decision.DENY_ONCE, "too many"),
    ],
)
async def test_all_questions_of_one_client_are_answered_together(
    scene: Scene, make_request: Make, lines: list[str], decision: Decision, feedback: str | None
) -> None:
    requests = of_client(make_request, scene)
    seeing = scene.next()
    await scene.asked()
    assert scene.keyboard.prompts[0].startswith("3 questions of this client are open: c shows them together.\n")
    scene.keyboard.type("c", *lines)
    assert await seeing
    assert scene.responder.answers == [ScreenAnswer(request, decision, feedback=feedback) for request in requests]
    assert scene.questions.others("") == 1


async def test_what_an_answer_to_another_of_them_has_ended_counts_as_answered(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    of_client(make_request, scene)
    scene.responder.reply = ConsentReply(accepted=False, outcome=Outcome.DENIED, by="Terminal")
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("c", "n")
    assert await seeing
    assert "Denied: 3 of 3." in capsys.readouterr().out


async def test_what_did_not_become_of_each_is_said(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    of_client(make_request, scene)
    scene.responder.reply = ConsentReply(accepted=False, outcome=Outcome.STALE, by="Terminal")
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("c", "y")
    assert not await seeing
    said = " ".join(capsys.readouterr().out.split())
    assert "Edit number 2: The files have changed since this was shown" in said
    assert "Allowed once: 0 of 3." in said


async def test_the_list_shows_what_each_of_them_would_do(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    of_client(make_request, scene)
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("c", "", "n")
    assert await seeing
    listed = capsys.readouterr().out.partition("1. 🔧")[2]
    assert [f"Edit number {number}" in listed for number in range(3)] == [True, True, True]
    assert listed.count("+ The fox links to [[Plan B]] and jumps.") == 3
    assert "3 questions: Apply Patch" in listed
    assert [answer.request.request_id for answer in scene.responder.answers] == ["c-0"]


@pytest.mark.usefixtures("watched")
async def test_a_yes_to_a_list_that_was_cut_is_asked_for_twice(scene: Scene, make_request: Make) -> None:
    for name in ("c-1", "c-2"):
        scene.questions.add(make_request(requestId=name, preview=CUT, **CLIENT))
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("c", "y", "y")
    assert await seeing
    assert len(scene.keyboard.prompts) == 3
    assert len(scene.responder.answers) == 2


async def test_a_question_whose_text_was_edited_is_drawn_anew(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.questions.add(make_request())
    seeing = scene.next()
    await scene.asked()
    edited = make_request(summary="Edit Notes/Meeting.md: 2 lines changed", planDigest="sha256:01", revised=True)
    scene.questions.revise(edited)
    assert not await seeing
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("y")
    assert await seeing
    assert scene.responder.answers == [ScreenAnswer(edited, Decision.ALLOW_ONCE)]
    said = capsys.readouterr().out.partition("The proposal has changed. This is what would be written now:")[2]
    assert "2 lines changed" in said
    assert "Edited by you" in said


async def test_the_text_is_edited_and_the_question_asked_anew(
    scene: Scene, make_request: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def edit(text: str) -> str:
        opened.append(text)
        return text.replace("Plan B", "Plan C")

    monkeypatch.setattr("bridge.cli.question_dialog.edit", edit)
    edited = make_request(planDigest="sha256:01", editable=True)
    scene.responder.revision = Revision(accepted=True, question=edited)
    scene.questions.add(make_request(editable=True))
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("e")
    assert not await seeing
    assert opened == ["## Agenda\nThe fox links to [[Plan B]] and jumps.\n- tea\n"]
    assert scene.responder.edits == [
        ("Notes/Meeting.md", 0, "## Agenda\nThe fox links to [[Plan C]] and jumps.\n- tea\n")
    ]
    assert await scene.questions.next() == edited


async def test_the_terminal_is_the_editors_until_it_is_closed(
    scene: Scene, make_request: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A question that ends meanwhile is not drawn over."""
    opened, closed = threading.Event(), threading.Event()

    def edit(text: str) -> str:
        opened.set()
        assert closed.wait(PATIENCE)
        return text

    monkeypatch.setattr("bridge.cli.question_dialog.edit", edit)
    scene.questions.add(make_request(editable=True))
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("e")
    await asyncio.to_thread(opened.wait, PATIENCE)
    scene.questions.end("c-1", QuestionEnd("deny_once", "Obsidian"))
    for _ in range(20):
        await asyncio.sleep(0)
    assert "answered elsewhere" not in capsys.readouterr().out
    closed.set()
    assert not await seeing
    assert "answered elsewhere: deny, by Obsidian." in capsys.readouterr().out
    assert scene.responder.edits == []


@pytest.mark.parametrize(
    ("saved", "revision", "said"),
    [
        (None, None, "No editor is set."),
        ("## Agenda\nThe fox links to [[Plan B]] and jumps.\n- tea\n", None, "Nothing was changed."),
        ("x\n", Revision(accepted=False, reason="no \x1b[2Jway"), "The text was not taken: no ␛[2Jway"),
        ("x\n", None, "The bridge has gone"),
    ],
)
async def test_a_text_that_is_not_taken_leaves_the_question(  # noqa: PLR0917 - what happens, and what is said
    scene: Scene,
    make_request: Make,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    saved: str | None,
    revision: Revision | None,
    said: str,
) -> None:
    def edit(_text: str) -> str:
        if saved is None:
            raise NotEdited(NO_EDITOR)
        return saved

    monkeypatch.setattr("bridge.cli.question_dialog.edit", edit)
    scene.responder.revision = revision
    request = make_request(editable=True)
    assert await scene.answered(request, "e", "n") == ScreenAnswer(request, Decision.DENY_ONCE)
    assert said in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("seconds", "said"), [(600, False), (58, True)])
async def test_the_last_minute_is_said_in_a_line_of_its_own(
    scene: Scene, make_request: Make, seconds: int, said: bool
) -> None:
    expires = stamp(datetime.now(UTC) + timedelta(seconds=seconds))
    await scene.answered(make_request(expiresAt=expires), "n")
    above, _, prompt = scene.keyboard.prompts[0].rpartition("\n")
    assert above == ("Less than 60 seconds are left: without an answer this is refused." if said else "")
    assert prompt.startswith("Your answer (expires in ")


async def test_a_question_with_a_ticket_says_until_when_also_while_it_is_shown(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    began = datetime.now(UTC)

    class SameDay(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls.fromtimestamp(began.timestamp(), tz)

    monkeypatch.setattr("bridge.cli.layout.datetime", SameDay)
    expires = began + timedelta(days=1)
    until = f"tomorrow {expires.astimezone():%H:%M}"
    await scene.answered(make_request(waiting=True, expiresAt=stamp(expires)), "n")
    assert f"goes on when you answer; until {until}" in " ".join(capsys.readouterr().out.split())
    assert scene.keyboard.prompts[0].startswith(f"Your answer (open until {until}")


async def test_a_question_that_gets_a_ticket_stays_the_same_question(make_request: Make) -> None:
    questions, request = Questions(), make_request()
    questions.add(request)
    ended = asyncio.ensure_future(questions.ended(request))
    questions.wait(request.request_id, "2126-01-31T18:20:00.000Z")
    questions.wait("another", "2126-01-31T18:20:00.000Z")
    assert questions.current(request).waiting
    assert questions.current(request).expires_at == "2126-01-31T18:20:00.000Z"
    await asyncio.sleep(0)
    assert not ended.done()
    questions.end(request.request_id, QuestionEnd("denied"))
    assert questions.current(request) == request
    assert (await ended).how == "denied"


PLACE = {"placeId": "p-1", "path": "Notes/Meeting.md", "line": 6, "why": "has been edited in the same place meanwhile"}
CONFLICTS = [
    PLACE | {"vault": "theirs\x1b[31m\n", "draft": "ours\n", "offers": ["vault", "draft", "both"]},
    PLACE | {"placeId": "p-2", "path": "Gone.md", "line": None, "draft": "gone\n", "offers": ["vault", "draft"]},
]


def reviewed(make_request: Make, **members: Any) -> ConsentRequest:
    """A draft that is put again, of which two places are to be chosen."""
    diff = "--- Notes/Meeting.md\n+++ Notes/Meeting.md\n@@ -6 +6 @@\n-old\n+new\n"
    files = [
        {
            "path": "Notes/Meeting.md",
            "change": "modify",
            "diff": diff,
            "yours": True,
            "since": "changed",
            "newer": diff,
        },
        {
            "path": "New.md",
            "change": "create",
            "diff": "--- /dev/null\n+++ New.md\n@@ -0,0 +1 @@\n+n\n",
            "since": "same",
        },
    ]
    shown = {"files": files, "conflicts": CONFLICTS}
    return make_request(**{"draft": "d-1", "hunksSupported": True, "preview": shown} | members)


async def test_where_others_changed_the_same_the_person_chooses_place_by_place(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    request = reviewed(make_request)
    chosen = [CONFLICTS[0] | {"taken": "both"}, CONFLICTS[1]]
    after = reviewed(make_request, preview={"files": [], "conflicts": chosen})
    scene.responder.revision = Revision(accepted=True, question=after)
    scene.questions.add(request)
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("g", "2 b", "9 v", "1 b")
    assert not await seeing
    assert scene.responder.choices == [{"p-1": Take.BOTH}]
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type("n")
    assert await seeing
    shown = capsys.readouterr().out
    assert "[1] Notes/Meeting.md, line 6: has been edited in the same place meanwhile; not chosen yet" in shown
    assert "both is taken" in shown
    assert "Notes/Meeting.md: changed since you looked last" in shown
    assert "1 of the files is as you saw them last." in shown
    assert "You edited this in the draft" in shown
    assert "\x1b" not in shown
    assert shown.count("Type numbers from 1 to 2, then a letter.") == 2


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("b", "1", "Nearly", "Notes/Meeting.md:6: say *which*", "X.md: no", "", "y"), ("allow_once", True)),
        (("b", "all", "Nearly", "Notes/Meeting.md:6: say *which*", "", "y"), ("deny_once", False)),
    ],
)
async def test_a_draft_goes_back_in_part_or_as_a_whole_with_words(
    scene: Scene, make_request: Make, keys: tuple[str, ...], expected: tuple[str, bool]
) -> None:
    scene.questions.add(reviewed(make_request))
    seeing = scene.next()
    await scene.asked()
    scene.keyboard.type(*keys)
    assert await seeing
    (answer,) = scene.responder.answers
    sent = answer.to_params()
    assert (sent["decision"], sent.get("sendBack", False), sent["feedback"]) == (*expected, "Nearly")
    assert sent["comments"] == [{"path": "Notes/Meeting.md", "text": "say *which*", "line": 6}]
    assert sent.get("hunks") == ({"Notes/Meeting.md": []} if expected[1] else None)
