"""`vault-bridge clients`: the programs that have a name and a credential of their own."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from bridge.cli.family import CommandLine, Group, Table, Thing, tell_of_client, when
from bridge.cli.layout import local_time
from bridge.cli.options import argument, option
from bridge.cli.printer import fail
from bridge.cli.serve import Preset
from bridge.client import token_storage
from bridge.client.connection import given_of
from bridge.client.errors import KeyringUnavailable

HELP = """Give programs a name and a token of their own, and take them back.

A client with a name of its own keeps what you allowed it, and nobody else can use its name.

\b
Examples:
  vault-bridge clients add "Claude Code"            show its token, once
  vault-bridge clients add "Claude Code" --save     keep the token for `call --client`
  vault-bridge clients list
  vault-bridge clients update "Claude Code" --preset vault
  vault-bridge clients update "Claude Code" --elicitation   its user may confirm reads in it
  vault-bridge clients update "Claude Code" --drafts    it works in drafts, which you look through later
  vault-bridge clients update "Claude Code" --looking session   it may see what you look at in Obsidian
  vault-bridge clients rename "Claude Code" "Claude at work"
  vault-bridge clients allow Approver answer        you are asked about it
  vault-bridge clients revoke "Claude Code"
"""

app = Group(HELP)

Name = Annotated[str, argument("NAME", "The client's name, or its id.")]
_PRESET_HELP = (
    "Its tools: `agent`, few that do all; `minimal`, to find and read; `vault`, each by itself; `everything`."
)
Sharing = Literal["session", "always", "no"]
_LOOKING_HELP = (
    "It may see what you look at in Obsidian: until the bridge stops, until you take it back, or not at all. You are "
    "asked about it."
)
_SHOWING_HELP = "The same for opening notes in Obsidian without a click of yours."
_DRAFTS_HELP = (
    "It works in drafts: no call waits for you, and its changes of notes are staged until you take the draft."
)


_SHARED: Final = {"looking": "see what you look at in Obsidian", "showing": "open notes in Obsidian without a click"}


def _ways(client: dict[str, Any]) -> list[str]:
    """Return the client's special permissions and ways of working."""
    ways = {"elicitation": "confirm reads", "drafts": "work in drafts"}
    shared = [_shared(client, member).removeprefix("may ") for member in _SHARED if client[member]]
    return [*(said for member, said in ways.items() if client[member]), *shared]


def _shared(client: dict[str, Any], member: str) -> str:
    until = client[member]
    if until is None:
        return f"may not {_SHARED[member]}"
    return f"may {_SHARED[member]} until {'the bridge stops' if until == 'stop' else 'you take it back'}"


def _seen(client: Thing) -> str:
    if client["connected"]:
        return "now"
    return local_time(client["lastSeen"]) if client["lastSeen"] else "never"


_CLIENTS: Final = Table(
    (
        ("Name", "name", "bold"),
        ("May", lambda client: ", ".join([*client["capabilities"], *_ways(client)])),
        ("Tools", lambda client: client["preset"] or "as set"),
        ("Added", when("added")),
        ("Last seen", _seen),
        ("Calls itself", "callsItself"),
        ("Id", "clientId"),
    ),
    "No program has a name of its own. Add one with `vault-bridge clients add NAME`.",
)


@app.add("add")
def add(
    cli: CommandLine,
    name: Annotated[str, argument("NAME", "What you call the program.")],
    *,
    save: Annotated[
        bool, option("--save", "Keep the token on this machine, for `vault-bridge call --client`.")
    ] = False,
    keyring: Annotated[bool, option("--keyring", "Keep it in the system's keyring, and not in a file.")] = False,
    preset: Annotated[Preset, typer.Option("--preset", help=_PRESET_HELP)] = "agent",
    drafts: Annotated[bool, option("--drafts", _DRAFTS_HELP)] = False,
) -> None:
    """Add a client. It may call tools, and asks you like any program that you have allowed nothing yet."""
    folder = cli.folder
    added = cli.tell("clients.add", name=name, preset=preset, drafts=drafts)
    kept = _keep(folder, name, added["token"], keyring=keyring) if save or keyring else None
    if cli.as_json:
        cli.json(added if kept is None else {"client": added["client"], "kept": kept})
    elif kept is not None:
        cli.say(f"Added {name}. Its token is in {kept}, where `vault-bridge call --client` and `connect` find it.")
    else:
        cli.say(f"Added {name}. This is its token. It is shown only now; put it where the program looks for it:")
        cli.text(added["token"])


