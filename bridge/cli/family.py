"""Commands: their command line, groups of them, and families about one kind of thing, as data.

A family says how its things are listed, shown and changed.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.text import Text

from bridge.cli.connection import TRIES, run_with, went_away
from bridge.cli.layout import draw_table, local_time
from bridge.cli.options import AsJson, Vault, Yes
from bridge.cli.printer import Printer, fail
from bridge.cli.sanitize import sanitize, sanitize_plain
from bridge.client import Connection, ConnectionLost, ProtocolFailure, find_vault
from bridge.client.connection import given_of

T = TypeVar("T")
Thing = dict[str, Any]
Cell = Callable[[Thing], object]
Column = tuple[str, str | Cell] | tuple[str, str | Cell, str]
"""A heading, what the cells hold (a member of the thing, or a function of it), and their style."""
Draw = Callable[[Thing, int], Iterable[Text]]
"""Draws one thing for a screen of some columns."""


class CommandLine(Printer):
    """A command as it was typed: where it prints, and the way to the bridge of its vault.

    Args:
        vault: The vault's folder, where it was named.
        as_json: Whether `--json` was given.
    """

    def __init__(self, vault: Path | None = None, *, as_json: bool = False) -> None:
        super().__init__(as_json=as_json)
        self.vault = vault

    @property
    def folder(self) -> Path:
        """Return the folder of the vault that is meant. Raises VaultNotFound."""
        return find_vault(self.vault)

    def ask(self, method: str, **params: Any) -> Any:
        """Return the answer of a method that can be asked twice. None leaves a parameter out."""
        given = given_of(**params)
        return self.ask_with(lambda bridge: bridge.request(method, **given))

    def ask_with(self, work: Callable[[Connection], Awaitable[T]], *, client: str | None = None) -> T:
        """Return the result of work that can be done twice.

        The bridge may be another command's own, which ends with that command: then another bridge is asked.

        Args:
            work: Asks the bridge.
            client: The client as which it is asked; None: the person.
        """
        folder = self.folder
        for _ in range(TRIES - 1):
            try:
                return asyncio.run(run_with(folder, work, client))
            except (ConnectionLost, ProtocolFailure) as error:
                if not went_away(error):
                    raise
        return asyncio.run(run_with(folder, work, client))

    def tell(self, method: str, **params: Any) -> Any:
        """Return the answer of a method that must not be asked twice. None leaves a parameter out."""
        given = given_of(**params)
        return self.tell_with(lambda bridge: bridge.request(method, **given))

    def tell_with(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Return the result of work that must not be done twice."""
        return asyncio.run(run_with(self.folder, work))


def tell_of_client(
    cli: CommandLine, meant: str, method: str, *, listing: str, member: str, nobody: str, **params: Any
) -> tuple[Thing, dict[str, Any]]:
    """Do something with the client that has this name or id, and return how it was listed, and the answer.

    Args:
        cli: The command line.
        meant: The name or id.
        method: The method that does it.
        listing: The method that lists the clients that are meant.
        member: The member with a client's name.
        nobody: The sentence where there is none; the command ends.
        params: Parameters of the method besides the client's id.
    """

    async def work(bridge: Connection) -> tuple[Thing, dict[str, Any]]:
        for one in await bridge.request(listing):
            if meant == one["clientId"] or meant.casefold() == one[member].casefold():
                return one, await bridge.request(method, clientId=one["clientId"], **params)
        return fail(nobody)

    return cli.tell_with(work)


