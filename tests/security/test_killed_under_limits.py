"""If the bridge is killed while every limit is in force, a change is complete or not there at all."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.consent.broker import MAX_WAITING
from bridge.policy.limits import REFUSALS
from tests.patience import PATIENCE
from tests.people import Person, add_client, named, person_at

pytestmark = [pytest.mark.long, pytest.mark.slow]

NOTES = 12
RATE = 3
"""Patches a minute; more are made here, for each that a person allows gives its place back."""
KILLS = [
    *(("allowed", written) for written in (0, RATE + 1)),
    *(("writing", written) for written in (0, 1, RATE, RATE + 2)),
]
"""When the bridge is killed: as soon as a patch is allowed, or as its first file changes; and how many were written."""


@contextlib.contextmanager
def serving(vault: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A bridge in a process of its own, which is killed at the end."""
    command = [sys.executable, "-m", "bridge", "serve", "--json", "--preset", "vault", "--vault", str(vault)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as bridge:  # noqa: S603 - ours
        try:
            assert bridge.stdout is not None
            assert orjson.loads(bridge.stdout.readline())["http"]
            yield bridge
        finally:
            bridge.kill()


def note(vault: Path, number: int) -> Path:
    return vault / f"Set {number}.md"


def versions(vault: Path) -> set[str]:
    """What the notes say; one thing only, if nothing was done by halves."""
    return {note(vault, number).read_text(encoding="utf-8") for number in range(NOTES)}


def patch(version: int) -> str:
    """Takes every note from one version to the next."""
    files = (f"Set {number}.md" for number in range(NOTES))
    change = f"@@ -1 +1 @@\n-version {version}\n+version {version + 1}\n"
    return "".join(f"--- a/{file}\n+++ b/{file}\n{change}" for file in files)


async def attack(agent: Any) -> None:
    """As many open questions as there may be, and as many refused calls."""
    for number in range(MAX_WAITING + 5):
        arguments = {"path": f"Flood {number}.md", "content": "x"}
        await agent.request("tools.call", name="create_note", arguments=arguments, wait=0)
    for _ in range(REFUSALS + 5):
        refused = await agent.request("tools.call", name="find", arguments={"junk": "x" * 1000})
    assert refused["errorType"] == "rate_limited"


async def allow(person: Person, count: int) -> None:
    """Allow the patch that is asked for, and leave the other questions open."""
    await person.until_asked(count)
    question = next(one for one in reversed(person.asked) if one["tool"]["name"] == "apply_patch")
    await person.respond(question, "allow_once")


async def write_until_killed(vault: Path, moment: str, written: int) -> None:
    with serving(vault) as bridge:
        async with person_at(vault) as person:
            limits = {"create_note": 1000, "apply_patch": RATE}
            await person.host.request("settings.update", patch={"globalRateLimit": 1000, "rateLimits": limits})
            person.answer = None
            for client in ("Honest", "Hostile"):
                await add_client(person, vault, client)
            async with named(vault, "Honest") as honest, named(vault, "Hostile") as hostile:
                await attack(hostile)
                await person.until_asked(MAX_WAITING)
                assert len(await person.host.request("consent.pending")) == MAX_WAITING
                for version in range(written + 1):
                    call = asyncio.create_task(honest.call("apply_patch", patch=patch(version)))
                    await allow(person, MAX_WAITING + version + 1)
                    if version < written:
                        assert (await call).raw["success"]
                if moment == "writing":
                    async with asyncio.timeout(PATIENCE):
                        while versions(vault) == {f"version {written}\n"}:  # noqa: ASYNC110 - another process writes
                            await asyncio.sleep(0)
                bridge.kill()
                bridge.wait()
                with contextlib.suppress(Exception):
                    await call


@pytest.mark.parametrize(("moment", "written"), KILLS)
async def test_a_kill_with_every_limit_in_force_leaves_all_or_nothing(vault: Path, moment: str, written: int) -> None:
    for number in range(NOTES):
        note(vault, number).write_text("version 0\n", encoding="utf-8")
    with contextlib.suppress(ConnectionError):
        await write_until_killed(vault, moment, written)
    with serving(vault):
        async with person_at(vault) as person, named(vault, "Honest") as honest, named(vault, "Hostile") as hostile:
            (now,) = versions(vault)
            made = int(now.removeprefix("version "))
            assert made in {written, written + 1}
            history = await person.host.request("history.list")
            assert [entry["state"] for entry in history] == ["applied"] * made
            assert await person.host.request("consent.pending") == []
            for agent in (honest, hostile):
                used = await agent.request("limits.status")
                assert {(one["used"], one["queued"]) for one in used.values()} == {(0, 0)}
            person.answer = "allow_once"
            assert (await honest.call("apply_patch", patch=patch(made))).raw["success"]
            assert (await hostile.call("create_note", path="Once more.md", content="x")).raw["success"]
            assert versions(vault) == {f"version {made + 1}\n"}
            for entry in await person.host.request("history.list"):
                assert (await person.host.request("history.undo", executionId=entry["executionId"]))["success"]
            assert versions(vault) == {"version 0\n"}
            assert (await person.host.request("audit.verify"))["whole"]
