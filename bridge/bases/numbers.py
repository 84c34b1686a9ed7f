"""Numbers as JavaScript has them: how they are written, read and rounded."""

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

from bridge.bases.failures import ExpressionError

EXACT: Final = 2**53
"""Up to here whole numbers are exact; beyond, they are as near as a float is."""

Number = int | float

_NUMBER: Final = re.compile(r"[-+]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][-+]?\d{1,5})?", re.ASCII)
_OTHER_BASE: Final = re.compile(r"0(?:[xX]([0-9a-fA-F]{1,200})|[oO]([0-7]{1,200})|[bB]([01]{1,400}))")
_SPACE: Final = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
WHITE: Final = _SPACE + "\u2028\u2029\u202f\u205f\u3000\ufeff"
"""Characters that JavaScript trims."""
_DECIMALS: Final = 1e21
_SMALLEST: Final = -7
_WIDEST: Final = 21
_MOST_DIGITS: Final = 100
_PRECISE: Final = Context(prec=500)


def tame(number: Number) -> Number:
    """Return a number as JavaScript keeps it: a whole one beyond what is exact becomes a float."""
    if type(number) is int and not -EXACT <= number <= EXACT:
        try:
            return float(number)
        except OverflowError:
            return math.inf if number > 0 else -math.inf
    return number


def number_text(number: Number) -> str:
    """Write a number as JavaScript writes it: `3`, `0.1`, `1e+21`, `NaN`."""
    number = tame(number)
    if type(number) is int:
        return str(number)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return str(int(number)) if number == int(number) and abs(number) < EXACT else _decimal_text(number)


def _decimal_text(number: float) -> str:
    """Write a float by its shortest digits."""
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    assert isinstance(exponent, int)  # noqa: S101 (it is finite)
    text = "".join(map(str, digits))
    point = len(text) + exponent  # where the point stands among the digits
    minus = "-" if sign else ""
    if _SMALLEST < point - 1 < _WIDEST or point == _WIDEST:
        if point <= 0:
            return f"{minus}0.{'0' * -point}{text}"
        if point >= len(text):
            return minus + text + "0" * (point - len(text))
        return f"{minus}{text[:point]}.{text[point:]}"
    tail = f".{text[1:]}" if len(text) > 1 else ""
    return f"{minus}{text[0]}{tail}e{point - 1:+d}"


def read_number(text: str) -> float | int:
    """Read a text as JavaScript's `Number` does; NaN where it is none. An empty text is 0."""
    stripped = text.strip(WHITE)
    if not stripped:
        return 0
    if _NUMBER.fullmatch(stripped):
        return _whole_if_exact(float(stripped))
    other = _OTHER_BASE.fullmatch(stripped)
    if other is None:
        return {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}.get(stripped, math.nan)
    base = {1: 16, 2: 8, 3: 2}[other.lastindex or 1]
    return tame(int(other[other.lastindex or 1], base))


def rounded(number: Number, digits: int = 0) -> Number:
    """Round to the nearest, halves upward, as `Math.round` does."""
    if (type(number) is int and digits >= 0) or not math.isfinite(number):
        return number
    scale = 10.0 ** max(-_MOST_DIGITS, min(_MOST_DIGITS, digits))
    scaled = number * scale
    if not math.isfinite(scaled):
        return number
    whole = math.floor(scaled + 0.5)
    return tame(whole) if digits == 0 else whole / scale


def floor(number: Number) -> Number:
    """Return the largest whole number that is not above a number."""
    return number if type(number) is int or not math.isfinite(number) else tame(math.floor(number))


def fixed(number: Number, digits: int) -> str:
    """Write a number with so many decimals, as `toFixed` does.

    Raises:
        ExpressionError: There can be 0 to 100 of them.
    """
    if not 0 <= digits <= _MOST_DIGITS:
        raise ExpressionError("toFixed() takes 0 to 100 digits")
    if not math.isfinite(number) or abs(number) >= _DECIMALS:
        return number_text(number)
    exact = Decimal(number) if number else Decimal(0)  # there is no -0 to be written
    return f"{exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP, context=_PRECISE):f}"


def whole(number: Number) -> int:
    """Return a number without its fraction, as JavaScript makes an index of it; NaN is 0."""
    if math.isnan(number):
        return 0
    if math.isinf(number):
        return EXACT if number > 0 else -EXACT
    return int(number)


def remainder(left: Number, right: Number) -> Number:
    """Return what JavaScript's `%` gives: the sign is that of the left."""
    if right == 0 or math.isnan(left) or math.isnan(right) or math.isinf(left):
        return math.nan
    if math.isinf(right):
        return left
    return _whole_if_exact(math.fmod(left, right))


def quotient(left: Number, right: Number) -> Number:
    """Return what JavaScript's `/` gives: dividing by 0 is no error."""
    if right == 0:
        if left == 0 or math.isnan(left):
            return math.nan
        negative = (left < 0) != (math.copysign(1.0, right) < 0)
        return -math.inf if negative else math.inf
    return _whole_if_exact(left / right)


def _whole_if_exact(value: float) -> Number:
    return int(value) if value.is_integer() and abs(value) < EXACT else value
