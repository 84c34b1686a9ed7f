"""docs/agents.md says what was run with the programs, and nothing else."""

from bridge.agents.table import BY_ID
from tests.programs import page
from tests.programs.forms_server import ANSWERS
from tests.programs.programs import PROGRAMS
from tests.programs.sdk_clients import SDKS


def test_the_tables_are_those_of_the_figures() -> None:
    assert page.tables(page.known()) in (page.DOCS / "agents.md").read_text(encoding="utf-8")
    assert page.sdk_table(page.known()) in (page.DOCS / "mcp.md").read_text(encoding="utf-8")


def test_what_was_run_are_the_versions_that_are_pinned_and_all_rows() -> None:
    programs = page.known()["programs"]
    assert list(programs) == [program.id for program in PROGRAMS]
    for program in PROGRAMS:
        found = programs[program.id]
        assert found["version"] == program.version
        assert found["work"].keys() == page.ROWS.keys()
        assert found["forms"].keys() == (page.FORMS | page.ADDS).keys()
        assert found["protect"].keys() == page.PROTECTS.keys()
    assert list(page.known()["sdks"]) == [sdk.id for sdk in SDKS]
    for sdk in SDKS:
        found = page.known()["sdks"][sdk.id]
        assert found["version"] == sdk.version
        assert all(found[way].keys() == page.SDK_ROWS.keys() for way in page.SDK_WAYS)
    assert page.FORMS.keys() == ANSWERS.keys()


def test_each_program_can_be_connected() -> None:
    assert {program.id for program in PROGRAMS} <= BY_ID.keys()
