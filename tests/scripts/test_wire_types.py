"""The plugin's types of the wire follow the bridge's models."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from bridge.contract.base import ANY_TEXT, SKIP_UNKNOWN, Anything, Event, SparseEvent, Time, Wire
from bridge.contract.consent import ConsentRequest, Decision
from bridge.contract.every_event import EVENTS
from bridge.rpc.methods import METHODS
from scripts.lib.wire_shapes import render_shapes
from scripts.lib.wire_types import COMMAND, SHAPES, main, render


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Inner(Wire):
    """Something inside.

    And more of it.
    """

    colour: Colour


class Outer(Wire):
    """Ends here */ or not."""

    some_inner: Inner | None = None
    many: tuple[Inner, ...] = ()
    either: list[str | int] = Field(default_factory=list, description="One\nor  the other.")
    kind: Literal["a", "b"]
    single: Literal["only"]
    whatever: dict[str, Any]
    counts: dict[str, int]
    exact: float
    sure: bool


def test_models_become_interfaces_and_enumerations_values() -> None:
    text = render([Outer])
    assert text.splitlines()[0].startswith("/** What crosses the wire. Written by")
    assert 'export const Colour = ["red", "blue"] as const;\nexport type Colour = (typeof Colour)[number];\n' in text
    assert "/** Something inside. */\nexport interface Inner {\n\tcolour: Colour;\n}\n" in text
    assert text.endswith(
        """/** Ends here * / or not. */
export interface Outer {
	someInner: Inner | null;
	many: Inner[];
	/** One or the other. */
	either: (string | number)[];
	kind: "a" | "b";
	single: "only";
	whatever: Record<string, unknown>;
	counts: Record<string, number>;
	exact: number;
	sure: boolean;
}
"""
    )


class Lenient(Wire):
    """What a reader makes of what is missing, unknown or to be checked."""

    inner: Inner | None = None
    many: tuple[Inner, ...] = ()
    known: Annotated[tuple[Colour, ...], Field(json_schema_extra={**SKIP_UNKNOWN})]
    open: Annotated[Colour, ANY_TEXT]
    moment: Time
    anything: Anything = None
    either: Inner | str
    table: dict[str, int]


def test_shapes_have_every_member_and_what_stands_in_for_one_that_is_missing() -> None:
    schema = {"$defs": Lenient.model_json_schema(mode="serialization")}["$defs"]
    parts = schema.pop("$defs")
    answers = {
        "it.list": {"type": "array", "items": {"$ref": "Lenient"}},
        "consent.pending": {"type": "array", "items": {"$ref": "Inner"}},
    }
    text = render_shapes(
        "/** Head. */", {"Lenient": schema, "Unused": schema, **parts}, answers, {"it.happened": "Inner"}
    )
    assert (
        text
        == """/** Head. */

import type { Inner, Lenient } from "./contract";

export interface Models {
	Inner: Inner;
	Lenient: Lenient;
}

/** What each method answers. */
export const ANSWERS = {
	"it.list": "~Lenient",
	"consent.pending": "[Inner]",
} as const;

/** What each event holds. */
export const EVENTS = {
	"it.happened": "Inner",
} as const;

export const SHAPES = `
Colour <"red","blue">
Inner colour:Colour
Lenient inner:Inner? many:[Inner]=[] known:~Colour open:s moment:t anything:a either:(Inner|s) table:{n}
`;
"""
    )


def test_shapes_have_only_the_members_that_can_be_used_and_those_of_another_model_by_its_name() -> None:
    four = {name: {"type": "string"} for name in ("one", "two", "three", "four")}
    schemas = {
        "Four": {"properties": four, "required": list(four)},
        "Same": {"properties": four, "required": list(four)},
        "Wider": {
            "properties": {"five": {"type": "integer"}, **four, "unused": {"type": "string"}},
            "required": list(four),
        },
        "Other": {"properties": {**four, "two": {"type": "integer"}}, "required": list(four)},
        "Small": {"properties": {"one": {"type": "string"}}, "required": ["one"]},
    }
    text = render_shapes("", schemas, {}, {}, schemas, words={*four, "five"})
    lines = text.split("SHAPES = `\n", 1)[1].splitlines()[:-1]
    assert lines == [
        "Four one:s two:s three:s four:s",
        "Other one:s two:n three:s four:s",
        "Same Four",
        "Small one:s",
        "Wider Four five:n?",
    ]


def test_a_default_that_a_shape_cannot_hold_is_an_error() -> None:
    with pytest.raises(ValueError, match="a blank"):
        _render_odd({"properties": {"said": {"type": "string", "default": "two words"}}})


def test_a_kind_of_schema_that_has_no_shape_is_an_error() -> None:
    with pytest.raises(ValueError, match="not known here"):
        _render_odd({"properties": {"anything": {}}, "required": ["anything"]})


def _render_odd(schema: dict[str, Any]) -> str:
    return render_shapes("", {"Odd": schema}, {}, {}, ["Odd"])


def test_every_method_and_every_event_is_among_the_types() -> None:
    text = render()
    assert all(f'\t"{method.name}": {{ params: ' in text for method in METHODS.values())
    assert all(f'\t"{event.event_name}": {event.__name__};\n' in text for event in EVENTS)


def test_every_event_there_is_is_listed() -> None:
    found = {event for kind in (Event, SparseEvent) for event in kind.__subclasses__()} - {SparseEvent}
    found |= {event for kind in found for event in kind.__subclasses__()}
    ours = {event for event in found if event.__module__.startswith("bridge.")}
    assert {event for event in ours if "event_name" in vars(event)} == set(EVENTS)


def test_a_kind_of_schema_that_is_not_known_is_an_error() -> None:
    class Odd(BaseModel):
        anything: Any

    with pytest.raises(ValueError, match="not known here"):
        render([Odd])


def test_the_question_has_every_member_that_is_sent() -> None:
    text = render()
    block = text.split("export interface ConsentRequest {\n", 1)[1].split("}", 1)[0]
    members = [line.strip().split(":")[0] for line in block.splitlines() if not line.strip().startswith("/**")]
    assert members == [field.alias or name for name, field in ConsentRequest.model_fields.items()]
    assert all(f'"{decision.value}"' in text for decision in Decision)


@pytest.mark.slow
def test_check_says_whether_the_file_is_up_to_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "wire" / "contract.ts"
    assert main(["--check"], target) == 1
    assert COMMAND in capsys.readouterr().err
    assert main([], target) == 0
    assert main(["--check"], target) == 0
    target.write_text("export {};\n", encoding="utf-8")
    assert main(["--check"], target) == 1
    assert main([], target) == 0
    target.with_name(SHAPES).unlink()
    assert main(["--check"], target) == 1
