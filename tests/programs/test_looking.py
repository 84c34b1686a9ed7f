"""Each program mends what the person has selected, without having been told where that is."""

from typing import Final

from tests.programs.conversation import find, ours
from tests.programs.desk import Desk
from tests.programs.programs import Program
from tests.programs.test_work import served

BEFORE: Final = "# Plan\n\nFirst.\n\n"
TABLE: Final = "| what | when |\n| - |\n| soil | March |\n"
MENDED: Final = "| what | when |\n| --- | --- |\n| soil | March |\n"
AFTER: Final = "\nLast.\n"
SCREEN: Final = {
    "open": {
        "path": "Plan.md",
        "view": "source",
        "selection": {
            "text": TABLE,
            "start": {"line": 5, "column": 0},
            "end": {"line": 8, "column": 0},
            "before": BEFORE,
            "after": AFTER,
        },
    },
    "tabs": ["Plan.md"],
    "recent": [],
}


async def test_it_mends_the_table_that_is_selected_with_one_question(desk: Desk, program: Program) -> None:
    note = desk.vault / "Plan.md"
    note.write_bytes(f"{BEFORE}{TABLE}{AFTER}".encode())
    async with served(desk, program) as person:
        person.answer = "allow_once"
        (client,) = await person.host.request("clients.list")
        await person.host.request("clients.update", clientId=client["clientId"], looking="session")
        await person.host.request("screen.tell", screen=SCREEN)
        asked = len(person.asked)
        ended = await desk.run(
            program,
            *([find("read", "edit")] if program.finds else []),
            ours("read", path="@screen"),
            ours("edit", path="@selection", edits=[{"content": MENDED}]),
            "Done.",
        )
    first = 2 if program.finds else 1
    assert "Plan.md" in ended.answers(first)
    assert "soil" in ended.answers(first)
    assert note.read_bytes() == f"{BEFORE}{MENDED}{AFTER}".encode(), ended.answers(first + 1)
    assert [question["tool"]["name"] for question in person.asked[asked:]] == ["edit"]
