"""One record of the log as a row: when, what, which tool, by whom, and how it went in a few words."""

from typing import Any

from rich.text import Text

from bridge.cli.sanitize import sanitize
from bridge.cli.times import local

HEADINGS = ("Time", "What", "Tool", "By", "Outcome")

Record = dict[str, Any]


def draw_record(record: Record) -> list[Text]:
    """The cells of a row under `HEADINGS`."""
    outcome = {"execution": _execution, "decision": _decision}.get(str(record.get("kind")), _event)
    return [
        Text(local(str(record.get("timestamp", "")))),
        sanitize(str(record.get("kind", ""))),
        sanitize(str(record.get("tool") or ""), style="bold"),
        sanitize(str(record.get("client") or "")),
        outcome(record),
    ]


def _execution(record: Record) -> Text:
    if record.get("success"):
        files = ", ".join(str(file.get("newPath") or file.get("path")) for file in record.get("files", ()))
        return Text.assemble(("done", "green"), sanitize(f" {files}" if files else ""))
    code = record.get("code")
    why = f"{record.get('errorType', 'failed')}{f' ({code})' if code else ''}"
    return sanitize(why.replace("_", " "), style="red")


def _decision(record: Record) -> Text:
    said = str(record.get("decision") or record.get("outcome") or "").replace("_", " ")
    by, rule = record.get("by"), record.get("rule")
    how = f" by {by}" if by else f" ({rule})" if rule else ""
    return Text.assemble(sanitize(said, style="green" if record.get("outcome") == "allow" else "red"), sanitize(how))


def _event(record: Record) -> Text:
    """Everything else the bridge notes: limits, settings, grants, its own life."""
    changes: Record = record.get("changes") or {}
    words = [
        record.get("event"),
        record.get("message"),
        *(f"{key} = {change['to']}" for key, change in changes.items()),
    ]
    said = ", ".join(str(word) for word in words if word)
    by = record.get("by")
    return sanitize(f"{said} by {by}" if by else said)
