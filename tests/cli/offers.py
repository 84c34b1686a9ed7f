"""Answers on offer, as the bridge sends them."""

from typing import Any


def option(decision: str, label: str, sentence: str = "This call alone.", **extent: Any) -> dict[str, Any]:
    """An answer on offer, in its wire form."""
    members = {"optionId": decision, "decision": decision, "label": label, "sentence": sentence}
    return members | {"who": "client", "what": "call", "until": "once"} | extent


OPTIONS = {
    "allow_once": option("allow_once", "Allow once"),
    "allow_session": option(
        "allow_session",
        "Allow for session: Notes/",
        "Claude Code may use Apply Patch on the folder Notes/ without asking, until the bridge stops.",
        what="tool",
        until="stop",
    ),
    "allow_always": option(
        "allow_always",
        "Always allow: Apply Patch",
        "Claude Code may use Apply Patch without asking, until you take it back.",
        what="tool",
        until="revoked",
    ),
    "deny_once": option("deny_once", "Deny"),
    "deny_session": option(
        "deny_session",
        "Deny for session: changing Notes/Meeting.md",
        "Claude Code may not change Notes/Meeting.md any more, until the bridge stops.",
        what="changing",
        until="stop",
    ),
    "deny_always": option(
        "deny_always",
        "Never allow: changing Notes/Meeting.md",
        "No program may change Notes/Meeting.md any more, until you take it back.",
        who="everyone",
        what="changing",
        until="revoked",
    ),
}
"""One answer of each kind."""
