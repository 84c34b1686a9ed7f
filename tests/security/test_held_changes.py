"""The changes of one client that wait for your answer take at most 32 MB of memory, unless there is only one."""

import asyncio
from pathlib import Path

from bridge.consent.broker import MAX_HELD
from tests.people import Person, add_client, named, until_read


async def test_a_client_that_proposes_change_after_change_is_refused_when_much_is_held(
    person: Person, vault: Path
) -> None:
    (vault / "Large.md").write_text("#work\n" + "A line of a long note.\n" * (MAX_HELD // 60), encoding="utf-8")
    before = (vault / "Large.md").read_bytes()
    await add_client(person, vault, "Robot")
    await until_read(person.host)
    person.answer = None
    async with named(vault, "Robot") as robot:
        calls = []
        for number in range(4):
            move = {"what": "tag", "source": "work", "destination": f"job{number}"}
            calls.append(asyncio.ensure_future(robot.call("move", move)))
            if number < 2:
                await person.until_asked(number + 1)
        for refused in await asyncio.gather(*calls[2:]):
            assert refused.data["error_type"] == "rate_limited"
            assert "until the user has answered some" in refused.text
        assert len(person.asked) == 2, "and the person is asked no more"
        await person.respond(person.asked[0], "deny_once")
        await calls[0]
        again = asyncio.ensure_future(robot.call("move", {"what": "tag", "source": "work", "destination": "job5"}))
        await person.until_asked(3)
        for question in person.asked[1:]:
            await person.respond(question, "deny_once")
        await asyncio.gather(calls[1], again)
    assert (vault / "Large.md").read_bytes() == before
