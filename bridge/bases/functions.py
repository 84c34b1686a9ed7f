"""The functions of bases by their names and by what they are called on.

The table in the documents is made from these descriptions. The arguments of a function are evaluated before it is
called, except for the functions in `LAZY`, which `compiling.py` compiles itself.
"""

import random
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from bridge.bases import lists, texts
from bridge.bases.dates import UNITS, Date, Duration, measured, read_date, read_duration
from bridge.bases.failures import ExpressionError, StepBudget
from bridge.bases.numbers import WHITE, Number, fixed, floor, read_number, rounded, whole
from bridge.bases.rows import Html, Icon, Image, Link, Row, Value, Vault, read_link
from bridge.bases.texts import TextPattern
from bridge.bases.values import LISTS, NUMBERS, TEXTS, is_true, joined, text, type_name


class Scope:
    """The values that an expression is evaluated with.

    Args:
        vault: The files.
        now: The time.
        budget: The remaining work of the query.
        this: The note that the base is viewed from; None if it is not known.

    Attributes:
        row: The file of the row.
        value: The current item in `filter`, `map` and `reduce`.
        index: Its place in the list.
        acc: The accumulator of `reduce`.
        values: The values of a column, in a summary.
        formulas: The results of formulas for this row.
        once: Results that are the same for every row.
    """

    __slots__ = (
        *("acc", "budget", "formulas", "index", "links", "now", "once", "randoms", "row", "this", "value", "values"),
        "vault",
    )

    def __init__(self, vault: Vault, now: Date, budget: StepBudget, this: Row | None = None) -> None:
        self.vault, self.now, self.budget, self.this = vault, now, budget, this
        self.row = Row("", 0, (0, 0), {}, (), vault)
        self.value: Value = None
        self.index: Value = None
        self.acc: Value = None
        self.values: list[Value] = []
        self.formulas: dict[str, Value] = {}
        self.once: dict[object, Value] = {}
        self.links: dict[tuple[str, str], Link] = {}
        self.randoms = random.Random(0)  # noqa: S311 (nothing is kept secret with it)


Run = Callable[..., Value]


class Function(NamedTuple):
    """One function.

    Attributes:
        name: Its name.
        kind: What it is called on: `Global`, `Any`, or the name of a type.
        signature: Its arguments, as the documents show them.
        least: How many arguments it must be given.
        run: Takes the scope, the value that it is called on (unless it is global), and the arguments.
    """

    name: str
    kind: str
    signature: str
    least: int
    run: Run

    @property
    def most(self) -> int | None:
        """Return the number of arguments it uses at most; None if it uses all of them."""
        names = self.signature.split(", ") if self.signature else []
        return None if names and names[-1] in _MANY else len(names)


_SHORT: Final = 1000
_LETTERS_LOOKED_AT: Final = 32
"""Characters that are looked through in the time of one step."""

_MANY: Final = frozenset({"texts", "values", "names", "numbers"})

LAZY: Final = (
    Function("if", "Global", "condition, trueResult, falseResult?", 2, lambda: None),
    Function("filter", "List", "condition", 1, lambda: None),
    Function("map", "List", "expression", 1, lambda: None),
    Function("reduce", "List", "expression, start", 2, lambda: None),
)
"""Functions that evaluate their arguments themselves."""


def as_text(value: Value) -> str:
    """Return a value as text for a function of texts: for a link, its target."""
    return value.path if type(value) is Link else text(value)


def as_number(value: Value) -> Number:
    """Return a value as a number.

    Raises:
        ExpressionError: It is none.
    """
    if type(value) in NUMBERS:
        return int(value) if type(value) is bool else value
    if type(value) in TEXTS:
        number = read_number(value)
        if number == number:  # noqa: PLR0124 (not NaN)
            return number
    raise ExpressionError(f"{type_name(value)} is given where a number is expected")


# -- global ----------------------------------------------------------------------------------------------------------


def _parsed(value: Value, kind: type, what: str, read: Callable[[str], Value]) -> Value:
    """Return a value of a type as it is, or the one that a text spells."""
    if value is None or type(value) is kind:
        return value
    found = read(text(value)) if type(value) in TEXTS else None
    if found is None:
        raise ExpressionError(f'Unable to parse "{text(value)[:200]}" as a {what}.')
    return found


