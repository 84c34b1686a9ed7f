"""`vault-bridge policy` and `web`: the rule that decides a call, what was said before, and who read from the web."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

from rich.text import Text

from bridge.cli.answer_keys import LABELS
from bridge.cli.connection import tool_arguments
from bridge.cli.family import CommandLine, Group, Table, Thing, tell_of_client, when
from bridge.cli.layout import wrap
from bridge.cli.options import argument, option
from bridge.cli.printer import fail, own_words
from bridge.cli.sanitize import sanitize
from bridge.client import Connection
from bridge.client.connection import given_of

HELP = """Say which rule decides a call, and list and revoke remembered answers.

\b
Examples:
  vault-bridge policy explain apply_patch path=Ideas.md 'patches=[{"startLine":1,"endLine":1,"newContent":"x"}]'
  vault-bridge policy explain read path=Journal/Today.md --client "Claude Code"
  vault-bridge policy grants
  vault-bridge policy revoke s-1f0c9a
  vault-bridge policy auto-approve create --client "Claude Code"
"""

WEB_HELP = """Say which clients have read from the web, and what is kept of it.

After a client has read from the web, more of its calls need your approval until you clear it, because a page may
have told it what to do.

\b
Examples:
  vault-bridge web readers
  vault-bridge web clear "Claude Code"
  vault-bridge web cache --clear
