"""Chains as they are written: arguments of later calls that use what earlier ones answered, and texts made of both.

There are five forms, and no code. Each stands where a value would stand:

    {"$from": "search.results[0].path"}     a place in the data of an earlier call: keys and indexes, nothing else
    {"$param": "title"}                     a parameter of the template
    {"$text": ["Notes/", {"$param": "title"}, ".md"]}     texts and numbers, and those of lists, one after the other
    {"$each": [LIST, VALUE]}                a list: the value, once for each item of the list
    {"$item": "path"}                       a place in that item; the item itself where the text is empty
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from bridge.contract.chains import ChainCall
from bridge.errors import InvalidParameters
from bridge.toolkit.tool import ChainEffect
from bridge.vault.text import counted

FROM: Final = "$from"
PARAM: Final = "$param"
TEXT: Final = "$text"
EACH: Final = "$each"
ITEM: Final = "$item"
MOST_BYTES: Final = 4 << 20
"""Characters that the references of one call may come to."""
DEEPEST: Final = 32
MOST_ITEMS: Final = 1_000
"""Items of a list that one `$each` goes through."""

NAMED_CALLS: Final = 6
"""Tools that a chain's summary names."""

_TAKES: Final[Mapping[str, type[Any]]] = {FROM: str, PARAM: str, ITEM: str, TEXT: list, EACH: list}
_EACH_PARTS: Final = 2
_NO_ITEM: Final = object()
_THE_ITEM: Final = "item"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_STEP: Final = re.compile(r"\.(?P<key>[^.\[\]]{1,200})|\[(?P<index>-?[0-9]{1,6})\]")


class AnswerReference(NamedTuple):
    """A place in what an earlier call answered.

    Attributes:
        call: The call's name.
        steps: The keys and indexes that lead there.
        text: As it is written.
    """

    call: str
    steps: tuple[str | int, ...]
    text: str

    @classmethod
    def parse(cls, text: str) -> "AnswerReference":
        """Read one.

        Raises:
            InvalidParameters: It is none.
        """
        name = _NAME.match(text)
        at = name.end() if name else 0
        steps: list[str | int] = []
        while name and at < len(text):
            step = _STEP.match(text, at)
            if step is None:
                break
            steps.append(step["key"] if step["index"] is None else int(step["index"]))
            at = step.end()
        if name is None or at < len(text) or len(steps) > DEEPEST:
            raise InvalidParameters(
                f"{text[:100]!r} is no reference: give the name of an earlier call and then keys and indexes, as in "
                "'search.results[0].path'"
            )
        return cls(name[0], tuple(steps), text)

    @classmethod
    def of_item(cls, text: str) -> "AnswerReference":
        """Read one that begins in an item of a list, whose name is left out.

        Raises:
            InvalidParameters: It is none.
        """
        if text.startswith("."):
            raise InvalidParameters(f"{text[:100]!r} is no place in an item: give keys and indexes, as in 'path'")
        return cls.parse(_THE_ITEM + (f".{text}" if text and not text.startswith("[") else text))

    def look_up(self, answers: Mapping[str, Any]) -> Any:
        """Return the value that is referred to.

        Args:
            answers: The data of the calls so far, by name.

        Raises:
            InvalidParameters: Nothing is.
        """
        if self.call not in answers:
            known = ", ".join(answers) or "none yet"
            raise InvalidParameters(f"{self.text!r}: there is no earlier call {self.call!r}; the calls are: {known}")
        found, way = answers[self.call], self.call
        for step in self.steps:
            found = _inside(found, step, way, self.text)
            way += f"[{step}]" if isinstance(step, int) else f".{step}"
        return found


def _inside(value: Any, step: str | int, way: str, text: str) -> Any:
    if isinstance(step, int):
        if isinstance(value, list) and -len(value) <= step < len(value):
            return value[step]
        there = f"a list of {len(value)}" if isinstance(value, list) else "no list"
        raise InvalidParameters(f"{text!r}: {way} is {there}, so there is no [{step}] in it")
    if isinstance(value, dict) and step in value:
        return value[step]
    there = f"has the keys {', '.join(list(map(str, value))[:20])}" if isinstance(value, dict) else "has no keys"
    raise InvalidParameters(f"{text!r}: {way} {there}, and no {step!r}")


def references(value: Any) -> Iterator[AnswerReference]:
    """Yield every reference to an earlier call in a value. Raises InvalidParameters for one that is none."""
    return (AnswerReference.parse(inner) for kind, inner in _marks(value, 0) if kind == FROM)


def parameters(value: Any) -> Iterator[str]:
    """Yield the name of every parameter that a value uses."""
    return (inner for kind, inner in _marks(value, 0) if kind == PARAM)


def uses_item(value: Any) -> bool:
    """Return whether a value uses an item of a list that it does not go through itself."""
    return any(kind == ITEM for kind, _ in _marks(value, 0))


def resolved(
    value: Any, answers: Mapping[str, Any], params: Mapping[str, Any] | None = None, item: Any = _NO_ITEM
) -> Any:
    """Return a value with everything in place of what refers to it. What comes in is not searched for references.

    Args:
        value: A JSON value.
        answers: The data of the calls so far, by name.
        params: The template's parameters, by name; None outside of a template.
        item: What `$item` is about, outside of any `$each`; by default nothing.

    Raises:
        InvalidParameters: A reference leads nowhere, or they come to too much.
    """
    return _Resolving(answers, params).value(value, 0, item)


