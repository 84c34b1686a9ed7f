"""What the log holds after things happened, over the protocol, and what it never holds."""

import json
import logging
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, ProtocolFailure, connect, find_endpoint

PLANTED = (
    "sk-" + "a1B2c3D4" * 4,
    "ghp_abcdefghijklmnopqrstuvwxyz012345",
    "hunter2hunter2",
    "AKIAIOSFODNN7EXAMPLE",
)


@pytest.fixture
async def bridge(vault: Path) -> AsyncIterator[Bridge]:
    async with Bridge(vault) as bridge:
        bridge.settings.update({"enabledTools": ["*"]})
        yield bridge


@pytest.fixture
async def host(bridge: Bridge, vault: Path) -> AsyncIterator[Connection]:
    del bridge  # it only has to run
    async with connect(vault, name="Ada", role="host", can=["consent"]) as host:
        yield host


async def records(host: Connection, **filters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await host.request("audit.query", limit=1000, **filters)
    return found


def answer(host: Connection, decision: str, feedback: str | None = None) -> None:
    """Answer every question from now on."""

    async def respond(question: dict[str, Any]) -> None:
        said = {"feedback": feedback} if feedback else {}
        await host.request(
            "consent.respond",
            requestId=question["requestId"],
            decision=decision,
            planDigest=question["planDigest"],
            **said,
        )

    host.on("consent.requested", respond)


EDIT = [{"startLine": 1, "endLine": 1, "newContent": "# Changed"}]


async def test_start_stop_and_settings_are_logged_with_who_changed_them(vault: Path) -> None:
    async with Bridge(vault), connect(vault, name="Ada", role="host", can=[]) as host:
        await host.request("settings.update", patch={"developerMode": True, "rateLimits": {"grep": 7}})
        await host.request("settings.update", patch={"developerMode": True})
        await host.request("settings.reset", section="performance")
    async with Bridge(vault, brief=True), connect(vault, name="Ada", role="host", can=[]) as host:
        *_, started = await records(host, kind="bridge")
        told = [record["event"] for record in await records(host, kind="bridge")]
        reset, changed = await records(host, kind="settings")
    assert told == ["stopped", "started"]
    assert (started["pid"], started["recovered"]) == (
        os.getpid(),
        {"rolledBack": [], "completed": [], "conflicted": []},
    )
    assert (changed["by"], reset["by"]) == ("Ada", "Ada")
    assert changed["changes"] == {
        "developerMode": {"from": False, "to": True},
        "rateLimits": {"from": {}, "to": {"grep": 7}},
    }
    assert reset["changes"] == {"rateLimits": {"from": {"grep": 7}, "to": {}}}


async def test_a_call_that_had_to_wait_is_logged(bridge: Bridge, host: Connection, vault: Path) -> None:
    bridge.settings.update({"rateLimits": {"read": 1}, "developerMode": True})
    async with connect(vault, name="Robot") as agent:
        for number in range(13):
            agent_call = agent.request(
                "tools.call", name="read", arguments={"path": "Ideas.md"}, callId=f"c{number}", wait=0
            )
            await agent_call
        (first, *_) = await records(host, kind="limit")
    assert (first["tool"], first["client"]) == ("read", "a program without a name of its own, calls itself 'Robot'")
    assert first["message"].startswith("Tool rate limit reached. Please wait")
    assert first["retryAfter"] > 0


async def test_a_stale_yes_is_a_decision_with_the_host_that_gave_it(host: Connection, vault: Path) -> None:

    async def respond(question: dict[str, Any]) -> None:
        (vault / "Ideas.md").write_text("# Somebody else was here\n", encoding="utf-8")
        await host.request(
            "consent.respond",
            requestId=question["requestId"],
            decision="allow_once",
            planDigest=question["planDigest"],
        )

    host.on("consent.requested", respond)
    async with connect(vault, name="Robot") as agent:
        result = await agent.call("apply_patch", path="Ideas.md", patches=EDIT)
    assert not result.ok
    (decision,) = await records(host, kind="decision")
    assert (decision["outcome"], decision["rule"], decision["by"]) == ("deny", "stale", "Ada")


async def test_a_mode_that_an_answer_set_is_a_change_by_who_answered(host: Connection, vault: Path) -> None:
    answer(host, "deny_always")
    async with connect(vault, name="Robot") as agent:
        await agent.call("grep", pattern="TODO")
    (decision,) = await records(host, kind="decision")
    assert (decision["decision"], decision["by"]) == ("deny_always", "Ada")
    changes = [record for record in await records(host, kind="settings") if "consentMode" in record["changes"]]
    assert [record["by"] for record in changes] == ["Ada"] * len(changes)
    for grant in await host.request("consent.grants"):
        await host.request("consent.revoke", grantId=grant["grantId"])
        revoked, *_ = await records(host, kind="grant")
        assert (revoked["event"], revoked["by"], revoked["grant"]["grantId"]) == ("revoked", "Ada", grant["grantId"])


async def test_a_change_is_logged_with_the_checksums_of_its_files(host: Connection, vault: Path) -> None:
    answer(host, "allow_once")
    async with connect(vault, name="Robot") as agent:
        assert (await agent.call("apply_patch", path="Ideas.md", patches=EDIT)).ok
    (done,) = await records(host, kind="execution")
    (file,) = done["files"]
    assert (file["path"], file["change"]) == ("Ideas.md", "modify")
    assert len(file["before"]) == len(file["after"]) == 64
    assert "# Changed" not in json.dumps(done["result"])


async def test_only_hosts_export_check_and_clear(host: Connection, vault: Path) -> None:
    async with connect(vault, name="Robot") as agent:
        for method in ("audit.export", "audit.clear", "audit.verify", "audit.stats"):
            with pytest.raises(ProtocolFailure):
                await agent.request(method)
    assert (await host.request("audit.verify"))["whole"]
    assert (await host.request("audit.stats"))["fault"] is None
    assert json.loads((await host.request("audit.export", format="json"))["text"])
    assert (await host.request("audit.export", format="csv", path="a.csv"))["path"] == ".vault-bridge/exports/a.csv"
    with pytest.raises(ProtocolFailure) as refused:
        await host.request("audit.export", format="csv", path="a.csv")
    assert refused.value.code == -32602
    assert (await host.request("audit.clear"))["cleared"] > 0
    (left,) = await records(host)
    assert (left["event"], left["by"]) == ("cleared", "Ada")


@pytest.mark.usefixtures("bridge")
async def test_the_key_is_outside_the_vault_and_for_its_user_only(vault: Path) -> None:
    place = Path(os.environ["VAULT_BRIDGE_STATE"]) / "audit"
    (folder,) = place.iterdir()
    assert not folder.is_relative_to(vault)
    if os.name == "posix":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "audit.key").stat().st_mode) == 0o600


