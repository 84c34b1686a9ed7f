"""In developer mode the console tells of every call; otherwise it does not."""

import logging
from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.client import connect


@pytest.mark.parametrize("on", [True, False])
async def test_a_call_is_printed_with_its_end_and_its_time(
    vault: Path, caplog: pytest.LogCaptureFixture, *, on: bool
) -> None:
    caplog.set_level(logging.INFO, logger="bridge.calls")
    async with Bridge(vault) as bridge:
        modes = {"find": "always_allow", "grep": "never_allow"}
        bridge.settings.update({"developerMode": on, "consentMode": modes})
        async with connect(vault, name="Robot") as agent:
            assert (await agent.call("find", pattern="*.md")).ok
            assert not (await agent.call("grep", pattern="x")).ok
    told = [record.getMessage() for record in caplog.records if record.name == "bridge.calls"]
    if not on:
        assert told == []
        return
    assert len(told) == 2
    assert told[0].startswith("find by a program without a name of its own, calls itself 'Robot': done, ")
    assert " ms [find-" in told[0]
    assert told[1].startswith(
        "grep by a program without a name of its own, calls itself 'Robot': permission_denied (denied_by_rule) in "
    )
