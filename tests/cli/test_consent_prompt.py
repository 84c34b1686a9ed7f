"""The prompt sees every question through to one end, and no answer reaches a question it was not meant for."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from bridge.cli.consent_link import ConsentAnswer, QuestionEnd, Questions
from bridge.cli.consent_prompt import ConsentPrompt
from bridge.cli.keyboard import PersonLeft, Prompt
from bridge.cli.printer import Printer
from bridge.contract.consent import ConsentReply, ConsentRequest, Decision, Outcome
from bridge.contract.targets import Reach

Make = Callable[..., ConsentRequest]
PATIENCE = 5


class ScriptedKeyboard:
    """Types what the test puts into `lines`; `None` leaves."""

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


class RecordingResponder:
    """Takes answers, and says to them what the test wants said."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, ConsentAnswer]] = []
        self.reply: ConsentReply | None = ConsentReply(accepted=True, outcome=Outcome.ALLOWED, by="Terminal")

    async def respond(self, request: ConsentRequest, answer: ConsentAnswer) -> ConsentReply | None:
        self.answers.append((request.request_id, answer))
        return self.reply


class Scene:
    """A prompt, a person and a bridge."""

    def __init__(self) -> None:
        self.questions = Questions()
        self.keyboard = ScriptedKeyboard()
        self.responder = RecordingResponder()
        self.prompt = ConsentPrompt(self.questions, self.responder, self.keyboard, Printer())

    def next(self) -> "asyncio.Task[bool]":
        self.keyboard.waits.clear()
        return asyncio.create_task(self.prompt.next())

    async def asked(self) -> None:
        """Returns when the prompt waits for an answer."""
        async with asyncio.timeout(PATIENCE):
            await self.keyboard.waits.wait()
        self.keyboard.waits.clear()

    async def answered(self, request: ConsentRequest, *lines: str) -> ConsentAnswer:
        """What the prompt makes of those lines."""
        self.questions.add(request)
        seeing = self.next()
        await self.asked()
        self.keyboard.type(*lines)
        async with asyncio.timeout(PATIENCE):
            assert await seeing
        return self.responder.answers[-1][1]


@pytest.fixture
async def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr("bridge.cli.consent_prompt.SETTLE_SECONDS", 0)
    return Scene()


@pytest.mark.parametrize(
    ("key", "decision"),
    [
        ("y", Decision.ALLOW_ONCE),
        ("Y ", Decision.ALLOW_ONCE),
        ("yes", Decision.ALLOW_ONCE),
        ("s", Decision.ALLOW_SESSION),
        ("a", Decision.ALLOW_ALWAYS),
        ("n", Decision.DENY_ONCE),
        ("no", Decision.DENY_ONCE),
        ("d", Decision.DENY_SESSION),
        ("x", Decision.DENY_ALWAYS),
        ("deny_always", Decision.DENY_ALWAYS),
    ],
)
async def test_a_key_is_a_decision(scene: Scene, make_request: Make, key: str, decision: Decision) -> None:
    request = make_request(choices=[choice.value for choice in Decision])
    assert await scene.answered(request, key) == ConsentAnswer(decision)


@pytest.mark.parametrize("line", ["", " ", "yy", "yn", "s", "a", "allow_always", "ok", "\x1b[A", "да"])
async def test_anything_else_is_asked_again(scene: Scene, make_request: Make, line: str) -> None:
    """There is no default, and what is not offered is not taken."""
    assert await scene.answered(make_request(), line, "n") == ConsentAnswer(Decision.DENY_ONCE)
    assert len(scene.keyboard.prompts) == 2


async def test_a_message_goes_with_a_denial(scene: Scene, make_request: Make) -> None:
    answer = await scene.answered(make_request(), "m", "", "m", " not this note ")
    assert answer == ConsentAnswer(Decision.DENY_ONCE, "not this note")


LADDER = [
    {"reach": "file", "keys": ["Notes/Meeting.md"], "label": "Notes/Meeting.md"},
    {"reach": "folder", "keys": ["Notes/"], "label": "the folder Notes/"},
]


@pytest.mark.parametrize(
    ("covers", "lines", "answer"),
    [
        ("tool", "1 1", ConsentAnswer(Decision.ALLOW_SESSION)),
        ("tool", "1 3", ConsentAnswer(Decision.ALLOW_SESSION, reach=Reach.FOLDER)),
        ("tool", "2 2 1", ConsentAnswer(Decision.ALLOW_ALWAYS, reach=Reach.FILE, everyone=False)),
        ("tool", "2 2 2", ConsentAnswer(Decision.ALLOW_ALWAYS, reach=Reach.FILE, everyone=True)),
        ("target", "3 1", ConsentAnswer(Decision.DENY_SESSION)),
        ("target", "4 2 1", ConsentAnswer(Decision.DENY_ALWAYS, reach=Reach.FOLDER, everyone=True)),
        ("target", "4 2 2", ConsentAnswer(Decision.DENY_ALWAYS, reach=Reach.FOLDER, everyone=False)),
        ("target", "0 9 x 4 -1 2 2", ConsentAnswer(Decision.DENY_ALWAYS, reach=Reach.FOLDER, everyone=False)),
    ],
)
async def test_how_far_an_answer_reaches_and_for_whom_is_chosen_by_number(
    scene: Scene, make_request: Make, covers: str, lines: str, answer: ConsentAnswer
) -> None:
    choices = [choice.value for choice in Decision]
    request = make_request(clientId="5e1f", verified=True, choices=choices, covers=covers, ladder=LADDER)
    assert await scene.answered(request, "w", *lines.split()) == answer


@pytest.mark.parametrize("lines", [[""], ["1", ""], ["4", "1", ""]])
async def test_an_empty_line_goes_back_and_nothing_is_chosen(
    scene: Scene, make_request: Make, lines: list[str]
) -> None:
    choices = [choice.value for choice in Decision]
    request = make_request(clientId="5e1f", verified=True, choices=choices, ladder=LADDER)
    assert await scene.answered(request, "w", *lines, "n") == ConsentAnswer(Decision.DENY_ONCE)


async def test_where_nothing_can_be_chosen_the_key_is_not_taken(scene: Scene, make_request: Make) -> None:
    request = make_request(clientId="5e1f", choices=["allow_once", "deny_once"])
    assert await scene.answered(request, "w", "n") == ConsentAnswer(Decision.DENY_ONCE)
    assert len(scene.keyboard.prompts) == 2


async def test_everything_is_shown_on_demand(
    scene: Scene, make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    content = "\n".join(f"line {number}" for number in range(100))
    await scene.answered(make_request(parameters={"content": content}), "p", "n")
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
        assert scene.responder.answers[-1][0] == name
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
    assert scene.responder.answers == [("c-2", ConsentAnswer(Decision.DENY_ONCE))]


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
    questions, responder = Questions(), RecordingResponder()
    questions.add(make_request(choices=[choice.value for choice in Decision]))
    assert await ConsentPrompt(questions, responder, None, Printer()).next()
    assert responder.answers == [("c-1", ConsentAnswer(Decision.ALLOW_ONCE))]
    assert "Edit Notes/Meeting.md" in capsys.readouterr().out


async def test_for_programs_everything_is_a_line_of_json(
    make_request: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene()
    scene.prompt = ConsentPrompt(scene.questions, scene.responder, scene.keyboard, Printer(as_json=True))
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
