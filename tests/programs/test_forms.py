"""What of an answer each program shows its model, and what it adds to a tool's parameters."""

import json
import sys

import pytest

from bridge.agents.table import BY_ID, ServerCommand
from tests.programs import forms_server, page
from tests.programs.conversation import Answer, Turn, find, ours, own
from tests.programs.desk import Desk
from tests.programs.entries import add_to_entry
from tests.programs.forms_server import ANSWERS, GIVEN, MORE, STRUCTURED, TEXT
from tests.programs.programs import CODEX, WRITES_PROGRAMS, Program, why_not

_SHOWN = {
    (TEXT,): "text",
    (TEXT, MORE): "both texts",
    (STRUCTURED,): "structured content",
    (TEXT, STRUCTURED): "both",
    (): "nothing",
}


async def test_what_of_an_answer_the_model_is_shown(desk: Desk, program: Program) -> None:
    await add_server(desk, program)
    first = [find(*ANSWERS)] if program.finds else []
    ended = await desk.run(program, *first, *(ours(name, word="hello") for name in ANSWERS), "Done.")
    for number, name in enumerate(ANSWERS, len(first) + 1):
        page.note(program, "forms", name, shown(ended.turn(number).answers))
    adds = added(ended.turns[-1])
    assert adds == set(program.adds)
    page.note(program, "forms", "adds", ", ".join(f"`{name}`" for name in sorted(adds)) or "nothing")


async def test_codex_gives_a_model_that_writes_programs_the_whole_answer(desk: Desk) -> None:
    if why := why_not(CODEX):
        pytest.skip(why)
    await add_server(desk, CODEX)
    step = own("exec", "text(await tools.mcp__vault_bridge__both({word: 'hello'}))")
    running = await desk.start(CODEX, step, "Done.", arguments=(*CODEX.arguments, "--model", WRITES_PROGRAMS))
    assert json.loads((await running.end()).turns[1].answers[0].raw["output"][-1]["text"]) == ANSWERS["both"]


def shown(answers: tuple[Answer, ...]) -> str:
    """Return which parts of an answer a model sees."""
    text = "\n".join(answer.text for answer in answers)
    return _SHOWN[tuple(part for part in (TEXT, MORE, STRUCTURED) if part in text)]


def added(turn: Turn) -> frozenset[str]:
    """Return the parameters of every tool that are not the server's."""
    given = {
        frozenset(schema["properties"].keys() - GIVEN["properties"].keys())
        for tool in turn.offered
        if tool.is_ours
        for key in ("input_schema", "parameters", "parametersJsonSchema")
        if (schema := tool.definition.get(key)) is not None
    }
    assert len(given) == 1, "each tool gets the same"
    return given.pop()


async def add_server(desk: Desk, program: Program) -> None:
    """Add the server with the forms to the configuration of a program, in the place of ours."""
    await desk.model_of(program)
    agent = BY_ID[program.id]
    server = ServerCommand(sys.executable, (str(forms_server.__file__),))
    add_to_entry(program, **agent.entry(server), **agent.defaults)
