"""Deciding a call: allow, ask or deny, with a long permission file and many remembered answers."""

import json
import tempfile
import time
from pathlib import Path

from bridge.clock import SystemClock, stamp
from bridge.consent.client_grants import FILE, ClientGrants
from bridge.consent.grants import GrantStore
from bridge.consent.permission_file import PermissionFile
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Decision, Operation
from bridge.contract.identity import Capability
from bridge.identity.caller import Caller, Client
from bridge.policy.consent import ConsentCase, decide
from bridge.policy.offers import AnswerBounds, offers
from bridge.records.folder import VERSION, RunFolder
from bridge.toolkit.tool import in_vault
from bridge.vault.root import VaultRoot
from scripts.lib.bench_measure import percentile
from scripts.lib.bench_processes import PLAYGROUND

RULES = 1_000
ROUNDS = 5_000
GOAL = 1e-3
"""Seconds that one decision of a hundred may take."""

READ = ConsentCase(
    tool="read",
    operation=Operation.READ,
    consent_class=ConsentClass.ALWAYS,
    covers=Covers.TOOL,
    targets=in_vault("Area 7/Project 70/Note 700.md"),
    caller=Caller(Client("s1", "Robot", frozenset({Capability.CALL})), "link-1"),
    mode=ConsentMode.SESSION_ALLOW,
    developer_mode=False,
    call="0" * 64,
)
CREATE = READ._replace(
    tool="create_note",
    operation=Operation.CREATE,
    consent_class=ConsentClass.SESSION,
    covers=Covers.TARGET,
    mode=ConsentMode.SESSION_ALLOW,
)
CASES = {
    "a read that the file allows": READ,
    "a read that nothing is said about": READ._replace(targets=in_vault("Elsewhere/Deep/Down/Note.md")),
    "a write in a denied folder": CREATE._replace(targets=in_vault("Closed 3/Sub/Note.md")),
    "a write of 50 files": CREATE._replace(
        targets=in_vault(*(f"Area {number}/Project {number}/New {number}.md" for number in range(50)))
    ),
}


async def run() -> None:
    """Measure and print."""
    PLAYGROUND.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="bench-", dir=PLAYGROUND) as place,
        VaultRoot(Path(place)) as root,
        root.state() as state,
    ):
        (Path(place) / ".vault-bridge" / "permissions.json").write_text(json.dumps(_rules()), encoding="utf-8")
        time.sleep(2.1)  # noqa: ASYNC251 - a file just written is read again each time, until its times have settled
        folder = RunFolder(Path(place))
        folder.write(FILE, json.dumps({"version": VERSION, "grants": _answers()}).encode())
        grants = GrantStore(
            PermissionFile(state, clock=SystemClock()),
            clock=SystemClock(),
            modes=dict,
            set_mode=lambda _tool, _mode, _by: None,
            clients=ClientGrants(folder, clock=SystemClock(), days=lambda: 30),
            days=lambda: 30,
        )
        for number in range(RULES):
            other = CREATE._replace(targets=in_vault(f"Other {number}.md"), call=f"{number}")
            decision = Decision.ALLOW_SESSION if number % 2 else Decision.DENY_ONCE
            offer = next(one for one in offers(other, AnswerBounds(), SystemClock().now()) if one.decision is decision)
            grants.remember(decision, offer.extent, other)
        print(f"  {RULES:,} entries in the permission file, {RULES:,} answers for the session, {RULES:,} for good")
        for name, case in CASES.items():
            verdict, seconds = decide(case, grants), _measure(case, grants)
            p50, p99 = percentile(seconds, 50), percentile(seconds, 99)
            times = f"p50 {p50 * 1e6:.0f} us, p99 {p99 * 1e6:.0f} us   goal: p99 at most {GOAL * 1e3:.0f} ms"
            print(f"    {name:<34} {verdict.outcome:<6} {times}")


def _rules() -> dict[str, str]:
    """Files, folders and addresses, allowed and denied."""
    rules = {f"Area {number}/Project {number * 10}/Note {number * 100}.md": "rw?" for number in range(RULES // 2)}
    rules |= {f"Closed {number}/": "?--" for number in range(RULES // 4)}
    rules |= {f"https://example{number}.org/docs/": "r??" for number in range(RULES - len(rules))}
    return rules


def _answers() -> list[dict[str, object]]:
    """Answers for good to the one client, each for a file of its own."""
    now = stamp(SystemClock().now())
    return [
        {
            "id": f"c-{number}",
            "client": READ.caller.client.id,
            "holder": READ.caller.name,
            "who": "client",
            "what": "tool",
            "tool": READ.tool,
            "title": "Read",
            "rungs": [{"reach": "file", "key": f"Kept {number}.md"}],
            "until": "unused" if number % 2 else "revoked",
            "decision": "allow_always" if number % 2 else "deny_always",
            "since": now,
            "used": now,
            "feedback": None,
        }
        for number in range(RULES)
    ]


def _measure(case: ConsentCase, grants: GrantStore) -> list[float]:
    """Seconds of this thread, system calls included: what else runs on the machine is not our decision's cost."""
    seconds = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        decide(case, grants)
        seconds.append(time.thread_time() - began)
    return seconds
