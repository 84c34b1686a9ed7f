"""Templates are kept outside the vault, whole; what cannot be run is not kept, and a damaged file is left alone."""

from datetime import date
from typing import Any

import orjson
import pytest

from bridge.errors import Conflict, ExecutionFailed, InvalidParameters, NotFound
from bridge.tools.templates import templates as module
from bridge.tools.templates.templates import TemplateStore, parse_template, shipped, template_effect
from tests.identities import PrivateFiles

TODAY = date(2026, 11, 22)
NOTE: dict[str, Any] = {
    "name": "note",
    "title": "A note",
    "parameters": [{"name": "title"}, {"name": "day", "type": "date", "default": "today"}],
    "calls": [
        {
            "name": "made",
            "tool": "create_note",
            "arguments": {"path": {"$text": [{"$param": "day"}, " ", {"$param": "title"}]}, "content": "x"},
        }
    ],
}


def with_parameter(**members: Any) -> dict[str, Any]:
    return NOTE | {"parameters": [*NOTE["parameters"], {"name": "more"} | members]}


def with_arguments(arguments: Any) -> dict[str, Any]:
    return NOTE | {"calls": [{"name": "made", "tool": "read", "arguments": arguments}]}


def test_a_template_is_kept_listed_and_there_again_after_a_restart() -> None:
    files = PrivateFiles()
    TemplateStore(files).save(parse_template(NOTE))
    store = TemplateStore(files)
    assert store.get("note") == parse_template(NOTE)
    assert [(info.template.name, info.shipped) for info in store.all()] == [
        *((name, True) for name in sorted(shipped()) if name < "note"),
        ("note", False),
        *((name, True) for name in sorted(shipped()) if name > "note"),
    ]


def test_one_of_the_users_takes_the_place_of_one_that_came_along_until_it_is_removed() -> None:
    store = TemplateStore(PrivateFiles())
    mine = parse_template(NOTE | {"name": "weekly-review"})
    store.save(mine)
    assert store.get("weekly-review") == mine
    assert store.remove("weekly-review") is True
    assert store.get("weekly-review") == shipped()["weekly-review"]
    with pytest.raises(InvalidParameters, match="came with the bridge"):
        store.remove("weekly-review")


def test_nothing_is_overwritten_by_accident() -> None:
    store = TemplateStore(PrivateFiles())
    store.save(parse_template(NOTE))
    with pytest.raises(Conflict, match="already"):
        store.save(parse_template(NOTE | {"title": "Other"}))
    assert store.get("note").title == "A note"
    store.save(parse_template(NOTE | {"title": "Other"}), replace=True)
    assert store.get("note").title == "Other"


def test_what_is_not_there_is_not_found_and_the_names_are_said() -> None:
    store = TemplateStore(PrivateFiles())
    for attempt in (store.get, store.remove):
        with pytest.raises(NotFound, match="weekly-review"):
            attempt("nothing")


def test_a_full_disk_leaves_all_as_it_was() -> None:
    files = PrivateFiles()
    store = TemplateStore(files)
    files.full = True
    with pytest.raises(ExecutionFailed):
        store.save(parse_template(NOTE))
    with pytest.raises(NotFound):
        store.get("note")


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b'{"version": 9, "templates": []}',
        b'{"version": 1}',
        b'{"version": 1, "templates": 3}',
        b'{"version": 1, "templates": [{"name": "x"}]}',
        orjson.dumps({"version": 1, "templates": [with_arguments({"path": {"$from": "later.path"}})]}),
    ],
)
def test_a_damaged_file_is_said_and_never_overwritten(data: bytes) -> None:
    files = PrivateFiles()
    files.held["templates.json"] = data
    store = TemplateStore(files)
    assert store.file.fault is not None
    assert {info.template.name for info in store.all()} == set(shipped())
    with pytest.raises(ExecutionFailed):
        store.save(parse_template(NOTE))
    assert files.held["templates.json"] == data


def test_no_more_are_kept_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    store = TemplateStore(PrivateFiles())
    store.save(parse_template(NOTE))
    store.save(parse_template(NOTE | {"name": "other"}))
    with pytest.raises(InvalidParameters, match="2 templates"):
        store.save(parse_template(NOTE | {"name": "third"}))
    with pytest.raises(InvalidParameters, match="at most 64 KiB"):
        store.save(parse_template(with_arguments({"path": "x" * 70_000})), replace=True)


