"""The bridge looks up no name and opens no connection that you did not switch on.

It is served and used in a network name space where every address is this machine and every packet is seen, once as it
is and once with every variable for proxies set.
"""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bridge.index.vectors.embedder import BETTER, QUICK
from bridge.pictures.reader import recognition_files
from tests.listening_room import ANSWER, entered
from tests.security.test_anonymous_log import CALLS, FILES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="name spaces are Linux's")

SECONDS = 300
REFUSED = {"web_fetch", "web_search"}


async def heard(room: Sequence[str], vault: Path, seconds: float, *more: str) -> dict[str, Any]:
    """What was heard in a room in which a vault was used."""
    for path, text in FILES.items():
        file = vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for number in range(80):  # more than are embedded without a worker
        (vault / f"Tea {number}.md").write_text(f"# Tea {number}\n\nThe leaves of year {number}.\n", encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *[*room, sys.executable, "-m", "tests.security.silent_use", str(vault), str(seconds), *more],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "VAULT_BRIDGE_STATE": f"{vault}-state"},
        cwd=Path(__file__).parents[2],
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    told: dict[str, Any] = json.loads(output)
    return told


async def is_silent(tmp_path: Path, seconds: float) -> None:
    """Nothing is heard, as it is and with proxies, at the same time in two rooms."""
    room = entered()
    if isinstance(room, str):
        pytest.skip(room)
    rooms = await asyncio.gather(
        heard(room, tmp_path / "plain", seconds), heard(room, tmp_path / "proxied", seconds, "proxied")
    )
    for told in rooms:
        assert told["resolved"] == ANSWER
        proved = [tuple(each) for each in told["proved"]]
        assert ("name", "does-anybody-listen.example") in proved
        assert {f"{address}:443" for address in (ANSWER, "192.0.2.1", "10.1.2.3", "203.0.113.5")} <= {
            where for kind, where in proved if kind == "connection"
        }
        assert told["heard"] == []
        refused = {tool for tool, done in told["answered"].items() if not done}
        assert refused >= REFUSED
        assert {tool for tool, _arguments in CALLS} <= told["answered"].keys()
        assert {"read", "search", "codebase_search", "search_vectors", "create_note"} <= told[
            "answered"
        ].keys() - refused
        if QUICK.files() is not None:
            assert told["meaning"]["model"] == f"{QUICK.name} and {BETTER.name}"


RECOGNISE = """
import json
from bridge.clock import SystemClock
from bridge.pictures.reader import TextRecogniser
from tests.listening_room import listen
from tests.patience import PATIENCE
from tests.pictures.drawn import drawn
from tests.security.silent_use import prove
listener = listen()
proved = prove(listener)
reader = TextRecogniser(SystemClock(), str)
text = reader.read(drawn("Descale the kettle"), SystemClock().monotonic() + PATIENCE).text
reader.close()
print(json.dumps([text, len(proved["proved"]), listener.heard]))
"""


@pytest.mark.slow
@pytest.mark.skipif(recognition_files() is None, reason="the extra `drawn-text` is not installed")
async def test_while_the_text_of_a_picture_is_recognised_nothing_is_looked_up_or_opened() -> None:
    room = entered()
    if isinstance(room, str):
        pytest.skip(room)
    process = await asyncio.create_subprocess_exec(
        *[*room, sys.executable, "-c", RECOGNISE],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    text, proved, heard = json.loads(output)
    assert (text, heard) == ("Descale the kettle", [])
    assert proved


@pytest.mark.minutes
@pytest.mark.long
@pytest.mark.timeout(SECONDS + 600)
async def test_in_five_minutes_and_through_every_call_nothing_is_looked_up_or_opened(tmp_path: Path) -> None:
    await is_silent(tmp_path, SECONDS)
