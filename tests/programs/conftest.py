"""A desk for each test, and the programs, one by one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.client.token_storage import CONFIG_VARIABLE
from bridge.records.folder import STATE_VARIABLE
from tests.programs import page
from tests.programs.desk import Desk, desk_in
from tests.programs.programs import PROGRAMS, Program, why_not

XDG = ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here is long."""
    for item in items:
        if Path(__file__).parent in item.path.parents and item.path.name != "test_page.py":
            item.add_marker(pytest.mark.long)


def pytest_sessionfinish(exitstatus: int) -> None:
    """Write down what was found, where that was asked for and every test has passed."""
    if page.WRITES and not exitstatus:
        page.write()


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.id)
def program(request: pytest.FixtureRequest) -> Program:
    """Each program that can be run here."""
    found: Program = request.param
    if why := why_not(found):
        pytest.skip(why)
    return found


@pytest.fixture
async def desk(home: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    """A desk whose state and tokens lie in its home, for the test as for every program."""
    for name in (STATE_VARIABLE, CONFIG_VARIABLE, *XDG):
        monkeypatch.delenv(name, raising=False)
    async with desk_in(home, vault) as desk:
        yield desk