app.lists("list", "List the clients, what they may do, and when they were last seen.", "clients.list", _CLIENTS)


@app.add("rename")
def rename(
    cli: CommandLine, name: Name, new_name: Annotated[str, argument("NEW-NAME", "What you call it from now on.")]
) -> None:
    """Call a client by another name. What it was allowed stays."""
    folder = cli.folder
    before, client = _act(cli, name, "clients.rename", name=new_name)
    token_storage.rename(folder, before["name"], new_name)
    cli.answer(client, f"It is called {client['name']} from now on.")


@app.add("update")
def update(
    cli: CommandLine,
    name: Name,
    *,
    preset: Annotated[Preset | None, option("--preset", _PRESET_HELP)] = None,
    elicitation: Annotated[
        bool | None,
        option(
            "--elicitation/--no-elicitation",
            "Its own user may say yes in it to single calls that only read notes. You are asked about it.",
        ),
    ] = None,
    drafts: Annotated[bool | None, option("--drafts/--no-drafts", _DRAFTS_HELP)] = None,
    looking: Annotated[Sharing | None, option("--looking", _LOOKING_HELP)] = None,
    showing: Annotated[Sharing | None, option("--showing", _SHOWING_HELP)] = None,
) -> None:
    """Change its tools, what its own user confirms, whether it works in drafts, and what it may see of Obsidian."""
    given = given_of(preset=preset, elicitation=elicitation, drafts=drafts, looking=looking, showing=showing)
    if not given:
        fail(
            "Say what is to change: `--preset`, `--looking`, `--showing`, `--elicitation` or `--drafts`, or `--no-` "
            "before one of the last two."
        )
    _, client = _act(cli, name, "clients.update", **given)
    said = [] if preset is None else [f"{client['name']} has the tools of the preset {preset} now."]
    if elicitation is not None:
        may = "may" if elicitation else "may not"
        said.append(f"The user of {client['name']} {may} say yes in it to single calls that only read notes.")
    if drafts is not None:
        said.append(f"{client['name']} {'works in drafts' if drafts else 'asks about each change'} from now on.")
    said += [f"{client['name']} {_shared(client, member)}." for member in _SHARED if given.get(member)]
    cli.answer(client, "\n".join(said))


@app.add("allow")
def allow(
    cli: CommandLine, name: Name, capability: Annotated[Literal["answer", "administer"], argument("answer|administer")]
) -> None:
    """Let a client answer the questions of others, or administer. You are asked about it on a screen."""
    _, client = _act(cli, name, "clients.allow", capability=capability)
    cli.answer(client, f"{client['name']} may now: {', '.join(client['capabilities'])}.")


@app.add("revoke")
def revoke(cli: CommandLine, name: Name) -> None:
    """Revoke a client: its token is refused from now on, and what it was allowed is forgotten."""
    folder = cli.folder
    _, client = _act(cli, name, "clients.revoke")
    token_storage.remove(folder, client["name"])
    cli.answer(client, f"Revoked {client['name']}. Its token is not valid any more.")


def _act(cli: CommandLine, meant: str, method: str, **params: Any) -> tuple[Thing, dict[str, Any]]:
    """Do something with the client that has this name or id."""
    nobody = f"There is no client {meant!r}; `vault-bridge clients list` lists those that exist."
    return tell_of_client(cli, meant, method, listing="clients.list", member="name", nobody=nobody, **params)


def _keep(vault: Path, name: str, token: str, *, keyring: bool) -> str:
    """Keep a token where `call --client` finds it. Where that fails, show it: it cannot be had again.

    Returns:
        Where it is, for people.
    """
    try:
        if not keyring:
            return str(token_storage.save_to_file(vault, name, token))
        token_storage.save_to_keyring(vault, name, token)
    except (OSError, KeyringUnavailable) as error:
        fail(f"The client was added, but its token could not be kept: {error}. This is it, shown only now:\n{token}")
    return "the system's keyring"