def size_of(value: Any) -> int:
    """Return about how many characters a value has as JSON."""
    total, waiting = 0, [value]
    while waiting:
        one = waiting.pop()
        total += len(one) if isinstance(one, str) else 8
        if isinstance(one, dict):
            total += sum(map(len, one))
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return total


def chain_effect(
    calls: Sequence[ChainCall], summary: str | None = None, params: dict[str, Any] | None = None
) -> ChainEffect:
    """Return the effect of some calls as a chain.

    Args:
        calls: The calls.
        summary: What they do, in a sentence that can go on; by default it names their tools.
        params: What references to parameters stand for; None outside of a template.

    Raises:
        InvalidParameters: Two have the same name, or a reference is none or leads to no earlier call.
    """
    earlier: set[str] = set()
    for call in calls:
        if call.name in earlier:
            raise InvalidParameters(f"Two calls of the chain are named {call.name!r}; later ones could mean either")
        for found in references([call.arguments, call.each]):
            if found.call not in earlier:
                known = ", ".join(map(repr, sorted(earlier))) or "none"
                raise InvalidParameters(
                    f"The call {call.name!r} refers to {found.call!r}, which is no earlier call of the chain; "
                    f"there are: {known}"
                )
        if uses_item(call.each) or (call.each is None and uses_item(call.arguments)):
            raise InvalidParameters(f"The call {call.name!r} refers to an item, but has no list in 'each'")
        earlier.add(call.name)
    if summary is None:
        tools = list(dict.fromkeys(call.tool for call in calls))
        more = f" and {len(tools) - NAMED_CALLS} more" if len(tools) > NAMED_CALLS else ""
        summary = f"Make {counted(len(calls), 'call')} as one ({', '.join(tools[:NAMED_CALLS])}{more})"
    return ChainEffect(tuple(calls), summary, params)


class _Resolving:
    def __init__(self, answers: Mapping[str, Any], params: Mapping[str, Any] | None) -> None:
        self._answers = answers
        self._params = params
        self._left = MOST_BYTES

    def value(self, value: Any, depth: int, item: Any) -> Any:
        mark = _mark(value, depth)
        if mark is not None:
            return self._marked(*mark, depth + 1, item)
        if isinstance(value, dict):
            return {key: self.value(inner, depth + 1, item) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner, depth + 1, item) for inner in value]
        return value

    def _marked(self, kind: str, inner: Any, depth: int, item: Any) -> Any:
        match kind:
            case "$text":
                found = [self.value(part, depth, item) for part in inner]
                return "".join(_plain(one) for part in found for one in (part if isinstance(part, list) else [part]))
            case "$each":
                return self._each(inner, depth, item)
            case "$from":
                found = AnswerReference.parse(inner).look_up(self._answers)
            case "$item":
                if item is _NO_ITEM:
                    raise InvalidParameters(f"There is no list here that {ITEM!r} could be about; see {EACH!r}")
                found = AnswerReference.of_item(inner).look_up({_THE_ITEM: item})
            case _:
                found = self._param(inner)
        self._spend(size_of(found))
        return found

    def _each(self, parts: list[Any], depth: int, item: Any) -> list[Any]:
        items = self.value(parts[0], depth, item)
        if not isinstance(items, list):
            raise InvalidParameters(f"{EACH!r} goes through a list, and there is none: {str(items)[:100]}")
        if len(items) > MOST_ITEMS:
            raise InvalidParameters(f"{EACH!r} goes through at most {MOST_ITEMS:,} items, not {len(items):,}")
        self._spend(len(items) * size_of(parts[1]))
        return [self.value(parts[1], depth, one) for one in items]

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise InvalidParameters("What the references of this call come to is too large; refer to less")

    def _param(self, name: str) -> Any:
        if self._params is None or name not in self._params:
            raise InvalidParameters(f"There is no parameter {name[:100]!r}")
        return self._params[name]


def _plain(found: Any) -> str:
    if isinstance(found, str | int | float) and not isinstance(found, bool):
        return str(found)
    raise InvalidParameters(
        f"A {TEXT!r} is made of texts and numbers, and of lists of these; {str(found)[:100]} is none"
    )


def _mark(value: Any, depth: int) -> tuple[str, Any] | None:
    """Return the kind of reference that a value is, and what it holds; None when it is none."""
    if depth > DEEPEST:
        raise InvalidParameters(f"The arguments are nested more than {DEEPEST} deep")
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((kind, inner),) = value.items()
    takes = _TAKES.get(kind)
    if takes is None:
        return None
    if not isinstance(inner, takes):
        raise InvalidParameters(f"{kind!r} takes {'a list' if takes is list else 'a text'}")
    if kind == EACH and len(inner) != _EACH_PARTS:
        raise InvalidParameters(f"{EACH!r} takes a list and what becomes of each of its items")
    return kind, inner


def _marks(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    mark = _mark(value, depth)
    inner: Any = value
    if mark is not None:
        yield mark
        inner = mark[1] if _TAKES[mark[0]] is list else None
    members = list(inner.values()) if isinstance(inner, dict) else inner if isinstance(inner, list) else []
    for place, member in enumerate(members):
        own_items = mark is not None and mark[0] == EACH and place == 1
        for kind, text in _marks(member, depth + 1):
            if kind != ITEM or not own_items:
                yield kind, text
