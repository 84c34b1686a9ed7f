"""The client side of the conformance suite of the Model Context Protocol, against the bridge's client of other servers.

A scenario that is new in the suite fails here until somebody decides whether it applies.
"""

import asyncio
import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.mcp.clients import node

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

CLIENT = Path(node.__file__).with_name("foreign_client.py")
OLD, NEW = "2025-11-25", "2026-07-28"
APPLIES = {
    "initialize": (OLD,),
    "tools_call": (OLD, NEW),
    "sse-retry": (OLD,),
    "json-schema-2020-12-preservation": (OLD, NEW),
    "request-metadata": (NEW,),
    "sep-2322-client-request-state": (NEW,),
    "http-standard-headers": (NEW,),
    "http-custom-headers": (NEW,),
    "http-invalid-tool-headers": (NEW,),
    "json-schema-ref-no-deref": (NEW,),
}
"""With the revisions that have them."""
NOT_OURS = (
    "auth/",  # what a server wants to know its users by is entered as a header
    "elicitation-",  # no server asks the person
    "sep-2640-",  # no skills are fetched: only tools are used
)
REFUSED_CHECKS = {
    *("sep-2322-client-request-state-echoed", "sep-2322-client-jsonrpc-id-different"),
    "sep-2322-client-no-state-omitted",
}
"""Single checks of `sep-2322-client-request-state`: a server that wants more than the call gets nothing more."""


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """The command that runs the suite."""
    return node.program("conformance")


def test_every_scenario_of_a_client_was_decided_about(suite: list[str]) -> None:
    listed = node.run(*suite, "list").stdout.partition("Client scenarios")[2].partition("scenarios (test")[0]
    names = re.findall(r"^\s+- (\S+)", listed, re.MULTILINE)
    assert len(names) > len(APPLIES)
    assert {name for name in names if not name.startswith(NOT_OURS)} == set(APPLIES)


@pytest.mark.parametrize(("scenario", "revision"), [(name, each) for name, known in APPLIES.items() for each in known])
async def test_a_scenario_that_applies_passes(suite: list[str], tmp_path: Path, scenario: str, revision: str) -> None:
    command = shlex.join([sys.executable, str(CLIENT)])
    named = ["--scenario", scenario, "--spec-version", revision, "--output-dir", str(tmp_path)]
    path = os.pathsep.join(sys.path)
    done = await asyncio.to_thread(node.run, *suite, "client", "--command", command, *named, PYTHONPATH=path)
    found = await asyncio.to_thread(_checks, tmp_path)
    assert any(check["status"] == "SUCCESS" for check in found), done.stdout + done.stderr
    failed = {check["id"]: check.get("errorMessage") for check in found if check["status"] == "FAILURE"}
    assert {name: why for name, why in failed.items() if name not in REFUSED_CHECKS} == {}, done.stderr
    if scenario == "sep-2322-client-request-state":
        assert failed.keys() == REFUSED_CHECKS


def _checks(results: Path) -> list[dict[str, str]]:
    return [check for file in results.rglob("checks.json") for check in json.loads(file.read_text(encoding="utf-8"))]
