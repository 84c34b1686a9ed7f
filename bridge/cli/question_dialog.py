"""The dialogue about one question: what each key does until the person has decided."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Final

from rich.text import Text

from bridge.cli.answer_keys import (
    ONCE,
    WORDS,
    draw_legend,
    draw_option,
    draw_options,
    offered_keys,
    option_keys,
    options_for_longer,
)
from bridge.cli.consent_link import ConsentLink, ScreenAnswer
from bridge.cli.keyboard import Dialog
from bridge.cli.proposal_parts import (
    ProposalPart,
    draw_conflicts,
    draw_parts,
    kept_hunks,
    new_text,
    parts_of,
    read_choice,
    read_comment,
    read_numbers,
)
from bridge.cli.question_screen import Drawing, draw_in_short, draw_list, draw_question
from bridge.cli.sanitize import sanitize
from bridge.cli.text_files import NotEdited, edit
from bridge.contract.consent import AnswerOption, ConsentRequest, Decision, Preview

MOST_TOGETHER: Final = 200
"""Questions that one message can answer."""
_KEYS_OF_PROGRAMS: Final = frozenset("ynmlt")
_LEAVE_OUT: Final = re.compile(r"h\s*([0-9][0-9 ,-]*)", re.IGNORECASE)
"""The key for leaving parts out with their numbers, in one line."""
_WITH_ANSWER: Final = "With your answer: "
_NAMED: Final = 3
"""Things left out that a warning names."""


class NextStep(Enum):
    """The next step when the person has not answered."""

    LATER = "later"
    REVISED = "revised"


Decided = list[ScreenAnswer] | NextStep
Action = Callable[[], Awaitable[Decided | None]]
"""The action of a key; None where the person is asked again."""


class QuestionDialog:
    """The dialog that shows one question and finds out what the person decides.

    Args:
        request: The question.
        link: The open questions, and the way to the bridge, which plans anew.
        conversation: The screen and the keyboard.
    """

    def __init__(self, request: ConsentRequest, link: ConsentLink, conversation: Dialog) -> None:
        self._request = request
        self._preview = request.preview or Preview()
        self._link = link
        self._questions = link.questions
        self._talk = conversation
        self._drawing = Drawing([])
        self._was_warned = False
        self._actions: dict[str, Action] = {
            "y": self._allow,
            "n": self._deny,
            "m": self._deny_with_message,
            "t": self._tell,
            "l": self._later,
            "w": self._choose,
            "h": self._choose_parts,
            "e": self._edit,
            "g": self._choose_places,
            "b": self._send_back,
            "c": self._answer_together,
            "p": self._show_all,
        }

    def show(self) -> None:
        """Draw the question."""
        if not self._talk.for_programs:
            full = not self._talk.is_watched
            self._drawing = draw_question(self._request, width=self._talk.width, full=full)
            self._talk.show([Text(), *self._drawing.lines])

    async def decide(self) -> Decided:
        """Ask until the person has decided."""
        self._show_choices()
        while True:
            word = await self._talk.ask(self._prompt, self._message, self._together)
            if (decided := await self._take(word)) is not None:
                return decided

    async def _take(self, word: str) -> Decided | None:
        """Return what a word means; None where the person has to be asked again."""
        request = self._request
        if self._talk.for_programs and (answer := _answer_of_program(request, word)) is not None:
            return [answer]
        key = WORDS.get(word.lower(), word.lower())
        keys = self._keys()
        decided: Decided | None
        if "h" in keys and (found := _LEAVE_OUT.fullmatch(word)):
            decided = await self._leave_out_named(found[1])
        elif key in keys and key in self._actions:
            decided = await self._actions[key]()
        elif key in keys:
            decided = await self._confirm(option_keys(request)[key])
        else:
            self._talk.say(f"Type one of these, then Enter: {' '.join(keys)}")
            self._talk.show(draw_in_short([request], self._talk.width))
            return None
        if decided is None and key not in {"y", "m"}:
            self._show_choices()
        return decided

    def _keys(self) -> dict[str, Text]:
        """Return what can be typed now."""
        keys = offered_keys(self._request, cut=self._drawing.cut)
        if self._talk.for_programs:
            return {key: label for key, label in keys.items() if key in _KEYS_OF_PROGRAMS}
        return keys | ({"c": Text("All of this client")} if self._together() else {})

    async def _allow(self) -> Decided | None:
        if self._has_to_warn(" y once more allows it all the same."):
            self._talk.show(draw_in_short([self._request], self._talk.width))
            return None
        return self._answered(Decision.ALLOW_ONCE)

    def _has_to_warn(self, how: str) -> bool:
        """Return whether something that a yes would do was not shown, and say so the first time."""
        if self._was_warned or not self._drawing.hidden:
            return False
        self._was_warned = True
        self._talk.say(Text.assemble(_not_shown(self._drawing), how))
        return True

    async def _deny(self) -> Decided:
        return self._answered(Decision.DENY_ONCE)

    async def _deny_with_message(self) -> Decided | None:
        said = await self._talk.ask("Message to the agent (empty: back): ")
        return [ScreenAnswer(self._request, Decision.DENY_ONCE, feedback=said)] if said else None

    async def _tell(self) -> None:
        said = await self._talk.ask("Message to the agent, sent with your answer (empty: none): ")
        self._questions.set_message(self._request, said)

    async def _choose_places(self) -> Decided | None:
        """Ask which side to keep in each conflict between the draft and other changes."""
        places = self._preview.conflicts
        self._talk.show(draw_conflicts(places, self._talk.width))
        prompt = "Take v (the vault's), d (the draft's) or b (both): 1-3 v, or 4 b (empty: back): "
        while word := await self._talk.ask(prompt):
            choices = read_choice(word, places)
            if choices is None:
                self._talk.say(f"Type numbers from 1 to {len(places)}, then a letter. A whole file is v or d.")
                continue
            revision = await self._link.resolve(self._request, choices)
            if revision is not None and revision.accepted and revision.question is not None:
                self._questions.revise(revision.question)
                return NextStep.REVISED
            self._talk.say(sanitize(f"That was not taken: {revision.reason if revision else 'the bridge has gone'}"))
        return None

    async def _send_back(self) -> Decided | None:
        """Return that the draft goes back with words, all of it or some parts while the others are taken."""
        parts = parts_of(self._preview) if self._request.hunks_supported else []
        left_out: set[int] = set()
        if parts:
            await self._talk.page(list(draw_parts(parts, self._talk.width)))
            asked = "Send back: numbers such as 2 5-7, the others are taken; or all (empty: back): "
            word = (await self._talk.ask(asked)).lower()
            numbers = set[int]() if word == "all" else read_numbers(word, len(parts))
            if not word or numbers is None:
                return None
            left_out = numbers
        words = await self._talk.ask("What do you want otherwise? (empty: only about files or lines): ")
        comments: list[dict[str, str | int]] = []
        while said := await self._talk.ask("About a file or line, as PATH: words or PATH:LINE: words (empty: done): "):
            comment = read_comment(said, self._preview)
            if comment is None:
                self._talk.say("That names no file of the draft, or has no words.")
            else:
                comments.append(comment)
        if len(left_out) == len(parts):
            left_out = set()
        if left_out:
            self._say_parts(parts, left_out, "sent back")
        else:
            self._talk.say("Nothing is taken, and all of it goes back.")
        if not await self._is_sure():
            return None
        decision, hunks = Decision.DENY_ONCE, None
        if left_out:
            decision, hunks = Decision.ALLOW_ONCE, kept_hunks(parts, left_out)
        answer = ScreenAnswer(self._request, decision, None, words or None, hunks, tuple(comments), bool(left_out))
        return [answer]

    def _answered(
        self, decision: Decision, option: AnswerOption | None = None, *, hunks: dict[str, list[int]] | None = None
    ) -> list[ScreenAnswer]:
        """Return the answer, with what the person wants to tell the agent."""
        said = self._questions.message(self._request)
        return [ScreenAnswer(self._request, decision, option, feedback=said, hunks=hunks)]

    async def _later(self) -> Decided:
        return NextStep.LATER

    async def _choose(self) -> Decided | None:
        """Return one of all answers for longer, from the list with their sentences."""
        options = options_for_longer(self._request)
        await self._talk.page(list(draw_options(options, self._talk.width)))
        number = await self._pick("Which one? A number (empty: back): ", len(options))
        return None if number is None else await self._confirm(options[number - 1])

    async def _confirm(self, option: AnswerOption) -> Decided | None:
        """Return an answer for longer, after its sentence was on the screen and a second key was pressed."""
        self._talk.show(draw_option(option, self._talk.width))
        if option.decision.allows and self._drawing.hidden:
            self._talk.say(_not_shown(self._drawing))
        return self._answered(option.decision, option) if await self._is_sure() else None

    async def _choose_parts(self) -> Decided | None:
        """Return a yes to some parts of the change."""
        parts = parts_of(self._preview)
        if not await self._talk.page(list(draw_parts(parts, self._talk.width))):
            return None
        left_out = await self._left_out(parts)
        return await self._allow_without(left_out, parts) if left_out else None

    async def _leave_out_named(self, text: str) -> Decided | None:
        """Return a yes to all parts but those that were named together with the key."""
        parts = parts_of(self._preview)
        left_out = read_numbers(text, len(parts))
        if not left_out:
            self._talk.say(f"The parts have the numbers 1 to {len(parts)}.")
        elif not self._has_to_warn(" The same once more goes on all the same."):
            return await self._allow_without(left_out, parts)
        return None

    async def _allow_without(self, left_out: set[int], parts: list[ProposalPart]) -> Decided | None:
        """Return a yes to some parts, when the person has seen once more which."""
        if len(left_out) == len(parts):
            self._talk.say("Then nothing would be left to do: n denies it.")
            return None
        self._say_parts(parts, left_out, "left out")
        hunks = kept_hunks(parts, left_out)
        return self._answered(Decision.ALLOW_ONCE, hunks=hunks) if await self._is_sure() else None

    def _say_parts(self, parts: list[ProposalPart], left_out: set[int], what: str) -> None:
        kept = set(range(1, len(parts) + 1)) - left_out
        self._talk.say(f"To be allowed, once: {_listed(kept)}. To be {what}: {_listed(left_out)}.")

    async def _left_out(self, parts: list[ProposalPart]) -> set[int]:
        """Return the numbers of the parts that the person does not want; none when they go back."""
        while True:
            word = await self._talk.ask("Leave out: numbers such as 2 5-7, or ? for one by one (empty: back): ")
            if word == "?":
                return await self._one_by_one(parts)
            numbers = read_numbers(word, len(parts))
            if numbers is not None:
                return numbers
            self._talk.say(f"Type numbers from 1 to {len(parts)}.")

    async def _one_by_one(self, parts: list[ProposalPart]) -> set[int]:
        left_out: set[int] = set()
        for number, part in enumerate(parts, 1):
            self._talk.show(draw_parts([part], self._talk.width, first=number))
            word = ""
            while word not in {"y", "n", "q"}:
                word = (await self._talk.ask(f"Keep part {number} of {len(parts)}? y or n (q: back): ")).lower()
            if word == "q":
                return set()
            left_out |= {number} if word == "n" else set()
        return left_out

    async def _edit(self) -> Decided | None:
        """Take other text for one hunk from the person's editor."""
        parts = [part for part in parts_of(self._preview) if part.has_text]
        number: int | None = 1
        if len(parts) > 1:
            await self._talk.page(list(draw_parts(parts, self._talk.width)))
            number = await self._pick("Edit which? A number (empty: back): ", len(parts))
        if parts and number is not None:
            failure = await self._revise(parts[number - 1])
            if failure is None:
                return NextStep.REVISED
            self._talk.say(sanitize(failure))
        return None

    async def _revise(self, part: ProposalPart) -> str | None:
        """Have a hunk edited and the change planned anew; returns why there is no new plan, if so."""
        before = new_text(part)
        try:
            after = await _edited(before)
        except NotEdited as failure:
            return str(failure)
        if after == before:
            return "Nothing was changed. An editor with a window of its own has to wait for you, as `code --wait` does."
        revision = await self._link.revise(self._request, part.file.path, part.hunk or 0, after)
        if revision is None:
            return "The bridge has gone, and this text with it."
        if not revision.accepted or revision.question is None:
            return f"The text was not taken: {revision.reason or 'the bridge does not say why'}"
        self._questions.revise(revision.question)
        return None

    async def _answer_together(self) -> Decided | None:
        """Return one answer to all open questions of this client, from one list with their diffs."""
        requests, width = self._questions.of_client(self._request)[:MOST_TOGETHER], self._talk.width
        drawing = draw_list(requests, width=width, full=not self._talk.is_watched)
        self._talk.show(drawing.lines)
        was_warned = False
        while True:
            keys = {"y": Text(f"Allow all {len(requests)} once"), "n": Text(f"Deny all {len(requests)}")}
            keys["m"] = Text("Deny all, and tell the agent why")
            if drawing.cut:
                keys["p"] = Text("Show all of it first")
            self._talk.show([*draw_legend(keys, width), *draw_in_short(requests, width)])
            word = (await self._talk.ask(self._prompt_together)).lower()
            key = WORDS.get(word, word)
            if key == "y" and drawing.hidden and not was_warned:
                was_warned = True
                self._talk.say(Text.assemble(_not_shown(drawing), " y once more allows it all the same."))
            elif key in ONCE:
                return [ScreenAnswer(request, ONCE[key]) for request in requests]
            elif key == "m" and (said := await self._talk.ask("Message to the agent (empty: back): ")):
                return [ScreenAnswer(request, Decision.DENY_ONCE, feedback=said) for request in requests]
            elif key == "p" and drawing.cut:
                if await self._talk.page(draw_list(requests, width=width, full=True).lines):
                    drawing = Drawing([])
            elif not key:
                return None

    async def _show_all(self) -> None:
        if await self._talk.page(draw_question(self._request, width=self._talk.width, full=True).lines):
            self._drawing = Drawing([])

    def _show_choices(self) -> None:
        width = self._talk.width
        legend = draw_legend(offered_keys(self._request, cut=self._drawing.cut), width)
        self._talk.show([*legend, *draw_in_short([self._request], width)])

    async def _pick(self, prompt: str, most: int) -> int | None:
        """Return a number from 1; None when the person types none."""
        while word := await self._talk.ask(prompt):
            if (numbers := read_numbers(word, most)) and len(numbers) == 1:
                return numbers.pop()
        return None

    async def _is_sure(self) -> bool:
        return (await self._talk.ask("y confirms this, anything else goes back: ")).lower() in {"y", "yes"}

    def _prompt(self) -> str:
        others = self._questions.others(self._request.request_id)
        return f"Your answer ({self._talk.remaining()}{f', {others} more waiting' if others else ''}): "

    def _prompt_together(self) -> str:
        return f"Your answer to all of these ({self._talk.remaining()}; empty: back): "

    def _message(self) -> str:
        said = self._questions.message(self._request)
        if said is None:
            return ""
        shown = sanitize(said)
        shown.truncate(max(1, self._talk.width - len(_WITH_ANSWER)), overflow="ellipsis")
        return f"{_WITH_ANSWER}{shown.plain}"

    def _together(self) -> str:
        count = len(self._questions.of_client(self._request))
        return f"{count} questions of this client are open: c shows them together." if count > 1 else ""


def _answer_of_program(request: ConsentRequest, word: str) -> ScreenAnswer | None:
    """Return what a program answers, which was given every option with its sentence: a decision, or an option's id."""
    for option in request.options:
        if word in {option.option_id, option.decision.value}:  # the first of a decision is its narrowest
            return ScreenAnswer(request, option.decision, None if option.decision in ONCE.values() else option)
    return None


async def _edited(text: str) -> str:
    """Return the text as the person's editor leaves it.

    The terminal is the editor's until it is closed, also when the question ends before.
    """
    editing = asyncio.ensure_future(asyncio.to_thread(edit, text))
    try:
        return await asyncio.shield(editing)
    except asyncio.CancelledError:
        await asyncio.wait({editing})
        raise


def _not_shown(drawing: Drawing) -> Text:
    named = "; ".join(drawing.hidden[:_NAMED])
    more = f"; and {len(drawing.hidden) - _NAMED} more" if len(drawing.hidden) > _NAMED else ""
    return Text(f"Not everything that would be done was shown: {named}{more}. p shows it.", "bold")


def _listed(numbers: set[int]) -> str:
    """Return numbers as a person would type them: `1, 4-6`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
