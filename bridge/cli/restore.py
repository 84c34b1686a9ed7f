"""`vault-bridge restore` and `mend`: what files were before other programs changed them, and the links they broke."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.arguments import BadArguments
from bridge.cli.diff import draw_changes
from bridge.cli.family import CommandLine, Table, command, when
from bridge.cli.history import OUTSIDE
from bridge.cli.layout import draw_facts, local_time, since_time, wrap
from bridge.cli.options import Yes, argument, option
from bridge.cli.printer import FAILURE, fail
from bridge.cli.sanitize import sanitize
from bridge.cli.text_files import new_file
from bridge.client import Result
from bridge.client.connection import given_of

_MEGABYTE = 1 << 20
_VERSIONS: Final = Table(
    (
        ("At", "since", "bold"),
        ("From", when("since")),
        ("Until", lambda one: "now" if one["until"] is None else local_time(one["until"])),
        ("Size", lambda one: "not kept" if one["size"] is None else f"{one['size']} bytes"),
    )
)


@command
def restore(
    cli: CommandLine,
    note: Annotated[str | None, argument("[NOTE]", "A note or file.")] = None,
    *,
    listed: Annotated[bool, option("--list", "List the versions that are kept.")] = False,
    at: Annotated[
        str | None, option("TIME", "The version of this time: 30m, 1h, 2d or 1w ago, 10:01, or ISO 8601.")
    ] = None,
    everything: Annotated[
        bool, option("--all", "With --at: all files, or all in this folder, as they were then.")
    ] = False,
    without: Annotated[list[str] | None, option("--except", "PATH", "With --all: not this file or folder.")] = None,
    typed: Annotated[bool, option("--typed", "With --all: also what you typed in Obsidian.")] = False,
    to: Annotated[str | None, option("PATH", "As this new file in the vault.")] = None,
    output: Annotated[Path | None, option("FILE", "Into this new file, anywhere.")] = None,
    forget: Annotated[bool, option("--forget", "Forget the earlier versions of this file or folder.")] = False,
    forget_everything: Annotated[bool, option("--forget-everything", "Forget all, and begin anew.")] = False,
    yes: Annotated[bool, option("--yes", "Do not ask.")] = False,
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
    if everything:
        if at is None or listed or to or output or forget or forget_everything:
            raise BadArguments("--all goes with --at, and with none of --list, --to, --output and --forget")
        path, others = note.strip("/") if note else None, [path.strip("/") for path in without or ()]
        params = given_of(at=since_time(at), typed=typed, path=path or None, without=others or None)
        found = cli.ask("versions.compare", **params)
        _put(cli, found, lambda: _show_compared(cli, found, typed=typed), "Take this back?", sure=yes)
        cli.result(Result(cli.tell("versions.restoreAll", **params, plan=found["plan"])))
    elif without or typed:
        raise BadArguments("--except and --typed go with --all")
    elif forget or forget_everything:
        if forget == (note is None) or (forget and forget_everything):
            raise BadArguments("Name a file or folder with --forget, and none with --forget-everything")
        _forget(cli, note, sure=yes)
    elif note is None:
        _show_status(cli)
    elif at is None:
        if not listed:
            raise BadArguments("Say which version with --at, or list them with --list")
        found = cli.ask("versions.list", path=note)
        _VERSIONS.print(cli, found["versions"], found)
    elif output is not None:
        _write_out(cli, note, at, output)
    else:
        moment = since_time(at)
        cli.confirm_or_end(f"Write {to or note} as it was {moment}?", "Nothing was written.", sure=yes)
        cli.result(Result(cli.tell("versions.restore", path=note, at=moment, to=to or None)))


def _put(cli: CommandLine, found: dict[str, Any], show: Callable[[], None], question: str, *, sure: bool) -> None:
    """Show what would be written, and ask; end the command where there is nothing, or the person says no."""
    if not cli.as_json:
        show()
    elif found["plan"] is None:
        cli.json(found)
    if found["plan"] is None:
        raise typer.Exit(FAILURE)
    cli.confirm_or_end(question, "Nothing was written.", sure=sure)


def _show_status(cli: CommandLine) -> None:
    found = cli.ask("versions.status")
    if cli.as_json:
        cli.json(found)
        return
    facts = {
        "Recording": Text(f"since {local_time(found['since'])}" if found["since"] else "on" if found["on"] else "off"),
        "Files": Text(f"{found['files']}, the content of {found['whole']} of them is kept"),
        "Changes": Text(f"{found['entries']} by other programs"),
        "Space": Text(f"{found['bytes'] / _MEGABYTE:.1f} of {found['budget'] / _MEGABYTE:.0f} MB"),
    }
    if found["fault"]:
        facts["Fault"] = sanitize(found["fault"], style="red")
    cli.lines(draw_facts(facts, cli.width))


def _write_out(cli: CommandLine, note: str, at: str, output: Path) -> None:
    """Write a version into a new file for this user only."""
    found = cli.ask("versions.read", path=note, at=since_time(at))
    with new_file(output) as file:
        file.write(base64.b64decode(found["content"]))
    said = f"Written: {output}, as {found['path']} was from {local_time(found['version']['since'])} on."
    cli.answer({"path": found["path"], "version": found["version"], "output": str(output)}, said)


def _show_compared(cli: CommandLine, found: dict[str, Any], *, typed: bool) -> None:
    cli.lines(draw_changes(found["files"], cli.width))
    for one in found["left"]:
        cli.lines(wrap(Text.assemble(("Stays as it is: ", "yellow"), sanitize(one["path"])), cli.width))
        cli.lines(wrap(Text.assemble("  as ", sanitize(one["why"])), cli.width, rest="  "))
        if one["diff"]:
            cli.say("  Taking it back would do this:")
            cli.lines(draw_changes([one["diff"]], cli.width))
    for one in found["nearest"]:
        said = Text.assemble(sanitize(one["path"]), f" goes back to what it was at {local_time(one['at'])}.")
        cli.lines(wrap(said, cli.width))
    cli.lines(wrap(Text.assemble(sanitize(found["text"]), "."), cli.width))
    if found["plan"] is not None:
        mine = "part of it" if typed else "no part of it, where that is known (--typed takes it back as well)"
        cli.say(
            f"What you typed in Obsidian since then is {mine}; leave files out with --except. "
            "Other devices get this too, if the vault is synced."
        )


def _forget(cli: CommandLine, note: str | None, *, sure: bool) -> None:
    what = "all that other programs replaced" if note is None else f"the earlier versions of {note}"
    cli.confirm_or_end(f"Forget {what}? They cannot be brought back then.", "Nothing was forgotten.", sure=sure)
    found = cli.tell("versions.forget", path=note, everything=True if note is None else None)
    if cli.as_json:
        cli.json(found)
    elif found["found"]:
        cli.say("Forgotten.")
    else:
        fail(f"Nothing is kept of {note!r}; with --forget, name the path of a file or folder.")


@command
def mend(
    cli: CommandLine,
    execution_id: Annotated[str, argument("ID", "As `vault-bridge history` shows it.")],
    *,
    yes: Yes = False,
) -> None:
    """Mend the links that another program broke by moving files.

    They are written anew so that they lead where they led, as when you move a file in Obsidian. You see each before,
    and it is one change, which you can undo.

    Examples:
      vault-bridge history --outside      says which changes broke links
      vault-bridge mend outside-12
    """
    if not execution_id.startswith(OUTSIDE):
        raise BadArguments(f"Name a change by another program; their IDs begin with {OUTSIDE!r}")
    found = cli.ask("versions.broken", executionId=execution_id)
    _put(cli, found, lambda: _show_broken(cli, found), "Mend them?", sure=yes)
    cli.result(Result(cli.tell("versions.mend", executionId=execution_id, plan=found["plan"])))


def _show_broken(cli: CommandLine, found: dict[str, Any]) -> None:
    cli.lines(draw_changes(found["files"], cli.width))
    for warning in found["warnings"]:
        cli.text(str(warning))
    cli.text(f"{found['text']}.")
