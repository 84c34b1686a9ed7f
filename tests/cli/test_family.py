"""A table of things is printed from its columns, and a thing is found by its name."""

import json
from typing import Annotated, Any

import pytest
import typer

from bridge.cli.family import Family, Table, when
from bridge.cli.printer import Printer

TABLE = Table(
    (
        ("Name", "name", "bold"),
        ("Since", when("since")),
        ("Cups", lambda tea: len(tea["cups"])),
        ("What", lambda tea: tea["what"] or "nothing"),
    ),
    "There is no tea.",
)
TEAS: list[dict[str, Any]] = [
    {"name": "green\x1b[2J", "since": None, "cups": [], "what": ""},
    {"name": "black", "since": "no time", "cups": [1, 2], "what": "strong"},
]
NAME = Annotated[str, typer.Argument()]


def test_a_row_has_what_its_columns_say_and_nothing_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.print(Printer(), TEAS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Name", "Since", "Cups", "What"]
    assert lines[2].split() == ["black", "no", "time", "2", "strong"]
    assert "\x1b" not in lines[1]
    assert lines[1].split()[-1] == "nothing"


def test_programs_get_the_answer_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.print(Printer(as_json=True), TEAS)
    TABLE.print(Printer(as_json=True), TEAS, {"teas": TEAS, "fault": None})
    first, second = capsys.readouterr().out.splitlines()
    assert (json.loads(first), json.loads(second)["teas"]) == (TEAS, TEAS)


@pytest.mark.parametrize(("as_json", "out"), [(False, ""), (True, "[]\n")])
def test_nothing_is_a_sentence_for_people_and_an_empty_list_for_programs(
    capsys: pytest.CaptureFixture[str], *, as_json: bool, out: str
) -> None:
    TABLE.print(Printer(as_json=as_json), [])
    said = capsys.readouterr()
    assert said.out == out
    assert said.err == ("" if as_json else "There is no tea.\n")


def test_a_thing_is_found_where_the_list_holds_it_and_its_absence_ends_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    teas = Family("teas", "Teas.", thing="tea", name=NAME, table=TABLE, member="teas", inside="tea")
    listed = {"fault": None, "file": "teas.json", "teas": [{"tea": tea} for tea in TEAS]}
    assert teas.find_in(listed, "black") == TEAS[1]
    with pytest.raises(typer.Exit):
        teas.find_in(listed, "white")
    assert "There is no tea 'white'; `vault-bridge teas list` lists those that exist." in capsys.readouterr().err
    with pytest.raises(typer.Exit):
        teas.find_in({**listed, "fault": "teas.json is no JSON"}, "black")
    assert "teas.json is no JSON. It is teas.json" in capsys.readouterr().err
