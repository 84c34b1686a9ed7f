"""A family of commands about one kind of thing: how the things are listed, shown and changed, as data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import typer
from rich.text import Text

from bridge.cli.connection import ask, tell
from bridge.cli.layout import draw_table, local_time
from bridge.cli.options import AsJson, Vault, Yes
from bridge.cli.printer import Printer, confirm_or_end, fail
from bridge.cli.sanitize import sanitize, sanitize_plain

Thing = dict[str, Any]
Cell = Callable[[Thing], object]
Column = tuple[str, str | Cell] | tuple[str, str | Cell, str]
"""A heading, what the cells hold (a member of the thing, or a function of it), and their style."""


class Lines(Protocol):
    """The function that draws one thing for a screen of some columns."""

    def __call__(self, thing: Thing, width: int, /) -> Iterable[Text]:
        """Return the lines."""


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
            printer.lines(draw_table([column[0] for column in self._columns], list(map(self._row, things)), width))
        else:
            printer.say(self._none)

    def _row(self, thing: Thing) -> list[Text]:
        return [_cell(thing, *column[1:]) for column in self._columns]


def when(member: str) -> Cell:
    """Return a cell with the time in a member, empty if there is none."""
    return lambda thing: local_time(thing[member]) if thing[member] else ""


class Family:
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

    Attributes:
        app: The commands.
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
        self.app = typer.Typer(help=about, add_completion=False, no_args_is_help=True, rich_markup_mode=None)
        self._name = name
        self._word = word
        self._thing = thing
        self._key = key
        self._table = table
        self._member = member
        self._inside = inside

    def list(self, about: str, after: Callable[[Printer, Any], None] = lambda _printer, _answer: None) -> None:
        """Add the command `list`.

        Args:
            about: Its help.
            after: Prints what follows the table; not called with `--json`.
        """

        def command(vault: Vault = None, as_json: AsJson = False) -> None:
            printer = Printer(as_json=as_json)
            answer = ask(vault, f"{self._word}.list")
            things = answer if as_json else self._things(answer)
            self._table.print(printer, things)
            if not as_json:
                after(printer, answer)

        self.app.command("list", help=about)(command)

    def show(self, about: str, draw: Lines) -> None:
        """Add the command `show`.

        Args:
            about: Its help.
            draw: Draws one thing.
        """

        def command(name: str, vault: Vault = None, as_json: AsJson = False) -> None:
            printer = Printer(as_json=as_json)
            found = self.find(vault, name)
            printer.answer(found, draw(found, printer.width))

        self._add("show", about, command)

    def change(
        self,
        word: str,
        about: str,
        method: str,
        said: str | Callable[[Thing], str],
        *,
        members: Mapping[str, Any] | None = None,
        question: str | None = None,
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

        def run(printer: Printer, name: str, vault: Vault) -> None:
            answer = tell(vault, method, **{self._key: name}, **members or {})
            printer.answer(answer, said.format(name=name) if isinstance(said, str) else said(answer))

        def command(name: str, vault: Vault = None, as_json: AsJson = False) -> None:
            run(Printer(as_json=as_json), name, vault)

        def asking(name: str, yes: Yes = False, vault: Vault = None, as_json: AsJson = False) -> None:
            printer = Printer(as_json=as_json)
            confirm_or_end(printer, (question or "").format(name=repr(sanitize_plain(name))), "It stays.", sure=yes)
            run(printer, name, vault)

        self._add(word, about, command if question is None else asking)

    def find(self, vault: Vault, name: str) -> Thing:
        """Return the thing of a name; end the command if there is none."""
        return self.find_in(ask(vault, f"{self._word}.list"), name)

    def find_in(self, answer: Any, name: str) -> Thing:
        """Return the thing of a name in what the method that lists them has answered."""
        things = (thing if self._inside is None else thing[self._inside] for thing in self._things(answer))
        found: Thing | None = next((thing for thing in things if thing[self._key] == name), None)
        words = f"There is no {self._thing} {name!r}; `vault-bridge {self._word} list` lists those there are."
        return found or fail(words)

    def _things(self, answer: Any) -> Sequence[Thing]:
        if self._member is None:
            things: Sequence[Thing] = answer
            return things
        if answer["fault"] is not None:
            fail(f"{answer['fault']}. It is {answer['file']}")
        inside: Sequence[Thing] = answer[self._member]
        return inside

    def _add(self, word: str, about: str, command: Callable[..., None]) -> None:
        command.__annotations__["name"] = self._name
        self.app.command(word, help=about)(command)


def _cell(thing: Thing, content: str | Cell, style: str = "") -> Text:
    value = thing[content] if isinstance(content, str) else content(thing)
    return value if isinstance(value, Text) else sanitize(str(value or ""), style=style)