def _date(scope: Scope, value: Value) -> Value:
    return _parsed(value, Date, "date", lambda said: read_date(said.strip(), scope.vault.zone))


def _file(scope: Scope, value: Value) -> Value:
    if value is None or type(value) is Row:
        return value
    return (value if type(value) is Link else _made_link(scope, text(value), None)).file()


def _link(scope: Scope, value: Value, display: Value = None) -> Value:
    shown = None if display is None else text(display)
    if value is None:
        return None
    if type(value) is Link:
        return value if shown is None else Link(value.path, shown, value.source, value.vault)
    if type(value) is Row:
        return value.as_link(shown)
    return _made_link(scope, text(value), shown)


def _made_link(scope: Scope, said: str, display: str | None) -> Link:
    """Return a link that a formula makes; it is resolved from the row's folder."""
    source = scope.row.path
    key = said, scope.row.home
    link = scope.links.get(key)
    if link is None:
        bracketed = said[:2] == "[[" and said[-2:] == "]]" and len(said) >= 4  # noqa: PLR2004 (the brackets)
        link = read_link(said, source, scope.vault) if bracketed else Link(said, None, source, scope.vault)
        scope.budget.spend(len(said))
        scope.links[key] = link
    return link if display is None else Link(link.path, display, link.source, link.vault)


def _number(_scope: Scope, value: Value) -> Value:
    if value is None or (type(value) in NUMBERS and type(value) is not bool):
        return value
    if type(value) is bool:
        return int(value)
    if type(value) is Date:
        return value.ms
    said = as_text(value) if type(value) in TEXTS else text(value)
    number = read_number(said) if said.strip() and type(value) in TEXTS else None
    if number is None or number != number:  # noqa: PLR0124 (NaN)
        raise ExpressionError(f'Unable to parse "{said[:200]}" as a number.')
    return number


def _list(_scope: Scope, value: Value) -> Value:
    return value if type(value) in LISTS else [] if value is None else [value]


def _given(values: tuple[Value, ...]) -> list[Value]:
    return [value for value in lists.spread(values) if value is not None]


def _image(_scope: Scope, value: Value) -> Value:
    return None if value is None else Image(as_text(value))


GLOBALS: Final[dict[str, Function]] = {
    function.name: function
    for function in (
        Function("date", "Global", "text", 1, _date),
        Function("duration", "Global", "text", 1, lambda _, value: _parsed(value, Duration, "duration", read_duration)),
        Function("escapeHTML", "Global", "text", 1, lambda scope, value: texts.escaped(as_text(value), scope.budget)),
        Function("file", "Global", "path or file or link", 1, _file),
        Function("html", "Global", "text", 1, lambda _scope, value: Html(as_text(value))),
        Function("icon", "Global", "name", 1, lambda _scope, value: Icon(as_text(value))),
        Function("image", "Global", "path or file or address", 1, _image),
        Function("link", "Global", "path or file, display?", 1, _link),
        Function("list", "Global", "value", 1, _list),
        Function("max", "Global", "numbers", 1, lambda _scope, *all_: max(map(as_number, _given(all_)), default=None)),
        Function("min", "Global", "numbers", 1, lambda _scope, *all_: min(map(as_number, _given(all_)), default=None)),
        Function("now", "Global", "", 0, lambda scope: scope.now),
        Function("number", "Global", "value", 1, _number),
        Function("random", "Global", "", 0, lambda scope: scope.randoms.random()),
        Function("today", "Global", "", 0, lambda scope: scope.now.day()),
    )
}

# -- methods ---------------------------------------------------------------------------------------------------------


def _contains_text(_scope: Scope, own: str, wanted: Value) -> bool:
    return (wanted if type(wanted) is str else as_text(wanted)) in own


def _contains_texts(own: str, wanted: tuple[Value, ...], test: Callable[[Iterable[bool]], bool]) -> bool:
    return test(as_text(each) in own for each in lists.spread(wanted))


