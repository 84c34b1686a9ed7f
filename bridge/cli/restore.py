"""`vault-bridge restore` and `mend`: what files were before other programs changed them, and the links they broke."""

import base64
import os
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments
from bridge.cli.connection import ask, tell
from bridge.cli.diff import draw_changes
from bridge.cli.family import Table, when
from bridge.cli.history import OUTSIDE
from bridge.cli.layout import draw_facts, local_time, since_time, wrap
from bridge.cli.options import AsJson, Vault, Yes
from bridge.cli.printer import FAILURE, Printer, confirm_or_end, fail, show_result
from bridge.cli.sanitize import sanitize
from bridge.client import Result

_MEGABYTE = 1 << 20
_VERSIONS: Final = Table(
    (
        ("At", "since", "bold"),
        ("From", when("since")),
        ("Until", lambda one: "now" if one["until"] is None else local_time(one["until"])),
        ("Size", lambda one: "not kept" if one["size"] is None else f"{one['size']} bytes"),
    )
)


def restore(
    note: Annotated[str | None, typer.Argument(metavar="[NOTE]", show_default=False, help="A note or file.")] = None,
    *,
    listed: Annotated[bool, typer.Option("--list", help="List the versions that are kept.")] = False,
    at: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="The version of this time: 30m, 1h, 2d or 1w ago, 10:01, or ISO 8601."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="With --at: all files, or all in this folder, as they were then.")
    ] = False,
    without: Annotated[
        list[str] | None, typer.Option("--except", metavar="PATH", help="With --all: not this file or folder.")
    ] = None,
    typed: Annotated[bool, typer.Option("--typed", help="With --all: also what you typed in Obsidian.")] = False,
    to: Annotated[str | None, typer.Option(metavar="PATH", help="As this new file in the vault.")] = None,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Into this new file, anywhere.")] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget the earlier versions of this file or folder.")
    ] = False,
    forget_everything: Annotated[bool, typer.Option("--forget-everything", help="Forget all, and begin anew.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Bring back what a file was before another program changed it.

    Without a note, say what is kept. Whole changes are undone with `vault-bridge undo`; with --all, everything that
    other programs changed since a time is, after you have seen it.

    Examples:
      vault-bridge restore
      vault-bridge restore "Meeting notes" --list
      vault-bridge restore "Meeting notes" --at 1h
      vault-bridge restore "Meeting notes" --at 1h --to "Meeting notes as of noon.md"
      vault-bridge restore "Meeting notes" --at 2026-01-31T10:01 --output ~/notes.md
      vault-bridge restore --all --at 10:01
      vault-bridge restore Diary --all --at 1h --except Diary/Today.md
      vault-bridge restore Diary --forget
    """
    printer = Printer(as_json=as_json)
    if everything:
        if at is None or listed or to or output or forget or forget_everything:
            raise BadArguments("--all goes with --at, and with none of --list, --to, --output and --forget")
        what: dict[str, Any] = {
            "path": note.strip("/") if note else None,
            "without": [path.strip("/") for path in without or ()],
        }
        what = {name: value for name, value in what.items() if value}
        _bring_all_back(vault, {"at": since_time(at), "typed": typed} | what, printer, sure=yes)
        return
    if without or typed:
        raise BadArguments("--except and --typed go with --all")
    if forget or forget_everything:
        if forget == (note is None) or (forget and forget_everything):
            raise BadArguments("Name a file or folder with --forget, and none with --forget-everything")
        _forget(vault, note, printer, sure=yes)
    elif note is None:
        _show_status(vault, printer)
    elif at is None:
        if not listed:
            raise BadArguments("Say which version with --at, or list them with --list")
        _show_versions(vault, note, printer)
    elif output is not None:
        _write_out(vault, note, at, output, printer)
    else:
        _bring_back(vault, {"path": note, "at": since_time(at)} | ({"to": to} if to else {}), printer, sure=yes)


def _show_status(vault: Path | None, printer: Printer) -> None:
    found = ask(vault, "versions.status")
    if printer.as_json:
        printer.json(found)
        return
    facts = {
        "Recording": Text(f"since {local_time(found['since'])}" if found["since"] else "on" if found["on"] else "off"),
        "Files": Text(f"{found['files']}, of {found['whole']} of them the bytes are kept"),
        "Changes": Text(f"{found['entries']} by other programs"),
        "Space": Text(f"{found['bytes'] / _MEGABYTE:.1f} of {found['budget'] / _MEGABYTE:.0f} MB"),
    }
    if found["fault"]:
        facts["Fault"] = sanitize(found["fault"], style="red")
    printer.lines(draw_facts(facts, printer.width))


def _show_versions(vault: Path | None, note: str, printer: Printer) -> None:
    found = ask(vault, "versions.list", path=note)
    _VERSIONS.print(printer, found["versions"], found)


def _write_out(vault: Path | None, note: str, at: str, output: Path, printer: Printer) -> None:
    """Write a version into a new file for this user only."""
    found = ask(vault, "versions.read", path=note, at=since_time(at))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(output.expanduser(), flags, 0o600), "wb") as file:
            file.write(base64.b64decode(found["content"]))
    except FileExistsError:
        fail(f"There is {output} already; name a file that is not there.")
    except OSError as error:
        fail(f"{output} cannot be written: {error.strerror}.")
    said = f"Written: {output}, as {found['path']} was from {local_time(found['version']['since'])} on."
    printer.answer({"path": found["path"], "version": found["version"], "output": str(output)}, said)


def _bring_back(vault: Path | None, params: dict[str, Any], printer: Printer, *, sure: bool) -> None:
    place = params.get("to") or params["path"]
    confirm_or_end(printer, f"Write {place} as it was {params['at']}?", "Nothing was written.", sure=sure)
    show_result(Result(tell(vault, "versions.restore", **params)), printer)


def _bring_all_back(vault: Path | None, params: dict[str, Any], printer: Printer, *, sure: bool) -> None:
    """Show what would be taken back, ask, and take back exactly that."""
    found = ask(vault, "versions.compare", **params)
    if not printer.as_json:
        _show_compared(found, printer, typed=params["typed"])
    if found["plan"] is None:
        if printer.as_json:
            printer.json(found)
        raise typer.Exit(FAILURE)
    confirm_or_end(printer, "Take this back?", "Nothing was written.", sure=sure)
    show_result(Result(tell(vault, "versions.restoreAll", **params, plan=found["plan"])), printer)


def _show_compared(found: dict[str, Any], printer: Printer, *, typed: bool) -> None:
    printer.lines(draw_changes(found["files"], printer.width))
    for one in found["left"]:
        printer.lines(wrap(Text.assemble(("Stays as it is: ", "yellow"), sanitize(one["path"])), printer.width))
        printer.lines(wrap(Text.assemble("  as ", sanitize(one["why"])), printer.width, rest="  "))
        if one["diff"]:
            printer.say("  Taking it back would do this:")
            printer.lines(draw_changes([one["diff"]], printer.width))
    for one in found["nearest"]:
        said = Text.assemble(sanitize(one["path"]), f" goes back to what it was at {local_time(one['at'])}.")
        printer.lines(wrap(said, printer.width))
    printer.lines(wrap(Text.assemble(sanitize(found["text"]), "."), printer.width))
    if found["plan"] is not None:
        mine = "part of it" if typed else "no part of it, where that is known (--typed takes it back as well)"
        printer.say(
            f"What you typed in Obsidian since then is {mine}; leave files out with --except. "
            "Other devices get this too, if the vault is synced."
        )


def _forget(vault: Path | None, note: str | None, printer: Printer, *, sure: bool) -> None:
    what = "all that other programs replaced" if note is None else f"the earlier versions of {note}"
    confirm_or_end(printer, f"Forget {what}? They cannot be brought back then.", "Nothing was forgotten.", sure=sure)
    params: dict[str, Any] = {"everything": True} if note is None else {"path": note}
    found = tell(vault, "versions.forget", **params)
    if printer.as_json:
        printer.json(found)
    elif found["found"]:
        printer.say("Forgotten.")
    else:
        fail(f"Nothing is kept of {note!r}; with --forget, name the path of a file or folder.")


def mend(
    execution_id: Annotated[
        str, typer.Argument(metavar="ID", show_default=False, help="As `vault-bridge history` shows it.")
    ],
    *,
    yes: Yes = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Mend the links that another program broke by moving files.

    They are written anew so that they lead where they led, as when you move a file in Obsidian. You see each before,
    and it is one change, which you can undo.

    Examples:
      vault-bridge history --outside      says which changes broke links
      vault-bridge mend outside-12
    """
    printer = Printer(as_json=as_json)
    if not execution_id.startswith(OUTSIDE):
        raise BadArguments(f"Name a change by another program; their IDs begin with {OUTSIDE!r}")
    params = {"executionId": execution_id}
    found = ask(vault, "versions.broken", **params)
    if found["plan"] is None or not printer.as_json:
        _show(found, printer)
    if found["plan"] is None:
        raise typer.Exit(FAILURE)
    confirm_or_end(printer, "Mend them?", "Nothing was written.", sure=yes)
    show_result(Result(tell(vault, "versions.mend", **params, plan=found["plan"])), printer)


def _show(found: dict[str, Any], printer: Printer) -> None:
    if printer.as_json:
        printer.json(found)
        return
    printer.lines(draw_changes(found["files"], printer.width))
    for warning in found["warnings"]:
        printer.text(str(warning))
    printer.text(f"{found['text']}.")
