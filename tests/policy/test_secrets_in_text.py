"""What of a text the log hides, measured: secrets of every kind, in several spellings, and ordinary text beside them.

None of the secrets has ever been one.
"""

import hashlib
import random
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.policy.redaction import REDACTED, hide_secrets, redact

SAMPLE_VAULT = Path(__file__).parents[2] / "scripts" / "sample-vault"
CARDS = ["4111111111111111", "5555 5555 5555 4444", "3782-822463-10005", "378282246310005", "6011 1111 1111 1117"]
CARDS += [
    "3530 1113 3330 0000",
    "2223-0031-2200-3222",
    "4222222222222",
    "4000\u00a00566\u00a05566\u00a05556",
    "30569309025904",
]
ACCOUNTS = ["DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "gb29 nwbk 6016 1331 9268 19", "NO9386011117947"]
ACCOUNTS += [
    "FR14 2004 1010 0505 0001 3M02 606",
    "AT61-1904-3002-3457-3201",
    "CH93 0076 2011 6238 5295 7",
    "BE68539007547034",
]
ACCOUNTS += ["MT84 MALT 0110 0001 2345 MTLC AST0 01S", "PL61 1090 1014 0000 0712 1981 2874", "NL91ABNA0417164300"]
PASSWORDS = [
    "pw: hunter2!",
    "PW=hunter2!",
    "pw : hunter2!",
    "p/w: hunter2!",
    "pswd: hunter2!",
    "pass=hunter2!",
    "Passphrase: hunter2! two",
]
PASSWORDS += [
    "pass phrase: hunter2! two",
    "Seed phrase: hunter2! two three",
    "recovery words: hunter2! two",
    "mnemonic = hunter2! two",
]
PASSWORDS += [
    "Phrase secrète : hunter2! deux",
    "frase secreta: hunter2! dos",
    "Wachtwoordzin: hunter2! twee",
    "lösenfras: hunter2!",
]
PASSWORDS += [
    "парольная фраза: hunter2! два",
    "パスフレーズ: hunter2!",
    "암호: hunter2!",
    "助记词\uff1ahunter2!",
    "Lozinka: hunter2!",
]
NUMBERS = ["PIN: 4821", "pin code = 4821", "CVV: 4821", "Cvc2 4821".replace(" ", ": "), "PUK: 48214821", "TAN: 482148"]
DIVIDED = [
    "sk-proj-abCD12efGH34ij\nKL56mnOP78qrST90",
    "ghp_0a1B2c3D4e5F6g7H8i\n9J0k1L2m3N4o5P6q7r",
    "AKIAIOSF\nODNN7EXA2PLE",
]
DIVIDED += [
    "AIzaSyA1b2C3d4E5f6\nG7h8I9j0K1l2M3\nn4O5p6Q7r8",
    "sk-\nproj-abCD12efGH34ijKL56",
    "> ghp_0a1B2c3D4e5F\n> 6g7H8i9J0k1L2m3N4",
]
DIVIDED += [
    "wJalrXUtnFEMI/K7MDEN\nG/bPxRfiCYzEXAMP1KEY",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi\r\nOiIxMjM0NTY3.dozjgNryP4J3jVmN",
]
DIVIDED += ["xoxb-123456789012-\\\nAbC1dEf2GhI3jKl4", "hf_aB1cD2eF3gH4\n\tiJ5kL6mN7oP8qR9"]


@pytest.mark.parametrize("secret", [*CARDS, *ACCOUNTS])
def test_numbers_of_cards_and_accounts_are_hidden_and_nothing_beside_them(secret: str) -> None:
    for text in ("{}", "paid with {} today", "card:{}", "({})", "{}.", "| {} |", "a\n{}\nb", "{} bank tree", "'{}'"):
        assert hide_secrets(text.format(secret)) == text.format(REDACTED)
    assert redact({"note": secret, "list": [secret]}) == {"note": REDACTED, "list": [REDACTED]}


def test_a_card_is_hidden_where_it_is_a_number_of_json() -> None:
    assert redact({"card": int(CARDS[0]), "size": 4111111111111112}) == {"card": REDACTED, "size": 4111111111111112}


@pytest.mark.parametrize("secret", PASSWORDS)
def test_what_follows_a_word_for_a_password_is_hidden(secret: str) -> None:
    for text in (secret, secret.upper(), f"Mail\n{secret}\nnext line", f"- {secret}"):
        assert "HUNTER2" not in hide_secrets(text).upper()
    assert "next line" in hide_secrets(f"Mail\n{secret}\nnext line")


@pytest.mark.parametrize("secret", NUMBERS)
def test_short_numbers_that_are_called_secret_are_hidden(secret: str) -> None:
    assert "48" not in hide_secrets(f"my {secret}, thanks")
    assert hide_secrets(f"my {secret}, thanks").endswith(", thanks")


@pytest.mark.parametrize("secret", DIVIDED)
def test_a_key_that_is_divided_over_lines_is_hidden_whole(secret: str) -> None:
    for text in ("{}", "use {} please", "the key\n{}\nGroceries and tea", '"{}"'):
        shown = hide_secrets(text.format(secret))
        pieces = [piece.strip(" >\t\\") for piece in secret.splitlines()]
        assert not any(piece in shown for piece in pieces if len(piece) > 3), shown
        assert shown.replace(REDACTED, "{}").replace("> {}", "{}") == text


ORDINARY = """\
commit da39a3ee5e6b4b0d3255bfef95601890afd80709 and 9609cb1
2026-11-23T21:28:52.123456Z 20261123212852 1763932800 1763932800000 1763932800000000000
+49 171 1234567, +1 (555) 010-9999, 0800 123 4567 890, 0049 30 901820, 030/901820-12, 555-0100 555-0199
ISBN 978-3-16-148410-0 9783161484100, EAN 4006381333931, DOI 10.1000/182, IMEI 356938035643809, VAT DE123456789
order 4111111111111112, invoice 5555-5555-5555-4443, size 4294967296 bytes, 18446744073709551615
ID 550e8400-e29b-41d4-a716-446655440000, snowflake 175928847299117063, block ^4a8f2c, #2026
AB12 CDEF GHIJ KLMN OPQR, DE00 3704 0044 0532 0130 00, HX20 ABCD EFGH 1234, AT20 1234 5678 9012 3456
2019 2020 2021 2022, 3000 4000 5000 6000 euros, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
Mountain pass: 2,300 m; the pin: red; spin: 4821; Tan: brown; pawn: e4; kpw: x; sk-learn and hf_hub
sk-ab
Groceries
Bearer of news
npm_config
ProperNoun
The pw was changed, and a passphrase is long. Repeat the phrase: tea for two. Secrecy matters.
0000000000000000 1111 1111 1111 1111 4.111.111.111.111.111 v4111111111111111 4111111111111111x /4111111111111111
"""


@pytest.mark.parametrize("line", [*ORDINARY.splitlines(), ORDINARY])
def test_ordinary_text_loses_no_word(line: str) -> None:
    assert hide_secrets(line) == line


def test_the_sample_vault_loses_no_word() -> None:
    notes = [path.read_text(encoding="utf-8") for path in sorted(SAMPLE_VAULT.rglob("*.md"))]
    assert len(notes) > 5
    for note in notes:
        assert hide_secrets(note) == note


def test_hashes_times_and_identifiers_are_no_secrets() -> None:
    chance = random.Random(28)  # noqa: S311 - the same texts each time
    began = datetime(2020, 1, 1, tzinfo=UTC)
    lost = []
    for number in range(3_000):
        moment = began + timedelta(seconds=chance.randrange(10**9))
        words = [
            hashlib.sha1(b"%d" % number, usedforsecurity=False).hexdigest(),
            hashlib.sha256(b"%d" % number).hexdigest(),
            str(uuid.UUID(int=chance.getrandbits(128), version=4)),
            moment.strftime("%Y%m%d%H%M%S"),
            moment.strftime("%Y%m%d%H%M"),
            str(int(moment.timestamp() * 1000)),
            moment.isoformat(),
            f"+{chance.randrange(10**11, 10**12)}",
            f"{chance.randrange(10**9, 10**11):,}",
        ]
        line = " ".join(words)
        lost += [line] if hide_secrets(line) != line else []
    assert lost == []


@given(st.integers(min_value=0, max_value=10**15 - 1), st.sampled_from(["", " ", "-"]))
def test_a_number_with_one_wrong_digit_is_no_card(number: int, gap: str) -> None:
    digits = f"4{number:015}"
    wrong = f"{digits[:-1]}{(int(digits[-1]) + 1) % 10}"
    shown = [hide_secrets(gap.join((one[:4], one[4:8], one[8:12], one[12:]))) for one in (digits, wrong)]
    assert shown.count(REDACTED) <= 1


@pytest.mark.parametrize("piece", ["4111 1111 1111 1112 ", "4", "DE89 3704 ", "sk-aB1\n", "ghp_\n", "aB1c\n", "pin: "])
def test_hostile_text_costs_no_more_than_its_length(piece: str) -> None:
    text = piece * (10_000 // len(piece))
    assert len(hide_secrets(text)) <= len(text) + 20 * len(REDACTED) + len(text)