DEEP: Any = "x"
for _ in range(40):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "no template"),
        ({}, "no template"),
        (NOTE | {"name": "../../etc"}, "name"),
        (NOTE | {"name": "Note"}, "name"),
        (NOTE | {"name": "x" * 70}, "name"),
        (NOTE | {"calls": []}, "calls"),
        (NOTE | {"code": "import os"}, "code"),
        (NOTE | {"parameters": [{"name": "title"}, {"name": "title"}]}, "Two parameters"),
        (NOTE | {"parameters": []}, "does not have"),
        (with_parameter(name="1x"), "name"),
        (with_parameter(type="code"), "type"),
        (with_parameter(type="number", default="3"), "must be a number"),
        (with_parameter(type="number", default=True), "must be a number"),
        (with_parameter(type="boolean", default=1), "must be true or false"),
        (with_parameter(type="list", default=[1]), "must be a list of texts"),
        (with_parameter(type="date", default="someday"), "must be a day"),
        (with_parameter(type="list", choices=["a"]), "only a text"),
        (with_parameter(default="c", choices=["a", "b"]), "one of: a, b"),
        (with_arguments({"path": {"$param": "other"}}), "does not have"),
        (with_arguments({"path": {"$param": "__class__"}}), "does not have"),
        (with_arguments({"path": {"$param": ["title"]}}), "takes a text"),
        (with_arguments({"path": {"$from": "made.path"}}), "no earlier call"),
        (with_arguments({"path": {"$from": "os.environ['HOME']"}}), "no reference"),
        (with_arguments({"path": {"$item": "x"}}), "item"),
        (with_arguments({"path": DEEP}), "nested more than"),
    ],
)
def test_a_template_that_cannot_be_run_is_refused(content: Any, said: str) -> None:
    with pytest.raises(InvalidParameters, match=said):
        parse_template(content)


@pytest.mark.parametrize(
    ("members", "value", "expected"),
    [
        ({"type": "text"}, "a {{b}} $param", "a {{b}} $param"),
        ({"type": "text", "choices": ["a", "b"]}, "b", "b"),
        ({"type": "text", "optional": True}, None, None),
        ({"type": "text", "default": "d"}, None, "d"),
        ({"type": "number"}, 2.5, 2.5),
        ({"type": "boolean"}, False, False),
        ({"type": "list"}, ["a", "b"], ["a", "b"]),
        ({"type": "date"}, "today", "2026-11-22"),
        ({"type": "date"}, " Yesterday", "2026-11-21"),
        ({"type": "date", "default": "tomorrow"}, None, "2026-11-23"),
        ({"type": "date"}, "2024-02-29", "2024-02-29"),
    ],
)
def test_a_value_is_what_its_parameter_says(members: dict[str, Any], value: Any, expected: Any) -> None:
    effect = template_effect(parse_template(with_parameter(**members)), {"title": "t", "more": value}, TODAY)
    assert effect.params is not None
    assert effect.params["more"] == expected
    assert effect.params["day"] == "2026-11-22"


@pytest.mark.parametrize(
    ("members", "values", "said"),
    [
        ({"optional": True}, {}, "needs 'title': a text"),
        ({}, {"title": "t"}, "needs 'more'"),
        ({"optional": True}, {"title": "t", "other": 1}, "no parameter 'other'"),
        ({"optional": True}, {"title": 3}, "must be a text"),
        ({"optional": True}, {"title": {"$from": "made.path"}}, "must be a text"),
        ({"type": "number"}, {"title": "t", "more": float("inf")}, "must be a number"),
        ({"type": "number"}, {"title": "t", "more": "1"}, "must be a number"),
        ({"type": "list"}, {"title": "t", "more": "a"}, "must be a list"),
        ({"type": "list"}, {"title": "t", "more": [["a"]]}, "must be a list"),
        ({"type": "date"}, {"title": "t", "more": "2025-02-29"}, "must be a day"),
        ({"choices": ["a"]}, {"title": "t", "more": "b"}, "one of: a"),
        ({}, {"title": "t", "more": "x" * 200_000}, "must be a text"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(members: dict[str, Any], values: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameters, match=said):
        template_effect(parse_template(with_parameter(**members)), values, TODAY)
