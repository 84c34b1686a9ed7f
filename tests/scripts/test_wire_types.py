"""The plugin's types of the wire follow the bridge's models."""

from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from bridge.contract.base import Wire
from bridge.contract.consent import ConsentRequest, Decision
from scripts.lib.wire_types import COMMAND, main, render


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