def command(work: Callable[..., None]) -> Callable[..., None]:
    """Return a command with `--vault` and `--json`.

    Args:
        work: Does it. It is called with a `CommandLine` and the other parameters that it has.
    """

    def run(*, vault: Vault = None, as_json: AsJson = False, **given: Any) -> None:
        work(CommandLine(vault, as_json=as_json), **given)

    own, ours = (list(inspect.signature(function).parameters.values()) for function in (work, run))
    parameters = [*own[1:], *ours[:2]]
    run.__dict__["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = work.__doc__
    return run


class Group(typer.Typer):
    """Commands under one name.

    Args:
        about: The help.
    """

    def __init__(self, about: str) -> None:
        super().__init__(help=about, add_completion=False, no_args_is_help=True, rich_markup_mode=None)

    def add(self, name: str, about: str | None = None) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Add a command.

        Args:
            name: Its name.
            about: Its help; None: the docstring.
        """
        return lambda work: self.command(name, help=about)(command(work))

    def lists(self, name: str, about: str, method: str, table: "Table") -> None:
        """Add a command that lists the answer of a method."""
        self.add(name, about)(lambda cli: table.print(cli, cli.ask(method)))


class Table:
    """A list of things, as it is printed.

    Args:
        columns: The columns.
        none: The sentence if there is nothing to list.
        widest: The number of terminal columns beyond which the table does not grow.
    """

    def __init__(self, columns: Sequence[Column], none: str = "", *, widest: int | None = None) -> None:
        self._columns = columns
        self._none = none
        self._widest = widest

    def print(self, printer: Printer, things: Sequence[Thing], answer: Any = None) -> None:
        """Print a list: for people as a table, or the sentence if there is nothing in it.

        Args:
            printer: Where to print it.
            things: The list.
            answer: What is printed with `--json`; None: the list.
        """
        if printer.as_json:
            printer.json(things if answer is None else answer)
        elif things or not self._none:
            width = min(printer.width, self._widest or printer.width)
            rows = [[_cell(thing, *column[1:]) for column in self._columns] for thing in things]
            printer.lines(draw_table([column[0] for column in self._columns], rows, width))
        else:
            printer.say(self._none)


def when(member: str) -> Cell:
    """Return a cell with the time in a member, empty if there is none."""
    return lambda thing: local_time(thing[member]) if thing[member] else ""


class Family(Group):
    """The commands of one kind of thing.

    Args:
        word: The family's command, such as `servers`.
        about: Its help.
        thing: What one of them is called in sentences.
        key: The member that names one.
        name: The annotation of the argument with which the commands take a name.
        table: How they are listed.
        member: The member of the list's answer that holds the things; None: the answer is the list.
        inside: The member of what is listed that holds the thing itself; None: it is the thing.
    """

    def __init__(
        self,
        word: str,
        about: str,
        *,
        thing: str,
        name: Any,
        table: Table,
        key: str = "name",
        member: str | None = None,
        inside: str | None = None,
    ) -> None:
        super().__init__(about)
        self._word, self._thing, self._name, self._key = word, thing, name, key
        self._table, self._member, self._inside = table, member, inside

    def list_all(self, about: str, after: Callable[[CommandLine, Any], None] = lambda _cli, _answer: None) -> None:
        """Add the command `list`.

        Args:
            about: Its help.
            after: Prints what follows the table; not called with `--json`.
        """

        def work(cli: CommandLine) -> None:
            answer = cli.ask(f"{self._word}.list")
            self._table.print(cli, answer if cli.as_json else self._things(answer))
            if not cli.as_json:
                after(cli, answer)

        self.add("list", about)(work)

    def show(self, about: str, draw: Draw) -> None:
        """Add the command `show`.

        Args:
            about: Its help.
            draw: Draws one thing.
        """

        def work(cli: CommandLine, name: str) -> None:
            found = self.find(cli, name)
            cli.answer(found, draw(found, cli.width))

        self._add_named("show", about, work)

    def change(
        self,
        word: str,
        about: str,
        method: str,
        said: str | Callable[[Thing], str],
        *,
        members: Mapping[str, Any] | None = None,
        question: str = "",
    ) -> None:
        """Add a command that changes one thing.

        Args:
            word: The command.
            about: Its help.
            method: The method that changes it.
            said: The sentence when it is done, with `{name}` for its name, or a function of the answer.
            members: Parameters of the method besides the name.
            question: Asked before, with `{name}` for its name, unless `--yes` is given.
        """

        def work(cli: CommandLine, name: str) -> None:
            answer = cli.tell(method, **{self._key: name}, **members or {})
            cli.answer(answer, said.format(name=name) if isinstance(said, str) else said(answer))

        def asking(cli: CommandLine, name: str, yes: Yes = False) -> None:
            cli.confirm_or_end(question.format(name=repr(sanitize_plain(name))), "It stays.", sure=yes)
            work(cli, name)

        self._add_named(word, about, asking if question else work)

    def find(self, cli: CommandLine, name: str) -> Thing:
        """Return the thing of a name; end the command if there is none."""
        return self.find_in(cli.ask(f"{self._word}.list"), name)

    def find_in(self, answer: Any, name: str) -> Thing:
        """Return the thing of a name in what the method that lists them has answered."""
        things = (thing if self._inside is None else thing[self._inside] for thing in self._things(answer))
        found: Thing | None = next((thing for thing in things if thing[self._key] == name), None)
        words = f"There is no {self._thing} {name!r}; `vault-bridge {self._word} list` lists those that exist."
        return found or fail(words)

    def _things(self, answer: Any) -> Sequence[Thing]:
        if self._member is None:
            things: Sequence[Thing] = answer
            return things
        if answer["fault"] is not None:
            fail(f"{answer['fault']}. It is {answer['file']}")
        inside: Sequence[Thing] = answer[self._member]
        return inside

    def _add_named(self, word: str, about: str, work: Callable[..., None]) -> None:
        work.__annotations__["name"] = self._name
        self.add(word, about)(work)


def _cell(thing: Thing, content: str | Cell, style: str = "") -> Text:
    value = thing[content] if isinstance(content, str) else content(thing)
    return value if isinstance(value, Text) else sanitize(str(value or ""), style=style)