async def test_no_secret_is_in_the_log_an_export_an_error_or_on_the_console(
    host: Connection, vault: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tokens = [find_endpoint(vault, role).token for role in ("agent", "host")]
    secrets = [*PLANTED, *tokens]
    sentence = " ".join([*(secrets[:2]), f"password: {secrets[2]}", *secrets[3:]])
    errors: list[str] = []
    answer(host, "deny_once", sentence)
    for number, secret in enumerate(secrets):
        (vault / f"{number} password={secret}.md").write_text(f"api_key: {secret}\n{sentence}\n", encoding="utf-8")
        async with connect(vault, name=f"Robot password={secret}") as agent:
            for arguments in (
                {"pattern": f"password={secret}"},
                {"pattern": "x", "api_key": secret},
                {"pattern": "x", "filePattern": f"password={secret}"},
            ):
                await agent.call("grep", arguments, reason=sentence)
            await agent.call("read", path=f"{number} password={secret}.md", reason=sentence)
            await agent.call("apply_patch", path=f"{number} password={secret}.md", patches=EDIT, reason=sentence)
            await agent.call(f"token={secret}", path=sentence)
            with pytest.raises(ProtocolFailure) as refused:
                await agent.request("audit.query", text=secret)
            errors.append(str(refused.value))
        await host.request("settings.update", patch={"ignorePatterns": [f"password={secret}"]})
    logging.getLogger("bridge.any").error("token %s", sentence)
    logging.getLogger("aiohttp.server").error("crashed", exc_info=ValueError(sentence))
    exported = [(await host.request("audit.export", format=form))["text"] for form in ("json", "csv")]
    await host.request("audit.export", format="csv", path="all.csv")
    written = [path.read_text(encoding="utf-8") for path in (vault / ".vault-bridge" / "logs").iterdir()]
    written.append((vault / ".vault-bridge" / "exports" / "all.csv").read_text(encoding="utf-8"))
    assert "REDACTED" in caplog.text
    for text in (*exported, *written, *errors, caplog.text):
        assert [secret for secret in secrets if secret in text] == []