"""

_OUTCOMES = {
    "allow": ("It would run without a question.", "green"),
    "ask": ("You would be asked.", "yellow"),
    "deny": ("It would be refused.", "red"),
    "fail": ("It would fail.", "red"),
}


_SHOWN = 5
"""Sites of one client that are listed."""
WIDEST = 160
"""Columns beyond which the table of answers does not grow."""

Client = Annotated[str | None, option("--client", "NAME", "As the agent of this name.")]


def _used(grant: Thing) -> str:
    return "" if grant["mostFiles"] is None else f"{grant['usedFiles'] or 0} of {grant['mostFiles']}"


_GRANTS: Final = Table(
    (
        ("Id", "grantId", "bold"),
        ("Said", lambda grant: "denied" if grant["decision"].startswith("deny") else "allowed"),
        ("Files", _used),
        ("Ends", when("expires")),
        ("What holds", "sentence"),
    ),
    "Nothing has been allowed or denied for longer than once.",
    widest=WIDEST,
)
_SITES: Final = Table(
    (
        ("Site", "site", "bold"),
        ("Id", lambda site: site["allowedBy"] or "setting"),
        ("For", lambda site: site["client"] or "everybody"),
        ("Last used", when("lastUsed")),
    ),
    "Nothing of the web is allowed for longer than once.",
    widest=WIDEST,
)


def _sites(reader: Thing) -> str:
    sites = [site.partition("://")[2].rstrip("/") for site in reversed(reader["sites"])]
    return ", ".join(sites[:_SHOWN]) + (f" and {len(sites) - _SHOWN} more" if sites[_SHOWN:] else "")


_READERS: Final = Table(
    (("Name", "client", "bold"), ("Since", when("since")), ("Sites", _sites)),
    "No client has read from the web, or you have cleared them all.",
)

app = Group(HELP)
web = Group(WEB_HELP)


@app.add("explain")
def explain(
    cli: CommandLine,
    tool: Annotated[str, argument("TOOL", "The tool's name.")],
    words: Annotated[list[str] | None, argument("KEY=VALUE", "As for `call`.")] = None,
    client: Client = None,
) -> None:
    """Say what would become of a call, and which rule decides. Nothing is done."""

    async def explain_it(bridge: Connection) -> dict[str, Any]:
        arguments = await tool_arguments(bridge, tool, words)
        asked = given_of(name=tool, arguments=arguments, client=client)
        answer: dict[str, Any] = await bridge.request("policy.explain", **asked)
        return answer

    explained = cli.ask_with(explain_it)
    cli.answer(explained, _draw(explained, cli.readable))


app.lists(
    "grants",
    """List what was allowed and denied, and still holds.

    One row is one answer, and `vault-bridge policy revoke ID` takes it back as a whole.
    """,
    "consent.grants",
    _GRANTS,
)
app.lists(
    "sites",
    """List what of the web is allowed, and when it was fetched last.

    `vault-bridge policy revoke ID` takes an answer back, and `vault-bridge settings set allowedDomains=…` changes the
    list.
    """,
    "web.sites",
    _SITES,
)


@app.add("revoke")
def revoke(cli: CommandLine, grant_id: Annotated[str, argument("ID", "As `policy grants` shows it.")]) -> None:
    """Revoke something that was allowed or denied."""
    answer = cli.tell("consent.revoke", grantId=grant_id)
    if cli.as_json:
        cli.json(answer)
    if not answer["revoked"]:
        fail(f"There is no answer {grant_id!r}; `vault-bridge policy grants` lists those that exist.")
    if not cli.as_json:
        cli.say("Taken back.")


@app.add("auto-approve")
def auto_approve(
    cli: CommandLine,
    operation: Annotated[Literal["create", "update"], argument("create|update")],
    off: Annotated[bool, option("--off", "Ask again.")] = False,
    client: Annotated[str | None, option("NAME", "Only the agent of this name; else: all.")] = None,
) -> None:
    """Let agents create or update files without asking, until the bridge stops.

    That is any file in the vault, with any content, and you are not shown the change before it is made. Tools that ask
    every time (apply_patch, moves, deletions) still do. A question offers narrower answers: for one folder, or for
    changes that only add.
    """
    answer = cli.tell("consent.autoApprove", operation=operation, enabled=not off, client=client)
    said: str | Text = "You are asked again."
    if (grant := answer["grant"]) is not None:
        back = f" `vault-bridge policy revoke {grant['grantId']}` takes it back."
        said = Text.assemble(sanitize(grant["sentence"]), " Tools that ask every time still do.", back)
    cli.answer(answer, said)


web.lists("readers", "List the clients that have read from the web.", "web.readers", _READERS)


@web.add("clear")
def clear(cli: CommandLine, name: Annotated[str, argument("NAME", "The client's name or id.")]) -> None:
    """Trust a client again that has read from the web."""
    nobody = f"{name!r} has not read from the web; `vault-bridge web readers` lists those that have."
    _, cleared = tell_of_client(cli, name, "web.clear", listing="web.readers", member="client", nobody=nobody)
    cli.answer(cleared, "Cleared. You are asked about its calls as before it read from the web.")


@web.add("cache")
def cache(cli: CommandLine, *, clear: Annotated[bool, option("--clear", "Remove what is kept.")] = False) -> None:
    """Say how much is kept of the web, or remove it."""
    found = cli.tell("cache.clear") if clear else cli.ask("cache.stats")
    what = f"{found['entries']} {'page' if found['entries'] == 1 else 'pages'}, {found['size']:,} bytes"
    said = f"Removed {what}." if clear else f"Kept of the web: {what}. Used {found['hits']} times so far."
    cli.answer(found, said)


def _draw(explained: dict[str, Any], width: int) -> Iterator[Text]:
    sentence, style = _OUTCOMES[explained["outcome"]]
    yield Text(sentence, f"bold {style}")
    rows = {"Rule": explained["rule"], "Why": own_words(explained["why"]), "Call": explained.get("summary")}
    if "class" in explained:
        rows["Tool"] = f"{explained['operation']}, class {explained['class']}, mode {explained['mode']}"
    if explained.get("choices"):
        rows["Answers"] = ", ".join(LABELS.get(choice, choice) for choice in explained["choices"])
    if explained.get("elicitation"):
        rows["Or"] = "its own user says yes in the client itself, once (elicitation)"
    for label, value in rows.items():
        if value:
            yield from wrap(Text.assemble((f"{label:<8}", "bold"), sanitize(value)), width, rest=" " * 8)
