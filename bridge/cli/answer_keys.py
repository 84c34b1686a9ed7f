"""The keys for the answers to a question, and the legend that shows them.

The bridge says what may be answered and in which words; only the keys are chosen here. No key alone gives an answer
for longer: its sentence is shown first, and a second key confirms it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.text import Text

from bridge.cli.layout import wrap
from bridge.cli.sanitize import sanitize
from bridge.contract.consent import AnswerOption, ConsentRequest, Coverage, Decision

LABELS: Final[dict[Decision, str]] = {
    Decision.ALLOW_ONCE: "Allow once",
    Decision.ALLOW_SESSION: "Allow for this session",
    Decision.ALLOW_ALWAYS: "Always allow",
    Decision.DENY_ONCE: "Deny",
    Decision.DENY_SESSION: "Deny for this session",
    Decision.DENY_ALWAYS: "Never allow",
}
"""Each decision for people, where no option says more."""

ONCE: Final = {"y": Decision.ALLOW_ONCE, "n": Decision.DENY_ONCE}
"""The keys that answer for this call alone."""

WORDS: Final = {"yes": "y", "no": "n", "r": "w"}
"""Other things that people type for a key."""

_GAP: Final = 3
_KEY: Final = 4
"""Cells of a key before its label."""


def options_for_longer(request: ConsentRequest) -> list[AnswerOption]:
    """Return the answers on offer that hold for more than this call, as the bridge orders them."""
    return [option for option in request.options if option.decision not in ONCE.values()]


def option_keys(request: ConsentRequest) -> dict[str, AnswerOption]:
    """Return the answers for longer that have a key of their own.

    `s` is the one that the bridge suggests, or else the narrowest for this session. `a` approves all operations of this
    kind, or is the narrowest "always" where that is not on offer. `d` and `x` are the narrowest denials.
    """
    longer = options_for_longer(request)
    allows = [option for option in longer if option.decision.allows]
    suggested = next((option for option in allows if option.suggested), None)
    session = suggested or _narrowest(allows, Decision.ALLOW_SESSION)
    others = [option for option in allows if option != session]
    kinds = (option for option in others if option.what is Coverage.CHANGING and option.operation is not None)
    keys = {
        "s": session,
        "a": next(kinds, None) or _narrowest(others, Decision.ALLOW_ALWAYS),
        "d": _narrowest(longer, Decision.DENY_SESSION),
        "x": _narrowest(longer, Decision.DENY_ALWAYS),
    }
    return {key: option for key, option in keys.items() if option is not None}


def offered_keys(request: ConsentRequest, *, cut: bool) -> dict[str, Text]:
    """Return what can be typed for a question, with what it means: only what the question offers.

    Args:
        request: The question.
        cut: Whether something was left out of the screen, which `p` shows.
    """
    once = {option.decision: option.label for option in reversed(request.options)}
    offered = {key: decision for key, decision in ONCE.items() if decision in request.choices}
    keys = {key: sanitize(once.get(decision, LABELS[decision])) for key, decision in offered.items()}
    if Decision.DENY_ONCE in request.choices:
        keys["m"] = Text("Deny, and tell the agent why")
    keys["t"] = Text("Add a message to the agent")
    keys["l"] = Text("Later")
    keys |= {key: sanitize(option.label) for key, option in option_keys(request).items()}
    if longer := options_for_longer(request):
        keys["w"] = Text(f"Remember: all {len(longer)} answers for longer")
    if request.hunks_supported and Decision.ALLOW_ONCE in request.choices:
        keys["h"] = Text("Leave parts out: h 2 5-7")
    if request.draft is not None:
        keys["b"] = Text("Send back, with words")
    if request.preview is not None and request.preview.conflicts:
        keys["g"] = Text("Choose where other changes conflict")
    if request.editable:
        keys["e"] = Text("Edit the text")
    if cut:
        keys["p"] = Text("Show all of it first")
    return keys


def draw_legend(keys: Mapping[str, Text], width: int) -> Iterator[Text]:
    """Yield the keys and what they mean, no wider than `width` cells."""
    line = Text()
    for key, label in keys.items():
        short = label.copy()
        short.truncate(width - _KEY, overflow="ellipsis")  # it is shown whole with its sentence
        piece = Text.assemble((f" {key} ", "bold reverse"), " ", short)
        if line and line.cell_len + _GAP + piece.cell_len > width:
            yield from wrap(line, width)
            line = Text()
        line = Text.assemble(line, " " * _GAP, piece) if line else piece
    yield from wrap(line, width)


def draw_option(option: AnswerOption, width: int, number: str = "") -> Iterator[Text]:
    """Yield an answer for longer: its label, and below it the sentence that says how far it reaches."""
    margin = "    "
    label = sanitize(option.label, style="bold")
    head = Text.assemble((f" {number} ", "bold reverse"), " ", label) if number else label
    yield from wrap(Text.assemble(head, "  (suggested)") if option.suggested else head, width, rest=margin)
    yield from wrap(sanitize(option.sentence), width, first=margin)


def draw_options(options: Sequence[AnswerOption], width: int) -> Iterator[Text]:
    """Yield all answers for longer, numbered from 1."""
    for number, option in enumerate(options, 1):
        yield from draw_option(option, width, f"{number:>{len(str(len(options)))}}")


def _narrowest(options: Sequence[AnswerOption], decision: Decision) -> AnswerOption | None:
    return next((option for option in options if option.decision is decision), None)
