"""`vault-bridge clients`: the programs that have a name and a credential of their own."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from bridge.cli.connection import ask, run_once, tell
from bridge.cli.family import Table, Thing, when
from bridge.cli.layout import local_time
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer, fail
from bridge.cli.serve import Preset
from bridge.client import Connection, find_vault, token_storage
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

app = typer.Typer(help=HELP, add_completion=False, no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The client's name, or its id.")]
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


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What you call the program.")],
    *,
    save: Annotated[
        bool, typer.Option("--save", help="Keep the token on this machine, for `vault-bridge call --client`.")
    ] = False,
    keyring: Annotated[
        bool, typer.Option("--keyring", help="Keep it in the system's keyring, and not in a file.")
    ] = False,
    preset: Annotated[Preset, typer.Option("--preset", help=_PRESET_HELP)] = "agent",
    drafts: Annotated[bool, typer.Option("--drafts", help=_DRAFTS_HELP)] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Add a client. It may call tools, and asks you like any program that you have allowed nothing yet."""
    printer = Printer(as_json=as_json)
    folder = find_vault(vault)
    added = tell(vault, "clients.add", name=name, preset=preset, drafts=drafts)
    token, client = added["token"], added["client"]
    kept = _keep(folder, name, token, keyring=keyring) if save or keyring else None
    if as_json:
        printer.json({"client": client} | ({"token": token} if kept is None else {"kept": kept}))
        return
    if kept is not None:
        printer.say(f"Added {name}. Its token is in {kept}, where `vault-bridge call --client` and `connect` find it.")
        return
    printer.say(f"Added {name}. This is its token. It is shown only now; put it where the program looks for it:")
    printer.text(token)


@app.command("list")
def list_clients(vault: Vault = None, as_json: AsJson = False) -> None:
    """List the clients, what they may do, and when they were last seen."""
    _CLIENTS.print(Printer(as_json=as_json), ask(vault, "clients.list"))


@app.command("rename")
def rename(
    name: Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW-NAME", help="What you call it from now on.")],
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Call a client by another name. What it was allowed stays."""
    folder = find_vault(vault)
    client = _act(vault, name, "clients.rename", name=new_name)
    token_storage.rename(folder, name, new_name)
    Printer(as_json=as_json).answer(client, f"It is called {client['name']} from now on.")


@app.command("update")
def update(
    name: Name,
    *,
    preset: Annotated[Preset | None, typer.Option("--preset", show_default=False, help=_PRESET_HELP)] = None,
    elicitation: Annotated[
        bool | None,
        typer.Option(
            "--elicitation/--no-elicitation",
            show_default=False,
            help="Its own user may say yes in it to single calls that only read notes. You are asked about it.",
        ),
    ] = None,
    drafts: Annotated[bool | None, typer.Option("--drafts/--no-drafts", show_default=False, help=_DRAFTS_HELP)] = None,
    looking: Annotated[Sharing | None, typer.Option("--looking", show_default=False, help=_LOOKING_HELP)] = None,
    showing: Annotated[Sharing | None, typer.Option("--showing", show_default=False, help=_SHOWING_HELP)] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Change its tools, what its own user confirms, whether it works in drafts, and what it may see of Obsidian."""
    wanted = {"preset": preset, "elicitation": elicitation, "drafts": drafts, "looking": looking, "showing": showing}
    given = {key: value for key, value in wanted.items() if value is not None}
    if not given:
        fail(
            "Say what is to change: `--preset`, `--looking`, `--showing`, `--elicitation` or `--drafts`, or `--no-` "
            "before one of the last two."
        )
    client = _act(vault, name, "clients.update", **given)
    said = [] if preset is None else [f"{client['name']} has the tools of the preset {preset} now."]
    if elicitation is not None:
        may = "may" if elicitation else "may not"
        said.append(f"The user of {client['name']} {may} say yes in it to single calls that only read notes.")
    if drafts is not None:
        said.append(f"{client['name']} {'works in drafts' if drafts else 'asks about each change'} from now on.")
    said += [f"{client['name']} {_shared(client, member)}." for member in _SHARED if given.get(member)]
    Printer(as_json=as_json).answer(client, "\n".join(said))


@app.command("allow")
def allow(
    name: Name,
    capability: Annotated[Literal["answer", "administer"], typer.Argument(metavar="answer|administer")],
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Let a client answer the questions of others, or administer. You are asked about it on a screen."""
    client = _act(vault, name, "clients.allow", capability=capability)
    Printer(as_json=as_json).answer(client, f"{client['name']} may now: {', '.join(client['capabilities'])}.")


@app.command("revoke")
def revoke(name: Name, vault: Vault = None, as_json: AsJson = False) -> None:
    """Revoke a client: its token is refused from now on, and what it was allowed is forgotten."""
    folder = find_vault(vault)
    client = _act(vault, name, "clients.revoke")
    token_storage.remove(folder, client["name"])
    Printer(as_json=as_json).answer(client, f"Revoked {client['name']}. Its token is not valid any more.")


def _act(vault: Path | None, meant: str, method: str, **params: Any) -> dict[str, Any]:
    """Do something with the client that has this name or id."""

    async def act(bridge: Connection) -> dict[str, Any]:
        clients: list[dict[str, Any]] = await bridge.request("clients.list")
        client_id = next((client["clientId"] for client in clients if _is(client, meant)), None)
        if client_id is None:
            fail(f"There is no client {meant!r}; `vault-bridge clients list` lists those there are.")
        changed: dict[str, Any] = await bridge.request(method, clientId=client_id, **params)
        return changed

    return run_once(vault, act)


def _is(client: dict[str, Any], name: str) -> bool:
    return name in {client["clientId"], client["name"]} or str(client["name"]).casefold() == name.casefold()


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


def _ways(client: dict[str, Any]) -> list[str]:
    """Return the client's special permissions and ways of working."""
    ways = {"elicitation": "confirm reads", "drafts": "work in drafts"}
    shared = [_shared(client, member).removeprefix("may ") for member in _SHARED if client[member]]
    return [*(said for member, said in ways.items() if client[member]), *shared]


_SHARED: Final = {"looking": "see what you look at in Obsidian", "showing": "open notes in Obsidian without a click"}


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