def _split(scope: Scope, own: str, separator: Value, count: Value = None) -> list[Value]:
    by = separator if type(separator) is TextPattern else as_text(separator)
    pieces: list[Value] = list(texts.split(own, by, scope.budget))
    return pieces if count is None else pieces[: max(0, whole(as_number(count)))]


def _replaced(scope: Scope, own: str, wanted: Value, replacement: Value) -> str:
    by = wanted if type(wanted) is TextPattern else as_text(wanted)
    return texts.replaced(own, by, as_text(replacement), scope.budget)


def _slice_text(_scope: Scope, own: str, start: Value, end: Value = None) -> str:
    return texts.sliced(own, as_number(start), None if end is None else as_number(end))


def _slice_list(_scope: Scope, own: list[Value], start: Value, end: Value = None) -> list[Value]:
    first, last = texts.bounds(len(own), as_number(start), None if end is None else as_number(end))
    return own[first:last]


def _contains_values(
    scope: Scope, own: list[Value], wanted: tuple[Value, ...], test: Callable[[Iterable[bool]], bool]
) -> bool:
    return test(lists.contains(own, each, scope.budget) for each in lists.spread(wanted))


def _join(scope: Scope, own: list[Value], separator: Value = ",") -> str:
    said = joined(own, as_text(separator))
    scope.budget.text(len(said))
    return said


def _links_to(_scope: Scope, own: Link, wanted: Value) -> bool:
    file = own.file()
    return file is not None and _has_link_of(file, wanted)


def _has_link(_scope: Scope, own: Row, wanted: Value) -> Value:
    return None if wanted is None else _has_link_of(own, wanted)


def _has_link_of(own: Row, wanted: Value) -> bool:
    if type(wanted) is Row:
        return wanted.path in own.targets
    if type(wanted) is Link:
        return wanted.target in own.targets if wanted.target is not None else own.has_link(wanted.path)
    said = text(wanted)
    return own.has_link(read_link(said, own.path, own.vault).path if said[:2] == "[[" and said[-2:] == "]]" else said)


def _has_tag(_scope: Scope, own: Row, *names: Value) -> bool:
    bare: list[Value] = [str(tag).removeprefix("#") for tag in own.tags_written]
    return any(lists.has_tag(bare, as_text(name)) for name in lists.spread(names))


def _in_folder(_scope: Scope, own: Row, folder: Value) -> bool:
    wanted = as_text(folder).strip("/")
    return not wanted or own.home == wanted or own.home.startswith(wanted + "/")


def _as_link(_scope: Scope, own: Row, display: Value = None) -> Link:
    return own.as_link(None if display is None else text(display))


