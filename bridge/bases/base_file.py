"""The content of a base, read from its YAML: filters, formulas, names of columns, summaries and views.

What cannot be understood becomes an error with its place. Spellings of older versions are understood, with a remark.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from bridge.bases.failures import BaseError
from bridge.notes.frontmatter import BrokenYaml, read_yaml

MOST_VIEWS: Final = 200
MOST_FORMULAS: Final = 500
MOST_FILTERS: Final = 2_000

_GROUPS: Final = frozenset({"and", "or", "not"})
_SHOWN_BESIDE: Final = ("image", "coordinates", "markerIcon", "markerColor")
"""Properties that views other than tables draw beside their columns."""

Namespace = Literal["note", "file", "formula"]
_NAMESPACES: Final[dict[str, Namespace]] = {"note": "note", "property": "note", "file": "file", "formula": "formula"}


class PropertyId(NamedTuple):
    """The id of a property, used by columns, sorts and groups: `note.status`, `file.name`, `formula.total`."""

    namespace: Namespace
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}.{self.name}"


class Statement(NamedTuple):
    """One line of a filter.

    Attributes:
        expression: The expression.
        where: Its place in the base.
    """

    expression: str
    where: str


class Group(NamedTuple):
    """Several filters.

    Attributes:
        kind: Whether all, one or none of them must be true.
        parts: The filters.
    """

    kind: str
    parts: tuple["Filter", ...]


Filter = Statement | Group


class Order(NamedTuple):
    """One key that rows are sorted by."""

    property: PropertyId
    descending: bool


@dataclass(frozen=True, slots=True)
class View:
    """One view.

    Attributes:
        name: Its name; empty if it has none.
        type: How it is drawn.
        where: Its place in the base.
        filter: What its rows must be, beside what holds for all views.
        columns: Its columns, in order.
        sort: What its rows are sorted by.
        group: What its rows are grouped by.
        limit: How many rows it has at most.
        summaries: The summaries below columns.
        problems: Its errors.
    """

    name: str
    type: str
    where: str
    filter: Filter | None = None
    columns: tuple[PropertyId, ...] = ()
    sort: tuple[Order, ...] = ()
    group: Order | None = None
    limit: int | None = None
    summaries: Mapping[PropertyId, str] = field(default_factory=dict)
    problems: tuple[BaseError, ...] = ()


@dataclass(frozen=True, slots=True)
class Base:
    """One base.

    Attributes:
        filter: What holds for all views.
        formulas: Expressions by name.
        titles: What columns are called.
        summaries: Expressions of summaries by name.
        views: Its views.
        problems: Its errors, but for its views.
        remarks: What is understood that the app may not understand.
    """

    filter: Filter | None
    formulas: Mapping[str, str]
    titles: Mapping[PropertyId, str]
    summaries: Mapping[str, str]
    views: tuple[View, ...]
    problems: tuple[BaseError, ...] = ()
    remarks: tuple[str, ...] = ()


def property_id(text: str) -> PropertyId:
    """Return what an id names; without a prefix that is a property of the note."""
    prefix, _dot, name = text.partition(".")
    namespace = _NAMESPACES.get(prefix)
    return PropertyId(namespace, name) if namespace is not None and name else PropertyId("note", text)


def read_base(text: str) -> Base:
    """Read a base.

    Args:
        text: The YAML.

    Raises:
        BaseError: It is no YAML, longer or deeper than is read, or holds no names at its top.
    """
    try:
        found = read_yaml(text.removeprefix("\ufeff"))
    except BrokenYaml as error:
        raise BaseError(f"the base cannot be read as YAML: {error}") from None
    if found is not None and not isinstance(found, dict):
        raise BaseError("the base must be a mapping with names such as filters, formulas, properties and views")
    return _Reading(found or {}).base()


class _Reading:
    """The reading of one base, which gathers what is wrong with it."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._found = found
        self._problems: list[BaseError] = []
        self._remarks: list[str] = []
        self._filters = 0

    def base(self) -> Base:
        """Read all of it."""
        condition = self._filter(self._found.get("filters"), "filters")
        formulas = self._texts("formulas")
        titles = self._titles()
        summaries = self._texts("summaries")
        if len(formulas) > MOST_FORMULAS:
            raise BaseError(f"more than {MOST_FORMULAS} formulas are not evaluated", "formulas")
        found = self._items(self._found.get("views"), "views")
        own = tuple(self._problems)
        views = self._views(found)
        return Base(condition, formulas, titles, summaries, views, own, tuple(dict.fromkeys(self._remarks)))

    def _wrong(self, where: str, message: str) -> None:
        self._problems.append(BaseError(message, where))

    def _mapping(self, value: Any, where: str) -> Mapping[str, Any]:
        if isinstance(value, dict):
            return value
        if value is not None:
            self._wrong(where, "a mapping of names to values is expected here")
        return {}

    def _items(self, value: Any, where: str) -> list[Any]:
        if isinstance(value, list):
            return value
        if value is not None:
            self._wrong(where, "a list is expected here")
        return []

    def _texts(self, name: str) -> dict[str, str]:
        texts: dict[str, str] = {}
        for key, value in self._mapping(self._found.get(name), name).items():
            said = _scalar(value)
            if said is None:
                self._wrong(f"{name}.{key}", "an expression is expected here, as text")
            else:
                texts[key] = said
        return texts

    def _titles(self) -> dict[PropertyId, str]:
        titles: dict[PropertyId, str] = {}
        if "display" in self._found:
            self._remarks.append("`display` is an old spelling of `properties` with `displayName`")
        for key, value in self._mapping(self._found.get("display"), "display").items():
            titles[property_id(key)] = _scalar(value) or key
        for key, value in self._mapping(self._found.get("properties"), "properties").items():
            said = _scalar(value.get("displayName")) if isinstance(value, dict) else None
            if said:
                titles.setdefault(property_id(key), said)
            if key.startswith("property."):
                self._remarks.append(f"`{key}` is an old spelling of `note.{key[9:]}`")
        return titles

    # -- filters ----------------------------------------------------------------------------------------------------

    def _filter(self, value: Any, where: str) -> Filter | None:
        if value is None:
            return None
        self._filters += 1
        if self._filters > MOST_FILTERS:
            raise BaseError(f"more than {MOST_FILTERS:,} filters are not evaluated", where)
        said = _scalar(value)
        if said is not None:
            return Statement(said, where) if said.strip() else None
        if not isinstance(value, dict) or len(value) != 1 or not value.keys() <= _GROUPS:
            self._wrong(where, "a filter is an expression, or one of `and`, `or` and `not` with a list of filters")
            return None
        ((kind, parts),) = value.items()
        listed = [parts] if isinstance(parts, str) else self._items(parts, f"{where}.{kind}")
        inner = (self._filter(part, f"{where}.{kind}[{place}]") for place, part in enumerate(listed))
        return Group(kind, tuple(part for part in inner if part is not None))

    # -- views ------------------------------------------------------------------------------------------------------

    def _views(self, found: list[Any]) -> tuple[View, ...]:
        views: list[View] = []
        if len(found) > MOST_VIEWS:
            raise BaseError(f"more than {MOST_VIEWS} views are not read", "views")
        for place, view in enumerate(found):
            self._problems = []
            views.append(self._view(view, f"views[{place}]"))
        return tuple(views)

    def _view(self, found: Any, where: str) -> View:
        view = self._mapping(found, where)
        return View(
            name=_scalar(view.get("name")) or "",
            type=_scalar(view.get("type")) or "table",
            where=where,
            filter=self._filter(view.get("filters"), f"{where}.filters"),
            columns=self._columns(view, where),
            sort=self._sort(view.get("sort"), f"{where}.sort"),
            group=self._order(view.get("groupBy"), f"{where}.groupBy"),
            limit=self._limit(view.get("limit"), f"{where}.limit"),
            summaries={
                property_id(key): _scalar(value) or ""
                for key, value in self._mapping(view.get("summaries"), f"{where}.summaries").items()
            },
            problems=tuple(self._problems),
        )

    def _columns(self, view: Mapping[str, Any], where: str) -> tuple[PropertyId, ...]:
        named = self._items(view.get("order"), f"{where}.order")
        columns = [property_id(said) for said in map(_scalar, named) if said]
        beside = [property_id(said) for key in _SHOWN_BESIDE if isinstance(said := view.get(key), str) and said]
        return tuple(dict.fromkeys([*(columns or [PropertyId("file", "name")]), *beside]))

    def _sort(self, value: Any, where: str) -> tuple[Order, ...]:
        orders = (self._order(each, f"{where}[{place}]") for place, each in enumerate(self._items(value, where)))
        return tuple(order for order in orders if order is not None)

    def _order(self, value: Any, where: str) -> Order | None:
        if value is None:
            return None
        if isinstance(value, str):
            return Order(property_id(value), descending=False)
        entry = self._mapping(value, where)
        said = _scalar(entry.get("property"))
        if not said and (said := _scalar(entry.get("column"))):
            self._remarks.append("`column` in a sort is an old spelling of `property`")
        if not said:
            if isinstance(value, dict):
                self._wrong(where, "the property is missing")
            return None
        return Order(property_id(said), descending=(_scalar(entry.get("direction")) or "").upper() == "DESC")

    def _limit(self, value: Any, where: str) -> int | None:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1:
            return int(value)
        if value is not None and value != 0:
            self._wrong(where, "the limit must be a number of rows")
        return None


def _scalar(value: Any) -> str | None:
    """Return a value as the text that stands there; None if it is a list, names with values, or nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None
