"""Numbers of cards and bank accounts in a text: found by their form and by the check digits that they carry.

Nine of ten other numbers of the same form fail the check of cards, and 96 of 97 that of accounts, so identifiers, dates
and phone numbers stay as they are.
"""

from typing import Any, Final

import re2

_GAP: Final = r"[ \x{a0}\x{202f}\t-]"
CARD: Final = (
    rf"(?:[2-6][0-9]{{12,18}}|[2-6][0-9]{{3}}(?:{_GAP}[0-9]{{4}}){{3}}(?:{_GAP}[0-9]{{3}})?"
    rf"|3[0-9]{{3}}{_GAP}[0-9]{{6}}{_GAP}[0-9]{{4,5}})"
)
ACCOUNT: Final = rf"(?i:[A-Z]{{2}}[0-9]{{2}}(?:{_GAP}?[A-Z0-9]{{4}}){{2,7}}(?:{_GAP}?[A-Z0-9]{{1,3}})?)"
_BEFORE: Final = r"(^|[^\pL\pN_+./#=-])"
_AFTER: Final = r"($|[^\pL\pN_./-]|[-./](?:$|[^\pL\pN]))"
_CARDS: Final = re2.compile(f"{_BEFORE}({CARD}){_AFTER}")
_ACCOUNTS: Final = re2.compile(f"{_BEFORE}({ACCOUNT})")
_ISSUERS: Final = {
    14: re2.compile(r"3(?:0[0-5]|[689])"),
    15: re2.compile(r"3[47]"),
    16: re2.compile(r"4|5[0-8]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|35(?:2[89]|[3-8])|6(?:0|[2-9])"),
    13: re2.compile(r"4"),
    19: re2.compile(r"4|6[0-9]"),
}
"""How the numbers of cards begin, by their length."""
_COUNTRIES: Final = """
    NO15 BE16 DK18 FI18 FK18 FO18 GL18 NL18 SD18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 MN20 XK20 CH21 HR21 LI21 LV21
    BG22 BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 VA22 AE23 GI23 IL23 IQ23 OM23 SO23 TL23 AD24 CZ24 ES24 MD24 PK24 RO24
    SA24 SE24 SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 DJ27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28
    HN28 HU28 LB28 NI28 PL28 SV28 BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 YE30 MT31 SC31 LC32 RU33
"""
_LENGTHS: Final = {entry[:2]: int(entry[2:]) for entry in _COUNTRIES.split()}
"""How long the numbers of accounts are, by country."""


def hide_account_numbers(text: str, replacement: str) -> str:
    """Return the text with a replacement for each number of a card and of an account (IBAN).

    Args:
        text: Any text.
        replacement: What stands there instead.
    """

    def without_account(found: Any) -> str:
        before, number = found.groups()
        length = _length_of_account(number)
        return f"{before}{replacement}{number[length:]}" if length else str(found[0])

    def without_card(found: Any) -> str:
        before, number, after = found.groups()
        return f"{before}{replacement}{after}" if _is_card(number) else str(found[0])

    return str(_CARDS.sub(without_card, _ACCOUNTS.sub(without_account, text)))


def _is_card(number: str) -> bool:
    digits = "".join(filter(str.isdigit, number))
    issuers = _ISSUERS.get(len(digits))
    return issuers is not None and issuers.match(digits) is not None and _passes_luhn(digits)


def _length_of_account(text: str) -> int:
    """Return how many characters of a text are the number of an account; 0: none. Words may follow it."""
    length = _LENGTHS.get(text[:2].upper())
    places = [at for at, character in enumerate(text) if character.isalnum()]
    if length is None or len(places) < length:
        return 0
    end = places[length - 1] + 1
    plain = "".join(text[at] for at in places[:length]).upper()
    goes_on = text[end : end + 2].lstrip("-")[:1].isalnum()  # as the identifiers do that have hyphens
    return end if not goes_on and int(_as_digits(plain)) % 97 == 1 else 0


def _as_digits(account: str) -> str:
    return "".join(str(int(character, 36)) for character in account[4:] + account[:4])


def _passes_luhn(digits: str) -> bool:
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return len(set(digits)) > 1 and (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0