_TEXT: Final = (
    Function("contains", "String", "text", 1, _contains_text),
    Function("containsAll", "String", "texts", 1, lambda _scope, own, *all_: _contains_texts(own, all_, all)),
    Function("containsAny", "String", "texts", 1, lambda _scope, own, *any_: _contains_texts(own, any_, any)),
    Function("endsWith", "String", "text", 1, lambda _scope, own, end: own.endswith(as_text(end))),
    Function("isEmpty", "String", "", 0, lambda _scope, own: not own),
    Function("lower", "String", "", 0, lambda _scope, own: own.lower()),
    Function("repeat", "String", "count", 1, lambda scope, own, n: texts.repeated(own, as_number(n), scope.budget)),
    Function("replace", "String", "text or pattern, replacement", 2, _replaced),
    Function("reverse", "String", "", 0, lambda _scope, own: own[::-1]),
    Function("slice", "String", "start, end?", 1, _slice_text),
    Function("split", "String", "text or pattern, count?", 1, _split),
    Function("startsWith", "String", "text", 1, lambda _scope, own, start: own.startswith(as_text(start))),
    Function("title", "String", "", 0, lambda _scope, own: texts.titled(own)),
    Function("trim", "String", "", 0, lambda _scope, own: own.strip(WHITE)),
)
_NUMBER: Final = (
    Function("abs", "Number", "", 0, lambda _scope, own: abs(own)),
    Function("ceil", "Number", "", 0, lambda _scope, own: -floor(-own)),
    Function("floor", "Number", "", 0, lambda _scope, own: floor(own)),
    Function("isEmpty", "Number", "", 0, lambda _scope, _own: False),
    Function("round", "Number", "digits?", 0, lambda _scope, own, digits=0: rounded(own, whole(as_number(digits)))),
    Function("toFixed", "Number", "digits", 0, lambda _scope, own, digits=0: fixed(own, whole(as_number(digits)))),
)
_LIST: Final = (
    Function("contains", "List", "value", 1, lambda scope, own, value: lists.contains(own, value, scope.budget)),
    Function("containsAll", "List", "values", 1, lambda scope, own, *all_: _contains_values(scope, own, all_, all)),
    Function("containsAny", "List", "values", 1, lambda scope, own, *any_: _contains_values(scope, own, any_, any)),
    Function("flat", "List", "", 0, lambda scope, own: lists.flat(own, scope.budget)),
    Function("isEmpty", "List", "", 0, lambda _scope, own: not own),
    Function("join", "List", "separator", 0, _join),
    Function("mean", "List", "", 0, lambda _scope, own: lists.mean(own)),
    Function("reverse", "List", "", 0, lambda _scope, own: own[::-1]),
    Function("slice", "List", "start, end?", 1, _slice_list),
    Function("sort", "List", "", 0, lambda scope, own: lists.sorted_values(own, scope.budget)),
    Function("unique", "List", "", 0, lambda scope, own: lists.unique(own, scope.budget)),
)
_DATE: Final = (
    Function("date", "Date", "", 0, lambda _scope, own: own.day()),
    Function("format", "Date", "pattern", 1, lambda scope, own, pattern: _format(scope, own, as_text(pattern))),
    Function("isEmpty", "Date", "", 0, lambda _scope, _own: False),
    Function("relative", "Date", "", 0, lambda scope, own: own.relative(scope.now.ms)),
    Function("time", "Date", "", 0, lambda _scope, own: own.time()),
)
_LINK: Final = (
    Function("asFile", "Link", "", 0, lambda _scope, own: own.file()),
    Function("linksTo", "Link", "file", 1, _links_to),
)
_FILE: Final = (
    Function("asLink", "File", "display?", 0, _as_link),
    Function("hasLink", "File", "file or path", 1, _has_link),
    Function("hasProperty", "File", "name", 1, lambda _scope, own, name: as_text(name).lower() in own.cells),
    Function("hasTag", "File", "names", 1, _has_tag),
    Function("inFolder", "File", "folder", 1, _in_folder),
)
_OBJECT: Final = (
    Function("isEmpty", "Object", "", 0, lambda _scope, own: not own),
    Function("keys", "Object", "", 0, lambda _scope, own: list(own)),
    Function("values", "Object", "", 0, lambda _scope, own: list(own.values())),
)
_REGEX: Final = (
    Function("matches", "RegExp", "text", 1, lambda scope, own, value: own.matches(as_text(value), scope.budget)),
)
_ANY: Final = (
    Function("isTruthy", "Any", "", 0, lambda _scope, own: is_true(own)),
    Function("isType", "Any", "name", 1, lambda _scope, own, name: type_name(own).lower() == as_text(name).lower()),
    Function("toString", "Any", "", 0, lambda _scope, own: text(own)),
)

FUNCTIONS: Final = (
    *(*GLOBALS.values(), *LAZY, *_ANY, *_DATE, *_TEXT, *_NUMBER, *_LIST, *_LINK, *_FILE, *_OBJECT, *_REGEX),
)
"""Every function."""


def _format(scope: Scope, own: Date, pattern: str) -> str:
    scope.budget.text(len(pattern) * 16)
    return own.format(pattern)


