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
from scripts.lib.wire_readers import render_readers
from scripts.lib.wire_types import COMMAND, READERS, main, render


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


def test_readers_check_every_member_and_fill_in_what_a_message_may_leave_out() -> None:
    schema = {"$defs": Lenient.model_json_schema(mode="serialization")}["$defs"]
    parts = schema.pop("$defs")
    text = render_readers("/** Head. */", {"Lenient": schema, **parts}, {"it.happened": "Inner"})
    assert text.startswith('/** Head. */\n\nimport type { Members } from "../json";\n')
    assert text.endswith(
        """export const readInner = /* @__PURE__ */ model<Inner>(`colour:<"red","blue">`);
export const readLenient = /* @__PURE__ */ model<Lenient>("""
        """`inner:0? many:[0]=[] known:~<"red","blue"> open:s moment:t anything:a either:(0|s) table:{n}`, readInner);

/** The reader of each event. */
export const EVENT_READERS: Members<Events> = {
	"it.happened": readInner,
};
"""
    )


def test_a_default_that_a_shape_cannot_hold_is_an_error() -> None:
    with pytest.raises(ValueError, match="a blank"):
        render_readers("", {"Odd": {"properties": {"said": {"type": "string", "default": "two words"}}}}, {})


def test_a_kind_of_schema_that_has_no_reader_is_an_error() -> None:
    with pytest.raises(ValueError, match="not known here"):
        render_readers("", {"Odd": {"properties": {"anything": {}}, "required": ["anything"]}}, {})


def test_every_method_and_every_event_is_among_the_types() -> None:
    text = render()
    assert all(f'\t"{method.name}": {{ params: ' in text for method in METHODS.values())
    assert all(f'\t"{event.event_name}": {event.__name__};\n' in text for event in EVENTS)


def test_every_event_there_is_is_listed() -> None:
    found = {event for kind in (Event, SparseEvent) for event in kind.__subclasses__()} - {SparseEvent}
    found |= {event for kind in found for event in kind.__subclasses__()}
    assert {event for event in found if event.__module__.startswith("bridge.")} == set(EVENTS)


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


def test_check_says_whether_the_file_is_up_to_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "wire" / "contract.ts"
    assert main(["--check"], target) == 1
    assert COMMAND in capsys.readouterr().err
    assert main([], target) == 0
    assert main(["--check"], target) == 0
    target.write_text("export {};\n", encoding="utf-8")
    assert main(["--check"], target) == 1
    assert main([], target) == 0
    target.with_name(READERS).unlink()
    assert main(["--check"], target) == 1