def _counted(run: Run) -> Run:
    """Return a function of texts whose work grows with the text."""

    def counted(scope: Scope, own: str, *arguments: Value) -> Value:
        if len(own) > _SHORT:
            scope.budget.spend(len(own) // _LETTERS_LOOKED_AT)
        return run(scope, own, *arguments)

    return counted


def _of_link(run: Run) -> Run:
    """Return a function of texts for links, which it applies to their targets."""
    return lambda scope, own, *arguments: run(scope, own.path, *arguments)


def _methods() -> dict[str, dict[type, Function]]:
    table: dict[str, dict[type, Function]] = {}

    def enter(functions: tuple[Function, ...], *kinds: type) -> None:
        for function in functions:
            for kind in kinds:
                table.setdefault(function.name, {})[kind] = function

    enter(tuple(each._replace(run=_counted(each.run)) for each in _TEXT), *TEXTS)
    enter(tuple(each._replace(run=_of_link(each.run)) for each in _TEXT), Link)
    enter(_NUMBER, int, float)
    enter(_LIST, *LISTS)
    enter(_DATE, Date)
    enter(_LINK, Link)
    enter(_FILE, Row)
    enter(_OBJECT, dict)
    enter(_REGEX, TextPattern)
    everything = (*TEXTS, int, float, bool, *LISTS, Date, Duration, Link, Row, dict, TextPattern, type(None))
    enter(_ANY, *everything)
    empty = Function("isEmpty", "Any", "", 0, lambda _scope, own: lists.is_empty(own))
    for kind in everything:
        table["isEmpty"].setdefault(kind, empty)
    return table


METHODS: Final[dict[str, dict[type, Function]]] = _methods()
"""Methods by name, and by the type that has them."""

NAMES: Final = frozenset({*METHODS, *(function.name for function in LAZY if function.kind != "Global")})
"""Names of all methods."""


# -- fields ----------------------------------------------------------------------------------------------------------

Field = Callable[[Scope, Any], Value]


def _attribute(name: str) -> Field:
    return lambda _scope, own: getattr(own, name)


def _local(name: str) -> Field:
    return lambda _scope, own: getattr(own.local, name)


def _measured(unit: str) -> Field:
    return lambda scope, own: measured(own, unit, scope.now)


def _file_date(scope: Scope, ms: int) -> Date:
    return Date(ms, scope.vault.zone).within()


_DATE_FIELDS: Final[dict[str, Field]] = {
    **{name: _local(name) for name in ("year", "month", "day", "hour", "minute", "second")},
    "millisecond": lambda _scope, own: own.local.microsecond // 1000,
    "timestamp": _attribute("ms"),
}
_OWN_FIELDS: Final = ("name", "basename", "path", "ext", "size", "tags", "links", "embeds", "backlinks")
FILE_FIELDS: Final[dict[str, Field]] = {
    **{name: _attribute(name) for name in _OWN_FIELDS},
    "file": lambda _scope, own: own,
    "fullname": lambda _scope, own: own.path.rpartition("/")[2],
    "folder": _attribute("home"),
    "ctime": lambda scope, own: _file_date(scope, own.ctime),
    "mtime": lambda scope, own: _file_date(scope, own.mtime),
    "properties": lambda _scope, own: own.values(),
}
"""Fields of a file, by lower-case name."""

FIELDS: Final[dict[type, dict[str, Field]]] = {
    **{kind: {"length": lambda _scope, own: texts.length(own)} for kind in TEXTS},
    **{kind: {"length": lambda _scope, own: len(own)} for kind in LISTS},
    Date: _DATE_FIELDS,
    Duration: {unit: _measured(unit) for unit in UNITS},
    Row: FILE_FIELDS,
}
"""Fields of each type, by lower-case name."""


def member(scope: Scope, own: Value, name: str, lower: str) -> Value:
    """Return what a name behind a dot stands for; of null that is null.

    Args:
        scope: What it is evaluated in.
        own: What stands before the dot.
        name: The name.
        lower: The name in lower case: fields have it so.

    Raises:
        ExpressionError: There is no such field.
    """
    if own is None:
        return None
    if type(own) is dict:
        return own.get(name)
    field = FIELDS.get(type(own), {}).get(lower)
    if field is not None:
        return field(scope, own)
    raise ExpressionError(f'Cannot find "{name}" on type {type_name(own)}')


def item(scope: Scope, own: Value, key: Value) -> Value:
    """Return an item of a list, or a member of an object; null if there is none."""
    if own is None:
        return None
    kind = type(own)
    if kind in LISTS:
        if type(key) not in {int, float} or key % 1:
            return None
        place = int(key)
        return own[place] if 0 <= place < len(own) else None
    name = text(key)
    return member(scope, own, name, name.lower())
